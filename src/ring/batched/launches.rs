//! The number of messages that a launch handles for each actor.
//!
//! A launch costs some microseconds, so a submission of many messages shall have few. But the handlers of a launch share a
//! limit on loops, and drivers end launches that take seconds: the first submission has launches of few messages, and while
//! submissions are short, the next ones have launches of more.

use std::time::Duration;

use anywarp_backend::{BackendKind, Caps, DeviceKind};

use super::super::persistent::MOST;

/// The most messages of an actor in a launch.
const MOST_TOGETHER: u32 = 1 << 14;

/// A submission within this time may have launches of more messages.
const SHORT: Duration = Duration::from_millis(10);

/// After a submission that takes longer, launches have few messages again.
const LONG: Duration = Duration::from_millis(100);

/// The launches of the next submission.
pub(super) struct Launches {
    most: u32,
    limit: u32,
}

impl Launches {
    pub(super) fn new(caps: &Caps) -> Self {
        let real = matches!(caps.kind, DeviceKind::Discrete | DeviceKind::Integrated);
        let limit = match caps.backend {
            BackendKind::Cpu | BackendKind::Cuda => MOST_TOGETHER,
            BackendKind::Vulkan | BackendKind::Metal if real => MOST_TOGETHER,
            // Drivers that run on the processor end all loops of a launch after 65535 iterations, silently. Direct3D and
            // browsers may use such a driver without a sign of it.
            _ => MOST,
        };
        Self { most: MOST, limit }
    }

    /// The most messages that a launch handles for each actor.
    pub(super) fn most(&self) -> u32 {
        self.most
    }

    /// Adapts to a submission with so many launches.
    pub(super) fn took(&mut self, launches: u32, time: Duration) {
        if time > LONG {
            self.most = MOST;
        } else if time < SHORT && launches > 1 {
            self.most = (self.most * 4).min(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_submissions_have_longer_launches_on_devices_whose_loops_have_no_limit() {
        let mut launches = Launches::new(&Caps::new(BackendKind::Cuda, "a card"));
        launches.took(1, SHORT / 2);
        assert_eq!(launches.most(), MOST, "one launch was enough");
        for _ in 0..9 {
            launches.took(2, SHORT / 2);
        }
        assert_eq!(launches.most(), MOST_TOGETHER);
        launches.took(2, 2 * SHORT);
        assert_eq!(launches.most(), MOST_TOGETHER);
        launches.took(1, 2 * LONG);
        assert_eq!(launches.most(), MOST);

        let mut caps = Caps::new(BackendKind::Vulkan, "a driver");
        caps.kind = DeviceKind::Software;
        let mut software = Launches::new(&caps);
        software.took(9, SHORT / 2);
        assert_eq!(software.most(), MOST);
    }
}
