//! The kernels of matrix products.

use anywarp_backend::{Factor, ProductForm};
use half::{bf16, f16};

use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::MatmulElement;
use super::arrays::{in_cells, in_fours};
use super::calls::{Call, finish, launch, multiply, multiply_thin};
use super::plan::{Kernel, Parts, Pass, Shape, Sizes};
use super::run::Operands;
use crate::buffer::UnifiedBuffer;
use crate::buffer::cells::as_words;
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod tiles_f32 = "shaders/ops/matmul_f32.wgsl", root = "shaders", feature packed = false, feature split = false);
crate::kernels!(mod tiles_f32_parts = "shaders/ops/matmul_f32.wgsl", root = "shaders", feature packed = false, feature split = true);
crate::kernels!(mod tiles_packed = "shaders/ops/matmul_packed.wgsl", root = "shaders", feature packed = true, feature split = false);
crate::kernels!(mod tiles_packed_parts = "shaders/ops/matmul_packed.wgsl", root = "shaders", feature packed = true, feature split = true);
crate::kernels!(mod wide = "shaders/ops/matmul_wide.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod cooperative = "shaders/ops/matmul_cooperative.wgsl", root = "shaders", feature f32_results = false);
crate::kernels!(mod cooperative_wide = "shaders/ops/matmul_cooperative.wgsl", root = "shaders", feature f32_results = true);
crate::kernels!(mod finish_f32 = "shaders/ops/matmul_finish.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod finish_packed = "shaders/ops/matmul_finish.wgsl", root = "shaders", feature packed = true);

/// A typed module for each form of thin products: whole or in parts, of single elements or in vectors of four.
macro_rules! vectors {
    ($packed:literal: $whole:ident, $whole_fours:ident, $parts:ident, $parts_fours:ident) => {
        vectors!($packed, $whole, false, false);
        vectors!($packed, $whole_fours, true, false);
        vectors!($packed, $parts, false, true);
        vectors!($packed, $parts_fours, true, true);
    };
    ($packed:literal, $module:ident, $vectors:literal, $split:literal) => {
        crate::kernels!(
            mod $module = "shaders/ops/matmul_vector.wgsl", root = "shaders",
            feature packed = $packed, feature vectors = $vectors, feature split = $split
        );
    };
}

crate::kernels!(
    mod vector_halves = "shaders/ops/matmul_vector_f16.wgsl", root = "shaders",
    feature packed = true, feature split = false
);
crate::kernels!(
    mod vector_halves_parts = "shaders/ops/matmul_vector_f16.wgsl", root = "shaders",
    feature packed = true, feature split = true
);
vectors!(false: vector_f32, vector_f32_fours, vector_f32_parts, vector_f32_parts_fours);
vectors!(true: vector_packed, vector_packed_fours, vector_packed_parts, vector_packed_parts_fours);

pub(super) fn launch_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, f32, f32>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Wide, .. } => {
            let arrays = operands.arrays(in_cells, (in_cells, in_cells), operands.result()?)?;
            let activation = Activation::number(call.shape.epilogue.activation);
            launch!(
                wide, matmul_with, Args, device, call, arrays, destination,
                [a: a, b: b, bias: bias, residual: residual], { activation: activation }
            )
        }
        Pass::Kernel { kernel: Kernel::Vector { lanes }, .. } => multiply_thin!(
            vector_f32,
            vector_f32_fours,
            vector_f32_parts,
            vector_f32_parts_fours,
            [f32; 4],
            lanes,
            device,
            call,
            operands,
            sums,
            in_cells,
            destination,
            {}
        ),
        Pass::Finish { .. } => finish!(finish_f32, device, call, operands, sums, destination, {}),
        _ => multiply!(
            tiles_f32,
            tiles_f32_parts,
            matmul_with,
            Args,
            device,
            call,
            operands,
            sums,
            in_cells,
            in_cells,
            destination,
            {}
        ),
    }
}

pub(super) fn launch_f16(
    device: &Device,
    operands: &Operands<'_, '_, '_, f16, f16>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Cooperative, .. } => {
            let arrays = operands.arrays(in_fours, (in_fours, in_fours), operands.result_in_fours()?)?;
            let activation = Activation::number(call.shape.epilogue.activation);
            launch!(
                cooperative, matmul_with, Args, device, call, arrays, destination,
                [a: a, b: b, bias: bias, residual: residual], { activation: activation }
            )
        }
        Pass::Kernel { kernel: Kernel::VectorOfHalves { lanes }, .. } => {
            let call = call.with_lines();
            let (is_thin, thin) = (call.shape.a_is_thin(), call.shape.thin());
            let activation = Activation::number(call.shape.epilogue.activation);
            macro_rules! run {
                ($compile:ident, $Args:ident) => {
                    match sums {
                        None => {
                            let arrays = operands.arrays(in_fours, (in_cells, in_cells), operands.result()?)?;
                            launch!(
                                vector_halves, $compile, $Args, device, call, arrays, destination,
                                [a: a, b: b, bias: bias, residual: residual],
                                { activation: activation, bf16: false, a_is_thin: is_thin, thin: thin, lanes: lanes }
                            )
                        }
                        // Parts are stored in f32.
                        Some(sums) => {
                            let arrays = operands.arrays_of_sums(in_fours, sums.slice_mut(..))?;
                            launch!(
                                vector_halves_parts, $compile, $Args, device, call, arrays, destination, [a: a, b: b],
                                { a_is_thin: is_thin, thin: thin, lanes: lanes }
                            )
                        }
                    }
                };
            }
            if call.shape.has_lines() { run!(lines_with, LinesArgs) } else { run!(columns_with, ColumnsArgs) }
        }
        _ => launch_packed(device, operands, call, sums, destination, false),
    }
}

