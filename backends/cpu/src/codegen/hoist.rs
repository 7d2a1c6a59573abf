//! Hoisting: mathematical functions of values that are constant in a launch or a workgroup are computed once, before
//! the loops.
//!
//! Cranelift moves arithmetic and loads of uniforms out of loops by itself, but no calls. A hoisted call takes the
//! computation of its operands with it. Calls that a branch may skip are not hoisted.

use cranelift_codegen::ir::{self as cl};

use super::generator::Generator;
use super::place::Touched;
use crate::ir::{Input, Inst, List, Space, Stmt, Value};

/// The largest number of hoisted calls per kernel: if the kernel ends early, their results are not used.
const MAX_CALLS: usize = 64;

/// The scope in which a value is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Same {
    Launch,
    Workgroup,
}

/// The hoisted values.
pub(super) struct Hoist {
    /// The hoisted values in the order of evaluation, with the scope in which each is constant.
    values: Vec<(Value, Same)>,
    /// By value: whether the value has been evaluated before the loops.
    done: Vec<bool>,
}

impl Hoist {
    /// Returns the state without hoisted values, for a function with this number of values.
    pub(super) fn none(values: usize) -> Self {
        Self { values: Vec::new(), done: vec![false; values] }
    }
}

impl Generator<'_, '_> {
    /// Whether values are computed once for each workgroup.
    pub(super) fn hoists_from_workgroup(&self) -> bool {
        self.hoist.values.iter().any(|(_, same)| *same == Same::Workgroup)
    }

    /// Decides which values are hoisted, and evaluates those that are constant in a launch before all loops.
    pub(super) fn hoist_from_launch(&mut self) {
        let function = self.function;
        let mut same: Vec<Option<Same>> = function.insts.iter().map(of_floating).collect();
        let (mut order, mut calls) = (Vec::new(), Vec::new());
        self.find_same(&function.body, &mut same, &mut order, &mut calls);
        calls.truncate(MAX_CALLS);
        let mut wanted = vec![false; function.insts.len()];
        while let Some(value) = calls.pop() {
            if !std::mem::replace(&mut wanted[value.0 as usize], true) {
                calls.extend(super::analysis::operands(function.inst(value)));
            }
        }
        let wanted = order.into_iter().filter(|value| wanted[value.0 as usize]);
        self.hoist.values = wanted.filter_map(|value| Some((value, same[value.0 as usize]?))).collect();
        for (value, input) in self.used_inputs() {
            match input {
                Input::NumWorkgroups(axis) => self.hold_scalar(value, self.constants.groups[usize::from(axis)]),
                Input::ArrayLength(slot) => self.hold_scalar(value, self.constants.slots[slot as usize].1),
                _ => {}
            }
        }
        self.hoist(Same::Launch);
    }

    /// Evaluates the hoisted values that are constant in a workgroup, but not in a launch.
    pub(super) fn hoist_from_workgroup(&mut self, workgroup: [cl::Value; 3]) {
        for (value, input) in self.used_inputs() {
            if let Input::WorkgroupId(axis) = input {
                self.hold_scalar(value, workgroup[usize::from(axis)]);
            }
        }
        self.hoist(Same::Workgroup);
    }

    fn hoist(&mut self, wanted: Same) {
        for (value, same) in self.hoist.values.clone() {
            if same == wanted {
                self.evaluate(value);
                self.hoist.done[value.0 as usize] = true;
            }
        }
    }

    /// Whether a value has been evaluated before the loops.
    pub(super) fn is_hoisted(&self, value: Value) -> bool {
        self.hoist.done[value.0 as usize]
    }

    /// Collects the values of `list` that are constant in a launch or a workgroup, outside of branches: all of them in
    /// `order`, and the calls in `calls`.
    fn find_same(&self, list: &List, same: &mut [Option<Same>], order: &mut Vec<Value>, calls: &mut Vec<Value>) {
        for statement in list {
            match statement {
                Stmt::Let(value) => {
                    let at = value.0 as usize;
                    same[at] = self.sameness(*value, same);
                    if same[at].is_none() {
                        continue;
                    }
                    order.push(*value);
                    if matches!(self.function.inst(*value), Inst::Call(..)) {
                        calls.push(*value);
                    }
                    self.function.parts(*value).for_each(|part| same[part.0 as usize] = same[at]);
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.find_same(body, same, order, calls),
                _ => {}
            }
        }
    }

    /// The scope in which the result of an instruction is constant, from the scopes of its operands.
    fn sameness(&self, value: Value, same: &[Option<Same>]) -> Option<Same> {
        let inst = self.function.inst(value);
        match inst {
            inst if inst.is_pure() => {}
            Inst::Load(place, ..) if matches!(place.space, Space::Binding(_) | Space::Immediate) => {
                if !self.reading(place, Touched::All).can_move() {
                    return None;
                }
            }
            _ => return None,
        }
        super::analysis::operands(inst)
            .into_iter()
            .try_fold(Same::Launch, |so_far, operand| Some(so_far.max(same[operand.0 as usize]?)))
    }
}

fn of_floating(inst: &Inst) -> Option<Same> {
    match inst {
        Inst::Const(..) | Inst::Input(Input::NumWorkgroups(_) | Input::ArrayLength(_)) => Some(Same::Launch),
        Inst::Input(Input::WorkgroupId(_)) => Some(Same::Workgroup),
        _ => None,
    }
}
