//! The structure of a kernel: loops over workgroups and lane groups around its body.

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;

use super::analysis::{Form, rows_divide};
use super::barrier::{GroupLoop, Suspend};
use super::call::{Callees, Calling, Learned};
use super::code::Sizes;
use super::flow::Flow;
use super::generator::{Constants, Generator, Held, Mask};
use super::hoist::Hoist;
use super::ops::{Calls, Emit, Target};
use crate::abi::{Frame, LANES, Slot, Stop};
use crate::ir::{BinaryOp, Class, CompareOp, Function, Input};

/// Generates the body of a kernel's machine function, whose signature is [`crate::abi::Entry`].
pub(super) fn generate(
    learned: &Learned,
    callees: &Callees<'_>,
    function: &Function,
    target: &Target,
    frontend: TargetFrontendConfig,
    b: FunctionBuilder<'_>,
) -> Sizes {
    Kernel::start(function, learned, callees, target, b).run(frontend)
}

struct Kernel<'a, 'f> {
    generator: Generator<'a, 'f>,
    arguments: Arguments,
}

/// The parameters of [`crate::abi::Entry`] after the frame.
#[derive(Clone, Copy)]
struct Arguments {
    x_begin: cl::Value,
    x_end: cl::Value,
    y: cl::Value,
    z: cl::Value,
}

fn lane_groups(function: &Function) -> u32 {
    function.invocations().div_ceil(LANES as u32)
}

impl<'a, 'f> Kernel<'a, 'f> {
    fn start(
        function: &'a Function,
        learned: &'a Learned,
        callees: &'a Callees<'a>,
        target: &'a Target,
        mut b: FunctionBuilder<'f>,
    ) -> Self {
        let parameters = parameters(&mut b);
        let [frame, x_begin, x_end, y, z] = parameters[..] else { unreachable!("the signature has five parameters") };
        let mut generator = Generator::new(function, learned, callees, target, b, frame);
        generator.flow.partial = !function.invocations().is_multiple_of(LANES as u32);
        Self { generator, arguments: Arguments { x_begin, x_end, y, z } }
    }

    fn run(mut self, frontend: TargetFrontendConfig) -> Sizes {
        let g = &mut self.generator;
        g.hoist_from_launch();
        let (header, body, next, done) =
            (g.b.create_block(), g.b.create_block(), g.b.create_block(), g.b.create_block());
        let x = g.b.append_block_param(header, types::I32);
        g.b.ins().jump(header, &[self.arguments.x_begin.into()]);
        g.b.switch_to_block(header);
        let more = g.b.ins().icmp(IntCC::UnsignedLessThan, x, self.arguments.x_end);
        g.b.ins().brif(more, body, &[], done, &[]);
        g.switch_sealed(body);
        let workgroup = [x, self.arguments.y, self.arguments.z];
        g.hoist_from_workgroup(workgroup);
        if g.function.workgroup_bytes > 0 {
            g.zero_workgroup_memory();
        }
        if g.function.has_barrier && lane_groups(g.function) > 1 {
            g.groups_with_barriers(workgroup, next);
        } else {
            g.groups_in_turn(workgroup, next);
        }
        g.switch_sealed(next);
        let following = g.b.ins().iadd_imm_s(x, 1);
        g.b.ins().jump(header, &[following.into()]);
        g.b.seal_block(header);
        g.switch_sealed(done);
        let ok = g.b.ins().iconst(types::I32, i64::from(Stop::Done as u32));
        g.b.ins().return_(&[ok]);
        g.switch_sealed(g.flow.stopped);
        let [reason, site] = std::array::from_fn(|index| g.b.block_params(g.flow.stopped)[index]);
        g.set_site(site);
        g.b.ins().return_(&[reason]);
        self.finish(frontend)
    }

    fn finish(self, frontend: TargetFrontendConfig) -> Sizes {
        let Generator { mut b, function, suspend, .. } = self.generator;
        b.seal_all_blocks();
        b.finalize(frontend);
        let groups = if function.has_barrier { lane_groups(function) } else { 1 };
        Sizes {
            frame_bytes: suspend.frame_bytes.next_multiple_of(64) as usize * groups as usize,
            workgroup_bytes: function.workgroup_bytes as usize,
        }
    }
}

/// Creates the first block of a function; returns the function's parameters.
pub(super) fn parameters(b: &mut FunctionBuilder<'_>) -> Vec<cl::Value> {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    b.block_params(entry).to_vec()
}

