//! The cost of copies between host and device, as values.

use std::time::Duration;

/// The cost of copies between host and device, measured when the device was opened.
///
/// The [`Default`] is the cost assumed for a device on which nothing was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyCost {
    /// The cost of copies from the host to the device, including the host's write into the staging memory.
    pub up: OneWay,
    /// The cost of copies from the device to the host.
    pub down: OneWay,
}

/// The cost of copies in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneWay {
    /// The fixed time that each further copy in a submission takes, whatever the length of the copy.
    pub command: Duration,
    /// The rate of a copy in bytes per second, without the fixed time `command`.
    pub rate: f64,
}

impl OneWay {
    /// The cost assumed for a device that was not measured: its [`gap`](Self::gap) is 4,000 bytes. (Measured gaps in
    /// bytes, to and from the device: 900 and 2,000 on the processor, 7,700 and 33,000 with llvmpipe.)
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
