//! One input in flight, polled only after it was woken.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Whoever polled the pipeline last.
#[derive(Default)]
pub(super) struct Task(Mutex<Option<Waker>>);

impl Task {
    pub(super) fn set(&self, waker: &Waker) {
        // Wakers are foreign code: cloned and dropped outside of the lock.
        let waker = waker.clone();
        let replaced = self.0.lock().unwrap_or_else(PoisonError::into_inner).replace(waker);
        drop(replaced);
    }

    fn wake(&self) {
        let waker = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Whether an item has to be polled.
pub(super) struct Due {
    now: AtomicBool,
    task: Arc<Task>,
}

impl Wake for Due {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.now.store(true, Ordering::Release);
        self.task.wake();
    }
}

/// The work for one input.
pub(super) enum Item<W, R, E> {
    Running { work: Pin<Box<W>>, due: Arc<Due>, waker: Waker },
    Over(Result<R, E>),
}

impl<W, R, E> Item<W, R, E> {
    pub(super) fn new(work: Result<W, E>, task: &Arc<Task>) -> Self {
        let work = match work {
            Ok(work) => Box::pin(work),
            Err(error) => return Self::Over(Err(error)),
        };
        let due = Arc::new(Due { now: AtomicBool::new(true), task: Arc::clone(task) });
        Self::Running { work, waker: Waker::from(Arc::clone(&due)), due }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Over(_))
    }

    /// The result of an item that is over.
    pub(super) fn into_result(self) -> Option<Result<R, E>> {
        match self {
            Self::Over(result) => Some(result),
            Self::Running { .. } => None,
        }
    }

    /// Polls the work, if it is due.
    pub(super) fn advance<V>(&mut self)
    where
        W: Future<Output = Result<R, V>>,
        E: From<V>,
    {
        if let Self::Running { work, due, waker } = self
            && due.now.swap(false, Ordering::AcqRel)
            && let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(waker))
        {
            *self = Self::Over(result.map_err(E::from));
        }
    }
}
