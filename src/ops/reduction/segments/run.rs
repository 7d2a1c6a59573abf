//! From a reduction in segments to its launches.

use super::super::super::choices::Question;
use super::super::super::error::OperationError;
use super::super::super::operation::arguments::Given;
use super::super::super::operation::places::{Dimensions, Field};
use super::super::super::operation::preface::Access;
use super::super::super::operation::shape::touched;
use super::super::super::plan::{Cost, Plan};
use super::super::fit::Fitted;
use super::super::run::partials_size;
use super::Limits;
use super::form::{self, Count, Form, Of};
use super::plan::{Choice, Pass, Shape, plan};
use super::wgsl;
use crate::buffer::UnifiedBuffer;
use crate::kernel::{Kernel, bound};
use crate::submit::{Destination, Refusal, Resource};

crate::kernels!(mod owners = "shaders/ops/segment_owners.wgsl", root = "shaders");

/// The scratch memory in which passes store results for later passes.
struct Memory {
    owners: UnifiedBuffer<u32>,
    partials: UnifiedBuffer<u8>,
}

impl Fitted<'_> {
    /// The sizes of a reduction in segments.
    pub(in super::super) fn segments(&self, counted: bool) -> Shape {
        let of_slot = |(at, slot): (usize, &super::super::super::operation::preface::Slot)| {
            let elements = match (slot.written, slot.is_walked()) {
                (true, _) => self.results,
                (false, true) => touched(&self.walks, at),
                (false, false) => 0,
            };
            elements.saturating_mul(slot.element.size())
        };
        let bytes: u64 = self.slots.iter().enumerate().map(of_slot).sum();
        Shape {
            elements: self.reduced,
            segments: self.results,
            counted,
            accumulator: self.accumulator.unwrap_or(0),
            bytes: bytes.saturating_add(4 * (self.results + 1)),
        }
    }

    /// Returns the plan of the choice for this device: see [`Question::decide`].
    pub(in super::super) fn plan_of_segments(&self, counted: bool) -> Plan<Pass> {
        let (shape, software) = (self.segments(counted), self.software);
        let question = Question::new("reduce_segments", &[shape.elements, shape.segments]).form(self.size_name());
        let default = Choice::default_for(shape, software);
        let all = || Choice::all(shape, software);
        plan(shape, question.decide(&self.device, default, all, |choice| choice.is_possible(shape)))
    }

    /// Returns the cost. If partial results are a struct of the caller, the kernel of the chunks is compiled to find
    /// their size.
    pub(in super::super) fn cost_of_segments(&self) -> Result<Cost, OperationError> {
        let plan = self.plan_of_segments(false);
        let mut cost = plan.cost();
        for pass in &plan.passes {
            if let (Pass::Chunks { chunks, .. }, Some(form), None) = (pass, self.form(*pass, false), self.accumulator) {
                cost.scratch = 4 * chunks + partials_size(&self.kernel_of_segments(form)?, *chunks);
            }
        }
        Ok(cost)
    }

    /// Returns the WGSL of each pass that depends on the caller's text.
    pub(in super::super) fn texts_of_segments(&self) -> Vec<String> {
        let plan = self.plan_of_segments(false);
        let forms = plan.passes.iter().filter_map(|pass| self.form(*pass, false));
        forms.map(|form| wgsl::text(self.own, self.letters(), &self.slots, form).as_str().to_owned()).collect()
    }

    /// Returns the form of the generated kernel of a pass; `None` for a pass whose kernel is not generated.
    fn form(&self, pass: Pass, counted: bool) -> Option<Form> {
        let of = match pass {
            Pass::Owners { .. } => return None,
            Pass::Chunks { width, .. } => Of::Chunks { width },
            Pass::Segments { chunk, together, .. } => Of::Segments { chunked: chunk > 0, together },
            Pass::Nothing { .. } => Of::Nothing,
        };
        Some(Form { pass: of, counted: counted && of != Of::Nothing, rank: self.walks[1].rank() })
    }

    fn kernel_of_segments(&self, form: Form) -> Result<Kernel, OperationError> {
        self.kernel_of(&form.numbers(), form.last(), |letters| wgsl::text(self.own, letters, &self.slots, form))
    }

    /// Compiles the kernels of all passes. This happens before the first launch, so nothing has run if a kernel is
    /// refused.
    pub(in super::super) fn kernels_of_segments(
        &self,
        plan: &Plan<Pass>,
        counted: bool,
    ) -> Result<Vec<Kernel>, OperationError> {
        let kernel = |pass: &Pass| match self.form(*pass, counted) {
            Some(form) => self.kernel_of_segments(form),
            None if counted => Ok(owners::owners_by_count(&self.device)?.kernel().clone()),
            None => Ok(owners::owners_by_offsets(&self.device)?.kernel().clone()),
        };
        plan.passes.iter().map(kernel).collect()
    }

    /// Returns an error if a guard of an array exists, before any pass runs.
    pub(in super::super) fn check_guards(
        &self,
        limits: &Limits<'_>,
        destination: &Destination<'_>,
    ) -> Result<(), OperationError> {
        // For a recording, guards are checked when it is submitted.
        if matches!(destination, Destination::Recording(_)) {
            return Ok(());
        }
        let arrays = self.operands.iter().filter_map(|operand| Some((operand.name.as_str(), operand.array()?)));
        for (name, array) in arrays.chain([("offsets", &limits.offsets)]) {
            if let Some(guard) = array.bound.core.guarded() {
                let (operator, argument) = (self.own.signature.kernel.clone(), name.to_owned());
                return Err(OperationError::InUse { operator, argument, guard });
            }
        }
        Ok(())
    }

    /// Launches the passes of a plan.
    pub(in super::super) fn run_segments(
        &self,
        limits: &Limits<'_>,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let kernels = self.kernels_of_segments(plan, limits.count.is_some())?;
        let mut memory = None;
        for (pass, kernel) in plan.passes.iter().zip(&kernels) {
            if let Pass::Chunks { chunks, .. } = *pass {
                let error = |error| OperationError::Buffer { operator: self.own.signature.kernel.clone(), error };
                let owners = self.device.scratch::<u32>(chunks as usize, destination).map_err(error)?;
                memory = Some(Memory { owners, partials: self.partials(kernel, chunks, destination)? });
            }
        }
        self.prepare(limits, destination.reborrow())?;
        for (pass, kernel) in plan.passes.iter().zip(&kernels) {
            self.launch_segments(*pass, kernel, limits, memory.as_mut(), destination.reborrow())?;
        }
        Ok(())
    }

    /// Uploads the data that the host has written to the arrays, before any pass runs.
    fn prepare(&self, limits: &Limits<'_>, destination: Destination<'_>) -> Result<(), OperationError> {
        let context = &self.device.context;
        let arrays = self.operands.iter().filter_map(|operand| Some(operand.array()?.bound.core));
        let cores: Vec<_> = arrays.chain([limits.offsets.bound.core]).collect();
        let prepared = destination.encoder(context).and_then(|mut encoder| encoder.prepare(&cores));
        prepared.map_err(|refusal| match refusal {
            Refusal::Device(error) => OperationError::Device {
                operator: self.own.signature.kernel.clone(),
                device: context.caps().name.clone(),
                error,
            },
            // Guards and devices were checked before.
            Refusal::InUse { guard, .. } => {
                let (operator, argument) = (self.own.signature.kernel.clone(), "an input".to_owned());
                OperationError::InUse { operator, argument, guard }
            }
            Refusal::OtherDevice { what, theirs } => {
                let (operator, ours) = (self.own.signature.kernel.clone(), context.selector.clone());
                OperationError::OtherDevice { operator, what: format!("the {what}"), ours, theirs }
            }
        })
    }

    fn launch_segments(
        &self,
        pass: Pass,
        kernel: &Kernel,
        limits: &Limits<'_>,
        memory: Option<&mut Memory>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (offsets, first_offset) = limits.offsets.placed(None);
        let mut launch = kernel.launch();
        let Some(form) = self.form(pass, limits.count.is_some()) else {
            let (Pass::Owners { chunks, chunk }, Some(memory)) = (pass, memory) else { return Ok(()) };
            let sizes = [self.reduced, self.results, chunk, chunks, first_offset].map(|size| size as u32);
            launch = launch.set_bytes("sizes", bytemuck::bytes_of(&sizes));
            launch.bind_to("offsets", offsets);
            launch.bind_to("owners", bound(&mut memory.owners));
            if let Some(count) = limits.count {
                launch.bind_to("count", bound(count));
            }
            let launched = launch.to(destination).threads(chunks);
            return launched.map(drop).map_err(|error| self.own.signature.refused(error));
        };
        let used = |name: &str| kernel.bindings().iter().any(|binding| binding.name == name);
        let mut firsts = vec![0; self.slots.len()];
        for (at, (slot, operand)) in self.slots.iter().zip(&self.operands).enumerate() {
            match &operand.given {
                Given::Value { bytes, .. } if used("arguments") => {
                    launch = launch.set_bytes(&format!("arguments.{}", operand.name), bytes);
                }
                Given::Array(array) if wgsl::binds(slot, form) => {
                    let (array, first) = match slot.access {
                        Access::Raw => (array.whole(), 0),
                        _ => array.placed(None),
                    };
                    firsts[at] = first as u32;
                    if used(&slot.variable()) {
                        launch.bind_to(&slot.variable(), array);
                    }
                }
                _ => {}
            }
        }
        if used("segment_offsets") {
            launch.bind_to("segment_offsets", offsets);
        }
        if let (Some(count), true) = (limits.count, used("segment_count")) {
            launch.bind_to("segment_count", bound(count));
        }
        match (pass, memory) {
            (Pass::Chunks { .. }, Some(memory)) => {
                launch.bind_to("segment_owners", bound(&memory.owners));
                launch.bind_to("partials", bound(&mut memory.partials));
            }
            (_, Some(memory)) if used("partials") => launch.bind_to("partials", bound(&memory.partials)),
            _ => {}
        }
        if used("places") {
            let places = self.places_of_segments(pass, form, &firsts, first_offset);
            launch = launch.set_bytes("places", bytemuck::cast_slice(&places));
        }
        let (Pass::Chunks { groups, .. } | Pass::Segments { groups, .. } | Pass::Nothing { groups }) = pass else {
            return Ok(());
        };
        let launched = launch.to(destination).groups([groups, 1]);
        launched.map(drop).map_err(|error| self.own.signature.refused(error))
    }

    /// The words of the uniform buffer `places`, in the order of its fields.
    fn places_of_segments(&self, pass: Pass, form: Form, firsts: &[u32], first_offset: u64) -> Vec<u32> {
        let (chunk, chunks, groups) = match pass {
            Pass::Owners { chunks, chunk } => (chunk, chunks, 0),
            Pass::Chunks { chunks, chunk, groups, .. } => (chunk, chunks, groups),
            Pass::Segments { chunk, groups, .. } => (chunk, 0, groups),
            Pass::Nothing { groups } => (0, 0, groups),
        };
        let walk = |of| &self.walks[usize::from(of == Dimensions::Reduced)];
        let value = |field: Field<Count>| match field {
            Field::Count(Count::Elements) => self.reduced as u32,
            Field::Count(Count::Segments) => self.results as u32,
            Field::Count(Count::Chunk) => chunk as u32,
            Field::Count(Count::Chunks) => chunks as u32,
            Field::Count(Count::Groups) => groups as u32,
            Field::Count(Count::FirstOffset) => first_offset as u32,
            Field::Count(Count::Infinity) => f32::INFINITY.to_bits(),
            Field::First(slot) => firsts[slot],
            Field::Size(of, axis) => walk(of).sizes[axis] as u32,
            Field::Step(of, slot, axis) => walk(of).strides[slot][axis] as u32,
        };
        form::fields(&self.slots, form).into_iter().map(value).collect()
    }
}
