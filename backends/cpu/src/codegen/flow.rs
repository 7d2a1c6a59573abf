//! Control flow: real branches where all lanes agree, masks where they diverge.
//!
//! The mask of active lanes is a Cranelift variable and always correct; `masked` is set if it may have fewer lanes than
//! the group. Lanes that leave a block before the others are collected in the block's own mask and rejoin at its end.

mod mask;
mod repeat;
mod shape;

use cranelift_codegen::ir::{self as cl, InstBuilder};
use cranelift_frontend::Variable;

use super::generator::{Generator, Mask};
use super::masks::Masks;
use crate::ir::{Label, List, Stmt, Value};
pub(super) use shape::is_heavy;

/// A mask that is saved in Cranelift variables while other code runs, so that the mask survives barriers.
pub(super) type SavedMask = Masks<Variable>;

/// The state of control flow.
pub(super) struct Flow {
    /// The active lanes.
    pub(super) mask: SavedMask,
    /// The lanes that are active when the kernel or function begins: all lanes, unless a workgroup ends within a group
    /// or a call has a mask.
    pub(super) entry: Mask,
    /// Whether `entry` may have fewer than all lanes.
    pub(super) partial: bool,
    /// Whether fewer lanes than `entry` may be active.
    pub(super) masked: bool,
    /// Whether the current point can be reached.
    pub(super) reachable: bool,
    /// The number of loops of the kernel's source around the current point.
    pub(super) loops: u32,
    /// The number of divergent scopes around the current point.
    pub(super) depth: u32,
    /// By label: the target of exits, while the label's block is being generated.
    pub(super) labels: Vec<Option<Target>>,
    /// The number of writes to variables before the current point, in reading order.
    pub(super) writes: usize,
    /// The number of statements around the current point that are being compiled twice, see [`super::agree`].
    pub(super) doubled: u32,
    /// Whether the current code rarely runs, such as that for groups whose lanes take different branches.
    pub(super) rare: bool,
    /// The number of steps left, and the block that stops the kernel: its parameters are the [`Stop`](crate::abi::Stop) and the site.
    pub(super) steps: Variable,
    pub(super) stopped: cl::Block,
    /// The masks that are saved at the current point, and the value of each after a barrier.
    pub(super) saved: Vec<(SavedMask, AtBarrier)>,
}

/// The value of a saved mask after a barrier, where all lanes are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtBarrier {
    All,
    None,
}

/// The target of an exit.
#[derive(Clone, Copy)]
pub(super) struct Target {
    end: cl::Block,
    depth: u32,
    /// The mask of lanes that have left the block, if lanes may leave it at different times.
    left: Option<SavedMask>,
}

