//! What the simulation and the pages share: latest values that nobody waits for, and who drives.

use serosa_io::wire::{Frame, Quantity, SceneInfo, Status, ToPage, ToServer, Wants};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::sync::{Mutex, MutexGuard};
use tokio::sync::{broadcast, watch};

/// The most pages at once.
pub const CLIENTS_MAX: usize = 32;
/// Commands that may wait for the simulation.
pub const COMMANDS_MAX: usize = 256;
/// Notices kept for a page that reads slowly; older ones are lost to it.
const NOTICES_MAX: usize = 32;

/// What the simulation is asked to do.
#[derive(Debug)]
pub enum Command {
    /// What the driver said.
    Said(ToServer),
    /// The driver is gone: let go of what it held.
    Release,
    /// A page wants to see more than the last frame holds.
    Look,
    /// The program ends: finish what is being written.
    Quit,
}

/// An open scene as pages see it; `generation` grows with every scene opened.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Which scene.
    pub generation: u32,
    /// Nothing in the gallery.
    pub scene: Option<Box<SceneInfo>>,
}

/// The meeting place. The simulation writes and never waits; each page reads the latest at its own pace.
pub struct Hub {
    /// What is open.
    pub shown: watch::Sender<Shown>,
    /// The latest frame.
    pub moment: watch::Sender<std::sync::Arc<Frame>>,
    /// What the simulation does.
    pub status: watch::Sender<Status>,
    /// Who is there.
    pub people: watch::Sender<People>,
    /// Things said once to everybody.
    pub notices: broadcast::Sender<ToPage>,
    commands: SyncSender<Command>,
    seats: Mutex<Seats>,
    /// What any page wants, by bits: pairs, then values in the order of [`Quantity::ALL`]. The simulation asks for every
    /// frame, and does not wait for the seats.
    wanted: AtomicU32,
}

/// Who is connected and who drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct People {
    /// The driver.
    pub driver: Option<u32>,
    /// How many pages.
    pub clients: u32,
}

#[derive(Debug, Default)]
struct Seats {
    taken: BTreeSet<u32>,
    driver: Option<u32>,
    last: u32,
    /// What pages want beyond what all get.
    wants: BTreeMap<u32, Wants>,
}

impl Hub {
    /// An empty hub whose commands go to `commands`.
    pub fn new(commands: SyncSender<Command>) -> Self {
        Self {
            shown: watch::Sender::default(),
            moment: watch::Sender::default(),
            status: watch::Sender::default(),
            people: watch::Sender::default(),
            notices: broadcast::Sender::new(NOTICES_MAX),
            commands,
            seats: Mutex::default(),
            wanted: AtomicU32::default(),
        }
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        // Nothing panics while it holds the lock; if something did, the seats are still sound.
        self.seats.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Whether there is no room for another page.
    pub fn is_full(&self) -> bool {
        self.seats().taken.len() >= CLIENTS_MAX
    }

    /// A page arrives; the first one drives. None when the house is full.
    pub fn enter(&self) -> Option<u32> {
        let mut seats = self.seats();
        if seats.taken.len() >= CLIENTS_MAX {
            return None;
        }
        seats.last += 1;
        let me = seats.last;
        seats.taken.insert(me);
        seats.driver.get_or_insert(me);
        self.tell(&seats);
        Some(me)
    }

    /// A page leaves. What a driver held is let go, and the page that has been there longest drives.
    pub fn leave(&self, me: u32) {
        let mut seats = self.seats();
        seats.taken.remove(&me);
        self.want(&mut seats, me, Wants::default());
        if seats.driver == Some(me) {
            seats.driver = seats.taken.first().copied();
            let _ = self.commands.try_send(Command::Release);
        }
        self.tell(&seats);
    }

    /// Whether any page wants the pairs that the detector follows.
    pub fn any_wants_pairs(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) & 1 != 0
    }

    /// The values that any page wants.
    pub fn wanted_values(&self) -> impl Iterator<Item = Quantity> {
        let wanted = self.wanted.load(Ordering::Relaxed);
        (1..).zip(Quantity::ALL).filter(move |(bit, _)| wanted >> bit & 1 != 0).map(|(_, quantity)| quantity)
    }

    /// What a page wants.
    pub fn wants(&self, me: u32) -> Wants {
        match self.wanted.load(Ordering::Relaxed) {
            0 => Wants::default(),
            _ => self.seats().wants.get(&me).copied().unwrap_or_default(),
        }
    }

    /// A page asks for more, or no longer. A frame is made for it at once, also where time stands still; should the
    /// queue be full, it gets the next one.
    fn want(&self, seats: &mut Seats, me: u32, wants: Wants) {
        let before = seats.wants.remove(&me).unwrap_or_default();
        if wants != Wants::default() {
            seats.wants.insert(me, wants);
        }
        let bit = |q: Quantity| Quantity::ALL.iter().position(|all| *all == q).map_or(0, |at| 2 << at);
        let bits = |w: &Wants| u32::from(w.pairs) | w.values.map_or(0, bit);
        self.wanted.store(seats.wants.values().fold(0, |all, w| all | bits(w)), Ordering::Relaxed);
        if bits(&wants) & !bits(&before) != 0 {
            let _ = self.commands.try_send(Command::Look);
        }
    }

