//! The parts that loads, stores and atomics share: flags, types, scratch memory, access lane by lane.
//!
//! A scalar that all lanes address is accessed once. Where lanes step through memory, the common case of all lanes in
//! range and active is a few vector accesses; other cases are handled lane by lane, out of line.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use smallvec::SmallVec;

use super::generator::Generator;
use super::ops::{Parts, scalar_type};
use super::place::Touched;
use crate::abi::LANES;
use crate::ir::{BinaryOp, Class, Function, Index, Inst, MemType, Place, Space, Stmt};

/// Scalars that are read or written together.
pub(super) type Columns = SmallVec<[Parts; 4]>;

/// The flags of accesses to memory of buffers: mapped, but not aligned to vectors. They are not moved.
pub(super) fn shared() -> MemFlagsData {
    MemFlagsData::new().with_trap_code(None)
}

/// The class of a type between memory and registers.
pub(super) fn raw(ty: MemType) -> Class {
    match ty {
        MemType::F16 | MemType::I16 | MemType::U16 | MemType::I32 => Class::I32,
        other => other.class(),
    }
}

/// The number of slots of bindings that a function may use.
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
    /// The flags of a read. Memory that is never written may be read early, late, or once for several reads, but only
    /// if the address is valid wherever the read might be moved to. An address that is valid because of a test or a
    /// proof is valid at its place only.
    pub(super) fn reading(&self, place: &Place, touched: Touched) -> MemFlagsData {
        let constant = match place.space {
            Space::Binding(slot) => self.function.read_only.get(slot as usize).copied().unwrap_or(false),
            Space::Immediate => true,
            Space::Workgroup | Space::Private | Space::Passed => false,
        };
        let anywhere = |index: &Index| self.is_bounded(index) || !self.certain(place.space, index, touched);
        if constant && place.indices.iter().all(anywhere) { shared().with_readonly().with_can_move() } else { shared() }
    }

    /// The distance in bytes between the scalars of an access.
    pub(super) fn pitch(place: &Place, ty: MemType) -> u32 {
        if place.space.is_private() { ty.class().bytes() } else { ty.bytes() }
    }

    /// The type of a scalar in a memory: private memory holds registers.
    pub(super) fn stored(place: &Place, ty: MemType) -> MemType {
        match (place.space, ty.class()) {
            (Space::Private | Space::Passed, Class::I32) => MemType::I32,
            (Space::Private | Space::Passed, Class::F32) => MemType::F32,
            _ => ty,
        }
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

    /// Base plus the offset of a lane, which is read from scratch memory.
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

    /// One lane of a value, selected at run time; as a scalar, booleans as 0 and 1.
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

    /// One bit for each lane that is active and in range.
    pub(super) fn lanes_inside(&mut self, inside: Option<&Parts>) -> cl::Value {
        let mask = self.mask();
        let mask = match inside {
            Some(inside) if self.is_masked() => self.emit().binary(BinaryOp::And, Class::Bool, &mask, inside),
            Some(inside) => inside.clone(),
            None if self.is_masked() => mask.into_iter().collect(),
            None => return self.b.ins().iconst(types::I32, (1 << LANES) - 1),
        };
        self.emit().bits(&mask)
    }
}
