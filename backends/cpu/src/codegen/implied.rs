//! Conditions that follow from others, and indices that differ by constants.

use cranelift_codegen::ir::{self as cl, InstructionData, Opcode, ValueDef, condcodes::IntCC};

use super::generator::Generator;
use super::likely::Conditions;

/// The sum of a value and a constant, wrapping.
type Sum = (cl::Value, i32);

/// A test of lane 0's value of a linear value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    /// The value is at least this limit.
    Low(Limit),
    /// The value plus the distance to the last lane is at most this limit. Both are computed with 64 bits.
    High(i64, Limit),
}

/// A limit of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    Constant(i64),
    Value(cl::Value),
}

impl Generator<'_, '_> {
    /// Leaves out conditions that follow from others. For neighbours in a row of which all must be between two limits, the
    /// tests of the first one and the upper test of the last one are enough: the first value plus the distance to the
    /// last lane is below the upper limit, so that a value no farther from it does not wrap.
    pub(super) fn without_implied(&self, conditions: &Conditions) -> Conditions {
        let tests: Vec<Option<(Sum, Bound)>> = conditions.iter().map(|condition| self.bound(*condition)).collect();
        let has = |sum: Sum, bound: Bound| tests.contains(&Some((sum, bound)));
        let implied = |&(sum, bound): &(Sum, Bound)| {
            // The values of the same root that are tested against the same limits.
            let Some((reach, high, low)) = tests.iter().flatten().find_map(|(of, other)| match (bound, *other) {
                (Bound::Low(low), Bound::High(reach, high)) | (Bound::High(reach, high), Bound::Low(low))
                    if *of == sum =>
                {
                    Some((reach, high, low))
                }
                _ => None,
            }) else {
                return false;
            };
            let row = tests.iter().flatten().filter(|((root, offset), bound)| {
                *root == sum.0 && *bound == Bound::Low(low) && has((*root, *offset), Bound::High(reach, high))
            });
            let offsets = row.map(|((_, offset), _)| i64::from(*offset));
            let (Some(first), Some(last)) = (offsets.clone().min(), offsets.max()) else { return false };
            let own = i64::from(sum.1);
            last - first <= reach && own != first && (matches!(bound, Bound::Low(_)) || own != last)
        };
        let kept = conditions.iter().zip(&tests).filter(|(_, test)| !test.as_ref().is_some_and(implied));
        kept.map(|(condition, _)| *condition).collect()
    }

    /// The test that a condition is.
    fn bound(&self, condition: cl::Value) -> Option<(Sum, Bound)> {
        let InstructionData::IntCompare { args: [a, b], cond, .. } = *self.instruction(condition)? else { return None };
        let limit = self.unary(Opcode::Sextend, b)?;
        let limit = self.constant(limit).map_or(Limit::Value(limit), Limit::Constant);
        match cond {
            IntCC::SignedGreaterThanOrEqual => Some((self.sum(self.unary(Opcode::Sextend, a)?), Bound::Low(limit))),
            IntCC::SignedLessThanOrEqual => {
                let [start, reach] = self.binary(Opcode::Iadd, a)?;
                let sum = self.sum(self.unary(Opcode::Sextend, start)?);
                Some((sum, Bound::High(self.constant(reach)?, limit)))
            }
            _ => None,
        }
    }

    /// A value of 32 bits as the sum of another one and a constant.
    fn sum(&self, value: cl::Value) -> Sum {
        let value = self.b.func.dfg.resolve_aliases(value);
        let with = |opcode, negative: bool| {
            let [a, b] = self.binary(opcode, value)?;
            let constant = self.constant(b)? as i32;
            let (root, so_far) = self.sum(a);
            Some((root, so_far.wrapping_add(if negative { constant.wrapping_neg() } else { constant })))
        };
        with(Opcode::Iadd, false).or_else(|| with(Opcode::Isub, true)).unwrap_or((value, 0))
    }

    /// A value of 32 bits as the sum of one or two others and a constant.
    pub(super) fn sum_of_two(&self, value: cl::Value) -> ((cl::Value, Option<cl::Value>), i32) {
        let (value, more) = self.sum(value);
        match self.binary(Opcode::Iadd, value) {
            Some(operands) => {
                let [(a, of_a), (b, of_b)] = operands.map(|operand| self.sum(operand));
                ((a, Some(b)), more.wrapping_add(of_a).wrapping_add(of_b))
            }
            None => ((value, None), more),
        }
    }

    fn instruction(&self, value: cl::Value) -> Option<&InstructionData> {
        let dfg = &self.b.func.dfg;
        match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) => Some(&dfg.insts[inst]),
            _ => None,
        }
    }

    fn unary(&self, wanted: Opcode, value: cl::Value) -> Option<cl::Value> {
        match *self.instruction(value)? {
            InstructionData::Unary { opcode, arg } if opcode == wanted => Some(self.b.func.dfg.resolve_aliases(arg)),
            _ => None,
        }
    }

    fn binary(&self, wanted: Opcode, value: cl::Value) -> Option<[cl::Value; 2]> {
        match *self.instruction(value)? {
            InstructionData::Binary { opcode, args } if opcode == wanted => {
                Some(args.map(|arg| self.b.func.dfg.resolve_aliases(arg)))
            }
            _ => None,
        }
    }

    fn constant(&self, value: cl::Value) -> Option<i64> {
        match *self.instruction(value)? {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }
}
