//! The same selection from another array, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::ordering::keys::SortKey;
use super::TopK;
use super::run::Operands;
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Destination, Recording};

impl TopK<'_> {
    /// Offers the selection: see [`offer`].
    pub(super) fn offer<K: SortKey>(&self, operands: &Operands<'_, '_, '_, K>) {
        offer(&operands.x.core.device, || {
            let Self { k, rows, largest, nan_last, .. } = *self;
            let x = Like::of(&operands.x);
            let (values, indices) = (Like::of_mut(&operands.values), Like::of_mut(&operands.indices));
            move |device: &Device| {
                let x = x.numbers(device)?;
                let written = (values.numbers(device)?, indices.zeros(device)?);
                type Written<K> = (StandIn<K>, StandIn<u32>);
                Call::new(device, written, move |(values, indices): &mut Written<K>, to: &mut Recording| {
                    let select = TopK { k, rows, largest, nan_last, destination: Destination::Own };
                    select.record(to).run(x.get(), values.get_mut(), indices.get_mut()).map_err(Error::from)
                })
            }
        });
    }
}
