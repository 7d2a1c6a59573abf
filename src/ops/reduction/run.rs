//! From a call of a reduction to its launches.

use anywarp_backend::{DeviceKind, Shape as LayoutShape};
use smallvec::{SmallVec, smallvec};

use super::super::error::OperationError;
use super::super::operation::arguments::Given;
use super::super::operation::assigned::{self, Output, Statements};
use super::super::operation::binding::Place;
use super::super::operation::call::{Letter, Operand, Signature};
use super::super::operation::kept;
use super::super::operation::places::{Dimensions, Field};
use super::super::operation::preface::{Access, Slot};
use super::super::operation::shape::{Sizes, Strides, Walk, elements};
use super::super::operation::text::Text;
use super::super::operation::types::ElementType;
use super::super::plan::{Cost, Plan};
use super::ReductionCall;
use super::choice::Choice;
use super::plan::{self, Pass, Shape};
use super::wgsl::{self, Count, Own, Source};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::kernel::{Kernel, bound};
use crate::submit::Destination;

/// The statements of `finish` in the text.
const STATEMENTS: Statements = Statements { function: "finished", said: "the finish" };

/// A call whose arguments were checked.
pub(super) struct Fitted<'a> {
    pub(super) own: &'a Own,
    pub(super) device: Device,
    pub(super) operands: Vec<Operand<'a>>,
    letters: Vec<Letter>,
    pub(super) slots: Vec<Slot>,
    places: SmallVec<[Option<Place>; 8]>,
    /// The walk over the results, and the walk over the elements of each.
    pub(super) walks: [Walk; 2],
    pub(super) results: u64,
    pub(super) reduced: u64,
    /// The size of a partial result in bytes; `None` for a type that only the kernel determines.
    pub(super) accumulator: Option<u64>,
    /// Whether the device is the CPU.
    pub(super) software: bool,
}

/// The elements of one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// Those along the reduced axes.
    Axes,
    /// One of so many segments.
    Segments(usize),
    /// A run of equal keys; the number of runs is unknown.
    Runs,
}