pub(super) fn launch_bf16(
    device: &Device,
    operands: &Operands<'_, '_, '_, bf16, bf16>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    launch_packed(device, operands, call, sums, destination, true)
}

fn launch_packed<T: MatmulElement>(
    device: &Device,
    operands: &Operands<'_, '_, '_, T, T>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
    bf16: bool,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Vector { lanes }, .. } => multiply_thin!(
            vector_packed, vector_packed_fours, vector_packed_parts, vector_packed_parts_fours, [u32; 2], lanes,
            device, call, operands, sums, in_cells, destination, { bf16: bf16 }
        ),
        Pass::Finish { .. } => finish!(finish_packed, device, call, operands, sums, destination, { bf16: bf16 }),
        _ => multiply!(
            tiles_packed, tiles_packed_parts, matmul_with, Args, device, call, operands, sums, in_cells, in_cells,
            destination, { bf16: bf16 }
        ),
    }
}

pub(super) fn launch_f16_to_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, f16, f32>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Cooperative, .. } => {
            let arrays = operands.arrays(in_fours, (in_fours, in_fours), operands.result_in_fours()?)?;
            let activation = Activation::number(call.shape.epilogue.activation);
            launch!(
                cooperative_wide, matmul_with, Args, device, call, arrays, destination,
                [a: a, b: b, bias: bias, residual: residual], { activation: activation }
            )
        }
        Pass::Kernel { kernel: Kernel::VectorOfHalves { lanes }, .. } => {
            let call = call.with_lines();
            let (is_thin, thin) = (call.shape.a_is_thin(), call.shape.thin());
            let arrays = operands.sums_or_result(in_fours, sums)?;
            macro_rules! run {
                ($compile:ident, $Args:ident) => {
                    launch!(
                        vector_halves_parts, $compile, $Args, device, call, arrays, destination, [a: a, b: b],
                        { a_is_thin: is_thin, thin: thin, lanes: lanes }
                    )
                };
            }
            if call.shape.has_lines() { run!(lines_with, LinesArgs) } else { run!(columns_with, ColumnsArgs) }
        }
        _ => launch_packed_to_f32(device, operands, call, sums, destination, false),
    }
}

pub(super) fn launch_bf16_to_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, bf16, f32>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    launch_packed_to_f32(device, operands, call, sums, destination, true)
}

/// Launches the kernels of parts of the depth, which store sums in `f32`: the result itself, or what the last pass
/// finishes.
fn launch_packed_to_f32<T: MatmulElement>(
    device: &Device,
    operands: &Operands<'_, '_, '_, T, f32>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
    bf16: bool,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Vector { lanes }, .. } => {
            let call = call.with_lines();
            let (is_thin, thin) = (call.shape.a_is_thin(), call.shape.thin());
            macro_rules! run {
                ($module:ident, $compile:ident, $Args:ident, $factor:expr) => {{
                    let arrays = operands.sums_or_result($factor, sums)?;
                    launch!(
                        $module, $compile, $Args, device, call, arrays, destination, [a: a, b: b],
                        { a_is_thin: is_thin, thin: thin, lanes: lanes, bf16: bf16 }
                    )
                }};
            }
            match (call.shape.has_lines(), call.shape.has_vectors()) {
                (true, false) => run!(vector_packed_parts, lines_with, LinesArgs, in_cells),
                (true, true) => run!(vector_packed_parts_fours, lines_with, LinesArgs, in_fours::<_, [u32; 2]>),
                (false, false) => run!(vector_packed_parts, columns_with, ColumnsArgs, in_cells),
                (false, true) => run!(vector_packed_parts_fours, columns_with, ColumnsArgs, in_fours::<_, [u32; 2]>),
            }
        }
        Pass::Finish { .. } => finish!(finish_f32, device, call, operands, sums, destination, {}),
        _ => {
            let arrays = operands.sums_or_result(in_cells, sums)?;
            launch!(
                tiles_packed_parts, matmul_with, Args, device, call, arrays, destination, [a: a, b: b], { bf16: bf16 }
            )
        }
    }
}
