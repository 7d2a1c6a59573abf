//! Loads.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use smallvec::SmallVec;

use super::generator::Generator;
use super::memory::{Columns, raw, shared};
use super::ops::{Parts, scalar_type};
use super::place::{Offsets, Spread, Touched};
use crate::emitter::Intrinsic;
use crate::ir::{BinaryOp, Class, Convert, MemType, Place, Value};

impl Generator<'_, '_> {
    /// Evaluates a load of `count` consecutive scalars; `value` is the first of them.
    pub(super) fn load(&mut self, value: Value, place: &Place, ty: MemType, count: u8) {
        let ty = Self::stored(place, ty);
        let spread = self.spread_of(place);
        let flags = self.reading(place, Touched::All);
        if spread == Spread::Same && (!place.space.is_private() || self.function.is_serial()) {
            let address = self.same_address(place, false, Touched::All).address;
            for index in 0..u32::from(count) {
                let scalar = self.load_scalar(flags, ty, address, (index * ty.bytes()) as i32);
                self.hold_scalar(Value(value.0 + index), scalar);
            }
            return;
        }
        let columns = match spread {
            Spread::Same => {
                let address = self.same_address(place, false, Touched::All).address;
                let pitch = i32::from(ty.class().bytes() as u8) * self.target.lanes as i32;
                (0..i32::from(count)).map(|index| self.emit().load_parts(ty.class(), address, index * pitch)).collect()
            }
            Spread::Steps(step) => self.load_steps(place, ty, count, step),
            Spread::Anywhere => self.load_anywhere(place, ty, count),
        };
        for (index, parts) in columns.into_iter().enumerate() {
            self.hold_lanes(Value(value.0 + index as u32), parts);
        }
    }

    /// Reads one scalar, and converts it to its form in registers.
    pub(super) fn load_scalar(
        &mut self,
        flags: MemFlagsData,
        ty: MemType,
        address: cl::Value,
        offset: i32,
    ) -> cl::Value {
        let bits = self.load_raw(flags, ty, address, offset);
        match ty {
            MemType::F16 => self.emit().convert_scalar(Convert::HalfBitsToF32, bits),
            MemType::Bool => self.b.ins().icmp_imm_s(IntCC::NotEqual, bits, 0),
            _ => bits,
        }
    }

    /// Reads one scalar in its form in memory; booleans as 32 bits.
    fn load_raw(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value, offset: i32) -> cl::Value {
        match ty {
            MemType::F16 | MemType::U16 => self.b.ins().uload16(types::I32, flags, address, offset),
            MemType::I16 => self.b.ins().sload16(types::I32, flags, address, offset),
            MemType::Bool => self.b.ins().load(types::I32, flags, address, offset),
            _ => self.b.ins().load(scalar_type(ty.class()), flags, address, offset),
        }
    }

    /// Converts lanes from their form in memory to their form in registers.
    fn of_memory(&mut self, ty: MemType, parts: Parts) -> Parts {
        if ty == MemType::F16 { self.emit().convert(Convert::HalfBitsToF32, &parts) } else { parts }
    }

    fn load_steps(&mut self, place: &Place, ty: MemType, count: u8, step: i64) -> Columns {
        let start = self.stepped_address(place, Touched::All);
        if start.inside.is_empty() {
            let columns = self.load_rows(self.reading(place, Touched::All), start.address, ty, count, step);
            return columns.into_iter().map(|parts| self.of_memory(ty, parts)).collect();
        }
        let (slow, join) = (self.b.create_block(), self.b.create_block());
        let certain = place.indices.iter().all(|index| self.facts.shapes[index.value.0 as usize].stride().is_some());
        self.require(&start.inside, slow);
        let rows = self.load_rows(self.reading_here(place), start.address, ty, count, step);
        self.jump_with(join, &rows);
        let rare = self.flow.rare;
        self.flow.rare = rare || start.usual;
        self.switch_sealed(slow);
        let offsets = self.offsets(place, ty.bytes(), Touched::All);
        let each = if certain {
            self.load_lane_by_lane(&offsets, ty, count)
        } else {
            self.gather(self.gathering(place), &offsets, ty, count, ty.bytes(), 1)
        };
        self.jump_with(join, &each);
        self.flow.rare = rare;
        let columns = self.columns_of(join, raw(ty), count);
        self.switch_sealed(join);
        columns.into_iter().map(|parts| self.of_memory(ty, parts)).collect()
    }

