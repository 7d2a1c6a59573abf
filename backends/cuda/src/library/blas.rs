//! cuBLAS.

use std::ptr::{self, from_ref};

use anywarp_backend::BackendError;
use cudarc::cublas::sys::{self, cublasStatus_t};
use cudarc::driver::sys::CUstream;

use super::presence;
use super::product::Product;
use super::workspace::Workspace;

/// A handle of cuBLAS in one context.
pub(super) struct Blas {
    handle: sys::cublasHandle_t,
    /// The stream that the handle was last told, with its workspace.
    stream: Option<CUstream>,
}

// SAFETY: a handle may be used from any thread, one at a time: methods take `&mut self`.
unsafe impl Send for Blas {}

impl Blas {
    /// A handle in the current context.
    pub(super) fn create() -> Result<Self, BackendError> {
        let refused = |what: &str, status| BackendError::Rejected {
            operation: "opening cuBLAS",
            message: format!("{what}: {status:?}"),
        };
        if !presence::has_blas() {
            let message = "it is not installed: see Caps::library".to_owned();
            return Err(BackendError::Rejected { operation: "opening cuBLAS", message });
        }
        let mut handle = ptr::null_mut();
        // SAFETY: `has_blas` has looked all functions up; a context is current.
        check(unsafe { sys::cublasCreate_v2(&mut handle) }).map_err(|status| refused("cublasCreate", status))?;
        let blas = Self { handle, stream: None };
        // f32 as it is, and 16-bit products that are added in several parts are added as f32.
        let mode = sys::cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
        // SAFETY: the handle is alive.
        check(unsafe { sys::cublasSetMathMode(blas.handle, mode) })
            .map_err(|status| refused("cublasSetMathMode", status))?;
        Ok(blas)
    }

    /// Enqueues the product.
    pub(super) fn run(
        &mut self,
        stream: CUstream,
        workspace: &Workspace,
        product: &Product,
    ) -> Result<(), cublasStatus_t> {
        if self.stream != Some(stream) {
            self.stream = None;
            // SAFETY: handle, stream and workspace are alive, in one context. A new stream makes
            // cuBLAS forget its workspace, and one of its own would be allocated during a capture.
            unsafe {
                check(sys::cublasSetStream_v2(self.handle, stream.cast()))?;
                check(sys::cublasSetWorkspace_v2(self.handle, workspace.address(), workspace.bytes()))?;
            }
            self.stream = Some(stream);
        }
        let (rows, columns, depth) = (i64::from(product.rows), i64::from(product.columns), i64::from(product.depth));
        let (data, compute) = product.blas;
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: the matrices are dense, of these sizes, and stay until the stream is done with
        // them, which the caller sees to; the factors are read before the call returns.
        check(unsafe {
            sys::cublasGemmEx_64(
                self.handle,
                sys::cublasOperation_t::CUBLAS_OP_N,
                sys::cublasOperation_t::CUBLAS_OP_N,
                columns,
                rows,
                depth,
                from_ref(&one).cast(),
                product.b(),
                data,
                columns,
                product.a(),
                data,
                depth,
                from_ref(&zero).cast(),
                product.c(),
                data,
                columns,
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            )
        })
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: the handle came from `cublasCreate` and is given back once.
        if let Err(status) = check(unsafe { sys::cublasDestroy_v2(self.handle) }) {
            log::debug!("cublasDestroy: {status:?}");
        }
    }
}

fn check(status: cublasStatus_t) -> Result<(), cublasStatus_t> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}
