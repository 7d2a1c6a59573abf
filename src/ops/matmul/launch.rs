//! The kernels of matrix products.

use std::ops::Range;

use anywarp_backend::{Factor, ProductForm};
use half::{bf16, f16};

use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::plan::{Kernel, Parts, Pass, Shape, Sizes};
use super::run::Operands;
use super::{MatmulElement, OPERATOR};
use crate::buffer::cells::{as_words, cells, cells_mut, words, words_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod tiles_f32 = "shaders/ops/matmul_f32.wgsl", root = "shaders", feature packed = false, feature split = false);
crate::kernels!(mod tiles_f32_parts = "shaders/ops/matmul_f32.wgsl", root = "shaders", feature packed = false, feature split = true);
crate::kernels!(mod tiles_packed = "shaders/ops/matmul_packed.wgsl", root = "shaders", feature packed = true, feature split = false);
crate::kernels!(mod tiles_packed_parts = "shaders/ops/matmul_packed.wgsl", root = "shaders", feature packed = true, feature split = true);
crate::kernels!(mod wide = "shaders/ops/matmul_wide.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod cooperative = "shaders/ops/matmul_cooperative.wgsl", root = "shaders");
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

/// One launch: a pass that is a kernel, and the product.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub(super) pass: Pass,
    pub(super) shape: Shape,
}

/// A function that compiles a kernel of a product and, with a destination, launches it.
pub(super) type Launch<T> = for<'o> fn(
    &'o Device,
    &'o Operands<'o, 'o, 'o, T>,
    Call,
    Option<&mut UnifiedBuffer<f32>>,
    Option<Destination<'_>>,
) -> Result<(), OperationError>;

/// Launches a kernel: its module, the function that compiles it and its arguments' struct; the call and its arrays, of
/// which it reads some; and the overrides that not all kernels have.
macro_rules! launch {
    ($module:ident, $compile:ident, $Args:ident, $device:expr, $call:expr, $arrays:expr, $destination:expr,
     [$($read:ident: $from:ident),*], { $($override:ident: $value:expr),* }) => {{
        let Call { pass, shape } = $call;
        let Shape { sizes: Sizes { m, k, n }, form, epilogue, .. } = shape;
        let arrays = $arrays;
        let [line_of_a, line_of_b] = shape.sizes.lines(form.transposed);
        let (parts, [tiles_x, tiles_y]) = match pass {
            Pass::Kernel { tiles, parts, .. } => (parts, tiles),
            Pass::Finish { parts: count, .. } => (Parts { count, depth: k }, [0; 2]),
            Pass::Zeros | Pass::Library(_) => (Parts { count: 0, depth: k }, [0; 2]),
        };
        // The limit of elements keeps these within 32 bits.
        let distance = |shared: bool, rows: u32, columns: u32| if shared { 0 } else { rows.wrapping_mul(columns) };
        let sizes = $module::Sizes {
            m, k, n, tiles_x, tiles_y, line_of_a, line_of_b,
            first_of_a: arrays.a.1,
            first_of_b: arrays.b.1,
            first_of_c: arrays.c.1,
            first_of_bias: arrays.bias.1,
            first_of_residual: arrays.residual.1,
            batch_of_a: distance(form.shared[0], m, k),
            batch_of_b: distance(form.shared[1], k, n),
            batch_of_c: distance(false, m, n),
            alpha: form.alpha.get(),
            beta: form.beta.get(),
            elements_of_c: form.batches.wrapping_mul(m.wrapping_mul(n)),
            batches: form.batches,
            parts: parts.count,
            depth_of_part: parts.depth,
        };
        let overrides = $module::Overrides {
            a_is_deep: !form.transposed[0],
            b_is_deep: form.transposed[1],
            has_bias: epilogue.bias,
            has_residual: epilogue.residual,
            $($override: $value),*
        };
        let kernel = $module::$compile($device, overrides)?;
        let Some(destination) = $destination else { return Ok(()) };
        let launch = kernel.launch($module::$Args { sizes, $($read: arrays.$from.0,)* c: arrays.c.0 }).to(destination);
        match pass {
            Pass::Finish { threads, .. } => drop(launch.threads(threads)?),
            _ => {
                let slots = u64::from(form.batches) * u64::from(parts.count);
                let groups = [u64::from(tiles_x) * u64::from(tiles_y), slots];
                launch.groups(groups.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))?;
            }
        }
        Ok(())
    }};
}

