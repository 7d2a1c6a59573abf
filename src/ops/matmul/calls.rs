//! The launch of any kernel of products, as macros over the typed modules of kernels.

use super::super::error::OperationError;
use super::plan::{Pass, Shape};
use super::run::Operands;
use crate::buffer::UnifiedBuffer;
use crate::device::Device;
use crate::submit::Destination;

/// One launch: a pass that is a kernel, and the product.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub(super) pass: Pass,
    pub(super) shape: Shape,
}

/// A function that compiles a kernel of a product and, with a destination, launches it.
pub(super) type Launch<T, R> = for<'o> fn(
    &'o Device,
    &'o Operands<'o, 'o, 'o, T, R>,
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
        let ([line_of_a, line_of_b, line_of_c], [batch_of_a, batch_of_b, batch_of_c]) =
            (shape.lines(), shape.short_distances());
        // The limit of elements keeps the product within 32 bits.
        let (line_of_c, batch_of_c) =
            if arrays.holds_sums { (n, m.wrapping_mul(n)) } else { (line_of_c, batch_of_c) };
        let (parts, [tiles_x, tiles_y]) = match pass {
            Pass::Kernel { tiles, parts, .. } => (parts, tiles),
            Pass::Finish { parts: count, .. } => (Parts { count, depth: k }, [0; 2]),
            Pass::Zeros | Pass::Library(_) => (Parts { count: 0, depth: k }, [0; 2]),
        };
        let sizes = $module::Sizes {
            m, k, n, tiles_x, tiles_y, line_of_a, line_of_b, line_of_c, batch_of_a, batch_of_b, batch_of_c,
            first_of_a: arrays.a.1,
            first_of_b: arrays.b.1,
            first_of_c: arrays.c.1,
            first_of_bias: arrays.bias.1,
            first_of_residual: arrays.residual.1,
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
                let arrays = $operands.arrays($factor, ($result, $result), $operands.result()?)?;
                let activation = Activation::number($call.shape.epilogue.activation);
                launch!(
                    $whole, $compile, $Args, $device, $call, arrays, $destination,
                    [a: a, b: b, bias: bias, residual: residual], { activation: activation $(, $override: $value)* }
                )
            }
            Some(sums) => {
                let arrays = $operands.arrays_of_sums($factor, sums.slice_mut(..))?;
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
        let mut arrays = $operands.arrays(in_cells::<_, u32>, (in_cells, in_cells), $operands.result()?)?;
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

pub(super) use {finish, launch, multiply, multiply_thin};

impl Call {
    /// The call with a single row or column as a line along the depth.
    pub(super) fn with_lines(mut self) -> Self {
        let [a_is_deep, b_is_deep] = self.shape.are_deep();
        if !self.shape.is_dense() {
            // With other rows and columns, the distance of matrices would no longer follow from that of rows.
            self.shape.storage.batches = Some(self.shape.short_distances());
        }
        self.shape.form.transposed = [!a_is_deep, b_is_deep];
        self
    }
}
