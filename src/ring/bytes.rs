//! Messages whose type is known only when the program runs, as bytes: for tools.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::actor::{Actor, Ask};
use super::backlog::Priority;
use super::error::{AskError, SendError};
use super::slot::Payload;
use super::source::KindText;

impl Actor {
    /// [`tell`](Self::tell) with the bytes of a message, as it lies in memory in WGSL
    /// ([`RingBuilder::message_layout`](super::RingBuilder::message_layout)), in the order of little-endian machines.
    ///
    /// # Errors
    /// [`SendError`], [`SendError::Size`] among them; the actor does not receive the message.
    pub fn tell_bytes(&self, message: &[u8]) -> Result<(), SendError> {
        self.core.send(self.number, &self.payload(message)?, None, Priority::Normal)
    }

    /// [`ask`](Self::ask) with the bytes of a message, whose reply is bytes, too. The reply of a function without a
    /// result has no bytes; it comes when the message was handled.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let ring = device.ring(
    ///     "// anywarp:actor
    ///     fn sum(state: ptr<function, u32>, x: vec2<u32>, lane: u32) -> u32 { return x.x + x.y; }",
    /// )?;
    /// assert_eq!(ring.message_layout().size, 8);
    /// let ring = ring.start()?;
    /// let sum = ring.actor(0).ask_bytes(&[1, 0, 0, 0, 2, 0, 0, 0])?.wait()?;
    /// assert_eq!(sum, [3, 0, 0, 0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`SendError`], [`SendError::Size`] among them; the actor does not receive the message.
    pub fn ask_bytes(&self, message: &[u8]) -> Result<AskBytes, SendError> {
        let size = self.core.kind(self.number).reply.as_ref().map_or(0, |reply| reply.size as usize);
        Ok(AskBytes { ask: self.sends(&self.payload(message)?, Priority::Normal)?, size })
    }

    /// The words of a message.
    fn payload(&self, message: &[u8]) -> Result<Payload, SendError> {
        self.core.post(self.number)?;
        let KindText { function, message: layout, .. } = self.core.kind(self.number);
        if message.len() != layout.size as usize {
            let mut text = String::new();
            layout.describe(&mut text, 2);
            let function = function.clone();
            return Err(SendError::Size { function, expected: layout.size, got: message.len(), layout: text });
        }
        let word = |four: &[u8]| four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        Ok(message.chunks(4).map(word).collect())
    }
}

/// A message whose reply of bytes has not been received: see [`Actor::ask_bytes`].
#[must_use = "a reply that is not waited for becomes a dead letter; use `tell_bytes`"]
pub struct AskBytes {
    /// Its type is not used: only the words of the reply are.
    ask: Ask<u32>,
    size: usize,
}

impl AskBytes {
    /// Limits the time until the reply, from now on.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { ask: self.ask.timeout(timeout), ..self }
    }

    /// Whether the reply, or an error in its place, has arrived.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.ask.is_done()
    }

    /// Waits for the bytes of the reply.
    ///
    /// # Errors
    /// As [`Ask::wait`].
    pub fn wait(self) -> Result<Vec<u8>, AskError> {
        let Self { ask, size } = self;
        ask.wait_for_words().map(|reply| super::core::bytes(&reply, size))
    }
}

impl Future for AskBytes {
    type Output = Result<Vec<u8>, AskError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let size = self.size;
        self.ask.poll_words(context).map(|reply| reply.map(|reply| super::core::bytes(&reply, size)))
    }
}
