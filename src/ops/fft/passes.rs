//! The launches of transforms of a few numbers, and of lines.

use super::super::error::OperationError;
use super::OPERATOR;
use super::chain::{Radices, Work};
use super::element::ComplexElement;
use super::launch::{Arrays, Launch, for_storage};
use crate::buffer::cells::{bytes_of, whole_cells, whole_cells_mut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod passes_32 = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false);
crate::kernels!(mod passes_64 = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false);
crate::kernels!(mod passes_source = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false);
crate::kernels!(mod passes_target = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true);
crate::kernels!(mod passes_both = "shaders/ops/fft_pass.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true);
crate::kernels!(mod lines_32 = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false, feature large = false);
crate::kernels!(mod lines_64 = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false, feature large = false);
crate::kernels!(mod lines_source = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false, feature large = false);
crate::kernels!(mod lines_target = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true, feature large = false);
crate::kernels!(mod lines_both = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true, feature large = false);
crate::kernels!(mod large_32 = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false, feature large = true);
crate::kernels!(mod large_64 = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false, feature large = true);
crate::kernels!(mod large_source = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false, feature large = true);
crate::kernels!(mod large_target = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true, feature large = true);
crate::kernels!(mod large_both = "shaders/ops/fft_lines.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true, feature large = true);

/// The bytes of workgroup memory that every device has.
const SMALL: usize = 16 << 10;

impl<T: ComplexElement> Launch<T> {
    /// Whether inputs are multiplied by roots, which they are in all but the first pass along an axis.
    fn rooted(&self) -> bool {
        match self.pass.work {
            Work::Lines { span, .. } => span > self.pass.inner,
            _ => false,
        }
    }

    pub(super) fn compile_small(&self, device: &Device, radix: u32) -> Result<(), OperationError> {
        let levels = self.levels();
        macro_rules! compile {
            ($module:ident, $($types:ty),+) => {
                drop($module::fft_pass_with(device, $module::Overrides { radix, levels })?)
            };
        }
        for_storage!(self, compile, [passes_32, passes_64, passes_source, passes_target, passes_both]);
        Ok(())
    }

    pub(super) fn compile_lines(
        &self,
        device: &Device,
        [length, capacity]: [u32; 2],
        radices: Radices,
    ) -> Result<(), OperationError> {
        let (rooted, levels) = (self.rooted(), self.rooted() && self.levels());
        let Radices { count: passes, codes: radices } = radices;
        macro_rules! compile {
            ($module:ident, $($types:ty),+) => {{
                let overrides = $module::Overrides { length, passes, radices, rooted, levels };
                drop($module::fft_lines_with(device, overrides)?);
            }};
        }
        if is_large::<T>(capacity) {
            for_storage!(self, compile, [large_32, large_64, large_source, large_target, large_both]);
        } else {
            for_storage!(self, compile, [lines_32, lines_64, lines_source, lines_target, lines_both]);
        }
        Ok(())
    }

    /// Appends a pass of small transforms, one for each invocation.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub(super) fn small_transforms(
        &self,
        device: &Device,
        [radix, distance, span, step]: [u32; 4],
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let [swap_inputs, swap_results] = self.pass.swap.map(u32::from);
        let count = (self.pass.written / u64::from(radix)) as u32;
        let numbers = self.numbers(source)?;
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty, $x:ty, $y:ty) => {{
                let (x, first_of_x) = whole_cells::<$x>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$y>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    count,
                    distance,
                    span,
                    inner: self.pass.inner as u32,
                    step,
                    swap_inputs,
                    swap_results,
                    first_of_x,
                    first_of_y,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + levels.and_then(|levels| levels.second).unwrap_or(0);
                let table = $module::Roots { first, second, bits: levels.map_or(0, |levels| levels.bits) };
                let overrides = $module::Overrides { radix, levels: self.levels() };
                let args = $module::Args { sizes, x, y, roots, table };
                let kernel = $module::fft_pass_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).threads(count)?;
            }};
        }
        for_storage!(self, launch, [passes_32, passes_64, passes_source, passes_target, passes_both]);
        Ok(())
    }

    /// Appends a pass of lines, several for each workgroup.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub(super) fn lines(
        &self,
        device: &Device,
        [length, capacity, distance, span, step]: [u32; 5],
        radices: Radices,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let [swap_inputs, swap_results] = self.pass.swap.map(u32::from);
        let (count, lines) = ((self.pass.written / u64::from(length)) as u32, capacity / length);
        let numbers = self.numbers(source)?;
        let of_line = match &self.line_table {
            Some(table) => bytes_of(&table.numbers.slice(..)).map_err(OPERATOR.slice("the table"))?,
            None => numbers,
        };
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty, $x:ty, $y:ty) => {{
                let (x, first_of_x) = whole_cells::<$x>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$y>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let (line_roots, first_of_line_roots) =
                    whole_cells::<$number>(&of_line).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    count,
                    distance,
                    span,
                    inner: self.pass.inner as u32,
                    step,
                    // Neighbours of a line are next to each other only where nothing is between them.
                    reads_lines: u32::from(distance > 1),
                    writes_lines: u32::from(span > 1),
                    swap_inputs,
                    swap_results,
                    first_of_x,
                    first_of_y,
                    first_of_line_roots,
                    ..bytemuck::Zeroable::zeroed()
                };
                let second = first + levels.and_then(|levels| levels.second).unwrap_or(0);
                let table = $module::Roots { first, second, bits: levels.map_or(0, |levels| levels.bits) };
                let rooted = self.rooted();
                let Radices { count: passes, codes: radices } = radices;
                let levels = rooted && self.levels();
                let overrides = $module::Overrides { length, passes, radices, rooted, levels };
                let args = $module::Args { sizes, x, y, roots, table, line_roots };
                let kernel = $module::fft_lines_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).groups(count.div_ceil(lines))?;
            }};
        }
        if is_large::<T>(capacity) {
            for_storage!(self, launch, [large_32, large_64, large_source, large_target, large_both]);
        } else {
            for_storage!(self, launch, [lines_32, lines_64, lines_source, lines_target, lines_both]);
        }
        Ok(())
    }
}

/// Whether two times `capacity` numbers need more workgroup memory than every device has.
fn is_large<T: ComplexElement>(capacity: u32) -> bool {
    2 * capacity as usize * size_of::<T::Wide>() > SMALL
}
