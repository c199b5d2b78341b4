//! The simulating thread of the page: it obeys commands, keeps pace with the clock, and publishes frames.
//! It waits for nobody.

use super::hub::{Command, Hub, Shown};
use super::info::{problem_info, scene_info};
use super::picture::Picture;
use super::replay::Playback;
use super::surfaces::Surfaces;
use crate::cache::Cache;
use crate::scenes::{self, SceneText};
use crate::session::budget::Budget;
use crate::session::{Device, Recorder, Session};
use serosa_io::scene::Loaded;
use serosa_io::wire::{HeldInfo, ReplayInfo, Status, ToPage, ToServer};
use serosa_sim::guard::Hold;
use serosa_sim::model::Body;
use serosa_sim::{BodyId, Control, Hand, Input, Quat, Vec3, World};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_667);
/// Time between frames where nothing changes: enough to show that the program is there.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// The most simulated time that is caught up after a hold-up \[s\]; the rest is let go.
const DEBT_MAX: f64 = 0.05;

/// The simulation behind the page.
pub struct Live {
    hub: Arc<Hub>,
    commands: Receiver<Command>,
    open: Option<Open>,
    playing: bool,
    speed: f64,
    picture: Picture,
    /// Where recordings are written.
    folder: PathBuf,
    recordings: Vec<String>,
    /// Simulated time that should have passed and has not \[s\].
    debt: f64,
    /// When the next frame is due, if anything has changed.
    next_frame: Instant,
    /// Whether anything has changed since the last frame.
    changed: bool,
    /// When the last frame was published.
    published: Instant,
    quit: bool,
}

/// An open scene.
struct Open {
    scene: SceneText,
    loaded: Loaded,
    session: Session,
    playback: Option<Playback>,
    /// Made when a page first asks for values.
    surfaces: Option<Surfaces>,
}

impl Open {
    fn new(scene: SceneText, loaded: Loaded, playback: Option<Playback>) -> Self {
        Self { scene, session: fresh(&loaded), loaded, playback, surfaces: None }
    }

    /// What is seen: the replay, where there is one.
    fn world(&self) -> &World {
        self.playback.as_ref().map_or(&self.session.world, |playback| &playback.world)
    }
}

impl Live {
    /// A simulation that obeys `commands` and tells `hub`. Recordings go to `folder`.
    pub fn new(hub: Arc<Hub>, commands: Receiver<Command>, folder: PathBuf) -> Self {
        Self {
            hub,
            commands,
            open: None,
            playing: false,
            speed: 1.0,
            picture: Picture::default(),
            folder,
            recordings: Vec::new(),
            debt: 0.0,
            next_frame: Instant::now(),
            changed: true,
            published: Instant::now(),
            quit: false,
        }
    }

    /// Opens a scene before the first page asks.
    pub fn open_scene(&mut self, scene: SceneText, loaded: Loaded) {
        self.open = Some(Open::new(scene, loaded, None));
        self.playing = true;
        self.show();
    }

    /// Runs until told to quit.
    pub fn run(&mut self) {
        let mut last = Instant::now();
        while !self.quit {
            let ran = self.running();
            self.listen();
            let now = Instant::now();
            // Time before it was told to run does not count.
            last = if ran { last } else { now };
            if self.running() {
                self.debt = (self.debt + now.duration_since(last).as_secs_f64() * self.speed).min(DEBT_MAX);
                self.catch_up(now);
            } else {
                self.debt = 0.0;
            }
            last = now;
            self.publish_if_due();
        }
        self.stop_recording();
    }

    /// Sixty frames a second while something changes; a scene that stands still is told now and then only.
    fn publish_if_due(&mut self) {
        let now = Instant::now();
        if self.changed && now >= self.next_frame {
            // On the beat where possible; beats missed are let go.
            self.next_frame = (self.next_frame + FRAME).max(now);
            self.publish();
        } else if now >= self.published + HEARTBEAT {
            self.publish();
        }
    }

    fn running(&self) -> bool {
        self.playing && self.open.is_some()
    }

