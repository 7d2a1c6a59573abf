//! The workgroups of one dispatch, on one or several threads.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BackendError, Findings, ObservedKernel};

use crate::abi::{Frame, Slot, Stop};
use crate::checker::{Checker, Checks};
use crate::execute::scratch;
use crate::kernel::Kernel;
use crate::observer::{Observer, Sample};
use crate::reports::Receiver;

/// The data of a dispatch that all its threads share.
pub(crate) struct Dispatch<'a> {
    kernel: &'a Kernel,
    slots: *const Slot,
    immediates: *const u8,
    groups: [u32; 3],
    steps: u64,
}

// SAFETY: the pointers are only read, and kernels may run on any thread; `new` requires that the pointers stay valid.
unsafe impl Sync for Dispatch<'_> {}

impl<'a> Dispatch<'a> {
    /// Returns a dispatch of `groups` workgroups. `steps` is the value of [`Frame::steps`].
    ///
    /// # Safety
    /// While the dispatch lives, `slots` points to a valid slot for each of the kernel's bindings, and `immediates` to
    /// the kernel's immediates, each with guards around it.
    pub(crate) unsafe fn new(
        kernel: &'a Kernel,
        slots: *const Slot,
        immediates: *const u8,
        groups: [u32; 3],
        steps: u64,
    ) -> Self {
        Self { kernel, slots, immediates, groups, steps }
    }

    /// The number of workgroups, saturated at `u64::MAX`, which already takes centuries.
    pub(crate) fn count(&self) -> u64 {
        let [x, y, z] = self.groups.map(u64::from);
        x.saturating_mul(y.saturating_mul(z))
    }

    /// Runs the workgroups with these numbers; x varies fastest in the numbering.
    ///
    /// # Errors
    /// [`BackendError::Stopped`], or [`BackendError::OutOfMemory`] for scratch memory.
    pub(crate) fn run(&self, range: Range<u64>) -> Result<(), BackendError> {
        self.run_with(range, None)
    }

    /// Runs all workgroups of a checked kernel in order.
    ///
    /// # Errors
    /// As [`run`](Self::run); the findings so far are returned as well.
    pub(crate) fn run_checked(&self, checks: &Arc<Checks>) -> (Result<(), BackendError>, Findings) {
        let mut receiver = Receiver::Checker(Checker::new(checks, self.groups));
        let result = self.run_with(0..self.count(), Some(&mut receiver));
        let findings = match &mut receiver {
            Receiver::Checker(checker) => checker.findings(),
            Receiver::Observer(_) => Findings::default(),
        };
        (result, findings)
    }

    /// Runs all workgroups of an observed kernel in order, and returns the counts.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn run_observed(&self, checks: &Arc<Checks>) -> (Result<(), BackendError>, Option<ObservedKernel>) {
        let mut receiver = Receiver::Observer(Observer::new(checks));
        let result = self.run_with(0..self.count(), Some(&mut receiver));
        match receiver {
            Receiver::Observer(observer) if self.count() > 0 => (result, Some(observer.finish(self.count()))),
            _ => (result, None),
        }
    }

    fn run_with(&self, range: Range<u64>, receiver: Option<&mut Receiver>) -> Result<(), BackendError> {
        let machine = &self.kernel.machine;
        scratch::with(machine.workgroup_bytes, machine.frame_bytes, |places| {
            let mut frame = Frame {
                slots: self.slots,
                immediates: self.immediates,
                workgroup: places.workgroup,
                private: places.private,
                groups: self.groups,
                site: u32::MAX,
                steps: self.steps,
                receiver: std::ptr::null_mut(),
                nowhere: places.nowhere,
            };
            if let Some(receiver) = receiver {
                return rows(self.groups, range, |x, y, z| {
                    x.into_iter().try_for_each(|x| self.one(&mut frame, receiver, [x, y, z]))
                });
            }
            rows(self.groups, range, |x, y, z| {
                frame.steps = self.steps;
                // SAFETY: the frame has everything that the kernel was compiled for: slots and immediates by `new`, the
                // rest from `scratch`, with the required sizes.
                let stop = unsafe { (machine.entry)(&mut frame, x.start, x.end, y, z) };
                if stop == Stop::Done as u32 { Ok(()) } else { Err(self.kernel.stopped(stop, frame.site, self.steps)) }
            })
        })
    }
}

