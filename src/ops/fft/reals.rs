//! The launches that convert between lines of real and of complex numbers.

use std::f64::consts::SQRT_2;

use super::super::error::OperationError;
use super::OPERATOR;
use super::chain::Reals;
use super::element::ComplexElement;
use super::launch::{Arrays, Launch, for_elements};
use crate::buffer::cells::{cells, cells_mut, whole_cells, whole_cells_mut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod from_32 = "shaders/ops/fft_from_reals.wgsl", root = "shaders", feature doubles = false, feature half_source = false);
crate::kernels!(mod from_64 = "shaders/ops/fft_from_reals.wgsl", root = "shaders", feature doubles = true, feature half_source = false);
crate::kernels!(mod from_16 = "shaders/ops/fft_from_reals.wgsl", root = "shaders", feature doubles = false, feature half_source = true);
crate::kernels!(mod to_32 = "shaders/ops/fft_to_reals.wgsl", root = "shaders", feature doubles = false);
crate::kernels!(mod to_64 = "shaders/ops/fft_to_reals.wgsl", root = "shaders", feature doubles = true);
crate::kernels!(mod narrow_16 = "shaders/ops/fft_narrow.wgsl", root = "shaders");

pub(super) fn compile_narrow(device: &Device) -> Result<(), OperationError> {
    narrow_16::fft_narrow(device)?;
    Ok(())
}

impl<T: ComplexElement> Launch<T> {
    pub(super) fn compile_from_reals(&self, device: &Device, reals: Reals) -> Result<(), OperationError> {
        let (order, packed, levels) = (reals.order as u32, reals.packed, self.levels());
        if T::DOUBLES {
            from_64::fft_from_reals_with(device, from_64::Overrides { order, packed, levels })?;
        } else if T::HALVES {
            from_16::fft_from_reals_with(device, from_16::Overrides { order, packed, levels })?;
        } else {
            from_32::fft_from_reals_with(device, from_32::Overrides { order, packed, levels })?;
        }
        Ok(())
    }

    pub(super) fn compile_to_reals(&self, device: &Device, reals: Reals) -> Result<(), OperationError> {
        let (order, packed, levels) = (reals.order as u32, reals.packed, self.levels());
        if T::DOUBLES {
            to_64::fft_to_reals_with(device, to_64::Overrides { order, packed, levels })?;
        } else {
            to_32::fft_to_reals_with(device, to_32::Overrides { order, packed, levels })?;
        }
        Ok(())
    }

    /// Appends a pass from real numbers.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub(super) fn read_reals(
        &self,
        device: &Device,
        reals: Reals,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let numbers = self.numbers(source)?;
        let ends = if reals.weighted { SQRT_2 } else { 1.0 };
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty, $x:expr) => {{
                let (x, first_of_x) = $x.map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$number>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    ends: ends as $real,
                    count: self.pass.written as u32,
                    length_of_y: reals.complex as u32,
                    length: self.pass.length as u32,
                    inner: self.pass.inner as u32,
                    backwards: u32::from(reals.backwards),
                    alternates: u32::from(reals.alternates),
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + levels.and_then(|levels| levels.second).unwrap_or(0);
                let table = $module::Roots { first, second, bits: levels.map_or(0, |levels| levels.bits) };
                let (order, packed) = (reals.order as u32, reals.packed);
                let overrides = $module::Overrides { order, packed, levels: self.levels() };
                let args = $module::Args { sizes, x, y, roots, table };
                let kernel = $module::fft_from_reals_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        if T::DOUBLES {
            launch!(from_64, [f64; 2], f64, whole_cells::<f64>(source));
        } else if T::HALVES {
            // The bytes before the first element of two bytes.
            launch!(from_16, [f32; 2], f32, cells::<u8, u32>(source).map(|(x, before)| (x, before / 2)));
        } else {
            launch!(from_32, [f32; 2], f32, whole_cells::<f32>(source));
        }
        Ok(())
    }

    /// Appends a pass to real numbers.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub(super) fn write_reals(
        &self,
        device: &Device,
        reals: Reals,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let numbers = self.numbers(source)?;
        let ends = if reals.weighted { SQRT_2.recip() } else { 1.0 };
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty) => {{
                let (x, first_of_x) = whole_cells::<$number>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$real>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    ends: ends as $real,
                    count: self.pass.written as u32,
                    length: self.pass.length as u32,
                    length_of_x: reals.complex as u32,
                    inner: self.pass.inner as u32,
                    backwards: u32::from(reals.backwards),
                    alternates: u32::from(reals.alternates),
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + levels.and_then(|levels| levels.second).unwrap_or(0);
                let table = $module::Roots { first, second, bits: levels.map_or(0, |levels| levels.bits) };
                let (order, packed) = (reals.order as u32, reals.packed);
                let overrides = $module::Overrides { order, packed, levels: self.levels() };
                let args = $module::Args { sizes, x, y, roots, table };
                let kernel = $module::fft_to_reals_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).threads(sizes.count)?;
            }};
        }
        for_elements!(launch, T, to_32, to_64);
        Ok(())
    }

    /// Appends a pass that rounds real numbers to `f16`.
    pub(super) fn narrow(
        &self,
        device: &Device,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let (x, first_of_x) = whole_cells::<f32>(source).map_err(OPERATOR.slice("x"))?;
        let (y, before) = cells_mut::<u8, u32>(target).map_err(OPERATOR.slice("y"))?;
        let (count, first_of_y) = (self.pass.written as u32, before / 2);
        let words = (first_of_y % 2 + count).div_ceil(2);
        let sizes = narrow_16::Sizes { scale: self.scale as f32, count, words, first_of_x, first_of_y };
        let args = narrow_16::Args { sizes, x, y };
        narrow_16::fft_narrow(device)?.launch(args).to(destination.reborrow()).threads(words)?;
        Ok(())
    }
}
