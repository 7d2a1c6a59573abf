//! Pointers: a root, a constant offset, and the dynamic indices of the path.

use std::rc::Rc;

use smallvec::SmallVec;

use super::checks::Tracking;
use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::shape::{Rule, Shape};
use crate::ir::{BinaryOp, Class, Convert, Count, Index, Place, Space, Value, Var};

/// The root of a pointer.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A variable whose scalars are registers, in order.
    Registers(Rc<[Var]>),
    /// Memory; the pointer's offset includes the start of the variable.
    Memory(Space),
}

impl Root {
    /// The layout rule of the memory.
    pub(super) fn rule(&self) -> Rule {
        match self {
            Self::Registers(_) => Rule::Registers,
            Self::Memory(Space::Binding(_) | Space::Immediate) => Rule::Buffer,
            Self::Memory(Space::Workgroup) => Rule::Workgroup,
            Self::Memory(Space::Private | Space::Passed) => Rule::Private,
        }
    }
}

/// The last step of a path, if it is an index into an array. Cooperative matrices find neighbouring elements with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The constant offset of the array.
    pub(super) offset: u32,
    /// The number of dynamic indices before the step.
    pub(super) indices: usize,
    /// The index into the array.
    pub(super) index: Index,
}

/// A pointer, with the values that the indices of its path had when the pointer was evaluated.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// The constant part of the path: like the strides of `indices` in bytes or, for registers, in scalars.
    pub(super) offset: u32,
    pub(super) indices: SmallVec<[Index; 2]>,
    /// The type of the pointee.
    pub(super) shape: Shape,
    pub(super) step: Option<Step>,
    /// The properties that the checker needs; `None` for pointers that it does not check.
    pub(super) tracking: Option<Tracking>,
}

impl Pointer {
    /// Returns a pointer to a whole variable.
    pub(super) fn new(root: Root, offset: u32, shape: Shape) -> Self {
        Self { root, offset, indices: SmallVec::new(), shape, step: None, tracking: None }
    }

    /// The place of the scalar `offset` bytes after the start of the pointee.
    pub(super) fn place(&self, space: Space, offset: u32) -> Place {
        Place { space, offset: self.offset + offset, indices: self.indices.clone() }
    }

    /// The same pointer with its index values replaced by `change`.
    pub(super) fn map(&self, change: &mut dyn FnMut(Value) -> Value) -> Self {
        let mut pointer = self.clone();
        for index in &mut pointer.indices {
            index.value = change(index.value);
        }
        if let Some(step) = &mut pointer.step {
            step.index.value = change(step.index.value);
        }
        pointer
    }
}

impl Lowering<'_> {
    /// Returns a pointer to a member of a struct, or to an element with a constant index. `proven` is true if the
    /// element is known to exist.
    pub(super) fn point_at(&mut self, base: &Pointer, index: u32, proven: bool) -> Result<Pointer> {
        if let Some((offset, shape)) = self.types.member(base.shape, index, base.root.rule()) {
            let tracking =
                base.tracking.as_ref().map(|tracking| tracking.member(self.types.member_name(base.shape, index)));
            return Ok(Pointer { offset: base.offset + offset, shape, step: None, tracking, ..base.clone() });
        }
        let value = self.b.u32(index);
        self.point_into(base, value, proven)
    }

    /// Returns a pointer to an element of a vector, matrix or array. `proven` is true if the index is in range wherever
    /// an active invocation uses the pointer.
    pub(super) fn point_into(&mut self, base: &Pointer, value: Value, proven: bool) -> Result<Pointer> {
        let elements = self
            .types
            .elements(base.shape, base.root.rule())
            .ok_or_else(|| LowerError::invalid("an index into a type without elements"))?;
        let value = self.index_value(value);
        let count = elements.count.map_or(Count::Runtime, Count::Fixed);
        let index = Index { value, stride: elements.stride, count, proven };
        let mut pointer = Pointer { shape: elements.shape, ..base.clone() };
        if matches!(base.shape, Shape::Array(_)) {
            pointer.step = Some(Step { offset: base.offset, indices: base.indices.len(), index });
        } else {
            pointer.step = None;
        }
        match (self.b.known(value), elements.count) {
            // A runtime-sized array has at least one element.
            (Some(0), None) => {}
            (Some(known), Some(count)) if known < u64::from(count) => {
                pointer.offset += known as u32 * elements.stride;
                if let (Some(tracking), Shape::Array(_)) = (&mut pointer.tracking, base.shape) {
                    tracking.at(known);
                }
            }
            _ => pointer.indices.push(index),
        }
        Ok(pointer)
    }

    /// Converts an index of any integer type to `u32`; negative indices become too large for any array.
    pub(super) fn index_value(&mut self, value: Value) -> Value {
        if self.b.class(value) == Class::I64 {
            let most = self.b.constant(Class::I64, u64::from(u32::MAX));
            let value = self.b.binary(BinaryOp::MinU, value, most);
            return self.b.convert(Convert::I64ToI32, value);
        }
        value
    }
}
