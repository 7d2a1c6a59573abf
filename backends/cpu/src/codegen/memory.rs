//! Loads and stores.
//!
//! Where all lanes address one scalar it is read once. Where they step through memory the common
//! case, all lanes in range and active, is a few vector accesses; the rest goes lane by lane, out
//! of the way.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use smallvec::SmallVec;

use super::generator::{Generator, vectors};
use super::ops::{Parts, scalar_type, vector_type};
use super::place::{Offsets, Spread};
use crate::abi::LANES;
use crate::ir::{Class, Convert, Function, Inst, MemType, Place, Space, Stmt, Value};

/// Scalars that are read or written together.
type Columns = SmallVec<[Parts; 4]>;

/// The flags of accesses to memory that others own: mapped, but not aligned to vectors.
fn shared() -> MemFlagsData {
    MemFlagsData::new().with_trap_code(None)
}

/// The flags of a read from an address that is good wherever the code runs: what nobody writes may
/// be read early, late, or once for several reads. Reads behind a test of their address must not
/// move: these have the flags of [`shared`].
fn reading(function: &Function, space: Space) -> MemFlagsData {
    let constant = match space {
        Space::Binding(slot) => function.read_only.get(slot as usize).copied().unwrap_or(false),
        Space::Immediate => true,
        Space::Workgroup | Space::Private => false,
    };
    if constant { shared().with_readonly().with_can_move() } else { shared() }
}

/// The class that a type has on its way between memory and registers.
fn raw(ty: MemType) -> Class {
    match ty {
        MemType::F16 | MemType::I16 | MemType::U16 | MemType::I32 => Class::I32,
        other => other.class(),
    }
}

/// How many slots of bindings a function may use.
pub(super) fn slots_used(function: &Function) -> usize {
    let mut most = 0;
    let mut see = |space: Space| {
        if let Space::Binding(slot) = space {
            most = most.max(slot as usize + 1);
        }
    };
    for inst in &function.insts {
        match inst {
            Inst::Load(place, ..) | Inst::Atomic { place, .. } => see(place.space),
            Inst::Input(crate::ir::Input::ArrayLength(slot)) => see(Space::Binding(*slot)),
            _ => {}
        }
    }
    stores(&function.body, &mut |place| see(place.space));
    most
}

fn stores(list: &[Stmt], see: &mut impl FnMut(&Place)) {
    for statement in list {
        match statement {
            Stmt::Store { place, .. } => see(place),
            Stmt::If { accept, reject, .. } => {
                stores(accept, see);
                stores(reject, see);
            }
            Stmt::Block { body, .. } | Stmt::Loop { body, .. } => stores(body, see),
            _ => {}
        }
    }
}

impl Generator<'_, '_> {
    /// Bytes from one scalar of an access to the next.
    fn pitch(place: &Place, ty: MemType) -> u32 {
        if place.space == Space::Private { ty.class().bytes() } else { ty.bytes() }
    }

    /// The type that a scalar has in a memory: private memory holds registers.
    fn stored(place: &Place, ty: MemType) -> MemType {
        match (place.space, ty.class()) {
            (Space::Private, Class::I32) => MemType::I32,
            (Space::Private, Class::F32) => MemType::F32,
            _ => ty,
        }
    }

    /// Evaluates a load.
    pub(super) fn load(&mut self, value: Value, place: &Place, ty: MemType, count: u8) {
        let ty = Self::stored(place, ty);
        let spread = self.spread_of(place);
        let flags = reading(self.function, place.space);
        if spread == Spread::Same && place.space != Space::Private {
            let address = self.same_address(place, false).address;
            for index in 0..u32::from(count) {
                let scalar = self.load_scalar(flags, ty, address, (index * ty.bytes()) as i32);
                self.hold_scalar(Value(value.0 + index), scalar);
            }
            return;
        }
        let columns = match spread {
            Spread::Same => {
                let address = self.same_address(place, false).address;
                let pitch = i32::from(ty.class().bytes() as u8) * LANES as i32;
                (0..i32::from(count)).map(|index| self.emit().load_parts(ty.class(), address, index * pitch)).collect()
            }
            Spread::Steps(step) => self.load_steps(place, ty, count, step),
            Spread::Anywhere => self.load_anywhere(place, ty, count),
        };
        for (index, parts) in columns.into_iter().enumerate() {
            self.hold_lanes(Value(value.0 + index as u32), parts);
        }
    }

