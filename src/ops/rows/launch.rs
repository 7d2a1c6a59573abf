//! The kernels of operators on rows, and their launches.

use anywarp_backend::{BackendKind, DeviceKind};

use super::super::choices::Question;
use super::super::error::OperationError;
use super::super::moving::operands::{memory, start, start_mut};
use super::super::operator::Operator;
use super::plan::{Choice, Planned, Shape, Target};
use crate::buffer::cells::in_words;
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::Destination;

/// The bits of infinity as an `f32`. Kernels receive them in a uniform buffer, as WGSL has no constant for infinity.
pub(crate) const INFINITY: u32 = 0x7f80_0000;

/// Declares a typed module for each form of arrays: single `f32`, vectors of four `f32`, single 16-bit floats, and
/// vectors of four 16-bit floats.
macro_rules! modules {
    ($file:literal: $words:ident, $vectors:ident, $packed:ident, $packed_vectors:ident) => {
        crate::kernels!(mod $words = $file, root = "shaders", feature vectors = false, feature packed = false);
        crate::kernels!(mod $vectors = $file, root = "shaders", feature vectors = true, feature packed = false);
        crate::kernels!(mod $packed = $file, root = "shaders", feature vectors = false, feature packed = true);
        crate::kernels!(mod $packed_vectors = $file, root = "shaders", feature vectors = true, feature packed = true);
    };
}

/// Compiles the kernels of all passes before any launch, so that nothing has run if a kernel is refused.
macro_rules! compile {
    ($module:ident, $planned:expr, $device:expr, $overrides:expr) => {
        for pass in &$planned.plan.passes {
            match pass {
                Pass::Teams { .. } => drop($module::team_rows_with($device, $overrides)?),
                Pass::PartsOfRows { .. } => drop($module::parts_of_rows_with($device, $overrides)?),
                Pass::RowsFromParts { .. } => drop($module::rows_from_parts_with($device, $overrides)?),
                Pass::WholeRows { .. } => drop($module::whole_rows_with($device, $overrides)?),
                Pass::PartsOfLines { .. } => drop($module::parts_of_lines_with($device, $overrides)?),
                Pass::LinesFromParts { .. } => drop($module::lines_from_parts_with($device, $overrides)?),
                Pass::WholeLines { .. } => drop($module::whole_lines_with($device, $overrides)?),
            }
        }
    };
}