    fn jump_with(&mut self, block: cl::Block, columns: &[Parts]) {
        let arguments: Vec<cl::BlockArg> = columns.iter().flatten().map(|value| (*value).into()).collect();
        self.b.ins().jump(block, &arguments);
    }

    fn columns_of(&mut self, block: cl::Block, class: Class, count: u8) -> Columns {
        (0..count)
            .map(|_| {
                let parts = 0..self.target.parts(class);
                parts.map(|_| self.b.append_block_param(block, self.target.vector(class))).collect()
            })
            .collect()
    }

    /// Reads `count` scalars in each lane, in their form in memory. The lanes are `step` bytes apart, and all in range.
    fn load_rows(&mut self, flags: MemFlagsData, address: cl::Value, ty: MemType, count: u8, step: i64) -> Columns {
        let pitch = i64::from(ty.bytes());
        match (ty.bytes(), count) {
            (4 | 8, 1) if step == pitch => {
                SmallVec::from_elem(self.emit().load_parts_by(flags, raw(ty), address, 0), 1)
            }
            (2, 1) if step == pitch => SmallVec::from_elem(self.load_halves(flags, ty, address), 1),
            (4, 2) if step == 2 * pitch => {
                let rows: Parts =
                    (0..self.target.lanes as i32 / 2).map(|row| self.row(flags, ty, address, 16 * row)).collect();
                self.unzip(&rows).into_iter().collect()
            }
            // For three scalars, four are read: the guard bytes after a buffer's end make this valid.
            (4, 3 | 4) => {
                let rows: SmallVec<[cl::Value; 8]> = (0..self.target.lanes as i64)
                    .map(|lane| self.row(flags, ty, address, (lane * step) as i32))
                    .collect();
                self.transpose(&rows).into_iter().take(usize::from(count)).collect()
            }
            _ => (0..i64::from(count))
                .map(|index| {
                    let lanes: SmallVec<[cl::Value; 8]> = (0..self.target.lanes as i64)
                        .map(|lane| self.load_raw(flags, ty, address, (lane * step + index * pitch) as i32))
                        .collect();
                    self.join_lanes(raw(ty), &lanes)
                })
                .collect(),
        }
    }

    /// Reads a vector of 128 bits.
    fn row(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value, offset: i32) -> cl::Value {
        self.b.ins().load(self.target.half(raw(ty)), flags, address, offset)
    }

    /// Reads consecutive scalars of 16 bits.
    fn load_halves(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value) -> Parts {
        let mut words = Parts::new();
        for row in 0..self.target.lanes as i32 / 8 {
            let halves = self.b.ins().load(types::I16X8, flags, address, 16 * row);
            words.extend(if ty == MemType::I16 {
                [self.b.ins().swiden_low(halves), self.b.ins().swiden_high(halves)]
            } else {
                [self.b.ins().uwiden_low(halves), self.b.ins().uwiden_high(halves)]
            });
        }
        self.emit().joined(words)
    }

    /// Combines scalars in their form in memory into lanes; booleans have 32 bits in memory.
    fn join_lanes(&mut self, class: Class, lanes: &[cl::Value]) -> Parts {
        let class = if class == Class::Bool { Class::I32 } else { class };
        self.emit().from_lanes(class, lanes)
    }

    fn load_anywhere(&mut self, place: &Place, ty: MemType, count: u8) -> Columns {
        let bytes = if place.space.is_private() { ty.class().bytes() } else { ty.bytes() };
        let offsets = self.offsets(place, bytes, Touched::All);
        let columns =
            self.gather(self.gathering(place), &offsets, ty, count, Self::pitch(place, ty), self.lane_scale(place));
        columns.into_iter().map(|parts| self.of_memory(ty, parts)).collect()
    }

    /// The flags for reads of single lanes, which may be moved only in loops. Cranelift moves a movable read out of a
    /// loop. Outside of loops it repeats the read, with the computation of the index, in each branch that uses it.
    fn gathering(&self, place: &Place) -> MemFlagsData {
        if self.flow.loops > 0 { self.reading(place, Touched::All) } else { self.reading_here(place) }
    }

