//! The loop of a ring: it submits or watches the kernel, takes replies and wakes tasks, until the ring has ended.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use anywarp_backend::BackendError;

use super::activity::LOOKS;
use super::clock::Instant;
use super::core::{Core, Stage};
use super::pulse;
use super::worker::Alarm;
use crate::error::Error;

/// The time between two looks at the kernel's counts, in which none of them grows by 2^32.
const COUNTED: Duration = Duration::from_secs(1);

/// Runs until the ring has ended.
pub(super) async fn drive(core: Arc<Core>) {
    let (mut counted, mut looked) = (Instant::now(), Instant::now());
    let mut alarm = Alarm::new();
    loop {
        if counted.elapsed() >= COUNTED {
            counted = Instant::now();
            core.kernel_counts();
        }
        if looked.elapsed() >= pulse::LOOK {
            looked = Instant::now();
            core.residents();
        }
        core.wake_sleepers(false);
        match core.stage() {
            Stage::Stopped | Stage::Failed => {
                // Waiting tasks were completed with errors.
                core.wake_sleepers(true);
                core.serve_futures();
                return;
            }
            Stage::Running | Stage::Paused | Stage::Closing => {}
        }
        match round(&core).await {
            Some(Ok(time)) => {
                let observed = core.context.events.is_observed();
                if observed {
                    core.looks();
                }
                if !time.is_zero() {
                    let time = core.until_next(time);
                    alarm.sleep(&core.driver, if observed { time.min(LOOKS) } else { time }).await;
                }
            }
            Some(Err(error)) => core.recovers(error).await,
            // Without its loop, futures of a ring would wait for ever.
            None => core.fail(BackendError::rejected("running a ring", "the thread of the ring panicked").into()),
        }
    }
}

/// One round; `None` if it panics.
async fn round(core: &Core) -> Option<Result<Duration, Error>> {
    let mut round = pin!(core.engine.round(core));
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| round.as_mut().poll(context))) {
        Ok(Poll::Ready(result)) => Poll::Ready(Some(result)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    })
    .await
}
