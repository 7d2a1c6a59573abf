//! The cost of copies between host and device, as values.

use std::time::Duration;

/// The cost of copies between host and device, measured when the device was opened.
///
/// Where nothing can be measured, the [`Default`] is assumed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyCost {
    /// From the host to the device, the host's writing included.
    pub up: OneWay,
    /// From the device to the host.
    pub down: OneWay,
}

/// The cost of copies one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneWay {
    /// The time that one more copy in a submission takes, however short.
    pub command: Duration,
    /// Bytes a second, once a copy has begun.
    pub rate: f64,
}

impl OneWay {
    /// The cost on a device that was not measured: a gap of up to 4,000 bytes is copied along. (Measured were 900 and
    /// 2,000 on the processor, 7,700 and 33,000 through llvmpipe, up and down.)
    pub const ASSUMED: Self = Self { command: Duration::from_micros(1), rate: 4e9 };

    /// The longest gap, in bytes, that is cheaper to copy along than to leave out: a copy that goes on over
    /// it takes no longer than a second one.
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
