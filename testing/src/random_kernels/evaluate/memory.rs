//! Variables: slots of calls, and globals.

use super::races::Touch;
use super::{Machine, Stop};
use crate::random_kernels::ast::{Address, Base, Outside, Place, Root, Space, Step, Value};
use crate::random_kernels::print::CONSTANTS;

/// The memory of a module-scope variable.
pub(crate) enum Held {
    /// One value for all invocations.
    One(Value),
    /// One value for each invocation of the workgroup.
    Each(Vec<Value>),
}

/// The variables of one function call, for a range of lanes.
pub(crate) struct Frame {
    first: usize,
    slots: usize,
    values: Vec<Value>,
    /// The lanes that have returned, each with its result.
    pub returned: Vec<(usize, Value)>,
    /// The lanes that left the innermost loops and switches, by `break` and by `continue`.
    pub left: Vec<[Vec<usize>; 2]>,
}

impl Frame {
    pub(crate) fn new(first: usize, lanes: usize, slots: usize) -> Self {
        let values = vec![Value::Bool(false); lanes * slots];
        Self { first, slots, values, returned: Vec::new(), left: Vec::new() }
    }

    pub(crate) fn slot(&mut self, slot: usize, lane: usize) -> &mut Value {
        &mut self.values[(lane - self.first) * self.slots + slot]
    }
}

impl<'p> Machine<'p> {
    /// Evaluates the indices of a place, and returns its address for one lane.
    pub(super) fn address(&mut self, place: &'p Place, lane: usize) -> Result<Address, Stop> {
        let depth = self.frames.len() - 1;
        let mut address = match place.root {
            Root::Slot(slot) => Address { base: Base::Slot(depth, slot), path: Vec::new() },
            Root::Global(global) => Address { base: Base::Global(global), path: Vec::new() },
            Root::Deref(slot) => match self.frames[depth].slot(slot, lane) {
                Value::Pointer(address) => address.clone(),
                _ => return Err(Stop("a pointer is missing")),
            },
        };
        for step in &place.path {
            address.path.push(match step {
                Step::Index(index) => self.index(index, lane)?,
                Step::Member(at) => *at,
                Step::Component(at) => usize::from(*at),
            });
        }
        Ok(address)
    }

    pub(super) fn load(&mut self, address: &Address, lane: usize) -> Result<Value, Stop> {
        let (address, _) = self.settle(address, lane)?;
        self.note(&address, lane, Touch::Read)?;
        Ok(self.find(&address, lane)?.clone())
    }

    pub(super) fn store(&mut self, address: &Address, lane: usize, value: Value) -> Result<(), Stop> {
        let (address, inside) = self.settle(address, lane)?;
        if !inside {
            return Ok(());
        }
        self.note(&address, lane, Touch::Write)?;
        *self.find(&address, lane)? = value;
        Ok(())
    }

    /// Clamps the indices of an address to the last elements, and returns whether all were in range.
    pub(super) fn settle(&mut self, address: &Address, lane: usize) -> Result<(Address, bool), Stop> {
        if self.program.outside == Outside::Undefined {
            return Ok((address.clone(), true));
        }
        let (mut settled, mut inside) = (Address { base: address.base, path: Vec::new() }, true);
        for at in &address.path {
            let Value::Many(parts) = self.find(&settled, lane)? else {
                return Err(Stop("an index into a scalar"));
            };
            let last = parts.len().checked_sub(1).ok_or(Stop("an array is empty"))?;
            inside &= *at <= last;
            settled.path.push(last.min(*at));
        }
        self.outside += u64::from(!inside);
        Ok((settled, inside))
    }

    pub(super) fn find(&mut self, address: &Address, lane: usize) -> Result<&mut Value, Stop> {
        let mut value = match address.base {
            Base::Slot(depth, slot) => self.frames[depth].slot(slot, lane),
            Base::Global(index) if index >= CONSTANTS => {
                self.constants.get_mut(index - CONSTANTS).ok_or(Stop("a constant is missing"))?
            }
            Base::Global(index) => match &mut self.globals[index] {
                Held::One(value) => value,
                Held::Each(values) => &mut values[lane],
            },
        };
        for at in &address.path {
            let Value::Many(parts) = value else { return Err(Stop("an index into a scalar")) };
            value = parts.get_mut(*at).ok_or(Stop("an index is out of range"))?;
        }
        Ok(value)
    }

    /// Reports an access of shared memory to the race detector.
    pub(super) fn note(&mut self, address: &Address, lane: usize, touch: Touch) -> Result<(), Stop> {
        let Base::Global(index) = address.base else { return Ok(()) };
        let Some(global) = self.program.globals.get(index) else { return Ok(()) };
        let (epoch, by) = match global.space {
            Space::Workgroup => (self.epoch, lane),
            Space::Output => (1, self.group * self.size + lane),
            _ => return Ok(()),
        };
        match (address.path.first(), &global.ty) {
            (Some(first), _) => self.races.touch((index, *first), epoch, by, touch),
            (None, crate::random_kernels::ast::Type::Array(_, length)) => {
                (0..*length as usize).try_for_each(|at| self.races.touch((index, at), epoch, by, touch))
            }
            (None, _) => self.races.touch((index, 0), epoch, by, touch),
        }
    }
}
