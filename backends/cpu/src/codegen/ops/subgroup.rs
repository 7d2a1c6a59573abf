//! Operations over the active lanes of a subgroup, which is one vector of eight.

mod run;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use smallvec::SmallVec;

use super::super::helper::Helper;
use super::target::Shape;
use super::{Emit, Parts, scalar_type};
use crate::abi::LANES;
use crate::emitter::Intrinsic;
use crate::ir::{Class, SubgroupOp};
pub(in super::super) use run::subgroup_helper;

impl Emit<'_, '_> {
    /// Emits an operation over the lanes of `parts` that are set in `mask`; `lane` is the second operand of a shuffle.
    /// Inactive lanes get arbitrary values.
    pub(in super::super) fn subgroup(
        &mut self,
        op: SubgroupOp,
        class: Class,
        parts: &[Value],
        lane: Option<&[Value]>,
        mask: &[Value],
    ) -> Parts {
        match (op, class) {
            (SubgroupOp::Ballot, _) => {
                let votes = self.each_pair(parts, mask, |emit, vote, active| emit.b.ins().band(vote, active));
                let bits = self.bits(&votes);
                self.splat(Class::I32, bits)
            }
            (SubgroupOp::Or, Class::Bool) => {
                let votes = self.each_pair(parts, mask, |emit, vote, active| emit.b.ins().band(vote, active));
                let any = self.any(&votes);
                self.splat(Class::Bool, any)
            }
            (SubgroupOp::And, Class::Bool) => {
                let against = self.each_pair(parts, mask, |emit, vote, active| emit.b.ins().band_not(active, vote));
                let any = self.any(&against);
                let zero = self.b.ins().iconst(types::I8, 0);
                let all = self.b.ins().icmp(IntCC::Equal, any, zero);
                self.splat(Class::Bool, all)
            }
            (SubgroupOp::First, _) => self.first_active(class, parts, mask),
            (SubgroupOp::Add | SubgroupOp::InclusiveAdd | SubgroupOp::ExclusiveAdd, Class::I32)
                if self.target.permute =>
            {
                let active = self.each_pair(parts, mask, |emit, value, active| emit.b.ins().band(value, active));
                let sums = self.sums_up_to(&active);
                match op {
                    SubgroupOp::Add => {
                        let sum = self.lane(Class::I32, &sums, LANES - 1);
                        self.splat(Class::I32, sum)
                    }
                    SubgroupOp::InclusiveAdd => sums,
                    _ => self.each_pair(&sums, &active, Self::sub),
                }
            }
            _ => self.subgroup_call(op, class, parts, lane, mask),
        }
    }

    /// Returns the result of an operation over one lane, whose value is `own`.
    pub(in super::super) fn subgroup_of_one(&mut self, op: SubgroupOp, class: Class, own: Value) -> Value {
        let one = match class {
            Class::F32 => u64::from(1f32.to_bits()),
            Class::F64 => 1f64.to_bits(),
            _ => 1,
        };
        match op {
            SubgroupOp::ExclusiveAdd => self.constant_scalar(class, 0),
            SubgroupOp::ExclusiveMul => self.constant_scalar(class, one),
            SubgroupOp::Ballot => self.b.ins().uextend(types::I32, own),
            _ => own,
        }
    }

    /// Rearranges lanes: lane n of the result is lane `lanes[n]` of `parts`. `None` on machines without permutations.
    pub(in super::super) fn rearranged(&mut self, class: Class, lanes: [u8; LANES], parts: &[Value]) -> Option<Parts> {
        if !self.target.permute {
            return None;
        }
        if self.target.is_wide() {
            if class.bytes() == 4 {
                return Some(Parts::from_slice(&[self.lanes_at(parts[0], lanes)]));
            }
            let lanes: SmallVec<[Value; LANES]> =
                lanes.iter().map(|lane| self.lane(class, parts, usize::from(*lane))).collect();
            return Some(self.from_lanes(class, &lanes));
        }
        let of_part = LANES / self.target.parts(class);
        let bytes = 16 / of_part as u8;
        let parts_of = |lane: u8| usize::from(lane) / of_part;
        lanes
            .chunks(of_part)
            .map(|wanted| {
                // The wanted lanes are in at most two vectors: there are only two of 32-bit lanes, and a vector of the
                // result has only two 64-bit lanes.
                let a = parts_of(wanted[0]);
                let b = wanted.iter().map(|lane| parts_of(*lane)).find(|part| *part != a).unwrap_or(a);
                if a == b && wanted.iter().enumerate().all(|(at, lane)| usize::from(*lane) == a * of_part + at) {
                    return Some(parts[a]);
                }
                let pattern = std::array::from_fn(|byte| {
                    let lane = wanted[byte / usize::from(bytes)];
                    let second = if parts_of(lane) == a { 0 } else { 16 };
                    second + lane % of_part as u8 * bytes + byte as u8 % bytes
                });
                Some(self.permute_bytes(pattern, parts[a], parts[b]))
            })
            .collect()
    }

