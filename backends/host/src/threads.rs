//! Work spread over the processor's cores, where that is faster.
//!
//! Work is a number of units, which free threads process in ranges. The calling thread processes and times the first
//! units; other threads, the helpers, are called only if the remaining work would take long on one thread. The helpers
//! belong to one pool for the whole process. A helper that starts too late finds the work closed and does nothing, so
//! that the caller never waits for a thread to wake up. Kernels on the processor and large copies use this module.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use anywarp_backend::BackendError;

use crate::guarded;

mod door;
mod ranges;

use door::Door;
use ranges::Ranges;

/// The types with which `door` and `ranges` synchronise threads. `tests/models.rs` replaces them by those of `loom`.
mod sync {
    pub(super) use std::sync::atomic;
    pub(super) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
}

/// Nanoseconds of remaining work above which other threads are called: waking a thread takes 5 to 50 us.
const WORTH_CALLING: f64 = 80_000.0;
/// Nanoseconds up to which the time of the first unit may be due to cold caches, so that a second unit is timed.
const COLD: f64 = 200_000.0;
/// Nanoseconds of remaining work for each helper that is called.
const SHARE: f64 = 30_000.0;
/// The longest time of one range in nanoseconds: it limits how late a thread notices that another thread has failed.
const LONGEST: f64 = 50_000.0;
/// Nanoseconds below which taking a range costs a noticeable part of processing it.
const SHORTEST: f64 = 2_000.0;

/// A function that processes a range of units.
pub type Work<'a> = dyn Fn(Range<u64>) -> Result<(), BackendError> + Sync + 'a;

/// The number of threads that can work at a time: the caller's thread and the helpers.
#[must_use]
pub fn count() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The pool of helpers, one fewer than [`count`]; `None` where work stays on the calling thread.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let named = |index| format!("anywarp-{index}");
        let built = ThreadPoolBuilder::new().num_threads(count() - 1).thread_name(named).build();
        built.inspect_err(|error| log::warn!("work stays on one thread: {error}")).ok()
    };
    // Without another core rayon would still start threads: it takes 0 as a request for its default.
    POOL.get_or_init(|| if count() > 1 { build() } else { None }).as_ref()
}

/// Processes units `0..units`. `expected` is the time of one unit in nanoseconds, if known; returns the measured time
/// of one unit on one thread, in nanoseconds.
///
/// # Errors
/// The first error of `work`; the other threads then stop after their current ranges.
pub fn spread(units: u64, expected: Option<f64>, work: &Work<'_>) -> Result<f64, BackendError> {
    spread_over(count(), units, expected, work)
}

/// [`spread`] over at most `threads` threads, the caller's included; more than [`count`] are as many as that.
///
/// # Errors
/// As [`spread`].
pub fn spread_over(threads: usize, units: u64, expected: Option<f64>, work: &Work<'_>) -> Result<f64, BackendError> {
    let (mut done, mut cost) = (0, expected);
    while done < units {
        let left = units - done;
        // The first unit also pays for cold caches: unless it took long, a second one is timed.
        let known = |cost: &f64| expected.is_some() || done > 1 || *cost > COLD;
        if let Some(cost) = cost.filter(|cost| left > 1 && left as f64 * cost > WORTH_CALLING && known(cost))
            && threads > 1
            && let Some(pool) = pool()
        {
            return shared(pool, threads, done..units, cost, work);
        }
        let range = cost.map_or(1, |cost| fitting(LONGEST, cost)).min(left);
        let start = Instant::now();
        work(done..done + range)?;
        cost = Some(start.elapsed().as_nanos() as f64 / range as f64);
        done += range;
    }
    Ok(cost.unwrap_or(0.0))
}

/// Copies `source` to `target`, whose lengths must be equal, in pieces of `length` bytes. `way` copies one piece, in
/// about `cost` nanoseconds.
pub fn copy_pieces(
    source: &[u8],
    target: &mut [u8],
    length: usize,
    cost: f64,
    way: &(dyn Fn(&[u8], &mut [u8]) + Sync),
) {
    // Each piece is copied by one thread only, so no lock is contended.
    let pieces: Vec<_> = source.chunks(length).zip(target.chunks_mut(length)).map(Mutex::new).collect();
    let done = spread(pieces.len() as u64, Some(cost), &|range| {
        for piece in &pieces[range.start as usize..range.end as usize] {
            let (source, target) = &mut *piece.lock().unwrap_or_else(PoisonError::into_inner);
            way(source, target);
        }
        Ok(())
    });
    debug_assert!(done.is_ok(), "copies cannot fail");
}

/// The number of units that take `nanoseconds` if each takes `cost` nanoseconds, at least one.
fn fitting(nanoseconds: f64, cost: f64) -> u64 {
    (nanoseconds / cost.max(0.001)) as u64 + 1
}

