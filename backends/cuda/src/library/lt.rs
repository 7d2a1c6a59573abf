//! cuBLASLt: the algorithm is asked for once a shape and kept.

use std::collections::hash_map::Entry;
use std::mem::MaybeUninit;
use std::ptr::{self, from_ref};

use anywarp_backend::Precision;
use cudarc::cublaslt::sys::{self, cublasStatus_t};
use cudarc::driver::sys::CUstream;
use rustc_hash::FxHashMap;

use super::presence;
use super::product::Product;
use super::workspace::Workspace;

/// Shapes that are remembered; a program with more of them asks again.
const MOST_PLANS: usize = 1024;

/// A handle of cuBLASLt in one context.
pub(super) struct Lt {
    handle: sys::cublasLtHandle_t,
    /// `None` where the library has no algorithm.
    plans: FxHashMap<Key, Option<Plan>>,
}

// SAFETY: handle and descriptors may be used from any thread, one at a time: methods take
// `&mut self`.
unsafe impl Send for Lt {}

/// All that the choice of an algorithm depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    sizes: [u32; 3],
    alignments: [u32; 3],
    precision: Precision,
}

impl Lt {
    /// A handle in the current context, if the library is there.
    pub(super) fn create() -> Option<Self> {
        if !presence::has_lt() {
            return None;
        }
        let mut handle = ptr::null_mut();
        // SAFETY: `has_lt` has looked all functions up; a context is current.
        match check(unsafe { sys::cublasLtCreate(&mut handle) }) {
            Ok(()) => Some(Self { handle, plans: FxHashMap::default() }),
            Err(status) => {
                log::info!("16-bit matrix products go through cuBLAS: cublasLtCreate says {status:?}");
                None
            }
        }
    }

    /// Enqueues the product. An error leaves nothing enqueued.
    pub(super) fn run(
        &mut self,
        stream: CUstream,
        workspace: &Workspace,
        product: &Product,
    ) -> Result<(), cublasStatus_t> {
        let key = Key {
            sizes: [product.rows, product.columns, product.depth],
            alignments: product.alignments(),
            precision: product.precision,
        };
        if self.plans.len() >= MOST_PLANS {
            self.plans.clear();
        }
        let plan = match self.plans.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let plan = Plan::find(self.handle, &key, workspace.bytes(), product);
                place.insert(plan.inspect_err(|status| log::debug!("no algorithm for {product}: {status:?}")).ok())
            }
        };
        let Some(plan) = plan else { return Err(cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED) };
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: the matrices are dense, of the sizes that the plan was made for, and stay until the
        // stream is done with them, which the caller sees to; the factors are read before the call
        // returns; the workspace is at least as large as the algorithm was told.
        check(unsafe {
            sys::cublasLtMatmul(
                self.handle,
                plan.operation.0,
                from_ref(&one).cast(),
                product.b(),
                plan.b.0,
                product.a(),
                plan.a.0,
                from_ref(&zero).cast(),
                product.c(),
                plan.c.0,
                product.c(),
                plan.c.0,
                &plan.algorithm,
                workspace.address(),
                workspace.bytes(),
                stream.cast(),
            )
        })
    }
}

impl Drop for Lt {
    fn drop(&mut self) {
        self.plans.clear();
        // SAFETY: the handle came from `cublasLtCreate` and is given back once.
        if let Err(status) = check(unsafe { sys::cublasLtDestroy(self.handle) }) {
            log::debug!("cublasLtDestroy: {status:?}");
        }
    }
}

/// A shape's descriptors and algorithm.
struct Plan {
    operation: Operation,
    a: Matrix,
    b: Matrix,
    c: Matrix,
    algorithm: sys::cublasLtMatmulAlgo_t,
}

