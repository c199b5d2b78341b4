//! An allocator that knows how much a thread holds, so that a test can say how much a file costs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Watching;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn note(change: isize) {
    // A thread that is going away has no such cells any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

// SAFETY: every call is handed to the system allocator unchanged; what is noted lies in cells without destructors.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // It may have to be moved, and then both are held.
        note(size as isize);
        note(-(layout.size() as isize));
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// What `work` gives, and the most bytes that it held at a time, its result included.
pub fn most<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let result = work();
    (result, (MOST.get() - before).max(0) as usize)
}

#[test]
fn the_most_is_seen() {
    let (_, bytes) = most(|| {
        drop(std::hint::black_box(vec![1u8; 1_000_000]));
        std::hint::black_box(vec![1u8; 10])
    });
    assert!((1_000_000..1_001_000).contains(&bytes), "{bytes}");
}
