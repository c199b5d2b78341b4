//! The clock of a thread.

/// CPU time of the calling thread \[ns\], where the system tells it. On a shared machine it says what a step
/// costs, which wall time does not.
#[cfg(unix)]
pub fn thread_cpu_ns() -> Option<u64> {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}

/// CPU time of the calling thread \[ns\], where the system tells it.
#[cfg(not(unix))]
pub fn thread_cpu_ns() -> Option<u64> {
    None
}
