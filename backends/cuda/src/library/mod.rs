//! Matrix products by cuBLAS and cuBLASLt, where they are installed.
//!
//! | file | what is in it |
//! |---|---|
//! | `presence` | whether the libraries are there, with every function called here |
//! | `product` | one product: its sizes, addresses and numbers |
//! | `blas` | cuBLAS: `f32` and TF32, and whatever cuBLASLt has no algorithm for |
//! | `lt` | cuBLASLt: `f16` and `bf16`, with the algorithm asked for once a shape |
//! | `workspace` | the memory that both work in |
//!
//! Matrices are stored row after row; the libraries take them column after column, so a matrix is
//! its own transpose there, and `c = a b` is asked for as `cT = bT aT`.

mod blas;
mod lt;
mod presence;
mod product;
mod workspace;

use anywarp_backend::{BackendError, Precision, Routine};
use cudarc::driver::sys::CUstream;

use blas::Blas;
use lt::Lt;
use product::Product;
use workspace::Workspace;

/// What the libraries on this machine can do; nothing if they are not there. Loads them when first
/// called.
pub(crate) fn routines() -> Vec<Routine> {
    if !presence::has_blas() {
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
    workspace: Workspace,
}

impl LibraryContext {
    /// Makes the handles and the workspace, unless they are there: memory cannot be allocated while
    /// a stream is being captured, so this comes before a capture.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] for the workspace (its `live` is 0: this does not count the
    /// device's memory); [`BackendError::Rejected`] with what the library said.
    pub(crate) fn prepare(&mut self) -> Result<(), BackendError> {
        self.open().map(|_| ())
    }

    /// Enqueues `c = a b` on `stream`, or adds it to the graph that the stream is captured into.
    /// The addresses are those of dense matrices in device memory; no size is zero.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); [`BackendError::Rejected`] with the status and the sizes. Nothing
    /// was enqueued then.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn matrix_product(
        &mut self,
        stream: CUstream,
        a: u64,
        b: u64,
        c: u64,
        rows: u32,
        columns: u32,
        depth: u32,
        precision: Precision,
    ) -> Result<(), BackendError> {
        let product = Product::new([a, b, c], [rows, depth, columns], precision)?;
        let Open { blas, lt, workspace } = self.open()?;
        if let Some(lt) = lt.as_mut().filter(|_| precision.bytes() == 2) {
            match lt.run(stream, workspace, &product) {
                Ok(()) => return Ok(()),
                Err(status) => log::debug!("cuBLASLt on {product}: {status:?}; cuBLAS takes it"),
            }
        }
        blas.run(stream, workspace, &product).map_err(|status| product.refused(status))
    }

    fn open(&mut self) -> Result<&mut Open, BackendError> {
        let open = match self.open.take() {
            Some(open) => open,
            None => Open::new()?,
        };
        Ok(self.open.insert(open))
    }
}

impl Open {
    fn new() -> Result<Self, BackendError> {
        let workspace = Workspace::allocate()?;
        let blas = Blas::create()?;
        Ok(Self { blas, lt: Lt::create(), workspace })
    }
}
