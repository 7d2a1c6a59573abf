//! Handles of the libraries, which own their resources. Any thread may use a handle, but only one at a time: methods
//! take `&mut self`. The matrices of a product stay valid until the stream has passed the product, for the reasons that
//! `driver::safe` gives for copies: they are ranges of allocated memory, with the sizes in
//! [`Product`](super::product::Product).

mod blas;
mod lt;

pub(super) use blas::Blas;
pub(super) use lt::Lt;
