//! Operations among the lanes of a subgroup.

use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, Statement, SubgroupOperation};

use super::error::{Result, TranslateError};
use super::expr::bare;
use super::writer::FunctionWriter;

impl FunctionWriter<'_, '_> {
    /// Writes a ballot, a gather or a collective operation.
    pub(super) fn subgroup_statement(&mut self, statement: &Statement) -> Result<()> {
        match *statement {
            Statement::SubgroupBallot { result, predicate } => {
                let predicate = match predicate {
                    Some(predicate) => self.value(predicate)?,
                    None => "true".to_owned(),
                };
                self.declare(result, &format!("aw_subgroupBallot({})", bare(&predicate)));
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let (name, lane) = gather(mode);
                self.subgroup_call(name, argument, lane, result)?;
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let name = collective(op, collective_op)?;
                self.subgroup_call(name, argument, None, result)?;
            }
            _ => return Err(TranslateError::invalid("a statement without a subgroup operation")),
        }
        Ok(())
    }

    fn subgroup_call(
        &mut self,
        name: &str,
        argument: Handle<Expression>,
        lane: Option<Handle<Expression>>,
        result: Handle<Expression>,
    ) -> Result<()> {
        let mut arguments = bare(&self.value(argument)?).to_owned();
        if let Some(lane) = lane {
            arguments = format!("{arguments}, {}", bare(&self.value(lane)?));
        }
        self.declare(result, &format!("aw_{name}({arguments})"));
        Ok(())
    }
}

fn gather(mode: GatherMode) -> (&'static str, Option<Handle<Expression>>) {
    match mode {
        GatherMode::BroadcastFirst => ("subgroupBroadcastFirst", None),
        GatherMode::Broadcast(lane) => ("subgroupBroadcast", Some(lane)),
        GatherMode::Shuffle(lane) => ("subgroupShuffle", Some(lane)),
        GatherMode::ShuffleDown(distance) => ("subgroupShuffleDown", Some(distance)),
        GatherMode::ShuffleUp(distance) => ("subgroupShuffleUp", Some(distance)),
        GatherMode::ShuffleXor(mask) => ("subgroupShuffleXor", Some(mask)),
        GatherMode::QuadBroadcast(lane) => ("quadBroadcast", Some(lane)),
        GatherMode::QuadSwap(Direction::X) => ("quadSwapX", None),
        GatherMode::QuadSwap(Direction::Y) => ("quadSwapY", None),
        GatherMode::QuadSwap(Direction::Diagonal) => ("quadSwapDiagonal", None),
    }
}

fn collective(op: SubgroupOperation, kind: CollectiveOperation) -> Result<&'static str> {
    use CollectiveOperation as Kind;
    use SubgroupOperation as Op;
    Ok(match (kind, op) {
        (Kind::Reduce, Op::All) => "subgroupAll",
        (Kind::Reduce, Op::Any) => "subgroupAny",
        (Kind::Reduce, Op::Add) => "subgroupAdd",
        (Kind::Reduce, Op::Mul) => "subgroupMul",
        (Kind::Reduce, Op::Min) => "subgroupMin",
        (Kind::Reduce, Op::Max) => "subgroupMax",
        (Kind::Reduce, Op::And) => "subgroupAnd",
        (Kind::Reduce, Op::Or) => "subgroupOr",
        (Kind::Reduce, Op::Xor) => "subgroupXor",
        (Kind::InclusiveScan, Op::Add) => "subgroupInclusiveAdd",
        (Kind::InclusiveScan, Op::Mul) => "subgroupInclusiveMul",
        (Kind::ExclusiveScan, Op::Add) => "subgroupExclusiveAdd",
        (Kind::ExclusiveScan, Op::Mul) => "subgroupExclusiveMul",
        (Kind::InclusiveScan | Kind::ExclusiveScan, _) => {
            return Err(TranslateError::unsupported(format!("a scan of a subgroup with {op:?}")));
        }
    })
}
