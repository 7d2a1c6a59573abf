//! Pipelines for those who may block.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures_core::Stream;

use super::Pipeline;
use super::inputs::Inputs;

/// The results of a [`Pipeline`], each of which is waited for.
#[derive(Debug)]
pub struct PipelineIter<P>(P);

impl<I, F, W, R, V, E> IntoIterator for Pipeline<I, F, W, R, E>
where
    I: Inputs,
    F: FnMut(I::Item) -> Result<W, E>,
    W: Future<Output = Result<R, V>>,
    E: From<V>,
{
    type Item = Result<R, E>;
    type IntoIter = PipelineIter<Self>;

    fn into_iter(self) -> PipelineIter<Self> {
        PipelineIter(self)
    }
}

impl<P: Stream + Unpin> Iterator for PipelineIter<P> {
    type Item = P::Item;

    fn next(&mut self) -> Option<P::Item> {
        let sleeper = Arc::new(Sleeper { woken: AtomicBool::new(false), thread: thread::current() });
        let waker = Waker::from(Arc::clone(&sleeper));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(result) = Pin::new(&mut self.0).poll_next(&mut context) {
                return result;
            }
            // Others may use up the thread's token while the pipeline is polled, so there is a flag, too.
            while !sleeper.woken.swap(false, Ordering::Acquire) {
                thread::park();
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// A thread that waits.
struct Sleeper {
    woken: AtomicBool,
    thread: Thread,
}

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
