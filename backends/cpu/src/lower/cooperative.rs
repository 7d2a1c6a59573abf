//! Cooperative matrices, distributed over the lanes of a subgroup.
//!
//! In a product A · B + C every lane has all of A, row by row. It also has the columns of B and C whose number modulo
//! the number of lanes is the lane's number, column by column. A product is then plain arithmetic on lanes, which
//! exchange no values.

use naga::{
    BinaryOperator, CooperativeData, CooperativeRole, Expression, Handle, TypeInner, UnaryOperator, VectorSize,
};

use super::checks::Tracking;
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::{Pointer, Root, Step};
use super::pure::{self, Operand};
use super::shape::{Shape, mem_type};
use super::value::Data;
use crate::abi::LANES;
use crate::ir::{Access, BinaryOp, Count, Index, Input, MemType, Place, Space, Stmt, SubgroupOp, UnaryOp, Value};

/// The array in memory that a cooperative matrix is loaded from or stored to.
struct Tile {
    pointer: Pointer,
    space: Space,
    step: Step,
    ty: MemType,
    /// The number of scalars in an element of the array: 1, or the size of a vector.
    width: u32,
    /// The distance in scalars between the starts of two rows (of two columns, if not `row_major`).
    stride: Value,
    row_major: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn cooperative_load(
        &mut self,
        frame: &mut Frame<'a>,
        shape: Shape,
        data: &CooperativeData,
    ) -> Result<Data> {
        let tile = self.tile(frame, data)?;
        let mut values = Vec::new();
        for position in self.positions(shape)? {
            let place = self.element(&tile, position);
            self.tell_element(&tile, &place, Access::Read);
            values.extend(self.b.load(place, tile.ty, 1));
        }
        Ok(values.into())
    }

    pub(super) fn cooperative_store(
        &mut self,
        frame: &mut Frame<'a>,
        target: Handle<Expression>,
        data: &CooperativeData,
    ) -> Result<()> {
        let shape = self.types.resolved(&frame.info[target].ty)?;
        let values = self.scalars(frame, target)?;
        let tile = self.tile(frame, data)?;
        for (position, value) in self.positions(shape)?.into_iter().zip(values.iter()) {
            let place = self.element(&tile, position);
            self.tell_element(&tile, &place, Access::Write);
            self.b.push(Stmt::Store { place, ty: tile.ty, values: vec![*value] });
        }
        Ok(())
    }

    pub(super) fn cooperative_multiply_add(
        &mut self,
        frame: &mut Frame<'a>,
        a: Handle<Expression>,
        b: Handle<Expression>,
        c: Handle<Expression>,
    ) -> Result<Data> {
        let shapes = [a, b, c].map(|operand| self.types.resolved(&frame.info[operand].ty));
        let [
            Ok(Shape::Cooperative { columns: depth, rows: height, .. }),
            Ok(Shape::Cooperative { columns, rows: b_rows, .. }),
            Ok(Shape::Cooperative { columns: c_columns, rows: c_rows, scalar, .. }),
        ] = shapes
        else {
            return Err(LowerError::invalid("the operands of coopMultiplyAdd"));
        };
        if (b_rows, c_columns, c_rows) != (depth, columns, height) {
            return Err(LowerError::unsupported("`coopMultiplyAdd` with matrices of these sizes"));
        }
        self.spend((height * depth * columns) as usize / LANES)?;
        let (a, b, c) = (self.scalars(frame, a)?, self.scalars(frame, b)?, self.scalars(frame, c)?);
        let mut result = Vec::with_capacity(c.len());
        for (column, sums) in b.chunks_exact(depth as usize).zip(c.chunks_exact(height as usize)) {
            for (row, sum) in a.chunks_exact(depth as usize).zip(sums) {
                let mut sum = *sum;
                for (x, y) in row.iter().zip(column) {
                    let product = self.b.binary(BinaryOp::Mul, *x, *y);
                    sum = self.b.binary(BinaryOp::Add, sum, product);
                }
                result.push(if scalar.width == 2 { self.b.unary(UnaryOp::RoundF16, sum) } else { sum });
            }
        }
        Ok(result.into())
    }

