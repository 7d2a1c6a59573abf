//! The waker between a completion and the task that awaits it, which makes [`Ticket`](crate::Ticket) a future.

mod task;

use std::sync::Arc;
use std::task::Waker;

use task::Task;

/// The types with which `task` synchronises threads. `tests/models.rs` replaces them by those of `loom`.
mod sync {
    pub(super) use std::sync::{Mutex, MutexGuard, PoisonError};
}

/// The waker that one future gives to a completion, and the task that is woken through it.
///
/// The completion receives one waker per future, however often and by whichever task the future is polled. A dropped
/// future releases its task immediately, not only when the work ends. A clone starts without a task, as it belongs to
/// another future.
#[derive(Default)]
pub(crate) struct Awaited(Option<Arc<Task>>);

impl Awaited {
    /// Makes `waker` the only waker that the completion wakes. Returns the waker to pass to the completion, unless the
    /// completion already has it.
    pub(crate) fn by(&mut self, waker: &Waker) -> Option<Waker> {
        let task = self.0.get_or_insert_default();
        task.set(waker).then(|| Waker::from(Arc::clone(task)))
    }

    /// Stops waking any task.
    pub(crate) fn clear(&self) {
        if let Some(task) = &self.0 {
            task.clear();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

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
        let given = awaited.by(&Waker::from(Arc::clone(&first))).expect("the completion has no waker yet");
        assert!(awaited.by(&Waker::from(Arc::clone(&last))).is_none(), "the completion receives the same task twice");
        assert_eq!(Arc::strong_count(&first), 1, "the first waker is kept");
        given.wake_by_ref();
        given.wake_by_ref();
        assert_eq!((first.0.load(Ordering::Relaxed), last.0.load(Ordering::Relaxed)), (0, 1));
        assert!(awaited.by(&Waker::from(last)).is_some(), "after a wake the completion must receive the task again");
    }

    #[test]
    fn a_dropped_future_lets_go_of_its_task() {
        let task = Arc::new(Count::default());
        let mut awaited = Awaited::default();
        let given = awaited.by(&Waker::from(Arc::clone(&task)));
        let other = awaited.clone();
        drop(awaited);
        assert_eq!(Arc::strong_count(&task), 1);
        given.expect("the completion's waker").wake();
        assert_eq!(task.0.load(Ordering::Relaxed), 0, "woken for a future that is gone");
        other.clear();
    }

    #[test]
    fn a_waker_that_panics_harms_no_other_task() {
        let given = Awaited::default().by(&Waker::from(Arc::new(Panics)));
        assert!(given.is_some());
        let mut awaited = Awaited::default();
        awaited.by(&Waker::from(Arc::new(Panics))).expect("the completion has no waker yet").wake();
        assert!(awaited.by(Waker::noop()).is_some());
    }
}
