//! The same product on other arrays, for tuners.

use std::marker::PhantomData;

use super::super::choices::{Call, Like, StandIn, offer};
use super::run::Operands;
use super::{Matmul, MatmulElement, MatmulResult};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl<T: MatmulElement, R: MatmulResult<T>> Matmul<'_, T, R> {
    /// Offers the product: see [`offer`].
    pub(super) fn offer(&self, operands: &Operands<'_, '_, '_, T, R>) {
        offer(&operands.c.core.device, || {
            let product = self.plain();
            let (a, b, c) = (Like::of(&operands.a), Like::of(&operands.b), Like::of_mut(&operands.c));
            let [bias, residual] = [operands.bias, operands.residual].map(|array| array.map(|array| Like::of(&array)));
            move |device: &Device| {
                let numbers = |like: Option<Like<R>>| like.map(|like| like.numbers(device)).transpose();
                let (a, b, bias) = (a.numbers(device)?, b.numbers(device)?, numbers(bias)?);
                let residual = numbers(residual)?;
                Call::new(device, c.numbers(device)?, move |c: &mut StandIn<R>, to: &mut Recording| {
                    let mut product = product.plain();
                    product.bias = bias.as_ref().map(StandIn::get);
                    product.residual = residual.as_ref().map(StandIn::get);
                    product.record(to).run(a.get(), b.get(), c.get_mut()).map_err(Error::from)
                })
            }
        });
    }

    /// The product without its arrays and its destination.
    fn plain<'n>(&self) -> Matmul<'n, T, R> {
        Matmul {
            sizes: self.sizes,
            batches: self.batches,
            transposed: self.transposed,
            shared: self.shared,
            alpha: self.alpha,
            beta: self.beta,
            bias: None,
            activation: self.activation,
            residual: None,
            precision: self.precision,
            method: self.method,
            row_strides: self.row_strides,
            batch_strides: self.batch_strides,
            destination: Destination::Own,
            _factors: PhantomData,
        }
    }
}
