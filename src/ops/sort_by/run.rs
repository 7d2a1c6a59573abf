//! The commands of a sort.

use std::fmt::Write;

use bytemuck::{Pod, Zeroable};

use super::super::error::OperationError;
use super::super::operation::arguments::Array;
use super::super::operation::types::ElementType;
use super::super::ordering::arrays;
use super::super::plan::Plan;
use super::super::scanning::kernel::{Description, kernel_file};
use super::super::scanning::operands::{self, Bindings};
use super::OPERATOR;
use super::plan::{From, Pass, Shape, tile};
use crate::buffer::UnifiedBuffer;
use crate::buffer::cells::{cells_mut, words_around};
use crate::device::Device;
use crate::kernel::Kernel;
use crate::submit::Destination;

/// The fields of `struct Sizes` in `shaders/ops/sort_by.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Sizes {
    length: u32,
    first_of_x: u32,
    first_of_y: u32,
    run: u32,
    span: u32,
}

/// The parameters of a sort, without its arrays.
pub(super) struct Call<'a> {
    pub(super) comparison: &'a str,
    pub(super) preamble: &'a str,
    pub(super) element: ElementType,
}

/// The arrays of a sort.
pub(super) struct Operands<'a> {
    /// The unsorted elements; `None` if the sort is in place.
    pub(super) x: Option<Array<'a>>,
    pub(super) y: Array<'a>,
}

impl Call<'_> {
    /// Returns the WGSL that replaces `shaders/shared/sort_by_order.wgsl`.
    fn text(&self) -> String {
        let Self { comparison, preamble, element } = self;
        let mut text = String::new();
        if let Some(extension) = element.extension() {
            let _ = writeln!(text, "enable {extension};");
        }
        let _ = writeln!(text, "alias T = {element};\nconst tile = {}u;\n{preamble}", tile(element.size()));
        let _ = writeln!(text, "fn before(x: T, y: T) -> bool {{\n    return\n{comparison};\n}}");
        text
    }

    fn kernel(&self, pass: Pass, device: &Device) -> Result<Option<Kernel>, OperationError> {
        let entry = match pass {
            Pass::Copy => return Ok(None),
            Pass::Runs { .. } => "sort_runs",
            Pass::Tiles { .. } => "sort_tiles",
            Pass::Merge { .. } => "merge_runs",
        };
        let kernel = Description::new(kernel_file!("sort_by.wgsl"), entry);
        Ok(Some(kernel.replace("shared::sort_by_order", self.text()).kernel(device)?))
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &self,
        operands: &Operands<'_>,
        shape: Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&operands.y.bound.core.device);
        // All kernels are compiled and all memory is allocated before the first launch: if either fails, nothing has
        // run.
        let kernels: Vec<_> = plan.passes.iter().map(|pass| self.kernel(*pass, device)).collect::<Result<_, _>>()?;
        // A copy consists of whole words, and a binding of whole elements, so both may exceed the array.
        let bytes = plan.scratch.saturating_add(8).div_ceil(shape.element).saturating_mul(shape.element);
        let mut spare = operands::scratch(OPERATOR, device, bytes, destination)?;
        let mut first_of_copy = 0;
        for (pass, kernel) in plan.passes.iter().zip(&kernels) {
            if let Some(kernel) = kernel {
                launch(*pass, kernel, operands, (&mut spare, first_of_copy), shape, destination.reborrow())?;
                first_of_copy = 0;
            } else {
                first_of_copy = copy(&operands.y, &mut spare, destination.reborrow())?;
            }
        }
        Ok(())
    }
}

fn launch(
    pass: Pass,
    kernel: &Kernel,
    operands: &Operands<'_>,
    (spare, first_of_copy): (&mut UnifiedBuffer<u8>, u32),
    Shape { length, .. }: Shape,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    // The length is within 32 bits, as it was checked.
    let mut sizes = Sizes { length: length as u32, ..Sizes::default() };
    let mut bindings = Bindings::of(kernel);
    let ([from, to], groups) = match pass {
        Pass::Copy => return Ok(()),
        Pass::Runs { run, arrays } => {
            sizes.run = run as u32;
            (arrays, length.div_ceil(run).div_ceil(64))
        }
        Pass::Tiles { tile, arrays } => (arrays, length.div_ceil(tile)),
        Pass::Merge { run, span, arrays } => {
            (sizes.run, sizes.span) = (run as u32, span as u32);
            (arrays, length.div_ceil(span).div_ceil(256))
        }
    };
    let given = if from == From::Given { operands.x.as_ref() } else { None };
    match (from, to) {
        (From::Spare, _) => {
            bindings.read_memory("x", Some(spare));
            sizes.first_of_x = first_of_copy;
            sizes.first_of_y = bindings.array("y", &operands.y);
        }
        (_, From::Spare) => {
            sizes.first_of_x = bindings.array("x", given.unwrap_or(&operands.y));
            bindings.memory("y", Some(spare));
        }
        _ => {
            sizes.first_of_x = bindings.array("x", given.unwrap_or(&operands.y));
            sizes.first_of_y = bindings.array("y", &operands.y);
        }
    }
    bindings.with_bytes("sizes", bytemuck::bytes_of(&sizes), destination).groups([groups, 1])?;
    Ok(())
}

/// Copies the words of the elements to the scratch memory, and returns the number of elements in these words before the
/// first element of the array.
fn copy(array: &Array<'_>, spare: &mut UnifiedBuffer<u8>, destination: Destination<'_>) -> Result<u32, OperationError> {
    let bytes = array.bound.bytes.as_ref().map_err(|error| OPERATOR.slice("x")((**error).clone()))?;
    let from = words_around(array.bound.core, bytes);
    let to = spare.slice_mut(..4 * from.len());
    let (to, _) = cells_mut::<u8, u32>(&to).map_err(OPERATOR.slice("x"))?;
    arrays::copy(OPERATOR, "x", &from, &to, destination)?;
    Ok((bytes.start % 4 / array.size.max(1)) as u32)
}
