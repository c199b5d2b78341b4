//! A listener on loopback that turns away more connections than it can serve.

use axum::serve::Listener;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once, pages and files together.
const CONNECTIONS_MAX: usize = 128;
/// How many ports are tried after the one asked for.
const PORTS_TRIED: u16 = 50;

/// Accepts on 127.0.0.1 only, and closes what is beyond the bound at once.
pub struct Bounded {
    inner: TcpListener,
    room: Arc<Semaphore>,
}

/// A connection and its place.
pub struct Connection {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl Bounded {
    /// Listens at a port, or at the next one that is free; says which were not.
    pub async fn bind(port: u16) -> Result<(Self, u16, Vec<u16>), String> {
        let mut busy = Vec::new();
        for candidate in (0..=PORTS_TRIED).filter_map(|i| port.checked_add(i)) {
            match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, candidate))).await {
                Ok(inner) => {
                    let port = inner.local_addr().map_err(|e| e.to_string())?.port();
                    return Ok((Self { inner, room: Arc::new(Semaphore::new(CONNECTIONS_MAX)) }, port, busy));
                }
                Err(e) if e.kind() == io::ErrorKind::AddrInUse => busy.push(candidate),
                Err(e) => return Err(format!("port {candidate} cannot be used: {e}")),
            }
        }
        Err(format!(
            "ports {port} to {} are all in use; choose another with --port",
            port.saturating_add(PORTS_TRIED)
        ))
    }
}

impl Listener for Bounded {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            // axum's own accept waits out errors such as too many open files.
            let (stream, address) = Listener::accept(&mut self.inner).await;
            if let Ok(place) = self.room.clone().try_acquire_owned() {
                let _ = stream.set_nodelay(true);
                return (Connection { stream, _place: place }, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
