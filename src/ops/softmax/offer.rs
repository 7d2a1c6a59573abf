//! The same softmax of another array, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::rows::elements::FloatElement;
use super::Softmax;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl Softmax<'_> {
    /// Offers the softmax: see [`offer`].
    pub(super) fn offer<T: FloatElement>(&self, x: &Slice<'_, T>, y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let (softmax, x, y) = (self.plain(), Like::of(x), Like::of_mut(y));
            move |device: &Device| {
                let x = x.numbers(device)?;
                Call::new(device, y.numbers(device)?, move |y: &mut StandIn<T>, to: &mut Recording| {
                    softmax.plain().record(to).run(x.get(), y.get_mut()).map_err(Error::from)
                })
            }
        });
    }

    /// Offers the derivative: see [`offer`].
    pub(super) fn offer_backward<T: FloatElement>(&self, read: [&Slice<'_, T>; 2], dx: &SliceMut<'_, T>) {
        offer(&dx.core.device, || {
            let (softmax, read, dx) = (self.plain(), read.map(Like::of), Like::of_mut(dx));
            move |device: &Device| {
                let [y, dy] = read.map(|array| array.numbers(device));
                let (y, dy) = (y?, dy?);
                Call::new(device, dx.numbers(device)?, move |dx: &mut StandIn<T>, to: &mut Recording| {
                    softmax.plain().record(to).backward(y.get(), dy.get(), dx.get_mut()).map_err(Error::from)
                })
            }
        });
    }

    /// The softmax without its destination.
    fn plain<'n>(&self) -> Softmax<'n> {
        let Self { shape, axis, logarithm, .. } = self;
        Softmax { shape: shape.clone(), axis: *axis, logarithm: *logarithm, destination: Destination::Own }
    }
}
