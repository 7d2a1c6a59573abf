//! Handles of the libraries that own what they name. They may be used from any thread, one at a time: methods
//! take `&mut self`. What a product touches stays until the stream is done with it, for the reasons that
//! `driver::safe` gives for copies: its matrices are ranges of memory that was allocated, as long as
//! [`Product`](super::product::Product) says.

mod blas;
mod lt;

pub(super) use blas::Blas;
pub(super) use lt::Lt;
