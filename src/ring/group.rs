//! The invocations of an actor's workgroup.

use anywarp_backend::{Caps, DeviceKind};

use super::error::RingError;
use super::generate::Shape;
use super::source::{ActorText, MAX_SHARED_STATE};

/// The invocations of a workgroup on a GPU, which move the words of a message together.
const WARP: u32 = 32;

/// The invocations that the builder was given, and the way of their polls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The invocations that run the function for each message.
    pub(super) lanes: u32,
    /// The least number of invocations, for tests of the kernel of GPUs on other devices.
    pub(super) least: u32,
    /// Whether polls take no trip over a bus.
    pub(super) near: bool,
}

impl Group {
    /// The invocations of a workgroup with this text.
    fn invocations(self, actor: &ActorText, caps: &Caps) -> Result<u32, RingError> {
        let lanes = self.lanes;
        let large = actor.kinds.iter().find(|kind| kind.state.size > MAX_SHARED_STATE);
        if let Some(kind) = large.filter(|_| lanes > 1) {
            let size = kind.state.size;
            let reason = format!(
                "its state has {size} bytes, and several lanes share at most {MAX_SHARED_STATE} bytes; use one lane"
            );
            return Err(RingError::Lanes { actor: kind.function.clone(), lanes, reason });
        }
        // Invocations beyond the lanes would not arrive at the author's barriers.
        let alone = caps.kind == DeviceKind::Software || actor.has_barriers;
        let least = if actor.has_barriers { 1 } else { self.least };
        Ok(lanes.max(if alone { least } else { WARP }))
    }

    /// The shape of the kernel for this text.
    pub(super) fn shape(self, actor: &ActorText, caps: &Caps, marks: bool) -> Result<Shape, RingError> {
        let invocations = self.invocations(actor, caps)?;
        Ok(Shape { lanes: self.lanes, invocations, near: self.near, marks })
    }
}
