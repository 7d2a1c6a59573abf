//! The steps of a ring's life: pauses, drains and the end. Each has one body, with which a thread blocks or a task waits.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::clock::Instant;
use super::core::{Core, Stage};
use super::error::RingError;
use super::handle::{Ring, STOP};
use super::report::Report;
use super::waits::{LOOK, Waits, block_on};
use super::worker;
use crate::error::Error;
use crate::submit::Reporter;

/// The pause of a thread between two looks at messages that are being handled.
const LOOK_OF_THREAD: Duration = Duration::from_micros(100);

impl Ring {
    /// Stops the actors between two messages. Messages are accepted meanwhile, and wait. A persistent kernel ends, so
    /// that the device is free for other work.
    ///
    /// # Errors
    /// [`RingError::Ended`] if the ring does not run; [`RingError::TimedOut`] if an actor does not come to the end of a
    /// message within 10 seconds. The ring is paused also then: call this method again to wait for the actor, or
    /// [`resume`](Self::resume). [`RingError::CannotBlock`] in a browser.
    pub fn pause(&self) -> Result<(), RingError> {
        self.pause_within(STOP)
    }

    /// [`pause`](Self::pause) with another time.
    pub(super) fn pause_within(&self, timeout: Duration) -> Result<(), RingError> {
        blocks("Ring::pause", "Ring::pause_async", self.pauses(Waits::Blocks, timeout))
    }

