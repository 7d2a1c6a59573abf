//! The form of a generated kernel of segments, and the numbers that it receives for each launch.

use super::super::super::operation::places::{self, Dimensions, Field, Fields};
use super::super::super::operation::preface::Slot;
use super::super::form::{Form as OfElements, Source, is_walked};

/// The variants of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) pass: Of,
    /// Whether the number of segments is on the device, and only their starts are known.
    pub(super) counted: bool,
    /// The number of dimensions of the elements.
    pub(super) rank: usize,
}

/// The results of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Chunks {
        width: u32,
    },
    Segments {
        chunked: bool,
        together: bool,
    },
    /// Those of segments without elements.
    Nothing,
}

impl Form {
    /// All fields, for the key of the kernel. The length differs from that of other reductions, and so do the keys.
    pub(super) fn numbers(self) -> [usize; 9] {
        let [pass, first, second] = match self.pass {
            Of::Chunks { width } => [0, width as usize, 0],
            Of::Segments { chunked, together } => [1, chunked.into(), together.into()],
            Of::Nothing => [2, 0, 0],
        };
        [pass, first, second, self.counted.into(), self.rank, 0, 0, 0, 0]
    }

    pub(super) fn last(self) -> bool {
        !matches!(self.pass, Of::Chunks { .. })
    }

    /// The form of the functions that this text shares with reductions along axes.
    pub(super) fn of_elements(self) -> OfElements {
        OfElements {
            source: if self.pass == Of::Nothing { Source::Nothing } else { Source::Elements },
            last: self.last(),
            columns: false,
            width: 1,
            vectors: false,
            tail: false,
            window: false,
            ranks: [0, self.rank],
        }
    }
}

/// The counts of reductions in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Elements,
    Segments,
    /// The number of elements of a chunk, and of whole chunks.
    Chunk,
    Chunks,
    /// The number of workgroups.
    Groups,
    FirstOffset,
    /// The bits of infinity.
    Infinity,
}

impl Count {
    const ALL: [Self; 7] =
        [Self::Elements, Self::Segments, Self::Chunk, Self::Chunks, Self::Groups, Self::FirstOffset, Self::Infinity];
}

impl places::Count for Count {
    fn name(self, _: &[Slot]) -> String {
        let name = match self {
            Self::Elements => "elements",
            Self::Segments => "segments",
            Self::Chunk => "chunk",
            Self::Chunks => "chunks",
            Self::Groups => "groups",
            Self::FirstOffset => "first_offset",
            Self::Infinity => "infinity",
        };
        name.to_owned()
    }
}

/// The fields of `places`.
pub(super) fn fields(slots: &[Slot], form: Form) -> Fields<Count> {
    let mut fields: Fields<Count> = Count::ALL.into_iter().map(Field::Count).collect();
    let numbered =
        |wanted: fn(&Slot) -> bool| slots.iter().enumerate().filter(move |(_, slot)| wanted(slot)).map(|(at, _)| at);
    fields.extend(numbered(|slot| slot.written || is_walked(slot)).map(Field::First));
    fields.extend((0..form.rank).map(|axis| Field::Size(Dimensions::Reduced, axis)));
    for slot in numbered(is_walked) {
        fields.extend((0..form.rank).map(|axis| Field::Step(Dimensions::Reduced, slot, axis)));
    }
    fields
}
