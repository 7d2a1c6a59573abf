//! The plan of a norm for its sizes and its device, and the cost of this plan.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::plan::Cost;
use super::super::rows::elements::FloatElement;
use super::super::rows::launch::{choice, is_aligned};
use super::super::rows::plan::{Planned, Shape, plan};
use super::run::{Call, Channels};
use super::{Norm, OPERATOR, Rows};
use crate::device::Device;

impl<T: FloatElement> Norm<'_, T> {
    /// The cost of a call with `length` elements on a device, to compare its time with the limits of the device. An
    /// element counts a square, a sum and a product, without a mean two operations less than with it, and one for each
    /// weight.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Norm::<f32>::layer(100).cost(&device, 1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (5000, 8000));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// [`OperationError::TooLarge`], [`OperationError::Choice`] for rows without elements, for groups that do not
    /// divide the channels, and for an epsilon that is negative or not finite, and [`OperationError::Length`] for a
    /// part of a row.
    pub fn cost(&self, device: &Device, length: usize) -> Result<Cost, OperationError> {
        let call = self.call(length, &[])?;
        Ok(self.planned(&call, device).plan.cost())
    }

    /// The call for `elements` elements in arrays that begin at these bytes.
    pub(super) fn call(&self, elements: usize, starts: &[u64]) -> Result<Call, OperationError> {
        let (length, by_channel) = match self.rows {
            Rows::Length(length) => (length, None),
            Rows::Groups(shape @ [_, channels, inner], groups) => {
                operands::counted::<T>(OPERATOR, "x", &shape)?;
                if groups == 0 || channels % groups != 0 {
                    let expected = format!("use a divisor of the {channels} channels");
                    return Err(OPERATOR.choice("a number of groups of", expected, groups.to_string()));
                }
                operands::expect(OPERATOR, "x", (elements, &shape))?;
                let channels = channels / groups;
                (channels * inner, Some(Channels { period: groups, channels, inner }))
            }
        };
        operands::counted::<T>(OPERATOR, "x", &[elements])?;
        if length == 0 && elements > 0 {
            return Err(OPERATOR.choice("a row of", "use at least one element", "0".to_owned()));
        }
        if !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            let expected = "use a finite number that is not negative";
            return Err(OPERATOR.choice("an epsilon of", expected, self.epsilon.to_string()));
        }
        let rows = elements.checked_div(length).unwrap_or(0);
        operands::expect(OPERATOR, "x", (elements, &[rows, length]))?;
        // Weights by channel are read one at a time.
        let aligned = by_channel.is_none() && is_aligned(length, size_of::<T>(), starts);
        let halves = size_of::<T>() == 2;
        let shape = Shape { rows: rows as u64, length: length as u64, inner: 1, halves, aligned };
        Ok(Call { shape, centred: self.centred, epsilon: self.epsilon, by_channel, bf16: T::BF16 })
    }

    pub(super) fn planned(&self, call: &Call, device: &Device) -> Planned {
        plan(call.shape, choice("norm", call.shape, device), self.cost_of(call))
    }

    /// The operations and the bytes of a call.
    pub(super) fn cost_of(&self, call: &Call) -> [u64; 2] {
        let Shape { rows, length, .. } = call.shape;
        let elements = rows.saturating_mul(length);
        let weights = u64::from(self.scale.is_some()) + u64::from(self.bias.is_some());
        let operations = if self.centred { 5 } else { 3 };
        let statistics = if self.statistics.is_some() { rows.saturating_mul(8) } else { 0 };
        let moved = elements.saturating_mul(2).saturating_add(weights * self.weights(call) as u64);
        let bytes = moved.saturating_mul(size_of::<T>() as u64).saturating_add(statistics);
        [elements.saturating_mul(operations + weights), bytes]
    }

    /// The number of elements of scale and bias.
    pub(super) fn weights(&self, call: &Call) -> usize {
        call.by_channel.map_or(call.shape.length as usize, |channels| channels.period * channels.channels)
    }
}
