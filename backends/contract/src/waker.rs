//! Between a completion and the task that awaits it: what makes a [`Ticket`](crate::Ticket) a future, which only the
//! crate that declares it can.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// One future's place in a completion: what the completion wakes, and which task is woken then.
///
/// The completion gets one waker for each future, however often that is polled, by whichever task. A future
/// that is dropped lets go of its task at once, not only when the work has ended. A clone is a future
/// of its own.
#[derive(Default)]
pub(crate) struct Awaited(Option<Arc<Task>>);

impl Awaited {
    /// From now on `waker` is woken, and no earlier one. Returns what the completion has to be given,
    /// unless it has it.
    pub(crate) fn by(&mut self, waker: &Waker) -> Option<Waker> {
        let task = self.0.get_or_insert_default();
        task.set(waker).then(|| Waker::from(Arc::clone(task)))
    }

    /// From now on no task is woken.
    pub(crate) fn clear(&self) {
        if let Some(task) = &self.0 {
            // Outside of the lock, as it may run foreign code.
            let woken = task.state().waker.take();
            drop(woken);
        }
    }
}

impl Clone for Awaited {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.clear();
    }
}

#[derive(Default)]
struct Task(Mutex<State>);

#[derive(Default)]
struct State {
    /// The waker of the task that polled last.
    waker: Option<Waker>,
    /// The completion was given the task and has not woken it since.
    given: bool,
}

impl Task {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the waker; true if the completion has to be given the task.
    fn set(&self, waker: &Waker) -> bool {
        // Cloning and dropping a waker may run foreign code: not under the lock.
        let known = self.state().waker.as_ref().is_some_and(|known| known.will_wake(waker));
        let waker = (!known).then(|| waker.clone());
        let mut state = self.state();
        let replaced = waker.and_then(|waker| state.waker.replace(waker));
        let given = std::mem::replace(&mut state.given, true);
        drop(state);
        drop(replaced);
        !given
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.state();
        state.given = false;
        let waker = state.waker.take();
        drop(state);
        // Foreign code, on a thread that others need. The panic's message was printed where it arose.
        let _ = catch_unwind(AssertUnwindSafe(|| waker.map(Waker::wake)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    struct Panics;

    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a waker that a test wrote");
        }
    }

    #[test]
    fn the_last_waker_is_woken_once() {
        let (first, last) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let mut awaited = Awaited::default();
        let given = awaited.by(&Waker::from(Arc::clone(&first))).expect("the completion has nothing yet");
        assert!(awaited.by(&Waker::from(Arc::clone(&last))).is_none(), "it is given the same task twice");
        assert_eq!(Arc::strong_count(&first), 1, "the first waker is kept");
        given.wake_by_ref();
        given.wake_by_ref();
        assert_eq!((first.0.load(Ordering::Relaxed), last.0.load(Ordering::Relaxed)), (0, 1));
        assert!(awaited.by(&Waker::from(last)).is_some(), "after a wake the completion must be given it again");
    }

    #[test]
    fn a_dropped_future_lets_go_of_its_task() {
        let task = Arc::new(Count::default());
        let mut awaited = Awaited::default();
        let given = awaited.by(&Waker::from(Arc::clone(&task)));
        let other = awaited.clone();
        drop(awaited);
        assert_eq!(Arc::strong_count(&task), 1);
        given.expect("what the completion holds").wake();
        assert_eq!(task.0.load(Ordering::Relaxed), 0, "woken for a future that is gone");
        other.clear();
    }

    #[test]
    fn a_waker_that_panics_harms_no_other_task() {
        let given = Awaited::default().by(&Waker::from(Arc::new(Panics)));
        assert!(given.is_some());
        let mut awaited = Awaited::default();
        awaited.by(&Waker::from(Arc::new(Panics))).expect("the completion has nothing yet").wake();
        assert!(awaited.by(Waker::noop()).is_some());
    }
}
