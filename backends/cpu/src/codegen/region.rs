//! Regions: the statements between two barriers of one list, or after the last barrier of the kernel.
//!
//! Where all groups have arrived at a barrier, the region after it is generated as a loop over the lane groups, instead
//! of a part of the body that each group enters and leaves through the table of resume points. The loop saves only what
//! the region changes. If all effects of the region are under conditions on the position of an invocation in its
//! workgroup, such as `local < 16`, the loop leaves out groups for which the conditions are false.

use std::ops::Range;

use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};

use super::analysis::groups_where;
use super::barrier::{Groups, Kept};
use super::generator::Generator;
use super::kernel::lane_groups;
use crate::ir::{Inst, Label, SiteId, Stmt, Value, Var};

/// A region that can be a loop of its own.
struct Region<'s> {
    statements: &'s [Stmt],
    /// The site of the barrier at its end; `None` at the end of the kernel.
    end: Option<SiteId>,
}

impl<'s> Region<'s> {
    /// The region at the start of `rest`; `None` if it must remain part of the body.
    fn first_of(rest: &'s [Stmt], is_last: bool) -> Option<Self> {
        let end = rest.iter().position(|statement| matches!(statement, Stmt::Barrier(_)));
        let statements = &rest[..end.unwrap_or(rest.len())];
        let end = match end.map(|end| &rest[end]) {
            Some(Stmt::Barrier(site)) => Some(*site),
            _ if is_last => None,
            _ => return None,
        };
        stays(statements, &mut Vec::new()).then_some(Self { statements, end })
    }
}

/// Whether statements contain no barrier, and no exit to a block around them.
fn stays(statements: &[Stmt], inner: &mut Vec<Label>) -> bool {
    statements.iter().all(|statement| match statement {
        Stmt::Barrier(_) => false,
        Stmt::Exit(label) => inner.contains(label),
        Stmt::If { accept, reject, .. } => stays(accept, inner) && stays(reject, inner),
        Stmt::Loop { body, .. } => stays(body, inner),
        Stmt::Block { label, body } => {
            inner.push(*label);
            let stays = stays(body, inner);
            inner.pop();
            stays
        }
        _ => true,
    })
}

