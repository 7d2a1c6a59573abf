//! Methods that return the device of a buffer or a kernel.

use super::Device;
use crate::buffer::UnifiedBuffer;
use crate::element::Element;
use crate::kernel::Kernel;

impl<T: Element> UnifiedBuffer<T> {
    /// A handle of the device that the buffer belongs to: a clone of the [`Device`] that created it.
    ///
    /// Use it in functions that receive only buffers. Opening the same device again would create an independent
    /// [`Device`], whose buffers and kernels cannot be combined with this buffer.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::{Result, UnifiedBuffer};
    ///
    /// fn doubled(x: &UnifiedBuffer<f32>) -> Result<UnifiedBuffer<f32>> {
    ///     let mut y = x.device().buffer::<f32>(x.len())?;
    ///     y.copy_from(x)?;
    ///     // ... launches of kernels of the same device ...
    ///     Ok(y)
    /// }
    ///
    /// let x = anywarp::Device::open("cpu")?.buffer_from(&[1.0f32, 2.0])?;
    /// assert_eq!(*doubled(&x)?.read()?, [1.0, 2.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn device(&self) -> Device {
        Device::of(&self.core.device)
    }
}

impl Kernel {
    /// A handle of the device that the kernel belongs to: a clone of the [`Device`] that created it.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::of(&self.device)
    }
}
