//! The commands of a filter.

use super::super::error::OperationError;
use super::super::moving::operands::{self, Cells, memory};
use super::super::plan::Plan;
use super::OPERATOR;
use super::border::Border;
use super::kernel::{Kernel, MAX_WEIGHTS};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod image_filter = "shaders/ops/image_filter.wgsl", root = "shaders");
crate::kernels!(mod median_filter = "shaders/ops/median_filter.wgsl", root = "shaders");

/// The number of results that an invocation computes, one below the other.
const ROWS: u64 = 4;

/// One dispatch of an image filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pass {
    Kernel { kernel: Kernel, reads_scratch: bool, writes_scratch: bool },
    Median,
}

/// The arrays of a call, as bytes.
pub(super) struct Operands<'a> {
    pub(super) x: Slice<'a, u8>,
    pub(super) y: SliceMut<'a, u8>,
}

impl Operands<'_> {
    /// Checks that the arrays belong to the device, are not in use by guards and do not overlap.
    pub(super) fn check(&self, destination: &Destination<'_>) -> Result<(), OperationError> {
        let arrays = [("x", self.x), ("y", self.y.as_slice())];
        operands::check(OPERATOR, &self.y.core.device, &arrays, 1, destination)
    }

    /// Appends the commands of a plan.
    pub(super) fn run(
        &self,
        shape: &[usize],
        border: Border,
        plan: &Plan<Pass>,
        destination: &mut Destination<'_>,
    ) -> Result<(), OperationError> {
        let device = &Device::of(&self.y.core.device);
        let [others @ .., height, width] = shape else { return Ok(()) };
        let images = Images { sizes: [others.iter().product(), *height, *width], border };
        let length = usize::try_from(plan.scratch).unwrap_or(usize::MAX).max(16);
        let mut between = device.scratch::<u8>(length, destination).map_err(memory(OPERATOR))?;
        // Compiles the kernels of all passes, so that nothing is launched if one of them is refused.
        for pass in &plan.passes {
            if let Pass::Kernel { kernel, .. } = pass {
                image_filter::image_filter_with(device, images.overrides(kernel))?;
            }
        }
        for pass in &plan.passes {
            let to = destination.reborrow();
            match pass {
                Pass::Kernel { kernel, reads_scratch: true, .. } => {
                    images.filter(device, kernel, &between.slice(..), &self.y, to)?;
                }
                Pass::Kernel { kernel, writes_scratch: true, .. } => {
                    images.filter(device, kernel, &self.x, &between.slice_mut(..), to)?;
                }
                Pass::Kernel { kernel, .. } => images.filter(device, kernel, &self.x, &self.y, to)?,
                Pass::Median => images.median(device, &self.x, &self.y, to)?,
            }
        }
        Ok(())
    }
}

/// The sizes of the images of a call, and the rule for elements outside an image.
struct Images {
    /// The number of images, rows and columns.
    sizes: [usize; 3],
    border: Border,
}

impl Images {
    fn overrides(&self, kernel: &Kernel) -> image_filter::Overrides {
        let [rows, columns] = kernel.sizes.map(|size| size as u32);
        image_filter::Overrides { rows, columns, border: self.border.number().0 }
    }

    /// Launches the pass that applies a kernel of weights.
    fn filter(
        &self,
        device: &Device,
        kernel: &Kernel,
        x: &Slice<'_, u8>,
        y: &SliceMut<'_, u8>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Cells { x, first_of_x, y, first_of_y } = Cells::<f32>::whole(OPERATOR, x, y)?;
        // The operator's limits keep all of these sizes within 31 bits.
        let [images, height, width] = self.sizes.map(|size| size as u32);
        let [above, left] = kernel.centre.map(|size| size as u32);
        let mut weights = [[0.0; 4]; MAX_WEIGHTS / 4];
        weights.as_flattened_mut().iter_mut().zip(&kernel.weights).for_each(|(to, weight)| *to = *weight);
        let outside = self.border.number().1;
        let sizes =
            image_filter::Sizes { images, height, width, above, left, first_of_x, first_of_y, outside, weights };
        let launch = image_filter::image_filter_with(device, self.overrides(kernel))?;
        let args = image_filter::Args { sizes, x, y };
        launch.launch(args).to(destination).threads([width.into(), u64::from(height).div_ceil(ROWS), images.into()])?;
        Ok(())
    }

    /// Launches the median.
    fn median(
        &self,
        device: &Device,
        x: &Slice<'_, u8>,
        y: &SliceMut<'_, u8>,
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let Cells { x, first_of_x, y, first_of_y } = Cells::<f32>::whole(OPERATOR, x, y)?;
        let [images, height, width] = self.sizes.map(|size| size as u32);
        let (border, outside) = self.border.number();
        let sizes = median_filter::Sizes { images, height, width, first_of_x, first_of_y, outside };
        let kernel = median_filter::median_filter_with(device, median_filter::Overrides { border })?;
        let args = median_filter::Args { sizes, x, y };
        kernel.launch(args).to(destination).threads([width, height, images])?;
        Ok(())
    }
}
