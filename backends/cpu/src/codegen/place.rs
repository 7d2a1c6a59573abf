//! Addresses of accessed memory: uniform, linear, or different in every lane.

use cranelift_codegen::ir::{self as cl, InstBuilder, condcodes::IntCC, types};

use super::generator::Generator;
use super::likely::Conditions;
use super::ops::Parts;
use crate::ir::{BinaryOp, Class, CompareOp, Count, Index, Place, Space};

/// The relation between the addresses that the lanes of a group access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// All lanes access one address.
    Same,
    /// The address grows by this number of bytes from lane to lane.
    Steps(i64),
    /// The addresses of the lanes have no known relation.
    Anywhere,
}

/// The lanes for which memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    /// All lanes are accessed, whether active or not.
    All,
    /// Only active lanes are accessed.
    Active,
}

/// The address in lane 0, and the condition that the access is in range in all lanes; `None` if it certainly is.
pub(super) struct Start {
    pub(super) address: cl::Value,
    pub(super) inside: Option<cl::Value>,
}

/// The address in lane 0 where lanes are a constant step apart, and the conditions under which that is so and all lanes
/// are in range; none if it is certain.
pub(super) struct Stepped {
    pub(super) address: cl::Value,
    pub(super) inside: Conditions,
    /// Whether the conditions are true in nearly all groups of any launch.
    pub(super) usual: bool,
}

/// A base address with an offset for each lane, and the mask of lanes that are in range; `None` if all certainly are.
pub(super) struct Offsets {
    pub(super) base: cl::Value,
    pub(super) offsets: Parts,
    pub(super) inside: Option<Parts>,
}

impl Generator<'_, '_> {
    /// The relation between the addresses of `place` in different lanes. Private memory with uniform indices has one
    /// address, because the copies of all lanes are adjacent.
    pub(super) fn spread_of(&self, place: &Place) -> Spread {
        let mut steps = 0i64;
        for index in &place.indices {
            let shape = self.facts.shapes[index.value.0 as usize];
            let likely = self.likely[index.value.0 as usize].as_ref().and_then(|_| shape.likely_stride());
            match shape.stride().or(likely) {
                Some(stride) => steps += i64::from(stride) * i64::from(index.stride),
                None => return Spread::Anywhere,
            }
        }
        let uniform = place.indices.iter().all(|index| self.is_uniform(index.value));
        match (uniform, place.space) {
            (true, _) => Spread::Same,
            (false, Space::Private | Space::Passed) => Spread::Anywhere,
            // Even if the strides cancel each other, addresses are equal only while all indices are in range.
            (false, _) => Spread::Steps(steps),
        }
    }

    fn base(&self, space: Space) -> cl::Value {
        match space {
            Space::Binding(slot) => self.constants.slots[slot as usize].0,
            Space::Workgroup => self.constants.workgroup,
            Space::Immediate => self.constants.immediates,
            Space::Private | Space::Passed => self.private,
        }
    }

    /// The number of elements that an index into memory `space` must be below.
    pub(super) fn count_of(&mut self, space: Space, count: Count) -> cl::Value {
        match (count, space) {
            (Count::Runtime, Space::Binding(slot)) => self.constants.slots[slot as usize].1,
            (Count::Fixed(count), _) => self.b.ins().iconst(types::I32, i64::from(count)),
            (Count::Runtime, _) => self.b.ins().iconst(types::I32, 1),
        }
    }

    /// Whether an index is certain to be in range. Proofs are not valid for inactive lanes.
    pub(super) fn certain(&self, space: Space, index: &Index, touched: Touched) -> bool {
        index.proven && (touched == Touched::Active || !self.is_masked())
            || self.is_bounded(index)
            || self.is_tested(space, index)
    }

    /// Whether the operations that compute an index bound it below a constant number of elements.
    pub(super) fn is_bounded(&self, index: &Index) -> bool {
        match index.count {
            Count::Fixed(count) => self.facts.shapes[index.value.0 as usize].bound < count,
            Count::Runtime => false,
        }
    }

    /// The factor between the offset of a scalar for one lane and its offset in memory: private memory interleaves the
    /// lanes.
    fn scale(&self, space: Space) -> i64 {
        if space.is_private() && !self.function.is_serial() { self.target.lanes as i64 } else { 1 }
    }

    /// The address of a place with uniform indices. Indices are clamped; `inside` is the condition that no index needed
    /// clamping.
    pub(super) fn same_address(&mut self, place: &Place, wants_inside: bool, touched: Touched) -> Start {
        let scale = self.scale(place.space);
        let mut address = self.base(place.space);
        let mut inside: Option<cl::Value> = None;
        for index in &place.indices {
            let mut value = self.scalar(index.value);
            if !self.certain(place.space, index, touched) {
                let count = self.count_of(place.space, index.count);
                if wants_inside {
                    let fits = self.b.ins().icmp(IntCC::UnsignedLessThan, value, count);
                    inside = Some(inside.map_or(fits, |other| self.b.ins().band(other, fits)));
                }
                let last = self.b.ins().iadd_imm_s(count, -1);
                value = self.b.ins().umin(value, last);
            }
            let wide = self.b.ins().uextend(types::I64, value);
            let offset = self.b.ins().imul_imm_s(wide, i64::from(index.stride) * scale);
            address = self.b.ins().iadd(address, offset);
        }
        let address = self.b.ins().iadd_imm_s(address, i64::from(place.offset) * scale);
        Start { address, inside }
    }

