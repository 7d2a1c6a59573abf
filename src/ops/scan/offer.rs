//! The same scan of other arrays, for tuners.

use super::super::choices::{Call, Like, StandIn, offer};
use super::super::scanning::element::ScanElement;
use super::Scan;
use super::run::Heads;
use crate::device::Device;
use crate::error::Error;
use crate::submit::{Context, Destination, Recording};

/// The array that a scan reads, if it is not in place, and the one that it writes.
pub(super) struct Likes<T> {
    pub(super) x: Option<Like<T>>,
    pub(super) y: Like<T>,
}

impl Scan<'_> {
    /// Offers a scan without segments: see [`offer`].
    pub(super) fn offer<T: ScanElement>(&self, context: &Context, likes: Likes<T>) {
        if self.heads.are_given() {
            return;
        }
        offer(context, || {
            let scan = self.plain();
            move |device: &Device| {
                let x = likes.x.map(|x| x.numbers(device)).transpose()?;
                Call::new(device, likes.y.numbers(device)?, move |y: &mut StandIn<T>, to: &mut Recording| {
                    let scan = scan.plain().record(to);
                    let recorded = match &x {
                        Some(x) => scan.run(x.get(), y.get_mut()),
                        None => scan.run_in_place(y.get_mut()),
                    };
                    recorded.map_err(Error::from)
                })
            }
        });
    }

    /// The scan without its segments and its destination.
    fn plain<'n>(&self) -> Scan<'n> {
        Scan {
            monoid: self.monoid.clone(),
            exclusive: self.exclusive,
            reverse: self.reverse,
            along: self.along.clone(),
            heads: Heads::default(),
            form: self.form,
            destination: Destination::Own,
        }
    }
}
