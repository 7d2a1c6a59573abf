//! The calls that fail, and how.

use std::time::Duration;

/// A method of a backend whose calls can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// [`Backend::allocate`](anywarp_backend::Backend::allocate)
    Allocate,
    /// [`Backend::map`](anywarp_backend::Backend::map)
    Map,
    /// [`Backend::host`](anywarp_backend::Backend::host)
    Host,
    /// [`Backend::unmap`](anywarp_backend::Backend::unmap): a fault can lose the device, but the call still succeeds.
    Unmap,
    /// [`Backend::compile`](anywarp_backend::Backend::compile)
    Compile,
    /// [`Backend::submit`](anywarp_backend::Backend::submit)
    Submit,
}

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// [`BackendError::OutOfMemory`](anywarp_backend::BackendError::OutOfMemory)
    OutOfMemory,
    /// [`BackendError::Rejected`](anywarp_backend::BackendError::Rejected)
    Refused,
    /// [`BackendError::Lost`](anywarp_backend::BackendError::Lost), for this call and all later ones.
    Lost,
}

/// The calls that fail. Calls are counted from 0, beginning when the [`Faults`] were set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Only the call with this number.
    Nth(u64),
    /// The call with this number and all later ones.
    From(u64),
    /// All calls that request more bytes than this; only [`Call::Allocate`] requests any.
    Above(u64),
}

impl When {
    fn matches(self, nth: u64, bytes: u64) -> bool {
        match self {
            Self::Nth(wanted) => nth == wanted,
            Self::From(first) => nth >= first,
            Self::Above(most) => bytes > most,
        }
    }
}

/// The time at which submitted work and mappings end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// The work ends when the wrapped backend has finished it.
    #[default]
    Usual,
    /// The work does not end before [`FaultyBackend::open_gate`](crate::FaultyBackend::open_gate) is called.
    Gated,
    /// The work does not end before this time has passed since its submission.
    Delayed(Duration),
}

#[derive(Clone, Debug)]
struct Rule {
    /// The method whose calls fail; `None` for every method.
    call: Option<Call>,
    fault: Fault,
    when: When,
    seen: u64,
}

/// The calls that fail, and the pace of work.
///
/// ```
/// use anywarp_null::{Call, Fault, Pace, Faults, When};
///
/// let full = Faults::new().fail(Call::Allocate, Fault::OutOfMemory, When::From(3));
/// let gone = Faults::new().fail_any(Fault::Lost, When::Nth(7)).pace(Pace::Gated);
/// # let _ = (full, gone);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rules: Vec<Rule>,
    pub(crate) pace: Pace,
}

impl Faults {
    /// Returns faults with which no call fails.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes calls of one kind fail.
    #[must_use]
    pub fn fail(mut self, call: Call, fault: Fault, when: When) -> Self {
        self.rules.push(Rule { call: Some(call), fault, when, seen: 0 });
        self
    }

    /// Makes calls of all kinds fail, counted together.
    #[must_use]
    pub fn fail_any(mut self, fault: Fault, when: When) -> Self {
        self.rules.push(Rule { call: None, fault, when, seen: 0 });
        self
    }

    /// Sets the pace of work.
    #[must_use]
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Counts a call; returns the fault of the first rule that applies.
    pub(crate) fn count(&mut self, call: Call, bytes: u64) -> Option<Fault> {
        let mut fault = None;
        for rule in self.rules.iter_mut().filter(|rule| rule.call.is_none_or(|wanted| wanted == call)) {
            if rule.when.matches(rule.seen, bytes) {
                fault = fault.or(Some(rule.fault));
            }
            rule.seen += 1;
        }
        fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_counts_its_own_calls() {
        let mut faults = Faults::new()
            .fail(Call::Allocate, Fault::OutOfMemory, When::Nth(1))
            .fail(Call::Allocate, Fault::Refused, When::Above(100))
            .fail(Call::Submit, Fault::Refused, When::From(1))
            .fail_any(Fault::Lost, When::Nth(6));
        let calls = [(Call::Allocate, 8), (Call::Submit, 0), (Call::Allocate, 8), (Call::Allocate, 101)];
        let fired: Vec<_> = calls.into_iter().map(|(call, bytes)| faults.count(call, bytes)).collect();
        assert_eq!(fired, [None, None, Some(Fault::OutOfMemory), Some(Fault::Refused)]);
        assert_eq!(faults.count(Call::Submit, 0), Some(Fault::Refused));
        assert_eq!(faults.count(Call::Submit, 0), Some(Fault::Refused));
        assert_eq!(faults.count(Call::Unmap, 0), Some(Fault::Lost));
    }
}
