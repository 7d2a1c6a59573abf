//! The macro `kernels!` of anywarp.