impl Plan {
    fn find(
        handle: sys::cublasLtHandle_t,
        key: &Key,
        workspace: usize,
        product: &Product,
    ) -> Result<Self, cublasStatus_t> {
        use sys::cublasLtMatmulPreferenceAttributes_t as Attribute;
        let (data, compute) = product.lt;
        let [rows, columns, depth] = key.sizes.map(u64::from);
        let operation = Operation::new(compute)?;
        // As the library sees them, column after column.
        let a = Matrix::new(data, depth, rows)?;
        let b = Matrix::new(data, columns, depth)?;
        let c = Matrix::new(data, columns, rows)?;
        let preference = Preference::new()?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &(workspace as u64))?;
        // Products that are added in several parts are added as f32, not as the 16 bits of the result.
        let sums = sys::cublasLtReductionScheme_t::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE as u32;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &sums)?;
        // The library's first matrix is ours second.
        let [of_a, of_b, of_c] = key.alignments;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &of_b)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &of_a)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &of_c)?;
        preference.set(Attribute::CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &of_c)?;
        let mut found = MaybeUninit::<sys::cublasLtMatmulHeuristicResult_t>::zeroed();
        let mut count = 0;
        // SAFETY: all descriptors are alive; one result is asked for, and there is room for one.
        check(unsafe {
            sys::cublasLtMatmulAlgoGetHeuristic(
                handle,
                operation.0,
                b.0,
                a.0,
                c.0,
                c.0,
                preference.0,
                1,
                found.as_mut_ptr(),
                &mut count,
            )
        })?;
        if count < 1 {
            return Err(cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED);
        }
        // SAFETY: zeros are a value of it (status 0 is success), and the library has written over them.
        let found = unsafe { found.assume_init() };
        check(found.state)?;
        if found.workspaceSize > workspace {
            return Err(cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED);
        }
        log::debug!("cuBLASLt has {:.2} waves and {} bytes for {product}", found.wavesCount, found.workspaceSize);
        Ok(Self { operation, a, b, c, algorithm: found.algo })
    }
}

/// A product's description.
struct Operation(sys::cublasLtMatmulDesc_t);

impl Operation {
    fn new(compute: sys::cublasComputeType_t) -> Result<Self, cublasStatus_t> {
        let mut made = ptr::null_mut();
        // SAFETY: the function writes one pointer. Neither matrix is transposed unless told so.
        check(unsafe { sys::cublasLtMatmulDescCreate(&mut made, compute, sys::cudaDataType::CUDA_R_32F) })?;
        Ok(Self(made))
    }
}

impl Drop for Operation {
    fn drop(&mut self) {
        // SAFETY: made by `cublasLtMatmulDescCreate`, given back once; it refuses nothing else.
        let _ = unsafe { sys::cublasLtMatmulDescDestroy(self.0) };
    }
}

/// A dense matrix's description, columns one after the other.
struct Matrix(sys::cublasLtMatrixLayout_t);

impl Matrix {
    fn new(data: sys::cudaDataType, rows: u64, columns: u64) -> Result<Self, cublasStatus_t> {
        let mut made = ptr::null_mut();
        // SAFETY: the function writes one pointer. Sizes come from 32 bits.
        check(unsafe { sys::cublasLtMatrixLayoutCreate(&mut made, data, rows, columns, rows as i64) })?;
        Ok(Self(made))
    }
}

impl Drop for Matrix {
    fn drop(&mut self) {
        // SAFETY: made by `cublasLtMatrixLayoutCreate`, given back once; it refuses nothing else.
        let _ = unsafe { sys::cublasLtMatrixLayoutDestroy(self.0) };
    }
}

/// What an algorithm must keep to.
struct Preference(sys::cublasLtMatmulPreference_t);

impl Preference {
    fn new() -> Result<Self, cublasStatus_t> {
        let mut made = ptr::null_mut();
        // SAFETY: the function writes one pointer.
        check(unsafe { sys::cublasLtMatmulPreferenceCreate(&mut made) })?;
        Ok(Self(made))
    }

    /// `value` is of the type that the attribute's documentation names; the library checks its size.
    fn set<T: Copy>(
        &self,
        attribute: sys::cublasLtMatmulPreferenceAttributes_t,
        value: &T,
    ) -> Result<(), cublasStatus_t> {
        // SAFETY: the preference is alive; the value is read, with its size, before the call returns.
        check(unsafe {
            sys::cublasLtMatmulPreferenceSetAttribute(self.0, attribute, from_ref(value).cast(), size_of::<T>())
        })
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: made by `cublasLtMatmulPreferenceCreate`, given back once; it refuses nothing else.
        let _ = unsafe { sys::cublasLtMatmulPreferenceDestroy(self.0) };
    }
}

fn check(status: cublasStatus_t) -> Result<(), cublasStatus_t> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(status) }
}
