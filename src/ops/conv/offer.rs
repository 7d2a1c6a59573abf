//! The same convolution of other arrays, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::error::OperationError;
use super::super::rows::elements::FloatElement;
use super::Conv;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

/// The arrays that a convolution, or its derivative, reads.
pub(super) type Read<'a, T> = (Slice<'a, T>, Slice<'a, T>, Option<Slice<'a, T>>);

/// The call that computes an array from two others: [`Conv::run`] or [`Conv::backward`].
pub(super) type Again<T> =
    for<'a> fn(Conv<'a, T>, Slice<'a, T>, Slice<'a, T>, SliceMut<'a, T>) -> Result<(), OperationError>;

impl<T: FloatElement> Conv<'_, T> {
    /// Offers the call: see [`offer`].
    pub(super) fn offer(&self, again: Again<T>, (x, weights, bias): &Read<'_, T>, y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let conv = self.plain();
            let (x, weights, y) = (Like::of(x), Like::of(weights), Like::of_mut(y));
            let bias = bias.as_ref().map(Like::of);
            move |device: &Device| {
                let (x, weights) = (x.numbers(device)?, weights.numbers(device)?);
                let bias = bias.map(|bias| bias.numbers(device)).transpose()?;
                Call::new(device, y.numbers(device)?, move |y: &mut StandIn<T>, to: &mut Recording| {
                    let mut conv = conv.plain();
                    conv.bias = bias.as_ref().map(StandIn::get);
                    again(conv.record(to), x.get(), weights.get(), y.get_mut()).map_err(Error::from)
                })
            }
        });
    }

    /// Offers the derivatives by the weights: see [`offer`].
    pub(super) fn offer_weights(&self, read: [&Slice<'_, T>; 2], dweights: &SliceMut<'_, f32>) {
        offer(&dweights.core.device, || {
            let (conv, read, dweights) = (self.plain(), read.map(Like::of), Like::of_mut(dweights));
            move |device: &Device| {
                let [x, dy] = read.map(|array| array.numbers(device));
                let (x, dy) = (x?, dy?);
                Call::new(device, dweights.numbers(device)?, move |dweights: &mut StandIn<f32>, to: &mut Recording| {
                    let conv = conv.plain().record(to);
                    conv.backward_weights(x.get(), dy.get(), dweights.get_mut()).map_err(Error::from)
                })
            }
        });
    }

    /// The convolution without its bias and its destination.
    fn plain<'n>(&self) -> Conv<'n, T> {
        Conv {
            given: self.given.clone(),
            bias: None,
            activation: self.activation,
            is_winograd: self.is_winograd,
            destination: Destination::Own,
        }
    }
}
