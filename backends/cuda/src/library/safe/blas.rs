//! A handle of cuBLAS.

use anywarp_backend::BackendError;
use cudarc::driver::sys::CUstream;

use crate::driver::{DeviceBlock, Stream};
use crate::library::product::Product;
use crate::library::result::blas as result;
use crate::library::sys::{
    self,
    blas::{cublasHandle_t, cublasMath_t, cublasStatus_t},
};

const OPERATION: &str = "opening cuBLAS";

/// A cuBLAS handle in one context.
pub(in crate::library) struct Blas {
    handle: cublasHandle_t,
    /// The stream that was last set for the handle, with the workspace.
    stream: Option<CUstream>,
}

// SAFETY: a handle may be used from any thread, by one thread at a time: methods take `&mut self`.
unsafe impl Send for Blas {}

impl Blas {
    /// Creates a handle in the current context.
    pub(in crate::library) fn create() -> Result<Self, BackendError> {
        let rejected = |message| BackendError::Rejected { operation: OPERATION, message };
        let refused = |function: &str, status| rejected(format!("{function}: {status:?}"));
        if !sys::has_blas() {
            return Err(rejected(
                "cuBLAS is not installed: `Caps::library` lists the routines that the device has".to_owned(),
            ));
        }
        let handle = result::create().map_err(|status| refused("cublasCreate", status))?;
        let blas = Self { handle, stream: None };
        // f32 products are computed in f32, and 16-bit products that are summed in several parts are summed as f32.
        let mode = cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
        // SAFETY: the handle is alive until `blas` is dropped.
        unsafe { result::set_math_mode(handle, mode) }.map_err(|status| refused("cublasSetMathMode", status))?;
        Ok(blas)
    }

    /// Enqueues the product.
    pub(in crate::library) fn run(
        &mut self,
        stream: &Stream,
        workspace: &DeviceBlock,
        product: &Product,
    ) -> Result<(), cublasStatus_t> {
        if self.stream != Some(stream.raw()) {
            self.stream = None;
            // SAFETY: handle, stream and workspace are alive, in one context; all three belong to one device, whose
            // `LibraryContext` is dropped before its streams.
            unsafe { result::set_stream(self.handle, stream.raw(), workspace.whole()) }?;
            self.stream = Some(stream.raw());
        }
        // SAFETY: the handle is alive; the matrices are valid for the reasons that `safe/mod.rs` gives.
        unsafe { result::gemm(self.handle, product) }
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: the handle was created once and is destroyed once.
        if let Err(status) = unsafe { result::destroy(self.handle) } {
            log::debug!("cublasDestroy: {status:?}");
        }
    }
}
