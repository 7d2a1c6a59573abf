//! The invocations of an actor's workgroup.

use anywarp_backend::{Caps, DeviceKind};

use super::error::RingError;
use super::generate::{Format, Shape, is_short};
use super::source::{ActorText, MAX_SHARED_STATE};

/// The invocations of a workgroup on a GPU, which move the words of a message together.
const WARP: u32 = 32;

/// The same of a resident kernel where each moves short messages of its own: more of them share the cost of a poll.
const WARPS: u32 = 128;

/// The invocations that the builder was given, and the way of their polls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The invocations that run the function for each message.
    pub(super) lanes: u32,
    /// The least number of invocations, for tests of the kernel of GPUs on other devices.
    pub(super) least: u32,
    /// Whether polls take no trip over a bus.
    pub(super) near: bool,
    /// Whether the kernel stays on the device.
    pub(super) resident: bool,
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
        Ok(lanes.max(least).max(if alone { 1 } else { WARP }))
    }

    /// The shape of the kernel for this text.
    pub(super) fn shape(self, actor: &ActorText, caps: &Caps, marks: bool) -> Result<Shape, RingError> {
        let shape = Shape { lanes: self.lanes, invocations: self.invocations(actor, caps)?, near: self.near, marks };
        let several = self.resident && caps.kind != DeviceKind::Software && is_short(actor, Format::of(actor), shape);
        Ok(Shape { invocations: shape.invocations.max(if several { WARPS } else { 1 }), ..shape })
    }
}
