//! Calls in the form in which a case waits: its thread blocks, or its task is suspended. In a browser, only the latter is
//! possible.

use std::cell::Cell;
use std::future::{Future, ready};
use std::time::Duration;

use anywarp::Element;
use anywarp::ring::{
    Actor, Ask, AskBytes, AskError, Emission, Report, Ring, RingError, SendAllError, SendError, Subscription,
};
use anywarp_testing_devices::outcome::TestResult;
use futures::future::Either;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use std::time::Instant;
#[cfg(target_arch = "wasm32")]
pub(crate) use web_time::Instant;

thread_local! {
    static BLOCKS: Cell<bool> = const { Cell::new(cfg!(not(target_arch = "wasm32"))) };
}

/// Whether calls of this thread block.
pub(crate) fn blocks() -> bool {
    BLOCKS.get()
}

/// Has the calls of this thread block, or not.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn set_blocks(blocks: bool) {
    BLOCKS.set(blocks);
}

/// Waits for a time.
pub(crate) async fn sleep_here(time: Duration) {
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::sleep(time);
    #[cfg(target_arch = "wasm32")]
    crate::browser::sleep(time).await;
}

/// A reply that can be waited for.
pub(crate) trait WaitHere<R> {
    fn wait_here(self) -> impl Future<Output = Result<R, AskError>>;
}

impl<R: Element> WaitHere<R> for Ask<R> {
    async fn wait_here(self) -> Result<R, AskError> {
        if blocks() { self.wait() } else { self.await }
    }
}

impl WaitHere<Vec<u8>> for AskBytes {
    async fn wait_here(self) -> Result<Vec<u8>, AskError> {
        if blocks() { self.wait() } else { self.await }
    }
}

/// The steps of a ring's life, and states.
pub(crate) trait RingHere: Sized {
    fn pause_here(&self) -> impl Future<Output = Result<(), RingError>>;
    fn resume_here(&self) -> impl Future<Output = Result<(), RingError>>;
    fn drain_here(&self, timeout: Duration) -> impl Future<Output = Result<(), RingError>>;
    fn shutdown_here(self, timeout: Duration) -> impl Future<Output = Result<Report, RingError>>;
    #[track_caller]
    fn replace_here(&self, wgsl: &str) -> impl Future<Output = Result<(), RingError>>;
    fn state_here<S: Element>(&self, actor: u32) -> impl Future<Output = Result<S, AskError>>;
    fn set_state_here<S: Element>(&self, actor: u32, state: &S) -> impl Future<Output = Result<(), AskError>>;
}

impl RingHere for Ring {
    async fn pause_here(&self) -> Result<(), RingError> {
        if blocks() { self.pause() } else { self.pause_async().await }
    }

    async fn resume_here(&self) -> Result<(), RingError> {
        if blocks() { self.resume() } else { self.resume_async().await }
    }

    async fn drain_here(&self, timeout: Duration) -> Result<(), RingError> {
        if blocks() { self.drain(timeout) } else { self.drain_async(timeout).await }
    }

    async fn shutdown_here(self, timeout: Duration) -> Result<Report, RingError> {
        if blocks() { self.shutdown(timeout) } else { self.shutdown_async(timeout).await }
    }

    #[track_caller]
    fn replace_here(&self, wgsl: &str) -> impl Future<Output = Result<(), RingError>> {
        if blocks() { Either::Left(ready(self.replace(wgsl))) } else { Either::Right(self.replace_async(wgsl)) }
    }

    async fn state_here<S: Element>(&self, actor: u32) -> Result<S, AskError> {
        if blocks() { self.state(actor) } else { self.state_async(actor).await }
    }

    async fn set_state_here<S: Element>(&self, actor: u32, state: &S) -> Result<(), AskError> {
        if blocks() { self.set_state(actor, state) } else { self.set_state_async(actor, state).await }
    }
}

/// The states of the first actors.
pub(crate) async fn states_here<S: Element>(ring: &Ring, actors: u32) -> TestResult<Vec<S>> {
    let mut states = Vec::new();
    for actor in 0..actors {
        states.push(ring.state_here(actor).await?);
    }
    Ok(states)
}

/// Messages that may wait for room.
pub(crate) trait ActorHere {
    fn tell_here<M: Element>(&self, message: &M) -> impl Future<Output = Result<(), SendError>>;
    fn ask_here<M: Element, R: Element>(&self, message: &M) -> impl Future<Output = Result<Ask<R>, SendError>>;
    fn tell_all_here<M: Element>(&self, messages: &[M]) -> impl Future<Output = Result<(), SendAllError>>;
    fn ask_all_here<M: Element, R: Element>(
        &self,
        messages: &[M],
        asks: &mut Vec<Ask<R>>,
    ) -> impl Future<Output = Result<(), SendAllError>>;
}

impl ActorHere for Actor {
    async fn tell_here<M: Element>(&self, message: &M) -> Result<(), SendError> {
        if blocks() { self.tell(message) } else { self.tell_async(message).await }
    }

    async fn ask_here<M: Element, R: Element>(&self, message: &M) -> Result<Ask<R>, SendError> {
        if blocks() { self.ask(message) } else { self.ask_async(message).await }
    }

    async fn tell_all_here<M: Element>(&self, messages: &[M]) -> Result<(), SendAllError> {
        if blocks() { self.tell_all(messages) } else { self.tell_all_async(messages).await }
    }

    async fn ask_all_here<M: Element, R: Element>(
        &self,
        messages: &[M],
        asks: &mut Vec<Ask<R>>,
    ) -> Result<(), SendAllError> {
        if blocks() { self.ask_all(messages, asks) } else { self.ask_all_async(messages, asks).await }
    }
}

/// Messages that actors emit.
pub(crate) trait RecvHere<M> {
    fn recv_here(&self, timeout: Duration) -> impl Future<Output = Option<Emission<M>>>;
}

impl<M: Element> RecvHere<M> for Subscription<M> {
    async fn recv_here(&self, timeout: Duration) -> Option<Emission<M>> {
        #[cfg(not(target_arch = "wasm32"))]
        if blocks() {
            return self.recv(timeout);
        }
        let start = Instant::now();
        loop {
            let next = self.try_recv();
            if next.is_some() || start.elapsed() >= timeout {
                return next;
            }
            sleep_here(Duration::from_millis(1)).await;
        }
    }
}