/// Work that several threads share.
struct Shared {
    ranges: Ranges,
    door: Door,
    /// Nanoseconds per unit, as measured or expected when the helpers were called.
    cost: f64,
    /// Nanoseconds of work, summed over all threads, from which the time of one unit is computed.
    nanoseconds: AtomicU64,
    error: Mutex<Option<BackendError>>,
    /// The function that processes a range. The pointer is valid until the door is closed and no thread is inside.
    work: *const Work<'static>,
}

// SAFETY: `work` is a `Sync` function, called only between `enter` and `leave`.
unsafe impl Send for Shared {}
// SAFETY: as for `Send`.
unsafe impl Sync for Shared {}

fn shared(
    pool: &ThreadPool,
    threads: usize,
    units: Range<u64>,
    cost: f64,
    work: &Work<'_>,
) -> Result<f64, BackendError> {
    let left = units.end - units.start;
    let worth = (left as f64 * cost / SHARE) as u64;
    let helpers = worth.min(left - 1).min(threads.min(count()) as u64 - 1).max(1);
    let work = std::ptr::from_ref(work);
    // SAFETY: only the lifetime changes. Helpers call `work` inside the door, and this function returns only after
    // `close` has shut the door and waited for the threads inside; nothing below can unwind before that.
    let work = unsafe { std::mem::transmute::<*const Work<'_>, *const Work<'static>>(work) };
    let shared = Arc::new(Shared {
        ranges: Ranges::new(units, helpers + 1),
        door: Door::new(),
        cost,
        nanoseconds: AtomicU64::new(0),
        error: Mutex::new(None),
        work,
    });
    for _ in 0..helpers {
        let shared = Arc::clone(&shared);
        pool.spawn(move || {
            if shared.door.enter() {
                shared.work();
                shared.door.leave();
            }
        });
    }
    shared.work();
    shared.door.close();
    let error = shared.error.lock().unwrap_or_else(PoisonError::into_inner).take();
    error.map_or_else(|| Ok(shared.nanoseconds.load(Ordering::Relaxed) as f64 / left as f64), Err)
}

impl Shared {
    /// Processes ranges until no range is left, or one has failed. Never unwinds.
    fn work(&self) {
        let result = guarded("working on several threads", || {
            let (mut cost, mut then) = (self.cost, Instant::now());
            while let Some(range) = self.ranges.take(fitting(SHORTEST, cost), fitting(LONGEST, cost)) {
                let units = range.end - range.start;
                // SAFETY: `work` is valid, because this thread is inside the door, or is the thread that will close it.
                unsafe { (*self.work)(range) }?;
                let now = Instant::now();
                let took = now.duration_since(then).as_nanos() as u64;
                self.nanoseconds.fetch_add(took, Ordering::Relaxed);
                (cost, then) = (took as f64 / units as f64, now);
            }
            Ok(())
        });
        if let Err(error) = result {
            self.ranges.halt();
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_unit_is_done_once() {
        for units in [0, 1, 2, 7, 1000, 1 << 20] {
            for expected in [None, Some(0.0), Some(1.0), Some(1e4)] {
                let (sum, calls) = (AtomicU64::new(0), AtomicU64::new(0));
                spread(units, expected, &|range| {
                    calls.fetch_add(range.end - range.start, Ordering::Relaxed);
                    sum.fetch_add(range.sum::<u64>(), Ordering::Relaxed);
                    Ok(())
                })
                .unwrap();
                assert_eq!(calls.into_inner(), units);
                assert_eq!(sum.into_inner(), units * units.saturating_sub(1) / 2);
            }
        }
    }

    #[test]
    fn slow_units_reach_other_threads_and_quick_ones_do_not() {
        let seen = Mutex::new(std::collections::HashSet::new());
        let note = |wait: Duration| {
            seen.lock().unwrap().insert(std::thread::current().id());
            std::thread::sleep(wait);
            Ok(())
        };
        spread(3, None, &|_| note(Duration::ZERO)).unwrap();
        assert_eq!(seen.lock().unwrap().len(), 1);
        // Another test may keep the pool busy for a while.
        let start = Instant::now();
        while count() > 1 && seen.lock().unwrap().len() == 1 && start.elapsed() < Duration::from_secs(20) {
            spread(50, None, &|_| note(Duration::from_millis(2))).unwrap();
        }
        assert!(count() == 1 || seen.lock().unwrap().len() > 1);
    }

    #[test]
    fn one_thread_is_that_of_the_caller() {
        let caller = std::thread::current().id();
        spread_over(1, 50, Some(1e6), &|_| {
            assert_eq!(std::thread::current().id(), caller);
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn an_error_and_a_panic_end_the_work() {
        let failing = |units: u64, panics: bool| {
            spread(units, Some(1e5), &|range| {
                if range.contains(&5) {
                    assert!(!panics, "unit five");
                    return Err(BackendError::CannotBlock);
                }
                Ok(())
            })
        };
        assert_eq!(failing(1 << 40, false), Err(BackendError::CannotBlock));
        assert_eq!(failing(6, false), Err(BackendError::CannotBlock));
        if count() > 1 {
            assert!(failing(1 << 40, true).unwrap_err().to_string().contains("unit five"));
        }
    }
}