impl<'a, 'f> Generator<'a, 'f> {
    /// Returns the state at the start of the function; generates only the loads of the host's data.
    pub(super) fn new(
        function: &'a Function,
        learned: &'a Learned,
        callees: &'a Callees<'a>,
        target: &'a Target,
        mut b: FunctionBuilder<'f>,
        frame: cl::Value,
    ) -> Self {
        let constants = load_constants(&mut b, target, function, frame);
        let stopped = b.create_block();
        b.append_block_param(stopped, types::I32);
        b.append_block_param(stopped, types::I32);
        let mut calls = Calls::default();
        let full = Emit { b: &mut b, target, calls: &mut calls }.constant(Class::Bool, 1);
        let full: Mask = std::array::from_fn(|part| full[part]);
        let flow = Flow {
            mask: std::array::from_fn(|_| b.declare_var(types::I32X4)),
            entry: full,
            partial: false,
            masked: false,
            reachable: true,
            loops: 0,
            depth: 0,
            labels: vec![None; function.labels as usize],
            writes: 0,
            doubled: false,
            rare: false,
            steps: b.declare_var(types::I64),
            stopped,
            saved: Vec::new(),
        };
        let private = constants.nowhere;
        let calling = Calling::new(callees, constants.nowhere);
        let mut generator = Self {
            function,
            facts: &learned.facts,
            live: &learned.live,
            target,
            b,
            calls,
            constants,
            values: vec![Held::Nowhere; function.insts.len()],
            vars: vec![Held::Nowhere; function.vars.len()],
            likely: vec![None; function.insts.len()],
            agreements: vec![None; function.insts.len()],
            tested: Vec::new(),
            flow,
            suspend: Suspend::after((function.private_bytes * LANES as u32).next_multiple_of(64)),
            private,
            scratch: Vec::new(),
            reports: None,
            calling,
            hoist: Hoist::none(function.insts.len()),
        };
        for (index, class) in function.vars.iter().enumerate() {
            let variables = generator.new_variables(*class, learned.facts.vars[index].form);
            generator.vars[index] = Held::Kept(variables);
        }
        generator
    }
}

/// Loads the host's data.
fn load_constants(b: &mut FunctionBuilder<'_>, target: &Target, function: &Function, frame: cl::Value) -> Constants {
    let flags = MemFlagsData::trusted().with_readonly().with_can_move();
    let pointer =
        |b: &mut FunctionBuilder<'_>, base, offset: usize| b.ins().load(target.pointer, flags, base, offset as i32);
    let slots = pointer(b, frame, std::mem::offset_of!(Frame, slots));
    let count = super::memory::slots_used(function);
    let slots = (0..count)
        .map(|slot| {
            let at = slot * size_of::<Slot>();
            let start = pointer(b, slots, at + std::mem::offset_of!(Slot, start));
            let length = b.ins().load(types::I32, flags, slots, (at + std::mem::offset_of!(Slot, length)) as i32);
            (start, length)
        })
        .collect();
    Constants {
        slots,
        frame,
        immediates: pointer(b, frame, std::mem::offset_of!(Frame, immediates)),
        workgroup: pointer(b, frame, std::mem::offset_of!(Frame, workgroup)),
        nowhere: pointer(b, frame, std::mem::offset_of!(Frame, nowhere)),
        groups: std::array::from_fn(|axis| {
            let offset = std::mem::offset_of!(Frame, groups) + 4 * axis;
            b.ins().load(types::I32, flags, frame, offset as i32)
        }),
    }
}

/// Zeroes memory; called by kernels for their workgroup memory.
///
/// # Safety
/// `bytes` bytes at `start` must be writable.
unsafe extern "C" fn zero(start: *mut u8, bytes: usize) {
    // SAFETY: the caller owns the memory; see above.
    unsafe { std::ptr::write_bytes(start, 0, bytes) }
}

impl Generator<'_, '_> {
    fn zero_workgroup_memory(&mut self) {
        let mut signature = cl::Signature::new(self.target.call_conv);
        signature.params.extend([cl::AbiParam::new(self.target.pointer); 2]);
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(self.target.pointer, zero as *const () as i64);
        let bytes = self.b.ins().iconst(self.target.pointer, i64::from(self.function.workgroup_bytes));
        self.b.ins().call_indirect(signature, callee, &[self.constants.workgroup, bytes]);
    }

