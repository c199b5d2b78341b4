//! An allocator that counts, so that a test can say that a warm step allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};

struct Counting;

static COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);
/// Tests run side by side; only one may count at a time, and only threads that opted in are counted.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    static MINE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

// SAFETY: every call is handed to the system allocator unchanged; counting touches only atomics and a
// thread-local flag without a destructor.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn note() {
    if COUNTING.load(SeqCst) && MINE.try_with(std::cell::Cell::get).unwrap_or(false) {
        COUNT.fetch_add(1, SeqCst);
    }
}

/// Allocations made while `work` runs on this thread and on the threads of `pool`.
pub fn allocations(pool: &rayon::ThreadPool, work: impl FnOnce() + Send) -> u64 {
    let _turn: MutexGuard<()> = TURN.lock().unwrap_or_else(|e| e.into_inner());
    pool.broadcast(|_| MINE.set(true));
    let mut counted = 0;
    pool.install(|| {
        COUNT.store(0, SeqCst);
        COUNTING.store(true, SeqCst);
        work();
        COUNTING.store(false, SeqCst);
        counted = COUNT.load(SeqCst);
    });
    pool.broadcast(|_| MINE.set(false));
    counted
}

#[test]
fn the_counter_counts() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    assert_eq!(allocations(&pool, || ()), 0);
    assert!(allocations(&pool, || drop(std::hint::black_box(vec![1u8; 100]))) >= 1);
}
