//! Atomics of one word, which all lanes change together.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData};
use smallvec::SmallVec;

use super::super::generator::Generator;
use super::super::ops::scalar_type;
use super::super::place::Touched;
use super::bits_of;
use crate::ir::{AtomicOp, Class, Place, Value};

impl Generator<'_, '_> {
    /// Evaluates an atomic operation that changes the same word of shared memory in all lanes: the lanes compute one after
    /// the other, and one locked instruction in place of one for each exchanges the word. Where another thread has changed it
    /// meanwhile, they compute again.
    pub(super) fn atomic_of_one_word(
        &mut self,
        value: Value,
        op: AtomicOp,
        place: &Place,
        class: Class,
        operand: Value,
        compare: Option<Value>,
    ) {
        let start = self.same_address(place, true, Touched::Active);
        let active = self.is_masked().then(|| self.lanes_inside(None));
        let operands = self.lanes(operand);
        let compares = compare.map(|compare| self.lanes(compare));
        let zero = self.emit().constant(class, 0);
        let join = self.b.create_block();
        let joined: SmallVec<[cl::Value; 4]> =
            zero.iter().map(|_| self.b.append_block_param(join, self.target.vector(class))).collect();
        let arguments = |parts: &[cl::Value]| parts.iter().map(|part| (*part).into()).collect::<SmallVec<[_; 4]>>();
        // Out of range, or without an active lane, nothing is changed, and the result is zero.
        for condition in [start.inside, active].into_iter().flatten() {
            let run = self.b.create_block();
            self.b.ins().brif(condition, run, &[], join, &arguments(&zero));
            self.switch_sealed(run);
        }
        let bits = bits_of(class);
        let flags = MemFlagsData::trusted();
        let first = self.b.ins().atomic_load(bits, flags, start.address);
        let (again, done) = (self.b.create_block(), self.b.create_block());
        let expected = self.b.append_block_param(again, bits);
        self.b.ins().jump(again, &[first.into()]);
        self.b.switch_to_block(again);
        let is_float = matches!(class, Class::F32 | Class::F64);
        let mut word = expected;
        if is_float {
            word = self.b.ins().bitcast(scalar_type(class), MemFlagsData::new(), word);
        }
        let mut old: SmallVec<[cl::Value; 8]> = SmallVec::new();
        for lane in 0..self.target.lanes {
            old.push(word);
            let operand = self.emit().lane(class, &operands, lane);
            let compare = compares.as_ref().map(|compares| self.emit().lane(class, compares, lane));
            let new = self.changed(op, class, word, operand, compare);
            word = match active {
                Some(active) => {
                    let bit = self.b.ins().band_imm_u(active, 1 << lane);
                    self.b.ins().select(bit, new, word)
                }
                None => new,
            };
        }
        let new = if is_float { self.b.ins().bitcast(bits, MemFlagsData::new(), word) } else { word };
        let seen = self.b.ins().atomic_cas(flags, start.address, expected, new);
        let held = self.b.ins().icmp(cl::condcodes::IntCC::Equal, seen, expected);
        self.b.ins().brif(held, done, &[], again, &[seen.into()]);
        self.b.seal_block(again);
        self.switch_sealed(done);
        let old = self.emit().from_lanes(class, &old);
        self.b.ins().jump(join, &arguments(&old));
        self.switch_sealed(join);
        self.hold_lanes(value, joined.into_iter().collect());
    }
}
