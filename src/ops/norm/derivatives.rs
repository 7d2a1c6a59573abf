//! The calls for the derivatives of a norm.

use super::super::channels::launch::Arrays;
use super::super::channels::plan::Sizes;
use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::plan::Cost;
use super::super::rows::elements::FloatElement;
use super::super::rows::launch::{choice, starts};
use super::super::rows::plan::{Planned, Shape, plan};
use super::run::Call;
use super::{Norm, OPERATOR, Rows, backward, weights};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;

impl<T: FloatElement> Norm<'_, T> {
    /// Computes the derivatives `dx` by the elements, from the elements `x`, the derivatives `dy` by the results, and
    /// the [`statistics`](Self::statistics) of the rows. With `n = (x - mean) * inverse` and `g = dy * scale`, it is
    /// `dx = inverse * (g - mean(g) - n * mean(g * n))`, without `mean(g)` for [`rms`](Self::rms).
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Norm;
    ///
    /// let (x, dy) = (device.buffer_from(&[1.0f32, 3.0, 3.0])?, device.buffer_from(&[6.0f32, 0.0, 0.0])?);
    /// let (mut means, mut inverses) = (device.buffer::<f32>(1)?, device.buffer::<f32>(1)?);
    /// let (mut y, mut dx) = (device.buffer::<f32>(3)?, device.buffer::<f32>(3)?);
    /// Norm::layer(3).statistics(&mut means, &mut inverses).run(&x, &mut y)?;
    /// Norm::layer(3).backward(&x, &dy, &means, &inverses, &mut dx)?;
    /// // A row of two different numbers has the same results at any distance.
    /// assert!(dx.read()?.iter().all(|dx| dx.abs() < 1e-3));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`OperationError::Choice`] with [`statistics`](Self::statistics), which are arguments
    /// here.
    pub fn backward<'x, 'd, 'm, 'i, 'o>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        dy: impl Into<Slice<'d, T>>,
        means: impl Into<Slice<'m, f32>>,
        inverses: impl Into<Slice<'i, f32>>,
        dx: impl Into<SliceMut<'o, T>>,
    ) -> Result<(), OperationError> {
        let (x, dy, means, inverses, dx) = (x.into(), dy.into(), means.into(), inverses.into(), dx.into());
        self.no_statistics()?;
        let call = self.call(x.len(), &[])?;
        let scale = self.scale.as_ref().map(|scale| operands::bytes(OPERATOR, "scale", scale)).transpose()?;
        let operands = backward::Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            dy: operands::bytes(OPERATOR, "dy", &dy)?,
            scale,
            means: operands::bytes(OPERATOR, "means", &means)?,
            inverses: operands::bytes(OPERATOR, "inverses", &inverses)?,
            dx: operands::bytes_mut(OPERATOR, "dx", &dx)?,
        };
        let weights = self.weights(&call);
        operands::expect(OPERATOR, "dy", (dy.len(), &[x.len()]))?;
        operands::expect(OPERATOR, "dx", (dx.len(), &[x.len()]))?;
        operands::expect(OPERATOR, "scale", (self.scale.as_ref().map_or(weights, Slice::len), &[weights]))?;
        operands::expect(OPERATOR, "means", (means.len(), &[call.shape.rows as usize]))?;
        operands::expect(OPERATOR, "inverses", (inverses.len(), &[call.shape.rows as usize]))?;
        operands.check(&self.destination)?;
        let mut read = vec![&operands.x, &operands.dy];
        read.extend(operands.scale.as_ref());
        let call = self.call(x.len(), &starts(&read, &[&operands.dx]))?;
        let planned = self.planned_backward(&call, &Device::of(&dx.core.device));
        operands.run(call, &planned, &mut self.destination)
    }

    /// Computes the derivatives by scale and bias, sums over all rows in `f32`: with `n = (x - mean) * inverse`,
    /// `dscale = sum(dy * n)` and `dbias = sum(dy)`. Those of [`group`](Self::group) and [`instance`](Self::instance)
    /// have an element for each channel, and are sums over all of its elements, too.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// use anywarp::ops::Norm;
    ///
    /// let (x, dy) = (device.buffer_from(&[1.0f32, 3.0, 9.0, 5.0])?, device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?);
    /// let (means, inverses) = (device.buffer_from(&[2.0f32, 7.0])?, device.buffer_from(&[1.0f32, 0.5])?);
    /// let (mut dscale, mut dbias) = (device.buffer::<f32>(2)?, device.buffer::<f32>(2)?);
    /// Norm::layer(2).backward_weights(&x, &dy, &means, &inverses, &mut dscale, &mut dbias)?;
    /// assert_eq!((dscale.read()?.to_vec(), dbias.read()?.to_vec()), (vec![2.0, -2.0], vec![4.0, 6.0]));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`backward`](Self::backward).
    pub fn backward_weights<'x, 'd, 'm, 'i, 's, 'b>(
        mut self,
        x: impl Into<Slice<'x, T>>,
        dy: impl Into<Slice<'d, T>>,
        means: impl Into<Slice<'m, f32>>,
        inverses: impl Into<Slice<'i, f32>>,
        dscale: impl Into<SliceMut<'s, f32>>,
        dbias: impl Into<SliceMut<'b, f32>>,
    ) -> Result<(), OperationError> {
        let (x, dy, means, inverses) = (x.into(), dy.into(), means.into(), inverses.into());
        let (dscale, dbias) = (dscale.into(), dbias.into());
        self.no_statistics()?;
        let call = self.call(x.len(), &[])?;
        let operands = weights::Operands {
            x: operands::bytes(OPERATOR, "x", &x)?,
            dy: operands::bytes(OPERATOR, "dy", &dy)?,
            means: operands::bytes(OPERATOR, "means", &means)?,
            inverses: operands::bytes(OPERATOR, "inverses", &inverses)?,
            by_scale: operands::bytes_mut(OPERATOR, "dscale", &dscale)?,
            by_bias: operands::bytes_mut(OPERATOR, "dbias", &dbias)?,
        };
        let (rows, length) = (call.shape.rows as usize, self.weights(&call));
        operands::expect(OPERATOR, "dy", (dy.len(), &[x.len()]))?;
        operands::expect(OPERATOR, "means", (means.len(), &[rows]))?;
        operands::expect(OPERATOR, "inverses", (inverses.len(), &[rows]))?;
        operands::expect(OPERATOR, "dscale", (dscale.len(), &[length]))?;
        operands::expect(OPERATOR, "dbias", (dbias.len(), &[length]))?;
        operands.check(&self.destination)?;
        if let (Rows::Groups([examples, channels, inner], groups), Some(by_channel)) = (self.rows, call.by_channel) {
            let [examples, channels, inner] = [examples, channels, inner].map(|size| size as u64);
            let arrays =
                Arrays { sizes: Sizes { examples, channels, inner }, halves: call.shape.halves, bf16: call.bf16 };
            return operands.run_by_channel(arrays, [groups, by_channel.channels], &mut self.destination);
        }
        let (Shape { rows, length, halves, .. }, device) = (call.shape, Device::of(&dscale.core.device));
        let parts = weights::Parts::for_device(rows, length, halves, &device);
        operands.run(call, parts, &mut self.destination)
    }

    /// Returns an error if statistics are to be written, which only the norm itself does.
    fn no_statistics(&self) -> Result<(), OperationError> {
        if self.statistics.is_none() {
            return Ok(());
        }
        let expected = "pass them as arguments of the derivatives";
        Err(OPERATOR.choice("statistics", expected, "as outputs".to_owned()))
    }

    fn planned_backward(&self, call: &Call, device: &Device) -> Planned {
        let Shape { rows, length, .. } = call.shape;
        let elements = rows.saturating_mul(length);
        let flops = elements.saturating_mul(if self.centred { 9 } else { 7 });
        let bytes = elements.saturating_mul(3 * size_of::<T>() as u64).saturating_add(rows.saturating_mul(8));
        plan(call.shape, choice("norm_backward", call.shape, device), [flops, bytes])
    }

    /// The cost of [`backward`](Self::backward), as [`cost`](Self::cost). An element counts nine operations, without a
    /// mean seven.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let cost = anywarp::ops::Norm::<f32>::layer(100).cost_of_backward(&device, 1000)?;
    /// assert_eq!((cost.flops, cost.bytes), (9000, 12_080));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`cost`](Self::cost).
    pub fn cost_of_backward(&self, device: &Device, length: usize) -> Result<Cost, OperationError> {
        let call = self.call(length, &[])?;
        Ok(self.planned_backward(&call, device).plan.cost())
    }
}
