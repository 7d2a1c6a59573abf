//! From a call to its passes.

use anywarp_backend::{DeviceKind, Shape};
use smallvec::{SmallVec, smallvec};

use super::super::error::OperationError;
use super::super::operation::arguments::{Array, Given};
use super::super::operation::call::{Letter, Operand, Signature};
use super::super::operation::kept;
use super::super::operation::places::{Dimensions, Field};
use super::super::operation::preface::{Access, Slot, WORKGROUP};
use super::super::operation::shape::{Sizes, Strides, Walk, elements, strides};
use super::ReductionCall;
use super::scheme::{Scheme, Work};
use super::wgsl::{self, Count, Form, Own, Source};
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::kernel::{Kernel, bound};
use crate::submit::Destination;

/// Below this many elements vectors save nothing.
const LEAST_FOR_VECTORS: u64 = 1 << 12;

/// A call whose arguments fit.
pub(super) struct Plan<'a> {
    own: &'a Own,
    device: Device,
    operands: Vec<Operand<'a>>,
    letters: Vec<Letter>,
    slots: Vec<Slot>,
    /// Of the results, and of what each of them is made of.
    walks: [Walk; 2],
    results: u64,
    reduced: u64,
    /// The device is the processor.
    software: bool,
}

/// How many results a call has.
pub(super) fn result_length(
    call: &ReductionCall<'_>,
    inputs: &[Given<'_>],
    count: usize,
) -> Result<usize, OperationError> {
    let signature = &call.kernel.own.signature;
    signature.count("outputs", &signature.outputs, count)?;
    let shape = signature.shape_of_inputs(&call.device.context, inputs, call.size)?;
    let (kept, _) = sorted_axes(signature, call.axes.as_deref(), &shape)?;
    let result = signature.countable(kept.iter().map(|axis| shape[*axis]).collect())?;
    Ok(elements(&result).unwrap_or(usize::MAX))
}

/// The axes that stay, and those that are reduced.
fn sorted_axes(
    signature: &Signature,
    axes: Option<&[usize]>,
    shape: &[usize],
) -> Result<(Vec<usize>, Vec<usize>), OperationError> {
    let Some(axes) = axes else { return Ok((Vec::new(), (0..shape.len()).collect())) };
    for (index, axis) in axes.iter().enumerate() {
        let problem = if *axis >= shape.len() {
            "is outside of"
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

/// Checks everything that needs no kernel.
pub(super) fn plan<'a>(
    call: &ReductionCall<'a>,
    inputs: Vec<Given<'a>>,
    outputs: Vec<Given<'a>>,
) -> Result<Plan<'a>, OperationError> {
    let own = &call.kernel.own;
    let signature = &own.signature;
    let (operands, letters) = signature.operands(&call.device.context, inputs, outputs)?;
    let walked = || operands.iter().filter(|operand| !operand.written && operand.is_walked());
    let shape = signature.shape(walked(), call.size)?;
    let (kept, reduced) = sorted_axes(signature, call.axes.as_deref(), &shape)?;
    // Of no elements there may be more results than kernels count.
    signature.countable(kept.iter().map(|axis| shape[*axis]).collect())?;
    check_output(signature, &operands, &shape, &kept)?;
    signature.check_destination(&call.device.context, &call.destination)?;
    // Those of an operand that is not walked are zeros, which join any others.
    let is_walked = |operand: &Operand<'_>| !operand.written && operand.is_walked();
    let of = |operand: &Operand<'_>| strides(if is_walked(operand) { &operand.shape } else { &[] }, &shape);
    let strides: Vec<Strides> = operands.iter().map(of).collect();
    let walks = [&kept, &reduced].map(|axes| Walk::over(axes, &shape, &strides));
    let count = |axes: &[usize]| {
        let sizes: Sizes = axes.iter().map(|axis| shape[*axis]).collect();
        elements(&sizes).unwrap_or(usize::MAX) as u64
    };
    let (results, reduced) = (count(&kept), count(&reduced));
    let slots = slots(&operands, &walks[1]);
    let software = call.device.caps().kind == DeviceKind::Software;
    Ok(Plan { own, device: call.device.clone(), operands, letters, slots, walks, results, reduced, software })
}

/// The output has the sizes that stay, or 1 in the place of the others, or just as many elements.
fn check_output(
    signature: &Signature,
    operands: &[Operand<'_>],
    shape: &[usize],
    kept: &[usize],
) -> Result<(), OperationError> {
    let expected: Sizes = kept.iter().map(|axis| shape[*axis]).collect();
    let with_ones: Sizes = (0..shape.len()).map(|axis| if kept.contains(&axis) { shape[axis] } else { 1 }).collect();
    for output in operands.iter().filter(|operand| operand.written) {
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

/// How the kernel gets at each operand.
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

/// One launch: its text, what it counts, its grid.
struct Pass {
    form: Form,
    cells: u64,
    splits: u64,
    chunk: u64,
    groups: [u64; 2],
}

impl<'a> Plan<'a> {
    /// One pass, or two.
    fn passes(&self) -> Vec<Pass> {
        let source = if self.reduced == 0 { Source::Nothing } else { Source::Elements };
        let vectors = source == Source::Elements && self.has_vectors();
        let cells = if vectors { self.reduced / 4 } else { self.reduced };
        let first = self.slots.iter().position(|slot| !slot.written && slot.is_walked());
        let innermost = first.map(|slot| self.walks[1].strides[slot].last() == Some(&1));
        let contiguous = source == Source::Elements && innermost.unwrap_or(true);
        let work = Work { results: self.results, cells, contiguous, software: self.software };
        let scheme = work.scheme();
        let form = Form {
            source,
            last: scheme.splits == 1,
            columns: scheme.columns,
            width: scheme.width,
            vectors,
            tail: vectors && !self.reduced.is_multiple_of(4),
            ranks: [self.walks[0].rank(), self.walks[1].rank()],
        };
        let first = self.pass(form, cells, scheme);
        if form.last {
            return vec![first];
        }
        let rest = Work { cells: scheme.splits, contiguous: true, ..work };
        // As the first pass has left them: results side by side, or the parts of each.
        let one = |width| Scheme { columns: scheme.columns, width, splits: 1, chunk: scheme.splits };
        let second = if scheme.columns { one(1) } else { one(rest.scheme().width) };
        let form =
            Form { source: Source::Partials, last: true, width: second.width, vectors: false, tail: false, ..form };
        vec![first, self.pass(form, scheme.splits, second)]
    }

    fn pass(&self, form: Form, cells: u64, scheme: Scheme) -> Pass {
        let Scheme { columns, width, splits, chunk } = scheme;
        let groups = if columns {
            [self.results.div_ceil(u64::from(WORKGROUP)), splits]
        } else {
            [(self.results * splits).div_ceil(u64::from(WORKGROUP / width)), 1]
        };
        Pass { form, cells, splits, chunk, groups }
    }

    /// Whether all inputs can be read four elements at a time.
    fn has_vectors(&self) -> bool {
        let inputs = || self.inputs().filter(|(slot, _)| slot.is_walked());
        let fits = |(slot, array): (&Slot, &Array<'a>)| {
            let narrow = slot.element.lanes == 1 && slot.element.scalar.width <= 4;
            slot.access == Access::Each && narrow && array.placed(None).1.is_multiple_of(4)
        };
        let rows = self.walks[0].strides.iter().flatten().all(|stride| stride.is_multiple_of(4));
        self.reduced >= LEAST_FOR_VECTORS
            && (self.results == 1 || self.reduced.is_multiple_of(4))
            && rows
            && inputs().next().is_some()
            && inputs().all(fits)
    }

    /// The arrays that are read, with how the kernel gets at them.
    fn inputs(&self) -> impl Iterator<Item = (&Slot, &Array<'a>)> {
        let all = self.slots.iter().zip(&self.operands);
        all.filter(|(slot, _)| !slot.written).filter_map(|(slot, operand)| Some((slot, operand.array()?)))
    }

    /// The WGSL of each pass.
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |pass: &Pass| wgsl::text(self.own, &self.letters, &self.slots, pass.form).as_str().to_owned();
        self.passes().iter().map(text).collect()
    }

    /// Launches.
    pub(super) fn run(&self, mut destination: Destination<'_>) -> Result<(), OperationError> {
        if self.results == 0 {
            return Ok(());
        }
        let passes = self.passes();
        let kernel = |pass: &Pass| {
            let key = kept::key(self.own.text, &self.letters, &self.slots, &pass.form.numbers());
            Kernel::known(&self.device.context, &key, || {
                let text = wgsl::text(self.own, &self.letters, &self.slots, pass.form);
                text.kernel(&self.device, &self.own.signature.kernel)
            })
        };
        let kernels: Vec<Kernel> = passes.iter().map(kernel).collect::<Result<_, _>>()?;
        let mut partials = None;
        if let ([_, _], Some(kernel), Some(first)) = (passes.as_slice(), kernels.first(), passes.first()) {
            partials = Some(self.partials(kernel, self.results * first.splits)?);
        }
        for (pass, kernel) in passes.iter().zip(&kernels) {
            self.launch(pass, kernel, partials.as_mut(), destination.again())?;
        }
        Ok(())
    }

    /// Memory for what the first pass leaves.
    fn partials(&self, kernel: &Kernel, count: u64) -> Result<UnifiedBuffer<u8>, OperationError> {
        let binding = kernel.bindings().iter().find(|binding| binding.name == "partials");
        let stride = binding.map_or(0, |binding| match binding.layout.shape {
            Shape::Array { stride, .. } => stride,
            _ => 0,
        });
        // What is bound ends at a multiple of 4 bytes.
        let bytes = (count * u64::from(stride)).next_multiple_of(4);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.device
            .buffer::<u8>(bytes)
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
        // Of each slot: within its binding, and within that of its tail.
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
                        let length = slot_length(array) / 4 * 4;
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
        launch.to(destination).groups(pass.groups)?;
        Ok(())
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
            Field::Count(Count::FirstOfTail(slot)) => firsts[slot][1],
            Field::First(slot) => firsts[slot][0],
            Field::Size(of, axis) => walk(of).sizes[axis] as u32,
            Field::Step(of, slot, axis) => {
                // Rows of vectors are as many cells apart as they have vectors.
                let cell = if pass.form.vectors && of == Dimensions::Results { 4 } else { 1 };
                (walk(of).strides[slot][axis] / cell) as u32
            }
        };
        wgsl::fields(&self.slots, pass.form).into_iter().map(value).collect()
    }
}

/// Elements of an array.
fn slot_length(array: &Array<'_>) -> u64 {
    let bytes = array.bound.bytes.as_ref().map_or(0, |bytes| bytes.end - bytes.start);
    bytes / array.size.max(1)
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