    /// Reads one scalar.
    fn load_scalar(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value, offset: i32) -> cl::Value {
        let bits = self.load_raw(flags, ty, address, offset);
        match ty {
            MemType::F16 => self.emit().convert_scalar(Convert::HalfBitsToF32, bits),
            MemType::Bool => self.b.ins().icmp_imm_s(IntCC::NotEqual, bits, 0),
            _ => bits,
        }
    }

    /// Reads one scalar as it lies in memory; booleans as 32 bits.
    fn load_raw(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value, offset: i32) -> cl::Value {
        match ty {
            MemType::F16 | MemType::U16 => self.b.ins().uload16(types::I32, flags, address, offset),
            MemType::I16 => self.b.ins().sload16(types::I32, flags, address, offset),
            MemType::Bool => self.b.ins().load(types::I32, flags, address, offset),
            _ => self.b.ins().load(scalar_type(ty.class()), flags, address, offset),
        }
    }

    /// Writes one scalar, which is as [`Self::load_raw`] returns it.
    pub(super) fn store_raw(&mut self, ty: MemType, scalar: cl::Value, address: cl::Value, offset: i32) {
        if ty.bytes() == 2 {
            self.b.ins().istore16(shared(), scalar, address, offset);
        } else {
            self.b.ins().store(shared(), scalar, address, offset);
        }
    }

    /// Lanes as they lie in memory to lanes of registers.
    fn of_memory(&mut self, ty: MemType, parts: Parts) -> Parts {
        if ty == MemType::F16 { self.emit().convert(Convert::HalfBitsToF32, &parts) } else { parts }
    }

    /// The inverse of [`Self::of_memory`].
    pub(super) fn for_memory(&mut self, ty: MemType, parts: Parts) -> Parts {
        if ty == MemType::F16 { self.emit().convert(Convert::F32ToHalfBits, &parts) } else { parts }
    }