    /// The lanes of 32 bits with these numbers, of a vector of 256 bits.
    fn lanes_at(&mut self, vector: Value, lanes: [u8; LANES]) -> Value {
        let numbers = self.lanes_of(lanes.map(u32::from))[0];
        self.intrinsic(Intrinsic::Lanes, &[vector, numbers])
    }

    /// The inclusive prefix sums of integer lanes; inactive lanes must be 0.
    fn sums_up_to(&mut self, parts: &[Value]) -> Parts {
        if self.target.is_wide() {
            let mut sums = parts[0];
            let zero = self.constant(Class::I32, 0)[0];
            for bytes in [4, 8] {
                let moved = self.intrinsic(Intrinsic::Align(16 - bytes), &[sums, zero]);
                sums = self.b.ins().iadd(sums, moved);
            }
            // The upper half still lacks the sum of the lower one, which is in lane 3.
            let of_lower = self.lanes_at(sums, [3; LANES]);
            let upper = self.known_mask(|lane| lane >= LANES / 2);
            let of_lower = self.b.ins().band(of_lower, upper[0]);
            return Parts::from_slice(&[self.b.ins().iadd(sums, of_lower)]);
        }
        let zero = self.constant(Class::I32, 0)[0];
        let (mut low, mut high) = (parts[0], parts[1]);
        // The lanes move up by 4 bytes, which is one lane, then by two lanes.
        for by in [4, 8] {
            let pattern: [u8; 16] = std::array::from_fn(|byte| byte as u8 + 16 - by);
            let below = self.permute_bytes(pattern, zero, low);
            let above = self.permute_bytes(pattern, low, high);
            low = self.b.ins().iadd(low, below);
            high = self.b.ins().iadd(high, above);
        }
        // Each lane has the sum of up to four lanes now. The upper vector still lacks the sums of the lower one.
        high = self.b.ins().iadd(high, low);
        Parts::from_slice(&[low, high])
    }

    /// The value of the first active lane in all lanes: stores the lanes and loads one of them.
    fn first_active(&mut self, class: Class, parts: &[Value], mask: &[Value]) -> Parts {
        let address = self.slot_address(1);
        self.store_parts(parts, address, 0);
        let bits = self.bits(mask);
        // Without an active lane the last lane is used, so that the address is always valid.
        let bits = self.b.ins().bor_imm_u(bits, 1 << (LANES - 1));
        let first = self.b.ins().ctz(bits);
        let first = self.b.ins().uextend(self.target.pointer, first);
        let offset = self.ishl_by(first, i64::from(class.bytes().trailing_zeros()));
        let address = self.b.ins().iadd(address, offset);
        let ty = if class == Class::Bool { types::I32 } else { scalar_type(class) };
        let flags = cranelift_codegen::ir::MemFlagsData::new().with_notrap();
        let value = self.b.ins().load(ty, flags, address, 0);
        self.splat(class, value)
    }

    fn subgroup_call(
        &mut self,
        op: SubgroupOp,
        class: Class,
        parts: &[Value],
        lane: Option<&[Value]>,
        mask: &[Value],
    ) -> Parts {
        let out = self.slot_address(0);
        let values = self.slot_address(1);
        self.store_parts(parts, values, 0);
        let lanes = match lane {
            Some(lane) => {
                let lanes = self.slot_address(2);
                self.store_parts(lane, lanes, 0);
                lanes
            }
            None => values,
        };
        let active = self.bits(mask);
        let op = self.b.ins().iconst(types::I32, i64::from(op as u32));
        self.call_helper(Helper::Subgroup(class), Shape::Subgroup, &[out, values, lanes, active, op]);
        self.load_parts(class, out, 0)
    }
}
