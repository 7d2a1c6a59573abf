//! The structure of a kernel: loops over workgroups and lane groups around its body.

mod groups;
mod rows;

use cranelift_codegen::ir::{self as cl, InstBuilder, MemFlagsData, condcodes::IntCC, types};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;

pub(super) use groups::zero;

use super::barrier::Suspend;
use super::call::{Callees, Calling, Learned};
use super::flow::Flow;
use super::generator::{Constants, Generator, Held, Mask};
use super::hoist::Hoist;
use super::object::Sizes;
use super::ops::{Calls, Emit, Target};
use crate::abi::{Frame, Slot, Stop};
use crate::ir::{Class, Function};

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
        generator.flow.partial = !function.is_serial() && !function.invocations().is_multiple_of(target.lanes as u32);
        Self { generator, arguments: Arguments { x_begin, x_end, y, z } }
    }

    fn run(mut self, frontend: TargetFrontendConfig) -> Sizes {
        let g = &mut self.generator;
        g.hoist_from_launch();
        if g.can_run_in_rows() {
            g.rows_of_groups(self.arguments);
        } else {
            g.workgroups_in_turn(self.arguments);
        }
        let ok = g.b.ins().iconst(types::I32, i64::from(Stop::Done as u32));
        g.b.ins().return_(&[ok]);
        g.switch_sealed(g.flow.stopped);
        let [reason, site] = std::array::from_fn(|index| g.b.block_params(g.flow.stopped)[index]);
        g.set_site(site);
        g.b.ins().return_(&[reason]);
        self.finish(frontend)
    }

    fn finish(self, frontend: TargetFrontendConfig) -> Sizes {
        let groups = self.generator.lane_groups();
        let Generator { mut b, function, suspend, .. } = self.generator;
        b.seal_all_blocks();
        b.finalize(frontend);
        let groups = if function.has_barrier { groups } else { 1 };
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

impl Generator<'_, '_> {
    /// Generates the loop over workgroups, and in it one over the lane groups of a workgroup.
    fn workgroups_in_turn(&mut self, arguments: Arguments) {
        let (header, body, next, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
        let x = self.b.append_block_param(header, types::I32);
        self.b.ins().jump(header, &[arguments.x_begin.into()]);
        self.b.switch_to_block(header);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, x, arguments.x_end);
        self.b.ins().brif(more, body, &[], done, &[]);
        self.switch_sealed(body);
        let workgroup = [x, arguments.y, arguments.z];
        self.hoist_from_workgroup(workgroup);
        if self.function.workgroup_bytes > 0 {
            self.zero_workgroup_memory();
        }
        if !self.function.has_barrier || self.lane_groups() == 1 {
            self.groups_in_turn(workgroup, next);
        } else if !self.groups_jointly(workgroup, next) {
            self.groups_with_barriers(workgroup, next);
        }
        self.switch_sealed(next);
        let following = self.b.ins().iadd_imm_s(x, 1);
        self.b.ins().jump(header, &[following.into()]);
        self.b.seal_block(header);
        self.switch_sealed(done);
    }
}

impl<'a, 'f> Generator<'a, 'f> {
    /// Returns the generator at the start of the function, after it has generated the loads of the frame's fields.
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
        let active = |lane| lane == 0 || !function.is_serial();
        let entry = Emit { b: &mut b, target, calls: &mut calls }.known_mask(active);
        let entry: Mask = entry.into_iter().collect();
        let flow = Flow {
            mask: entry.map(|_| b.declare_var(target.vector(Class::Bool))),
            entry,
            partial: false,
            masked: false,
            reachable: true,
            loops: 0,
            depth: 0,
            labels: vec![None; function.labels as usize],
            writes: 0,
            doubled: 0,
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
            suspend: Suspend::after((function.private_bytes * target.lanes as u32).next_multiple_of(64)),
            row: None,
            private,
            scratch: Vec::new(),
            reports: None,
            calling,
            hoist: Hoist::none(function.insts.len()),
            joint: None,
        };
        for (index, class) in function.vars.iter().enumerate() {
            let variables = generator.new_variables(*class, learned.facts.vars[index].form);
            generator.vars[index] = Held::Kept(variables);
        }
        generator
    }
}

/// Generates loads of the frame's fields, through which the host passes data to the kernel.
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

impl Generator<'_, '_> {
    /// The number of lane groups of a workgroup.
    pub(super) fn lane_groups(&self) -> u32 {
        self.function.invocations().div_ceil(self.target.lanes as u32)
    }

    pub(super) fn body(&mut self) {
        let function = self.function;
        self.list(&function.body);
    }
}
