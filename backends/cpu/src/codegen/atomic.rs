//! Atomics, executed lane by lane.
//!
//! A workgroup runs on one thread, so workgroup memory needs no locked instructions. Only where lanes of a locked
//! instruction may be left out is there a loop over the active lanes; otherwise lanes that are left out access memory
//! that no code reads. Lanes that change one word together need one locked instruction.
//!
//! All atomics of WGSL are relaxed: each orders only the accesses to its own word (atomics of the Vulkan memory model
//! without Acquire or Release semantics). On every supported machine an aligned load or store of a word satisfies that:
//! it is never torn, and all threads see the changes of one word in one order. Stores are therefore plain ones, without
//! the fence or release of Cranelift's atomic stores. Cranelift removes no store, and forwards a stored value only to
//! plain loads. Loads remain Cranelift's atomic loads, a plain instruction on x86, because Cranelift would merge plain
//! loads across the iterations of a loop that waits. For the order of other memory see [`super::barrier`].

mod together;

use cranelift_codegen::ir::{self as cl, AtomicRmwOp, InstBuilder, MemFlagsData, types};

use smallvec::SmallVec;

use super::generator::Generator;
use super::ops::scalar_type;
use super::place::{Offsets, Spread, Touched};
use crate::ir::{AtomicOp, BinaryOp, Class, CompareOp, MemType, Place, Space, Value};

impl Generator<'_, '_> {
    /// Evaluates the atomic operation whose result is `value`.
    pub(super) fn atomic(
        &mut self,
        value: Value,
        op: AtomicOp,
        place: &Place,
        ty: MemType,
        operand: Value,
        compare: Option<Value>,
    ) {
        if self.function.is_serial() {
            return self.atomic_of_one(value, op, place, ty, operand, compare);
        }
        let class = ty.class();
        let shared = place.space != Space::Workgroup && !matches!(op, AtomicOp::Load | AtomicOp::Store);
        if shared && self.spread_of(place) == Spread::Same {
            return self.atomic_of_one_word(value, op, place, class, operand, compare);
        }
        let size = i64::from(class.bytes());
        let offsets = self.offsets(place, ty.bytes(), Touched::Active);
        let all_lanes = offsets.inside.is_none() && !self.is_masked();
        if !shared || all_lanes && class == Class::I32 {
            return self.atomic_of_all(value, op, place.space, &offsets, operand, compare);
        }
        let bits = self.lanes_inside(offsets.inside.as_ref());
        let [from, operands, compares, results] = std::array::from_fn(|number| self.scratch(number));
        self.emit().store_parts(&offsets.offsets, from, 0);
        let parts = self.lanes(operand);
        self.emit().store_parts(&parts, operands, 0);
        if let Some(compare) = compare {
            let parts = self.lanes(compare);
            self.emit().store_parts(&parts, compares, 0);
        }
        let zero = self.emit().constant(class, 0);
        self.emit().store_parts(&zero, results, 0);
        self.each_lane(bits, |g, lane| {
            let address = g.lane_address(offsets.base, from, lane);
            let flags = MemFlagsData::trusted();
            let of_lane = |g: &mut Self, values| {
                let at = g.element(values, lane, size);
                g.b.ins().load(scalar_type(class), flags, at, 0)
            };
            let operand = of_lane(g, operands);
            let compare = compare.map(|_| of_lane(g, compares));
            let old = g.change_shared(op, class, address, operand, compare);
            let at = g.element(results, lane, size);
            g.b.ins().store(flags, old, at, 0);
        });
        let result = self.emit().load_parts(class, results, 0);
        self.hold_lanes(value, result);
    }

