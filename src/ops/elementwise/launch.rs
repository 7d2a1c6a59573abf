//! From a call to its launches.

use smallvec::{SmallVec, smallvec};

use super::super::error::OperationError;
use super::super::operation::arguments::{Array, Given};
use super::super::operation::call::{Letter, Operand, Signature};
use super::super::operation::kept;
use super::super::operation::places::Field;
use super::super::operation::preface::{Access, Slot, WORKGROUP};
use super::super::operation::shape::{Strides, Walk, elements, strides};
use super::ElementwiseCall;
use super::wgsl::{self, Count, Form, Own};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::submit::Destination;

/// Below this many elements vectors save nothing, and their tail would be a launch of its own.
const LEAST_FOR_VECTORS: u64 = 1 << 14;

/// A call whose arguments fit.
pub(super) struct Plan<'a> {
    own: Own<'a>,
    device: Device,
    operands: Vec<Operand<'a>>,
    letters: Vec<Letter>,
    slots: Vec<Slot>,
    walk: Walk,
    count: u64,
}

/// How many elements the outputs of a call have that is to allocate them.
pub(super) fn result_length(
    call: &ElementwiseCall<'_>,
    inputs: &[Given<'_>],
    count: usize,
) -> Result<usize, OperationError> {
    let signature = &call.kernel.signature;
    let not_allocated = |parameter: &str, problem| OperationError::NotAllocated {
        operator: signature.kernel.clone(),
        argument: parameter.to_owned(),
        problem,
    };
    if let Some(name) = signature.in_place.first() {
        return Err(not_allocated(name, "is changed in place"));
    }
    if let Some(raw) = signature.outputs.iter().find(|output| output.raw) {
        return Err(not_allocated(&raw.name, "is raw, so that nothing tells its length"));
    }
    signature.count("outputs", &signature.outputs, count)?;
    let shape = signature.shape_of_inputs(&call.device.context, inputs, call.size)?;
    Ok(elements(&shape).unwrap_or(usize::MAX))
}

/// Checks everything that needs no kernel.
pub(super) fn plan<'a>(
    call: &ElementwiseCall<'a>,
    inputs: Vec<Given<'a>>,
    outputs: Vec<Given<'a>>,
) -> Result<Plan<'a>, OperationError> {
    let signature = &call.kernel.signature;
    let (mut operands, letters) = signature.operands(&call.device.context, inputs, outputs)?;
    shape_outputs(&mut operands, signature);
    let shape = signature.shape(operands.iter(), call.size)?;
    if let Some(output) =
        operands.iter().find(|operand| operand.written && operand.is_walked() && operand.shape != shape)
    {
        return Err(OperationError::Output {
            operator: signature.kernel.clone(),
            argument: output.name.clone(),
            expected: shape,
            got: output.shape.clone(),
        });
    }
    signature.check_destination(&call.device.context, &call.destination)?;
    // Those of an operand that is not walked are zeros, which join any others.
    let own = |operand: &Operand<'_>| strides(if operand.is_walked() { &operand.shape } else { &[] }, &shape);
    let strides: Vec<Strides> = operands.iter().map(own).collect();
    let axes: Vec<usize> = (0..shape.len()).collect();
    let walk = Walk::over(&axes, &shape, &strides);
    let slots = slots(&operands, &walk);
    let kernel = call.kernel;
    let own = Own { signature, preamble: &kernel.preamble, operation: &kernel.operation, identity: kernel.identity };
    let count = elements(&shape).unwrap_or(usize::MAX) as u64;
    Ok(Plan { own, device: call.device.clone(), operands, letters, slots, walk, count })
}

