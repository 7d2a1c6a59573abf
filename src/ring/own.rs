//! Messages of the ring's own, which read and replace states.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use super::cell::Cell;
use super::clock::Instant;
use super::core::{Core, Stage, Watched};
use super::error::AskError;
use super::pause::Pause;
use super::post::{Entry, Post, State};
use super::slot::{Header, Kind, Payload};
use super::waits::{LOOK, Waits};

/// The time after which the ring's own messages count as lost.
pub(super) const OWN: Duration = Duration::from_secs(10);

/// Whether senders leave the inbox to a message of the ring's own, which needs several slots at the same time. It ends
/// with the future of the call, too.
struct Reserved<'a> {
    post: &'a Post,
    reserves: bool,
}

impl Reserved<'_> {
    /// Changes it under the lock of the inbox.
    fn set(&mut self, state: &mut State, reserves: bool) {
        match (self.reserves, reserves) {
            (false, true) => state.reserved += 1,
            (true, false) => state.reserved -= 1,
            _ => {}
        }
        self.reserves = reserves;
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if self.reserves {
            self.post.lock().reserved -= 1;
        }
    }
}

impl Core {
    /// Sends messages of the ring's own, one directly after the other, and waits for all replies.
    pub(super) async fn own(
        &self,
        waits: Waits,
        actor: u32,
        kind: Kind,
        parts: &[&[u32]],
    ) -> Result<Vec<Payload>, AskError> {
        let post = self.post(actor)?;
        let timed_out = || AskError::TimedOut { actor, timeout: OWN };
        let mut pause = Pause::new();
        let mut reserved = Reserved { post, reserves: false };
        let cells: Vec<Arc<Cell>> = loop {
            // Without the lock during the wait.
            let over = {
                let mut state = post.lock();
                // A paused actor makes no room, so senders need not wait for this call.
                let running = self.stage() == Stage::Running;
                let accepted = self.accepts().and_then(|()| self.is_alive(actor, &state));
                self.reap(actor, post, &mut state);
                let fits = state.mailbox.room() as usize >= parts.len();
                let over = !fits && pause.is_over(OWN);
                reserved.set(&mut state, !fits && !over && accepted.is_ok() && running);
                accepted?;
                if fits {
                    let send = |(part, payload): (usize, &&[u32])| {
                        let cell = Arc::new(Cell::default());
                        let entry = Entry { sent: Instant::now(), cell: Some(Arc::clone(&cell)), counts: false };
                        state.put(&self.inbox(), Header { kind, part: part as u32 }, payload, entry);
                        cell
                    };
                    break parts.iter().enumerate().map(send).collect();
                }
                over
            };
            if over {
                return Err(timed_out());
            }
            match waits {
                Waits::Blocks => pause.rest(thread::sleep),
                Waits::Yields => waits.rest(self, LOOK).await,
            }
        };
        self.engine.ring(self);
        let deadline = Instant::now() + OWN;
        let mut replies = Vec::new();
        for cell in &cells {
            match waits {
                Waits::Blocks => self.wait(actor, cell, Some(deadline)),
                Waits::Yields => self.completes(actor, cell, (OWN, deadline)).await,
            }
            cell.give_up();
            replies.push(cell.take().unwrap_or_else(|| Err(timed_out()))?);
        }
        Ok(replies)
    }

    /// Waits until the cell is complete. After the deadline, it is complete with an error.
    async fn completes(&self, actor: u32, cell: &Arc<Cell>, timeout: (Duration, Instant)) {
        let mut watched = false;
        poll_fn(|context| {
            if cell.is_done() {
                return Poll::Ready(());
            }
            cell.wake(context.waker());
            if !std::mem::replace(&mut watched, true) {
                self.watch(Watched { actor, cell: Arc::clone(cell), timeout: Some(timeout) });
            }
            Poll::Pending
        })
        .await;
    }
}