    /// A page says something. Only the driver is obeyed; anyone may take over, or ask to see more.
    pub fn say(&self, me: u32, message: ToServer) {
        let mut seats = self.seats();
        let now = seats.wants.get(&me).copied().unwrap_or_default();
        match message {
            ToServer::Pairs { show } => return self.want(&mut seats, me, Wants { pairs: show, ..now }),
            ToServer::Values { of } => return self.want(&mut seats, me, Wants { values: of, ..now }),
            _ => {}
        }
        if message == ToServer::Drive {
            if seats.driver != Some(me) {
                seats.driver = Some(me);
                let _ = self.commands.try_send(Command::Release);
                self.tell(&seats);
                self.notice("info", "Another page has taken over.");
            }
            return;
        }
        if seats.driver != Some(me) {
            return;
        }
        drop(seats);
        if let Err(TrySendError::Full(_)) = self.commands.try_send(Command::Said(message)) {
            self.notice("warning", "The simulation is too busy to hear everything you do.");
        }
    }

    /// Says something once to every page.
    pub fn notice(&self, level: &str, text: impl Into<String>) {
        let _ = self.notices.send(ToPage::Notice { level: level.into(), text: text.into() });
    }

    fn tell(&self, seats: &Seats) {
        self.people.send_replace(People { driver: seats.driver, clients: seats.taken.len() as u32 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    #[test]
    fn one_drives_and_hands_over() {
        let (send, receive) = sync_channel(COMMANDS_MAX);
        let hub = Hub::new(send);
        let (a, b) = (hub.enter().unwrap(), hub.enter().unwrap());
        assert_eq!(*hub.people.borrow(), People { driver: Some(a), clients: 2 });
        hub.say(b, ToServer::Play);
        assert!(receive.try_recv().is_err(), "a watcher is not obeyed");
        hub.say(a, ToServer::Play);
        assert!(matches!(receive.try_recv(), Ok(Command::Said(ToServer::Play))));
        hub.say(b, ToServer::Drive);
        assert_eq!(hub.people.borrow().driver, Some(b));
        assert!(matches!(receive.try_recv(), Ok(Command::Release)), "what the first held is let go");
        hub.leave(b);
        assert_eq!(*hub.people.borrow(), People { driver: Some(a), clients: 1 });
        assert!(matches!(receive.try_recv(), Ok(Command::Release)));
        hub.leave(a);
        assert_eq!(hub.people.borrow().driver, None);
    }

    #[test]
    fn anyone_may_ask_for_pairs_and_whoever_leaves_asks_no_more() {
        let (send, receive) = sync_channel(COMMANDS_MAX);
        let hub = Hub::new(send);
        let (driver, watcher) = (hub.enter().unwrap(), hub.enter().unwrap());
        assert!(!hub.any_wants_pairs());
        (0..10).for_each(|_| hub.say(watcher, ToServer::Pairs { show: true }));
        assert!(hub.any_wants_pairs() && hub.wants(watcher).pairs && !hub.wants(driver).pairs);
        let asked: Vec<Command> = receive.try_iter().collect();
        assert!(matches!(asked[..], [Command::Look]), "once, however often it is said: {asked:?}");
        hub.say(driver, ToServer::Pairs { show: true });
        hub.say(driver, ToServer::Pairs { show: false });
        assert!(hub.any_wants_pairs() && !hub.wants(driver).pairs);
        hub.leave(watcher);
        assert!(!hub.any_wants_pairs());
    }

    #[test]
    fn every_page_gets_the_values_that_it_asked_for() {
        let (send, receive) = sync_channel(COMMANDS_MAX);
        let hub = Hub::new(send);
        let (driver, watcher) = (hub.enter().unwrap(), hub.enter().unwrap());
        let all = || hub.wanted_values().collect::<Vec<Quantity>>();
        assert_eq!(all(), []);
        hub.say(watcher, ToServer::Values { of: Some(Quantity::Energy) });
        hub.say(driver, ToServer::Values { of: Some(Quantity::Area) });
        hub.say(driver, ToServer::Pairs { show: true });
        assert_eq!(all(), [Quantity::Area, Quantity::Energy]);
        assert_eq!(hub.wants(watcher), Wants { pairs: false, values: Some(Quantity::Energy) });
        assert_eq!(hub.wants(driver), Wants { pairs: true, values: Some(Quantity::Area) });
        assert_eq!(receive.try_iter().count(), 3, "a frame for each");
        hub.say(driver, ToServer::Values { of: Some(Quantity::Xy) });
        hub.leave(watcher);
        assert_eq!(all(), [Quantity::Xy]);
        hub.say(driver, ToServer::Values { of: None });
        assert!(all().is_empty() && hub.any_wants_pairs());
    }

    #[test]
    fn the_house_has_an_end_and_so_has_the_queue() {
        let (send, receive) = sync_channel(2);
        let hub = Hub::new(send);
        let all: Vec<u32> = (0..CLIENTS_MAX).map(|_| hub.enter().unwrap()).collect();
        assert!(hub.is_full());
        assert_eq!(hub.enter(), None);
        (0..10).for_each(|_| hub.say(all[0], ToServer::Step));
        assert_eq!(receive.try_iter().count(), 2);
    }
}
