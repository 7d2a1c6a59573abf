//! The kernels of matrix products.

use std::ops::Range;

use half::{bf16, f16};

use super::super::epilogue::Activation;
use super::super::error::OperationError;
use super::plan::{Kernel, Shape, Sizes};
use super::run::Operands;
use super::{MatmulElement, OPERATOR};
use crate::buffer::cells::{cells, cells_mut, words, words_mut};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

crate::kernels!(mod matmul_f32 = "shaders/ops/matmul_f32.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod matmul_wide = "shaders/ops/matmul_wide.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod matmul_packed = "shaders/ops/matmul_packed.wgsl", root = "shaders", feature packed = true);
crate::kernels!(mod matmul_cooperative = "shaders/ops/matmul_cooperative.wgsl", root = "shaders");
crate::kernels!(mod finish_f32 = "shaders/ops/matmul_finish.wgsl", root = "shaders", feature packed = false);
crate::kernels!(mod finish_packed = "shaders/ops/matmul_finish.wgsl", root = "shaders", feature packed = true);

/// One launch: the kernel, or none for the epilogue alone; its grid, and the product.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub(super) kernel: Option<Kernel>,
    pub(super) grid: Grid,
    pub(super) shape: Shape,
}

/// The workgroups of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Grid {
    /// The tiles of `c` in a row and in a column.
    Tiles([u32; 2]),
    /// Invocations.
    Threads(u64),
}

/// A function that compiles a kernel of a product and, with a destination, launches it.
pub(super) type Launch<T> =
    for<'o> fn(&'o Device, &'o Operands<'o, 'o, 'o, T>, Call, Option<Destination<'_>>) -> Result<(), OperationError>;

/// Launches a kernel whose arrays have cells, with the number of the first element of each.
macro_rules! launch {
    ($module:ident, $device:expr, $call:expr, $cells:expr, $destination:expr,
     [$($factor:ident),*], { $($override:ident: $value:expr),* }) => {{
        let Call { grid, shape: Shape { sizes: Sizes { m, k, n }, form, epilogue, .. }, .. } = $call;
        let arrays = $cells;
        let [line_of_a, line_of_b] = $call.shape.sizes.lines(form.transposed);
        let [tiles_x, tiles_y] = match grid {
            Grid::Tiles(tiles) => tiles,
            Grid::Threads(_) => [0; 2],
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
        };
        let overrides = $module::Overrides {
            a_is_deep: !form.transposed[0],
            b_is_deep: form.transposed[1],
            has_bias: epilogue.bias,
            has_residual: epilogue.residual,
            activation: Activation::number(epilogue.activation),
            $($override: $value),*
        };
        let kernel = $module::matmul_with($device, overrides)?;
        let Some(destination) = $destination else { return Ok(()) };
        let (c, bias, residual) = (arrays.c.0, arrays.bias.0, arrays.residual.0);
        let args = $module::Args { sizes, $($factor: arrays.$factor.0,)* c, bias, residual };
        let launch = kernel.launch(args).to(destination);
        match grid {
            Grid::Tiles([x, y]) => {
                let groups = [u64::from(x) * u64::from(y), u64::from(form.batches)];
                launch.groups(groups.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))?;
            }
            Grid::Threads(threads) => drop(launch.threads(threads)?),
        }
        Ok(())
    }};
}

pub(super) fn launch_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, f32>,
    call: Call,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    let cells = operands.cells::<f32>()?;
    match call.kernel {
        None => launch!(finish_f32, device, call, cells, destination, [], {}),
        Some(Kernel::Wide) => launch!(matmul_wide, device, call, cells, destination, [a, b], {}),
        Some(_) => launch!(matmul_f32, device, call, cells, destination, [a, b], {}),
    }
}

pub(super) fn launch_f16(
    device: &Device,
    operands: &Operands<'_, '_, '_, f16>,
    call: Call,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    match call.kernel {
        Some(Kernel::Cooperative) => {
            launch!(matmul_cooperative, device, call, operands.fours()?, destination, [a, b], {})
        }
        _ => launch_packed(device, operands, call, destination, false),
    }
}

pub(super) fn launch_bf16(
    device: &Device,
    operands: &Operands<'_, '_, '_, bf16>,
    call: Call,
    destination: Option<Destination<'_>>,
) -> Result<(), OperationError> {
    launch_packed(device, operands, call, destination, true)
}

fn launch_packed<T: MatmulElement>(
    device: &Device,
    operands: &Operands<'_, '_, '_, T>,
    call: Call,
    destination: Option<Destination<'_>>,
    bf16: bool,
) -> Result<(), OperationError> {
    let cells = operands.cells::<u32>()?;
    match call.kernel {
        None => launch!(finish_packed, device, call, cells, destination, [], { bf16: bf16 }),
        Some(_) => launch!(matmul_packed, device, call, cells, destination, [a, b], { bf16: bf16 }),
    }
}

/// An array that is read, and the number of its first element.
type Read<'a, C> = (Slice<'a, C>, u32);

/// The arrays as a kernel takes them, each with the number of its first element.
struct Cells<'a, C> {
    a: Read<'a, C>,
    b: Read<'a, C>,
    c: (SliceMut<'a, C>, u32),
    bias: Read<'a, C>,
    residual: Read<'a, C>,
}

impl<'o, T: MatmulElement> Operands<'o, '_, '_, T> {
    /// The arrays in cells of 4 bytes.
    fn cells<C: Element>(&'o self) -> Result<Cells<'o, C>, OperationError> {
        let c = cells_mut::<T, C>(&self.c).map_err(OPERATOR.slice("c"))?;
        self.all(c, in_cells)
    }

    /// The arrays in cells of four elements, at whose multiples they begin.
    fn fours(&'o self) -> Result<Cells<'o, [T; 4]>, OperationError>
    where
        [T; 4]: Element,
    {
        let (c, before) =
            words_mut::<T, [T; 4]>(&self.c, in_whole_words(&self.c.as_slice())).map_err(OPERATOR.slice("c"))?;
        self.all((c, before * 4), in_fours)
    }

    fn all<C>(
        &'o self,
        c: (SliceMut<'o, C>, u32),
        read: fn(&'static str, &Slice<'o, T>) -> Result<Read<'o, C>, OperationError>,
    ) -> Result<Cells<'o, C>, OperationError> {
        let a = read("a", &self.a)?;
        // Arrays that are not given are not read.
        let bias = self.bias.map_or(Ok(a), |bias| read("bias", &bias))?;
        let residual = self.residual.map_or(Ok(a), |residual| read("residual", &residual))?;
        Ok(Cells { a, b: read("b", &self.b)?, c, bias, residual })
    }
}

fn in_cells<'o, T: Element, C: Element>(
    argument: &'static str,
    array: &Slice<'o, T>,
) -> Result<Read<'o, C>, OperationError> {
    cells(array).map_err(OPERATOR.slice(argument))
}

fn in_fours<'o, T: Element>(argument: &'static str, array: &Slice<'o, T>) -> Result<Read<'o, [T; 4]>, OperationError>
where
    [T; 4]: Element,
{
    let (cells, before) = words(array, in_whole_words(array)).map_err(OPERATOR.slice(argument))?;
    Ok((cells, before * 4))
}

/// The words of an array of whole ones.
fn in_whole_words<T: Element>(array: &Slice<'_, T>) -> Range<u64> {
    0..(array.len() * size_of::<T>()) as u64 / 4
}
