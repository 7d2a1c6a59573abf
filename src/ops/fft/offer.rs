//! The same transform of another array, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::{ComplexElement, Fft};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl<T: ComplexElement> Fft<'_, T> {
    /// Offers the transform, which is in place without `x`: see [`offer`].
    pub(super) fn offer(&self, x: Option<&Slice<'_, T>>, y: &SliceMut<'_, T>) {
        offer(&y.core.device, || {
            let (transform, x, y) = (self.plain(), x.map(Like::of), Like::of_mut(y));
            move |device: &Device| {
                let x = x.map(|x| x.numbers(device)).transpose()?;
                Call::new(device, y.numbers(device)?, move |y: &mut StandIn<T>, to: &mut Recording| {
                    let transform = transform.plain().record(to);
                    let recorded = match &x {
                        Some(x) => transform.run(x.get(), y.get_mut()),
                        None => transform.run_in_place(y.get_mut()),
                    };
                    recorded.map_err(Error::from)
                })
            }
        });
    }

    /// The transform without its tables and its destination.
    fn plain<'n>(&self) -> Fft<'n, T> {
        Fft {
            shape: self.shape.clone(),
            axes: self.axes.clone(),
            inverse: self.inverse,
            norm: self.norm,
            tables: None,
            destination: Destination::Own,
        }
    }
}
