//! Matrix products by cuBLAS and cuBLASLt, where they are installed.
//!
//! | file | content |
//! |---|---|
//! | `sys` | types of the libraries, and whether the libraries are installed with every function that is called here |
//! | `result` | each function of the libraries as one that returns a `Result` |
//! | `safe` | handles of cuBLASLt, for single `f16` and `bf16` products, and of cuBLAS, for all others |
//! | `product` | one product: its sizes, addresses and precision |
//! | `column_major` | a product of row-major matrices as one of column-major matrices, which the libraries expect |

mod column_major;
mod product;
mod result;
mod safe;
mod sys;

use anywarp_backend::{BackendError, Precision, ProductForm, Routine};

use crate::driver::{DeviceBlock, DeviceSlice, Stream};
use product::Product;
use safe::{Blas, Lt};

/// The workspace in bytes that NVIDIA recommends for Hopper GPUs; with a smaller workspace, the fastest algorithms for
/// these GPUs cannot be used.
const WORKSPACE: u64 = 32 << 20;

/// Returns the routines of the libraries on this machine; none if they are not installed. The first call loads them.
pub(crate) fn routines() -> Vec<Routine> {
    if !sys::has_blas() {
        return Vec::new();
    }
    let all = [Precision::F32, Precision::Tf32, Precision::F16, Precision::Bf16];
    all.into_iter().flat_map(Routine::matrix_products).collect()
}

/// The state of the libraries for one device: handles and 32 MiB of workspace, created at first use.
///
/// All operations except `default` require the device's context to be current, including the drop. All products of one
/// context share its workspace, so they must run one after the other: on one stream, or as graph nodes that each depend
/// on the one before.
#[derive(Default)]
pub(crate) struct LibraryContext {
    open: Option<Open>,
}

struct Open {
    // These fields are dropped before the workspace, which the handles refer to.
    blas: Blas,
    lt: Option<Lt>,
    workspace: DeviceBlock,
}

impl LibraryContext {
    /// Creates the handles and the workspace if they do not exist. Must be called before a capture, because memory
    /// cannot be allocated during one.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] for the workspace, whose `live` is 0, because the device's memory is not counted
    /// here; [`BackendError::Rejected`] with the library's message.
    pub(crate) fn prepare(&mut self, stream: &Stream) -> Result<(), BackendError> {
        self.open(stream).map(|_| ())
    }

    /// Enqueues `c = alpha a b + beta c` on `stream`, or adds the product to the graph that the stream is captured
    /// into. The matrices are in the order `a`, `b`, `c`; the sizes are rows, columns and depth, none of them zero.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); [`BackendError::Rejected`] with the status and the sizes. Nothing is enqueued in
    /// these cases.
    pub(crate) fn matrix_product(
        &mut self,
        stream: &Stream,
        matrices: [DeviceSlice; 3],
        sizes: [u32; 3],
        precision: Precision,
        form: ProductForm,
    ) -> Result<(), BackendError> {
        let product = Product::new(matrices, sizes, precision, form)?;
        let Open { blas, lt, workspace } = self.open(stream)?;
        if let Some(lt) = lt.as_mut().filter(|_| Lt::takes(&product)) {
            match lt.run(stream, workspace, &product) {
                Ok(()) => return Ok(()),
                Err(status) => log::debug!("cuBLASLt on {product}: {status:?}; cuBLAS is used instead"),
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
