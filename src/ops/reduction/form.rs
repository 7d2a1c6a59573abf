//! The form of a generated kernel, and the numbers that it receives for each launch.

use super::super::operation::call::{Letter, Signature};
use super::super::operation::kept::Identity;
use super::super::operation::places::{self, Dimensions, Field, Fields};
use super::super::operation::preface::Slot;
use super::super::operation::types::ElementType;

/// The input of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The elements of the inputs.
    Elements,
    /// The partial results of the first pass.
    Partials,
    /// No input, as there are no elements: each result is the finished identity.
    Nothing,
}

/// The properties of a pass that determine the text of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) source: Source,
    /// Whether this pass computes results; otherwise it computes partial results.
    pub(super) last: bool,
    pub(super) columns: bool,
    pub(super) width: u32,
    /// Whether inputs are bound as vectors of four elements.
    pub(super) vectors: bool,
    /// Whether one to three elements follow the last vector of each input.
    pub(super) tail: bool,
    /// Whether a launch computes only some of the parts of the result.
    pub(super) window: bool,
    /// The number of dimensions of the results, and of the elements that are combined into one result.
    pub(super) ranks: [usize; 2],
}

impl Form {
    /// Returns all fields as numbers, for the key of the kernel in the cache.
    pub(super) fn numbers(&self) -> [usize; 9] {
        let Self { source, last, columns, width, vectors, tail, window, ranks } = *self;
        let [last, columns, vectors, tail, window] = [last, columns, vectors, tail, window].map(usize::from);
        [source as usize, last, columns, width as usize, vectors, tail, window, ranks[0], ranks[1]]
    }
}

/// The parts of a kernel that the caller defines.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// The identity of the texts below; each change of a text replaces it.
    pub(super) text: Identity,
    pub(super) signature: Signature,
    pub(super) preamble: String,
    pub(super) map: String,
    pub(super) combine: String,
    pub(super) finish: String,
    pub(super) identity: String,
    /// The WGSL type of combined values; by default the type of the output.
    pub(super) accumulator: Option<String>,
}

impl Own {
    /// Returns the type of combined values; `None` for a struct of the caller.
    pub(super) fn combined(&self, letters: &[Letter], slots: &[Slot]) -> Option<ElementType> {
        let Some(name) = self.accumulator.as_deref().map(str::trim) else {
            return slots.iter().find(|slot| slot.written).map(|slot| slot.element);
        };
        let letter = letters.iter().find(|(letter, ..)| name.chars().eq([*letter])).map(|(_, element, _)| *element);
        letter.or_else(|| ElementType::parse(name))
    }
}

/// The counts that kernels of reductions receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// The number of elements that are combined into each result.
    Elements,
    Results,
    /// The number of elements, vectors or partial results from which this pass computes each result.
    Cells,
    /// The number of parts into which the cells of a result are split.
    Splits,
    /// The number of cells of a part.
    Chunk,
    /// The bits of infinity as an `f32`.
    Infinity,
    /// The index of the first part of a window.
    FirstPart,
    /// The index of a slot's first element in the binding of its tail: the elements after the last whole vector.
    FirstOfTail(usize),
}

impl Count {
    /// The counts that every pass receives.
    const ALL: [Self; 6] = [Self::Elements, Self::Results, Self::Cells, Self::Splits, Self::Chunk, Self::Infinity];
}

impl places::Count for Count {
    fn name(self, slots: &[Slot]) -> String {
        let name = match self {
            Self::Elements => "n",
            Self::Results => "results",
            Self::Cells => "cells",
            Self::Splits => "splits",
            Self::Chunk => "chunk",
            Self::Infinity => "infinity",
            Self::FirstPart => "first_part",
            Self::FirstOfTail(slot) => return first_of_tail(&slots[slot].name),
        };
        name.to_owned()
    }
}

pub(super) fn first_of_tail(array: &str) -> String {
    format!("first_tail_{array}")
}

/// Returns the inputs over whose elements a pass iterates: neither values nor raw arrays.
pub(super) fn walked(slots: &[Slot]) -> impl Iterator<Item = &Slot> {
    slots.iter().filter(|slot| is_walked(slot))
}

pub(super) fn is_walked(slot: &Slot) -> bool {
    !slot.written && slot.is_walked()
}

/// Returns the fields of the uniform buffer `places`, in their order.
pub(super) fn fields(slots: &[Slot], form: Form) -> Fields<Count> {
    let mut fields: Fields<Count> = Count::ALL.into_iter().map(Field::Count).collect();
    let numbered =
        |wanted: fn(&Slot) -> bool| slots.iter().enumerate().filter(move |(_, slot)| wanted(slot)).map(|(at, _)| at);
    fields.extend(form.window.then_some(Field::Count(Count::FirstPart)));
    if form.last {
        fields.extend(numbered(|slot| slot.written).map(Field::First));
    }
    if form.source != Source::Elements {
        return fields;
    }
    let inputs = || numbered(is_walked);
    fields.extend(inputs().map(Field::First));
    if form.tail {
        fields.extend(inputs().map(|slot| Field::Count(Count::FirstOfTail(slot))));
    }
    for (of, rank) in [Dimensions::Results, Dimensions::Reduced].into_iter().zip(form.ranks) {
        fields.extend((0..rank).map(|axis| Field::Size(of, axis)));
        for slot in inputs() {
            fields.extend((0..rank).map(|axis| Field::Step(of, slot, axis)));
        }
    }
    fields
}