    /// Evaluates an atomic operation for all lanes in order and without branches: lanes that are not active or not in
    /// range change memory that has no meaning.
    fn atomic_of_all(
        &mut self,
        value: Value,
        op: AtomicOp,
        space: Space,
        offsets: &Offsets,
        operand: Value,
        compare: Option<Value>,
    ) {
        let class = self.function.class(value);
        let bits = (offsets.inside.is_some() || self.is_masked()).then(|| self.lanes_inside(offsets.inside.as_ref()));
        let zero = self.emit().constant(class, 0);
        let operands = if op == AtomicOp::Load { zero } else { self.lanes(operand) };
        let compares = compare.map(|compare| self.lanes(compare));
        let mut old: SmallVec<[cl::Value; 8]> = SmallVec::new();
        for lane in 0..self.target.lanes {
            let address = self.address_in(offsets, bits, lane);
            let operand = self.emit().lane(class, &operands, lane);
            let compare = compares.as_ref().map(|compares| self.emit().lane(class, compares, lane));
            old.push(self.change(space, op, class, address, operand, compare));
        }
        let mut result = self.emit().from_lanes(class, &old);
        if let Some(inside) = &offsets.inside {
            let zero = self.emit().constant(class, 0);
            result = self.emit().select(class, inside, &result, &zero);
        }
        self.hold_lanes(value, result);
    }

    /// Evaluates an atomic operation of a workgroup of one invocation.
    fn atomic_of_one(
        &mut self,
        value: Value,
        op: AtomicOp,
        place: &Place,
        ty: MemType,
        operand: Value,
        compare: Option<Value>,
    ) {
        let class = ty.class();
        let start = self.same_address(place, true, Touched::Active);
        let operand = if op == AtomicOp::Load { self.emit().constant_scalar(class, 0) } else { self.scalar(operand) };
        let compare = compare.map(|compare| self.scalar(compare));
        // Out of range, the operation has no effect, and its result is zero.
        let join = self.b.create_block();
        let result = self.b.append_block_param(join, scalar_type(class));
        if let Some(inside) = start.inside {
            let run = self.b.create_block();
            let zero = self.emit().constant_scalar(class, 0);
            self.b.ins().brif(inside, run, &[], join, &[zero.into()]);
            self.switch_sealed(run);
        }
        let old = self.change(place.space, op, class, start.address, operand, compare);
        self.b.ins().jump(join, &[old.into()]);
        self.switch_sealed(join);
        self.hold_scalar(value, result);
    }

    /// Applies an atomic to memory of a space; returns the old value.
    fn change(
        &mut self,
        space: Space,
        op: AtomicOp,
        class: Class,
        address: cl::Value,
        operand: cl::Value,
        compare: Option<cl::Value>,
    ) -> cl::Value {
        if space == Space::Workgroup {
            self.change_own(op, class, address, operand, compare)
        } else {
            self.change_shared(op, class, address, operand, compare)
        }
    }

    /// Computes the new value of the memory from its old value.
    fn changed(
        &mut self,
        op: AtomicOp,
        class: Class,
        old: cl::Value,
        operand: cl::Value,
        compare: Option<cl::Value>,
    ) -> cl::Value {
        let float = matches!(class, Class::F32 | Class::F64);
        let binary = match op {
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::MinS | AtomicOp::MinU if float => BinaryOp::Min,
            AtomicOp::MaxS | AtomicOp::MaxU if float => BinaryOp::Max,
            AtomicOp::MinS => BinaryOp::MinS,
            AtomicOp::MinU => BinaryOp::MinU,
            AtomicOp::MaxS => BinaryOp::MaxS,
            AtomicOp::MaxU => BinaryOp::MaxU,
            AtomicOp::Exchange | AtomicOp::Store => return operand,
            AtomicOp::Load => return old,
            AtomicOp::CompareExchange => {
                let equal = self.emit().compare_scalar(CompareOp::Eq, class, old, compare.unwrap_or(old));
                return self.b.ins().select(equal, operand, old);
            }
        };
        self.emit().binary_scalar(binary, class, old, operand)
    }

    /// Applies an atomic to memory that only this thread accesses; returns the old value.
    fn change_own(
        &mut self,
        op: AtomicOp,
        class: Class,
        address: cl::Value,
        operand: cl::Value,
        compare: Option<cl::Value>,
    ) -> cl::Value {
        let flags = MemFlagsData::trusted();
        if op == AtomicOp::Store {
            self.b.ins().store(flags, operand, address, 0);
            return operand;
        }
        let old = self.b.ins().load(scalar_type(class), flags, address, 0);
        if op != AtomicOp::Load {
            let new = self.changed(op, class, old, operand, compare);
            self.b.ins().store(flags, new, address, 0);
        }
        old
    }

