//! The checks and the commands that transforms of complex and real numbers share.

use std::sync::Arc;

use anywarp_backend::Routine;

use super::super::choices::Question;
use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::plan::Plan;
use super::chain::Pass;
use super::element::ComplexElement;
use super::plan::{self, Choice, Kind, Shape};
use super::run::Operands;
use super::tables::FftTables;
use crate::backend::DeviceKind;
use crate::device::Device;
use crate::submit::{Context, Destination};

/// The axes of a call: all axes of the shape, if none are given.
pub(super) fn axes(operator: Operator, given: Option<&[usize]>, shape: &[usize]) -> Result<Vec<usize>, OperationError> {
    let axes = given.map_or_else(|| (0..shape.len()).collect(), <[usize]>::to_vec);
    for (at, axis) in axes.iter().enumerate() {
        operands::expect_axis(operator, *axis, shape)?;
        if axes[..at].contains(axis) {
            return Err(operator.choice("axes", "name each axis once", format!("{axes:?}")));
        }
    }
    Ok(axes)
}

/// The plan of a call; an error if its arrays or its scratch memory have more numbers than kernels can count.
pub(super) fn plan<T: ComplexElement>(
    operator: Operator,
    device: &Device,
    kind: Kind,
    inverse: bool,
    (shape, axes): (&[usize], Vec<usize>),
) -> Result<Plan<Pass>, OperationError> {
    operands::counted::<T::Wide>(operator, "x", shape)?;
    let sizes = shape.iter().map(|size| *size as u64).collect();
    let shape = Shape { kind, inverse, sizes, axes, number: size_of::<T::Wide>() as u64, halves: T::HALVES };
    let caps = device.caps();
    let software = caps.kind == DeviceKind::Software;
    // A library does not read `f16`.
    let routine = Routine::FourierTransform { double: T::DOUBLES };
    let library = (!T::HALVES && caps.library.contains(&routine)).then(|| caps.multiprocessors.unwrap_or(1));
    let default = Choice::default_for(software, library, caps.limits.workgroup_storage, shape.number);
    let count = shape.sizes.iter().product();
    let axis = shape.axes.last().map_or(1, |axis| shape.sizes[*axis]);
    let question = Question::new("fft", &[count, axis, shape.axes.len() as u64, size_of::<T>() as u64]);
    let question = question.form(if matches!(shape.kind, Kind::Real { .. }) { "real" } else { "complex" });
    let choice = question.form_if(inverse, "inverse").decide(device, default, Choice::all, |_| true);
    let plan = plan::plan(&shape, choice);
    // Convolutions are longer than the axis.
    let longest = plan.passes.iter().map(|pass| pass.written).max().unwrap_or(0);
    operands::counted::<T::Wide>(operator, "the scratch memory", &[longest as usize])?;
    Ok(plan)
}

/// Returns an error for tables of another device.
pub(super) fn own_tables<T: ComplexElement>(
    operator: Operator,
    context: &Arc<Context>,
    tables: Option<&FftTables<T>>,
) -> Result<(), OperationError> {
    match tables.and_then(|tables| tables.foreign(context)) {
        Some(theirs) => Err(operator.other_device(context, "'tables'".to_owned(), theirs)),
        None => Ok(()),
    }
}

/// Checks devices and guards, and appends the commands.
pub(super) fn commands<T: ComplexElement>(
    operator: Operator,
    operands: &Operands<'_, '_>,
    plan: &Plan<Pass>,
    scale: f64,
    tables: Option<&FftTables<T>>,
    destination: &mut Destination<'_>,
) -> Result<(), OperationError> {
    let context = &operands.y.core.device;
    let mut arrays = Vec::with_capacity(2);
    arrays.extend(operands.x.map(|x| ("x", x)));
    arrays.push((if arrays.is_empty() { "x" } else { "y" }, operands.y.as_slice()));
    operands::check(operator, context, &arrays, 1, destination)?;
    own_tables(operator, context, tables)?;
    let own;
    let tables = match tables {
        Some(tables) => tables,
        None => {
            own = FftTables::new(&Device::of(context));
            &own
        }
    };
    operands.run(plan, scale, tables, destination)
}
