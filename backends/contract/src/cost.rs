//! The cost of copies between host and device, as values.

use std::time::Duration;

/// The cost of copies between host and device, measured when the device was opened.
///
/// [`Default`] is used where nothing can be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyCost {
    /// From the host to the device, including the host's write into the staging memory.
    pub up: OneWay,
    /// From the device to the host.
    pub down: OneWay,
}

/// The cost of copies in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneWay {
    /// The time that each further copy in a submission takes, whatever its length.
    pub command: Duration,
    /// The rate of a copy in bytes per second, without `command`.
    pub rate: f64,
}

impl OneWay {
    /// The cost on a device that was not measured: gaps of up to 4,000 bytes are copied too. (Measured gaps, up and
    /// down: 900 and 2,000 on the processor, 7,700 and 33,000 with llvmpipe.)
    pub const ASSUMED: Self = Self { command: Duration::from_micros(1), rate: 4e9 };

    /// The longest gap in bytes between two ranges that is cheaper to copy than to skip: one copy over the gap takes no
    /// longer than two copies.
    ///
    /// ```
    /// # use std::time::Duration;
    /// let cost = anywarp_backend::OneWay { command: Duration::from_micros(2), rate: 10e9 };
    /// assert_eq!(cost.gap(), 20_000);
    /// ```
    #[must_use]
    pub fn gap(&self) -> u64 {
        (self.command.as_secs_f64() * self.rate) as u64
    }
}

impl Default for CopyCost {
    fn default() -> Self {
        Self { up: OneWay::ASSUMED, down: OneWay::ASSUMED }
    }
}
