//! A kernel fitted to its operands: shapes, reduced axes and the checks before a plan.

use anywarp_backend::DeviceKind;
use smallvec::SmallVec;

use super::super::error::OperationError;
use super::super::operation::arguments::Given;
use super::super::operation::binding::Place;
use super::super::operation::call::{Letter, Signature};
use super::super::operation::operand::Operand;
use super::super::operation::preface::{Access, Slot};
use super::super::operation::shape::{Sizes, Strides, Walk, elements};
use super::super::operation::types::ElementType;
use super::ReductionCall;
use super::form::Own;
use crate::device::Device;
use crate::submit::Destination;

/// A call whose arguments were checked.
pub(super) struct Fitted<'a> {
    pub(super) own: &'a Own,
    pub(super) device: Device,
    pub(super) operands: Vec<Operand<'a>>,
    pub(super) letters: Vec<Letter>,
    pub(super) slots: Vec<Slot>,
    pub(super) places: SmallVec<[Option<Place>; 8]>,
    /// The dimensions of the results, and the dimensions of the elements that are combined into one result.
    pub(super) walks: [Walk; 2],
    pub(super) results: u64,
    pub(super) reduced: u64,
    /// The size of a partial result in bytes; `None` for a struct of the caller, whose size is known only after the
    /// kernel is compiled.
    pub(super) accumulator: Option<u64>,
    /// Whether the device is the CPU.
    pub(super) software: bool,
}

/// The elements that are combined into one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// The elements along the reduced axes.
    Axes,
    /// The elements of one segment; the field is the number of segments.
    Segments(usize),
    /// The elements of one run of equal keys; the host does not know the number of runs.
    Runs,
}

/// Returns the number of results of a call.
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

/// Returns the axes that are not reduced, and the reduced axes, both in ascending order.
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

/// Performs all checks of a call that need no compiled kernel.
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
    // An input without elements can still have more results than kernels can count.
    signature.countable(kept.iter().map(|axis| shape[*axis]).collect())?;
    let with_ones = (0..shape.len()).map(|axis| if kept.contains(&axis) { shape[axis] } else { 1 }).collect();
    let segments = match parts {
        Parts::Axes => None,
        Parts::Segments(segments) => Some(segments),
        // There are as many segments as the output has elements.
        Parts::Runs => operands.iter().find(|operand| operand.written).and_then(|output| elements(&output.shape)),
    };
    match segments {
        Some(segments) => check_output(signature, &operands, vec![segments], vec![segments])?,
        None => check_output(signature, &operands, kept.iter().map(|axis| shape[*axis]).collect(), with_ones)?,
    }
    signature.check_destination(&call.device.context, destination)?;
    // The strides of the output are set to 0 here: these never prevent neighbouring axes from being joined.
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

/// Checks that the output has the remaining sizes, with or without a size of 1 for each reduced axis. An output without
/// a shape needs the same number of elements.
fn check_output(
    signature: &Signature,
    operands: &[Operand<'_>],
    expected: Sizes,
    with_ones: Sizes,
) -> Result<(), OperationError> {
    for output in operands.iter().filter(|operand| operand.written) {
        if let Some(strides) = output.array().and_then(|array| array.strides.as_ref()) {
            let problem = "is the output, which is written without gaps; pass it without strides".to_owned();
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

/// Returns how the kernel accesses each operand.
pub(super) fn slots(operands: &[Operand<'_>], reduced: &Walk) -> Vec<Slot> {
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
