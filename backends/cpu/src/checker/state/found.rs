//! Findings in terms of the source: positions, variables and invocations.

use std::sync::Arc;

use anywarp_backend::{Finding, FindingKind, Invocation, Other, Spot, Touch};

use super::super::shadow::Mark;
use super::Checker;
use crate::ir::{Access, CheckKind};

impl Checker {
    pub(super) fn unwritten(&mut self, check: u32, local: u16, index: Option<i64>) {
        self.found(FindingKind::Uninitialised, check, local, index, None);
    }

    pub(super) fn found(&mut self, kind: FindingKind, check: u32, local: u16, index: Option<i64>, count: Option<u64>) {
        let checks = Arc::clone(&self.checks);
        let Some(place) = checks.place(check) else { return };
        let mut record = std::mem::take(&mut self.record);
        record.add(&checks, kind, check, u32::MAX, || {
            let finding = self.finding(kind, place.spot.clone(), &place.variable, Some(local));
            Finding { index, count, ..finding }
        });
        self.record = record;
    }

    pub(super) fn race(&mut self, now: Mark, access: Access, before: Mark, index: Option<i64>) {
        let checks = Arc::clone(&self.checks);
        let (Some(here), Some(there)) = (checks.place(now.check()), checks.place(before.check())) else { return };
        let across = now.group != before.group;
        let kind = if across { FindingKind::RaceAcrossWorkgroups } else { FindingKind::Race };
        let mut record = std::mem::take(&mut self.record);
        record.add(&checks, kind, now.check(), before.check(), || {
            let earlier = match checks.specs.get(before.check() as usize).map(|spec| &spec.kind) {
                Some(CheckKind::Access(reach)) => reach.access,
                _ => Access::Write,
            };
            let mut sides = [(here, now, access), (there, before, earlier)];
            // The later position first: a barrier is missing before it.
            let position = |spot: &Spot| (spot.line, spot.column);
            if position(&sides[0].0.spot) < position(&sides[1].0.spot) {
                sides.swap(0, 1);
            }
            let [(first, one, touch), (second, two, other)] = sides;
            let finding = self.finding(kind, first.spot.clone(), &first.variable, None);
            Finding {
                index,
                touch: Some(touch_of(touch)),
                invocation: Some(self.invocation_of(one)),
                other: Some(Other {
                    at: second.spot.clone(),
                    touch: Some(touch_of(other)),
                    invocation: self.invocation_of(two),
                }),
                ..finding
            }
        });
        self.record = record;
    }

    pub(super) fn finding(&self, kind: FindingKind, at: Spot, variable: &str, local: Option<u16>) -> Finding {
        Finding {
            kind,
            kernel: Arc::clone(&self.checks.kernel),
            at,
            variable: variable.to_owned(),
            index: None,
            count: None,
            touch: None,
            invocation: local.map(|local| self.invocation(local)),
            other: None,
            occurrences: 1,
        }
    }

    /// Returns the ids of an invocation of the current workgroup, by its `local_invocation_index`.
    pub(super) fn invocation(&self, local: u16) -> Invocation {
        self.invocation_in(self.workgroup, local)
    }

    fn invocation_of(&self, mark: Mark) -> Invocation {
        // Workgroups run in order, x fastest.
        let [x, y, _] = self.groups.map(|count| count.max(1));
        self.invocation_in([mark.group % x, mark.group / x % y, mark.group / x / y], mark.local)
    }

    fn invocation_in(&self, workgroup: [u32; 3], local: u16) -> Invocation {
        let [x, y, _] = self.checks.workgroup_size.map(|extent| extent.max(1));
        let local = u32::from(local);
        let local = [local % x, local / x % y, local / x / y];
        let global = std::array::from_fn(|axis| {
            workgroup[axis].wrapping_mul(self.checks.workgroup_size[axis]).wrapping_add(local[axis])
        });
        Invocation { workgroup, local, global }
    }
}

fn touch_of(access: Access) -> Touch {
    match access {
        Access::Read => Touch::Read,
        Access::Write | Access::Forget => Touch::Write,
        Access::AtomicRead | Access::AtomicWrite => Touch::Atomic,
    }
}
