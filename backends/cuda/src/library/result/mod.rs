//! Each function of cuBLAS and cuBLASLt as one that returns a `Result`; unsafe where a handle or an address must be
//! valid. cudarc panics where a library is missing, so the functions of `sys` must be called before a handle is
//! created.

pub(super) mod blas;
pub(super) mod lt;
