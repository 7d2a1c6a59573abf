//! From a matrix product to its commands.

use std::sync::Arc;

use anywarp_backend::{Library, Precision};

use super::super::error::OperationError;
use super::super::plan::Plan;
use super::plan::Pass;
use super::{MatmulElement, OPERATOR, elements};
use crate::buffer::cells::{cells, cells_mut};
use crate::buffer::core::Core;
use crate::buffer::span::byte_range;
use crate::buffer::{Slice, SliceMut, transfer};
use crate::device::Device;
use crate::error::{BufferError, LaunchError};
use crate::submit::{Destination, Refusal, Resource, Submission, Usage};

crate::kernels!(mod matmul_f32 = "shaders/ops/matmul_f32.wgsl", root = "shaders");
crate::kernels!(mod matmul_packed = "shaders/ops/matmul_packed.wgsl", root = "shaders");

/// Kernels count elements in 32 bits, including two tiles beyond the end.
const MAX_ELEMENTS: u64 = (1 << 32) - 256;

/// The matrices as kernels take them: cells, and the position of the first element in them.
pub struct Placed<'a, C> {
    a: (Slice<'a, C>, u32),
    b: (Slice<'a, C>, u32),
    c: (SliceMut<'a, C>, u32),
    /// The sizes of the product: m, k, n.
    sizes: [u32; 3],
}

/// A function that launches the tiled kernel in a grid.
pub(super) type Tiles<C> = fn(&Device, Placed<'_, C>, [u32; 2], Destination<'_>) -> Result<Submission, LaunchError>;

macro_rules! tiles {
    ($module:ident, $kernel:expr, $placed:ident, $groups:ident, $destination:ident) => {{
        let Placed { a, b, c, sizes: [m, k, n] } = $placed;
        let sizes = $module::Sizes { m, k, n, first_of_a: a.1, first_of_b: b.1, first_of_c: c.1 };
        let args = $module::Args { sizes, a: a.0, b: b.0, c: c.0 };
        $kernel?.launch(args).to($destination).groups($groups)
    }};
}

pub(super) fn tiles_f32(
    device: &Device,
    placed: Placed<'_, f32>,
    groups: [u32; 2],
    destination: Destination<'_>,
) -> Result<Submission, LaunchError> {
    tiles!(matmul_f32, matmul_f32::matmul(device), placed, groups, destination)
}

pub(super) fn tiles_packed<const BF16: bool>(
    device: &Device,
    placed: Placed<'_, u32>,
    groups: [u32; 2],
    destination: Destination<'_>,
) -> Result<Submission, LaunchError> {
    let overrides = matmul_packed::Overrides { bf16: BF16 };
    tiles!(matmul_packed, matmul_packed::matmul_with(device, overrides), placed, groups, destination)
}

/// The three matrices of a call.
pub(super) struct Operands<'a, 'b, 'c, T> {
    pub(super) a: Slice<'a, T>,
    pub(super) b: Slice<'b, T>,
    pub(super) c: SliceMut<'c, T>,
}

impl<T: MatmulElement> Operands<'_, '_, '_, T> {
    /// Checks lengths, devices and guards. The borrow checker ensures that `c` does not overlap `a` and `b`.
    pub(super) fn check(&self, [m, k, n]: [usize; 3], destination: &Destination<'_>) -> Result<(), OperationError> {
        let matrices = [
            ("a", self.a.core, self.a.range, [m, k]),
            ("b", self.b.core, self.b.range, [k, n]),
            ("c", self.c.core, self.c.range, [m, n]),
        ];
        for (argument, core, range, [rows, columns]) in matrices {
            let expected = elements(argument, rows, columns)?;
            let got = range.get().map_err(OPERATOR.slice(argument))?.len();
            if got != expected {
                let (operator, argument, shape) = (OPERATOR.name(), argument.to_owned(), vec![rows, columns]);
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

    /// Appends the commands of a plan, whose operands were checked.
    pub(super) fn run(
        &mut self,
        [m, k, n]: [usize; 3],
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        // Within 32 bits, as the plan was made from these sizes.
        let sizes = [m as u32, k as u32, n as u32];
        for pass in &plan.passes {
            match *pass {
                Pass::Zeros => self.zeros(sizes, destination)?,
                Pass::Library(precision) => self.by_library(sizes, precision, destination.reborrow())?,
                Pass::Tiles { groups } => self.by_tiles(sizes, groups, destination.reborrow())?,
            }
        }
        Ok(())
    }

    /// Sets `c` to zero, the sum of no products.
    fn zeros(&mut self, sizes: [u32; 3], destination: &mut Destination<'_>) -> Result<(), OperationError> {
        match transfer::fill(destination.reborrow(), &self.c, T::zeroed()) {
            // The kernel can write halves of words, too.
            Err(BufferError::Misaligned { .. }) => {
                let empty = Device::of(&self.c.core.device).buffer::<T>(2).map_err(OPERATOR.slice("a"))?;
                let operands = Operands { a: empty.slice(..), b: empty.slice(..), c: self.c.slice_mut(..) };
                let [m, _, n] = sizes;
                operands.by_tiles(sizes, super::plan::tile_grid(m, n), destination.reborrow())
            }
            Err(BufferError::Device { error, .. }) => Err(self.refused(Refusal::Device(error))),
            outcome => outcome.map(|_| ()).map_err(OPERATOR.slice("c")),
        }
    }

    fn by_library(
        &self,
        [rows, depth, columns]: [u32; 3],
        precision: Precision,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let bytes = |argument, range: crate::buffer::span::Span| {
            range.get().map(|range| byte_range::<T>(&range)).map_err(OPERATOR.slice(argument))
        };
        let (of_a, of_b) = (bytes("a", self.a.range)?, bytes("b", self.b.range)?);
        let written = bytes("c", self.c.range)?;
        let region = |core: &Core, range| core.region(range);
        let (a, b, c) = (region(self.a.core, &of_a), region(self.b.core, &of_b), region(self.c.core, &written));
        let call = Library::MatrixProduct { a, b, c, rows, columns, depth, precision };
        let usages = [Usage::read(self.a.core), Usage::read(self.b.core), Usage::replace(self.c.core, written)];
        let refused = |refusal| self.refused(refusal);
        let mut encoder = destination.encoder(&self.c.core.device).map_err(refused)?;
        encoder.command(&usages, None, |commands| commands.library(call)).map_err(refused)?;
        encoder.launched(false).map_err(|error| refused(Refusal::Device(error)))?;
        Ok(())
    }

    fn by_tiles(&self, sizes: [u32; 3], groups: [u32; 2], destination: Destination<'_>) -> Result<(), OperationError> {
        let device = Device::of(&self.c.core.device);
        for (argument, length) in [("a", self.a.len()), ("b", self.b.len()), ("c", self.c.len())] {
            if length as u64 > MAX_ELEMENTS {
                return Err(OPERATOR.too_large(argument, vec![length], MAX_ELEMENTS));
            }
        }
        let placed = Placed {
            a: cells::<T, T::Cell>(&self.a).map_err(OPERATOR.slice("a"))?,
            b: cells::<T, T::Cell>(&self.b).map_err(OPERATOR.slice("b"))?,
            c: cells_mut::<T, T::Cell>(&self.c).map_err(OPERATOR.slice("c"))?,
            sizes,
        };
        (T::TILES)(&device, placed, groups, destination)?;
        Ok(())
    }

    fn refused(&self, refusal: Refusal) -> OperationError {
        OPERATOR.refused(&self.c.core.device, &["a", "b", "c"], refusal)
    }
}
