//! Each function of cuBLAS and cuBLASLt as one that returns a `Result`; unsafe where a handle or an address must
//! be good. cudarc panics where a library is missing, so `sys` is asked before a handle is made.

pub(super) mod blas;
pub(super) mod lt;
