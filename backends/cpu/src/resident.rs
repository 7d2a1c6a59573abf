//! Resident dispatches: threads of their own that repeat their workgroups until the host stops them.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anywarp_backend::BackendError;
use anywarp_host::{Failure, guarded};

use crate::execute::{Dispatch, Outcome};
use crate::memory::Memory;
use crate::record::{Grid, Resolved, Step};
use crate::submit::Submission;

/// The time for which a thread without news polls at full speed.
const SPIN: Duration = Duration::from_micros(50);
/// The time after which it sleeps between polls.
const YIELD: Duration = Duration::from_millis(1);
/// The longest such sleep.
const SLEEP: Duration = Duration::from_millis(1);
/// The number of polls between two looks at the clock.
const LOOKS: u32 = 32;

/// The control words of a resident dispatch; see [`Recording::resident`](anywarp_backend::Recording::resident).
pub(crate) struct Control {
    memory: Arc<Memory>,
    offset: usize,
}

impl Control {
    /// Returns the words at this offset, which was checked, of exchange memory.
    pub(crate) fn new(memory: Arc<Memory>, offset: u64) -> Self {
        Self { memory, offset: offset as usize }
    }

    fn word(&self, index: usize) -> u32 {
        let at = self.memory.bytes.start().as_ptr().wrapping_add(self.offset + 4 * index);
        // SAFETY: the check of the recording has shown that both words lie within the memory, which `self` keeps alive,
        // at a multiple of 4. Host and kernel access the control words by atomic operations only.
        unsafe { AtomicU32::from_ptr(at.cast()) }.load(Ordering::Acquire)
    }

    fn stops(&self) -> bool {
        self.word(0) != 0
    }

    fn bell(&self) -> u32 {
        self.word(1)
    }
}

/// The state that the threads of one dispatch share.
struct Shared {
    resolved: Box<Resolved>,
    control: Control,
    steps: u64,
    threads: usize,
    submission: Arc<Submission>,
    failure: Mutex<Option<Arc<Failure>>>,
    /// Whether all threads shall end, because one of them failed.
    over: AtomicBool,
    /// The number of threads that have not ended.
    left: AtomicUsize,
}

// SAFETY: threads only read the resolved recording. Its slots point to memory that it keeps alive, and kernels may run
// on any thread.
unsafe impl Sync for Shared {}

/// Starts the threads of a dispatch, which end the submission. There are as many as workgroups, but one core is left to
/// the host.
///
/// # Errors
/// [`BackendError::Rejected`] if the system provides no thread.
pub(crate) fn start(
    resolved: Box<Resolved>,
    control: Control,
    steps: u64,
    submission: &Arc<Submission>,
) -> Result<(), BackendError> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let groups = groups_of(&resolved).iter().map(|count| *count as usize).product::<usize>();
    let threads = groups.min(cores.saturating_sub(1)).max(1);
    let shared = Arc::new(Shared {
        resolved,
        control,
        steps,
        threads,
        submission: Arc::clone(submission),
        failure: Mutex::default(),
        over: AtomicBool::new(false),
        left: AtomicUsize::new(threads),
    });
    for number in 0..threads {
        let thread = thread::Builder::new().name(format!("anywarp-cpu-resident-{number}"));
        let own = Arc::clone(&shared);
        if let Err(error) = thread.spawn(move || own.work(number)) {
            let message = format!("thread {number} of {threads} of a resident kernel could not be started: {error}");
            shared.fails(BackendError::rejected("submitting", message.clone()));
            (number..threads).for_each(|_| shared.ends());
            return Err(BackendError::rejected("submitting", message));
        }
    }
    Ok(())
}

/// The grid of a resident recording, which has one dispatch.
fn groups_of(resolved: &Resolved) -> [u32; 3] {
    match resolved.steps.first() {
        Some(Step::Dispatch { grid: Grid::Groups(groups), .. }) => *groups,
        _ => [0; 3],
    }
}

impl Shared {
    /// The whole life of a thread.
    fn work(&self, number: usize) {
        if let Err(error) = guarded("running a resident kernel", || self.repeat(number)) {
            self.fails(error);
        }
        self.ends();
    }

    /// Repeats the thread's workgroups in turn until the host, or a failure, stops them.
    fn repeat(&self, number: usize) -> Result<(), BackendError> {
        let Some(Step::Dispatch { kernel, grid: Grid::Groups(groups), slots, immediates }) =
            self.resolved.steps.first()
        else {
            return Ok(());
        };
        // SAFETY: there is a valid slot for each binding, and `resolved` keeps slots, memories and values alive.
        let dispatch = unsafe {
            let slots = self.resolved.slots.as_ptr().add(slots.start);
            let kernel = &self.resolved.kernels[*kernel];
            Dispatch::new(kernel, slots, self.resolved.immediates(*immediates), *groups, self.steps)
        };
        let mut pace = Pace::new();
        loop {
            for group in (number as u64..dispatch.count()).step_by(self.threads) {
                if self.control.stops() || self.over.load(Ordering::Relaxed) {
                    return Ok(());
                }
                dispatch.run(group..group + 1)?;
            }
            pace.rest(self.control.bell());
        }
    }

    fn fails(&self, error: BackendError) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| Failure::new(error));
        self.over.store(true, Ordering::Relaxed);
    }

    /// Counts the end of a thread; the last one ends the submission.
    fn ends(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
            self.submission.finish(Outcome { failure, ..Outcome::default() });
        }
    }
}

/// The pauses of a thread between polls: none while the bell rings, longer ones the longer it stays silent.
struct Pace {
    bell: u32,
    looks: u32,
    silent: Option<Instant>,
}

impl Pace {
    fn new() -> Self {
        Self { bell: 0, looks: 0, silent: None }
    }

    fn rest(&mut self, bell: u32) {
        if bell != self.bell {
            *self = Self { bell, looks: 0, silent: None };
            return;
        }
        self.looks += 1;
        if self.looks < LOOKS {
            return std::hint::spin_loop();
        }
        self.looks = 0;
        let silent = self.silent.get_or_insert_with(Instant::now).elapsed();
        if silent < SPIN {
            std::hint::spin_loop();
        } else if silent < YIELD {
            thread::yield_now();
        } else {
            // One poll between two sleeps is enough.
            self.looks = LOOKS;
            thread::sleep((silent / 16).min(SLEEP));
        }
    }
}
