//! Lowers subgroup built-in functions. A subgroup is one lane group.

use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, Scalar, ScalarKind, SubgroupOperation};

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::value::Data;
use crate::ir::{BinaryOp, Input, SubgroupOp, UnaryOp, Value};

impl<'a> Lowering<'a> {
    pub(super) fn ballot(
        &mut self,
        frame: &mut Frame<'a>,
        result: Handle<Expression>,
        predicate: Option<Handle<Expression>>,
    ) -> Result<()> {
        let predicate = match predicate {
            Some(predicate) => self.scalar(frame, predicate)?,
            None => self.b.bool(true),
        };
        let bits = self.b.subgroup(SubgroupOp::Ballot, predicate, None);
        let zero = self.b.u32(0);
        self.bind(frame, result, vec![bits, zero, zero, zero].into());
        Ok(())
    }

    pub(super) fn gather(
        &mut self,
        frame: &mut Frame<'a>,
        mode: GatherMode,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let values = self.scalars(frame, argument)?;
        let lane = match mode {
            GatherMode::BroadcastFirst => None,
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) => Some(self.scalar(frame, lane)?),
            GatherMode::ShuffleDown(by) => Some(self.relative_lane(frame, BinaryOp::Add, by)?),
            GatherMode::ShuffleUp(by) => Some(self.relative_lane(frame, BinaryOp::Sub, by)?),
            GatherMode::ShuffleXor(mask) => Some(self.relative_lane(frame, BinaryOp::Xor, mask)?),
            GatherMode::QuadBroadcast(lane) => {
                let (three, within) = (self.b.u32(3), self.scalar(frame, lane)?);
                let within = self.b.binary(BinaryOp::And, within, three);
                let mask = self.b.unary(UnaryOp::Not, three);
                let own = self.b.input(Input::Lane);
                let first = self.b.binary(BinaryOp::And, own, mask);
                Some(self.b.binary(BinaryOp::Or, first, within))
            }
            GatherMode::QuadSwap(direction) => {
                let mask = self.b.u32(match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                });
                let own = self.b.input(Input::Lane);
                Some(self.b.binary(BinaryOp::Xor, own, mask))
            }
        };
        let op = if lane.is_some() { SubgroupOp::Shuffle } else { SubgroupOp::First };
        let gathered: Vec<Value> = values.iter().map(|value| self.b.subgroup(op, *value, lane)).collect();
        self.bind(frame, result, gathered.into());
        Ok(())
    }

    fn relative_lane(&mut self, frame: &mut Frame<'a>, op: BinaryOp, by: Handle<Expression>) -> Result<Value> {
        let by = self.scalar(frame, by)?;
        let own = self.b.input(Input::Lane);
        Ok(self.b.binary(op, own, by))
    }

    pub(super) fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        operation: SubgroupOperation,
        collective: CollectiveOperation,
        argument: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let scalar = frame.info[argument].ty.inner_with(&self.module.types).scalar();
        let scalar = scalar.ok_or_else(|| LowerError::invalid("a subgroup operation on a composite"))?;
        let op = subgroup_op(operation, collective, scalar)?;
        let values = self.scalars(frame, argument)?;
        let results: Vec<Value> = values
            .iter()
            .map(|value| {
                let result = self.b.subgroup(op, *value, None);
                self.rounded(result, scalar, op)
            })
            .collect();
        self.bind(frame, result, Data::from(results));
        Ok(())
    }

    /// Reduces a result to its 16-bit type: sums, products and similar operations are computed in 32 bits.
    fn rounded(&mut self, value: Value, scalar: Scalar, op: SubgroupOp) -> Value {
        let grows = !matches!(
            op,
            SubgroupOp::Min | SubgroupOp::Max | SubgroupOp::MinU | SubgroupOp::MaxU | SubgroupOp::And | SubgroupOp::Or
        );
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 2) if grows => self.b.unary(UnaryOp::RoundF16, value),
            (ScalarKind::Uint, 2) if grows => {
                let mask = self.b.u32(0xffff);
                self.b.binary(BinaryOp::And, value, mask)
            }
            (ScalarKind::Sint, 2) if grows => {
                let by = self.b.u32(16);
                let high = self.b.binary(BinaryOp::Shl, value, by);
                self.b.binary(BinaryOp::ShrS, high, by)
            }
            _ => value,
        }
    }
}

fn subgroup_op(operation: SubgroupOperation, collective: CollectiveOperation, scalar: Scalar) -> Result<SubgroupOp> {
    use CollectiveOperation::{ExclusiveScan, InclusiveScan, Reduce};
    let is_unsigned = scalar.kind == ScalarKind::Uint;
    Ok(match (operation, collective) {
        (SubgroupOperation::Add, Reduce) => SubgroupOp::Add,
        (SubgroupOperation::Add, InclusiveScan) => SubgroupOp::InclusiveAdd,
        (SubgroupOperation::Add, ExclusiveScan) => SubgroupOp::ExclusiveAdd,
        (SubgroupOperation::Mul, Reduce) => SubgroupOp::Mul,
        (SubgroupOperation::Mul, InclusiveScan) => SubgroupOp::InclusiveMul,
        (SubgroupOperation::Mul, ExclusiveScan) => SubgroupOp::ExclusiveMul,
        (_, InclusiveScan | ExclusiveScan) => return Err(LowerError::unsupported("this scan over a subgroup")),
        (SubgroupOperation::Min, Reduce) if is_unsigned => SubgroupOp::MinU,
        (SubgroupOperation::Min, Reduce) => SubgroupOp::Min,
        (SubgroupOperation::Max, Reduce) if is_unsigned => SubgroupOp::MaxU,
        (SubgroupOperation::Max, Reduce) => SubgroupOp::Max,
        (SubgroupOperation::All | SubgroupOperation::And, Reduce) => SubgroupOp::And,
        (SubgroupOperation::Any | SubgroupOperation::Or, Reduce) => SubgroupOp::Or,
        (SubgroupOperation::Xor, Reduce) => SubgroupOp::Xor,
    })
}
