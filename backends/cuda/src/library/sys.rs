//! Types of cuBLAS and cuBLASLt, and whether the libraries are on this machine, with every function that is
//! called here.

use std::sync::OnceLock;

pub(super) use cudarc::cublas::sys as blas;
pub(super) use cudarc::cublaslt::sys as lt;
use libloading::Library;

use super::result;
use crate::driver::Driver;

const BLAS: [&str; 7] = [
    "cublasCreate_v2",
    "cublasDestroy_v2",
    "cublasGemmEx_64",
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

/// Returns whether cuBLAS can be called without a panic, and fits the driver. The first call loads it.
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

/// Returns whether cuBLASLt can be called without a panic. The first call loads it.
pub(super) fn has_lt() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| match find("cublasLt", &LT) {
        Ok(()) => true,
        Err(reason) => {
            log::info!("16-bit matrix products go through cuBLAS, not cuBLASLt: {reason}");
            false
        }
    })
}

/// Loads a library for good and looks all symbols up.
///
/// cudarc goes through the same names in the same order, finds the library that is loaded by then,
/// and panics at the first symbol that is not there: so all of them are looked up before.
fn find(name: &str, symbols: &[&str]) -> Result<(), String> {
    let names = cudarc::get_lib_name_candidates(name);
    // SAFETY: these libraries' initialisers have no preconditions.
    let found = names.iter().find_map(|name| unsafe { Library::new(name) }.ok().map(|library| (name, library)));
    let Some((file, library)) = found else {
        return Err(format!("lib{name} is not installed, or not where libraries are looked for (LD_LIBRARY_PATH)"));
    };
    // SAFETY: the address is only compared with null.
    let missing = |symbol: &&&str| unsafe { library.get::<unsafe extern "C" fn()>(symbol.as_bytes()) }.is_err();
    let outcome = match symbols.iter().find(missing) {
        None => Ok(()),
        Some(symbol) => Err(format!("{file} has no {symbol}: it is older than CUDA 12")),
    };
    // Unloading a library that others may use by now, to load it again at once, gains nothing.
    std::mem::forget(library);
    outcome
}

/// Compares versions: a cuBLAS of a newer major version than the driver's cannot run.
fn fits_driver() -> Result<(), String> {
    let library = result::blas::major_version().map_err(|status| format!("cublasGetProperty says {status:?}"))?;
    let runs = Driver::get()?.version;
    if library > runs / 1000 {
        let (major, minor) = (runs / 1000, runs % 1000 / 10);
        return Err(format!("cuBLAS {library} needs a newer driver than this one, which is for CUDA {major}.{minor}"));
    }
    Ok(())
}
