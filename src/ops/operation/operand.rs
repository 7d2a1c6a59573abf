//! One argument of a call, assigned to its parameter.

use super::arguments::{Array, Given};
use super::shape::{Sizes, Strides, stretched, strides};
use super::types::ElementType;

/// A parameter and its argument.
pub(crate) struct Operand<'a> {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) raw: bool,
    /// Whether the operation reads the argument: an input, or an output with its old values.
    pub(crate) read: bool,
    pub(crate) written: bool,
    pub(crate) given: Given<'a>,
    /// The shape of an array that is not raw.
    pub(crate) shape: Sizes,
}

impl<'a> Operand<'a> {
    /// Whether the argument is an array that is not raw, so that each call of the operation gets one of its elements.
    pub(crate) fn is_walked(&self) -> bool {
        !self.raw && matches!(self.given, Given::Array(_))
    }

    /// The strides of each axis of `shape` in the array, in elements. A value or a raw array has strides of 0, which
    /// never prevent two axes from being joined.
    pub(crate) fn strides(&self, shape: &[usize]) -> Strides {
        match self.array().and_then(|array| array.strides.as_deref()) {
            _ if !self.is_walked() => strides(&[], shape),
            Some(own) => stretched(&self.shape, own, shape),
            None => strides(&self.shape, shape),
        }
    }

    pub(crate) fn array(&self) -> Option<&Array<'a>> {
        match &self.given {
            Given::Array(array) => Some(array),
            Given::Value { .. } => None,
        }
    }
}