    /// [`pause`](Self::pause) without blocking. The ring is paused, too, if the future is dropped before its end.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// # pollster::block_on(async {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { *state += x; return *state; }",
    /// )?;
    /// let ring = ring.start()?;
    /// ring.pause_async().await?;
    /// let sum = ring.actor(0).ask::<u32, u32>(&7)?;
    /// assert_eq!(ring.state_async::<u32>(0).await?, 0); // the message waits
    /// ring.resume_async().await?;
    /// assert_eq!(sum.await?, 7);
    /// # Ok(())
    /// # })
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`pause`](Self::pause).
    pub async fn pause_async(&self) -> Result<(), RingError> {
        self.pauses(Waits::Yields, STOP).await
    }

    async fn pauses(&self, waits: Waits, timeout: Duration) -> Result<(), RingError> {
        let core = &self.core;
        core.changes(async {
            if !core.advance(Stage::Running, Stage::Paused) && core.stage() != Stage::Paused {
                return Err(core.ended());
            }
            core.comes_to_halt(waits, "pause", timeout).await?;
            core.reap_all();
            core.paused(true);
            Ok(())
        })
        .await
    }

    /// Continues after a [`pause`](Self::pause), with the same states.
    ///
    /// # Errors
    /// [`RingError::Ended`] if the ring has ended, or cannot be started again; [`RingError::TimedOut`] after a pause
    /// that timed out, if the actor does not come to the end of its message within 10 seconds more. The ring is paused
    /// then. [`RingError::CannotBlock`] in a browser.
    pub fn resume(&self) -> Result<(), RingError> {
        blocks("Ring::resume", "Ring::resume_async", self.resumes(Waits::Blocks))
    }

    /// [`resume`](Self::resume) without blocking. The ring stays paused if the future is dropped before its end.
    ///
    /// # Errors
    /// As [`resume`](Self::resume).
    pub async fn resume_async(&self) -> Result<(), RingError> {
        self.resumes(Waits::Yields).await
    }

    async fn resumes(&self, waits: Waits) -> Result<(), RingError> {
        let core = &self.core;
        core.changes(async {
            match core.stage() {
                Stage::Running => return Ok(()),
                Stage::Paused => {}
                _ => return Err(core.ended()),
            }
            // After a pause that timed out, the kernel of before may still run.
            core.comes_to_halt(waits, "resume", STOP).await?;
            // Before the first reply, which ends a busy time.
            core.paused(false);
            if let Err(error) = core.engine.start() {
                return Err(core.fails(error));
            }
            if !core.advance(Stage::Paused, Stage::Running) {
                return Err(core.ended());
            }
            core.stays();
            core.engine.ring(core);
            core.wake_driver();
            Ok(())
        })
        .await
    }

    /// Waits until all messages that were sent before are handled, at most this long. Messages that are sent meanwhile
    /// do not count, except those that actors send to each other: the ring drains when none of them waits.
    ///
    /// # Errors
    /// [`RingError::TimedOut`] with the number of messages that are left; [`RingError::Ended`] if the ring fails.
    /// [`RingError::CannotBlock`] in a browser.
    pub fn drain(&self, timeout: Duration) -> Result<(), RingError> {
        blocks("Ring::drain", "Ring::drain_async", self.core.drains(Waits::Blocks, timeout))
    }

    /// [`drain`](Self::drain) without blocking.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// # pollster::block_on(async {
    /// use std::time::Duration;
    ///
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// for x in 0..1000u32 {
    ///     ring.actor(0).tell_async(&x).await?; // waits while the inbox is full
    /// }
    /// ring.drain_async(Duration::from_secs(10)).await?;
    /// assert_eq!(ring.telemetry().total().handled, 1000);
    /// # Ok(())
    /// # })
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`drain`](Self::drain).
    pub async fn drain_async(&self, timeout: Duration) -> Result<(), RingError> {
        self.core.drains(Waits::Yields, timeout).await
    }

    /// Accepts no further messages, waits until those that were accepted are handled, at most this long, and ends the
    /// ring. Each caller that still waits for a reply receives [`AskError::Ended`](super::AskError::Ended).
    ///
    /// # Errors
    /// [`RingError::TimedOut`] if an actor does not come to the end of a message within 10 seconds. A ring
    /// that has failed before is no error: the report has the failure. [`RingError::CannotBlock`] in a browser, where
    /// the ring ends as if it was dropped.
    pub fn shutdown(self, timeout: Duration) -> Result<Report, RingError> {
        blocks("Ring::shutdown", "Ring::shutdown_async", self.shuts_down(Waits::Blocks, timeout))
    }

    /// [`shutdown`](Self::shutdown) without blocking. A future that is dropped before its end drops the ring.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// # pollster::block_on(async {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn add(state: ptr<function, u32>, x: u32, lane: u32) { *state += x; }",
    /// )?;
    /// let ring = ring.start()?;
    /// ring.actor(0).tell(&1u32)?;
    /// let report = ring.shutdown_async(std::time::Duration::from_secs(10)).await?;
    /// assert_eq!((report.handled, report.unanswered), (1, 0));
    /// # Ok(())
    /// # })
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`shutdown`](Self::shutdown).
    pub async fn shutdown_async(self, timeout: Duration) -> Result<Report, RingError> {
        self.shuts_down(Waits::Yields, timeout).await
    }

    async fn shuts_down(mut self, waits: Waits, timeout: Duration) -> Result<Report, RingError> {
        let core = Arc::clone(&self.core);
        let ended = core.ends(waits, timeout).await;
        self.leaves_loops(waits);
        let unanswered = ended?;
        let undelivered = core.undelivered_at_end(waits, STOP).await;
        // Subscriptions that outlive the ring receive what is left.
        core.collect();
        let untaken = core.untaken();
        let telemetry = self.telemetry();
        Ok(Report {
            handled: telemetry.total().handled,
            unanswered,
            undelivered,
            untaken,
            uptime: telemetry.uptime,
            telemetry,
            failure: core.failure.get().cloned(),
            dead_letters: core.letters.take(),
            letters_lost: core.letters.lost(),
        })
    }

    /// Waits for the loops of a ring that has ended, if that may block.
    fn leaves_loops(&mut self, waits: Waits) {
        self.core.wake_driver();
        self.core.watcher.wake();
        for worker in [self.driver.take(), self.watch.take()].into_iter().flatten() {
            // Otherwise they end by themselves.
            if waits == Waits::Blocks {
                worker.join();
            }
        }
    }
}

