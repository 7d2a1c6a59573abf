//! The calls for the derivatives of a convolution.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::rows::elements::FloatElement;
use super::plan::Parts;
use super::run::Operands;
use super::{Conv, OPERATOR, reborrow, weights};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;

impl<T: FloatElement> Conv<'_, T> {
    /// Computes the derivatives `dx` by the elements of `x`, from the weights and the derivatives `dy` by the results,
    /// which have the shapes of `x` and `y`. The derivative of an activation is not included.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Conv;
    ///
    /// let (dy, weights) = (device.buffer_from(&[1.0f32, 2.0])?, device.buffer_from(&[1.0f32, 10.0])?);
    /// let mut dx = device.buffer::<f32>(3)?;
    /// Conv::new([1, 1, 3], [1, 1, 2]).backward(&dy, &weights, &mut dx)?;
    /// assert_eq!(*dx.read()?, [1.0, 12.0, 20.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`OperationError::Choice`] with a bias or an activation.
    pub fn backward<'d, 'w, 'x>(
        mut self,
        dy: impl Into<Slice<'d, T>>,
        weights: impl Into<Slice<'w, T>>,
        dx: impl Into<SliceMut<'x, T>>,
    ) -> Result<(), OperationError> {
        let (dy, weights, dx) = (dy.into(), weights.into(), dx.into());
        self.expect_plain()?;
        let geometry = self.geometry()?;
        let operands = Operands {
            x: ("dy", operands::bytes(OPERATOR, "dy", &dy)?),
            weights: operands::bytes(OPERATOR, "weights", &weights)?,
            bias: None,
            y: ("dx", operands::bytes_mut(OPERATOR, "dx", &dx)?),
        };
        operands::expect(OPERATOR, "dy", (dy.len(), &geometry.y))?;
        operands::expect(OPERATOR, "weights", (weights.len(), &self.given.weights))?;
        operands::expect(OPERATOR, "dx", (dx.len(), &self.given.x))?;
        operands.check(&self.destination)?;
        self.launch(
            (&geometry, geometry.backward()),
            &operands,
            (dy, weights, None),
            reborrow(&dx),
            |conv, dy, weights, dx| conv.backward(dy, weights, dx),
        )
    }

    /// Computes the derivatives `dweights` by the weights, sums over the positions of all examples in `f32`, from `x` and
    /// the derivatives `dy` by the results. Those by a bias are the sums of `dy` over all other axes.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Conv;
    ///
    /// let (x, dy) = (device.buffer_from(&[1.0f32, 2.0, 3.0])?, device.buffer_from(&[1.0f32, 10.0])?);
    /// let mut dweights = device.buffer::<f32>(2)?;
    /// Conv::new([1, 1, 3], [1, 1, 2]).backward_weights(&x, &dy, &mut dweights)?;
    /// assert_eq!(*dweights.read()?, [21.0, 32.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`backward`](Self::backward), and [`OperationError::Choice`] for a transposed convolution, whose derivatives are
    /// those of the convolution with `x` and `dy` exchanged.
    pub fn backward_weights<'x, 'd, 'w>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        dy: impl Into<Slice<'d, T>>,
        dweights: impl Into<SliceMut<'w, f32>>,
    ) -> Result<(), OperationError> {
        let (x, dy, dweights) = (x.into(), dy.into(), dweights.into());
        self.expect_plain()?;
        if self.given.transposed {
            let expected = "use those of `Conv::new` with x and dy exchanged";
            return Err(OPERATOR.choice("derivatives by weights of", expected, "a transposed convolution".to_owned()));
        }
        let geometry = self.geometry()?;
        operands::counted::<f32>(OPERATOR, "dweights", &self.given.weights)?;
        let operands = weights::Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            dy: operands::bytes(OPERATOR, "dy", &dy)?,
            dweights: operands::bytes_mut(OPERATOR, "dweights", &dweights)?,
        };
        operands::expect(OPERATOR, "x", (x.len(), &self.given.x))?;
        operands::expect(OPERATOR, "dy", (dy.len(), &geometry.y))?;
        operands::expect(OPERATOR, "dweights", (dweights.len(), &self.given.weights))?;
        operands.check(&self.destination)?;
        let positions = (geometry.examples * geometry.output.iter().product::<usize>()) as u64;
        let halves = size_of::<T>() == 2;
        let parts = Parts::for_device(geometry.weights() as u64, positions, halves, &Device::of(&dweights.core.device));
        self.offer_weights([&x, &dy], &dweights);
        operands.run(&geometry, [halves, T::BF16], parts, &mut self.destination)
    }

    /// Returns an error for a bias or an activation, which have no place in the derivatives of a convolution, and for
    /// Winograd's filtering, which does not compute them.
    fn expect_plain(&self) -> Result<(), OperationError> {
        if self.is_winograd {
            let expected = "omit it: it computes results, not derivatives";
            return Err(OPERATOR.choice("derivatives with", expected, "`winograd`".to_owned()));
        }
        if self.bias.is_none() && self.activation.is_none() {
            return Ok(());
        }
        let got = if self.bias.is_some() { "a bias" } else { "an activation" };
        Err(OPERATOR.choice("derivatives with", "omit it: it is applied after the convolution", got.to_owned()))
    }
}
