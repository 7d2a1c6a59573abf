//! Counts the iterations of a loop, by executing the computations that its exits depend on.

use rustc_hash::FxHashMap;

use super::fold::{Folded, fold};
use crate::ir::{Function, Inst, Label, Stmt, Value, Var};

/// A loop with a known number of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// The number of iterations that run to their end, unless an exit with an unknown condition leaves the loop before.
    pub(super) trips: usize,
    /// The number of statements of the body that become constants in each iteration.
    pub(super) folded: usize,
}

/// The largest number of statements that are evaluated to count the iterations of one loop.
const MAX_WORK: usize = 4_096;

/// A statement that every iteration executes, unless the iteration has ended before it.
#[derive(Clone, Copy)]
enum Step {
    Let(Value),
    Write(Var, Value),
    /// A branch on a condition; for each side, whether it leaves the loop.
    Test(Value, [bool; 2]),
}

/// Executes a loop at compile time for at most `most` iterations. `vars` are the known initial values of variables, and
/// `writes` is the number of writes of each variable in the body. `None` if the number of iterations is unknown.
pub(super) fn count(
    function: &Function,
    body: &[Stmt],
    mut vars: FxHashMap<Var, u64>,
    writes: &FxHashMap<Var, u32>,
    most: usize,
) -> Option<Counted> {
    let mut steps = Vec::new();
    collect(body, &mut Vec::new(), &mut steps);
    let mut certain: FxHashMap<Var, u32> = FxHashMap::default();
    for step in &steps {
        if let Step::Write(var, _) = step {
            *certain.entry(*var).or_default() += 1;
        }
    }
    // A variable with other writes, which an iteration may or may not execute, has no known value.
    vars.retain(|var, _| certain.get(var) == writes.get(var));
    if vars.is_empty() {
        return None;
    }
    let mut run = Run { function, vars, values: FxHashMap::default() };
    let (mut folded, mut work) = (0, 0);
    for trips in 0..=most {
        work += steps.len();
        if work > MAX_WORK && trips > 0 {
            return None;
        }
        let mut decided = false;
        // Later iterations run only these steps, those whose results are known.
        let mut kept = Vec::new();
        for step in steps {
            let known = match step {
                Step::Let(value) => run.evaluate(value),
                Step::Write(var, value) => run.write(var, value),
                Step::Test(condition, leaves) => match run.bits(condition) {
                    Some(bits) if leaves[usize::from(bits == 0)] => return Some(Counted { trips, folded }),
                    bits => {
                        decided |= bits.is_some();
                        bits.is_some()
                    }
                },
            };
            if known {
                kept.push(step);
            }
        }
        if !decided {
            return None;
        }
        if trips == 0 {
            folded = kept.len();
        }
        steps = kept;
    }
    None
}

/// The known values during the execution of a loop.
struct Run<'a> {
    function: &'a Function,
    vars: FxHashMap<Var, u64>,
    values: FxHashMap<Value, u64>,
}

impl Run<'_> {
    fn bits(&self, value: Value) -> Option<u64> {
        match self.function.inst(value) {
            Inst::Const(_, bits) => Some(*bits),
            _ => self.values.get(&value).copied(),
        }
    }

    fn evaluate(&mut self, value: Value) -> bool {
        let inst = self.function.inst(value);
        let bits = match inst {
            Inst::Read(var) => self.vars.get(var).copied(),
            _ => match fold(self.function, inst, |operand| self.bits(operand)) {
                Some(Folded::Bits(bits)) => Some(bits),
                Some(Folded::Same(other)) => self.bits(other),
                None => None,
            },
        };
        match bits {
            Some(bits) => self.values.insert(value, bits),
            None => self.values.remove(&value),
        };
        bits.is_some()
    }

    /// Sets a variable to a value, which may be unknown. Returns whether the value is known now or was known before.
    fn write(&mut self, var: Var, value: Value) -> bool {
        match self.bits(value) {
            Some(bits) => {
                self.vars.insert(var, bits);
                true
            }
            None => self.vars.remove(&var).is_some(),
        }
    }
}

/// Collects the steps of a list. `inner` are the labels of the blocks around the list within the loop.
fn collect(list: &[Stmt], inner: &mut Vec<Label>, steps: &mut Vec<Step>) {
    for statement in list {
        match statement {
            Stmt::Let(value) => steps.push(Step::Let(*value)),
            Stmt::Declare(var, value) | Stmt::Write(var, value) => steps.push(Step::Write(*var, *value)),
            Stmt::If { condition, accept, reject } => {
                // A side that ends with an exit from the loop leaves the loop with all its lanes, unless some of the
                // lanes have left an inner block before.
                let leaves = [accept, reject].map(|side| {
                    matches!(side.last(), Some(Stmt::Exit(label)) if !inner.contains(label)) && !skips(side, inner)
                });
                steps.push(Step::Test(*condition, leaves));
                // Lanes that leave an inner block skip the rest of it, so that rest is not certain to run.
                if skips(accept, inner) || skips(reject, inner) {
                    return;
                }
            }
            Stmt::Block { label, body } => {
                inner.push(*label);
                collect(body, inner, steps);
                inner.pop();
                if skips(body, inner) {
                    return;
                }
            }
            Stmt::Loop { body, .. } if skips(body, inner) => return,
            _ => {}
        }
    }
}

/// Whether a list has an exit to one of the blocks.
fn skips(list: &[Stmt], blocks: &[Label]) -> bool {
    !blocks.is_empty()
        && list.iter().any(|statement| match statement {
            Stmt::Exit(label) => blocks.contains(label),
            Stmt::If { accept, reject, .. } => skips(accept, blocks) || skips(reject, blocks),
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => skips(body, blocks),
            _ => false,
        })
}
