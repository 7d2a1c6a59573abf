//! Cases, each of which must succeed on every device.

use std::future::Future;
use std::pin::Pin;

use anywarp::Device;

use crate::suite::kernels::still_works;
use anywarp_testing_devices::outcome::{Context, TestResult};

/// A case that has started.
pub(crate) type Running<'d> = Pin<Box<dyn Future<Output = TestResult> + 'd>>;

/// A named case that must succeed on every device.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) run: for<'d> fn(&'d Device) -> Running<'d>,
}

impl Case {
    /// Runs the case, and then checks that the device still works.
    pub(crate) async fn outcome(&self, device: &Device) -> TestResult {
        (self.run)(device).await?;
        still_works(device).await.context(|| "after the case".to_owned())
    }
}

/// A table of cases: `cases![timings, waiting, typed_f16 = halves]` runs `timings(device)`,
/// `waiting(device)` and, under the name `typed_f16`, `halves(device)`.
macro_rules! cases {
    (@run $device:ident $name:ident) => { $name($device) };
    (@run $device:ident $name:ident $run:expr) => { ($run)($device) };
    ($($name:ident $(= $run:expr)?),* $(,)?) => {
        &[$($crate::suite::case::Case {
            name: stringify!($name),
            run: |device| Box::pin($crate::suite::case::cases!(@run device $name $($run)?)),
        }),*]
    };
}

pub(crate) use cases;
