//! Leases: a resident kernel without messages leaves the device, and returns for the next message.
//!
//! The ring's thread looks whether messages wait, and stops the kernel between two messages when none came for the time
//! of the lease. The order of three steps loses no message: the thread first notes that the kernel is away, then stops
//! it, then looks once more. A sender writes its message under the actor's lock, and reads the note afterwards. If the
//! look takes that lock first, the sender finds the note and wakes the thread; otherwise the look finds the message.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::clock::Instant;
use super::core::{Core, Stage};
use super::waits::Waits;
use crate::error::Error;

/// The time of one wait for a kernel that leaves. It ends at once unless a message came at the last moment.
const LEAVING: Duration = Duration::from_millis(100);

/// The lease of a resident kernel.
pub(super) struct Lease {
    /// The time without messages after which the kernel leaves.
    idle: Duration,
    /// Whether the kernel has left, or is leaving.
    away: AtomicBool,
    seen: Mutex<Seen>,
}

/// The last change that the ring's thread has noticed.
struct Seen {
    handled: u64,
    at: Instant,
}

impl Lease {
    pub(super) fn new(idle: Duration) -> Self {
        let seen = Mutex::new(Seen { handled: 0, at: Instant::now() });
        Self { idle, away: AtomicBool::new(false), seen }
    }
}

impl Lease {
    /// The time that is left of the lease, which begins again with each message.
    fn left(&self, handled: u64, waits: bool, now: Instant) -> Duration {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if waits || seen.handled != handled {
            *seen = Seen { handled, at: now };
        }
        self.idle.saturating_sub(now.saturating_duration_since(seen.at))
    }
}

impl Core {
    /// Whether the kernel has left the device at the end of its lease.
    pub(super) fn is_away(&self) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.away.load(Ordering::SeqCst))
    }

    /// Has the ring's thread start a kernel that has left, after a message was written.
    pub(super) fn recalls(&self) {
        if self.is_away() {
            self.wake_driver();
        }
    }

    /// The kernel was started.
    pub(super) fn stays(&self) {
        let Some(lease) = &self.lease else { return };
        lease.seen.lock().unwrap_or_else(PoisonError::into_inner).at = Instant::now();
        lease.away.store(false, Ordering::SeqCst);
    }

    /// Ends the kernel when its lease is over, and starts it again when messages wait. Returns the time until the next
    /// look; `None` if a message, or the end of a pause, makes it necessary. The ring's thread calls this.
    pub(super) async fn keeps_lease(&self) -> Result<Option<Duration>, Error> {
        let Some(lease) = &self.lease else { return Ok(None) };
        if !self.has_kernel() {
            return Ok(None);
        }
        let waits = self.left() > 0 || self.mail_waiting() > 0;
        if lease.away.load(Ordering::SeqCst) {
            if waits {
                self.returns().await?;
            }
            return Ok(waits.then_some(Duration::ZERO));
        }
        let handled = self.handled_by(0, 1);
        let now = Instant::now();
        let left = lease.left(handled, waits, now);
        if waits || !left.is_zero() {
            // Not at once, also with the shortest lease: a message that is being handled needs no look.
            return Ok(Some(left.max(Duration::from_micros(50))));
        }
        self.leaves(lease).await?;
        // A message may have come meanwhile.
        Ok(Some(Duration::ZERO))
    }

    /// Whether the stage is one in which a kernel may run.
    fn has_kernel(&self) -> bool {
        matches!(self.stage(), Stage::Running | Stage::Closing)
    }

    /// Stops the kernel between two messages.
    async fn leaves(&self, lease: &Lease) -> Result<(), Error> {
        let _life = self.life().await;
        // A pause or the end of the ring may have come first.
        if !self.has_kernel() {
            return Ok(());
        }
        lease.away.store(true, Ordering::SeqCst);
        // If it does not end in time, a handler runs, and the return waits for it.
        self.halts(Waits::DRIVER, LEAVING).await?;
        self.step(|| "left the device".to_owned());
        Ok(())
    }

    /// Starts the kernel again.
    async fn returns(&self) -> Result<(), Error> {
        let _life = self.life().await;
        if !self.has_kernel() || !self.is_away() || !self.halts(Waits::DRIVER, LEAVING).await? {
            return Ok(());
        }
        self.engine.start()?;
        self.stays();
        self.engine.ring(self);
        self.step(|| "returned to the device".to_owned());
        Ok(())
    }
}
