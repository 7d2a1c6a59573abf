//! The same norm of other arrays, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::rows::elements::FloatElement;
use super::Norm;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl<T: FloatElement> Norm<'_, T> {
    /// Offers the norm: see [`offer`].
    pub(super) fn offer(&self, x: &Slice<'_, T>, y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let (rows, centred, epsilon) = (self.rows, self.centred, self.epsilon);
            let weights = [&self.scale, &self.bias].map(|array| array.as_ref().map(Like::of));
            let statistics = self.statistics.as_ref().map(|(means, inverses)| [means, inverses].map(Like::of_mut));
            let (x, y) = (Like::of(x), Like::of_mut(y));
            move |device: &Device| {
                let x = x.numbers(device)?;
                let [scale, bias] = weights.map(|array| array.map(|array| array.numbers(device)).transpose());
                let (scale, bias) = (scale?, bias?);
                let statistics = statistics.iter().flatten().map(|like| like.zeros(device));
                let statistics: Vec<_> = statistics.collect::<Result<_, _>>()?;
                type Written<T> = (StandIn<T>, Vec<StandIn<f32>>);
                let written = (y.numbers(device)?, statistics);
                Call::new(device, written, move |(y, statistics): &mut Written<T>, to: &mut Recording| {
                    let statistics = match statistics.as_mut_slice() {
                        [means, inverses] => Some((means.get_mut(), inverses.get_mut())),
                        _ => None,
                    };
                    let (scale, bias) = (scale.as_ref().map(StandIn::get), bias.as_ref().map(StandIn::get));
                    let destination = Destination::Recording(to);
                    let norm = Norm { rows, centred, epsilon, scale, bias, statistics, destination };
                    norm.run(x.get(), y.get_mut()).map_err(Error::from)
                })
            }
        });
    }
}
