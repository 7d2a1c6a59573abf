//! A cuBLASLt handle, with an algorithm for each combination of sizes, alignments and precision used so far.

use std::collections::hash_map::Entry;

use anywarp_backend::{Factor, Precision, ProductForm};
use rustc_hash::FxHashMap;

use crate::driver::{DeviceBlock, Stream};
use crate::library::column_major::ColumnMajor;
use crate::library::product::{LtTypes, Product};
use crate::library::result::lt::{self as result, Descriptors};
use crate::library::sys::{self, lt};

/// The largest number of shapes whose algorithms are cached. Beyond it the cache is cleared, and algorithms are queried
/// again.
const MAX_SHAPES: usize = 1024;

type Status = lt::cublasStatus_t;

/// A cuBLASLt handle in one context.
pub(in crate::library) struct Lt {
    handle: lt::cublasLtHandle_t,
    /// The descriptors and the algorithm of each shape; `None` where the library has no algorithm.
    prepared: FxHashMap<Shape, Option<Prepared>>,
}

// SAFETY: handle and descriptors may be used from any thread, by one thread at a time: methods take `&mut self`.
unsafe impl Send for Lt {}

/// All inputs on which the choice of an algorithm depends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    column_major: ColumnMajor,
    alignments: [u32; 3],
    precision: Precision,
    wide: bool,
}

impl Lt {
    /// Whether this handle computes the product: a single one of 16-bit factors, not transposed, without `alpha` and
    /// `beta`.
    pub(in crate::library) fn takes(product: &Product) -> bool {
        let ProductForm { transposed, batches, alpha, beta, .. } = product.form;
        let is_plain = transposed == [false; 2] && batches == 1 && alpha == Factor::ONE && beta == Factor::ZERO;
        is_plain && product.precision.bytes() == 2
    }

    /// Creates a handle in the current context, if the library is installed.
    pub(in crate::library) fn create() -> Option<Self> {
        if !sys::has_lt() {
            return None;
        }
        match result::create() {
            Ok(handle) => Some(Self { handle, prepared: FxHashMap::default() }),
            Err(status) => {
                log::info!("16-bit matrix products use cuBLAS: cublasLtCreate returned {status:?}");
                None
            }
        }
    }

    /// Enqueues the product. After an error nothing was enqueued.
    pub(in crate::library) fn run(
        &mut self,
        stream: &Stream,
        workspace: &DeviceBlock,
        product: &Product,
    ) -> Result<(), Status> {
        let shape = Shape {
            column_major: product.column_major,
            alignments: product.alignments(),
            precision: product.precision,
            wide: product.form.wide,
        };
        if self.prepared.len() >= MAX_SHAPES {
            self.prepared.clear();
        }
        let workspace = workspace.whole();
        let prepared = match self.prepared.entry(shape) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let found = Prepared::find(self.handle, &shape, workspace.bytes(), product);
                place.insert(found.inspect_err(|status| log::debug!("no algorithm for {product}: {status:?}")).ok())
            }
        };
        let Some(prepared) = prepared else { return Err(Status::CUBLAS_STATUS_NOT_SUPPORTED) };
        let (descriptors, algorithm) = (prepared.descriptors(), &prepared.algorithm);
        // SAFETY: all handles are alive; the algorithm was found for this shape and a workspace of this size; the
        // matrices are valid for the reasons that `safe/mod.rs` gives.
        unsafe { result::matmul(self.handle, descriptors, algorithm, product, workspace, stream.raw()) }
    }
}

impl Drop for Lt {
    fn drop(&mut self) {
        self.prepared.clear();
        // SAFETY: the handle was created once and is destroyed once.
        if let Err(status) = unsafe { result::destroy(self.handle) } {
            log::debug!("cublasLtDestroy: {status:?}");
        }
    }
}

/// A shape's descriptors and algorithm.
struct Prepared {
    operation: Operation,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    algorithm: lt::cublasLtMatmulAlgo_t,
}

impl Prepared {
    fn find(handle: lt::cublasLtHandle_t, shape: &Shape, workspace: u64, product: &Product) -> Result<Self, Status> {
        use lt::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let LtTypes { factors, result: of_result, compute } = product.lt;
        let ColumnMajor { sizes: [m, n, k], leading, .. } = shape.column_major;
        let operation = Operation(result::operation_create(compute)?);
        // The library's first matrix is `b`.
        let b = Matrix(result::layout_create(factors, m, k, leading[0])?);
        let a = Matrix(result::layout_create(factors, k, n, leading[1])?);
        let c = Matrix(result::layout_create(of_result, m, n, leading[2])?);
        let preference = Preference(result::preference_create()?);
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace)?;
        // Products that are summed in several parts are summed as f32, not as the 16 bits of the result.
        let sums = lt::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &sums)?;
        let [of_a, of_b, of_c] = shape.alignments;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &of_b)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &of_a)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &of_c)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &of_c)?;
        let descriptors = Descriptors { operation: operation.0, a: a.0, b: b.0, c: c.0 };
        // SAFETY: the caller's handle is alive; the other handles are dropped after this call.
        let found = unsafe { result::heuristic(handle, descriptors, preference.0) }?;
        if found.workspaceSize as u64 > workspace {
            return Err(Status::CUBLAS_STATUS_NOT_SUPPORTED);
        }
        log::debug!(
            "cuBLASLt: {:.2} waves and {} bytes of workspace for {product}",
            found.wavesCount,
            found.workspaceSize
        );
        Ok(Self { operation, a, b, c, algorithm: found.algo })
    }

    fn descriptors(&self) -> Descriptors {
        Descriptors { operation: self.operation.0, a: self.a.0, b: self.b.0, c: self.c.0 }
    }
}

/// The library's description of a product.
struct Operation(lt::cublasLtMatmulDesc_t);

impl Drop for Operation {
    fn drop(&mut self) {
        // SAFETY: the description was created once and is destroyed once; the call has no other reason to fail.
        let _ = unsafe { result::operation_destroy(self.0) };
    }
}

/// The library's description of a matrix.
struct Matrix(lt::cublasLtMatrixLayout_t);

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: the description was created once and is destroyed once; the call has no other reason to fail.
        let _ = unsafe { result::layout_destroy(self.0) };
    }
}

/// A restriction of the choice of algorithms.
struct Preference(lt::cublasLtMatmulPreference_t);

impl Preference {
    fn set<T: Copy>(&self, attribute: lt::cublasLtMatmulPreferenceAttributes_t, value: &T) -> Result<(), Status> {
        // SAFETY: the preference is alive.
        unsafe { result::preference_set(self.0, attribute, value) }
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: the preference was created once and is destroyed once; the call has no other reason to fail.
        let _ = unsafe { result::preference_destroy(self.0) };
    }
}
