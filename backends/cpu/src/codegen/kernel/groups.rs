//! The loops over the lane groups of a workgroup, and the WGSL builtin inputs of each lane group.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};

use super::super::analysis::{Form, rows_divide};
use super::super::barrier::GroupLoop;
use super::super::generator::{Generator, Held};
use super::super::helper::Helper;
use crate::abi::{Frame, convention};
use crate::ir::{BinaryOp, Class, CompareOp, Input};

impl Generator<'_, '_> {
    pub(super) fn zero_workgroup_memory(&mut self) {
        let mut signature = cl::Signature::new(self.target.call_conv);
        signature.params.extend([cl::AbiParam::new(self.target.pointer); 2]);
        let signature = self.b.import_signature(signature);
        let bytes = self.b.ins().iconst(self.target.pointer, i64::from(self.function.workgroup_bytes));
        Helper::Zero.call(&mut self.b, self.target.pointer, signature, &[self.constants.workgroup, bytes]);
    }

    pub(in crate::codegen) fn allow_steps(&mut self) {
        let offset = std::mem::offset_of!(Frame, steps) as i32;
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        let steps = self.b.ins().load(types::I64, flags, self.constants.frame, offset);
        self.b.def_var(self.flow.steps, steps);
    }

    /// Generates the loop over lane groups for a kernel without barriers: each group runs to its end.
    pub(super) fn groups_in_turn(&mut self, workgroup: [cl::Value; 3], next: cl::Block) {
        let header = self.b.create_block();
        let index = self.b.append_block_param(header, types::I32);
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().jump(header, &[zero.into()]);
        self.b.switch_to_block(header);
        self.whole_group(index, workgroup);
        let following = self.b.ins().iadd_imm_s(index, 1);
        let groups = i64::from(self.lane_groups());
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, groups);
        self.b.ins().brif(more, header, &[following.into()], next, &[]);
        self.b.seal_block(header);
    }

    /// Generates the body for one lane group, from its start to its end.
    pub(super) fn whole_group(&mut self, index: cl::Value, workgroup: [cl::Value; 3]) {
        self.private = self.constants_private();
        self.allow_steps();
        self.begin_group(index, workgroup);
        self.body();
    }

    /// Generates the loop over lane groups for a kernel with barriers: each group runs to its next barrier.
    pub(super) fn groups_with_barriers(&mut self, workgroup: [cl::Value; 3], next: cl::Block) {
        let (header, start, arrive) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let [index, point, first] = std::array::from_fn(|_| self.b.append_block_param(header, types::I32));
        self.allow_steps();
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().jump(header, &[zero.into(), zero.into(), zero.into()]);
        self.b.switch_to_block(header);
        self.suspend.points.push(start);
        let base = self.constants_private();
        let frame_bytes = self.frame_bytes();
        self.suspend.arrive = Some(arrive);
        self.private = self.private_of(index, base, frame_bytes);
        let live = self.live;
        for value in &live.values {
            if self.is_hoisted(*value) {
                continue;
            }
            let variables = self.new_variables(self.function.class(*value), self.form(*value));
            self.values[value.0 as usize] = Held::Kept(variables);
        }
        self.begin_group(index, workgroup);
        let enter = self.b.create_block();
        self.b.ins().jump(enter, &[]);
        self.b.switch_to_block(start);
        self.body();
        let finished = self.b.ins().iconst(types::I32, 0);
        self.b.ins().jump(arrive, &[finished.into()]);

        let group = GroupLoop { header, index, point, first, groups: self.lane_groups(), next_workgroup: next };
        self.close_groups(arrive, &group);
        self.b.switch_to_block(enter);
        let points: Vec<_> = self.suspend.points.clone();
        let calls: Vec<_> = points.iter().map(|block| self.b.func.dfg.block_call(*block, &[])).collect();
        let table = self.b.create_jump_table(cl::JumpTableData::new(calls[0], &calls));
        self.b.ins().br_table(point, table);
        self.b.seal_block(enter);
        self.set_frame_bytes(frame_bytes);
    }

    /// The size of a group's frame, which is known only after the body has been generated: until
    /// [`Self::set_frame_bytes`], a placeholder stands for it.
    pub(in crate::codegen) fn frame_bytes(&mut self) -> cl::Value {
        self.b.ins().iconst(types::I64, 0)
    }

    /// Puts the size of a group's frame in its place.
    pub(in crate::codegen) fn set_frame_bytes(&mut self, frame_bytes: cl::Value) {
        let placeholder = self.b.func.dfg.value_def(frame_bytes).unwrap_inst();
        let bytes = i64::from(self.suspend.frame_bytes.next_multiple_of(64));
        self.b.func.dfg.insts[placeholder] =
            cl::InstructionData::UnaryImm { opcode: cl::Opcode::Iconst, imm: bytes.into() };
    }

    /// The frame of the lane group with this index.
    pub(in crate::codegen) fn private_of(
        &mut self,
        index: cl::Value,
        base: cl::Value,
        frame_bytes: cl::Value,
    ) -> cl::Value {
        let wide = self.b.ins().uextend(types::I64, index);
        let offset = self.b.ins().imul(wide, frame_bytes);
        self.b.ins().iadd(base, offset)
    }

    pub(in crate::codegen) fn constants_private(&mut self) -> cl::Value {
        let offset = std::mem::offset_of!(Frame, private) as i32;
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.b.ins().load(self.target.pointer, flags, self.constants.frame, offset)
    }

    /// Defines the inputs and the mask of the lane group with this index.
    pub(in crate::codegen) fn begin_group(&mut self, index: cl::Value, workgroup: [cl::Value; 3]) {
        let base = self.define_inputs(index, workgroup);
        if self.flow.partial {
            let index = self.spread(Class::I32, Form::Linear(1), base);
            let count = u64::from(self.function.invocations());
            let count = self.emit().constant(Class::I32, count);
            let mask = self.emit().compare(CompareOp::LtU, Class::I32, &index, &count);
            self.flow.entry = mask.into_iter().collect();
        }
        let entry = self.flow.entry;
        self.define_mask(self.flow.mask, entry);
    }

    /// Defines the inputs of the lane group with this index; returns the index of its first invocation.
    pub(in crate::codegen) fn define_inputs(&mut self, index: cl::Value, workgroup: [cl::Value; 3]) -> cl::Value {
        self.calling.place = [index, workgroup[0], workgroup[1], workgroup[2]];
        let size = self.function.workgroup_size;
        let base = self.b.ins().ishl_imm_u(index, i64::from(self.target.lanes.trailing_zeros()));
        for (value, input) in self.used_inputs() {
            let scalar = match input {
                Input::LocalIndex => base,
                Input::Lane => self.b.ins().iconst(types::I32, 0),
                Input::SubgroupId => index,
                Input::WorkgroupId(axis) => workgroup[usize::from(axis)],
                Input::NumWorkgroups(axis) => self.constants.groups[usize::from(axis)],
                Input::ArrayLength(slot) => self.constants.slots[slot as usize].1,
                Input::LocalId(axis) if self.form(value) == Form::Varying => {
                    let lanes = self.local_ids(base, axis);
                    self.hold_lanes(value, lanes);
                    continue;
                }
                Input::LocalId(axis) if rows_divide(size, self.target.lanes) => self.local_id(index, axis),
                // In a dimension of size one the id is always 0. In a workgroup of a single row it is the index.
                Input::LocalId(axis) if size[usize::from(axis)] == 1 => self.b.ins().iconst(types::I32, 0),
                Input::LocalId(_) => base,
            };
            self.hold_scalar(value, scalar);
        }
        base
    }

    /// The component `axis` of `local_invocation_id` in lane 0 of the group `index`, for groups within one row.
    fn local_id(&mut self, index: cl::Value, axis: u8) -> cl::Value {
        let size = self.function.workgroup_size;
        let lanes = i64::from(self.target.lanes.trailing_zeros());
        let mut from = self.b.ins().ishl_imm_u(index, lanes);
        let mut before: u32 = size[..usize::from(axis)].iter().product();
        if let Some([row, in_row]) = self.row {
            if axis == 0 {
                return self.b.ins().ishl_imm_u(in_row, lanes);
            }
            // Values that depend only on the row are computed once for all its groups.
            (from, before) = (row, before / size[0]);
        }
        let mut emit = self.emit();
        let before = emit.constant_scalar(Class::I32, u64::from(before));
        let row = emit.binary_scalar(BinaryOp::DivU, Class::I32, from, before);
        if axis == 2 {
            return row;
        }
        let size = emit.constant_scalar(Class::I32, u64::from(size[usize::from(axis)]));
        emit.binary_scalar(BinaryOp::RemU, Class::I32, row, size)
    }

    /// The component `axis` of `local_invocation_id` in all lanes, for groups that may span several rows.
    fn local_ids(&mut self, base: cl::Value, axis: u8) -> super::super::ops::Parts {
        let size = self.function.workgroup_size;
        let before: u32 = size[..usize::from(axis)].iter().product();
        let index = self.spread(Class::I32, Form::Linear(1), base);
        let mut emit = self.emit();
        let before = emit.constant(Class::I32, u64::from(before));
        let row = emit.binary(BinaryOp::DivU, Class::I32, &index, &before);
        if axis == 2 {
            return row;
        }
        let size = emit.constant(Class::I32, u64::from(size[usize::from(axis)]));
        emit.binary(BinaryOp::RemU, Class::I32, &row, &size)
    }
}

convention! {
    /// Zeroes memory. Kernels call it for their workgroup memory.
    ///
    /// # Safety
    /// `bytes` bytes at `start` must be writable.
    [pub(in super::super) unsafe] fn zero(start: *mut u8, bytes: usize) {
        // SAFETY: the caller guarantees that the memory is writable.
        unsafe { std::ptr::write_bytes(start, 0, bytes) }
    }
}