    fn allow_steps(&mut self) {
        let offset = std::mem::offset_of!(Frame, steps) as i32;
        let steps = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.constants.frame, offset);
        self.b.def_var(self.flow.steps, steps);
    }

    /// Generates lane groups that run in order, each to its end.
    fn groups_in_turn(&mut self, workgroup: [cl::Value; 3], next: cl::Block) {
        let header = self.b.create_block();
        let index = self.b.append_block_param(header, types::I32);
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().jump(header, &[zero.into()]);
        self.b.switch_to_block(header);
        self.private = self.constants_private();
        self.allow_steps();
        self.begin_group(index, workgroup);
        self.body();
        let following = self.b.ins().iadd_imm_s(index, 1);
        let groups = i64::from(lane_groups(self.function));
        let more = self.b.ins().icmp_imm_s(IntCC::UnsignedLessThan, following, groups);
        self.b.ins().brif(more, header, &[following.into()], next, &[]);
        self.b.seal_block(header);
    }

    /// Generates lane groups that run from barrier to barrier.
    fn groups_with_barriers(&mut self, workgroup: [cl::Value; 3], next: cl::Block) {
        let (header, start, arrive) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let [index, point, first] = std::array::from_fn(|_| self.b.append_block_param(header, types::I32));
        self.allow_steps();
        let zero = self.b.ins().iconst(types::I32, 0);
        self.b.ins().jump(header, &[zero.into(), zero.into(), zero.into()]);
        self.b.switch_to_block(header);
        self.suspend.points.push(start);
        self.suspend.arrive = Some(arrive);
        let base = self.constants_private();
        // The size of a group's frame is known only after the body: a placeholder is replaced then.
        let frame_bytes = self.b.ins().iconst(types::I64, 0);
        let placeholder = self.b.func.dfg.value_def(frame_bytes).unwrap_inst();
        let wide = self.b.ins().uextend(types::I64, index);
        let offset = self.b.ins().imul(wide, frame_bytes);
        self.private = self.b.ins().iadd(base, offset);
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

        let group = GroupLoop { header, index, point, first, groups: lane_groups(self.function), next_workgroup: next };
        self.close_groups(arrive, &group);
        self.b.switch_to_block(enter);
        let points: Vec<_> = self.suspend.points.clone();
        let calls: Vec<_> = points.iter().map(|block| self.b.func.dfg.block_call(*block, &[])).collect();
        let table = self.b.create_jump_table(cl::JumpTableData::new(calls[0], &calls));
        self.b.ins().br_table(point, table);
        self.b.seal_block(enter);
        let bytes = i64::from(self.suspend.frame_bytes.next_multiple_of(64));
        self.b.func.dfg.insts[placeholder] =
            cl::InstructionData::UnaryImm { opcode: cl::Opcode::Iconst, imm: bytes.into() };
    }

    fn constants_private(&mut self) -> cl::Value {
        let offset = std::mem::offset_of!(Frame, private) as i32;
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.b.ins().load(self.target.pointer, flags, self.constants.frame, offset)
    }

    pub(super) fn body(&mut self) {
        let function = self.function;
        self.list(&function.body);
    }

    /// Defines the inputs and the mask of the lane group with this index.
    fn begin_group(&mut self, index: cl::Value, workgroup: [cl::Value; 3]) {
        let base = self.define_inputs(index, workgroup);
        if self.flow.partial {
            let index = self.spread(Class::I32, Form::Linear(1), base);
            let count = u64::from(self.function.invocations());
            let count = self.emit().constant(Class::I32, count);
            let mask = self.emit().compare(CompareOp::LtU, Class::I32, &index, &count);
            self.flow.entry = std::array::from_fn(|part| mask[part]);
        }
        let entry = self.flow.entry;
        self.define_mask(self.flow.mask, entry);
    }

    /// Defines the inputs of the lane group with this index; returns the index of its first invocation.
    pub(super) fn define_inputs(&mut self, index: cl::Value, workgroup: [cl::Value; 3]) -> cl::Value {
        self.calling.place = [index, workgroup[0], workgroup[1], workgroup[2]];
        let size = self.function.workgroup_size;
        let base = self.b.ins().ishl_imm_u(index, i64::from(LANES.trailing_zeros()));
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
                Input::LocalId(axis) if rows_divide(size) => self.local_id(base, axis),
                // A single row: the index. A dimension of size one: always 0.
                Input::LocalId(axis) if size[usize::from(axis)] == 1 => self.b.ins().iconst(types::I32, 0),
                Input::LocalId(_) => base,
            };
            self.hold_scalar(value, scalar);
        }
        base
    }

    /// A component of the local id of a group's lane 0.
    fn local_id(&mut self, base: cl::Value, axis: u8) -> cl::Value {
        let size = self.function.workgroup_size;
        let before: u32 = size[..usize::from(axis)].iter().product();
        let mut emit = self.emit();
        let before = emit.constant_scalar(Class::I32, u64::from(before));
        let row = emit.binary_scalar(BinaryOp::DivU, Class::I32, base, before);
        if axis == 2 {
            return row;
        }
        let size = emit.constant_scalar(Class::I32, u64::from(size[usize::from(axis)]));
        emit.binary_scalar(BinaryOp::RemU, Class::I32, row, size)
    }

    /// A component of the local ids, where a group is not part of one row.
    fn local_ids(&mut self, base: cl::Value, axis: u8) -> super::ops::Parts {
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
