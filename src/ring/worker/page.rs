//! A loop as a task of the page, with the page's timers.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use js_sys::wasm_bindgen::{JsCast, JsValue};
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::super::clock::Instant;
use super::super::core::Core;
use super::super::error::RingError;

/// The task of a loop, to be woken.
#[derive(Default)]
pub(in super::super) struct Sleeper {
    woken: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Sleeper {
    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in super::super) fn wake(&self) {
        self.woken.store(true, Ordering::Release);
        let waker = self.waker().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The pauses of a loop. A timer whose pause ended early is used again by later pauses: a page has no cheap way of
/// taking one back.
pub(in super::super) struct Alarm(Option<(Instant, JsFuture)>);

impl Alarm {
    pub(in super::super) fn new() -> Self {
        Self(None)
    }

    /// Sleeps for this time, or less, or until the loop is woken.
    pub(in super::super) async fn sleep(&mut self, sleeper: &Sleeper, time: Duration) {
        let until = Instant::now() + time;
        if self.0.as_ref().is_none_or(|(end, _)| *end > until) {
            self.0 = timer(time).map(|timer| (until, timer));
        }
        poll_fn(|context| {
            if sleeper.woken.swap(false, Ordering::AcqRel) {
                return Poll::Ready(());
            }
            *sleeper.waker() = Some(context.waker().clone());
            let Some((_, timer)) = &mut self.0 else { return Poll::Pending };
            if Pin::new(timer).poll(context).is_pending() {
                return Poll::Pending;
            }
            self.0 = None;
            Poll::Ready(())
        })
        .await;
    }
}

/// The function of the page, or of the worker, that starts timers.
fn set_timeout() -> Option<Function> {
    Reflect::get(&js_sys::global(), &"setTimeout".into()).ok()?.dyn_into().ok()
}

/// A future that ends after this time; `None` without timers.
fn timer(time: Duration) -> Option<JsFuture> {
    let set_timeout = set_timeout()?;
    let milliseconds = JsValue::from_f64((time.as_secs_f64() * 1000.0).ceil().min(f64::from(i32::MAX)));
    let mut started = false;
    let over = Promise::new(&mut |resolve, _| {
        started = set_timeout.call2(&JsValue::UNDEFINED, &resolve, &milliseconds).is_ok();
    });
    started.then(|| JsFuture::from(over))
}

/// A running loop.
pub(in super::super) struct Worker;

impl Worker {
    /// The task ends by itself.
    pub(in super::super) fn join(self) {}
}

/// Starts a loop.
pub(in super::super) fn spawn<F: Future<Output = ()> + 'static>(
    _name: &str,
    core: &Arc<Core>,
    _sleeper: impl FnOnce(&Core) -> &Sleeper,
    run: impl FnOnce(Arc<Core>) -> F + 'static,
) -> Result<Worker, RingError> {
    if set_timeout().is_none() {
        return Err(RingError::Thread {
            message: "there is no `setTimeout`, which a ring needs in a browser".to_owned(),
        });
    }
    spawn_local(run(Arc::clone(core)));
    Ok(Worker)
}

/// Runs a future to its end, after this has returned.
pub(in super::super) fn completes(future: impl Future<Output = ()> + 'static) {
    spawn_local(future);
}
