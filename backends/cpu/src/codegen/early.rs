//! Index tests ahead of the statements that use the indices.
//!
//! Where code is compiled twice (see [`super::agree`]) the fast version may rely on every test before it. Indices that
//! are known at that point are therefore tested there, once, and the accesses themselves need neither a test nor a
//! fallback. Groups for which a test fails run the slow version, which tests each access. The same goes for the conditions
//! under which clamped indices are linear (see [`super::likely`]): at the edges of an image the slow version runs.

use cranelift_codegen::ir::{self as cl, InstBuilder, types};
use rustc_hash::{FxHashMap, FxHashSet};

use super::generator::Generator;
use super::likely::{Conditions, Likely};
use super::place::Touched;
use crate::ir::{BinaryOp, Class, Count, Index, Inst, MemType, Place, Space, Stmt, Value};

/// An index that a test before the current code has shown to be linear.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tested {
    space: Space,
    value: Value,
    count: Count,
    /// Whether it is in range in all lanes: not if only a proof says so, which is valid for the lanes that come to the
    /// access. Others may have left before.
    in_range: bool,
    /// Lane 0's value with 64 bits, less the number.
    start: (cl::Value, i32),
}

/// An index that may be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Candidate {
    space: Space,
    value: Value,
    count: Count,
}

/// Values that are computed ahead of the statements that evaluate them.
#[derive(Debug, Default)]
struct Ahead {
    /// The values that the statements evaluate.
    made: FxHashSet<Value>,
    /// Those of them that were computed: each once, so that equal conditions are recognised.
    scalars: FxHashMap<Value, cl::Value>,
    likely: FxHashMap<Value, Likely>,
}

/// An index with 64 bits, which is the sum of one or two terms and a constant.
struct Start {
    terms: (cl::Value, Option<cl::Value>),
    constant: i32,
    wide: cl::Value,
}

/// A distance that is too large for offsets in instructions, and so small that no two indices of a buffer differ by it and
/// wrap.
const FAR: u32 = 1 << 20;

/// The largest number of indices that are tested before one piece of code.
const MAX_TESTS: usize = 12;

/// The largest depth of the expression that computes an index from values that are already evaluated.
const MAX_STEPS: u32 = 12;

impl Generator<'_, '_> {
    /// Whether a test before the current code has shown that the index is in range in all lanes.
    pub(super) fn is_tested(&self, space: Space, index: &Index) -> bool {
        self.tests_of(space, index).any(|one| one.in_range)
    }

    /// Lane 0's value with 64 bits, less the number, of an index that was tested before the current code. Indices that
    /// differ by constants share it.
    pub(super) fn tested_start(&self, space: Space, index: &Index) -> Option<(cl::Value, i32)> {
        self.tests_of(space, index).next().map(|one| one.start)
    }

    fn tests_of(&self, space: Space, index: &Index) -> impl Iterator<Item = &Tested> {
        let is = move |one: &&Tested| one.space == space && one.value == index.value && one.count == index.count;
        self.tested.iter().filter(is)
    }

    /// Generates tests that indices of `statements` are in range in all lanes: those indices that can be computed here
    /// and that every execution uses. Returns the conditions; the code that follows relies on them.
    pub(super) fn test_early(&mut self, statements: &[Stmt]) -> Conditions {
        let mut ahead = Ahead::default();
        lets(statements, &mut ahead.made);
        let mut found = Vec::new();
        self.untested(statements, true, &mut found);
        let mut conditions = Conditions::new();
        let mut by_value: Vec<(Value, cl::Value, cl::Value)> = Vec::new();
        let mut starts = Vec::new();
        for (one, in_range, always) in found {
            let Some(likely) = self.early_likely(one.value, &mut ahead, MAX_STEPS).filter(|likely| likely.usual) else {
                continue;
            };
            for condition in likely.conditions() {
                if !conditions.contains(&condition) {
                    conditions.push(condition);
                }
            }
            let in_all_lanes = always || !in_range;
            let start = if in_all_lanes {
                self.shared_start(likely.first, &mut starts)
            } else {
                (self.b.ins().uextend(types::I64, likely.first), 0)
            };
            let Candidate { space, value, count } = one;
            self.tested.push(Tested { space, value, count, in_range: in_all_lanes, start });
            if in_range {
                continue;
            }
            let count = self.count_of(one.space, one.count);
            match by_value.iter_mut().find(|(value, ..)| *value == one.value) {
                // Counts are the same for all groups, so their minimum moves out of the loops.
                Some((.., least)) => *least = self.b.ins().umin(*least, count),
                None => by_value.push((one.value, likely.first, count)),
            }
        }
        for (value, first, count) in by_value {
            let shape = self.facts.shapes[value.0 as usize];
            let stride = shape.stride().or(shape.likely_stride()).unwrap_or(0);
            conditions.push(self.fits(first, stride, count));
        }
        self.without_implied(&conditions)
    }

    /// A value of 32 bits as one with 64 bits and a constant. Values that differ by constants share the former: all of them
    /// are indices in range whenever the code that follows runs, so that their differences do not wrap.
    fn shared_start(&mut self, first: cl::Value, starts: &mut Vec<Start>) -> (cl::Value, i32) {
        let (terms, constant) = self.sum_of_two(first);
        for start in &*starts {
            let distance = constant.wrapping_sub(start.constant);
            if start.terms == terms && distance.unsigned_abs() < FAR {
                return (start.wide, distance);
            }
        }
        let wide = self.b.ins().uextend(types::I64, first);
        starts.push(Start { terms, constant, wide });
        (wide, 0)
    }