/// Runs a call that blocks.
pub(super) fn blocks<T>(
    call: &'static str,
    instead: &'static str,
    future: impl Future<Output = Result<T, RingError>>,
) -> Result<T, RingError> {
    block_on(future).unwrap_or(Err(RingError::CannotBlock { call, instead }))
}

impl Core {
    /// Changes the stage while no other caller does; afterwards wakes the tasks that have ended with it.
    pub(super) async fn changes(&self, change: impl Future<Output = Result<(), RingError>>) -> Result<(), RingError> {
        let life = self.life().await;
        let result = change.await;
        // A waker may run any code, also such that changes the stage.
        drop(life);
        self.wake_tasks();
        result
    }

    /// Waits until the kernel has ended.
    pub(super) async fn comes_to_halt(
        &self,
        waits: Waits,
        step: &'static str,
        timeout: Duration,
    ) -> Result<(), RingError> {
        match self.halts(waits, timeout).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(RingError::TimedOut { step, timeout, left: self.left() }),
            Err(error) => Err(self.fails(error)),
        }
    }

    async fn drains(&self, waits: Waits, timeout: Duration) -> Result<(), RingError> {
        let started = Instant::now();
        let mut empty = false;
        loop {
            self.reap_all();
            let left = self.left_since(started);
            if self.stage() == Stage::Failed {
                return Err(self.ended());
            }
            let left = left + self.mail_waiting();
            // Counts of the device may arrive late, so two looks must agree.
            let found = std::mem::replace(&mut empty, left == 0);
            if left == 0 && (found || self.engine.counts().is_empty()) {
                return Ok(());
            }
            if started.elapsed() >= timeout {
                return Err(RingError::TimedOut { step: "drain", timeout, left });
            }
            waits.rest(self, if waits == Waits::Blocks { LOOK_OF_THREAD } else { LOOK }).await;
        }
    }

    /// Ends the ring; returns the number of messages that were not handled.
    async fn ends(&self, waits: Waits, timeout: Duration) -> Result<u64, RingError> {
        let life = self.life().await;
        let paused = self.advance(Stage::Paused, Stage::Closing);
        let ends = paused || self.advance(Stage::Running, Stage::Closing) || self.stage() == Stage::Closing;
        // The ring's loop may have to start the kernel again during the drain. No other call changes this stage.
        drop(life);
        if !ends {
            // The loops of a failed ring end by themselves.
            return Ok(self.unanswered());
        }
        if !paused && !timeout.is_zero() {
            let _ = self.drains(waits, timeout).await;
        }
        let life = self.life().await;
        let ended = self.halts(waits, STOP).await;
        if let Err(error) = &ended {
            let _ = self.failure.set(error.clone());
        }
        // The ring may have failed during the drain.
        let failed = ended.is_err() || self.stage() == Stage::Failed;
        self.stage.store(if failed { Stage::Failed } else { Stage::Stopped } as u8, Ordering::Release);
        // Wakers run any code, and the ring's loop ends after those that it runs.
        drop(life);
        self.abandon(self.end_reason());
        self.report();
        self.step(|| "ended".to_owned());
        self.wake_tasks();
        self.wake_driver();
        self.watcher.wake();
        let unanswered = self.unanswered();
        match ended {
            Ok(false) => Err(RingError::TimedOut { step: "stop", timeout: STOP, left: unanswered }),
            _ => Ok(unanswered),
        }
    }

    pub(super) fn ended(&self) -> RingError {
        RingError::Ended { failure: self.failure() }
    }

    pub(super) fn fails(&self, error: Error) -> RingError {
        self.fail(error);
        self.wake_driver();
        self.ended()
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.driver.is_none() {
            return;
        }
        let core = Arc::clone(&self.core);
        // From now on, also where the end comes later: in a browser, it waits for the submission that is under way.
        let _ = core.advance(Stage::Running, Stage::Closing) || core.advance(Stage::Paused, Stage::Closing);
        worker::completes(async move {
            if let Err(error) = core.ends(Waits::DRIVER, Duration::ZERO).await {
                log::error!("a ring was dropped: {error}");
            }
        });
        self.leaves_loops(Waits::DRIVER);
    }
}