impl Dispatch<'_> {
    /// Runs one workgroup that reports.
    fn one(&self, frame: &mut Frame, receiver: &mut Receiver, [x, y, z]: [u32; 3]) -> Result<(), BackendError> {
        let [width, height, _] = self.groups.map(u64::from);
        let number = (u64::from(z) * height + u64::from(y)) * width + u64::from(x);
        let listens = match receiver {
            Receiver::Checker(checker) => {
                checker.begin([x, y, z]);
                true
            }
            Receiver::Observer(_) => Sample::new(self.count()).contains(number),
        };
        frame.steps = self.steps;
        frame.receiver = if listens { std::ptr::from_mut(receiver).cast() } else { std::ptr::null_mut() };
        // SAFETY: as in `run_with`; only the kernel uses the receiver until it returns.
        let stop = unsafe { (self.kernel.machine.entry)(frame, x, x + 1, y, z) };
        frame.receiver = std::ptr::null_mut();
        let mut site = frame.site;
        match receiver {
            Receiver::Checker(checker) if stop == Stop::Done as u32 => checker.end(),
            Receiver::Checker(checker) => site = checker.stopped(stop, frame.site, self.steps),
            Receiver::Observer(observer) if listens => observer.end(),
            Receiver::Observer(_) => {}
        }
        if stop == Stop::Done as u32 { Ok(()) } else { Err(self.kernel.stopped(stop, site, self.steps)) }
    }
}

/// Splits a range of a grid's workgroups into pieces of rows along x, and calls `run` with x range, y and z of each.
fn rows<E>(
    groups: [u32; 3],
    range: Range<u64>,
    mut run: impl FnMut(Range<u32>, u32, u32) -> Result<(), E>,
) -> Result<(), E> {
    let [width, height, _] = groups.map(u64::from);
    if range.is_empty() || width == 0 || height == 0 {
        return Ok(());
    }
    let row = range.start / width;
    // Each coordinate is below the grid's extent on its axis, which is 32 bits wide.
    let (mut x, mut y, mut z) = (range.start % width, row % height, row / height);
    let mut left = range.end - range.start;
    while left > 0 {
        let end = width.min(x + left);
        run(x as u32..end as u32, y as u32, z as u32)?;
        left -= end - x;
        x = 0;
        y += 1;
        if y == height {
            (y, z) = (0, z + 1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Piece = (Range<u32>, u32, u32);

    fn pieces(groups: [u32; 3], range: Range<u64>) -> Vec<Piece> {
        let mut found = Vec::new();
        let result: Result<(), ()> = rows(groups, range, |x, y, z| {
            found.push((x, y, z));
            Ok(())
        });
        result.unwrap();
        found
    }

    #[test]
    fn ranges_become_pieces_of_rows() {
        assert_eq!(pieces([4, 2, 2], 0..4), [(0..4, 0, 0)]);
        assert_eq!(pieces([4, 2, 2], 3..9), [(3..4, 0, 0), (0..4, 1, 0), (0..1, 0, 1)]);
        assert_eq!(pieces([1, 1, 3], 1..3), [(0..1, 0, 1), (0..1, 0, 2)]);
        assert_eq!(pieces([4, 2, 2], 7..7), []);
    }

    #[test]
    fn every_way_to_cut_a_grid_covers_it() {
        let groups = [3, 4, 2];
        for cut in 0..=24 {
            let mut all: Vec<[u32; 3]> = Vec::new();
            for (x, y, z) in pieces(groups, 0..cut).into_iter().chain(pieces(groups, cut..24)) {
                all.extend(x.map(|x| [x, y, z]));
            }
            let wanted: Vec<[u32; 3]> = (0..24).map(|at| [at % 3, at / 3 % 4, at / 12]).collect();
            assert_eq!(all, wanted);
        }
    }

    #[test]
    fn grids_of_two_to_the_31_and_more() {
        let far = 1 << 31;
        assert_eq!(pieces([far, 1, 1], 0..1 << 31), [(0..far, 0, 0)]);
        assert_eq!(pieces([far, 4, 1], (1 << 32) - 1..(1 << 32) + 1), [(far - 1..far, 1, 0), (0..1, 2, 0)]);
        assert_eq!(pieces([1, far, 2], (1 << 31) - 1..(1 << 31) + 1), [(0..1, far - 1, 0), (0..1, 0, 1)]);
        let most = u32::MAX;
        assert_eq!(
            pieces([most, most, 1], u64::from(most) * u64::from(most) - 1..u64::from(most) * u64::from(most)),
            [(most - 1..most, most - 1, 0)]
        );
    }
}
