//! The same attention on other arrays, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::rows::elements::FloatElement;
use super::Attention;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl<T: FloatElement> Attention<'_, T> {
    /// Offers the attention: see [`offer`].
    pub(super) fn offer(&self, read: [&Slice<'_, T>; 3], y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let given = self.given.clone();
            let (read, y) = (read.map(Like::of), Like::of_mut(y));
            let mask = self.mask.as_ref().map(|(mask, shape)| (Like::of(mask), shape.clone()));
            let bias = self.bias.as_ref().map(|(bias, shape)| (Like::of(bias), shape.clone()));
            move |device: &Device| {
                let [q, k, v] = read.map(|array| array.numbers(device));
                let (q, k, v) = (q?, k?, v?);
                // Words of a mask are random, so that almost none is zero: no key is hidden.
                let mask = mask.map(|(mask, shape)| Ok::<_, Error>((mask.numbers(device)?, shape))).transpose()?;
                let bias = bias.map(|(bias, shape)| Ok::<_, Error>((bias.numbers(device)?, shape))).transpose()?;
                Call::new(device, y.numbers(device)?, move |y: &mut StandIn<T>, to: &mut Recording| {
                    let attention = Attention {
                        given: given.clone(),
                        mask: mask.as_ref().map(|(mask, shape)| (mask.get(), shape.clone())),
                        bias: bias.as_ref().map(|(bias, shape)| (bias.get(), shape.clone())),
                        destination: Destination::Own,
                    };
                    attention.record(to).run(q.get(), k.get(), v.get(), y.get_mut()).map_err(Error::from)
                })
            }
        });
    }
}
