//! From a matrix product to its commands.

use std::sync::Arc;

use anywarp_backend::{Library, Precision};
use half::{bf16, f16};

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::plan::{Kernel, Pass, Shape, Sizes, tiles_of};
use super::{MatmulElement, OPERATOR, elements};
use crate::buffer::cells::{cells, cells_mut, words, words_mut};
use crate::buffer::core::Core;
use crate::buffer::span::{Span, byte_range};
use crate::buffer::{Slice, SliceMut, transfer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;
use crate::submit::{Destination, Refusal, Resource, Usage};

crate::kernels!(mod matmul_f32 = "shaders/ops/matmul_f32.wgsl", root = "shaders");
crate::kernels!(mod matmul_wide = "shaders/ops/matmul_wide.wgsl", root = "shaders");
crate::kernels!(mod matmul_packed = "shaders/ops/matmul_packed.wgsl", root = "shaders");
crate::kernels!(mod matmul_cooperative = "shaders/ops/matmul_cooperative.wgsl", root = "shaders");

/// Kernels count elements in 32 bits, including two tiles beyond the end.
const MAX_ELEMENTS: u64 = (1 << 32) - 512;

/// One launch: the kernel, its tiles, and the product.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    kernel: Kernel,
    tiles: [u32; 2],
    shape: Shape,
}

/// A function that launches a kernel of a product.
pub(super) type Launch<T> =
    for<'o> fn(&'o Device, &'o Operands<'o, 'o, 'o, T>, Call, Destination<'_>) -> Result<(), OperationError>;

/// Launches a kernel whose arrays have cells, with the number of the first element of each.
macro_rules! launch {
    ($module:ident, $device:expr, $call:expr, $cells:expr, $destination:expr, { $($override:ident: $value:expr),* }) => {{
        let Call { tiles: [tiles_x, tiles_y], shape: Shape { sizes: Sizes { m, k, n }, form, .. }, .. } = $call;
        let ((a, first_of_a), (b, first_of_b), (c, first_of_c)) = $cells;
        let [line_of_a, line_of_b] = $call.shape.sizes.lines(form.transposed);
        // The limit of elements keeps these within 32 bits.
        let distance = |shared: bool, rows: u32, columns: u32| if shared { 0 } else { rows.wrapping_mul(columns) };
        let sizes = $module::Sizes {
            m, k, n, tiles_x, tiles_y, first_of_a, first_of_b, first_of_c, line_of_a, line_of_b,
            batch_of_a: distance(form.shared[0], m, k),
            batch_of_b: distance(form.shared[1], k, n),
            batch_of_c: distance(false, m, n),
            alpha: form.alpha.get(),
            beta: form.beta.get(),
        };
        let overrides = $module::Overrides {
            a_is_deep: !form.transposed[0],
            b_is_deep: form.transposed[1],
            $($override: $value),*
        };
        let groups = [u64::from(tiles_x) * u64::from(tiles_y), u64::from(form.batches)];
        let groups = groups.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let kernel = $module::matmul_with($device, overrides)?;
        kernel.launch($module::Args { sizes, a, b, c }).to($destination).groups(groups)?;
        Ok(())
    }};
}

pub(super) fn launch_f32(
    device: &Device,
    operands: &Operands<'_, '_, '_, f32>,
    call: Call,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match call.kernel {
        Kernel::Wide => launch!(matmul_wide, device, call, operands.cells::<f32>()?, destination, {}),
        _ => launch!(matmul_f32, device, call, operands.cells::<f32>()?, destination, {}),
    }
}

pub(super) fn launch_f16(
    device: &Device,
    operands: &Operands<'_, '_, '_, f16>,
    call: Call,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    match call.kernel {
        Kernel::Cooperative => launch!(matmul_cooperative, device, call, operands.fours()?, destination, {}),
        _ => launch!(matmul_packed, device, call, operands.cells::<u32>()?, destination, { bf16: false }),
    }
}