/// Calls `see` for each variable that statements declare or write.
fn written(statements: &[Stmt], see: &mut impl FnMut(Var)) {
    for statement in statements {
        match statement {
            Stmt::Declare(var, _) | Stmt::Write(var, _) => see(*var),
            Stmt::If { accept, reject, .. } => {
                written(accept, see);
                written(reject, see);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => written(body, see),
            _ => {}
        }
    }
}

impl Generator<'_, '_> {
    /// Generates the regions at the start of `rest` as loops, in the block that is entered when all groups have arrived
    /// at the barrier `number`. Returns the barrier at which groups resume afterwards, and the number of statements that
    /// were generated. At the end of the kernel, the point after them cannot be reached.
    pub(super) fn regions(&mut self, number: usize, rest: &[Stmt], is_last: bool, groups: &Groups) -> (usize, usize) {
        let (mut number, mut done) = (number, 0);
        if !self.function.checks.is_empty() {
            return (number, done);
        }
        // The values that belong to the group of the loop over the body.
        let inputs: Vec<_> = self.used_inputs().into_iter().map(|(value, _)| value).collect();
        let held: Vec<_> = inputs.iter().map(|value| self.values[value.0 as usize].clone()).collect();
        let (private, entry, place) = (self.private, self.flow.entry, self.calling.place);
        while let Some(region) = Region::first_of(&rest[done..], is_last) {
            done += region.statements.len();
            let next = region.end.map(|_| self.suspend.next_barrier());
            self.region(&region, number, next, groups);
            let (Some(site), Some(next)) = (region.end, next) else {
                self.b.ins().jump(groups.next_workgroup, &[]);
                let dead = self.b.create_block();
                self.switch_sealed(dead);
                self.flow.reachable = false;
                break;
            };
            done += 1;
            number = next;
            let site = self.b.ins().iconst(types::I32, i64::from(site.0));
            self.set_site(site);
            self.order_memory();
        }
        for (value, held) in inputs.into_iter().zip(held) {
            self.values[value.0 as usize] = held;
        }
        (self.private, self.flow.entry, self.calling.place) = (private, entry, place);
        if done > 0 && self.flow.reachable {
            let (point, resume) = self.resume_point();
            let zero = self.b.ins().iconst(types::I32, 0);
            self.b.ins().jump(groups.header, &[zero.into(), point.into(), zero.into()]);
            self.b.switch_to_block(resume);
        }
        (number, done)
    }

    /// Generates the loop over the groups of a region from barrier `from` to barrier `to`.
    fn region(&mut self, region: &Region<'_>, from: usize, to: Option<usize>, groups: &Groups) {
        let range = self.groups_with_effect(region.statements, from, to);
        let (header, after) = (self.b.create_block(), self.b.create_block());
        let index = self.b.append_block_param(header, types::I32);
        let first = self.b.ins().iconst(types::I32, i64::from(range.start));
        self.b.ins().jump(header, &[first.into()]);
        self.b.switch_to_block(header);
        self.private = self.private_of(index, groups.base, groups.frame_bytes);
        self.begin_group(index, groups.workgroup);
        self.kept_at(from).iter().for_each(|what| self.restore(*what));
        self.rejoin();
        self.list(region.statements);
        if let (Some(site), true) = (region.end, self.flow.masked && self.flow.reachable) {
            self.require_all_lanes(site);
        }
        if self.flow.reachable {
            for what in to.map(|to| self.changed_by(region.statements, from, to)).unwrap_or_default() {
                self.save(what);
            }
            self.next_group(index, range.end, header, after);
        }
        self.flow.reachable = true;
        self.b.seal_block(header);
        self.switch_sealed(after);
    }

    fn next_group(&mut self, index: cl::Value, end: u32, header: cl::Block, after: cl::Block) {
        let following = self.b.ins().iadd_imm_s(index, 1);
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, i64::from(end));
        self.b.ins().brif(more, header, &[following.into()], after, &[]);
    }

    /// The values and variables that barrier `to` saves and the region before it changes. All others that it saves are in
    /// the frame since barrier `from` or an earlier one.
    fn changed_by(&self, statements: &[Stmt], from: usize, to: usize) -> Vec<Kept> {
        let before = self.kept_at(from);
        let mut kept = self.kept_at(to);
        let mut changes = Vec::new();
        written(statements, &mut |var| changes.push(Kept::Var(var)));
        kept.retain(|what| !before.contains(what) || changes.contains(what));
        kept
    }

    /// The groups for which statements have an effect: all, unless every effect is under conditions on the position of
    /// an invocation. Never empty.
    fn groups_with_effect(&self, statements: &[Stmt], from: usize, to: Option<usize>) -> Range<u32> {
        let all = 0..lane_groups(self.function);
        let (before, after) = (self.kept_at(from), to.map(|to| self.kept_at(to)).unwrap_or_default());
        let mut range: Option<Range<u32>> = None;
        for statement in statements {
            match statement {
                Stmt::Let(value) => {
                    let parts = if let Inst::Load(_, _, count) = self.function.inst(*value) { *count } else { 1 };
                    let mut parts = (0..u32::from(parts)).map(|part| Kept::Value(Value(value.0 + part)));
                    let effect = matches!(self.function.inst(*value), Inst::Atomic { .. });
                    if effect || parts.any(|part| after.contains(&part)) {
                        return all;
                    }
                }
                Stmt::Declare(var, _) if !after.contains(&Kept::Var(*var)) => {}
                Stmt::If { condition, accept, reject } if reject.is_empty() => {
                    // A variable that becomes live here would keep no value in the groups that are left out.
                    let mut becomes_live = false;
                    written(accept, &mut |var| {
                        becomes_live |= after.contains(&Kept::Var(var)) && !before.contains(&Kept::Var(var));
                    });
                    if becomes_live {
                        return all;
                    }
                    let groups = groups_where(self.function, *condition);
                    range = match range {
                        _ if groups.is_empty() => range,
                        Some(range) => Some(range.start.min(groups.start)..range.end.max(groups.end)),
                        None => Some(groups),
                    };
                }
                _ => return all,
            }
        }
        range.unwrap_or(0..1)
    }
}
