//! Matrix products by cuBLAS and cuBLASLt, where they are installed.
//!
//! | file | what is in it |
//! |---|---|
//! | `sys` | types of the libraries, and whether these are there, with every function called here |
//! | `result` | each function as one that returns a `Result` |
//! | `safe` | handles: of cuBLAS for `f32` and TF32, and for all that cuBLASLt has no algorithm for; of cuBLASLt for `f16` and `bf16`, with the algorithm asked for once a shape |
//! | `product` | one product: its sizes, addresses and numbers |
//!
//! Matrices are stored row after row; the libraries take them column after column, so a matrix is
//! its own transpose there, and `c = a b` is asked for as `cT = bT aT`.

mod product;
mod result;
mod safe;
mod sys;

use anywarp_backend::{BackendError, Precision, Routine};

use crate::driver::{DeviceBlock, DeviceSlice, Stream};
use product::Product;
use safe::{Blas, Lt};

/// Bytes of workspace that NVIDIA recommends for Hopper; smaller ones rule out the fastest algorithms there.
const WORKSPACE: u64 = 32 << 20;

/// Returns the routines of the libraries on this machine; none if they are not there. Loads them when first
/// called.
pub(crate) fn routines() -> Vec<Routine> {
    if !sys::has_blas() {
        return Vec::new();
    }
    let all = [Precision::F32, Precision::Tf32, Precision::F16, Precision::Bf16];
    all.into_iter().map(Routine::MatrixProduct).collect()
}

/// The libraries' state for one device: handles and 32 MiB of workspace, made when first needed.
///
/// Everything but making one wants the device's context current, dropping too. All products
/// of one context share its workspace, so they must run one after the other: on one stream, or as
/// nodes of a graph that depend on each other in turn.
#[derive(Default)]
pub(crate) struct LibraryContext {
    open: Option<Open>,
}

struct Open {
    // Dropped before the workspace, which they know.
    blas: Blas,
    lt: Option<Lt>,
    workspace: DeviceBlock,
}

impl LibraryContext {
    /// Makes the handles and the workspace, unless they are there: memory cannot be allocated while
    /// a stream is being captured, so this comes before a capture.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] for the workspace (its `live` is 0: this does not count the
    /// device's memory); [`BackendError::Rejected`] with what the library said.
    pub(crate) fn prepare(&mut self, stream: &Stream) -> Result<(), BackendError> {
        self.open(stream).map(|_| ())
    }

    /// Enqueues `c = a b` on `stream`, or adds it to the graph that the stream is captured into.
    /// The matrices are dense, in the order `a`, `b`, `c`; the sizes are rows, columns and depth, and none is zero.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); [`BackendError::Rejected`] with the status and the sizes. Nothing
    /// was enqueued then.
    pub(crate) fn matrix_product(
        &mut self,
        stream: &Stream,
        matrices: [DeviceSlice; 3],
        sizes: [u32; 3],
        precision: Precision,
    ) -> Result<(), BackendError> {
        let product = Product::new(matrices, sizes, precision)?;
        let Open { blas, lt, workspace } = self.open(stream)?;
        if let Some(lt) = lt.as_mut().filter(|_| precision.bytes() == 2) {
            match lt.run(stream, workspace, &product) {
                Ok(()) => return Ok(()),
                Err(status) => log::debug!("cuBLASLt on {product}: {status:?}; cuBLAS takes it"),
            }
        }
        blas.run(stream, workspace, &product).map_err(|status| product.refused(status))
    }

    fn open(&mut self, stream: &Stream) -> Result<&mut Open, BackendError> {
        let open = match self.open.take() {
            Some(open) => open,
            None => Open::new(stream)?,
        };
        Ok(self.open.insert(open))
    }
}

impl Open {
    fn new(stream: &Stream) -> Result<Self, BackendError> {
        let workspace = DeviceBlock::allocate(stream.context(), WORKSPACE, "allocating the workspace of cuBLAS")?;
        let blas = Blas::create()?;
        Ok(Self { blas, lt: Lt::create(), workspace })
    }
}
