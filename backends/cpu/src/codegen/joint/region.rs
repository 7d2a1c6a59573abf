//! The loop over the lane groups of a region.

use std::ops::Range;

use cranelift_codegen::ir::{InstBuilder, condcodes::IntCC, types};

use super::super::agree::count_writes;
use super::super::analysis::groups_where;
use super::super::barrier::Kept;
use super::super::generator::Generator;
use super::kept::{Keeping, parts};
use super::{Joint, Region};
use crate::ir::{Inst, Stmt, Value};

impl Generator<'_, '_> {
    /// Generates a region: the values that are the same in the workgroup, then the loop over its lane groups.
    pub(super) fn joint_region(&mut self, region: Region<'_>) {
        let Some(Joint { same, .. }) = &self.joint else { return };
        for part in parts(self.function, same, region) {
            self.part_of_region(part);
        }
    }

    fn part_of_region(&mut self, region: Region<'_>) {
        let Some(joint) = &mut self.joint else { return };
        let keeping = std::mem::take(&mut joint.regions[joint.next]);
        joint.next += 1;
        self.evaluate_jointly(region.statements);
        let Some(range) = self.groups_with_effect(region, &keeping) else {
            self.flow.writes += count_writes(region.statements);
            return;
        };
        self.loop_over_groups(region, &keeping, range);
        self.all_lanes();
    }

    /// Evaluates what is the same in the workgroup. The loop over lane groups leaves it out.
    fn evaluate_jointly(&mut self, statements: &[Stmt]) {
        for statement in statements {
            match statement {
                Stmt::Let(value) if self.is_joint(*value) && !self.is_hoisted(*value) => self.evaluate(*value),
                Stmt::Declare(var, value) | Stmt::Write(var, value) if self.is_joint_var(*var) => {
                    self.write(*var, *value, false);
                }
                _ => {}
            }
        }
    }

    fn loop_over_groups(&mut self, region: Region<'_>, keeping: &Keeping, range: Range<u32>) {
        let Some(Joint { base, frame_bytes, workgroup, .. }) = self.joint else { return };
        // The values that belong to the lane group of the loop.
        let inputs: Vec<_> = self.used_inputs().into_iter().map(|(value, _)| value).collect();
        let held: Vec<_> = inputs.iter().map(|value| self.values[value.0 as usize].clone()).collect();
        let (private, entry, place) = (self.private, self.flow.entry, self.calling.place);
        let (header, after) = (self.b.create_block(), self.b.create_block());
        let index = self.b.append_block_param(header, types::I32);
        let first = self.b.ins().iconst(types::I32, i64::from(range.start));
        self.b.ins().jump(header, &[first.into()]);
        self.b.switch_to_block(header);
        self.private = self.private_of(index, base, frame_bytes);
        self.begin_group(index, workgroup);
        keeping.restore.iter().for_each(|what| self.restore(*what));
        keeping.again.iter().for_each(|value| self.evaluate(*value));
        match region.leaves {
            Some(label) => self.block(label, region.statements),
            None => self.list(region.statements),
        }
        if self.flow.reachable {
            keeping.save.iter().for_each(|what| self.save(*what));
            let following = self.b.ins().iadd_imm_s(index, 1);
            let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, i64::from(range.end));
            self.b.ins().brif(more, header, &[following.into()], after, &[]);
        }
        self.flow.reachable = true;
        self.b.seal_block(header);
        self.switch_sealed(after);
        for (value, held) in inputs.into_iter().zip(held) {
            self.values[value.0 as usize] = held;
        }
        (self.private, self.flow.entry, self.calling.place) = (private, entry, place);
    }

    /// The groups for which a region has an effect: all, unless every effect is under conditions on the position of an
    /// invocation; `None` if there is no effect at all.
    fn groups_with_effect(&self, region: Region<'_>, keeping: &Keeping) -> Option<Range<u32>> {
        let all = Some(0..self.lane_groups());
        if region.leaves.is_some() {
            return all;
        }
        let mut range: Option<Range<u32>> = None;
        for statement in region.statements {
            match statement {
                Stmt::Let(value) if self.is_joint(*value) => {}
                Stmt::Let(value) => {
                    let parts = if let Inst::Load(_, _, count) = self.function.inst(*value) { *count } else { 1 };
                    let mut parts = (0..u32::from(parts)).map(|part| Kept::Value(Value(value.0 + part)));
                    let effect = matches!(self.function.inst(*value), Inst::Atomic { .. });
                    if effect || parts.any(|part| keeping.save.contains(&part)) {
                        return all;
                    }
                }
                Stmt::Declare(var, _) | Stmt::Write(var, _)
                    if self.is_joint_var(*var) || !keeping.save.contains(&Kept::Var(*var)) => {}
                Stmt::If { condition, accept: _, reject } if reject.is_empty() => {
                    // Groups that are left out keep the values of variables in their frames.
                    let groups = groups_where(self.function, *condition, self.target.lanes);
                    range = match range {
                        _ if groups.is_empty() => range,
                        Some(range) => Some(range.start.min(groups.start)..range.end.max(groups.end)),
                        None => Some(groups),
                    };
                }
                _ => return all,
            }
        }
        range
    }
}