    /// Lowers sums, differences and multiples of matrices; `None` if no operand is cooperative.
    pub(super) fn cooperative_binary(
        &mut self,
        frame: &mut Frame<'a>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Option<Data>> {
        let scalar = match (self.cooperative_scalar(frame, left), self.cooperative_scalar(frame, right)) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) if !matches!(op, BinaryOperator::Add | BinaryOperator::Subtract) => {
                return Err(LowerError::unsupported("this operator on two cooperative matrices"));
            }
            (Some(scalar), _) | (None, Some(scalar)) => scalar,
        };
        let inner = TypeInner::Scalar(scalar);
        let (a, b) = (self.scalars(frame, left)?, self.scalars(frame, right)?);
        let mut result = Vec::with_capacity(a.len().max(b.len()));
        for index in 0..a.len().max(b.len()) {
            let pick = |values: &[Value]| values.get(index).copied().or(values.first().copied());
            let (Some(x), Some(y)) = (pick(&a), pick(&b)) else { break };
            let x = Operand { inner: &inner, values: &[x] };
            let y = Operand { inner: &inner, values: &[y] };
            result.extend(pure::binary(&mut self.b, op, x, y)?);
        }
        Ok(Some(result.into()))
    }

    /// Lowers the negation of a matrix; `None` if the operand is not cooperative.
    pub(super) fn cooperative_unary(
        &mut self,
        frame: &mut Frame<'a>,
        op: UnaryOperator,
        operand: Handle<Expression>,
    ) -> Result<Option<Data>> {
        let Some(scalar) = self.cooperative_scalar(frame, operand) else { return Ok(None) };
        let inner = TypeInner::Scalar(scalar);
        let mut result = Vec::new();
        for value in self.scalars(frame, operand)?.iter() {
            result.extend(pure::unary(&mut self.b, op, Operand { inner: &inner, values: &[*value] })?);
        }
        Ok(Some(result.into()))
    }

    fn cooperative_scalar(&self, frame: &Frame<'a>, operand: Handle<Expression>) -> Option<naga::Scalar> {
        match *frame.info[operand].ty.inner_with(&self.module.types) {
            TypeInner::CooperativeMatrix { scalar, .. } => Some(scalar),
            _ => None,
        }
    }

    fn tile(&mut self, frame: &mut Frame<'a>, data: &CooperativeData) -> Result<Tile> {
        if !self.b.function().invocations().is_multiple_of(LANES as u32) {
            return Err(LowerError::new(format!(
                "cooperative matrices need a workgroup size that is a multiple of {LANES} invocations on the CPU"
            )));
        }
        let mut pointer = self.pointer(frame, data.pointer)?;
        let stride = self.scalar(frame, data.stride)?;
        let elements = match pointer.shape {
            Shape::Scalar(scalar) => Some((scalar, 1)),
            // Vectors of three components are followed by a gap, so an array of them is not contiguous.
            Shape::Vector(size, scalar) if size != VectorSize::Tri => Some((scalar, size as u32)),
            _ => None,
        };
        let (Some((scalar, width)), Root::Memory(space), Some(mut step)) = (elements, &pointer.root, pointer.step)
        else {
            return Err(LowerError::unsupported("a cooperative matrix that is not in an array of numbers"));
        };
        let space = *space;
        pointer.indices.truncate(step.indices);
        for index in &mut pointer.indices {
            index.value = self.same_in_subgroup(index.value);
        }
        step.index.value = self.same_in_subgroup(step.index.value);
        let mut stride = self.same_in_subgroup(stride);
        if width > 1 {
            // The index and the stride count vectors; from here on they count components.
            let factor = self.b.u32(width);
            step.index.value = self.b.binary(BinaryOp::Mul, step.index.value, factor);
            stride = self.b.binary(BinaryOp::Mul, stride, factor);
        }
        Ok(Tile { pointer, space, step, ty: mem_type(scalar)?, width, stride, row_major: data.row_major })
    }

    /// A value that is the same in all lanes, computed so that the analysis of lanes recognises it as uniform.
    fn same_in_subgroup(&mut self, value: Value) -> Value {
        let value = self.index_value(value);
        if self.b.known(value).is_some() { value } else { self.b.subgroup(SubgroupOp::First, value, None) }
    }

    /// The row and column of each scalar of a lane, in order, and whether the lane's number is added to the column.
    fn positions(&self, shape: Shape) -> Result<Vec<(u32, u32, bool)>> {
        match shape {
            Shape::Cooperative { columns, rows, role: CooperativeRole::A, .. } => {
                Ok((0..rows).flat_map(|row| (0..columns).map(move |column| (row, column, false))).collect())
            }
            Shape::Cooperative { columns, rows, .. } => {
                let firsts = (0..columns).step_by(LANES);
                Ok(firsts.flat_map(|column| (0..rows).map(move |row| (row, column, true))).collect())
            }
            _ => Err(LowerError::invalid("a cooperative matrix")),
        }
    }

    /// Reports an access to one element of a matrix. Lanes that have the same element do not race for it.
    fn tell_element(&mut self, tile: &Tile, place: &Place, access: Access) {
        if let Some(tracking) = &tile.pointer.tracking {
            let tracking = Tracking { races: false, ..tracking.clone() };
            self.report_access(&tracking, place.space, &place.indices, vec![(place.offset, tile.ty.bytes())], access);
        }
    }

    fn element(&mut self, tile: &Tile, (row, column, own): (u32, u32, bool)) -> Place {
        let (far, near) = if tile.row_major { (row, column) } else { (column, row) };
        let (far, near) = (self.b.u32(far), self.b.u32(near));
        let lane = if own { self.b.input(Input::Lane) } else { self.b.u32(0) };
        // The part that depends on the lane is added last, so that the other part of the sum is uniform.
        let distance = self.b.binary(BinaryOp::Mul, tile.stride, far);
        let start = self.b.binary(BinaryOp::Add, tile.step.index.value, distance);
        let start = self.b.binary(BinaryOp::Add, start, near);
        let by_lane = if tile.row_major { lane } else { self.b.binary(BinaryOp::Mul, lane, tile.stride) };
        let value = self.b.binary(BinaryOp::Add, start, by_lane);
        let mut indices = tile.pointer.indices.clone();
        let (value, component) = if tile.width == 1 {
            (value, None)
        } else {
            let width = self.b.u32(tile.width);
            let component = self.b.binary(BinaryOp::RemU, value, width);
            (self.b.binary(BinaryOp::DivU, value, width), Some(component))
        };
        indices.push(Index { value, proven: self.unchecked, ..tile.step.index });
        indices.extend(component.map(|value| Index {
            value,
            stride: tile.ty.bytes(),
            count: Count::Fixed(tile.width),
            proven: true,
        }));
        Place { space: tile.space, offset: tile.step.offset, indices }
    }
}
