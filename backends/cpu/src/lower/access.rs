//! Members and elements of values and variables.

use std::rc::Rc;

use naga::{Expression, Handle};
use smallvec::SmallVec;

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::plan::MAX_SELECTED;
use super::pointer::Pointer;
use super::shape::{Rule, Shape};
use super::value::Data;
use crate::ir::{Count, Index, Value};

impl<'a> Lowering<'a> {
    /// Lowers `base[index]`, or the pointer `&base[index]`.
    pub(super) fn access(
        &mut self,
        frame: &mut Frame<'a>,
        access: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Data> {
        let proven = self.in_range(frame, access);
        let chosen_by = index;
        let index = self.scalar(frame, index)?;
        match self.operand(frame, base)? {
            Data::Pointer(pointer) => {
                let mut element = self.point_into(&pointer, index, proven)?;
                self.sign_index(frame, chosen_by, pointer.indices.len(), &mut element);
                Ok(Data::Pointer(element))
            }
            Data::Memory(pointer) => {
                self.tell_choice(frame, base, chosen_by, pointer.shape, index);
                let element = self.point_into(&pointer, index, proven)?;
                self.part_of(element)
            }
            Data::Scalars(values) => {
                let shape = self.types.resolved(&frame.info[base].ty)?;
                self.tell_choice(frame, base, chosen_by, shape, index);
                self.choose(shape, &values, index, proven)
            }
            Data::Zero(shape) => {
                self.tell_choice(frame, base, chosen_by, shape, index);
                let elements = self.types.elements(shape, Rule::Registers);
                let element = elements.ok_or_else(|| LowerError::invalid("an index into a type without elements"))?;
                self.zero_of(element.shape)
            }
            Data::Saved(_) => Err(LowerError::invalid("an operand")),
        }
    }

    /// Lowers `base.member`, `base.x` or `base[3]`, or a pointer to such a part.
    pub(super) fn access_index(
        &mut self,
        frame: &mut Frame<'a>,
        access: Handle<Expression>,
        base: Handle<Expression>,
        index: u32,
    ) -> Result<Data> {
        let proven = self.in_range(frame, access);
        match self.operand(frame, base)? {
            Data::Pointer(pointer) => Ok(Data::Pointer(self.point_at(&pointer, index, proven)?)),
            Data::Memory(pointer) => {
                let part = self.point_at(&pointer, index, proven)?;
                self.part_of(part)
            }
            Data::Scalars(values) => {
                let shape = self.types.resolved(&frame.info[base].ty)?;
                let (offset, part) = self.part(shape, index)?;
                self.slice(&values, offset, part)
            }
            Data::Zero(shape) => {
                let (_, part) = self.part(shape, index)?;
                self.zero_of(part)
            }
            Data::Saved(_) => Err(LowerError::invalid("an operand")),
        }
    }

    /// Whether the index of an access is proven to be in range at every evaluation.
    fn in_range(&self, frame: &Frame<'a>, access: Handle<Expression>) -> bool {
        self.unchecked || frame.proofs.is_some_and(|proofs| proofs.in_range(access))
    }

    /// The part of a value in memory that `pointer` points to: its scalars if it is small, otherwise the memory.
    fn part_of(&mut self, pointer: Pointer) -> Result<Data> {
        if self.is_large(pointer.shape) { Ok(Data::Memory(pointer)) } else { Ok(self.read(&pointer)?.into()) }
    }

    /// The number of the first scalar of a part of a value, and the shape of the part.
    fn part(&self, shape: Shape, index: u32) -> Result<(u32, Shape)> {
        if let Some(member) = self.types.member(shape, index, Rule::Registers) {
            return Ok(member);
        }
        let elements = self.types.elements(shape, Rule::Registers);
        let elements = elements.ok_or_else(|| LowerError::invalid("a member of a type without members"))?;
        Ok((index.saturating_mul(elements.stride), elements.shape))
    }

    fn slice(&self, values: &[Value], offset: u32, part: Shape) -> Result<Data> {
        let start = offset as usize;
        let end = start + self.types.count(part) as usize;
        values
            .get(start..end)
            .map(|values| Data::Scalars(Rc::from(values)))
            .ok_or_else(|| LowerError::invalid("a part outside of its value"))
    }

    /// The element of a value that a dynamic index selects; the last element if the index is too large.
    fn choose(&mut self, shape: Shape, values: &Rc<[Value]>, index: Value, proven: bool) -> Result<Data> {
        let elements = self.types.elements(shape, Rule::Registers);
        let Some((elements, count)) = elements.and_then(|elements| Some((elements, elements.count?))) else {
            return Err(LowerError::invalid("an index into a type without elements"));
        };
        let index = self.index_value(index);
        if let Some(known) = self.b.known(index) {
            let position = (known as u32).min(count - 1);
            return self.slice(values, position * elements.stride, elements.shape);
        }
        if count > MAX_SELECTED {
            let copy = self.spill(shape, &Data::Scalars(Rc::clone(values)))?;
            let element = self.point_into(&copy, index, proven)?;
            return self.part_of(element);
        }
        let conditions = self.conditions(&Index { value: index, stride: 1, count: Count::Fixed(count), proven });
        let width = elements.stride as usize;
        let rows: SmallVec<[&[Value]; 4]> = values.chunks_exact(width.max(1)).collect();
        let mut chosen = rows[rows.len() - 1].to_vec();
        for (row, condition) in rows.iter().zip(&conditions).rev().skip(1) {
            for (old, new) in chosen.iter_mut().zip(row.iter()) {
                *old = self.b.select(*condition, *new, *old);
            }
        }
        Ok(chosen.into())
    }
}
