//! The results of arithmetic and reads of constant memory that are available at a point of the program.
//!
//! Cranelift removes repeated instructions, too. But the code generator derives conditions from values, such as those under
//! which all lanes agree, and recognises that two of them are the same only by the value.

use rustc_hash::FxHashMap;

use crate::ir::{Function, Inst, Value};

/// The available results at the current point.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// By instruction: its result, and the number of barriers before it. After a further barrier the result is not used
    /// again, because the barrier would save it.
    made: FxHashMap<Inst, (Value, u32)>,
    journal: Vec<Inst>,
    section: u32,
}

/// A position in the program, with the results that are available there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

impl Repeats {
    /// The available result of an instruction.
    pub(super) fn get(&self, inst: &Inst) -> Option<Value> {
        let (value, section) = self.made.get(inst)?;
        (*section == self.section).then_some(*value)
    }

    /// Makes the result of an instruction available, if every execution with the same operands has the same result.
    pub(super) fn add(&mut self, function: &Function, value: Value) {
        let inst = function.inst(value);
        let pure = match inst {
            Inst::Unary(..) | Inst::Binary(..) | Inst::Ternary(..) | Inst::Compare(..) => true,
            Inst::Select(..) | Inst::Convert(..) | Inst::Call(..) => true,
            Inst::Load(place, ..) => function.is_constant(place.space),
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Read(_) => false,
            Inst::Atomic { .. } | Inst::Subgroup(..) | Inst::Part { .. } => false,
        };
        if pure {
            // A result from before a barrier is replaced, and not available later, either.
            self.made.insert(inst.clone(), (value, self.section));
            self.journal.push(inst.clone());
        }
    }

    /// Ends the availability of all results, because there is a barrier.
    pub(super) fn pass_barrier(&mut self) {
        self.section += 1;
    }

    /// The current position.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.journal.len())
    }

    /// Ends the availability of results since a mark, because they are in a list that ends or is not used.
    pub(super) fn leave(&mut self, mark: Mark) {
        for inst in self.journal.drain(mark.0..) {
            self.made.remove(&inst);
        }
    }
}
