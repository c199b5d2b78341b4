//! Clocks of a thread and of all of them.

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

/// CPU time of all threads of this process \[s\], where the system tells it.
#[cfg(unix)]
pub fn process_cpu_s() -> Option<f64> {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64)
}

/// CPU time of all threads of this process \[s\], where the system tells it.
#[cfg(not(unix))]
pub fn process_cpu_s() -> Option<f64> {
    None
}
