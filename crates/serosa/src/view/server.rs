//! The server of the page: loopback only, a token for every connection, everything bounded.

use super::hub::{Hub, Shown};
use super::{info, mesh, page};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serosa_io::wire::{
    Door, GalleryEntry, MESH_POST_MAX, MeshAnswer, Refusal, TO_SERVER_MAX, ToPage, ToServer,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

/// A page that takes longer than this to accept a message is gone.
const STALL: Duration = Duration::from_secs(20);
/// More messages than this in a second are no person's.
const MESSAGES_PER_SECOND: u32 = 400;

/// What the handlers share.
pub struct Site {
    /// The meeting place.
    pub hub: Arc<Hub>,
    /// What an address must carry.
    pub token: String,
    /// The port we answer at.
    pub port: u16,
    /// What the gallery shows.
    pub gallery: Vec<GalleryEntry>,
    /// Meshes that may be looked at together: one.
    pub looking: Semaphore,
}

/// All routes.
pub fn routes(site: Arc<Site>) -> Router {
    Router::new()
        .route("/ws", get(connect))
        .route("/door", post(door))
        .route("/mesh", post(look))
        .fallback(file)
        .with_state(site)
}

/// The headers of every answer: nothing from elsewhere is loaded, nothing is framed or guessed.
const HEADERS: [(header::HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
         connect-src 'self'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-cache"),
];

async fn file(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    if !site.is_ours(&headers) {
        return refuse("this server answers at 127.0.0.1 only");
    }
    match page::find(uri.path()) {
        Some((_, kind, bytes)) => {
            (HEADERS, [(header::CONTENT_TYPE, *kind)], Body::from(*bytes)).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such page").into_response(),
    }
}

fn refuse(why: &'static str) -> Response {
    (StatusCode::FORBIDDEN, why).into_response()
}

impl Site {
    /// Whether a request was meant for us: by its Host, and by its Origin where a browser gives one.
    /// A page from elsewhere, or a foreign name that leads to 127.0.0.1, is turned away.
    fn is_ours(&self, headers: &HeaderMap) -> bool {
        let hosts = ["127.0.0.1", "localhost"].map(|h| format!("{h}:{}", self.port));
        let text = |name| headers.get(name).map(|v| v.to_str().unwrap_or("").to_owned());
        let host = text(header::HOST).is_some_and(|h| hosts.contains(&h));
        let origin = text(header::ORIGIN).is_none_or(|o| hosts.iter().any(|h| o == format!("http://{h}")));
        host && origin
    }

    /// Why a page is not let in, if it is not.
    fn refusal(&self, headers: &HeaderMap, ticket: &Ticket) -> Option<Refusal> {
        if !self.is_ours(headers) {
            Some(Refusal::Elsewhere)
        } else if !same(&ticket.token, &self.token) {
            Some(Refusal::Token)
        } else {
            self.hub.is_full().then_some(Refusal::Full)
        }
    }
}

#[derive(Deserialize)]
struct Ticket {
    #[serde(default)]
    token: String,
}

async fn connect(
    State(site): State<Arc<Site>>,
    Query(ticket): Query<Ticket>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let full = || (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    match site.refusal(&headers, &ticket) {
        Some(Refusal::Elsewhere) => return refuse("this page comes from elsewhere"),
        Some(Refusal::Token) => {
            return refuse("open the address that the program printed: it carries the token");
        }
        Some(Refusal::Full) => return full(),
        None => {}
    }
    // Another page may have come in since.
    let Some(me) = site.hub.enter() else { return full() };
    // Should the connection fail before it is used, the seat is given back all the same.
    let seat = Seat { hub: site.hub.clone(), me };
    upgrade
        .max_message_size(TO_SERVER_MAX)
        .max_frame_size(TO_SERVER_MAX)
        .on_upgrade(move |socket| async move { serve(socket, &site, seat).await })
}

/// Says whether `/ws` would let this page in. A POST, since with it browsers always say their Origin.
async fn door(
    State(site): State<Arc<Site>>,
    Query(ticket): Query<Ticket>,
    headers: HeaderMap,
) -> impl IntoResponse {
    let answer = Door { refused: site.refusal(&headers, &ticket) };
    let text = serde_json::to_string(&answer).unwrap_or_default();
    (HEADERS, [(header::CONTENT_TYPE, "application/json")], text)
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// Looks at a mesh file, for the page that posts it alone: any page may, since nothing changes for the others.
async fn look(
    State(site): State<Arc<Site>>,
    Query(ticket): Query<Ticket>,
    Query(Named { name }): Query<Named>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match site.refusal(&headers, &ticket) {
        Some(Refusal::Elsewhere) => return refuse("this page comes from elsewhere"),
        Some(Refusal::Token) => return refuse("the address carries no token that is known"),
        Some(Refusal::Full) | None => {}
    }
    // Only now is the body read: strangers are not listened to, and what is too long is not waited for.
    let length = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    let too_large =
        || (StatusCode::PAYLOAD_TOO_LARGE, "a mesh dropped on the page has at most 64 MB").into_response();
    if length.is_none_or(|n| n > MESH_POST_MAX) {
        return too_large();
    }
    let Ok(Ok(bytes)) = timeout(STALL, to_bytes(body, MESH_POST_MAX)).await else { return too_large() };
    let refused =
        |message: &str, help: &str| MeshAnswer::Refused { message: message.into(), help: help.into() };
    let answer = match site.looking.try_acquire() {
        Err(_) => refused("another mesh is being looked at", "drop it again in a moment"),
        Ok(_turn) => tokio::task::spawn_blocking(move || mesh::look(&name, &bytes))
            .await
            .unwrap_or_else(|_| refused("the reader failed on this file", "report it, with the file")),
    };
    let text = serde_json::to_string(&answer).unwrap_or_default();
    (HEADERS, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// Compares in a time that does not tell how much was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

/// A page's place; given back when it is gone, however it went.
struct Seat {
    hub: Arc<Hub>,
    me: u32,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.hub.leave(self.me);
    }
}

/// One page: hears it, and tells it the latest of everything at its own pace.
async fn serve(mut socket: WebSocket, site: &Site, seat: Seat) {
    let (hub, me) = (&site.hub, seat.me);
    let mut shown = hub.shown.subscribe();
    let mut moment = hub.moment.subscribe();
    let mut status = hub.status.subscribe();
    let mut people = hub.people.subscribe();
    let mut notices = hub.notices.subscribe();
    let hello = ToPage::Hello {
        client: me,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        gallery: site.gallery.clone(),
    };
    if tell(&mut socket, &hello).await.is_err() {
        return;
    }
    shown.mark_changed();
    status.mark_changed();
    moment.mark_changed();
    let (mut generation, mut seen) = (u32::MAX, 0);
    let mut pace = Pace::default();
    loop {
        let sent = tokio::select! {
            biased;
            said = socket.recv() => match said {
                Some(Ok(message)) if pace.allows() => {
                    if !hear(hub, me, &message) { return }
                    Ok(())
                }
                _ => return,
            },
            Ok(()) = shown.changed() => {
                let Shown { generation: now, scene } = shown.borrow_and_update().clone();
                (generation, seen) = (now, 0);
                tell(&mut socket, &ToPage::Scene { generation, scene }).await
            },
            Ok(()) = async { tokio::select! { s = status.changed() => s, p = people.changed() => p } } => {
                let (mut status, people) = (status.borrow_and_update().clone(), *people.borrow_and_update());
                (status.driver, status.clients) = (people.driver, people.clients);
                tell(&mut socket, &ToPage::Status(status)).await
            },
            notice = notices.recv() => match notice {
                Ok(notice) => tell(&mut socket, &notice).await,
                Err(RecvError::Lagged(_)) => Ok(()),
                Err(RecvError::Closed) => return,
            },
            Ok(()) = moment.changed() => {
                let now = moment.borrow_and_update().clone();
                if now.generation == generation && now.number > seen {
                    let bytes = now.bytes_since(seen, hub.wants(me));
                    seen = now.number;
                    send(&mut socket, Message::Binary(bytes.into())).await
                } else {
                    Ok(())
                }
            },
            else => return,
        };
        if sent.is_err() {
            return;
        }
    }
}

/// How many messages a page may send.
struct Pace {
    since: Instant,
    count: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { since: Instant::now(), count: 0 }
    }
}

impl Pace {
    fn allows(&mut self) -> bool {
        if self.since.elapsed() > Duration::from_secs(1) {
            *self = Self::default();
        }
        self.count += 1;
        self.count <= MESSAGES_PER_SECOND
    }
}

/// False when the page has closed, or speaks another language.
fn hear(hub: &Hub, me: u32, message: &Message) -> bool {
    match message {
        Message::Text(text) => match serde_json::from_str::<ToServer>(text) {
            Ok(said) => {
                hub.say(me, said);
                true
            }
            Err(_) => false,
        },
        Message::Binary(_) | Message::Close(_) => false,
        Message::Ping(_) | Message::Pong(_) => true,
    }
}

async fn tell(socket: &mut WebSocket, message: &ToPage) -> Result<(), ()> {
    let text = serde_json::to_string(message).map_err(|_| ())?;
    send(socket, Message::Text(text.into())).await
}

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), ()> {
    match timeout(STALL, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(()),
    }
}

/// A site on a port.
pub fn site(hub: Arc<Hub>, port: u16) -> Result<Site, String> {
    Ok(Site {
        hub,
        token: super::token::token()?,
        port,
        gallery: info::gallery(),
        looking: Semaphore::new(1),
    })
}
