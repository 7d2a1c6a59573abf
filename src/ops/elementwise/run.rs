//! The checks and launches of an elementwise call.

use smallvec::{SmallVec, smallvec};

use super::super::error::OperationError;
use super::super::operation::arguments::Given;
use super::super::operation::assigned::{self, Kind, Output, Statements};
use super::super::operation::binding::{Binding, Place};
use super::super::operation::call::{Letter, Signature};
use super::super::operation::kept;
use super::super::operation::operand::Operand;
use super::super::operation::places::Field;
use super::super::operation::preface::{Access, Slot};
use super::super::operation::shape::{Strides, Walk, elements};
use super::super::plan::Plan;
use super::ElementwiseCall;
use super::plan::{self, Choice, Pass, Shape};
use super::wgsl::{self, Count, Form, Own};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::submit::Destination;

/// The WGSL function with the caller's operation, and the operation's name in errors.
const STATEMENTS: Statements = Statements { function: "operation", said: "the operation" };

/// A call whose arguments were checked.
pub(super) struct Fitted<'a> {
    own: Own<'a>,
    device: Device,
    operands: Vec<Operand<'a>>,
    letters: Vec<Letter>,
    slots: Vec<Slot>,
    places: SmallVec<[Option<Place>; 8]>,
    walk: Walk,
    count: u64,
}

/// The number of elements of the outputs that a call allocates.
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
        return Err(not_allocated(&raw.name, "is raw, so its length is unknown"));
    }
    signature.count("outputs", &signature.outputs, count)?;
    let shape = signature.shape_of_inputs(&call.device.context, inputs, call.size)?;
    Ok(elements(&shape).unwrap_or(usize::MAX))
}

/// Performs all checks of a call that need no compiled kernel.
pub(super) fn fit<'a>(
    call: &ElementwiseCall<'a>,
    inputs: Vec<Given<'a>>,
    outputs: Vec<Given<'a>>,
) -> Result<Fitted<'a>, OperationError> {
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
    let strides: Vec<Strides> = operands.iter().map(|operand| operand.strides(&shape)).collect();
    let axes: Vec<usize> = (0..shape.len()).collect();
    let walk = Walk::over(&axes, &shape, &strides);
    let slots = slots(&operands, &walk);
    let kernel = call.kernel;
    let own = Own { signature, preamble: &kernel.preamble, operation: &kernel.operation, identity: kernel.identity };
    let count = elements(&shape).unwrap_or(usize::MAX) as u64;
    let places = operands.iter().map(|operand| Some(operand.array()?.place())).collect();
    Ok(Fitted { own, device: call.device.clone(), operands, letters, slots, places, walk, count })
}