/// [`launch`] of an entry point with factors: the module for the whole depth, and the one for parts of it.
macro_rules! multiply {
    ($whole:ident, $parts:ident, $compile:ident, $Args:ident, $device:expr, $call:expr, $operands:expr, $sums:expr,
     $factor:expr, $result:expr, $destination:expr, { $($override:ident: $value:expr),* }) => {
        match $sums {
            None => {
                let arrays = $operands.arrays($factor, $result, $operands.result()?)?;
                let activation = Activation::number($call.shape.epilogue.activation);
                launch!(
                    $whole, $compile, $Args, $device, $call, arrays, $destination,
                    [a: a, b: b, bias: bias, residual: residual], { activation: activation $(, $override: $value)* }
                )
            }
            Some(sums) => {
                let arrays = $operands.arrays($factor, in_cells, (sums.slice_mut(..), 0))?;
                launch!(
                    $parts, $compile, $Args, $device, $call, arrays, $destination, [a: a, b: b],
                    { $($override: $value),* }
                )
            }
        }
    };
}

/// [`multiply`] by the kernels of thin products: modules for single elements and for vectors of four.
macro_rules! multiply_thin {
    ($whole:ident, $whole_fours:ident, $parts:ident, $parts_fours:ident, $Four:ty, $lanes:expr, $device:expr,
     $call:expr, $operands:expr, $sums:expr, $result:expr, $destination:expr,
     { $($override:ident: $value:expr),* }) => {{
        let call = $call.with_lines();
        let (is_thin, thin) = (call.shape.a_is_thin(), call.shape.thin());
        macro_rules! run {
            ($one:ident, $some:ident, $compile:ident, $Args:ident, $factor:expr) => {
                multiply!(
                    $one, $some, $compile, $Args, $device, call, $operands, $sums, $factor, $result, $destination,
                    { a_is_thin: is_thin, thin: thin, lanes: $lanes $(, $override: $value)* }
                )
            };
        }
        match (call.shape.has_lines(), call.shape.has_vectors()) {
            (true, false) => run!($whole, $parts, lines_with, LinesArgs, in_cells),
            (true, true) => run!($whole_fours, $parts_fours, lines_with, LinesArgs, in_fours::<_, $Four>),
            (false, false) => run!($whole, $parts, columns_with, ColumnsArgs, in_cells),
            (false, true) => run!($whole_fours, $parts_fours, columns_with, ColumnsArgs, in_fours::<_, $Four>),
        }
    }};
}

/// [`launch`] of the kernel that finishes products.
macro_rules! finish {
    ($module:ident, $device:expr, $call:expr, $operands:expr, $sums:expr, $destination:expr,
     { $($override:ident: $value:expr),* }) => {{
        let mut call = $call;
        let mut arrays = $operands.arrays(in_cells::<_, u32>, in_cells, $operands.result()?)?;
        match &$sums {
            Some(sums) => arrays.a = (as_words(&sums.slice(..)), 0),
            // The library's product is the old value.
            None => call.shape.form = ProductForm { alpha: Factor::ONE, beta: Factor::ONE, ..call.shape.form },
        }
        let activation = Activation::number(call.shape.epilogue.activation);
        launch!(
            $module, finish_with, Args, $device, call, arrays, $destination,
            [parts: a, bias: bias, residual: residual], { activation: activation $(, $override: $value)* }
        )
    }};
}

impl Call {
    /// The call with a single row or column as a line along the depth.
    fn with_lines(mut self) -> Self {
        let [a_is_deep, b_is_deep] = self.shape.are_deep();
        self.shape.form.transposed = [!a_is_deep, b_is_deep];
        self
    }
}

