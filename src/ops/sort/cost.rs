//! The plan of a sort for its sizes and its device, and the cost of this plan.

use std::ops::Range;

use super::super::error::OperationError;
use super::super::ordering::keys::{Kind, SortKey};
use super::super::plan::{Cost, Plan};
use super::choice::{Choice, Place};
use super::plan::{self, Pass, Shape, Values};
use super::{OPERATOR, Sort, values_of};
use crate::device::Device;
use crate::element::Element;

impl Sort<'_> {
    /// The cost of sorting `length` keys from one array into another, to compare its time with the limits of a device.
    /// The number of bytes is a lower bound, which would suffice if all keys fit into registers.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Sort::new().cost::<u32>(1000, &device)?;
    /// assert_eq!((cost.flops, cost.bytes), (0, 8000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`].
    pub fn cost<K: SortKey>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan::<K>(length, Values::None, false, device)?.1.cost())
    }

    /// The cost of [`pairs`](Self::pairs), as in [`cost`](Self::cost).
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_pairs<K: SortKey, V: Element>(
        &self,
        length: usize,
        device: &Device,
    ) -> Result<Cost, OperationError> {
        Ok(self.plan::<K>(length, values_of::<V>(), false, device)?.1.cost())
    }

    /// The cost of [`argsort`](Self::argsort), as in [`cost`](Self::cost).
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_argsort<K: SortKey>(&self, length: usize, device: &Device) -> Result<Cost, OperationError> {
        Ok(self.plan::<K>(length, Values::Indices, false, device)?.1.cost())
    }

    pub(super) fn plan<K: SortKey>(
        &self,
        length: usize,
        values: Values,
        in_place: bool,
        device: &Device,
    ) -> Result<(Shape, Plan<Pass>), OperationError> {
        let caps = device.caps();
        let shape = Shape {
            length: length as u64,
            key_bits: K::BITS,
            kind: K::KIND,
            bits: self.checked_bits::<K>()?,
            descending: self.descending,
            values,
            in_place,
        };
        let words = u64::from(shape.key_words().max(values.words()));
        // Kernels count words in 32 bits. The limit leaves room for the alignment of bindings, and for a tile beyond
        // the end.
        let most = (caps.limits.storage_binding_size / 4 - 64).min((1 << 32) - (1 << 16)) / words;
        if length as u64 > most {
            return Err(OPERATOR.too_large("the array of keys", vec![length], most));
        }
        let place = Place::of(caps);
        let choice =
            match self.way {
                None => {
                    let default = Choice::default_for(&shape, place);
                    // The plan replaces a form that does not fit the number of keys.
                    shape.question().decide(device, default, || Choice::all(&shape, place), |_| true)
                }
                Some(way) => Choice::of_way(way, &shape, place)
                    .map(|choice| shape.question().asked(choice))
                    .ok_or_else(|| OperationError::Choice {
                        operator: OPERATOR.name(),
                        argument: "the way",
                        expected: "the device has no subgroups of a suitable size; use `Pieces` or `Workgroups`"
                            .to_owned(),
                        got: format!("{way:?}"),
                    })?,
            };
        let plan = plan::plan(&shape, choice);
        Ok((shape, plan))
    }

    /// Returns the range of bits by which keys are compared; an error if the keys do not permit the range.
    fn checked_bits<K: SortKey>(&self) -> Result<Range<u32>, OperationError> {
        let Some(bits) = &self.bits else { return Ok(0..K::BITS) };
        let expected = match K::KIND {
            Kind::Float { .. } => "floats are always compared by all bits; omit the range, or pass integers".to_owned(),
            _ if bits.start >= bits.end || bits.end > K::BITS => {
                format!("pass a range of one bit or more within 0..{} for {}", K::BITS, std::any::type_name::<K>())
            }
            _ => return Ok(bits.clone()),
        };
        let got = format!("{}..{}", bits.start, bits.end);
        Err(OperationError::Choice { operator: OPERATOR.name(), argument: "the bit range", expected, got })
    }
}
