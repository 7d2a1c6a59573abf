//! The values and variables that are the same in all invocations of a workgroup.

use super::super::generator::Generator;
use super::super::place::Touched;
use super::{Piece, Region, last_within, pieces};
use crate::ir::{Input, Inst, Label, Place, Space, Stmt, Value, Var};

/// The values and variables that are the same in all invocations of a workgroup.
pub(super) struct Same {
    /// By value: whether it is the same, and evaluated by statements that the workgroup executes together.
    values: Vec<bool>,
    /// By variable: whether it is the same, and changed only by statements that the workgroup executes together.
    vars: Vec<bool>,
}

impl Same {
    pub(super) fn has(&self, value: Value) -> bool {
        self.values[value.0 as usize]
    }

    pub(super) fn has_var(&self, var: Var) -> bool {
        self.vars[var.0 as usize]
    }
}

/// The reads of a region.
#[derive(Clone, Copy)]
struct Reads {
    /// Whether the region is between two barriers and does nothing else.
    alone: bool,
    /// Whether all invocations execute all statements of the region's list.
    all: bool,
}

/// Calls `see` for each variable that statements declare or write.
pub(super) fn written(statements: &[Stmt], see: &mut impl FnMut(Var)) {
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
    /// Finds what is the same in a workgroup: assumes that all variables are, and drops assumptions that are refuted.
    /// Returns `None` if invocations may part around a barrier.
    pub(super) fn find_same_in_workgroup(&self) -> Option<Same> {
        let function = self.function;
        if !function.checks.is_empty() {
            return None;
        }
        let mut same = Same { values: Vec::new(), vars: vec![true; function.vars.len()] };
        loop {
            same.values = function.insts.iter().map(is_same_input).collect();
            let mut refuted = Vec::new();
            self.follow(&function.body, Some(None), &mut same, &mut refuted)?;
            refuted.retain(|var| same.has_var(*var));
            if refuted.is_empty() {
                return Some(same);
            }
            refuted.into_iter().for_each(|var| same.vars[var.0 as usize] = false);
        }
    }

    /// Finds the values of a list that are the same, and the variables that are not.
    fn follow(
        &self,
        list: &[Stmt],
        last: Option<Option<Label>>,
        same: &mut Same,
        refuted: &mut Vec<Var>,
    ) -> Option<()> {
        let pieces = pieces(list, last);
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Barrier => {}
                Piece::Region(region) => {
                    let around = [at.checked_sub(1), Some(at + 1)];
                    let alone =
                        around.iter().all(|at| matches!(at.and_then(|at| pieces.get(at)), Some(Piece::Barrier)));
                    self.follow_region(region, alone, same, refuted);
                }
                Piece::Joint(statement) => {
                    let last = last_within(statement, at + 1 == pieces.len(), last);
                    match statement {
                        Stmt::If { condition, accept, reject } => {
                            if !same.has(*condition) {
                                return None;
                            }
                            self.follow(accept, last, same, refuted)?;
                            self.follow(reject, last, same, refuted)?;
                        }
                        Stmt::Block { body, .. } => self.follow(body, last, same, refuted)?,
                        Stmt::Loop { body, .. } => self.follow(body, None, same, refuted)?,
                        _ => {}
                    }
                }
            }
        }
        Some(())
    }

    /// Like [`Self::follow`], for a region; `alone` is whether it is between two barriers.
    fn follow_region(&self, region: &Region<'_>, alone: bool, same: &mut Same, refuted: &mut Vec<Var>) {
        // If a region between two barriers only reads, all its reads of one place give the same: `workgroupUniformLoad`.
        let atomic = |value: &Value| matches!(self.function.inst(*value), Inst::Atomic { .. });
        let reads = Reads {
            alone: alone
                && region.statements.iter().all(|statement| matches!(statement, Stmt::Let(value) if !atomic(value))),
            all: region.leaves.is_none(),
        };
        for statement in region.statements {
            match statement {
                Stmt::Let(value) => {
                    let at = value.0 as usize;
                    same.values[at] = self.is_same(*value, reads, same);
                    self.function.parts(*value).for_each(|part| same.values[part.0 as usize] = same.values[at]);
                }
                Stmt::Declare(var, value) | Stmt::Write(var, value) => {
                    if region.leaves.is_some() || !same.has(*value) {
                        refuted.push(*var);
                    }
                }
                other => written(std::slice::from_ref(other), &mut |var| refuted.push(var)),
            }
        }
    }

    /// Whether an instruction computes the same in all invocations of a workgroup.
    fn is_same(&self, value: Value, reads: Reads, same: &Same) -> bool {
        let inst = self.function.inst(value);
        let reads = |place: &Place| match place.space {
            Space::Workgroup => reads.alone,
            // A proof that an index is in range holds only where the statement runs.
            space @ (Space::Binding(_) | Space::Immediate) => {
                self.function.is_constant(space) && (reads.all || self.reading(place, Touched::All).can_move())
            }
            Space::Private | Space::Passed => false,
        };
        let known = match inst {
            Inst::Read(var) => same.has_var(*var),
            Inst::Load(place, ..) => reads(place),
            inst => inst.is_pure(),
        };
        known
            && self.is_uniform(value)
            && super::super::analysis::operands(inst).into_iter().all(|operand| same.has(operand))
    }
}

fn is_same_input(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Const(..) | Inst::Input(Input::NumWorkgroups(_) | Input::ArrayLength(_) | Input::WorkgroupId(_))
    )
}