    fn load_steps(&mut self, place: &Place, ty: MemType, count: u8, step: i64) -> Columns {
        let start = self.stepped_address(place);
        let Some(inside) = start.inside else {
            let columns = self.load_rows(reading(self.function, place.space), start.address, ty, count, step);
            return columns.into_iter().map(|parts| self.of_memory(ty, parts)).collect();
        };
        let (fast, slow, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let certain = place.indices.iter().all(|index| self.facts.shapes[index.value.0 as usize].stride().is_some());
        if certain {
            self.b.set_cold_block(slow);
        }
        self.b.ins().brif(inside, fast, &[], slow, &[]);
        self.switch_sealed(fast);
        let rows = self.load_rows(shared(), start.address, ty, count, step);
        self.jump_with(join, &rows);
        self.switch_sealed(slow);
        let offsets = self.offsets(place, ty.bytes(), false);
        let each = if certain {
            self.load_lane_by_lane(&offsets, ty, count)
        } else {
            self.gather(reading(self.function, place.space), &offsets, ty, count, ty.bytes(), 1)
        };
        self.jump_with(join, &each);
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
            .map(|_| (0..vectors(class)).map(|_| self.b.append_block_param(block, vector_type(class))).collect())
            .collect()
    }

    /// Reads rows that lie `step` bytes apart, all in range, raw.
    fn load_rows(&mut self, flags: MemFlagsData, address: cl::Value, ty: MemType, count: u8, step: i64) -> Columns {
        let pitch = i64::from(ty.bytes());
        match (ty.bytes(), count) {
            (4 | 8, 1) if step == pitch => SmallVec::from_elem(self.row_of(flags, raw(ty), address), 1),
            (2, 1) if step == pitch => SmallVec::from_elem(self.load_halves(flags, ty, address), 1),
            (4, 2) if step == 2 * pitch => {
                let rows: Parts = (0..4).map(|row| self.row(flags, ty, address, 16 * row)).collect();
                self.unzip(&rows).into_iter().collect()
            }
            // Four scalars are read where three are wanted: buffers have room behind their end.
            (4, 3 | 4) => {
                let rows: SmallVec<[cl::Value; 8]> =
                    (0..LANES as i64).map(|lane| self.row(flags, ty, address, (lane * step) as i32)).collect();
                self.transpose(&rows).into_iter().take(usize::from(count)).collect()
            }
            _ => (0..i64::from(count))
                .map(|index| {
                    let lanes: SmallVec<[cl::Value; 8]> = (0..LANES as i64)
                        .map(|lane| self.load_raw(flags, ty, address, (lane * step + index * pitch) as i32))
                        .collect();
                    self.join_lanes(raw(ty), &lanes)
                })
                .collect(),
        }
    }

    fn row(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value, offset: i32) -> cl::Value {
        self.b.ins().load(vector_type(raw(ty)), flags, address, offset)
    }

    /// Eight scalars that lie one after the other.
    fn row_of(&mut self, flags: MemFlagsData, class: Class, address: cl::Value) -> Parts {
        let ty = vector_type(class);
        (0..vectors(class)).map(|part| self.b.ins().load(ty, flags, address, 16 * part as i32)).collect()
    }

    /// Eight scalars of 16 bits.
    fn load_halves(&mut self, flags: MemFlagsData, ty: MemType, address: cl::Value) -> Parts {
        let halves = self.b.ins().load(types::I16X8, flags, address, 0);
        let (low, high) = if ty == MemType::I16 {
            (self.b.ins().swiden_low(halves), self.b.ins().swiden_high(halves))
        } else {
            (self.b.ins().uwiden_low(halves), self.b.ins().uwiden_high(halves))
        };
        Parts::from_slice(&[low, high])
    }

    /// Eight raw scalars to lanes; raw booleans are 32 bits already.
    fn join_lanes(&mut self, class: Class, lanes: &[cl::Value]) -> Parts {
        let class = if class == Class::Bool { Class::I32 } else { class };
        self.emit().from_lanes(class, lanes)
    }

    fn load_anywhere(&mut self, place: &Place, ty: MemType, count: u8) -> Columns {
        let bytes = if place.space == Space::Private { ty.class().bytes() } else { ty.bytes() };
        let offsets = self.offsets(place, bytes, false);
        let columns = self.gather(
            reading(self.function, place.space),
            &offsets,
            ty,
            count,
            Self::pitch(place, ty),
            Self::lane_scale(place),
        );
        columns.into_iter().map(|parts| self.of_memory(ty, parts)).collect()
    }

    /// How far apart the scalars of one access lie, in scalars.
    fn lane_scale(place: &Place) -> u32 {
        if place.space == Space::Private { LANES as u32 } else { 1 }
    }

    /// Reads each lane's scalars, raw.
    fn gather(
        &mut self,
        flags: MemFlagsData,
        offsets: &Offsets,
        ty: MemType,
        count: u8,
        pitch: u32,
        scale: u32,
    ) -> Columns {
        let addresses: SmallVec<[cl::Value; 8]> = (0..LANES)
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

    /// Like [`Self::gather`], but small and slow: for what rarely happens.
    fn load_lane_by_lane(&mut self, offsets: &Offsets, ty: MemType, count: u8) -> Columns {
        let from = self.scratch(0);
        self.emit().store_parts(&offsets.offsets, from, 0);
        let all = self.b.ins().iconst(types::I32, (1 << LANES) - 1);
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

    /// Stack memory for eight scalars.
    pub(super) fn scratch(&mut self, number: usize) -> cl::Value {
        while self.scratch.len() <= number {
            let data = cl::StackSlotData::new(cl::StackSlotKind::ExplicitSlot, 64, 4);
            let slot = self.b.create_sized_stack_slot(data);
            self.scratch.push(slot);
        }
        self.b.ins().stack_addr(self.target.pointer, self.scratch[number], 0)
    }

    /// The address of element `lane` of eight.
    pub(super) fn element(&mut self, start: cl::Value, lane: cl::Value, size: i64) -> cl::Value {
        let offset = self.b.ins().imul_imm_s(lane, size);
        self.b.ins().iadd(start, offset)
    }

    /// Base plus the offset of a lane, which lies in scratch memory.
    pub(super) fn lane_address(&mut self, base: cl::Value, offsets: cl::Value, lane: cl::Value) -> cl::Value {
        let at = self.element(offsets, lane, 4);
        let offset = self.b.ins().uload32(shared(), at, 0);
        self.b.ins().iadd(base, offset)
    }

    /// Runs code for each lane whose bit is set, in order; the lane is a 64-bit number.
    pub(super) fn each_lane(&mut self, bits: cl::Value, mut body: impl FnMut(&mut Self, cl::Value)) {
        let (header, inner, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let left = self.b.append_block_param(header, types::I32);
        self.b.ins().jump(header, &[bits.into()]);
        self.b.switch_to_block(header);
        self.b.ins().brif(left, inner, &[], after, &[]);
        self.switch_sealed(inner);
        let lane = self.b.ins().ctz(left);
        let lane = self.b.ins().uextend(types::I64, lane);
        body(self, lane);
        let less = self.b.ins().iadd_imm_s(left, -1);
        let less = self.b.ins().band(left, less);
        self.b.ins().jump(header, &[less.into()]);
        self.b.seal_block(header);
        self.switch_sealed(after);
    }

    /// One lane of a value, chosen when running; as a scalar, booleans as 0 and 1.
    pub(super) fn lane_at(&mut self, class: Class, parts: &[cl::Value], lane: cl::Value) -> cl::Value {
        let from = self.scratch(0);
        self.emit().store_parts(parts, from, 0);
        let wide = self.b.ins().uextend(types::I64, lane);
        let at = self.element(from, wide, i64::from(class.bytes()));
        if class == Class::Bool {
            let bits = self.b.ins().load(types::I32, shared(), at, 0);
            return self.b.ins().icmp_imm_s(IntCC::NotEqual, bits, 0);
        }
        self.b.ins().load(scalar_type(class), shared(), at, 0)
    }

    /// Writes scalars in the active lanes.
    pub(super) fn store(&mut self, place: &Place, ty: MemType, values: &[Value]) {
        let ty = Self::stored(place, ty);
        match (self.spread_of(place), place.space) {
            (Spread::Same, Space::Private) => self.store_private(place, values),
            (Spread::Same, _) => self.store_same(place, ty, values),
            (Spread::Steps(step), _) => self.store_steps(place, ty, values, step),
            (Spread::Anywhere, _) => {
                let columns = self.raw_columns(ty, values);
                let pitch = Self::pitch(place, ty) * Self::lane_scale(place);
                self.store_lane_by_lane(place, ty, &columns, pitch);
            }
        }
    }

    fn raw_columns(&mut self, ty: MemType, values: &[Value]) -> Columns {
        values
            .iter()
            .map(|value| {
                let parts = self.lanes(*value);
                self.for_memory(ty, parts)
            })
            .collect()
    }

    /// All lanes of the invocations' own memory at one offset.
    fn store_private(&mut self, place: &Place, values: &[Value]) {
        let start = self.same_address(place, true);
        let address = match start.inside {
            Some(inside) => self.b.ins().select(inside, start.address, self.constants.nowhere),
            None => start.address,
        };
        for (index, value) in values.iter().enumerate() {
            let class = self.function.class(*value);
            let offset = if start.inside.is_some() { 0 } else { index as i32 * class.bytes() as i32 * LANES as i32 };
            let at = match start.inside {
                Some(inside) if index > 0 => {
                    let moved = index as i64 * i64::from(class.bytes()) * LANES as i64;
                    let moved = self.b.ins().iadd_imm_s(start.address, moved);
                    self.b.ins().select(inside, moved, self.constants.nowhere)
                }
                _ => address,
            };
            let mut parts = self.lanes(*value);
            if self.is_masked() {
                let old = self.emit().load_parts(class, at, offset);
                let mask = self.mask();
                parts = self.emit().select(class, &mask, &parts, &old);
            }
            self.emit().store_parts(&parts, at, offset);
        }
    }

    /// One address: the first active lane's value.
    fn store_same(&mut self, place: &Place, ty: MemType, values: &[Value]) {
        let masked = self.is_masked();
        let join = self.b.create_block();
        let bits = masked.then(|| {
            let mask = self.mask();
            let bits = self.emit().bits(&mask);
            let run = self.b.create_block();
            self.b.ins().brif(bits, run, &[], join, &[]);
            self.switch_sealed(run);
            bits
        });
        let start = self.same_address(place, true);
        let address = match start.inside {
            Some(inside) => self.b.ins().select(inside, start.address, self.constants.nowhere),
            None => start.address,
        };
        for (index, value) in values.iter().enumerate() {
            let class = self.function.class(*value);
            let scalar = match (self.is_uniform(*value), bits) {
                (true, _) => self.scalar(*value),
                (false, Some(bits)) => {
                    let first = self.first_lane(bits);
                    let parts = self.lanes(*value);
                    self.lane_at(class, &parts, first)
                }
                (false, None) => {
                    let parts = self.lanes(*value);
                    self.emit().lane(class, &parts, 0)
                }
            };
            let scalar = self.scalar_for_memory(ty, scalar);
            self.store_raw(ty, scalar, address, (index as u32 * ty.bytes()) as i32);
        }
        self.b.ins().jump(join, &[]);
        self.switch_sealed(join);
    }

    /// A scalar as it lies in memory.
    pub(super) fn scalar_for_memory(&mut self, ty: MemType, scalar: cl::Value) -> cl::Value {
        match ty {
            MemType::F16 => self.emit().convert_scalar(Convert::F32ToHalfBits, scalar),
            MemType::Bool => self.b.ins().bmask(types::I32, scalar),
            _ => scalar,
        }
    }

    fn store_steps(&mut self, place: &Place, ty: MemType, values: &[Value], step: i64) {
        let columns = self.raw_columns(ty, values);
        let start = self.stepped_address(place);
        let mut condition = start.inside;
        if self.is_masked() {
            let mask = self.mask();
            let all = self.emit().all(&mask);
            condition = Some(match condition {
                // Both are zero or not, in different bits.
                Some(inside) => {
                    let all = self.b.ins().icmp_imm_s(IntCC::NotEqual, all, 0);
                    self.b.ins().band(inside, all)
                }
                None => all,
            });
        }
        let Some(condition) = condition else {
            self.store_rows(start.address, ty, &columns, step);
            return;
        };
        let (fast, slow, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(slow);
        self.b.ins().brif(condition, fast, &[], slow, &[]);
        self.switch_sealed(fast);
        self.store_rows(start.address, ty, &columns, step);
        self.b.ins().jump(join, &[]);
        self.switch_sealed(slow);
        self.store_lane_by_lane(place, ty, &columns, ty.bytes());
        self.b.ins().jump(join, &[]);
        self.switch_sealed(join);
    }

    /// Writes rows that lie `step` bytes apart, all lanes active and in range.
    fn store_rows(&mut self, address: cl::Value, ty: MemType, columns: &[Parts], step: i64) {
        let pitch = i64::from(ty.bytes());
        match (ty.bytes(), columns.len()) {
            (4 | 8, 1) if step == pitch => self.emit().store_parts(&columns[0], address, 0),
            (2, 1) if step == pitch => {
                // Both lie in 16 bits, so that saturation changes nothing.
                let narrow = if ty == MemType::I16 {
                    self.b.ins().snarrow(columns[0][0], columns[0][1])
                } else {
                    self.b.ins().unarrow(columns[0][0], columns[0][1])
                };
                self.b.ins().store(shared(), narrow, address, 0);
            }
            (4, 2) if step == 2 * pitch => {
                let rows = self.zip(&columns[0], &columns[1]);
                for (row, value) in rows.into_iter().enumerate() {
                    self.b.ins().store(shared(), value, address, 16 * row as i32);
                }
            }
            (4, 4) => {
                for half in 0..LANES / 4 {
                    let rows: SmallVec<[cl::Value; 4]> = columns.iter().map(|column| column[half]).collect();
                    for (row, column) in self.transpose(&rows).into_iter().enumerate() {
                        let offset = (half * 4 + row) as i64 * step;
                        self.b.ins().store(shared(), column[0], address, offset as i32);
                    }
                }
            }
            _ => {
                let class = if raw(ty) == Class::Bool { Class::I32 } else { raw(ty) };
                for lane in 0..LANES {
                    for (index, column) in columns.iter().enumerate() {
                        let scalar = self.emit().lane(class, column, lane);
                        let offset = lane as i64 * step + index as i64 * pitch;
                        self.store_raw(ty, scalar, address, offset as i32);
                    }
                }
            }
        }
    }

    /// Writes the active lanes that are in range, one after the other.
    fn store_lane_by_lane(&mut self, place: &Place, ty: MemType, columns: &[Parts], pitch: u32) {
        let bytes = if place.space == Space::Private { ty.class().bytes() } else { ty.bytes() };
        let offsets = self.offsets(place, bytes, true);
        let bits = self.lanes_inside(offsets.inside.as_ref());
        let from = self.scratch(0);
        self.emit().store_parts(&offsets.offsets, from, 0);
        let class = if raw(ty) == Class::Bool { Class::I32 } else { raw(ty) };
        let mut sources: SmallVec<[cl::Value; 4]> = SmallVec::new();
        for (index, column) in columns.iter().enumerate() {
            let source = self.scratch(1 + index);
            self.emit().store_parts(column, source, 0);
            sources.push(source);
        }
        self.each_lane(bits, |g, lane| {
            let address = g.lane_address(offsets.base, from, lane);
            for (index, source) in sources.iter().enumerate() {
                let at = g.element(*source, lane, i64::from(class.bytes()));
                let scalar = g.b.ins().load(scalar_type(class), shared(), at, 0);
                g.store_raw(ty, scalar, address, (index as u32 * pitch) as i32);
            }
        });
    }

    /// A bit for each lane that is active and in range.
    pub(super) fn lanes_inside(&mut self, inside: Option<&Parts>) -> cl::Value {
        let mask = self.mask();
        let mask = match inside {
            Some(inside) if self.is_masked() => {
                self.emit().binary(crate::ir::BinaryOp::And, Class::Bool, &mask, inside)
            }
            Some(inside) => inside.clone(),
            None if self.is_masked() => mask.into_iter().collect(),
            None => return self.b.ins().iconst(types::I32, (1 << LANES) - 1),
        };
        self.emit().bits(&mask)
    }
}
