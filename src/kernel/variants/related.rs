//! Launches whose numbers differ, but not in how they relate: `n <= arrayLength(&x)` of any `n` and any `x`.
//!
//! The middle end finds the conditions that would prove something when the kernel is compiled. They are evaluated for each
//! launch that no other variant serves. After as many such launches as any variant takes, a variant is made for launches
//! that meet the conditions that all of them met.

use std::sync::Arc;

use anywarp_backend::{BindingClass, BindingInfo, Program};
use anywarp_middle::analysis::Outer;

use super::{Choice, Common, PATIENCE, Seen, State};
use crate::kernel::compiled::Compiled;
use crate::kernel::values::Values;

/// Variants of one kernel by conditions that are made at most, over all its life.
const MOST_MADE: u32 = 4;

/// The conditions of the launches that no other variant serves, and their variant.
pub(super) struct Related {
    pub(super) number: u64,
    pub(super) state: State,
    /// Conditions that all of them met, as bits.
    met: u64,
    /// Launches that were watched; then those, one after the other, that the variant did not serve.
    launches: u32,
    made: u32,
}

impl Related {
    pub(super) fn new(number: u64) -> Self {
        Self { number, state: State::Watched, met: u64::MAX, launches: 0, made: 0 }
    }

    /// The choice for a launch that no other variant serves. `differs` is true if it is unlike others: launches that are
    /// alike get a variant of their own.
    pub(super) fn choose(
        &mut self,
        seen: &Seen<'_>,
        (base, places): (&Compiled, &Values),
        differs: bool,
        patience: u32,
    ) -> Choice {
        let conditions = &base.of_launches.conditions;
        let watches = matches!(self.state, State::Watched);
        if conditions.count() == 0 || matches!(self.state, State::Wanted) || watches && !differs {
            return Choice::Plain;
        }
        let met = conditions.met(|outer| known(outer, seen, &base.program, places));
        match &self.state {
            State::Ready(compiled) if met & self.met == self.met => {
                self.launches = 0;
                return Choice::Variant(Arc::clone(compiled));
            }
            State::Ready(_) | State::Useless => {
                self.launches += 1;
                if self.launches >= PATIENCE && self.made < MOST_MADE {
                    (self.state, self.met, self.launches) = (State::Watched, u64::MAX, 0);
                }
                return Choice::Plain;
            }
            State::Watched | State::Wanted => {}
        }
        self.met &= met;
        self.launches += 1;
        if self.launches < patience || self.made >= MOST_MADE {
            return Choice::Plain;
        }
        self.launches = 0;
        if self.met == 0 {
            self.met = u64::MAX;
            return Choice::Plain;
        }
        self.made += 1;
        self.state = State::Wanted;
        Choice::Wanted(self.number, Common::Conditions(self.met))
    }
}

/// The number of elements that a launch binds to the unsized array of a binding.
pub(super) fn length(info: &BindingInfo, bytes: u64) -> Option<u32> {
    let (offset, stride) = info.layout.unsized_tail()?;
    u32::try_from(bytes.saturating_sub(u64::from(offset)) / u64::from(stride.max(1))).ok()
}

/// A number of a launch of `program`, where the host knows it.
fn known(outer: Outer, seen: &Seen<'_>, program: &Program, places: &Values) -> Option<u32> {
    let slot_of = |resource| program.bindings.iter().position(|info| info.resource == resource);
    match outer {
        Outer::Length(resource) => {
            let slot = slot_of(resource)?;
            let info = program.bindings.get(slot).filter(|info| info.class != BindingClass::Uniform)?;
            length(info, *seen.bytes.get(slot)?)
        }
        Outer::Word(None, offset) => word(seen.values.get(places.immediate.start as usize..)?, offset),
        Outer::Word(Some(resource), offset) => {
            let slot = slot_of(resource)?;
            match (seen.bytes.get(slot), seen.logical) {
                // One in a buffer has values that the host does not know.
                (Some(bound), _) => {
                    let range = places.uniform(slot).filter(|_| *bound == 0)?;
                    word(seen.values.get(range.start as usize..range.end as usize)?, offset)
                }
                // The logical grid is a uniform behind all others.
                (None, Some(logical)) => logical.get(usize::try_from(offset / 4).ok()?).copied(),
                (None, None) => None,
            }
        }
        Outer::Groups(axis) => seen.groups.and_then(|groups| groups.get(usize::from(axis)).copied()),
    }
}

/// Four bytes as they are on the device.
fn word(bytes: &[u8], offset: u32) -> Option<u32> {
    let bytes = bytes.get(offset as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
