//! Data that the host wrote to a buffer and that was not sent to the device yet: pieces without overlap.
//!
//! A short write overwrites the pieces in its range in place, and adds pieces only for the gaps between them; a long
//! write replaces these pieces. So each byte is stored once and sent once. The cost of a write depends on the number of
//! pieces in its range, not on the number of all pieces. The module does not depend on a device.

use std::collections::BTreeMap;
use std::ops::Range;

use anywarp_backend::HostRange;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::host::Written;
use crate::submit::staging::Block;

/// Writes of up to this many bytes are gathered and sent together; longer ones are sent from the memory into which they
/// were written.
pub(super) const SHORT: u64 = 1 << 10;
/// The greatest size in bytes to which a piece grows by short writes at its end.
const GROWN: usize = 64 << 10;

/// The location of the bytes of a piece.
enum Place {
    /// The bytes of short writes, in the piece itself.
    Own(Vec<u8>),
    /// Bytes of the long write with the number `source`, from its byte `offset` on.
    Of { source: u64, offset: u64 },
}

struct Piece {
    end: u64,
    place: Place,
}

/// A long write, and the number of its remaining pieces.
struct Source {
    written: Written,
    pieces: usize,
}

/// A piece of a long write in staging memory, from the byte `offset` of that write on.
pub(super) struct Staged {
    pub(super) source: u64,
    pub(super) at: Range<u64>,
    pub(super) offset: u64,
}

/// Long writes without remaining pieces.
pub(super) type Released = SmallVec<[Written; 1]>;

#[derive(Default)]
pub(super) struct Unsent {
    /// The pieces by their start in the buffer.
    pieces: BTreeMap<u64, Piece>,
    sources: FxHashMap<u64, Source>,
    next: u64,
}

impl Unsent {
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Records a short write of `bytes` from the byte `start` of the buffer on.
    pub(super) fn write_short(&mut self, start: u64, bytes: &[u8]) {
        let range = start..start + bytes.len() as u64;
        let of = |part: &Range<u64>| &bytes[(part.start - start) as usize..(part.end - start) as usize];
        let mut holes: SmallVec<[Range<u64>; 1]> = SmallVec::new();
        let mut covered = start;
        for (&at, piece) in self.pieces.range_mut(Self::first(&self.pieces, start)..range.end) {
            let part = at.max(range.start)..piece.end.min(range.end);
            if part.is_empty() {
                continue;
            }
            if covered < part.start {
                holes.push(covered..part.start);
            }
            covered = part.end;
            let within = (part.start - at) as usize..(part.end - at) as usize;
            match &mut piece.place {
                Place::Own(own) => own[within].copy_from_slice(of(&part)),
                Place::Of { source, offset } => {
                    if let Some(source) = self.sources.get_mut(source) {
                        let skip = *offset as usize;
                        let target = &mut source.written.bytes_mut()[skip + within.start..skip + within.end];
                        target.copy_from_slice(of(&part));
                    }
                }
            }
        }
        if covered < range.end {
            holes.push(covered..range.end);
        }
        for hole in holes {
            self.add(hole.clone(), of(&hole));
        }
    }

    /// Adds bytes in a gap between pieces: at the end of the piece before the gap if that piece can grow, else as a new
    /// piece.
    fn add(&mut self, range: Range<u64>, bytes: &[u8]) {
        if let Some((_, before)) = self.pieces.range_mut(..range.start).next_back()
            && before.end == range.start
            && let Place::Own(own) = &mut before.place
            && own.len() + bytes.len() <= GROWN
        {
            own.extend_from_slice(bytes);
            before.end = range.end;
            return;
        }
        self.pieces.insert(range.start, Piece { end: range.end, place: Place::Own(bytes.to_vec()) });
    }

    /// Records a long write of the non-empty `range`, whose bytes are in `written`. Returns the long writes that it
    /// replaces completely.
    pub(super) fn write(&mut self, range: Range<u64>, written: Written) -> Released {
        let released = self.cut(&range);
        let source = self.next;
        self.next += 1;
        self.sources.insert(source, Source { written, pieces: 1 });
        self.pieces.insert(range.start, Piece { end: range.end, place: Place::Of { source, offset: 0 } });
        released
    }

