//! Variants for launches with different values that meet the same conditions, such as `n <= arrayLength(&x)`.
//!
//! When a kernel is compiled, the middle end lists conditions under which it could prove more accesses. They are
//! evaluated for each launch that no variant by values fits. After [`PATIENCE`] such launches a variant is compiled
//! under the assumption of the conditions that all of them met, and runs only for launches that meet these.

use std::sync::Arc;

use anywarp_backend::{BindingClass, BindingInfo, Program};
use anywarp_middle::analysis::Outer;

use super::{Choice, Common, PATIENCE, Seen, State, passed_by_value};
use crate::kernel::compiled::Compiled;
use crate::kernel::values::Values;

/// The greatest number of variants that are compiled for one kernel in its lifetime under conditions on its launches,
/// such as `n <= arrayLength(&x)`.
const MAX_VARIANTS: u32 = 4;

/// The conditions met by the launches whose values no variant has as constants, and the variant for these conditions.
pub(super) struct Related {
    pub(super) number: u64,
    pub(super) state: State,
    /// The conditions that all recorded launches met, with one bit for each.
    met: u64,
    /// The number of recorded launches; once a variant exists, the number of successive launches that the variant did
    /// not fit.
    launches: u32,
    made: u32,
}

impl Related {
    pub(super) fn new(number: u64) -> Self {
        Self { number, state: State::Watched, met: u64::MAX, launches: 0, made: 0 }
    }

    /// Returns the code for a launch whose values no variant has as constants. `differs` is whether these values differ
    /// from the recorded ones: launches with the same values get a variant with the values as constants.
    pub(super) fn choose(
        &mut self,
        seen: &Seen<'_>,
        (base, places): (&Compiled, &Values),
        differs: bool,
        patience: u32,
    ) -> Choice {
        let conditions = &base.of_launches.conditions;
        if conditions.count() == 0 {
            return Choice::Plain;
        }
        let met = || conditions.met(|outer| known(outer, seen, &base.program, places));
        match &self.state {
            State::Ready(compiled) if met() & self.met == self.met => {
                self.launches = 0;
                return Choice::Variant(Arc::clone(compiled));
            }
            State::Ready(_) | State::Useless => {
                self.launches += 1;
                if self.launches >= PATIENCE && self.made < MAX_VARIANTS {
                    (self.state, self.met, self.launches) = (State::Watched, u64::MAX, 0);
                }
                return Choice::Plain;
            }
            State::Watched if differs => {}
            State::Watched | State::Wanted => return Choice::Plain,
        }
        self.met &= met();
        self.launches += 1;
        if self.launches < patience {
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

/// The number of elements in the runtime-sized array of a binding with `bytes` bound to it.
pub(super) fn length(info: &BindingInfo, bytes: u64) -> Option<u32> {
    let (offset, stride) = info.layout.unsized_tail()?;
    u32::try_from(bytes.saturating_sub(u64::from(offset)) / u64::from(stride.max(1))).ok()
}

/// The value of `outer` in a launch of `program`; `None` if the host does not know this value.
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
                (Some(bound), _) => {
                    let range = passed_by_value(places, slot, *bound)?;
                    word(seen.values.get(range.start as usize..range.end as usize)?, offset)
                }
                // The last uniform of a folded kernel is the logical grid.
                (None, Some(logical)) => logical.get(usize::try_from(offset / 4).ok()?).copied(),
                (None, None) => None,
            }
        }
        Outer::Groups(axis) => seen.groups.and_then(|groups| groups.get(usize::from(axis)).copied()),
    }
}

/// The little-endian `u32` at an offset.
fn word(bytes: &[u8], offset: u32) -> Option<u32> {
    let bytes = bytes.get(offset as usize..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
