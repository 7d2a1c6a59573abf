//! The clocks of measurements.

use std::time::Instant;

/// The kind of time that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The time that passes.
    Wall,
    /// The time for which processors execute threads of this process.
    Processor,
}

/// A start on one of the clocks.
pub(crate) enum Start {
    Wall(Instant),
    Processor(f64),
}

impl Clock {
    pub(crate) fn start(self) -> Start {
        match self {
            Self::Wall => Start::Wall(Instant::now()),
            Self::Processor => Start::Processor(processor_seconds()),
        }
    }
}

impl Start {
    /// The seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        match self {
            Self::Wall(start) => start.elapsed().as_secs_f64(),
            Self::Processor(start) => processor_seconds() - start,
        }
    }
}

/// The processor time of all threads of this process so far.
#[cfg(target_os = "linux")]
fn processor_seconds() -> f64 {
    #[repr(C)]
    struct Time {
        seconds: std::ffi::c_long,
        nanoseconds: std::ffi::c_long,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: std::ffi::c_int, time: *mut Time) -> std::ffi::c_int;
    }
    const PROCESS: std::ffi::c_int = 2;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the C library, which the standard library links, has this function; it writes one `Time`.
    unsafe { clock_gettime(PROCESS, &raw mut time) };
    time.seconds as f64 + time.nanoseconds as f64 * 1e-9
}

/// Elsewhere this is the time that passes.
#[cfg(not(target_os = "linux"))]
fn processor_seconds() -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
