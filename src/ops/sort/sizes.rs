//! The numbers that all kernels of a sort receive.

use super::super::ordering::keys::Kind;
use super::plan::{Shape, Values};

/// The part of a shape that kernels receive as numbers.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) length: u32,
    pub(super) infinity: u32,
    pub(super) indices: bool,
}

impl Order {
    pub(super) fn of(shape: &Shape) -> Self {
        let infinity = if let Kind::Float { infinity } = shape.kind { infinity } else { 0 };
        // The length is within 32 bits, as it was checked.
        Self { length: shape.length as u32, infinity, indices: shape.values == Values::Indices }
    }
}

/// Returns the uniform `Sizes` of a typed module.
macro_rules! sizes {
    ($module:ident, $order:expr, $digit:expr, $length:expr, [$keys:expr, $to_keys:expr], [$values:expr, $to_values:expr],
     $no_keys:expr, $span:expr, $blocks:expr) => {
        $module::Sizes {
            word: $digit.word,
            shift: $digit.shift,
            mask: $digit.mask,
            flip: $digit.flip,
            length: $length,
            span: $span,
            blocks: $blocks,
            first_of_keys: $keys,
            first_of_values: $values,
            first_of_sorted_keys: $to_keys,
            first_of_sorted_values: $to_values,
            infinity: $order.infinity,
            indices: u32::from($order.indices),
            no_keys: u32::from($no_keys),
        }
    };
}

pub(super) use sizes;