/// An output without a shape of its own has the inputs' shape if it has as many elements.
fn shape_outputs(operands: &mut [Operand<'_>], signature: &Signature) {
    let inputs = || operands.iter().filter(|operand| !operand.written && operand.is_walked());
    // What is wrong with them is said later, with the outputs.
    let Ok(shape) = signature.shape(inputs(), None) else { return };
    let length = elements(&shape);
    for output in operands.iter_mut().filter(|operand| operand.written && operand.is_walked()) {
        let unshaped = output.array().is_some_and(|array| array.shape.is_none());
        if unshaped && output.shape.first().copied() == length {
            output.shape.clone_from(&shape);
        }
    }
}

/// How the kernel gets at each operand.
fn slots(operands: &[Operand<'_>], walk: &Walk) -> Vec<Slot> {
    let access = |operand: &Operand<'_>, strides: &[usize]| match operand.given {
        Given::Value { .. } => Access::Value,
        Given::Array(_) if operand.raw => Access::Raw,
        // Outputs have the whole shape, so they are as contiguous as can be.
        Given::Array(_) if operand.written => Access::Each,
        Given::Array(_) => match strides {
            [] | [0] => Access::One,
            [_] => Access::Each,
            _ => Access::Strided,
        },
    };
    let slot = |(operand, strides): (&Operand<'_>, &Strides)| Slot {
        name: operand.name.clone(),
        element: operand.element,
        access: access(operand, strides),
        read: operand.read,
        written: operand.written,
    };
    operands.iter().zip(&walk.strides).map(slot).collect()
}

/// Which cells of the arrays one launch takes: elements, or vectors of four.
struct Part {
    form: Form,
    begin: u64,
    count: u64,
}

impl<'a> Plan<'a> {
    /// The launches: one, or one of vectors and one of the few elements that are left.
    fn parts(&self) -> Vec<Part> {
        let rank = if self.walk.rank() > 1 { self.walk.rank() } else { 0 };
        let each = || self.arrays().filter(|(slot, _)| slot.access == Access::Each);
        let walked = || self.arrays().filter(|(slot, _)| slot.is_walked());
        let measured = each().any(|(slot, _)| slot.written);
        let as_given = measured && rank == 0 && walked().all(|(_, array)| array.is_bindable());
        let scalar =
            |begin, placed| Part { form: Form { vectors: false, placed, rank }, begin, count: self.count - begin };
        let fits = |(slot, array): (&Slot, &Array<'a>)| {
            slot.element.lanes == 1 && slot.element.scalar.width <= 4 && array.placed(None).1.is_multiple_of(4)
        };
        if !(self.count >= LEAST_FOR_VECTORS && measured && rank == 0 && each().all(fits)) {
            return vec![scalar(0, !as_given)];
        }
        let vectors = self.count / 4;
        let whole = as_given && self.count.is_multiple_of(4);
        let main = Part { form: Form { vectors: true, placed: !whole, rank }, begin: 0, count: vectors };
        if self.count.is_multiple_of(4) { vec![main] } else { vec![main, scalar(4 * vectors, true)] }
    }

    /// The arrays, with how the kernel gets at them.
    fn arrays(&self) -> impl Iterator<Item = (&Slot, &Array<'a>)> {
        self.slots.iter().zip(&self.operands).filter_map(|(slot, operand)| Some((slot, operand.array()?)))
    }

    /// The first launch's WGSL.
    pub(super) fn text(&self) -> String {
        let form = self.parts().first().map_or(Form { vectors: false, placed: true, rank: 0 }, |part| part.form);
        wgsl::text(&self.own, &self.letters, &self.slots, form).as_str().to_owned()
    }

    /// Launches.
    pub(super) fn run(&self, mut destination: Destination<'_>) -> Result<(), OperationError> {
        if self.count == 0 {
            return Ok(());
        }
        for part in self.parts() {
            self.launch(&part, destination.again())?;
        }
        Ok(())
    }

    fn launch(&self, part: &Part, destination: Destination<'_>) -> Result<(), OperationError> {
        let form = part.form;
        let form_key = [usize::from(form.vectors), usize::from(form.placed), form.rank];
        let key = kept::key(self.own.identity, &self.letters, &self.slots, &form_key);
        let kernel = Kernel::known(&self.device.context, &key, || {
            let text = wgsl::text(&self.own, &self.letters, &self.slots, form);
            text.kernel(&self.device, &self.own.signature.kernel)
        })?;
        let bindings = kernel.bindings();
        let used = |name: &str| bindings.iter().any(|binding| binding.name == name);
        let mut launch = kernel.launch();
        for operand in &self.operands {
            if let (Given::Value { bytes, .. }, true) = (&operand.given, used("arguments")) {
                launch = launch.set_bytes(&format!("arguments.{}", operand.name), bytes);
            }
        }
        let mut firsts: SmallVec<[u32; 8]> = smallvec![0; self.slots.len()];
        for ((slot, operand), placed) in self.slots.iter().zip(&self.operands).zip(&mut firsts) {
            let Some(array) = operand.array() else { continue };
            let vector = form.vectors && slot.access == Access::Each;
            let (bound, first) = match slot.access {
                Access::Raw => (array.whole(), 0),
                _ if vector => array.placed(Some(4 * part.count)),
                _ => array.placed(None),
            };
            *placed = (if vector { first / 4 } else { first }) as u32;
            let variable = slot.variable();
            if used(&variable) {
                launch.bind_to(&variable, bound);
            }
        }
        if form.placed && used("places") {
            launch = launch.set_bytes("places", bytemuck::cast_slice(&self.places(part, &firsts)));
        }
        launch.to(destination).groups([part.count.div_ceil(u64::from(WORKGROUP)), 1, 1])?;
        Ok(())
    }

    /// The values of `places`.
    fn places(&self, part: &Part, firsts: &[u32]) -> SmallVec<[u32; 16]> {
        let value = |field: Field<Count>| match field {
            Field::Count(Count::Begin) => part.begin as u32,
            Field::Count(Count::Cells) => part.count as u32,
            Field::Count(Count::Elements) => self.count as u32,
            Field::First(slot) => firsts[slot],
            Field::Size(_, axis) => self.walk.sizes[axis] as u32,
            Field::Step(_, slot, axis) => self.walk.strides[slot][axis] as u32,
        };
        wgsl::fields(&self.slots, part.form).into_iter().map(value).collect()
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use super::super::super::operation::arguments::{Inputs, Outputs};
    use super::super::ElementwiseKernel;
    use crate::submit::Destination;
    use crate::{Device, Slice, SliceMut};

    /// Runs in the form that is meant here.
    fn run_on_vectors<'a>(
        device: &Device,
        kernel: &'a ElementwiseKernel,
        inputs: impl Inputs<'a>,
        outputs: impl Outputs<'a>,
    ) {
        let plan = super::plan(&kernel.call(device), inputs.all(), outputs.all()).unwrap();
        assert!(plan.parts()[0].form.vectors);
        plan.run(Destination::Own).unwrap();
    }

    #[test]
    fn a_vector_for_each_invocation_and_an_element_for_those_that_are_left() {
        let device = Device::open("cpu").unwrap();
        let kernel =
            ElementwiseKernel::new("x: f32, w: f32, a: f32", "y: f32, z: u32", "y = a * x + w; z = i + n").unwrap();
        let in_place = ElementwiseKernel::new("x: f32, y: f32", "y: f32", "y = 2 * x + y").unwrap();
        let all: Vec<f32> = (0..40_000).map(|at| (at % 1009) as f32).collect();
        let x = device.buffer_from(&all).unwrap();
        for (from, length) in [(0, 16_384), (0, 16_385), (0, 20_480), (0, 23_459), (4, 32_768), (64, 39_003)] {
            let part: Slice<'_, f32> = x.slice(from..from + length);
            let mut y = device.buffer_from(&vec![5.0f32; length + 8]).unwrap();
            let mut z = device.buffer::<u32>(length).unwrap();
            let target: SliceMut<'_, f32> = y.slice_mut(4..length + 4);
            run_on_vectors(&device, &kernel, (part, x.slice(7..8), 3.0f32), (target, &mut z));
            let got = y.read().unwrap();
            assert!((0..length).all(|at| got[4 + at] == 3.0 * all[from + at] + 7.0), "{length} elements from {from}");
            assert!(got[..4].iter().chain(&got[length + 4..]).all(|outside| *outside == 5.0), "{length} elements");
            assert!(
                z.read().unwrap().iter().enumerate().all(|(at, z)| *z as usize == at + length),
                "{length} elements"
            );
            drop(got);
            run_on_vectors(&device, &in_place, part, y.slice_mut(..length));
            let got = y.read().unwrap();
            assert_eq!(got[0], 2.0 * all[from] + 5.0);
            assert!((4..length).all(|at| got[at] == 2.0 * all[from + at] + 3.0 * all[from + at - 4] + 7.0));
        }
    }
}