    /// Hears what has been said; waits a little if there is nothing else to do.
    fn listen(&mut self) {
        let dt = self.open.as_ref().map_or(1.0, |o| o.session.world.params.dt_s);
        let idle = match self.running() {
            true if self.debt >= dt => Duration::ZERO,
            true => Duration::from_secs_f64(((dt - self.debt) / self.speed).clamp(0.0, 0.02)),
            false => HEARTBEAT,
        };
        let due = if self.changed { self.next_frame } else { self.published + HEARTBEAT };
        let idle = idle.min(due.saturating_duration_since(Instant::now()));
        match self.commands.recv_timeout(idle) {
            Ok(command) => self.obey(command),
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => self.quit = true,
        }
        while let Ok(command) = self.commands.try_recv() {
            self.obey(command);
        }
        self.tell();
    }

    /// Steps until the debt is paid or it is time for a frame.
    fn catch_up(&mut self, now: Instant) {
        let Some(open) = &mut self.open else { return };
        let dt = open.session.world.params.dt_s;
        while self.debt >= dt && now.elapsed() < FRAME {
            self.debt -= dt;
            self.changed = true;
            if !self.picture.step(open.playback.as_mut(), &mut open.session, &self.hub) {
                self.playing = false;
                self.tell();
                return;
            }
        }
    }

    fn obey(&mut self, command: Command) {
        self.changed = true;
        match command {
            Command::Quit => self.quit = true,
            Command::Release => self.release(),
            // That there is something new to tell is all there is to it.
            Command::Look => {}
            Command::Said(message) => self.hear(message),
        }
    }

    fn hear(&mut self, message: ToServer) {
        match message {
            ToServer::Drive | ToServer::Pairs { .. } | ToServer::Values { .. } => {}
            ToServer::Gallery => self.close(),
            ToServer::Open { scene } => self.open_named(&scene),
            ToServer::OpenText { name, text } => self.open_text(name, text),
            ToServer::Play => self.playing = self.open.is_some(),
            ToServer::Pause => self.playing = false,
            ToServer::Step => self.single_step(),
            ToServer::Reset => self.reset(),
            ToServer::Speed { value } if value.is_finite() => self.speed = value.clamp(0.01, 10.0),
            ToServer::Speed { .. } => {}
            ToServer::Hand { tool, position, rotation, grip } => self.lead(tool, position, rotation, grip),
            ToServer::Control { element, position, rotation, scale, force, torque } => {
                let place = Control::new(position.into(), Quat::from_array(rotation), scale.into());
                self.control(element, place.map(|c| c.loaded(force.into(), torque.into())).ok());
            }
            ToServer::Tune { index, value } => self.tune(index, value),
            ToServer::Release { body } => {
                if let Some(open) = &mut self.open {
                    open.session.give_back(BodyId::from(body));
                }
            }
            ToServer::Record => self.record(),
            ToServer::Stop => self.stop(),
            ToServer::Replay { name } => self.replay(&name),
            ToServer::Seek { time_s } => self.seek(time_s),
        }
    }

    fn close(&mut self) {
        self.stop_recording();
        self.open = None;
        self.playing = false;
        self.show();
    }

    fn open_named(&mut self, name: &str) {
        // From a page only built-in scenes are opened by name: a page may not read files.
        match scenes::BUILT_IN.iter().find(|s| s.name == name) {
            Some(scene) => self.open_text(name.to_owned(), scene.text.to_owned()),
            None => self.hub.notice("warning", format!("There is no built-in scene called \"{name}\".")),
        }
    }

    fn open_text(&mut self, name: String, text: String) {
        let no_files =
            |_: &str| Err("a scene dropped on the page cannot name files; use `serosa view FILE`".into());
        match Cache::of_user().load(&text, &no_files, &mut |_| {}) {
            Ok(loaded) => {
                self.stop_recording();
                self.open_scene(SceneText::new(name, text), loaded);
            }
            Err(problems) => {
                let problems = problems.iter().take(100).map(|p| problem_info(p, &text)).collect();
                let _ = self.hub.notices.send(ToPage::Problems { name, problems });
            }
        }
    }

    fn single_step(&mut self) {
        self.playing = false;
        if let Some(open) = &mut self.open {
            self.picture.step(open.playback.as_mut(), &mut open.session, &self.hub);
        }
    }

    fn reset(&mut self) {
        self.stop_recording();
        let Some(open) = &mut self.open else { return };
        if let Some(playback) = &mut open.playback {
            let _ = playback.seek(0.0);
            return;
        }
        let tunables = open.session.input.tunables.clone();
        open.session = fresh(&open.loaded);
        open.session.input.tunables = tunables;
        self.picture.restart();
    }

