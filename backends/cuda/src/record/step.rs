//! One command of a plan, with the ranges and the kernel that it needs.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{Access, Library};

use crate::kernel::{Kernel, Loaded};
use crate::streams::uses::Span;

/// A range of one of the plan's memories, within the memory's bounds. `memory` is an index into the plan's memories.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) memory: usize,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Place {
    /// Returns the touch for an access to the whole place.
    pub(crate) fn touch(self, access: Access) -> Touch {
        Touch { memory: self.memory, access, span: Span { start: self.offset, end: self.offset + self.bytes } }
    }
}

/// A range that a dispatch or routine accesses. `memory` is an index into the plan's memories.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) memory: usize,
    pub(crate) access: Access,
    pub(crate) span: Span,
}

/// The launch of a kernel.
pub(crate) struct Launch {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) label: Arc<str>,
    /// The number of blocks; zero in one dimension if the grid is empty.
    pub(crate) blocks: [u32; 3],
    /// The launch's arguments, as a range in [`Plan::arguments`](super::plan::Plan::arguments).
    pub(crate) arguments: Range<usize>,
    /// The launch's accesses, as a range in [`Plan::touches`](super::plan::Plan::touches).
    pub(crate) touches: Range<usize>,
}

/// One command of a plan.
pub(crate) enum Step {
    Copy {
        source: Place,
        target: Place,
    },
    Fill {
        target: Place,
        pattern: u32,
    },
    Launch(Launch),
    Library {
        call: Library,
        places: [Place; 3],
        touches: Range<usize>,
    },
    /// Work that other code has already enqueued.
    Foreign {
        touches: Range<usize>,
    },
}
