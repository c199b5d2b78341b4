//! `serosa view`: the simulator with its page in the browser.

pub mod hub;
mod info;
mod listen;
pub mod live;
mod mesh;
mod page;
mod picture;
mod replay;
mod server;
mod surfaces;
mod token;

use crate::cli::ViewArgs;
use crate::command::run::{default_threads, pool};
use crate::{Console, Failure, scenes};
use hub::{COMMANDS_MAX, Command, Hub};
use live::Live;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Starts the simulator and its page, and serves until interrupted.
pub fn view(args: &ViewArgs, console: &mut Console) -> Result<(), Failure> {
    let start = match &args.scene {
        Some(name) => {
            let scene = scenes::find(name)?;
            let loaded = scenes::load_kept(&scene, console)?;
            Some((scene, loaded))
        }
        None => None,
    };
    let (send, receive) = sync_channel(COMMANDS_MAX);
    let hub = Arc::new(Hub::new(send.clone()));
    let sim = simulate(hub.clone(), receive, start, args.threads)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|e| Failure::input(format!("error: the server cannot be started: {e}")))?;
    let served = runtime.block_on(serve(args, hub, console));
    quit(&send);
    let _ = sim.join();
    served.map_err(|why| Failure::input(format!("error: {why}")))
}

/// The simulating thread, with its whole loop inside one pool.
fn simulate(
    hub: Arc<Hub>,
    commands: Receiver<Command>,
    start: Option<(scenes::SceneText, serosa_io::scene::Loaded)>,
    threads: Option<u16>,
) -> Result<std::thread::JoinHandle<()>, Failure> {
    let pool = pool(threads.map_or_else(default_threads, usize::from))?;
    let mut live = Live::new(hub, commands, PathBuf::from("recordings"));
    if let Some((scene, loaded)) = start {
        live.open_scene(scene, loaded);
    }
    std::thread::Builder::new()
        .name("simulation".into())
        .spawn(move || pool.install(|| live.run()))
        .map_err(|e| Failure::input(format!("error: the simulation cannot be started: {e}")))
}

/// Waits until the queue takes it: the simulation always reads on.
fn quit(commands: &SyncSender<Command>) {
    let _ = commands.send(Command::Quit);
}

async fn serve(args: &ViewArgs, hub: Arc<Hub>, console: &mut Console<'_>) -> Result<(), String> {
    let (listener, port, busy) = listen::Bounded::bind(args.port).await?;
    if let (Some(first), Some(last)) = (busy.first(), busy.last()) {
        let ports =
            if first == last { format!("port {first} is") } else { format!("ports {first} to {last} are") };
        console.note(format!("{ports} in use; taking {port}"));
    }
    let site = Arc::new(server::site(hub, port)?);
    let address = format!("http://127.0.0.1:{port}/?token={}", site.token);
    console.say(format!("Serosa is running at {address}"));
    console.say("Press Ctrl-C to end.");
    if !args.no_open {
        open_browser(&address);
    }
    // Pages hold their connections open, so there is no waiting for them to end.
    tokio::select! {
        served = axum::serve(listener, server::routes(site)).into_future() => served.map_err(|e| e.to_string()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

/// Shows an address in the user's browser, where there is one; the address is printed anyway.
fn open_browser(address: &str) {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = std::process::Command::new(program);
    command.args(first).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}
