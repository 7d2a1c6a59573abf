//! Matrix products by the crate `matrixmultiply`, on the threads that run kernels.
//!
//! | file | content |
//! |---|---|
//! | `product` | one product: its matrices in blocks, which threads multiply |
//! | `halves` | blocks of 16-bit matrices, multiplied as `f32` |

mod halves;
mod product;

use anywarp_backend::{Precision, Routine};

pub(crate) use product::Product;

/// The routines of a device without checks.
pub(crate) fn routines() -> Vec<Routine> {
    [Precision::F32, Precision::F16, Precision::Bf16].into_iter().flat_map(Routine::matrix_products).collect()
}
