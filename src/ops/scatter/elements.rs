//! The elements that a scatter combines, and the operations.

use super::super::scan::Scan;
use crate::element::Element;

/// Elements that a scatter combines: `f32`, `i32`, `u32`.
pub trait ScatterElement: Element + sealed::Word {}

impl<T: Element + sealed::Word> ScatterElement for T {}

/// The constant of `combine.wgsl` for `f32`.
pub(super) const FLOAT: u32 = 2;

pub(super) mod sealed {
    pub trait Word {
        /// The constant of `combine.wgsl`.
        const KIND: u32;
    }

    impl Word for u32 {
        const KIND: u32 = 0;
    }
    impl Word for i32 {
        const KIND: u32 = 1;
    }
    impl Word for f32 {
        const KIND: u32 = super::FLOAT;
    }
}

/// The operation on an element of y and one of x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Multiply,
    Min,
    Max,
}

impl Operation {
    /// The constant of `combine.wgsl`.
    pub(super) fn number(self) -> u32 {
        self as u32
    }

    /// The device's atomic operation, as a constant of `scatter_combined.wgsl`; 0 if there is none.
    pub(super) fn atomic(self, kind: u32) -> u32 {
        match (self, kind) {
            (Self::Add, 0 | 1) => 1,
            (Self::Max, 0) => 2,
            (Self::Min, 0) => 3,
            _ => 0,
        }
    }

    /// The scan by which the elements of one position are combined in order.
    pub(super) fn scan<'s>(self) -> Scan<'s> {
        match self {
            Self::Add => Scan::sum(),
            Self::Multiply => Scan::product(),
            Self::Min => Scan::min(),
            Self::Max => Scan::max(),
        }
    }
}
