//! The launches of small transforms of neighbours, in groups of eight.

use super::super::error::OperationError;
use super::OPERATOR;
use super::chain::Form;
use super::element::ComplexElement;
use super::launch::{Arrays, Launch, for_storage};
use crate::buffer::cells::{whole_cells, whole_cells_mut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod groups_32 = "shaders/ops/fft_groups.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = false);
crate::kernels!(mod groups_64 = "shaders/ops/fft_groups.wgsl", root = "shaders", feature doubles = true, feature half_source = false, feature half_target = false);
crate::kernels!(mod groups_source = "shaders/ops/fft_groups.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = false);
crate::kernels!(mod groups_target = "shaders/ops/fft_groups.wgsl", root = "shaders", feature doubles = false, feature half_source = false, feature half_target = true);
crate::kernels!(mod groups_both = "shaders/ops/fft_groups.wgsl", root = "shaders", feature doubles = false, feature half_source = true, feature half_target = true);

/// The small transforms of a group, which is a workgroup of the kernel, and the groups that a workgroup computes.
const EIGHT: u32 = 8;
const GROUPS: u32 = 16;

impl<T: ComplexElement> Launch<T> {
    /// The number of the form in the kernel.
    fn code(&self, form: Form, span: u32) -> u32 {
        match form {
            Form::Any | Form::First => 0,
            Form::Lines => 1,
            Form::Columns => 2 + u32::from(u64::from(span) <= self.pass.inner),
        }
    }

    pub(super) fn compile_groups(
        &self,
        device: &Device,
        [radix, span]: [u32; 2],
        form: Form,
    ) -> Result<(), OperationError> {
        let (form, levels) = (self.code(form, span), self.levels());
        macro_rules! compile {
            ($module:ident, $($types:ty),+) => {
                drop($module::fft_groups_with(device, $module::Overrides { radix, form, levels })?)
            };
        }
        for_storage!(self, compile, [groups_32, groups_64, groups_source, groups_target, groups_both]);
        Ok(())
    }

    /// Appends a pass of small transforms, eight neighbours in each workgroup.
    #[allow(clippy::needless_update, reason = "structs with `f64` have padding")]
    pub(super) fn groups(
        &self,
        device: &Device,
        [radix, distance, span, step]: [u32; 4],
        form: Form,
        (source, target): Arrays<'_, '_, '_>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let levels = self.table.as_ref().map(|table| table.levels);
        let [swap_inputs, swap_results] = self.pass.swap.map(u32::from);
        let lines = (self.pass.written / (u64::from(distance) * u64::from(radix))) as u32;
        // In the first pass, all small transforms of a line are neighbours.
        let (chunks, blocks) = match form {
            Form::First => (distance.div_ceil(EIGHT), 1),
            _ => (span.div_ceil(EIGHT), distance / span),
        };
        let count = lines * blocks * chunks;
        let numbers = self.numbers(source)?;
        let form = self.code(form, span);
        macro_rules! launch {
            ($module:ident, $number:ty, $real:ty, $x:ty, $y:ty) => {{
                let (x, first_of_x) = whole_cells::<$x>(source).map_err(OPERATOR.slice("x"))?;
                let (y, first_of_y) = whole_cells_mut::<$y>(target).map_err(OPERATOR.slice("y"))?;
                let (roots, first) = whole_cells::<$number>(&numbers).map_err(OPERATOR.slice("the table"))?;
                let sizes = $module::Sizes {
                    scale: self.scale as $real,
                    count,
                    chunks,
                    blocks,
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
                let overrides = $module::Overrides { radix, form, levels: self.levels() };
                let args = $module::Args { sizes, x, y, roots, table };
                let kernel = $module::fft_groups_with(device, overrides)?;
                kernel.launch(args).to(destination.reborrow()).groups(count.div_ceil(GROUPS))?;
            }};
        }
        for_storage!(self, launch, [groups_32, groups_64, groups_source, groups_target, groups_both]);
        Ok(())
    }
}