/// Launches a pass. `sums` are the arguments of kernels that write partial results, and `results` the arguments of
/// kernels that write results; neither list contains the partial results themselves.
macro_rules! launch {
    ($module:ident, $pass:expr, $device:expr, $overrides:expr, $to:expr, $parts:ident,
     sums: [$($sum:ident),*], results: [$($result:ident),*]) => {
        match $pass {
            Pass::Teams { groups } => {
                let args = $module::TeamRowsArgs { $($result),* };
                $module::team_rows_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::PartsOfRows { groups } => {
                let args = $module::PartsOfRowsArgs { $($sum,)* parts: &mut $parts };
                $module::parts_of_rows_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::RowsFromParts { groups } => {
                let args = $module::RowsFromPartsArgs { $($result,)* parts: &$parts };
                $module::rows_from_parts_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::WholeRows { groups } => {
                let args = $module::WholeRowsArgs { $($result),* };
                $module::whole_rows_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::PartsOfLines { groups } => {
                let args = $module::PartsOfLinesArgs { $($sum,)* parts: &mut $parts };
                $module::parts_of_lines_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::LinesFromParts { groups } => {
                let args = $module::LinesFromPartsArgs { $($result,)* parts: &$parts };
                $module::lines_from_parts_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
            Pass::WholeLines { groups } => {
                let args = $module::WholeLinesArgs { $($result),* };
                $module::whole_lines_with($device, $overrides)?.launch(args).to($to).groups([groups, 1])?;
            }
        }
    };
}

/// Returns the uniform `Rows` of a typed module.
macro_rules! rows {
    ($module:ident, $numbers:expr, $first_of_x:expr, $first_of_y:expr) => {{
        let $crate::ops::rows::launch::Numbers { count, length, inner, parts, chunk, .. } = $numbers;
        $module::Rows {
            count,
            length,
            inner,
            first_of_x: $first_of_x,
            first_of_y: $first_of_y,
            parts,
            chunk,
            infinity: $crate::ops::rows::launch::INFINITY,
        }
    }};
}

/// Runs the caller's macro `$run` for the form of a plan's arrays. Its arguments are a module, a function that returns
/// the cells of x and y, a function that returns the cells of a single array, and, for modules of 16-bit floats only,
/// the variable `bf16`, which is an override of these modules.
macro_rules! run_for_form {
    ($run:ident, $halves:expr, $planned:expr, $bf16:ident:
     $words:ident, $vectors:ident, $packed:ident, $packed_vectors:ident) => {
        match ($halves, $planned.vectors) {
            (false, false) => $run!($words, Cells::<f32>::whole, whole_cells::<f32>),
            (false, true) => $run!($vectors, Cells::<[f32; 4]>::whole, whole_cells::<[f32; 4]>),
            (true, false) => $run!($packed, Cells::halves, halves, $bf16),
            (true, true) => $run!($packed_vectors, Cells::<[u32; 2]>::whole, whole_cells::<[u32; 2]>, $bf16),
        }
    };
}

pub(crate) use {compile, launch, modules, rows, run_for_form};

/// The numbers that all kernels of a plan need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) count: u32,
    /// The number of units of a row: elements, or vectors of four elements.
    pub(crate) length: u32,
    /// The distance between the elements of a row, in elements.
    pub(crate) inner: u32,
    pub(crate) parts: u32,
    pub(crate) chunk: u32,
    pub(crate) group: u32,
    pub(crate) width: u32,
    pub(crate) held: u32,
}

impl Numbers {
    pub(crate) fn of(shape: Shape, planned: &Planned) -> Self {
        // The limits of the operators keep all of these numbers within 32 bits.
        let length = shape.length / if planned.vectors { 4 } else { 1 };
        let [count, length, inner] = [shape.rows, length, shape.inner].map(|count| count as u32);
        let [parts, chunk, group, width, held] =
            [planned.parts, planned.chunk, planned.group, planned.width, planned.held].map(|count| count as u32);
        Self { count, length, inner, parts, chunk, group, width, held }
    }
}

/// Returns the properties of a device on which the choice depends.
pub(crate) fn target(device: &Device) -> Target {
    let caps = device.caps();
    Target { software: caps.kind == DeviceKind::Software, strips: caps.backend == BackendKind::Cpu }
}

/// Returns the assignment of invocations to rows for the operator of this name.
pub(crate) fn choice(operator: &'static str, shape: Shape, device: &Device) -> Choice {
    let target = target(device);
    let question = Question::new(operator, &[shape.rows, shape.length, shape.inner])
        .form(if shape.halves { "f16" } else { "f32" })
        .form_if(shape.aligned, "aligned");
    question.decide(
        device,
        Choice::default_for(shape, target),
        || Choice::all(shape, target),
        |choice| choice.is_possible(shape, target),
    )
}

/// Whether rows of `length` elements of `size` bytes can be read four elements at a time, in arrays that begin at the
/// bytes `starts` of their buffers.
pub(crate) fn is_aligned(length: usize, size: usize, starts: &[u64]) -> bool {
    length.is_multiple_of(4) && starts.iter().all(|start| start.is_multiple_of(4 * size as u64))
}

/// Returns the byte of its buffer at which each array begins.
pub(crate) fn starts(read: &[&Slice<'_, u8>], written: &[&SliceMut<'_, u8>]) -> Vec<u64> {
    read.iter().map(|slice| start(slice)).chain(written.iter().map(|slice| start_mut(slice))).collect()
}

/// Allocates the memory of partial results. If there are none, it has one unused element, as kernels need at least one
/// element in each array.
pub(crate) fn parts(
    operator: Operator,
    device: &Device,
    planned: &Planned,
    destination: &Destination<'_>,
) -> Result<UnifiedBuffer<[f32; 2]>, OperationError> {
    let length = usize::try_from(planned.plan.scratch / 8).unwrap_or(usize::MAX).max(1);
    device.scratch::<[f32; 2]>(length, destination).map_err(memory(operator))
}

/// Returns the words that contain a slice of 16-bit floats, and the number of 16-bit floats before the slice in these
/// words.
pub(crate) fn halves<'a>(slice: &Slice<'a, u8>) -> Result<(Slice<'a, u32>, u32), BufferError> {
    in_words(slice).map(|(words, before)| (words, before / 2))
}