pub(super) fn launch_bf16(
    device: &Device,
    operands: &Operands<'_, '_, '_, bf16>,
    call: Call,
    destination: Destination<'_>,
) -> Result<(), OperationError> {
    launch!(matmul_packed, device, call, operands.cells::<u32>()?, destination, { bf16: true })
}

/// The matrices as a kernel takes them, each with the number of its first element.
type Cells<'a, C> = ((Slice<'a, C>, u32), (Slice<'a, C>, u32), (SliceMut<'a, C>, u32));

/// The three matrices of a call.
pub struct Operands<'a, 'b, 'c, T> {
    pub(super) a: Slice<'a, T>,
    pub(super) b: Slice<'b, T>,
    pub(super) c: SliceMut<'c, T>,
}

impl<T: MatmulElement> Operands<'_, '_, '_, T> {
    /// Checks lengths, devices and guards. The borrow checker ensures that `c` does not overlap `a` and `b`.
    pub(super) fn check(&self, shapes: [Vec<usize>; 3], destination: &Destination<'_>) -> Result<(), OperationError> {
        let [of_a, of_b, of_c] = shapes;
        let matrices = [
            ("a", self.a.core, self.a.range, of_a),
            ("b", self.b.core, self.b.range, of_b),
            ("c", self.c.core, self.c.range, of_c),
        ];
        for (argument, core, range, shape) in &matrices {
            let expected = elements(argument, shape)?;
            let got = range.get().map_err(OPERATOR.slice(argument))?.len();
            if got != expected {
                let (operator, argument, shape) = (OPERATOR.name(), (*argument).to_owned(), shape.clone());
                return Err(OperationError::Length { operator, argument, shape, expected, got });
            }
            if !Arc::ptr_eq(&core.device, &self.c.core.device) {
                let (ours, what) = (&self.c.core.device, format!("'{argument}'"));
                return Err(OPERATOR.other_device(ours, what, core.device.selector.clone()));
            }
        }
        if let Err(refusal) = destination.check(&self.c.core.device) {
            return Err(self.refused(refusal));
        }
        if !matches!(destination, Destination::Recording(_)) {
            for (argument, core, ..) in matrices {
                core.guarded().map_or(Ok(()), |guard| Err(OPERATOR.in_use(argument, guard)))?;
            }
        }
        Ok(())
    }

    /// Whether each matrix begins at a multiple of four elements in its buffer.
    pub(super) fn are_aligned(&self) -> Result<bool, OperationError> {
        let is_aligned = |argument, range: Span| {
            range.get().map(|range| range.start.is_multiple_of(4)).map_err(OPERATOR.slice(argument))
        };
        Ok(is_aligned("a", self.a.range)? && is_aligned("b", self.b.range)? && is_aligned("c", self.c.range)?)
    }

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &mut self,
        shape: &Shape,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        for pass in &plan.passes {
            match *pass {
                Pass::Zeros => self.zeros(shape, destination)?,
                Pass::Library(precision) => self.by_library(shape, precision, destination.reborrow())?,
                Pass::Kernel { .. } if shape.sizes.k == 0 => self.without_factors(shape, destination)?,
                Pass::Kernel { kernel, tiles } => {
                    self.by_kernel(Call { kernel, tiles, shape: *shape }, destination.reborrow())?;
                }
            }
        }
        Ok(())
    }

    /// Sets `c` to zero, the sum of no products.
    fn zeros(&mut self, shape: &Shape, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination.reborrow(), &self.c, T::zeroed()) {
            // The kernel can write halves of words, too.
            Err(BufferError::Misaligned { .. }) => self.without_factors(shape, destination),
            Err(BufferError::Device { error, .. }) => Err(self.refused(Refusal::Device(error))),
            outcome => outcome.map(|_| ()).map_err(OPERATOR.slice("c")),
        }
    }

    /// Computes products of depth 0 by a kernel, which needs an element in each array.
    fn without_factors(&mut self, shape: &Shape, destination: &mut Destination<'_>) -> Result<(), OperationError> {
        let spare = Device::of(&self.c.core.device).buffer::<T>(2).map_err(OPERATOR.slice("a"))?;
        let operands = Operands { a: spare.slice(..), b: spare.slice(..), c: self.c.slice_mut(..) };
        let tiles = tiles_of(64, shape.sizes);
        operands.by_kernel(Call { kernel: Kernel::Tiles, tiles, shape: *shape }, destination.reborrow())
    }

    fn by_library(
        &self,
        shape: &Shape,
        precision: Precision,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let bytes =
            |argument, range: Span| range.get().map(|range| byte_range::<T>(&range)).map_err(OPERATOR.slice(argument));
        let (of_a, of_b) = (bytes("a", self.a.range)?, bytes("b", self.b.range)?);
        let written = bytes("c", self.c.range)?;
        let region = |core: &Core, range| core.region(range);
        let (a, b, c) = (region(self.a.core, &of_a), region(self.b.core, &of_b), region(self.c.core, &written));
        let Shape { sizes: Sizes { m: rows, k: depth, n: columns }, form, .. } = *shape;
        let call = Library::MatrixProduct { a, b, c, rows, columns, depth, precision, form };
        let of_c = match form.beta.get() {
            0.0 => Usage::replace(self.c.core, written),
            _ => Usage::write(self.c.core, written),
        };
        let usages = [Usage::read(self.a.core), Usage::read(self.b.core), of_c];
        let refused = |refusal| self.refused(refusal);
        let mut encoder = destination.encoder(&self.c.core.device).map_err(refused)?;
        encoder.command(&usages, None, |commands| commands.library(call)).map_err(refused)?;
        encoder.launched(false).map_err(|error| refused(Refusal::Device(error)))?;
        Ok(())
    }

    fn by_kernel(&self, call: Call, destination: Destination<'_>) -> Result<(), OperationError> {
        let device = Device::of(&self.c.core.device);
        for (argument, length) in [("a", self.a.len()), ("b", self.b.len()), ("c", self.c.len())] {
            if length as u64 > MAX_ELEMENTS {
                return Err(OPERATOR.too_large(argument, vec![length], MAX_ELEMENTS));
            }
        }
        (T::LAUNCH)(&device, self, call, destination)
    }

    /// The matrices in cells of 4 bytes.
    fn cells<C: Element>(&self) -> Result<Cells<'_, C>, OperationError> {
        Ok((
            cells::<T, C>(&self.a).map_err(OPERATOR.slice("a"))?,
            cells::<T, C>(&self.b).map_err(OPERATOR.slice("b"))?,
            cells_mut::<T, C>(&self.c).map_err(OPERATOR.slice("c"))?,
        ))
    }

    /// The matrices in cells of four elements, at whose multiples they begin.
    fn fours(&self) -> Result<Cells<'_, [T; 4]>, OperationError>
    where
        [T; 4]: Element,
    {
        let all = |length: usize| 0..(length * size_of::<T>()) as u64 / 4;
        let in_elements = |cells: u32| cells * 4;
        let (a, before_a) = words::<T, [T; 4]>(&self.a, all(self.a.len())).map_err(OPERATOR.slice("a"))?;
        let (b, before_b) = words::<T, [T; 4]>(&self.b, all(self.b.len())).map_err(OPERATOR.slice("b"))?;
        let (c, before_c) = words_mut::<T, [T; 4]>(&self.c, all(self.c.len())).map_err(OPERATOR.slice("c"))?;
        Ok(((a, in_elements(before_a)), (b, in_elements(before_b)), (c, in_elements(before_c))))
    }

    fn refused(&self, refusal: Refusal) -> OperationError {
        OPERATOR.refused(&self.c.core.device, &["a", "b", "c"], refusal)
    }
}