    /// The address in lane 0 of a place whose indices are linear or likely to be linear. The address may be used only
    /// where all conditions of `inside` are true.
    pub(super) fn stepped_address(&mut self, place: &Place, touched: Touched) -> Stepped {
        let mut address = self.base(place.space);
        let mut further = i64::from(place.offset);
        let (mut inside, mut usual) = (Conditions::new(), true);
        for index in &place.indices {
            let shape = self.facts.shapes[index.value.0 as usize];
            let Some(likely) = self.likely(index.value) else { continue };
            let start = self.tested_start(place.space, index);
            if start.is_none() {
                inside.extend(likely.conditions());
                usual &= likely.usual;
            }
            if !self.certain(place.space, index, touched) {
                let stride = shape.stride().or(shape.likely_stride()).unwrap_or(0);
                let count = self.count_of(place.space, index.count);
                inside.push(self.fits(likely.first, stride, count));
            }
            let (wide, more) = start.unwrap_or_else(|| (self.b.ins().uextend(types::I64, likely.first), 0));
            let offset = self.b.ins().imul_imm_s(wide, i64::from(index.stride));
            address = self.b.ins().iadd(address, offset);
            further += i64::from(more) * i64::from(index.stride);
        }
        let address = self.b.ins().iadd_imm_s(address, further);
        Stepped { address, inside, usual }
    }

    /// Goes on in a new block if all conditions are true, else in `otherwise`.
    pub(super) fn require(&mut self, conditions: &[cl::Value], otherwise: cl::Block) {
        for condition in conditions {
            let next = self.b.create_block();
            self.b.ins().brif(*condition, next, &[], otherwise, &[]);
            self.switch_sealed(next);
        }
    }

    /// Whether a value that is `first` in lane 0 and grows by `stride` per lane is below `count` in all lanes.
    pub(super) fn fits(&mut self, first: cl::Value, stride: i32, count: cl::Value) -> cl::Value {
        let reach = i64::from(stride) * (self.target.lanes as i64 - 1);
        // The lane with the smallest index must be so far below the count that the other lanes are below it too.
        let least = if reach < 0 { self.b.ins().iadd_imm_s(first, reach) } else { first };
        let room = if reach == 0 {
            count
        } else {
            let most = reach.abs().min(i64::from(u32::MAX));
            let most = self.b.ins().iconst(types::I32, most as u32 as i64);
            // A selection, unlike a sum, is computed once before the loop over groups, and not in each iteration.
            let (enough, left) =
                (self.b.ins().icmp(IntCC::UnsignedGreaterThan, count, most), self.b.ins().isub(count, most));
            let none = self.b.ins().iconst(types::I32, 0);
            self.b.ins().select(enough, left, none)
        };
        self.b.ins().icmp(IntCC::UnsignedLessThan, least, room)
    }

    /// The offsets of a place in all lanes, with clamped indices; if only active lanes are accessed, also the mask of
    /// lanes whose indices needed no clamping. `bytes` is the size of a scalar and the distance of lanes in private
    /// memory.
    pub(super) fn offsets(&mut self, place: &Place, bytes: u32, touched: Touched) -> Offsets {
        let scale = self.scale(place.space);
        let mut sum: Option<Parts> = None;
        let mut inside: Option<Parts> = None;
        for index in &place.indices {
            let mut value = self.lanes(index.value);
            if !self.certain(place.space, index, touched) {
                let count = self.count_of(place.space, index.count);
                let last = self.b.ins().iadd_imm_s(count, -1);
                let last = self.emit().splat(Class::I32, last);
                if touched == Touched::Active {
                    let fits = self.emit().compare(CompareOp::LeU, Class::I32, &value, &last);
                    inside = Some(match inside {
                        Some(other) => self.emit().binary(BinaryOp::And, Class::Bool, &other, &fits),
                        None => fits,
                    });
                }
                value = self.emit().binary(BinaryOp::MinU, Class::I32, &value, &last);
            }
            let stride = (i64::from(index.stride) * scale) as u32;
            let scaled = if stride.is_power_of_two() {
                let by = self.b.ins().iconst(types::I32, i64::from(stride.trailing_zeros()));
                self.emit().shift_by_scalar(BinaryOp::Shl, Class::I32, &value, by)
            } else {
                let stride = self.emit().constant(Class::I32, u64::from(stride));
                self.emit().binary(BinaryOp::Mul, Class::I32, &value, &stride)
            };
            sum = Some(match sum {
                Some(sum) => self.emit().binary(BinaryOp::Add, Class::I32, &sum, &scaled),
                None => scaled,
            });
        }
        let mut offsets = sum.unwrap_or_else(|| self.emit().constant(Class::I32, 0));
        if place.space.is_private() {
            let lanes = self.steps(bytes as i32);
            offsets = self.emit().binary(BinaryOp::Add, Class::I32, &offsets, &lanes);
        }
        let base = self.base(place.space);
        let base = self.b.ins().iadd_imm_s(base, i64::from(place.offset) * scale);
        Offsets { base, offsets, inside }
    }
}
