//! The same pooling of other arrays, for tuners.

use std::marker::PhantomData;

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::rows::elements::FloatElement;
use super::Pool;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl<T: FloatElement> Pool<'_, T> {
    /// Offers the pooling: see [`offer`].
    pub(super) fn offer(&self, x: &Slice<'_, T>, y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let (given, kind, counts_padding) = (self.given.clone(), self.kind, self.counts_padding);
            let (x, y, indices) = (Like::of(x), Like::of_mut(y), self.indices.as_ref().map(Like::of_mut));
            move |device: &Device| {
                let x = x.numbers(device)?;
                let indices: Vec<_> = indices.iter().map(|like| like.zeros(device)).collect::<Result<_, _>>()?;
                type Written<T> = (StandIn<T>, Vec<StandIn<u32>>);
                let written = (y.numbers(device)?, indices);
                Call::new(device, written, move |(y, indices): &mut Written<T>, to: &mut Recording| {
                    let pool = Pool {
                        given: given.clone(),
                        kind,
                        counts_padding,
                        indices: indices.first_mut().map(StandIn::get_mut),
                        destination: Destination::Own,
                        _element: PhantomData,
                    };
                    pool.record(to).run(x.get(), y.get_mut()).map_err(Error::from)
                })
            }
        });
    }
}