    /// The distance between consecutive scalars of one lane, in scalars: private memory interleaves the lanes.
    pub(super) fn lane_scale(&self, place: &Place) -> u32 {
        if place.space.is_private() { self.target.lanes as u32 } else { 1 }
    }

    /// Reads `count` scalars in each lane from the lane's own address, in their form in memory.
    fn gather(
        &mut self,
        flags: MemFlagsData,
        offsets: &Offsets,
        ty: MemType,
        count: u8,
        pitch: u32,
        scale: u32,
    ) -> Columns {
        if self.target.gathers && ty.bytes() == 4 && (count < 3 || scale > 1) {
            return (0..count).map(|index| self.gather_by_one(offsets, ty, u32::from(index) * pitch * scale)).collect();
        }
        let addresses: SmallVec<[cl::Value; 8]> = (0..self.target.lanes)
            .map(|lane| {
                let offset = self.emit().lane(Class::I32, &offsets.offsets, lane);
                let wide = self.b.ins().uextend(types::I64, offset);
                self.b.ins().iadd(offsets.base, wide)
            })
            .collect();
        if ty.bytes() == 4 && count >= 3 && scale == 1 {
            let rows: SmallVec<[cl::Value; 8]> =
                addresses.iter().map(|address| self.row(flags, ty, *address, 0)).collect();
            return self.transpose(&rows).into_iter().take(usize::from(count)).collect();
        }
        (0..u32::from(count))
            .map(|index| {
                let lanes: SmallVec<[cl::Value; 8]> = addresses
                    .iter()
                    .map(|address| self.load_raw(flags, ty, *address, (index * pitch * scale) as i32))
                    .collect();
                self.join_lanes(raw(ty), &lanes)
            })
            .collect()
    }

    /// The address `further` bytes behind the middle of what offsets of 32 bits can reach, and the offsets from there, as
    /// signed numbers: instructions that read or write the scalars of all lanes take such ones.
    pub(super) fn signed_lanes(&mut self, offsets: &Offsets, further: u32) -> (cl::Value, Parts) {
        const MIDDLE: i64 = 1 << 31;
        let middle = self.emit().constant(Class::I32, MIDDLE as u64);
        let index = self.emit().binary(BinaryOp::Xor, Class::I32, &offsets.offsets, &middle);
        (self.b.ins().iadd_imm_s(offsets.base, MIDDLE + i64::from(further)), index)
    }

    /// Reads a scalar of 32 bits in each lane by one instruction, `further` bytes behind the offsets.
    fn gather_by_one(&mut self, offsets: &Offsets, ty: MemType, further: u32) -> Parts {
        let (base, index) = self.signed_lanes(offsets, further);
        let all = self.emit().constant(Class::Bool, 1);
        let zero = self.emit().constant(raw(ty), 0);
        let parts = index.iter().zip(&all).zip(&zero);
        parts
            .map(|((index, all), zero)| self.emit().intrinsic(Intrinsic::Gather(0), &[base, *index, *all, *zero]))
            .collect()
    }

    /// Reads like [`Self::gather`], but with a loop over the lanes: small and slow, for rare cases.
    fn load_lane_by_lane(&mut self, offsets: &Offsets, ty: MemType, count: u8) -> Columns {
        let from = self.scratch(0);
        self.emit().store_parts(&offsets.offsets, from, 0);
        let all = self.b.ins().iconst(types::I32, (1 << self.target.lanes) - 1);
        let class = raw(ty);
        let size = i64::from(class.bytes());
        let to: SmallVec<[cl::Value; 4]> = (0..usize::from(count)).map(|index| self.scratch(1 + index)).collect();
        self.each_lane(all, |g, lane| {
            let address = g.lane_address(offsets.base, from, lane);
            for (index, to) in to.iter().enumerate() {
                let scalar = g.load_raw(shared(), ty, address, (index as u32 * ty.bytes()) as i32);
                let slot = g.element(*to, lane, size);
                g.b.ins().store(shared(), scalar, slot, 0);
            }
        });
        to.iter().map(|to| self.emit().load_parts(class, *to, 0)).collect()
    }
}
