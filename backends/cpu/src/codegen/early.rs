//! Index tests ahead of the statements that use the indices.
//!
//! Where code is compiled twice (see [`super::agree`]) the fast version may rely on every test before it. Indices that
//! are known at that point are therefore tested there, once, and the accesses themselves need neither a test nor a
//! fallback. Groups for which a test fails run the slow version, which tests each access.

use cranelift_codegen::ir::{self as cl, InstBuilder};
use rustc_hash::FxHashSet;

use super::generator::Generator;
use super::place::Touched;
use crate::ir::{BinaryOp, Class, Count, Index, Inst, MemType, Place, Space, Stmt, Value};

/// An index that a test before the current code has shown to be in range in all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tested {
    space: Space,
    value: Value,
    count: Count,
}

/// The largest number of indices that are tested before one piece of code.
const MAX_TESTS: usize = 12;

/// The largest depth of the expression that computes an index from values that are already evaluated.
const MAX_STEPS: u32 = 12;

impl Generator<'_, '_> {
    /// Whether the index was tested before the current code.
    pub(super) fn is_tested(&self, space: Space, index: &Index) -> bool {
        self.tested.contains(&Tested { space, value: index.value, count: index.count })
    }

    /// Generates tests that indices of `statements` are in range in all lanes: those indices that can be computed here
    /// and that every execution uses. Returns the conditions; the code that follows relies on them.
    pub(super) fn test_early(&mut self, statements: &[Stmt]) -> Vec<cl::Value> {
        let mut made = FxHashSet::default();
        lets(statements, &mut made);
        let mut found = Vec::new();
        self.untested(statements, &mut found);
        let mut by_value: Vec<(Value, cl::Value, cl::Value)> = Vec::new();
        for one in found {
            let Some(first) = self.early(one.value, &made, MAX_STEPS) else { continue };
            let count = self.count_of(one.space, one.count);
            match by_value.iter_mut().find(|(value, ..)| *value == one.value) {
                // Counts are the same for all groups, so their minimum moves out of the loops.
                Some((.., least)) => *least = self.b.ins().umin(*least, count),
                None => by_value.push((one.value, first, count)),
            }
            self.tested.push(one);
        }
        let fits = |(value, first, count): (Value, cl::Value, cl::Value)| {
            let stride = self.facts.shapes[value.0 as usize].stride().unwrap_or(0);
            self.fits(first, stride, count)
        };
        by_value.into_iter().map(fits).collect()
    }

    /// Collects the uniform and linear indices of statements that are not proven to be in range.
    fn untested(&self, statements: &[Stmt], found: &mut Vec<Tested>) {
        for statement in statements {
            match statement {
                Stmt::Let(value) => {
                    if let Inst::Load(place, ..) = self.function.inst(*value) {
                        self.untested_of(place, found);
                    }
                }
                Stmt::Store { place, .. } => self.untested_of(place, found),
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.untested(body, found),
                // An index in a branch may be out of range in lanes that do not take the branch.
                _ => {}
            }
        }
    }

    fn untested_of(&self, place: &Place, found: &mut Vec<Tested>) {
        for index in &place.indices {
            let one = Tested { space: place.space, value: index.value, count: index.count };
            let linear = self.facts.shapes[index.value.0 as usize].stride().is_some();
            if linear
                && !self.certain(place.space, index, Touched::All)
                && !found.contains(&one)
                && found.len() < MAX_TESTS
            {
                found.push(one);
            }
        }
    }

    /// Returns lane 0's value of a uniform or linear value. A value that is evaluated only later (it is in `made`) is
    /// computed here; `None` if that takes more than arithmetic and movable loads.
    fn early(&mut self, value: Value, made: &FxHashSet<Value>, steps: u32) -> Option<cl::Value> {
        let shape = self.facts.shapes[value.0 as usize];
        if self.function.class(value) != Class::I32 || shape.stride().is_none() {
            return None;
        }
        let steps = steps.checked_sub(1)?;
        let inst = self.function.inst(value);
        match *inst {
            Inst::Part { of, .. } if !made.contains(&of) => Some(self.scalar(value)),
            _ if !made.contains(&value) && !matches!(inst, Inst::Part { .. }) => Some(self.scalar(value)),
            Inst::Part { of, index } => self.early_load(of, u32::from(index)),
            Inst::Load(..) => self.early_load(value, 0),
            Inst::Binary(op, a, b) if !divides(op) => {
                let (a, b) = (self.early(a, made, steps)?, self.early(b, made, steps)?);
                Some(self.emit().binary_scalar(op, Class::I32, a, b))
            }
            _ => None,
        }
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
