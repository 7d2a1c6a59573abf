//! Handles of the libraries, which own their resources. They may be used from any thread, one at a time: methods take
//! `&mut self`. The memory of a product stays valid until the stream has passed the product, for the reasons that
//! `driver::safe` gives for copies: its matrices are ranges of allocated memory, with the sizes in
//! [`Product`](super::product::Product).

mod blas;
mod lt;

pub(super) use blas::Blas;
pub(super) use lt::Lt;