    /// Collects the uniform and linear indices of statements that are not proven to be in range, and those that are only
    /// likely to be linear; with each, whether it is in range where it is used, and whether it is used in any case.
    /// `always` is whether the statements run in any case.
    fn untested(&self, statements: &[Stmt], always: bool, found: &mut Vec<(Candidate, bool, bool)>) {
        let mut always = always;
        for statement in statements {
            always &= matches!(statement, Stmt::Let(_) | Stmt::Declare(..) | Stmt::Write(..) | Stmt::Store { .. });
            match statement {
                Stmt::Let(value) => {
                    if let Inst::Load(place, ..) = self.function.inst(*value) {
                        self.untested_of(place, always, found);
                    }
                }
                Stmt::Store { place, .. } => self.untested_of(place, always, found),
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.untested(body, false, found),
                // An index in a branch may be out of range in lanes that do not take the branch.
                _ => {}
            }
        }
    }

    fn untested_of(&self, place: &Place, always: bool, found: &mut Vec<(Candidate, bool, bool)>) {
        for index in &place.indices {
            let one = Candidate { space: place.space, value: index.value, count: index.count };
            let shape = self.facts.shapes[index.value.0 as usize];
            let likely = shape.near > 0 && !place.space.is_private();
            let in_range = self.certain(place.space, index, Touched::All);
            if (shape.stride().is_some() && !in_range || likely && self.tested_start(place.space, index).is_none())
                && !found.iter().any(|(known, within, _)| (*known, *within) == (one, in_range))
                && found.len() < MAX_TESTS
            {
                found.push((one, in_range, always));
            }
        }
    }

    /// Returns the certain or likely linear form of a value. A value that is evaluated only later is
    /// computed here, if that takes no more than [`Self::early`] does.
    fn early_likely(&mut self, value: Value, ahead: &mut Ahead, steps: u32) -> Option<Likely> {
        let shape = self.facts.shapes[value.0 as usize];
        if shape.stride().is_some() {
            return self.early(value, ahead, steps).map(Likely::certain);
        }
        if !ahead.made.contains(&value) {
            return self.likely(value);
        }
        if let Some(likely) = ahead.likely.get(&value) {
            return Some(likely.clone());
        }
        let steps = steps.checked_sub(1)?;
        let Inst::Binary(op, a, b) = *self.function.inst(value) else { return None };
        if shape.near <= 0 {
            return None;
        }
        let of_a = self.early_likely(a, ahead, steps)?;
        let of_b = self.early_likely(b, ahead, steps)?;
        let likely = self.likely_of(op, (a, of_a), (b, of_b))?;
        ahead.likely.insert(value, likely.clone());
        Some(likely)
    }

    /// Returns lane 0's value of a uniform or linear value. A value that is evaluated only later is computed
    /// here; `None` if that takes more than arithmetic and movable loads.
    fn early(&mut self, value: Value, ahead: &mut Ahead, steps: u32) -> Option<cl::Value> {
        let shape = self.facts.shapes[value.0 as usize];
        if self.function.class(value) != Class::I32 || shape.stride().is_none() {
            return None;
        }
        if let Some(scalar) = ahead.scalars.get(&value) {
            return Some(*scalar);
        }
        let steps = steps.checked_sub(1)?;
        let inst = self.function.inst(value);
        let scalar = match *inst {
            Inst::Part { of, .. } if !ahead.made.contains(&of) => self.scalar(value),
            _ if !ahead.made.contains(&value) && !matches!(inst, Inst::Part { .. }) => self.scalar(value),
            Inst::Part { of, index } => self.early_load(of, u32::from(index))?,
            Inst::Load(..) => self.early_load(value, 0)?,
            Inst::Binary(op, a, b) if !divides(op) => {
                let (a, b) = (self.early(a, ahead, steps)?, self.early(b, ahead, steps)?);
                self.emit().binary_scalar(op, Class::I32, a, b)
            }
            _ => return None,
        };
        ahead.scalars.insert(value, scalar);
        Some(scalar)
    }

    /// Loads the scalar `index` of the load `load` in advance; `None` if the load may not be moved.
    fn early_load(&mut self, load: Value, index: u32) -> Option<cl::Value> {
        let function = self.function;
        let Inst::Load(place, MemType::I32, _) = function.inst(load) else { return None };
        let flags = self.reading(place, Touched::All);
        if !place.indices.is_empty() || !flags.can_move() {
            return None;
        }
        let address = self.same_address(place, false, Touched::All).address;
        Some(self.load_scalar(flags, MemType::I32, address, (index * MemType::I32.bytes()) as i32))
    }
}

fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Div | BinaryOp::DivS | BinaryOp::DivU | BinaryOp::RemS | BinaryOp::RemU)
}

/// Collects the values that statements evaluate, including nested ones.
fn lets(statements: &[Stmt], found: &mut FxHashSet<Value>) {
    for statement in statements {
        match statement {
            Stmt::Let(value) => {
                found.insert(*value);
            }
            Stmt::If { accept, reject, .. } => {
                lets(accept, found);
                lets(reject, found);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => lets(body, found),
            _ => {}
        }
    }
}
