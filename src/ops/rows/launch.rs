//! The kernels of rows.

use anywarp_backend::{BackendKind, DeviceKind};

use super::super::error::OperationError;
use super::super::moving::operands::{memory, start, start_mut};
use super::super::operator::Operator;
use super::plan::{Planned, Shape, Target};
use crate::buffer::cells::in_words;
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::error::BufferError;
use crate::submit::Destination;

/// The bits of infinity, which kernels cannot have as a constant.
pub(crate) const INFINITY: u32 = 0x7f80_0000;

/// A typed module for each form of arrays: f32 alone or in vectors of four, halves alone or in vectors of four.
macro_rules! modules {
    ($file:literal: $words:ident, $vectors:ident, $packed:ident, $packed_vectors:ident) => {
        crate::kernels!(mod $words = $file, root = "shaders", feature vectors = false, feature packed = false);
        crate::kernels!(mod $vectors = $file, root = "shaders", feature vectors = true, feature packed = false);
        crate::kernels!(mod $packed = $file, root = "shaders", feature vectors = false, feature packed = true);
        crate::kernels!(mod $packed_vectors = $file, root = "shaders", feature vectors = true, feature packed = true);
    };
}

/// Compiles the kernels of all passes, so that a refused one leaves nothing launched.
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

/// Launches a pass. `sums` are the arguments of kernels that write partial results, without these; `results` are those
/// of kernels that write results.
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

/// The uniform of rows for a module.
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

/// Runs a macro of the caller for the form of a plan's arrays: with a module, a function that makes cells of x and y, one
/// that makes cells of a single array, and, as only modules of halves have it as an override, the variable `bf16`.
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
    /// The units of a row, and their distance.
    pub(crate) length: u32,
    pub(crate) inner: u32,
    pub(crate) parts: u32,
    pub(crate) chunk: u32,
    pub(crate) group: u32,
    pub(crate) width: u32,
    pub(crate) held: u32,
}

impl Numbers {
    pub(crate) fn of(shape: Shape, planned: &Planned) -> Self {
        // The limits of operators keep all of these within 32 bits.
        let length = shape.length / if planned.vectors { 4 } else { 1 };
        let [count, length, inner] = [shape.rows, length, shape.inner].map(|count| count as u32);
        let [parts, chunk, group, width, held] =
            [planned.parts, planned.chunk, planned.group, planned.width, planned.held].map(|count| count as u32);
        Self { count, length, inner, parts, chunk, group, width, held }
    }
}

/// The properties on which the choice depends.
pub(crate) fn target(device: &Device) -> Target {
    let caps = device.caps();
    Target { software: caps.kind == DeviceKind::Software, strips: caps.backend == BackendKind::Cpu }
}

/// Whether arrays with elements of `size` bytes can be read four elements at a time.
pub(crate) fn is_aligned(length: usize, size: usize, starts: &[u64]) -> bool {
    length.is_multiple_of(4) && starts.iter().all(|start| start.is_multiple_of(4 * size as u64))
}

/// The bytes at which arrays begin.
pub(crate) fn starts(read: &[&Slice<'_, u8>], written: &[&SliceMut<'_, u8>]) -> Vec<u64> {
    read.iter().map(|slice| start(slice)).chain(written.iter().map(|slice| start_mut(slice))).collect()
}

/// The memory of partial results; a spare one without any, as kernels need an element in each array.
pub(crate) fn parts(
    operator: Operator,
    device: &Device,
    planned: &Planned,
    destination: &Destination<'_>,
) -> Result<UnifiedBuffer<[f32; 2]>, OperationError> {
    let length = usize::try_from(planned.plan.scratch / 8).unwrap_or(usize::MAX).max(1);
    device.scratch::<[f32; 2]>(length, destination).map_err(memory(operator))
}

/// The words of halves, and the number of halves before the first one.
pub(crate) fn halves<'a>(slice: &Slice<'a, u8>) -> Result<(Slice<'a, u32>, u32), BufferError> {
    in_words(slice).map(|(words, before)| (words, before / 2))
}