    fn lead(&mut self, tool: usize, position: [f64; 3], rotation: [f64; 4], grip: bool) {
        let Some(open) = &mut self.open else { return };
        let pose = Hand::new(Vec3::from_array(position), Quat::from_array(rotation));
        if let (Some(led), Ok(hand)) = (open.session.led.get_mut(tool), pose) {
            *led = Some(hand.gripping(grip));
        }
    }

    fn control(&mut self, element: usize, place: Option<Control>) {
        let Some(open) = &mut self.open else { return };
        if let (Some(moved), Some(_)) = (open.session.moved.get_mut(element), place) {
            *moved = place;
        }
    }

    /// Hands stop where they are and open, and control elements stop where they are: nobody holds them any more.
    fn release(&mut self) {
        let Some(open) = &mut self.open else { return };
        for (moved, control) in open.session.moved.iter_mut().zip(&open.session.world.state.controls) {
            if moved.is_some() {
                *moved = Control::new(control.at.pose.pos, control.at.pose.rot, control.at.scale).ok();
            }
        }
        for (led, lead) in open.session.led.iter_mut().zip(&open.session.world.state.leads) {
            if led.is_some() {
                *led = Hand::new(lead.target.pos, lead.target.rot).ok();
            }
        }
    }

    fn tune(&mut self, index: usize, value: f64) {
        let Some(open) = &mut self.open else { return };
        let range = open.session.world.params.tunables.get(index).map(|t| (t.min, t.max));
        if let (Some((min, max)), true) = (range, value.is_finite()) {
            open.session.input.tunables[index] = value.clamp(min, max);
        }
    }

    fn record(&mut self) {
        self.reset();
        let Some(open) = self.open.as_mut().filter(|o| o.playback.is_none()) else { return };
        let stem: String =
            open.scene.name.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
        let name = (1..).map(|i| format!("{stem}-{i}.mcap")).find(|n| !self.folder.join(n).exists());
        let Some(name) = name else { return };
        let path = self.folder.join(&name);
        let begun = std::fs::create_dir_all(&self.folder)
            .map_err(|e| e.to_string())
            .and_then(|()| begin(&path, open));
        match begun {
            Ok(recorder) => {
                open.session.recorder = Some(recorder);
                self.playing = true;
                self.hub.notice("info", format!("Recording to {}.", path.display()));
            }
            Err(why) => self.hub.notice("warning", format!("Cannot record: {why}")),
        }
    }

    fn stop_recording(&mut self) {
        let Some(recorder) = self.open.as_mut().and_then(|o| o.session.recorder.take()) else { return };
        let name = recorder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        match recorder.finish() {
            Ok((path, size)) => {
                let text = format!("Recorded {} ({:.0} kB).", path.display(), size as f64 / 1e3);
                self.hub.notice("info", text);
                self.recordings.insert(0, name);
                self.recordings.truncate(100);
            }
            Err(e) => self.hub.notice("warning", format!("The recording was cut short: {e}")),
        }
    }

    /// Ends the recording, or leaves the replay.
    fn stop(&mut self) {
        self.stop_recording();
        let Some(playback) = self.open.as_mut().and_then(|o| o.playback.take()) else { return };
        let (name, text, _) = playback.scene();
        self.open_text(name.to_owned(), text.to_owned());
    }

    fn replay(&mut self, name: &str) {
        self.stop_recording();
        // Only names that this page was given: never a path.
        if !self.recordings.iter().any(|r| r == name) {
            return self.hub.notice("warning", format!("There is no recording called \"{name}\"."));
        }
        let bytes = scenes::read_bounded(&self.folder.join(name), 4 << 30);
        match bytes.and_then(|bytes| Playback::open(name, &bytes)) {
            Ok(playback) => self.open_playback(playback),
            Err(why) => self.hub.notice("warning", format!("{name} cannot be replayed: {why}")),
        }
    }

    fn open_playback(&mut self, playback: Playback) {
        let (name, text, files) = playback.scene();
        let read = |path: &str| {
            let found = files.iter().find(|f| f.0 == path).map(|f| f.1.clone());
            found.ok_or("it is not in the recording".to_owned())
        };
        let Ok(loaded) = Cache::of_user().load(text, &read, &mut |_| {}) else { return };
        let scene = SceneText::new(name, text);
        self.open = Some(Open::new(scene, loaded, Some(playback)));
        self.playing = true;
        self.show();
    }

