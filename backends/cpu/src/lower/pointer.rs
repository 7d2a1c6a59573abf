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

/// The last step of a path into an array, from which neighbouring elements are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The offset and the number of indices before the step.
    pub(super) offset: u32,
    pub(super) indices: usize,
    /// The step.
    pub(super) index: Index,
}

/// A pointer. The indices have their values from the evaluation of the path.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) root: Root,
    /// Bytes or, for registers, scalars; the strides of `indices` too.
    pub(super) offset: u32,
    pub(super) indices: SmallVec<[Index; 2]>,
    /// The type of the pointee.
    pub(super) shape: Shape,
    pub(super) step: Option<Step>,
    /// The properties for the checker.
    pub(super) tracking: Option<Tracking>,
}

impl Pointer {
    /// Returns a pointer to a whole variable.
    pub(super) fn new(root: Root, offset: u32, shape: Shape) -> Self {
        Self { root, offset, indices: SmallVec::new(), shape, step: None, tracking: None }
    }

    /// The place of a scalar at a further `offset` bytes.
    pub(super) fn place(&self, space: Space, offset: u32) -> Place {
        Place { space, offset: self.offset + offset, indices: self.indices.clone() }
    }

    /// The same path with other index values.
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
    /// Returns a pointer to a member of a struct, or to an element with a constant index. `proven`: the element is
    /// known to exist.
    pub(super) fn point_at(&mut self, base: &Pointer, index: u32, proven: bool) -> Result<Pointer> {
        if let Some((offset, shape)) = self.types.member(base.shape, index, base.root.rule()) {
            let tracking =
                base.tracking.as_ref().map(|tracking| tracking.member(self.types.member_name(base.shape, index)));
            return Ok(Pointer { offset: base.offset + offset, shape, step: None, tracking, ..base.clone() });
        }
        let value = self.b.u32(index);
        self.point_into(base, value, proven)
    }

    /// Returns a pointer to an element of a vector, matrix or array. `proven`: the index is in range wherever an active
    /// invocation uses it.
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

    /// Converts an index of any integer type to an unsigned one; negative indices become too large.
    pub(super) fn index_value(&mut self, value: Value) -> Value {
        if self.b.class(value) == Class::I64 {
            let most = self.b.constant(Class::I64, u64::from(u32::MAX));
            let value = self.b.binary(BinaryOp::MinU, value, most);
            return self.b.convert(Convert::I64ToI32, value);
        }
        value
    }
}