    /// Discards the data in `range`. Returns the long writes that have no pieces any more.
    pub(super) fn cut(&mut self, range: &Range<u64>) -> Released {
        let mut released = Released::new();
        if range.is_empty() {
            return released;
        }
        self.split(range.start);
        self.split(range.end);
        while let Some((&start, _)) = self.pieces.range(range.clone()).next() {
            let Some(Piece { place: Place::Of { source, .. }, .. }) = self.pieces.remove(&start) else { continue };
            if let Some(of) = self.sources.get_mut(&source) {
                of.pieces -= 1;
                if of.pieces == 0 {
                    released.extend(self.sources.remove(&source).map(|of| of.written));
                }
            }
        }
        released
    }

    /// Splits the piece that contains the byte `at`, before this byte. Does nothing if there is no such piece.
    pub(super) fn split(&mut self, at: u64) {
        let Some((&start, piece)) = self.pieces.range_mut(..at).next_back() else { return };
        if piece.end <= at {
            return;
        }
        let place = match &mut piece.place {
            Place::Own(own) => Place::Own(own.split_off((at - start) as usize)),
            Place::Of { source, offset } => {
                if let Some(of) = self.sources.get_mut(source) {
                    of.pieces += 1;
                }
                Place::Of { source: *source, offset: *offset + (at - start) }
            }
        };
        let after = Piece { end: piece.end, place };
        piece.end = at;
        self.pieces.insert(at, after);
    }

    /// The unsent parts of `range` in order, with their bytes.
    pub(super) fn parts(&self, range: &Range<u64>) -> impl Iterator<Item = (Range<u64>, &[u8])> {
        let range = range.clone();
        self.pieces.range(Self::first(&self.pieces, range.start)..range.end).filter_map(move |(&at, piece)| {
            let part = at.max(range.start)..piece.end.min(range.end);
            let within = part.start.checked_sub(at)? as usize..part.end.checked_sub(at)? as usize;
            let bytes = match &piece.place {
                Place::Own(own) => own.get(within)?,
                Place::Of { source, offset } => {
                    self.sources.get(source)?.written.bytes().get(*offset as usize..)?.get(within)?
                }
            };
            (!bytes.is_empty()).then_some((part, bytes))
        })
    }

    /// The ranges of the pieces in ordinary memory outside the range `but`, in order. No piece may cross an end of
    /// `but`.
    pub(super) fn loose(&self, but: &Range<u64>) -> SmallVec<[Range<u64>; 2]> {
        let outside = self.pieces.iter().filter(|(start, _)| !but.contains(start));
        let loose = outside.filter(|(_, piece)| match &piece.place {
            Place::Own(_) => true,
            Place::Of { source, .. } => {
                self.sources.get(source).is_some_and(|of| matches!(of.written, Written::Heap(_)))
            }
        });
        loose.map(|(start, piece)| *start..piece.end).collect()
    }

    /// The pieces in staging memory, grouped by their long write.
    pub(super) fn staged(&self) -> SmallVec<[Staged; 2]> {
        let mut staged: SmallVec<[Staged; 2]> = SmallVec::new();
        for (&start, piece) in &self.pieces {
            if let Place::Of { source, offset } = piece.place
                && self.sources.get(&source).is_some_and(|of| matches!(of.written, Written::Staged(..)))
            {
                staged.push(Staged { source, at: start..piece.end, offset });
            }
        }
        staged.sort_by_key(|piece| (piece.source, piece.at.start));
        staged
    }

    /// Removes a long write in staging memory and returns its memory; `pieces` are all its remaining pieces.
    pub(super) fn take(&mut self, pieces: &[Staged]) -> Option<(Block, HostRange)> {
        for piece in pieces {
            self.pieces.remove(&piece.at.start);
        }
        match self.sources.remove(&pieces.first()?.source)?.written {
            Written::Staged(block, host) => Some((block, host)),
            Written::Heap(_) => None,
        }
    }

    /// The start of the last piece that begins at or before `at`; `at` if there is none.
    fn first(pieces: &BTreeMap<u64, Piece>, at: u64) -> u64 {
        pieces.range(..=at).next_back().map_or(at, |piece| *piece.0)
    }
}

#[cfg(test)]
mod tests;
