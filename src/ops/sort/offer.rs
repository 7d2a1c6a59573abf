//! The same sort of other arrays, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::ordering::keys::SortKey;
use super::Sort;
use super::plan::Values;
use super::run::{Operand, Operands};
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::submit::{Context, Destination, Recording};

/// The array that a sort reads, and the one that it writes.
struct Likes<T> {
    given: Option<Like<T>>,
    result: Option<Like<T>>,
}

impl<T: Element> Likes<T> {
    fn of(operand: &Operand<'_, T>) -> Self {
        Self {
            given: operand.given.as_ref().map(|(_, array)| Like::of(array)),
            result: operand.result.as_ref().map(|(_, array)| Like::of_mut(array)),
        }
    }

    /// The arrays: at most one of each.
    fn numbers(&self, device: &Device) -> Result<[Vec<StandIn<T>>; 2], Error> {
        let numbers =
            |like: &Option<Like<T>>| like.iter().map(|like| like.numbers(device)).collect::<Result<_, Error>>();
        Ok([numbers(&self.given)?, numbers(&self.result)?])
    }
}

impl Sort<'_> {
    /// Offers a sort without segments: see [`offer`].
    pub(super) fn offer<K: SortKey, V: Element>(&self, context: &Context, operands: &Operands<'_, K, V>, kind: Values) {
        offer(context, || {
            let sort = self.plain();
            let (keys, values) = (Likes::of(&operands.keys), operands.values.as_ref().map(Likes::of));
            move |device: &Device| {
                let [given_keys, keys] = keys.numbers(device)?;
                let has_values = values.is_some();
                let [given_values, values] =
                    values.map(|values| values.numbers(device)).transpose()?.unwrap_or_default();
                type Written<K, V> = (Vec<StandIn<K>>, Vec<StandIn<V>>);
                Call::new(device, (keys, values), move |(keys, values): &mut Written<K, V>, to: &mut Recording| {
                    let keys = operand(&given_keys, keys);
                    let values = has_values.then(|| operand(&given_values, values));
                    sort.plain().record(to).call(&Operands { keys, values }, kind).map_err(Error::from)
                })
            }
        });
    }

    /// The sort without its segments and its destination.
    fn plain<'n>(&self) -> Sort<'n> {
        let Self { descending, bits, way, .. } = self;
        let (bits, destination) = (bits.clone(), Destination::Own);
        Sort { descending: *descending, bits, way: *way, segments: None, destination }
    }
}

fn operand<'a, T: Element>(given: &'a [StandIn<T>], result: &'a mut [StandIn<T>]) -> Operand<'a, T> {
    Operand {
        given: given.first().map(|array| ("x", array.get())),
        result: result.first_mut().map(|array| ("y", array.get_mut())),
    }
}