/// The number of results of a call.
pub(super) fn result_length(
    call: &ReductionCall<'_>,
    inputs: &[Given<'_>],
    count: usize,
) -> Result<usize, OperationError> {
    call.kernel.check_complete()?;
    let signature = &call.kernel.own.signature;
    signature.count("outputs", &signature.outputs, count)?;
    let shape = signature.shape_of_inputs(&call.device.context, inputs, call.size)?;
    if let Parts::Segments(segments) = call.parts()? {
        return Ok(segments);
    }
    let (kept, _) = sorted_axes(signature, call.axes.as_deref(), &shape)?;
    let result = signature.countable(kept.iter().map(|axis| shape[*axis]).collect())?;
    Ok(elements(&result).unwrap_or(usize::MAX))
}

/// The remaining axes, and the reduced ones.
fn sorted_axes(
    signature: &Signature,
    axes: Option<&[usize]>,
    shape: &[usize],
) -> Result<(Vec<usize>, Vec<usize>), OperationError> {
    let Some(axes) = axes else { return Ok((Vec::new(), (0..shape.len()).collect())) };
    for (index, axis) in axes.iter().enumerate() {
        let problem = if *axis >= shape.len() {
            "is out of range for"
        } else if axes[..index].contains(axis) {
            "is given twice for"
        } else {
            continue;
        };
        let (kernel, shape) = (signature.kernel.clone(), shape.to_vec());
        return Err(OperationError::Axis { operator: kernel, axis: *axis, problem, shape });
    }
    Ok((0..shape.len()).partition(|axis| !axes.contains(axis)))
}

/// Performs all checks that need no kernel.
pub(super) fn fit<'a>(
    call: &ReductionCall<'a>,
    parts: Parts,
    inputs: Vec<Given<'a>>,
    outputs: Vec<Given<'a>>,
    destination: &Destination<'_>,
) -> Result<Fitted<'a>, OperationError> {
    call.kernel.check_complete()?;
    let own = &call.kernel.own;
    let signature = &own.signature;
    let (operands, letters) = signature.operands(&call.device.context, inputs, outputs)?;
    let walked = || operands.iter().filter(|operand| !operand.written && operand.is_walked());
    let shape = signature.shape(walked(), call.size)?;
    let (kept, reduced) = sorted_axes(signature, call.axes.as_deref(), &shape)?;
    // Without elements there may be more results than kernels can count.
    signature.countable(kept.iter().map(|axis| shape[*axis]).collect())?;
    let with_ones = (0..shape.len()).map(|axis| if kept.contains(&axis) { shape[axis] } else { 1 }).collect();
    let segments = match parts {
        Parts::Axes => None,
        Parts::Segments(segments) => Some(segments),
        // As many as the output has.
        Parts::Runs => operands.iter().find(|operand| operand.written).and_then(|output| elements(&output.shape)),
    };
    match segments {
        Some(segments) => check_output(signature, &operands, vec![segments], vec![segments])?,
        None => check_output(signature, &operands, kept.iter().map(|axis| shape[*axis]).collect(), with_ones)?,
    }
    signature.check_destination(&call.device.context, destination)?;
    // The output has zeros, which can be joined with any other strides.
    let of = |operand: &Operand<'_>| match operand.written {
        true => Strides::from_elem(0, shape.len()),
        false => operand.strides(&shape),
    };
    let strides: Vec<Strides> = operands.iter().map(of).collect();
    let walks = [&kept, &reduced].map(|axes| Walk::over(axes, &shape, &strides));
    let count = |axes: &[usize]| {
        let sizes: Sizes = axes.iter().map(|axis| shape[*axis]).collect();
        elements(&sizes).unwrap_or(usize::MAX) as u64
    };
    let (results, reduced) = (segments.map_or_else(|| count(&kept), |segments| segments as u64), count(&reduced));
    let slots = slots(&operands, &walks[1]);
    let software = call.device.caps().kind == DeviceKind::Software;
    let places = operands.iter().map(|operand| Some(operand.array()?.place())).collect();
    let accumulator = own.combined(&letters, &slots).map(ElementType::size);
    let device = call.device.clone();
    Ok(Fitted { own, device, operands, letters, slots, places, walks, results, reduced, accumulator, software })
}

