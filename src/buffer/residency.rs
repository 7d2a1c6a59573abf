//! The location of the current bytes of a buffer: a pure state machine over ranges.
//!
//! | state | on the host | on the device |
//! |---|---|---|
//! | `Uninit` | nothing | zeros |
//! | `HostOnly` | the data | zeros |
//! | `DeviceOnly` | nothing | the data |
//! | `Synced` | the data | the data |
//! | `HostDirty` | the data | an older version |
//! | `DeviceDirty` | an older version | the data |
//!
//! Only guards and commands change the states, through five transitions: `host_wrote`, `device_wrote`, `downloaded`,
//! `uploaded` and `host_forgot`. The module does not depend on a device; a test compares the states with a naive model,
//! byte by byte, over all short sequences of transitions.

use std::collections::BTreeMap;
use std::ops::Range;

use smallvec::SmallVec;

/// The location of the current version of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Uninit,
    HostOnly,
    DeviceOnly,
    Synced,
    HostDirty,
    DeviceDirty,
}

impl State {
    /// Whether the host's copy is current.
    pub(crate) fn on_host(self) -> bool {
        matches!(self, Self::HostOnly | Self::Synced | Self::HostDirty)
    }

    /// Whether the device's copy is current. The device's copy of an untouched range is current, as allocations are
    /// zeroed.
    pub(crate) fn on_device(self) -> bool {
        !matches!(self, Self::HostOnly | Self::HostDirty)
    }

    fn host_wrote(self) -> Self {
        match self {
            Self::Uninit | Self::HostOnly => Self::HostOnly,
            _ => Self::HostDirty,
        }
    }

    fn device_wrote(self) -> Self {
        match self {
            Self::Uninit | Self::DeviceOnly => Self::DeviceOnly,
            _ => Self::DeviceDirty,
        }
    }

    fn downloaded(self) -> Self {
        if self.on_device() { Self::Synced } else { self }
    }

    fn uploaded(self) -> Self {
        // The host's data is gone, as its staging memory was released for the upload.
        if self.on_device() { self } else { Self::DeviceOnly }
    }

    fn host_forgot(self) -> Self {
        match self {
            Self::Synced | Self::DeviceDirty => Self::DeviceOnly,
            other => other,
        }
    }
}

/// The states of all ranges of a buffer, as runs without gaps. Neighbouring runs always have different states.
///
/// The cost of a change depends on the number of runs within its range, not on the number of all runs.
#[derive(Clone, Debug)]
pub(crate) struct Residency {
    /// The start of each run and its state; the first one starts at 0.
    runs: BTreeMap<u64, State>,
    /// The end of the last run.
    bytes: u64,
}

impl Residency {
    /// The state of an untouched buffer.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { runs: BTreeMap::from([(0, State::Uninit)]), bytes }
    }

    /// Marks `range` as written by the host.
    pub(crate) fn host_wrote(&mut self, range: Range<u64>) {
        self.apply(range, State::host_wrote);
    }

    /// Marks `range` as written by a command; the command may also have left it unchanged.
    pub(crate) fn device_wrote(&mut self, range: Range<u64>) {
        self.apply(range, State::device_wrote);
    }

    /// Marks `range` as copied from the device to the host.
    pub(crate) fn downloaded(&mut self, range: Range<u64>) {
        self.apply(range, State::downloaded);
    }

    /// Marks `range` as copied from the host to the device; the host's staging memory is released.
    pub(crate) fn uploaded(&mut self, range: Range<u64>) {
        self.apply(range, State::uploaded);
    }

    /// Marks the host's copies of device data as discarded.
    pub(crate) fn host_forgot(&mut self) {
        self.apply(0..self.bytes, State::host_forgot);
    }

    /// Whether every byte of `range` satisfies `test`.
    pub(crate) fn all(&self, range: Range<u64>, test: impl Fn(State) -> bool) -> bool {
        match self.only() {
            Some(state) => range.is_empty() || test(state),
            None => self.parts(range).all(|(_, state)| test(state)),
        }
    }

    /// The parts of `range` that satisfy `test`; neighbours are joined.
    pub(crate) fn ranges(&self, range: Range<u64>, test: impl Fn(State) -> bool) -> Vec<Range<u64>> {
        if let Some(state) = self.only() {
            let range = range.start..range.end.min(self.bytes);
            return if test(state) && !range.is_empty() { vec![range] } else { Vec::new() };
        }
        let mut found: Vec<Range<u64>> = Vec::new();
        for (part, _) in self.parts(range).filter(|(_, state)| test(*state)) {
            match found.last_mut() {
                Some(last) if last.end == part.start => last.end = part.end,
                _ => found.push(part),
            }
        }
        found
    }

    /// The state of the whole buffer if there is only one, which is the usual case.
    fn only(&self) -> Option<State> {
        if self.runs.len() == 1 { self.runs.values().next().copied() } else { None }
    }

    /// The parts of `range` in order, each with its state.
    pub(crate) fn parts(&self, range: Range<u64>) -> impl Iterator<Item = (Range<u64>, State)> + '_ {
        let end = range.end.min(self.bytes);
        let first = self.runs.range(..=range.start).next_back().map_or(0, |run| *run.0);
        let mut runs = self.runs.range(first..).peekable();
        std::iter::from_fn(move || {
            let (&start, &state) = runs.next().filter(|run| *run.0 < end)?;
            let next = runs.peek().map_or(self.bytes, |run| *run.0);
            Some((start.max(range.start)..next.min(end), state))
        })
        .filter(|(part, _)| !part.is_empty())
    }

    fn apply(&mut self, range: Range<u64>, change: impl Fn(State) -> State) {
        let range = range.start..range.end.min(self.bytes);
        if range.is_empty() {
            return;
        }
        if range == (0..self.bytes) && self.runs.len() == 1 {
            return self.runs.values_mut().for_each(|state| *state = change(*state));
        }
        self.split(range.start);
        self.split(range.end);
        let mut before = self.runs.range(..range.start).next_back().map(|run| *run.1);
        let mut same = SmallVec::<[u64; 8]>::new();
        for (start, state) in self.runs.range_mut(range.clone()) {
            *state = change(*state);
            if before == Some(*state) {
                same.push(*start);
            }
            before = Some(*state);
        }
        // The run after the range may now have the same state.
        same.extend(self.runs.get(&range.end).filter(|after| before == Some(**after)).map(|_| range.end));
        for start in same {
            self.runs.remove(&start);
        }
    }

    /// Splits a run at `at`, if `at` is within the buffer.
    fn split(&mut self, at: u64) {
        if at < self.bytes
            && let Some((&start, &state)) = self.runs.range(..=at).next_back()
            && start < at
        {
            self.runs.insert(at, state);
        }
    }
}

#[cfg(test)]
mod tests;