    /// Applies an atomic to memory that other threads may change at the same time; returns the old value.
    fn change_shared(
        &mut self,
        op: AtomicOp,
        class: Class,
        address: cl::Value,
        operand: cl::Value,
        compare: Option<cl::Value>,
    ) -> cl::Value {
        let flags = MemFlagsData::trusted();
        let ty = scalar_type(class);
        let float = matches!(class, Class::F32 | Class::F64);
        let bits = bits_of(class);
        let as_bits =
            |g: &mut Self, value| if float { g.b.ins().bitcast(bits, MemFlagsData::new(), value) } else { value };
        let rmw = match op {
            AtomicOp::Exchange => Some(AtomicRmwOp::Xchg),
            _ if float => None,
            AtomicOp::Add => Some(AtomicRmwOp::Add),
            AtomicOp::Sub => Some(AtomicRmwOp::Sub),
            AtomicOp::And => Some(AtomicRmwOp::And),
            AtomicOp::Or => Some(AtomicRmwOp::Or),
            AtomicOp::Xor => Some(AtomicRmwOp::Xor),
            AtomicOp::MinS => Some(AtomicRmwOp::Smin),
            AtomicOp::MinU => Some(AtomicRmwOp::Umin),
            AtomicOp::MaxS => Some(AtomicRmwOp::Smax),
            AtomicOp::MaxU => Some(AtomicRmwOp::Umax),
            AtomicOp::CompareExchange | AtomicOp::Load | AtomicOp::Store => None,
        };
        let old = match (op, rmw) {
            (_, Some(rmw)) => {
                let operand = as_bits(self, operand);
                self.b.ins().atomic_rmw(bits, flags, rmw, address, operand)
            }
            (AtomicOp::Load, _) => self.b.ins().atomic_load(bits, flags, address),
            (AtomicOp::Store, _) => {
                let operand = as_bits(self, operand);
                self.b.ins().store(flags, operand, address, 0);
                operand
            }
            (AtomicOp::CompareExchange, _) => {
                let expected = as_bits(self, compare.unwrap_or(operand));
                let operand = as_bits(self, operand);
                self.b.ins().atomic_cas(flags, address, expected, operand)
            }
            _ => self.change_until_it_holds(op, class, bits, address, operand),
        };
        if float { self.b.ins().bitcast(ty, MemFlagsData::new(), old) } else { old }
    }

    /// Applies an atomic to a float by a loop of compare and exchange that ends when the exchange succeeds: processors
    /// have no atomic instructions for floats.
    fn change_until_it_holds(
        &mut self,
        op: AtomicOp,
        class: Class,
        bits: cl::Type,
        address: cl::Value,
        operand: cl::Value,
    ) -> cl::Value {
        let flags = MemFlagsData::trusted();
        let first = self.b.ins().atomic_load(bits, flags, address);
        let (again, done) = (self.b.create_block(), self.b.create_block());
        let expected = self.b.append_block_param(again, bits);
        self.b.ins().jump(again, &[first.into()]);
        self.b.switch_to_block(again);
        let old = self.b.ins().bitcast(scalar_type(class), MemFlagsData::new(), expected);
        let new = self.changed(op, class, old, operand, None);
        let new = self.b.ins().bitcast(bits, MemFlagsData::new(), new);
        let seen = self.b.ins().atomic_cas(flags, address, expected, new);
        let held = self.b.ins().icmp(cl::condcodes::IntCC::Equal, seen, expected);
        self.b.ins().brif(held, done, &[], again, &[seen.into()]);
        self.b.seal_block(again);
        self.switch_sealed(done);
        seen
    }
}

/// The integer type with the size of a class.
fn bits_of(class: Class) -> cl::Type {
    match scalar_type(class) {
        types::F32 => types::I32,
        types::F64 => types::I64,
        other => other,
    }
}