/// Checks that the output has the remaining sizes, with or without a size of 1 for each reduced axis, or at least as
/// many elements.
fn check_output(
    signature: &Signature,
    operands: &[Operand<'_>],
    expected: Sizes,
    with_ones: Sizes,
) -> Result<(), OperationError> {
    for output in operands.iter().filter(|operand| operand.written) {
        if let Some(strides) = output.array().and_then(|array| array.strides.as_ref()) {
            let problem = "is the output, whose results are adjacent, so it cannot have strides".to_owned();
            return Err(signature.wrong_view(&output.name, &output.shape, strides, problem));
        }
        let unshaped = output.array().is_some_and(|array| array.shape.is_none());
        let fits = match unshaped {
            true => elements(&expected) == output.shape.first().copied(),
            false => output.shape == expected || output.shape == with_ones,
        };
        if !fits {
            return Err(OperationError::Output {
                operator: signature.kernel.clone(),
                argument: output.name.clone(),
                expected,
                got: output.shape.clone(),
            });
        }
    }
    Ok(())
}

/// The way in which the kernel accesses each operand.
fn slots(operands: &[Operand<'_>], reduced: &Walk) -> Vec<Slot> {
    let slot = |(operand, strides): (&Operand<'_>, &Strides)| Slot {
        name: operand.name.clone(),
        element: operand.element,
        access: match &operand.given {
            Given::Value { .. } => Access::Value,
            Given::Array(_) if operand.written => Access::Each,
            Given::Array(_) if operand.raw => Access::Raw,
            Given::Array(_) => match strides.as_slice() {
                [1] => Access::Each,
                _ => Access::Strided,
            },
        },
        read: operand.read,
        written: operand.written,
    };
    operands.iter().zip(&reduced.strides).map(slot).collect()
}

impl Fitted<'_> {
    fn shape(&self) -> Shape<'_> {
        let Self { slots, places, walks, results, reduced, accumulator, .. } = self;
        Shape { slots, places, walks, results: *results, reduced: *reduced, accumulator: *accumulator }
    }

    /// The passes by the default choice.
    pub(super) fn plan(&self) -> Plan<Pass> {
        let shape = self.shape();
        plan::plan(&shape, Choice::default_for(shape.work(self.software)))
    }

    /// The cost, including the scratch memory for types that only the kernel determines.
    pub(super) fn cost(&self) -> Result<Cost, OperationError> {
        let plan = self.plan();
        let mut cost = plan.cost();
        if let ([first, _], None) = (plan.passes.as_slice(), self.accumulator) {
            cost.scratch = partials_size(&self.kernel(first)?, self.results * first.splits);
        }
        Ok(cost)
    }

    /// The WGSL of each pass.
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |pass: &Pass| wgsl::text(self.own, &self.letters, &self.slots, pass.form).as_str().to_owned();
        self.plan().passes.iter().map(text).collect()
    }

    /// Launches the passes of a plan.
    pub(super) fn run(&self, plan: &Plan<Pass>, mut destination: Destination<'_>) -> Result<(), OperationError> {
        let passes = plan.passes.as_slice();
        // All kernels first, so that a refused one leaves nothing launched.
        let kernels: SmallVec<[Kernel; 2]> = passes.iter().map(|pass| self.kernel(pass)).collect::<Result<_, _>>()?;
        let mut partials = None;
        if let ([first, _], Some(kernel)) = (passes, kernels.first()) {
            partials = Some(self.partials(kernel, self.results * first.splits, &destination)?);
        }
        for (pass, kernel) in passes.iter().zip(&kernels) {
            self.launch(pass, kernel, partials.as_mut(), destination.again())?;
        }
        Ok(())
    }

    fn kernel(&self, pass: &Pass) -> Result<Kernel, OperationError> {
        self.kernel_of(&pass.form.numbers(), pass.form.last, |letters| {
            wgsl::text(self.own, letters, &self.slots, pass.form)
        })
    }

    /// The kernel with this text, which depends on `form` and the operands only.
    pub(super) fn kernel_of(
        &self,
        form: &[usize],
        last: bool,
        text: impl FnOnce(&[Letter]) -> Text,
    ) -> Result<Kernel, OperationError> {
        let key = kept::key(self.own.text, &self.letters, &self.slots, form);
        Kernel::known(&self.device.context, &key, || {
            let text = text(&self.letters);
            let kernel = text.kernel(&self.device, &self.own.signature.kernel)?;
            if last {
                assigned::check(&text, &self.own.signature.kernel, STATEMENTS, &self.outputs())?;
            }
            Ok(kernel)
        })
    }

    pub(super) fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The outputs that statements of `finish` must assign.
    fn outputs(&self) -> Vec<Output> {
        let written = self.slots.iter().filter(|slot| slot.written);
        written.map(|slot| Output::result(&slot.name, slot.element.lanes)).collect()
    }

    /// Allocates scratch memory for the results of the first pass.
    pub(super) fn partials(
        &self,
        kernel: &Kernel,
        count: u64,
        destination: &Destination<'_>,
    ) -> Result<UnifiedBuffer<u8>, OperationError> {
        let bytes = partials_size(kernel, count);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.device
            .scratch::<u8>(bytes, destination)
            .map_err(|error| OperationError::Buffer { operator: self.own.signature.kernel.clone(), error })
    }

    fn launch(
        &self,
        pass: &Pass,
        kernel: &Kernel,
        partials: Option<&mut UnifiedBuffer<u8>>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let form = pass.form;
        let used = |name: &str| kernel.bindings().iter().any(|binding| binding.name == name);
        let mut launch = kernel.launch();
        // The first element of each slot: within its binding, and within that of its tail.
        let mut firsts: SmallVec<[[u32; 2]; 8]> = smallvec![[0; 2]; self.slots.len()];
        let arrays = || {
            let all = self.slots.iter().zip(&self.operands).enumerate();
            all.filter_map(|(at, (slot, operand))| Some((at, slot, operand.array()?)))
        };
        for (at, slot, array) in arrays().filter(|(_, slot, _)| slot.written && form.last) {
            let (bound, first) = array.placed(None);
            firsts[at][0] = first as u32;
            launch.bind_to(&slot.variable(), bound);
        }
        if form.source == Source::Elements {
            for operand in &self.operands {
                if let (Given::Value { bytes, .. }, true) = (&operand.given, used("arguments")) {
                    launch = launch.set_bytes(&format!("arguments.{}", operand.name), bytes);
                }
            }
            for (at, slot, array) in arrays().filter(|(_, slot, _)| !slot.written) {
                let whole = array.placed(None);
                let (bound, first) = match slot.access {
                    Access::Raw => (array.whole(), 0),
                    _ if form.vectors => {
                        let length = self.places[at].map_or(0, |place| place.length) / 4 * 4;
                        let (bound, first) = array.placed(Some(length));
                        (bound, first / 4)
                    }
                    _ => array.placed(None),
                };
                firsts[at] = [first as u32, whole.1 as u32];
                if used(&slot.variable()) {
                    launch.bind_to(&slot.variable(), bound);
                }
                if form.tail && slot.is_walked() {
                    launch.bind_to(&format!("tail_of_{}", slot.name), whole.0);
                }
            }
        }
        if used("places") {
            let places = self.places(pass, &firsts);
            launch = launch.set_bytes("places", bytemuck::cast_slice(&places));
        }
        match partials {
            Some(partials) if form.last => launch.bind_to("partials", bound(&*partials)),
            Some(partials) => launch.bind_to("partials", bound(partials)),
            None => {}
        }
        let launched = launch.to(destination).groups(pass.groups);
        launched.map(drop).map_err(|error| self.own.signature.refused(error))
    }

    /// The values of `places`.
    fn places(&self, pass: &Pass, firsts: &[[u32; 2]]) -> SmallVec<[u32; 16]> {
        let walk = |of| &self.walks[usize::from(of == Dimensions::Reduced)];
        let value = |field: Field<Count>| match field {
            Field::Count(Count::Elements) => self.reduced as u32,
            Field::Count(Count::Results) => self.results as u32,
            Field::Count(Count::Cells) => pass.cells as u32,
            Field::Count(Count::Splits) => pass.splits as u32,
            Field::Count(Count::Chunk) => pass.chunk as u32,
            Field::Count(Count::Infinity) => f32::INFINITY.to_bits(),
            Field::Count(Count::FirstOfTail(slot)) => firsts[slot][1],
            Field::First(slot) => firsts[slot][0],
            Field::Size(of, axis) => walk(of).sizes[axis] as u32,
            Field::Step(of, slot, axis) => {
                // With vectors, strides between rows are counted in vectors.
                let cell = if pass.form.vectors && of == Dimensions::Results { 4 } else { 1 };
                (walk(of).strides[slot][axis] / cell) as u32
            }
        };
        wgsl::fields(&self.slots, pass.form).into_iter().map(value).collect()
    }
}

/// The size of `count` partial results, in bytes.
pub(super) fn partials_size(kernel: &Kernel, count: u64) -> u64 {
    let binding = kernel.bindings().iter().find(|binding| binding.name == "partials");
    let stride = binding.map_or(0, |binding| match binding.layout.shape {
        LayoutShape::Array { stride, .. } => stride,
        _ => 0,
    });
    // A binding ends at a multiple of 4 bytes.
    (count * u64::from(stride)).next_multiple_of(4)
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
