//! One argument of a call, assigned to its parameter.

use super::arguments::{Array, Given};
use super::shape::{Sizes, Strides, stretched, strides};
use super::types::ElementType;

/// A parameter and its argument.
pub(crate) struct Operand<'a> {
    pub(crate) name: String,
    pub(crate) element: ElementType,
    pub(crate) raw: bool,
    /// Whether the operation reads its old values.
    pub(crate) read: bool,
    pub(crate) written: bool,
    pub(crate) given: Given<'a>,
    /// The shape of an array that is walked element by element.
    pub(crate) shape: Sizes,
}

impl<'a> Operand<'a> {
    /// Whether each of its elements belongs to one call of the operation.
    pub(crate) fn is_walked(&self) -> bool {
        !self.raw && matches!(self.given, Given::Array(_))
    }

    /// The strides of each axis of `shape` in the array, in elements. An operand that is not walked has zeros, which
    /// can be joined with any others.
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
