//! The form of a generated kernel that reduces segments, and the numbers that the kernel receives for each launch.

use super::super::super::operation::places::{self, Dimensions, Field, Fields};
use super::super::super::operation::preface::Slot;
use super::super::form::{Form as OfElements, Source, is_walked};

/// The properties of a pass that determine the text of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) pass: Of,
    /// Whether the number of segments is on the device. The offsets are then the starts of all segments, without the
    /// end of the last segment.
    pub(super) counted: bool,
    /// The number of dimensions of the elements.
    pub(super) rank: usize,
}

/// The results that a pass computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Chunks {
        width: u32,
    },
    Segments {
        chunked: bool,
        together: bool,
    },
    /// The results of segments if the inputs have no elements.
    Nothing,
}

impl Form {
    /// Returns all fields as numbers, for the key of the kernel in the cache. They differ from the numbers of any
    /// reduction along axes: those end with a number above 0, or they are for one element and begin with 0, 1.
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

/// The counts that kernels of reductions in segments receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Elements,
    Segments,
    /// The number of elements of a chunk.
    Chunk,
    /// The number of whole chunks.
    Chunks,
    /// The number of workgroups of the launch.
    Groups,
    FirstOffset,
    /// The bits of infinity as an `f32`.
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

/// Returns the fields of the uniform buffer `places`, in their order.
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