    fn seek(&mut self, time_s: f64) {
        if let Some(playback) = self.open.as_mut().and_then(|o| o.playback.as_mut())
            && let Err(why) = playback.seek(time_s)
        {
            self.hub.notice("warning", why);
        }
        self.publish();
    }

    /// Tells the pages what is open.
    fn show(&mut self) {
        self.picture.generation += 1;
        self.debt = 0.0;
        self.picture.restart();
        let scene = self.open.as_ref().map(|o| Box::new(scene_info(&o.scene.name, &o.loaded)));
        // The scene first: what is told of it afterwards is about it.
        self.hub.shown.send_replace(Shown { generation: self.picture.generation, scene });
        self.publish();
        self.tell();
    }

    /// Tells the pages what runs, if it has changed.
    fn tell(&self) {
        let session = self.open.as_ref().map(|o| &o.session);
        let playback = self.open.as_ref().and_then(|o| o.playback.as_ref());
        let recorder = session.and_then(|s| s.recorder.as_ref());
        let status = Status {
            driver: None,
            clients: 0,
            playing: self.playing,
            speed: self.speed,
            tunables: session.map_or_else(Vec::new, |s| s.input.tunables.clone()),
            recording: recorder.map(|r| r.path().display().to_string()),
            replay: playback.map(|p| ReplayInfo {
                name: p.name.clone(),
                duration_s: p.duration_s(),
                differs_at_s: p.differs_at.map(|t| t as f64 * p.world.params.dt_s),
            }),
            recordings: self.recordings.clone(),
            held: self.open.as_ref().map_or_else(Vec::new, |open| held(open.world())),
            stopped: self.open.as_ref().map_or_else(Vec::new, stopped),
        };
        self.hub.status.send_if_modified(|old| {
            let changed = *old != status;
            *old = status;
            changed
        });
    }

    fn publish(&mut self) {
        (self.changed, self.published) = (false, Instant::now());
        if !self.running() {
            self.picture.stand();
        }
        let Some(open) = &mut self.open else { return };
        let mut frame = match &open.playback {
            Some(playback) => {
                self.picture.frame(&playback.world, playback.time_s(), |i| playback.is_closed(i))
            }
            None => {
                let session = &open.session;
                self.picture.frame(&session.world, session.time_s(), |i| session.is_closed(i))
            }
        };
        if self.hub.any_wants_pairs() {
            frame.pairs = Some(self.picture.pairs(open.world()));
        }
        for quantity in self.hub.wanted_values() {
            let mut surfaces = open.surfaces.take().unwrap_or_else(|| Surfaces::of(&open.loaded));
            frame.values.push(surfaces.read(open.world(), quantity));
            open.surfaces = Some(surfaces);
        }
        self.hub.moment.send_replace(Arc::new(frame));
        self.tell();
    }
}

/// Bodies that ran away not long ago.
fn held(world: &World) -> Vec<HeldInfo> {
    let all = world.model.bodies.iter().zip(&world.state.holds).enumerate();
    let one = |(body, (of, hold)): (usize, (&Body, &Hold))| {
        let (name, why) = (of.name.clone(), hold.why?.words().to_owned());
        Some(HeldInfo { body, name, why, times: hold.times, is_held: hold.is_held(), stuck: hold.stuck })
    };
    all.filter_map(one).collect()
}

/// Why control elements are stopped, a sentence each.
fn stopped(open: &Open) -> Vec<String> {
    let world = open.world();
    let mut all: Vec<String> = world.report.refusals.iter().map(|r| r.standing(&world.model)).collect();
    // A step of several parts may say it several times.
    all.dedup();
    all
}

fn begin(path: &std::path::Path, open: &Open) -> Result<Recorder, String> {
    Recorder::begin(path, &open.scene, &open.loaded, &open.session.world, 0).map_err(
        |failure| match failure {
            crate::Failure::BadInput(why) | crate::Failure::CheckFailed(why) => why,
        },
    )
}

/// A session at the start of a scene, led by the scene's own motion until someone takes hold.
fn fresh(loaded: &Loaded) -> Session {
    let world = loaded.baked.world();
    let input = Input::at_rest(&world);
    let mut session = Session::new(world, Device::of_scene(&loaded.raw, &loaded.baked.model));
    session.input = input;
    session.budget = loaded.raw.world.budget_s.map(|s| Budget::new(s, session.world.params.sweeps));
    session
}
