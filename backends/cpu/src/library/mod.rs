//! Routines of libraries, on the threads that run kernels: matrix products by the crate `matrixmultiply`, Fourier
//! transforms by the crate `rustfft`.
//!
//! | file | content |
//! |---|---|
//! | `product` | one product: its matrices in blocks, which threads multiply |
//! | `halves` | blocks of 16-bit matrices, multiplied as `f32` |
//! | `transform` | the transforms of the lines of an array, which threads share |
//! | `plans` | plans of transforms, which later calls use again |

mod halves;
mod plans;
mod product;
mod transform;

use std::sync::Arc;

use anywarp_backend::{BackendError, Library, Precision, Routine};

use product::Product;
use transform::Transforms;

/// The routines of a device without checks.
pub(crate) fn routines() -> Vec<Routine> {
    let products = [Precision::F32, Precision::F16, Precision::Bf16].into_iter().flat_map(Routine::matrix_products);
    products.chain([false, true].map(|double| Routine::FourierTransform { double })).collect()
}

/// A call of a routine, without its arrays.
#[derive(Clone)]
pub(crate) enum Call {
    Product(Product),
    Transforms(Transforms),
}

impl Call {
    /// # Errors
    /// [`BackendError::Rejected`] for a routine that does not exist here.
    pub(crate) fn new(call: &Library) -> Result<Self, BackendError> {
        match *call {
            Library::MatrixProduct { rows, columns, depth, precision, form, .. } => {
                Ok(Self::Product(Product::new([rows, columns, depth], precision, form)))
            }
            Library::FourierTransform { transform, .. } => Ok(Self::Transforms(Transforms::new(transform))),
            _ => Err(BackendError::no_routine(call)),
        }
    }

    /// The label of timings.
    pub(crate) fn name(&self) -> &'static Arc<str> {
        match self {
            Self::Product(product) => product.name(),
            Self::Transforms(transforms) => transforms.name(),
        }
    }

    /// The expected time on one thread in nanoseconds.
    pub(crate) fn estimate(&self) -> f64 {
        match self {
            Self::Product(product) => product.estimate(),
            Self::Transforms(transforms) => transforms.estimate(),
        }
    }

    /// Runs the routine on up to `threads` threads, with the starts of its arrays in the order in which the call visits them.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] for arrays in another number, an argument that [`routines`] does not list, or if a
    /// thread panics.
    ///
    /// # Safety
    /// The check of recordings has accepted the call: arrays are as large as it says, aligned to their elements, and
    /// overlap only as it allows. Until this returns, nothing else writes to them, or reads those that are written.
    pub(crate) unsafe fn run(&self, threads: usize, arrays: &[*mut u8]) -> Result<(), BackendError> {
        // SAFETY: as for this function.
        unsafe {
            match (self, arrays) {
                (Self::Product(product), &[a, b, c]) => product.run(threads, [a, b, c]),
                (Self::Transforms(transforms), &[x, y]) => transforms.run(threads, [x, y]),
                _ => Err(BackendError::Rejected {
                    operation: "a library call",
                    message: format!("{}: {} arrays came", self.name(), arrays.len()),
                }),
            }
        }
    }
}
