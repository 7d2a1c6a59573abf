//! The functions that loads, stores and atomics share: flags, types, scratch memory, access lane by lane.
//!
//! A scalar that all lanes address is accessed once. Where addresses grow by a constant from lane to lane, and all
//! lanes are active and in range, an access is a few vector accesses. Other cases are handled lane by lane, out of
//! line.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use smallvec::SmallVec;

use super::generator::Generator;
use super::ops::{Parts, scalar_type};
use super::place::{Offsets, Touched};
use crate::ir::{BinaryOp, Class, Function, Index, Inst, MemType, Place, Space, Stmt};

/// The scalars of one access: for each scalar, its values in all lanes.
pub(super) type Columns = SmallVec<[Parts; 4]>;

/// The flags of accesses to buffers: the memory is mapped but not aligned to vectors, and the accesses are not moved.
pub(super) fn shared() -> MemFlagsData {
    MemFlagsData::new().with_trap_code(None)
}

/// The class of registers that contain a type in its form in memory.
pub(super) fn raw(ty: MemType) -> Class {
    match ty {
        MemType::F16 | MemType::I16 | MemType::U16 | MemType::I32 => Class::I32,
        other => other.class(),
    }
}

/// The number of binding slots up to the last one that a function uses.
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
    /// The flags of a read. Cranelift may move or merge reads of memory that is never written, but only if the address
    /// is valid wherever the read may be moved. A test or a proof makes an address valid only at the original position.
    pub(super) fn reading(&self, place: &Place, touched: Touched) -> MemFlagsData {
        let constant = self.function.is_constant(place.space);
        let anywhere = |index: &Index| self.is_bounded(index) || !self.certain(place.space, index, touched);
        let flags = self.reading_here(place);
        if constant && place.indices.iter().all(anywhere) { flags.with_can_move() } else { flags }
    }

    /// The flags of a read that stays behind the tests before it.
    pub(super) fn reading_here(&self, place: &Place) -> MemFlagsData {
        if self.function.is_constant(place.space) { shared().with_readonly() } else { shared() }
    }

    /// The size in bytes of a scalar of an access to `place`.
    pub(super) fn pitch(place: &Place, ty: MemType) -> u32 {
        if place.space.is_private() { ty.class().bytes() } else { ty.bytes() }
    }

    /// The type of a scalar in the memory of `place`: private memory stores scalars as in registers, not packed.
    pub(super) fn stored(place: &Place, ty: MemType) -> MemType {
        match (place.space, ty.class()) {
            (Space::Private | Space::Passed, Class::I32) => MemType::I32,
            (Space::Private | Space::Passed, Class::F32) => MemType::F32,
            _ => ty,
        }
    }

    /// The address of stack memory for a scalar of each lane; each `number` has memory of its own.
    pub(super) fn scratch(&mut self, number: usize) -> cl::Value {
        while self.scratch.len() <= number {
            let data = cl::StackSlotData::new(cl::StackSlotKind::ExplicitSlot, 8 * self.target.lanes as u32, 4);
            let slot = self.b.create_sized_stack_slot(data);
            self.scratch.push(slot);
        }
        self.b.ins().stack_addr(self.target.pointer, self.scratch[number], 0)
    }

    /// The address of element `lane` of an array at `start`, whose elements have `size` bytes.
    pub(super) fn element(&mut self, start: cl::Value, lane: cl::Value, size: i64) -> cl::Value {
        let offset = self.b.ins().imul_imm_s(lane, size);
        self.b.ins().iadd(start, offset)
    }

    /// The address `base` plus the offset of a lane; `offsets` is the address of all lanes' offsets in scratch memory.
    pub(super) fn lane_address(&mut self, base: cl::Value, offsets: cl::Value, lane: cl::Value) -> cl::Value {
        let at = self.element(offsets, lane, 4);
        let offset = self.b.ins().uload32(shared(), at, 0);
        self.b.ins().iadd(base, offset)
    }

    /// The address that a lane accesses; memory for writes without effect if the lane's bit in `bits` is not set.
    pub(super) fn address_in(&mut self, offsets: &Offsets, bits: Option<cl::Value>, lane: usize) -> cl::Value {
        let offset = self.emit().lane(Class::I32, &offsets.offsets, lane);
        let wide = self.b.ins().uextend(types::I64, offset);
        let address = self.b.ins().iadd(offsets.base, wide);
        let Some(bits) = bits else { return address };
        let bit = self.b.ins().band_imm_u(bits, 1 << lane);
        self.b.ins().select(bit, address, self.constants.nowhere)
    }

    /// Generates a loop over the lanes whose bit is set, in order. `body` generates the loop's body; its argument is
    /// the number of the lane, with 64 bits.
    pub(super) fn each_lane(&mut self, bits: cl::Value, mut body: impl FnMut(&mut Self, cl::Value)) {
        let (header, inner, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let left = self.b.append_block_param(header, types::I32);
        self.b.ins().jump(header, &[bits.into()]);
        if self.flow.rare {
            self.b.set_cold_block(header);
        }
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

    /// The scalar in one lane of a value. `lane` is computed at run time; a boolean is 0 or 1.
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

    /// A mask with one bit for each lane that is active and in range; without `inside` all lanes are in range.
    pub(super) fn lanes_inside(&mut self, inside: Option<&Parts>) -> cl::Value {
        match self.mask_inside(inside) {
            Some(mask) => self.emit().bits(&mask),
            None => self.b.ins().iconst(types::I32, (1 << self.target.lanes) - 1),
        }
    }

    /// The lanes that are active and in range; `None` if all are.
    pub(super) fn mask_inside(&mut self, inside: Option<&Parts>) -> Option<Parts> {
        let mask = self.mask();
        match inside {
            Some(inside) if self.is_masked() => Some(self.emit().binary(BinaryOp::And, Class::Bool, &mask, inside)),
            Some(inside) => Some(inside.clone()),
            None => self.is_masked().then(|| mask.into_iter().collect()),
        }
    }
}
