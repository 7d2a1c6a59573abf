//! Each function of cuBLAS and cuBLASLt as one that returns a `Result`; unsafe where a handle or an address must be
//! valid. cudarc panics where a library is missing, so `sys` must be checked before a handle is created.

pub(super) mod blas;
pub(super) mod lt;
