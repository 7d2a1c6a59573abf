//! Elements at positions that a sort has found.

use super::super::error::OperationError;
use crate::buffer::cells::reborrow;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::Destination;

crate::kernels!(mod kernel = "shaders/ops/gather.wgsl", root = "shaders");

/// The kernel for elements of one size.
pub(crate) enum Gather {
    Whole(kernel::Gather),
    /// The kernel for elements that are smaller than a word.
    Packed(kernel::GatherPacked),
}

/// The positions of the elements, and the rows of the source to which they belong.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) places: Slice<'a, u32>,
    pub(crate) first: u32,
    pub(crate) length: usize,
    /// The number of positions of each row, and the distance between neighbouring rows of the source, in elements;
    /// `None` for one row.
    pub(crate) rows: Option<(u32, u32)>,
}

impl Gather {
    /// Compiles the kernel for elements of this many bytes.
    pub(crate) fn of(device: &Device, bytes: u64) -> Result<Self, OperationError> {
        let bits = 8 * bytes as u32;
        Ok(if bits < 32 {
            let overrides = kernel::Overrides { element_bits: bits, ..kernel::Overrides::default() };
            Self::Packed(kernel::gather_packed_with(device, overrides)?)
        } else {
            let overrides = kernel::Overrides { words: bits / 32, ..kernel::Overrides::default() };
            Self::Whole(kernel::gather_with(device, overrides)?)
        })
    }

    /// Launches the kernel. `source` and `gathered` are words, each with the number of elements in these words before
    /// the array.
    pub(crate) fn launch(
        &self,
        (source, first_of_source): (Slice<'_, u32>, u32),
        at: Places<'_>,
        (gathered, first_of_gathered): (&SliceMut<'_, u32>, u32),
        destination: Destination<'_>,
    ) -> Result<(), OperationError> {
        let (row, stride) = at.rows.unwrap_or((u32::MAX, 0));
        let sizes = kernel::Sizes {
            // The length is within 32 bits, as operators check their lengths.
            length: at.length as u32,
            first_of_source,
            first_of_places: at.first,
            first_of_gathered,
            row,
            stride,
        };
        let (places, gathered) = (at.places, reborrow(gathered));
        match self {
            Self::Whole(kernel) => {
                let args = kernel::GatherArgs { sizes, source, places, gathered };
                kernel.launch(args).to(destination).threads(at.length)?;
            }
            Self::Packed(kernel) => {
                let words = gathered.len();
                let args = kernel::GatherPackedArgs { sizes, source, places, gathered };
                kernel.launch(args).to(destination).threads(words)?;
            }
        }
        Ok(())
    }
}