pub(super) fn launch_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, f32>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Wide, .. } => {
            let arrays = operands.arrays(in_cells, in_cells, operands.result()?)?;
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
    operands: &Operands<'_, '_, '_, f16>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.pass {
        Pass::Kernel { kernel: Kernel::Cooperative, .. } => {
            let arrays = operands.arrays(in_fours, in_fours, operands.result_in_fours()?)?;
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
                            let arrays = operands.arrays(in_fours, in_cells, operands.result()?)?;
                            launch!(
                                vector_halves, $compile, $Args, device, call, arrays, destination,
                                [a: a, b: b, bias: bias, residual: residual],
                                { activation: activation, bf16: false, a_is_thin: is_thin, thin: thin, lanes: lanes }
                            )
                        }
                        // Parts are stored in f32.
                        Some(sums) => {
                            let arrays = operands.arrays(in_fours, in_cells, (sums.slice_mut(..), 0))?;
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
    operands: &Operands<'_, '_, '_, bf16>,
    call: Call,
    sums: Option<&mut UnifiedBuffer<f32>>,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    launch_packed(device, operands, call, sums, destination, true)
}

fn launch_packed<T: MatmulElement>(
    device: &Device,
    operands: &Operands<'_, '_, '_, T>,
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

/// An array that is read, and the number of its first element.
type Read<'a, C> = (Slice<'a, C>, u32);

/// The arrays as a kernel takes them, each with the number of its first element: factors in cells `F`, others in `C`.
struct Cells<'a, F, C> {
    a: Read<'a, F>,
    b: Read<'a, F>,
    c: (SliceMut<'a, C>, u32),
    bias: Read<'a, C>,
    residual: Read<'a, C>,
}

/// A function that returns an array in cells.
type InCells<'a, T, C> = fn(&'static str, &Slice<'a, T>) -> Result<Read<'a, C>, OperationError>;

impl<'o, T: MatmulElement> Operands<'o, '_, '_, T> {
    /// The arrays in cells. The kernel does not read an array that the caller did not give.
    fn arrays<F, C>(
        &'o self,
        factor: InCells<'o, T, F>,
        result: InCells<'o, T, C>,
        c: (SliceMut<'o, C>, u32),
    ) -> Result<Cells<'o, F, C>, OperationError> {
        let (a, b): (Slice<'o, T>, Slice<'o, T>) = (self.a, self.b);
        Ok(Cells {
            a: factor("a", &a)?,
            b: factor("b", &b)?,
            c,
            bias: result("bias", &self.bias.unwrap_or(a))?,
            residual: result("residual", &self.residual.unwrap_or(a))?,
        })
    }

    /// The result in cells of 4 bytes.
    fn result<C: Element>(&'o self) -> Result<(SliceMut<'o, C>, u32), OperationError> {
        cells_mut(&self.c).map_err(OPERATOR.slice("c"))
    }

    /// The result in cells of four elements, at whose multiples it begins.
    fn result_in_fours(&'o self) -> Result<(SliceMut<'o, [T; 4]>, u32), OperationError>
    where
        [T; 4]: Element,
    {
        let (c, before) = words_mut(&self.c, in_whole_words(&self.c.as_slice())).map_err(OPERATOR.slice("c"))?;
        Ok((c, before * 4))
    }
}

/// An array in cells of 4 bytes.
fn in_cells<'a, T: Element, C: Element>(
    argument: &'static str,
    array: &Slice<'a, T>,
) -> Result<Read<'a, C>, OperationError> {
    cells(array).map_err(OPERATOR.slice(argument))
}

/// An array in cells of four elements, at whose multiples it begins.
fn in_fours<'a, T: Element, C: Element>(
    argument: &'static str,
    array: &Slice<'a, T>,
) -> Result<Read<'a, C>, OperationError> {
    let (cells, before) = words(array, in_whole_words(array)).map_err(OPERATOR.slice(argument))?;
    Ok((cells, before * 4))
}

/// The words of an array of whole ones.
fn in_whole_words<T: Element>(array: &Slice<'_, T>) -> Range<u64> {
    0..(array.len() * size_of::<T>()) as u64 / 4
}
