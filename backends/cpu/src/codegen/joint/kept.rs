//! The values and variables that lane groups keep from one region to another.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::analysis::operands;
use super::super::barrier::Kept;
use super::same::Same;
use super::{Piece, Region, last_within, pieces};
use crate::ir::{BinaryOp, Function, Inst, Label, Stmt, Value, Var};

/// The uses that a region makes of lane groups' frames.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    /// The values and variables that other regions have saved.
    pub(super) restore: Vec<Kept>,
    /// The values and variables that other regions need.
    pub(super) save: Vec<Kept>,
    /// Values of other regions that are computed again, in the order of evaluation.
    pub(super) again: Vec<Value>,
}

/// The largest number of instructions by which a value is computed again.
const MAX_AGAIN: u32 = 6;

/// The values and variables of one region.
#[derive(Default)]
struct Touched {
    /// The loops around the region, outermost first.
    loops: Vec<usize>,
    defined: FxHashSet<Value>,
    /// In the order of their first uses.
    used: Vec<Value>,
    /// In the order of their first accesses; whether the first access of each is a write for all lanes.
    vars: Vec<(Var, bool)>,
    written: FxHashSet<Var>,
    declared: FxHashSet<Var>,
}

struct Finder<'a> {
    function: &'a Function,
    same: &'a Same,
    regions: Vec<Touched>,
    /// The loops around the current point, outermost first, and the number of loops so far.
    loops: (Vec<usize>, usize),
}

/// Finds what each region keeps, in reading order.
pub(super) fn find(function: &Function, same: &Same) -> Vec<Keeping> {
    let mut finder = Finder { function, same, regions: Vec::new(), loops: Default::default() };
    finder.list(&function.body, Some(None));
    let regions = finder.regions;
    let mut keeping: Vec<Keeping> = regions.iter().map(|_| Keeping::default()).collect();
    let mut home: FxHashMap<Value, usize> = FxHashMap::default();
    let mut visits: FxHashMap<Var, (usize, bool)> = FxHashMap::default();
    for (number, region) in regions.iter().enumerate() {
        home.extend(region.defined.iter().map(|value| (*value, number)));
        for (var, _) in &region.vars {
            let visit = visits.entry(*var).or_default();
            *visit = (visit.0 + 1, visit.1 || region.declared.contains(var));
        }
    }
    for (number, region) in regions.iter().enumerate() {
        for value in &region.used {
            let Some(from) = home.get(value).copied().filter(|from| *from != number) else { continue };
            if steps(function, same, *value, MAX_AGAIN).is_some() {
                again(function, same, *value, &mut keeping[number].again);
                continue;
            }
            if let Some(var) = regions.get(from..=number).and_then(|between| unchanged(function, *value, between)) {
                keeping[number].again.push(*value);
                if !keeping[number].restore.contains(&Kept::Var(var)) {
                    keeping[number].restore.push(Kept::Var(var));
                }
                continue;
            }
            keeping[number].restore.push(Kept::Value(*value));
            let saved = &mut keeping[from].save;
            if !saved.contains(&Kept::Value(*value)) {
                saved.push(Kept::Value(*value));
            }
        }
        for (var, written_first) in &region.vars {
            // A variable that is declared and used in one region only begins anew each time.
            if visits.get(var).is_some_and(|(regions, declared)| *regions == 1 && *declared) {
                continue;
            }
            if !written_first && !keeping[number].restore.contains(&Kept::Var(*var)) {
                keeping[number].restore.push(Kept::Var(*var));
            }
            if region.written.contains(var) {
                keeping[number].save.push(Kept::Var(*var));
            }
        }
    }
    let restored: FxHashSet<Kept> = keeping.iter().flat_map(|region| region.restore.iter().copied()).collect();
    keeping.iter_mut().for_each(|region| region.save.retain(|what| restored.contains(what)));
    keeping
}

/// The variable that a value of the first region reads, if the variable does not change before the last region.
fn unchanged(function: &Function, value: Value, regions: &[Touched]) -> Option<Var> {
    let Inst::Read(var) = *function.inst(value) else { return None };
    let (last, before) = regions.split_last()?;
    let changes = |region: &Touched| region.written.contains(&var) || region.loops != last.loops;
    (!before.iter().any(changes)).then_some(var)
}

/// The number of instructions that compute a value from inputs and from what is the same in the workgroup; `None` if there
/// are more than `most`, or others than cheap pure ones.
fn steps(function: &Function, same: &Same, value: Value, most: u32) -> Option<u32> {
    let inst = function.inst(value);
    if inst.is_floating() || same.has(value) {
        return Some(0);
    }
    let costly = |op| matches!(op, BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU);
    match inst {
        Inst::Binary(op, ..) if costly(*op) => return None,
        Inst::Call(..) => return None,
        inst if inst.is_pure() => {}
        _ => return None,
    }
    operands(inst).into_iter().try_fold(1, |so_far, operand| {
        let of_operand = steps(function, same, operand, most.checked_sub(so_far)?)?;
        Some(so_far + of_operand).filter(|steps| *steps <= most)
    })
}

