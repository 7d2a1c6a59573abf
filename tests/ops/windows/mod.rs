//! Operators that read windows of positions: convolutions, pooling, filters, resizes.

mod columns;
mod conv;
mod image_filter;
mod pool;
mod resize;

use crate::{Alone, Case};

pub(crate) fn cases() -> Vec<Case> {
    [columns::cases(), conv::cases(), pool::cases(), image_filter::cases(), resize::cases()]
        .into_iter()
        .flatten()
        .map(|(name, run)| (name.to_owned(), run))
        .collect()
}

pub(crate) fn checked() -> Alone {
    let all = [columns::clean, conv::clean, pool::clean, image_filter::clean, resize::clean];
    ("cpu:checked::windows".to_owned(), Box::new(move || all.iter().try_for_each(|clean| clean())))
}