/// Sets the shape of each output without a shape to that of the inputs, if the output has as many elements as that
/// shape.
fn shape_outputs(operands: &mut [Operand<'_>], signature: &Signature) {
    let inputs = || operands.iter().filter(|operand| !operand.written && operand.is_walked());
    // Invalid shapes of inputs are reported by a later check of all arrays.
    let Ok(shape) = signature.shape(inputs(), None) else { return };
    let length = elements(&shape);
    for output in operands.iter_mut().filter(|operand| operand.written && operand.is_walked()) {
        let unshaped = output.array().is_some_and(|array| array.shape.is_none());
        if unshaped && output.shape.first().copied() == length {
            output.shape.clone_from(&shape);
        }
    }
}

/// The way in which the kernel accesses each operand.
fn slots(operands: &[Operand<'_>], walk: &Walk) -> Vec<Slot> {
    let access = |operand: &Operand<'_>, strides: &[usize]| match operand.given {
        Given::Value { .. } => Access::Value,
        Given::Array(_) if operand.raw => Access::Raw,
        Given::Array(_) => match strides {
            // A single element of an output is not `One`: the kernel may read the number of elements from the output's
            // length.
            [] if operand.written => Access::Each,
            [] | [0] => Access::One,
            [1] => Access::Each,
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

impl Fitted<'_> {
    /// Plans the launches with the default choice.
    pub(super) fn plan(&self) -> Plan<Pass> {
        self.plan_by(Choice::default_for(self.count))
    }

    pub(super) fn plan_by(&self, choice: Choice) -> Plan<Pass> {
        let Self { slots, places, walk, count, .. } = self;
        let infinity = self.own.uses_infinity(slots);
        let binding = Binding::of(&self.device.caps().limits);
        plan::plan(&Shape { slots, places, walk, infinity, count: *count, binding }, choice)
    }

    /// The WGSL of the first launch; for a call without elements, the WGSL with one element for each invocation.
    pub(super) fn text(&self) -> String {
        let choice = Choice::default_for(self.count);
        let (rank, infinity) = (self.walk.rank(), self.own.uses_infinity(&self.slots));
        let nothing = Form { vectors: false, placed: true, infinity, rank, workgroup: choice.workgroup };
        let form = self.plan_by(choice).passes.first().map_or(nothing, |pass| pass.form);
        wgsl::text(&self.own, &self.letters, &self.slots, form).as_str().to_owned()
    }

    /// Launches the passes of a plan.
    pub(super) fn run(&self, plan: &Plan<Pass>, mut destination: Destination<'_>) -> Result<(), OperationError> {
        plan.passes.iter().try_for_each(|pass| self.launch(pass, destination.reborrow()))
    }

    fn launch(&self, pass: &Pass, destination: Destination<'_>) -> Result<(), OperationError> {
        let form = pass.form;
        let key = kept::key(self.own.identity, &self.letters, &self.slots, &form.numbers());
        let kernel = Kernel::known(&self.device.context, &key, || {
            let text = wgsl::text(&self.own, &self.letters, &self.slots, form);
            let kernel = text.kernel(&self.device, &self.own.signature.kernel)?;
            assigned::check(&text, &self.own.signature.kernel, STATEMENTS, &self.outputs())?;
            Ok::<_, OperationError>(kernel)
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
        for ((slot, operand), cell) in self.slots.iter().zip(&self.operands).zip(&mut firsts) {
            let Some(array) = operand.array() else { continue };
            let vector = form.vectors && slot.access == Access::Each;
            let (bound, first) = match slot.access {
                Access::Raw => (array.whole(), 0),
                Access::Each if pass.window => {
                    let (bound, first) = array.placed_from(pass.begin, Some(pass.begin + pass.cells));
                    // Kernels add the index of an element, which is at least `begin`, to `first`, modulo 2^32.
                    (bound, first.wrapping_sub(pass.begin))
                }
                _ if vector => array.placed(Some(4 * pass.cells)),
                _ => array.placed(None),
            };
            *cell = (if vector { first / 4 } else { first }) as u32;
            let variable = slot.variable();
            if used(&variable) {
                launch.bind_to(&variable, bound);
            }
        }
        if form.placed && used("places") {
            launch = launch.set_bytes("places", bytemuck::cast_slice(&self.places(pass, &firsts)));
        }
        let launched = launch.to(destination).groups([pass.groups, 1, 1]);
        launched.map(drop).map_err(|error| self.own.signature.refused(error))
    }

    /// The outputs, for the check that the operation assigns each of them.
    fn outputs(&self) -> Vec<Output> {
        let output = |slot: &Slot| {
            let kind = match (slot.access, slot.read) {
                (Access::Raw, _) => Kind::Raw,
                (_, true) => Kind::InPlace,
                (_, false) => Kind::New,
            };
            let known = self.own.signature.outputs.iter().find(|output| output.name == slot.name);
            let declared = known.map_or_else(|| slot.name.clone(), ToString::to_string);
            Output { name: slot.name.clone(), declared, lanes: slot.element.lanes, kind }
        };
        self.slots.iter().filter(|slot| slot.written).map(output).collect()
    }

    /// The values of the uniform `places`, in the order of its fields.
    fn places(&self, pass: &Pass, firsts: &[u32]) -> SmallVec<[u32; 16]> {
        let value = |field: Field<Count>| match field {
            Field::Count(Count::Begin) => pass.begin as u32,
            Field::Count(Count::Cells) => pass.cells as u32,
            Field::Count(Count::Elements) => self.count as u32,
            Field::Count(Count::Infinity) => f32::INFINITY.to_bits(),
            Field::First(slot) => firsts[slot],
            Field::Size(_, axis) => self.walk.sizes[axis] as u32,
            Field::Step(_, slot, axis) => self.walk.strides[slot][axis] as u32,
        };
        wgsl::fields(&self.slots, pass.form).into_iter().map(value).collect()
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests;
