//! Stores.

use cranelift_codegen::ir::{self as cl, InstBuilder, types};
use smallvec::SmallVec;

use super::generator::Generator;
use super::memory::{Columns, raw, shared};
use super::ops::{Parts, scalar_type};
use super::place::{Offsets, Spread, Touched};
use crate::ir::{Class, Convert, MemType, Place, Space, Value};

impl Generator<'_, '_> {
    /// Writes one scalar, in the form that [`Self::load_raw`] returns.
    pub(super) fn store_raw(&mut self, ty: MemType, scalar: cl::Value, address: cl::Value, offset: i32) {
        if ty.bytes() == 2 {
            self.b.ins().istore16(shared(), scalar, address, offset);
        } else {
            self.b.ins().store(shared(), scalar, address, offset);
        }
    }

    /// Converts lanes from their form in registers to their form in memory, the inverse of [`Self::of_memory`].
    pub(super) fn for_memory(&mut self, ty: MemType, parts: Parts) -> Parts {
        if ty == MemType::F16 { self.emit().convert(Convert::F32ToHalfBits, &parts) } else { parts }
    }

    /// Evaluates a store of consecutive scalars to `place` in the active lanes.
    pub(super) fn store(&mut self, place: &Place, ty: MemType, values: &[Value]) {
        let ty = Self::stored(place, ty);
        match (self.spread_of(place), place.space) {
            (Spread::Same, Space::Private | Space::Passed) if !self.function.is_serial() => {
                self.store_private(place, values);
            }
            (Spread::Same, _) => self.store_same(place, ty, values),
            (Spread::Steps(step), _) => self.store_steps(place, ty, values, step),
            (Spread::Anywhere, _) => {
                let columns = self.raw_columns(ty, values);
                let pitch = Self::pitch(place, ty) * self.lane_scale(place);
                // The memory for writes without effect is too small for several scalars of private memory.
                if columns.len() > 1 && place.space.is_private() {
                    self.store_lane_by_lane(place, ty, &columns, pitch);
                } else {
                    self.scatter(place, ty, &columns, pitch);
                }
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

    /// Writes the active lanes of private memory whose indices are uniform.
    fn store_private(&mut self, place: &Place, values: &[Value]) {
        let start = self.same_address(place, true, Touched::All);
        let address = match start.inside {
            Some(inside) => self.b.ins().select(inside, start.address, self.constants.nowhere),
            None => start.address,
        };
        for (index, value) in values.iter().enumerate() {
            let class = self.function.class(*value);
            let offset =
                if start.inside.is_some() { 0 } else { index as i32 * class.bytes() as i32 * self.target.lanes as i32 };
            let at = match start.inside {
                Some(inside) if index > 0 => {
                    let moved = index as i64 * i64::from(class.bytes()) * self.target.lanes as i64;
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

    /// Writes to an address that all lanes share: the first active lane's value.
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
        let start = self.same_address(place, true, Touched::Active);
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

    /// Converts a scalar to its form in memory.
    pub(super) fn scalar_for_memory(&mut self, ty: MemType, scalar: cl::Value) -> cl::Value {
        match ty {
            MemType::F16 => self.emit().convert_scalar(Convert::F32ToHalfBits, scalar),
            MemType::Bool => self.b.ins().bmask(types::I32, scalar),
            _ => scalar,
        }
    }

    fn store_steps(&mut self, place: &Place, ty: MemType, values: &[Value], step: i64) {
        let columns = self.raw_columns(ty, values);
        let start = self.stepped_address(place, Touched::Active);
        let mut conditions = start.inside;
        if self.is_masked() {
            let mask = self.mask();
            conditions.push(self.emit().all(&mask));
        }
        if conditions.is_empty() {
            self.store_rows(start.address, ty, &columns, step);
            return;
        }
        let (slow, join) = (self.b.create_block(), self.b.create_block());
        self.require(&conditions, slow);
        self.store_rows(start.address, ty, &columns, step);
        self.b.ins().jump(join, &[]);
        let rare = std::mem::replace(&mut self.flow.rare, true);
        self.switch_sealed(slow);
        self.store_lane_by_lane(place, ty, &columns, ty.bytes());
        self.b.ins().jump(join, &[]);
        self.flow.rare = rare;
        self.switch_sealed(join);
    }

    /// Writes scalars in all lanes, which are `step` bytes apart. All lanes must be active and in range.
    fn store_rows(&mut self, address: cl::Value, ty: MemType, columns: &[Parts], step: i64) {
        let pitch = i64::from(ty.bytes());
        match (ty.bytes(), columns.len()) {
            (4 | 8, 1) if step == pitch => self.emit().store_parts(&columns[0], address, 0),
            (2, 1) if step == pitch => {
                // The values in both vectors fit in 16 bits, so the saturation of the instruction changes nothing.
                let halves = self.emit().halves(&columns[0]);
                for (row, halves) in halves.chunks_exact(2).enumerate() {
                    let narrow = if ty == MemType::I16 {
                        self.b.ins().snarrow(halves[0], halves[1])
                    } else {
                        self.b.ins().unarrow(halves[0], halves[1])
                    };
                    self.b.ins().store(shared(), narrow, address, 16 * row as i32);
                }
            }
            (4, 2) if step == 2 * pitch => {
                let rows = self.zip(&columns[0], &columns[1]);
                for (row, value) in rows.into_iter().enumerate() {
                    self.b.ins().store(shared(), value, address, 16 * row as i32);
                }
            }
            (4, 4) => {
                for (lane, row) in self.rows_of(columns).into_iter().enumerate() {
                    self.b.ins().store(shared(), row, address, (lane as i64 * step) as i32);
                }
            }
            _ => {
                let class = if raw(ty) == Class::Bool { Class::I32 } else { raw(ty) };
                for lane in 0..self.target.lanes {
                    for (index, column) in columns.iter().enumerate() {
                        let scalar = self.emit().lane(class, column, lane);
                        let offset = lane as i64 * step + index as i64 * pitch;
                        self.store_raw(ty, scalar, address, offset as i32);
                    }
                }
            }
        }
    }

    /// Writes the scalars of all lanes in order, without branches: lanes that are not active or not in range write to
    /// memory that no code reads.
    fn scatter(&mut self, place: &Place, ty: MemType, columns: &[Parts], pitch: u32) {
        let bytes = if place.space.is_private() { ty.class().bytes() } else { ty.bytes() };
        let offsets = self.offsets(place, bytes, Touched::Active);
        if self.target.scatters() && ty.bytes() == 4 {
            return self.scatter_by_one(&offsets, columns, pitch);
        }
        let bits = (offsets.inside.is_some() || self.is_masked()).then(|| self.lanes_inside(offsets.inside.as_ref()));
        let class = if raw(ty) == Class::Bool { Class::I32 } else { raw(ty) };
        for lane in 0..self.target.lanes {
            let address = self.address_in(&offsets, bits, lane);
            for (index, column) in columns.iter().enumerate() {
                let scalar = self.emit().lane(class, column, lane);
                self.store_raw(ty, scalar, address, (index as u32 * pitch) as i32);
            }
        }
    }

    /// Writes the scalars of 32 bits of the active lanes that are in range, by one instruction for each column.
    fn scatter_by_one(&mut self, offsets: &Offsets, columns: &[Parts], pitch: u32) {
        let mask = self.mask_inside(offsets.inside.as_ref());
        let mask = mask.unwrap_or_else(|| self.emit().constant(Class::Bool, 1));
        for (index, column) in columns.iter().enumerate() {
            let (base, lanes) = self.signed_lanes(offsets, index as u32 * pitch);
            for ((lanes, mask), value) in lanes.iter().zip(&mask).zip(column) {
                self.emit().scatter(base, *lanes, *mask, *value);
            }
        }
    }

    /// Writes the scalars of the active lanes that are in range, lane by lane in order: small and slow, for rare cases.
    fn store_lane_by_lane(&mut self, place: &Place, ty: MemType, columns: &[Parts], pitch: u32) {
        let bytes = if place.space.is_private() { ty.class().bytes() } else { ty.bytes() };
        let offsets = self.offsets(place, bytes, Touched::Active);
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
}
