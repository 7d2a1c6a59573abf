//! The contents of variables at a point of a kernel, and their union where paths join.

use std::rc::Rc;

use naga::{GlobalVariable, Handle};
use rustc_hash::FxHashMap;

use super::facts::{Facts, Gained};
use super::values::{Id, Part, Values};
use crate::domain::Known;

/// The value of an expression or the content of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// An integer or a boolean.
    Scalar(Id),
    /// The components of a vector, the members of a struct, or the elements of a short array.
    Parts(Rc<[Value]>),
    Pointer(Rc<Place>),
    /// A value that the analysis does not track.
    Opaque,
}

impl Value {
    pub(super) fn scalar(&self) -> Option<Id> {
        match self {
            Self::Scalar(id) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn part(&self, index: usize) -> Self {
        match self {
            Self::Parts(parts) => parts.get(index).cloned().unwrap_or(Self::Opaque),
            _ => Self::Opaque,
        }
    }

    /// Returns this value with `value` in place of the member or element to which `path` leads.
    pub(super) fn with(&self, path: &[Part], value: Self) -> Self {
        match (path, self) {
            ([], _) => value,
            ([Part::At(index), rest @ ..], Self::Parts(parts)) if (*index as usize) < parts.len() => {
                let mut parts = parts.to_vec();
                let part = &mut parts[*index as usize];
                *part = part.with(rest, value);
                Self::Parts(parts.into())
            }
            _ => Self::Opaque,
        }
    }

    fn scalars(&self, found: &mut impl FnMut(Id)) {
        match self {
            Self::Scalar(id) => found(*id),
            Self::Parts(parts) => parts.iter().for_each(|part| part.scalars(found)),
            Self::Pointer(_) | Self::Opaque => {}
        }
    }
}

/// The memory location of a pointer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) path: Vec<Part>,
}

/// The variable that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A variable whose content is tracked.
    Slot(usize),
    /// Memory that is shared with other invocations.
    Global(Handle<GlobalVariable>),
    /// The analysis does not know into which variable the pointer points.
    Unknown,
}

impl Place {
    pub(super) fn at(root: Root) -> Self {
        Self { root, path: Vec::new() }
    }

    pub(super) fn step(&self, part: Part) -> Self {
        let mut path = self.path.clone();
        path.push(part);
        Self { root: self.root, path }
    }
}

/// The state at the end of one of the paths that lead to the same point of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) slots: Vec<Value>,
    /// The facts that were added on the path.
    pub(super) gained: Gained,
}

/// Joins the states of several paths: returns the contents of variables, and adds the facts that hold on all paths.
/// Returns `None` if there is no path. If there are two paths, `condition` is the condition that chose between them.
pub(super) fn join_paths(
    values: &mut Values,
    facts: &mut Facts,
    arrivals: Vec<Arrival>,
    condition: Option<Id>,
) -> Option<Vec<Value>> {
    let mut arrivals = arrivals;
    if arrivals.len() < 2 {
        let only = arrivals.pop()?;
        facts.gain(&only.gained);
        return Some(only.slots);
    }
    let condition = condition.filter(|_| arrivals.len() == 2);
    let mut slots = arrivals[0].slots.clone();
    let differing: Vec<usize> =
        (0..slots.len()).filter(|slot| arrivals.iter().any(|other| other.slots[*slot] != slots[*slot])).collect();
    // For each path: the ranges, on that path, of the values in those variables whose contents differ between the
    // paths.
    let mut known: Vec<FxHashMap<Id, Known>> = Vec::with_capacity(arrivals.len());
    for arrival in &arrivals {
        let mut ids = Vec::new();
        differing.iter().for_each(|slot| arrival.slots[*slot].scalars(&mut |id| ids.push(id)));
        let mark = facts.mark();
        facts.gain(&arrival.gained);
        known.push(ids.into_iter().map(|id| (id, facts.range(values, id))).collect());
        facts.undo(mark);
    }
    for slot in differing {
        let ways: Vec<(&Value, &FxHashMap<Id, Known>)> =
            arrivals.iter().map(|arrival| &arrival.slots[slot]).zip(&known).collect();
        slots[slot] = one_of(values, &ways, condition);
    }
    let mut gained = std::mem::take(&mut arrivals[0].gained);
    for arrival in &arrivals[1..] {
        gained = gained.and(&arrival.gained);
    }
    facts.gain(&gained);
    Some(slots)
}

fn one_of(values: &mut Values, ways: &[(&Value, &FxHashMap<Id, Known>)], condition: Option<Id>) -> Value {
    let first = ways[0].0;
    if ways.iter().all(|(value, _)| *value == first) {
        return first.clone();
    }
    match first {
        Value::Scalar(id) => {
            let ty = values.ty(*id);
            let mut merged: Option<(Id, Known)> = None;
            for (value, known) in ways {
                let Some(id) = value.scalar().filter(|id| values.ty(*id) == ty) else { return Value::Opaque };
                let here = known.get(&id).copied().unwrap_or_else(|| values.known(id));
                merged = Some(match merged {
                    None => (id, here),
                    Some((before, so_far)) => {
                        let all = so_far.join(here);
                        let id = if before == id { id } else { values.merge(condition, before, id, all) };
                        (id, all)
                    }
                });
            }
            merged.map_or(Value::Opaque, |(id, _)| Value::Scalar(id))
        }
        Value::Parts(parts) => {
            let same = |(value, _): &(&Value, _)| matches!(value, Value::Parts(other) if other.len() == parts.len());
            if !ways.iter().all(same) {
                return Value::Opaque;
            }
            let merged = (0..parts.len()).map(|index| {
                let taken: Vec<Value> = ways.iter().map(|(value, _)| value.part(index)).collect();
                let ways: Vec<_> = taken.iter().zip(ways.iter().map(|(_, known)| *known)).collect();
                one_of(values, &ways, condition)
            });
            Value::Parts(merged.collect())
        }
        Value::Pointer(_) | Value::Opaque => Value::Opaque,
    }
}
