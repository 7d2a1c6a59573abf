//! Kernels whose workgroups take the control flow around barriers together.
//!
//! If every condition around a barrier is the same in all invocations of a workgroup, that control flow is generated
//! once for the workgroup. The statements between barriers are *regions*: each is a loop over the lane groups. Values
//! and variables that are the same in the workgroup are scalars outside of these loops. Lane groups keep everything else
//! that several regions need in their frames. Other kernels suspend lane groups at barriers, see [`super::barrier`].

mod kept;
mod region;
mod same;

use cranelift_codegen::ir::{self as cl, InstBuilder};

use super::barrier::Kept;
use super::generator::{Generator, Held};
use crate::ir::{Label, Stmt, Value, Var};
use kept::Keeping;
use same::Same;

/// The control flow that a workgroup takes together, and the state of its generation.
pub(super) struct Joint {
    same: Same,
    /// The regions in reading order.
    regions: Vec<Keeping>,
    /// The number of the region that is generated next.
    next: usize,
    /// The frame of the first group.
    base: cl::Value,
    /// The size of a group's frame.
    frame_bytes: cl::Value,
    /// The coordinates of the workgroup.
    workgroup: [cl::Value; 3],
}

/// A part of a list of statements that all invocations of a workgroup enter together.
enum Piece<'s> {
    Barrier,
    /// A branch, block, loop or exit that all invocations take together.
    Joint(&'s Stmt),
    Region(Region<'s>),
}

/// Statements without barriers.
#[derive(Clone, Copy)]
struct Region<'s> {
    statements: &'s [Stmt],
    /// The block that invocations may leave within the statements: nothing follows it in the kernel.
    leaves: Option<Label>,
}

/// Divides a list. `last` is the innermost block around the list if nothing follows the list up to the end of the kernel.
fn pieces(list: &[Stmt], last: Option<Option<Label>>) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    // Nothing waits for the invocations that leave the statements after the last barrier early.
    let tail = list.iter().rposition(has_barrier).map_or(0, |at| at + 1);
    let leaves = last
        .flatten()
        .filter(|label| !stays(&list[tail..], &mut Vec::new()) && stays(&list[tail..], &mut vec![*label]));
    let end = if leaves.is_some() { tail } else { list.len() };
    for (at, statement) in list[..end].iter().enumerate() {
        let joint = has_barrier(statement) || !stays(std::slice::from_ref(statement), &mut Vec::new());
        if joint {
            if start < at {
                pieces.push(Piece::Region(Region { statements: &list[start..at], leaves: None }));
            }
            pieces.push(if matches!(statement, Stmt::Barrier(_)) { Piece::Barrier } else { Piece::Joint(statement) });
            start = at + 1;
        }
    }
    if start < list.len() {
        pieces.push(Piece::Region(Region { statements: &list[start..], leaves }));
    }
    pieces
}

/// The innermost block around a list of `statement`, the last one of a list, if nothing follows it.
fn last_within(statement: &Stmt, is_last: bool, last: Option<Option<Label>>) -> Option<Option<Label>> {
    match statement {
        _ if !is_last => None,
        Stmt::Block { label, .. } => last.map(|_| Some(*label)),
        Stmt::If { .. } => last,
        _ => None,
    }
}

fn has_barrier(statement: &Stmt) -> bool {
    match statement {
        Stmt::Barrier(_) => true,
        Stmt::If { accept, reject, .. } => accept.iter().chain(reject).any(has_barrier),
        Stmt::Block { body, .. } | Stmt::Loop { body, .. } => body.iter().any(has_barrier),
        _ => false,
    }
}

/// Whether statements have no exit to a block around them, except to those of `inner`.
fn stays(statements: &[Stmt], inner: &mut Vec<Label>) -> bool {
    statements.iter().all(|statement| match statement {
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

impl Generator<'_, '_> {
    /// Generates the body for all lane groups of a workgroup, if its invocations take all control flow around barriers
    /// together. Returns whether they do.
    pub(super) fn groups_jointly(&mut self, workgroup: [cl::Value; 3], next: cl::Block) -> bool {
        let function = self.function;
        let Some(same) = self.find_same_in_workgroup() else { return false };
        let regions = kept::find(function, &same);
        for what in regions.iter().flat_map(|region| &region.save) {
            if let Kept::Value(value) = *what
                && !matches!(self.values[value.0 as usize], Held::Kept(_))
            {
                let variables = self.new_variables(function.class(value), self.form(value));
                self.values[value.0 as usize] = Held::Kept(variables);
            }
        }
        self.allow_steps();
        let base = self.constants_private();
        let frame_bytes = self.frame_bytes();
        self.joint = Some(Joint { same, regions, next: 0, base, frame_bytes, workgroup });
        self.all_lanes();
        self.joint_list(&function.body, Some(None));
        self.joint = None;
        self.b.ins().jump(next, &[]);
        self.set_frame_bytes(frame_bytes);
        true
    }

    /// Sets the mask outside of regions.
    fn all_lanes(&mut self) {
        let all = self.emit().known_mask(|_| true);
        self.define_mask(self.flow.mask, all.into_iter().collect());
        self.flow.masked = false;
    }

    /// Generates a list that all invocations enter together.
    fn joint_list(&mut self, list: &[Stmt], last: Option<Option<Label>>) {
        let pieces = pieces(list, last);
        let count = pieces.len();
        for (at, piece) in pieces.into_iter().enumerate() {
            match piece {
                Piece::Barrier => self.order_memory(),
                Piece::Joint(statement) => {
                    self.joint_statement(statement, last_within(statement, at + 1 == count, last));
                }
                Piece::Region(region) => self.joint_region(region),
            }
        }
    }

    fn joint_statement(&mut self, statement: &Stmt, last: Option<Option<Label>>) {
        match statement {
            Stmt::If { condition, accept, reject } => {
                let condition = self.scalar(*condition);
                let (on_accept, on_reject, join) =
                    (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.b.ins().brif(condition, on_accept, &[], on_reject, &[]);
                for (block, list) in [(on_accept, accept), (on_reject, reject)] {
                    self.switch_sealed(block);
                    self.joint_list(list, last);
                    self.b.ins().jump(join, &[]);
                }
                self.switch_sealed(join);
            }
            Stmt::Block { label, body } => {
                let end = self.b.create_block();
                self.set_target(*label, end);
                self.joint_list(body, last);
                self.b.ins().jump(end, &[]);
                self.switch_sealed(end);
            }
            Stmt::Loop { body, site, turns } => {
                let (header, after) = (self.b.create_block(), self.b.create_block());
                self.b.ins().jump(header, &[]);
                self.b.switch_to_block(header);
                self.begin_turn(body, *site, *turns);
                self.joint_list(body, None);
                self.flow.loops -= 1;
                self.b.ins().jump(header, &[]);
                self.b.seal_block(header);
                // Only exits leave the loop.
                self.switch_sealed(after);
            }
            Stmt::Exit(label) => self.exit(*label),
            _ => unreachable!("no other statement is generated for a whole workgroup"),
        }
        self.flow.reachable = true;
    }

    /// Whether a value is evaluated outside of the loops over lane groups.
    pub(super) fn is_joint(&self, value: Value) -> bool {
        self.joint.as_ref().is_some_and(|joint| joint.same.has(value))
    }

    /// Whether a variable changes outside of the loops over lane groups only.
    pub(super) fn is_joint_var(&self, var: Var) -> bool {
        self.joint.as_ref().is_some_and(|joint| joint.same.has_var(var))
    }
}
