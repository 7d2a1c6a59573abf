//! The form of a generated kernel, and the numbers that it receives for each launch.

use super::super::operation::call::{Letter, Signature};
use super::super::operation::kept::Identity;
use super::super::operation::places::{self, Dimensions, Field, Fields};
use super::super::operation::preface::Slot;
use super::super::operation::types::ElementType;

/// The input of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The inputs.
    Elements,
    /// The partial results of the first pass.
    Partials,
    /// Nothing: results are the identity.
    Nothing,
}

/// The variants of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) source: Source,
    /// Whether this pass computes results; otherwise it computes partial ones.
    pub(super) last: bool,
    pub(super) columns: bool,
    pub(super) width: u32,
    /// Whether inputs are vectors of four elements.
    pub(super) vectors: bool,
    /// Whether there are up to three elements after the last vector.
    pub(super) tail: bool,
    /// Whether a launch computes only some of the parts.
    pub(super) window: bool,
    /// The number of dimensions of the results, and of the elements of each.
    pub(super) ranks: [usize; 2],
}

impl Form {
    /// All fields, for the key of the kernel.
    pub(super) fn numbers(&self) -> [usize; 9] {
        let Self { source, last, columns, width, vectors, tail, window, ranks } = *self;
        let [last, columns, vectors, tail, window] = [last, columns, vectors, tail, window].map(usize::from);
        [source as usize, last, columns, width as usize, vectors, tail, window, ranks[0], ranks[1]]
    }
}

/// The caller's part of a kernel.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// Replaced at each change of the texts.
    pub(super) text: Identity,
    pub(super) signature: Signature,
    pub(super) preamble: String,
    pub(super) map: String,
    pub(super) combine: String,
    pub(super) finish: String,
    pub(super) identity: String,
    /// The type of combined values; by default that of the output.
    pub(super) accumulator: Option<String>,
}

impl Own {
    /// The type of combined values, unless it is a struct of the caller.
    pub(super) fn combined(&self, letters: &[Letter], slots: &[Slot]) -> Option<ElementType> {
        let Some(name) = self.accumulator.as_deref().map(str::trim) else {
            return slots.iter().find(|slot| slot.written).map(|slot| slot.element);
        };
        let letter = letters.iter().find(|(letter, ..)| name.chars().eq([*letter])).map(|(_, element, _)| *element);
        letter.or_else(|| ElementType::parse(name))
    }
}

/// The counts of reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// The number of elements of each result.
    Elements,
    Results,
    /// The number of elements, vectors or partial results from which this pass computes each result.
    Cells,
    /// The number of parts of a result.
    Splits,
    /// The number of cells of a part.
    Chunk,
    /// The bits of infinity.
    Infinity,
    /// The number of the first part of a window.
    FirstPart,
    /// The index of a slot's first element in the binding of its tail: the elements after the last whole vector.
    FirstOfTail(usize),
}

impl Count {
    /// The counts of every pass.
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

/// The inputs that a pass walks.
pub(super) fn walked(slots: &[Slot]) -> impl Iterator<Item = &Slot> {
    slots.iter().filter(|slot| is_walked(slot))
}

pub(super) fn is_walked(slot: &Slot) -> bool {
    !slot.written && slot.is_walked()
}

/// The fields of `places`.
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
