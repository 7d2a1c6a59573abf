//! The states of actors, as the host reads and replaces them.

use super::core::{Stage, value_of, words_of};
use super::error::AskError;
use super::handle::{Ring, STOP};
use super::slot::Kind;
use super::waits::{Waits, block_on};
use crate::element::Element;
use crate::error::Error;

impl Ring {
    /// Returns an actor's state, as it is between two messages: after all messages that this thread has sent before,
    /// except those that wait outside of a full inbox ([`RingBuilder::backlog`](super::RingBuilder::backlog)). While
    /// the ring is paused, and after its end, the state after the last handled message.
    ///
    /// # Errors
    /// [`SendError::Layout`](super::SendError::Layout) if `S` is not the type of the state;
    /// [`SendError::NoSuchActor`](super::SendError::NoSuchActor); [`SendError::Stopped`](super::SendError::Stopped) if a
    /// stopped handler has ended the actor (its state can be read while the ring is paused); [`AskError::Stopped`] and
    /// [`AskError::Ended`] if that happens, or the ring ends, before the reply; [`AskError::TimedOut`] if the actor does
    /// not come to it within 10 seconds; [`AskError::CannotBlock`] in a browser.
    pub fn state<S: Element>(&self, actor: u32) -> Result<S, AskError> {
        block_on(self.reads_state(Waits::Blocks, actor)).unwrap_or(Err(cannot("Ring::state", "Ring::state_async")))
    }

    /// [`state`](Self::state) without blocking.
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
    /// ring.set_state_async(0, &40u32).await?;
    /// ring.actor(0).tell(&2u32)?;
    /// assert_eq!(ring.state_async::<u32>(0).await?, 42);
    /// # Ok(())
    /// # })
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub async fn state_async<S: Element>(&self, actor: u32) -> Result<S, AskError> {
        self.reads_state(Waits::Yields, actor).await
    }

    async fn reads_state<S: Element>(&self, waits: Waits, actor: u32) -> Result<S, AskError> {
        let core = &self.core;
        core.checks_state::<S>(actor)?;
        let halted = || matches!(core.stage(), Stage::Paused | Stage::Stopped | Stage::Failed);
        if halted() {
            let _life = core.life().await;
            // Another caller may have resumed the ring before this one had the lock.
            if halted() {
                // After a pause that timed out, the kernel still runs. A kernel that failed has ended.
                if let Ok(false) = core.halts(waits, STOP).await {
                    return Err(AskError::TimedOut { actor, timeout: STOP });
                }
                let ended = |error: Error| AskError::Ended { actor, failure: Some(Box::new(error)) };
                return core.engine.state(waits, actor).await.map(|words| value_of(&words)).map_err(ended);
            }
        }
        let _scope = core.context.scope_of(|| format!("{}: state of actor {actor} read", core.name));
        let format = core.format;
        let parts = vec![[].as_slice(); format.state.div_ceil(format.reply)];
        let parts = core.own(waits, actor, Kind::ReadState, &parts).await?;
        let words: Vec<u32> = parts.iter().flat_map(|part| &part[..format.reply]).copied().collect();
        Ok(value_of(&words))
    }

    /// Replaces an actor's state, after all messages that this thread has sent before, except those that wait outside
    /// of a full inbox ([`RingBuilder::backlog`](super::RingBuilder::backlog)).
    ///
    /// # Errors
    /// As [`state`](Self::state); a paused ring does not come to it.
    pub fn set_state<S: Element>(&self, actor: u32, state: &S) -> Result<(), AskError> {
        let replaced = block_on(self.replaces_state(Waits::Blocks, actor, state));
        replaced.unwrap_or(Err(cannot("Ring::set_state", "Ring::set_state_async")))
    }

    /// [`set_state`](Self::set_state) without blocking. If the future is dropped before its end, the state may be
    /// replaced or not.
    ///
    /// # Errors
    /// As [`set_state`](Self::set_state).
    pub async fn set_state_async<S: Element>(&self, actor: u32, state: &S) -> Result<(), AskError> {
        self.replaces_state(Waits::Yields, actor, state).await
    }

    async fn replaces_state<S: Element>(&self, waits: Waits, actor: u32, state: &S) -> Result<(), AskError> {
        let core = &self.core;
        core.checks_state::<S>(actor)?;
        let _scope = core.context.scope_of(|| format!("{}: state of actor {actor} replaced", core.name));
        let words = words_of(state);
        let parts: Vec<&[u32]> = words.chunks(core.format.message).collect();
        core.own(waits, actor, Kind::WriteState, &parts).await.map(|_| ())
    }
}

fn cannot(call: &'static str, instead: &'static str) -> AskError {
    AskError::CannotBlock { call, instead }
}