impl Generator<'_, '_> {
    /// Generates statements in order.
    pub(super) fn list(&mut self, statements: &[Stmt]) {
        let mut joins = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            if self.doubled(&statements[at..]) {
                break;
            }
            let rest = &statements[at + 1..];
            self.statement(statement);
            // The rest is skipped when no lane is active any more.
            if self.flow.reachable && self.flow.masked && self.leaves_lanes(statement) && is_heavy(rest) {
                let (go_on, join) = (self.b.create_block(), self.b.create_block());
                let any = self.any_active();
                self.b.ins().brif(any, go_on, &[], join, &[]);
                self.switch_sealed(go_on);
                joins.push(join);
            }
        }
        while let Some(join) = joins.pop() {
            self.join_skipped(join);
            self.flow.masked = true;
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Let(value) if self.is_hoisted(*value) || self.is_joint(*value) => {}
            Stmt::Let(value) => self.evaluate(*value),
            Stmt::Declare(var, value) => {
                if !self.facts.declared_in_vain[var.0 as usize] && !self.is_joint_var(*var) {
                    self.write(*var, *value, false);
                }
            }
            Stmt::Write(var, value) => {
                let masked = self.facts.masked[self.flow.writes];
                self.flow.writes += 1;
                if !self.is_joint_var(*var) {
                    self.write(*var, *value, masked);
                }
            }
            Stmt::Store { place, ty, values } => self.store(place, *ty, values),
            Stmt::If { condition, accept, reject } => {
                if self.is_uniform(*condition) {
                    self.branch(*condition, accept, reject);
                } else {
                    self.part(*condition, accept, reject);
                }
            }
            Stmt::Block { label, body } => self.block(*label, body),
            Stmt::Loop { body, site, turns } => self.repeat(body, *site, *turns),
            Stmt::Exit(label) => self.exit(*label),
            Stmt::Barrier(site) => self.barrier(*site),
            Stmt::Check(check) => self.check(check),
            Stmt::Call { callee, arguments, site } => self.call(*callee, arguments, *site),
        }
    }

    /// Generates a branch for which all lanes take the same side.
    fn branch(&mut self, condition: Value, accept: &List, reject: &List) {
        let condition = self.scalar(condition);
        let (on_accept, on_reject, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, on_accept, &[], on_reject, &[]);
        let before = self.flow.masked;
        let (mut reachable, mut masked) = (false, false);
        for (block, list) in [(on_accept, accept), (on_reject, reject)] {
            self.switch_sealed(block);
            self.flow.masked = before;
            self.flow.reachable = true;
            self.list(list);
            if self.flow.reachable {
                self.b.ins().jump(join, &[]);
                reachable = true;
                masked |= self.flow.masked;
            }
        }
        self.switch_sealed(join);
        self.flow.reachable = reachable;
        self.flow.masked = masked;
    }

    /// Generates a branch whose sides run for the lanes that take them.
    fn part(&mut self, condition: Value, accept: &List, reject: &List) {
        let condition = self.lanes(condition);
        let condition: Mask = condition.into_iter().collect();
        let (mask, was_masked) = (self.mask(), self.flow.masked);
        let base = self.flow.saved.len();
        let before = self.save_mask(mask, AtBarrier::All);
        let accepting = if self.is_masked() { self.and(condition, mask) } else { condition };
        let rejecting = self.and_not(mask, accepting);
        let rejecting = self.save_mask(rejecting, AtBarrier::None);
        let leaves = self.list_parts(accept) || self.list_parts(reject);

        self.flow.depth += 1;
        self.set_mask(accepting);
        self.flow.masked = true;
        self.guarded(accept);
        let accepted = self.mask();
        let accepted = self.save_mask(accepted, AtBarrier::None);
        let mask = self.saved_mask(rejecting);
        self.set_mask(mask);
        self.guarded(reject);
        self.flow.depth -= 1;

        if leaves {
            let (accepted, rejected) = (self.saved_mask(accepted), self.mask());
            let both = self.or(accepted, rejected);
            self.set_mask(both);
            self.flow.masked = true;
        } else {
            let mask = self.saved_mask(before);
            self.set_mask(mask);
            self.flow.masked = was_masked;
        }
        self.flow.saved.truncate(base);
    }

    /// Generates a list that is skipped when no lane is active, unless it is so short that the test costs more.
    fn guarded(&mut self, list: &List) {
        if list.is_empty() {
            return;
        }
        if !is_heavy(list) {
            self.list(list);
            return;
        }
        let (run, join) = (self.b.create_block(), self.b.create_block());
        let any = self.any_active();
        self.b.ins().brif(any, run, &[], join, &[]);
        self.switch_sealed(run);
        self.list(list);
        // Without active lanes the list is skipped, so a list that never ends does not matter.
        self.join_skipped(join);
    }

    /// Sets the target of exits that all invocations of a workgroup take together.
    pub(super) fn set_target(&mut self, label: Label, end: cl::Block) {
        self.flow.labels[label.0 as usize] = Some(Target { end, depth: self.flow.depth, left: None });
    }

    pub(super) fn block(&mut self, label: Label, body: &[Stmt]) {
        let parting = self.facts.parting[label.0 as usize];
        let (mask, was_masked) = (self.mask(), self.flow.masked);
        let base = self.flow.saved.len();
        let before = self.save_mask(mask, AtBarrier::All);
        let left = parting.then(|| {
            let none = self.no_lanes();
            self.save_mask(none, AtBarrier::None)
        });
        self.flow.depth += u32::from(parting);
        let end = self.b.create_block();
        self.flow.labels[label.0 as usize] = Some(Target { end, depth: self.flow.depth, left });
        self.list(body);
        self.flow.labels[label.0 as usize] = None;
        self.flow.depth -= u32::from(parting);
        if self.flow.reachable {
            self.b.ins().jump(end, &[]);
        }
        self.switch_sealed(end);
        self.flow.reachable = true;
        if !self.block_leaks(label, body) {
            let mask = self.saved_mask(before);
            self.set_mask(mask);
            self.flow.masked = was_masked;
        } else {
            if let Some(left) = left {
                let (mask, left) = (self.mask(), self.saved_mask(left));
                let all = self.or(mask, left);
                self.set_mask(all);
            }
            self.flow.masked = true;
        }
        self.flow.saved.truncate(base);
    }

    pub(super) fn exit(&mut self, label: Label) {
        let Some(target) = self.flow.labels[label.0 as usize] else { return };
        if let Some(left) = target.left {
            let (already, mask) = (self.saved_mask(left), self.mask());
            let all = self.or(already, mask);
            self.define_mask(left, all);
        }
        if target.depth == self.flow.depth {
            self.b.ins().jump(target.end, &[]);
            let dead = self.b.create_block();
            self.switch_sealed(dead);
            self.flow.reachable = false;
        } else {
            let none = self.no_lanes();
            self.set_mask(none);
            self.flow.masked = true;
        }
    }

    /// Continues in a block to which no more branches will be added.
    pub(super) fn switch_sealed(&mut self, block: cl::Block) {
        if self.flow.rare {
            self.b.set_cold_block(block);
        }
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }
}
