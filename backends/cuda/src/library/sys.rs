//! Types of cuBLAS and cuBLASLt, and whether this machine has the libraries with every function that is called here.

use std::sync::OnceLock;

pub(super) use cudarc::cublas::sys as blas;
pub(super) use cudarc::cublaslt::sys as lt;
use libloading::Library;

use super::result;
use crate::driver::Driver;

const BLAS: [&str; 8] = [
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasGemmEx_64",
    "cublasGemmStridedBatchedEx_64",
    "cublasGetProperty",
    "cublasSetMathMode",
    "cublasSetStream_v2",
    "cublasSetWorkspace_v2",
];

const LT: [&str; 11] = [
    "cublasLtCreate",
    "cublasLtDestroy",
    "cublasLtMatmul",
    "cublasLtMatmulAlgoGetHeuristic",
    "cublasLtMatmulDescCreate",
    "cublasLtMatmulDescDestroy",
    "cublasLtMatmulPreferenceCreate",
    "cublasLtMatmulPreferenceDestroy",
    "cublasLtMatmulPreferenceSetAttribute",
    "cublasLtMatrixLayoutCreate",
    "cublasLtMatrixLayoutDestroy",
];

/// Returns whether cuBLAS can be called without a panic, and whether the driver supports its version. The first call
/// loads the library.
pub(super) fn has_blas() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| match find("cublas", &BLAS).and_then(|()| fits_driver()) {
        Ok(()) => true,
        Err(reason) => {
            log::info!("no matrix products by cuBLAS: {reason}");
            false
        }
    })
}

/// Returns whether cuBLASLt can be called without a panic. The first call loads the library.
pub(super) fn has_lt() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| match find("cublasLt", &LT) {
        Ok(()) => true,
        Err(reason) => {
            log::info!("16-bit matrix products use cuBLAS, not cuBLASLt: {reason}");
            false
        }
    })
}

/// Loads a library for the rest of the process and looks up all symbols.
///
/// cudarc tries the same names in the same order, finds the library that is loaded already, and panics at the first
/// missing symbol. This function therefore looks up all symbols before.
fn find(name: &str, symbols: &[&str]) -> Result<(), String> {
    let names = cudarc::get_lib_name_candidates(name);
    // SAFETY: these libraries' initialisers have no preconditions.
    let found = names.iter().find_map(|name| unsafe { Library::new(name) }.ok().map(|library| (name, library)));
    let Some((file, library)) = found else {
        return Err(format!("lib{name} is not installed, or not in the library path (LD_LIBRARY_PATH)"));
    };
    // SAFETY: the symbol is only looked up, never called.
    let missing = |symbol: &&&str| unsafe { library.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_err();
    let outcome = match symbols.iter().find(missing) {
        None => Ok(()),
        Some(symbol) => Err(format!("{file} has no {symbol}: it is older than CUDA 12")),
    };
    // The library stays loaded, because cudarc will load it again.
    std::mem::forget(library);
    outcome
}

/// Compares versions: cuBLAS cannot run if its major version is higher than that of the driver's CUDA version.
fn fits_driver() -> Result<(), String> {
    let library = result::blas::major_version().map_err(|status| format!("cublasGetProperty returned {status:?}"))?;
    let runs = Driver::get()?.version;
    if library > runs / 1000 {
        let (major, minor) = (runs / 1000, runs % 1000 / 10);
        return Err(format!("cuBLAS {library} needs a newer driver: this one supports CUDA {major}.{minor}"));
    }
    Ok(())
}