fn again(function: &Function, same: &Same, value: Value, order: &mut Vec<Value>) {
    if function.inst(value).is_floating() || same.has(value) || order.contains(&value) {
        return;
    }
    operands(function.inst(value)).into_iter().for_each(|operand| again(function, same, operand, order));
    order.push(value);
}

impl Finder<'_> {
    fn list(&mut self, list: &[Stmt], last: Option<Option<Label>>) {
        let pieces = pieces(list, last);
        let count = pieces.len();
        for (at, piece) in pieces.into_iter().enumerate() {
            match piece {
                Piece::Barrier => {}
                Piece::Region(region) => {
                    for part in parts(self.function, self.same, region) {
                        self.regions.push(Touched { loops: self.loops.0.clone(), ..Touched::default() });
                        self.statements(part.statements, part.leaves.is_none());
                    }
                }
                Piece::Joint(statement) => {
                    let last = last_within(statement, at + 1 == count, last);
                    match statement {
                        Stmt::If { accept, reject, .. } => {
                            self.list(accept, last);
                            self.list(reject, last);
                        }
                        Stmt::Block { body, .. } => self.list(body, last),
                        Stmt::Loop { body, .. } => {
                            self.loops.0.push(self.loops.1);
                            self.loops.1 += 1;
                            self.list(body, None);
                            self.loops.0.pop();
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn region(&mut self) -> &mut Touched {
        let last = self.regions.len() - 1;
        &mut self.regions[last]
    }

    fn uses(&mut self, value: Value) {
        if !self.function.inst(value).is_floating() && !self.same.has(value) {
            let region = self.region();
            if !region.defined.contains(&value) && !region.used.contains(&value) {
                region.used.push(value);
            }
        }
    }

    fn touches(&mut self, var: Var, writes_all: bool) {
        let region = self.region();
        if !region.vars.iter().any(|(known, _)| *known == var) {
            region.vars.push((var, writes_all));
        }
    }

    /// `is_top` is whether all lanes run the statements.
    fn statements(&mut self, statements: &[Stmt], is_top: bool) {
        for statement in statements {
            match statement {
                Stmt::Let(value) if self.same.has(*value) => {}
                Stmt::Let(value) => self.evaluates(*value),
                Stmt::Declare(var, _) | Stmt::Write(var, _) if self.same.has_var(*var) => {}
                Stmt::Declare(var, value) | Stmt::Write(var, value) => {
                    self.uses(*value);
                    self.touches(*var, is_top);
                    self.region().written.insert(*var);
                    if matches!(statement, Stmt::Declare(..)) {
                        self.region().declared.insert(*var);
                    }
                }
                Stmt::Store { place, values, .. } => {
                    place.indices.iter().for_each(|index| self.uses(index.value));
                    values.iter().for_each(|value| self.uses(*value));
                }
                Stmt::If { condition, accept, reject } => {
                    self.uses(*condition);
                    self.statements(accept, false);
                    self.statements(reject, false);
                }
                // After an exit from a block, lanes leave out the rest of it.
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.statements(body, false),
                Stmt::Call { arguments, .. } => arguments.iter().for_each(|value| self.uses(*value)),
                Stmt::Check(_) | Stmt::Exit(_) | Stmt::Barrier(_) => {}
            }
        }
    }

    fn evaluates(&mut self, value: Value) {
        let inst = self.function.inst(value);
        operands(inst).into_iter().for_each(|operand| self.uses(operand));
        if let Inst::Read(var) = inst
            && !self.same.has_var(*var)
        {
            self.touches(*var, false);
        }
        let parts = self.function.parts(value);
        self.region().defined.extend(std::iter::once(value).chain(parts));
    }
}

/// Divides a region so that no variable that is the same in the workgroup changes after a statement that reads it within:
/// all changes of such variables come before the loop over lane groups.
pub(super) fn parts<'s>(function: &Function, same: &Same, region: Region<'s>) -> Vec<Region<'s>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let mut read = FxHashSet::default();
    for (at, statement) in region.statements.iter().enumerate() {
        match statement {
            Stmt::Declare(var, _) | Stmt::Write(var, _) if same.has_var(*var) && read.contains(var) => {
                parts.push(Region { statements: &region.statements[start..at], leaves: None });
                start = at;
                read.clear();
            }
            Stmt::Let(_) => {}
            _ => reads(function, std::slice::from_ref(statement), &mut read),
        }
    }
    parts.push(Region { statements: &region.statements[start..], leaves: region.leaves });
    parts
}

/// Collects the variables that statements read.
fn reads(function: &Function, statements: &[Stmt], found: &mut FxHashSet<Var>) {
    for statement in statements {
        match statement {
            Stmt::Let(value) => {
                if let Inst::Read(var) = function.inst(*value) {
                    found.insert(*var);
                }
            }
            Stmt::If { accept, reject, .. } => {
                reads(function, accept, found);
                reads(function, reject, found);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => reads(function, body, found),
            _ => {}
        }
    }
}
