//! A progress bar for work that takes longer than people like to wait.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work that is done sooner than this shows no bar.
const SOON: Duration = Duration::from_secs(2);
const BEAT: Duration = Duration::from_millis(100);

/// A bar on a terminal that appears after two seconds and goes when this is dropped; nothing elsewhere.
pub struct Patience {
    per_mille: Arc<AtomicU32>,
    end: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Patience {
    /// Begins to wait; `what` is shown before the bar.
    pub fn new(what: &str) -> Self {
        let per_mille = Arc::new(AtomicU32::new(0));
        if !std::io::stderr().is_terminal() {
            return Self { per_mille, end: None };
        }
        let (send, receive) = channel();
        let (done, what) = (per_mille.clone(), what.to_owned());
        let thread = std::thread::spawn(move || {
            if receive.recv_timeout(SOON) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new(1000).with_message(what);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {elapsed}");
            let bar = style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style));
            while receive.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(u64::from(done.load(Ordering::Relaxed)));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { per_mille, end: Some((send, thread)) }
    }

    /// How much is done, from 0 to 1.
    pub fn tell(&self, part: f64) {
        self.per_mille.store((part * 1000.0) as u32, Ordering::Relaxed);
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        if let Some((send, thread)) = self.end.take() {
            drop(send);
            let _ = thread.join();
        }
    }
}
