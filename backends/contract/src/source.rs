//! The text that a program was made from, and the origin of each of its bytes.

use std::ops::Range;

use crate::Spot;

/// The text that a program was made from: one WGSL file, or several that were composed into one text.
///
/// A module's spans point into [`text`](Self::text); [`position`](Self::position) returns the position in the author's
/// file that a byte of the text comes from.
///
/// ```
/// use anywarp_backend::{Piece, Source, SourceFile};
///
/// let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), text: text.to_owned() };
/// let files = vec![file("main.wgsl", "use b;\nmain"), file("b.wgsl", "\n b")];
/// // The text "b\nmain" is a byte of the second file, then the end of the first file.
/// let pieces = vec![
///     Piece { at: 0, file: 1, offset: 2, copied: true },
///     Piece { at: 1, file: 0, offset: 6, copied: true },
/// ];
/// let source = Source::composed(files, "b\nmain".to_owned(), pieces);
/// let position = |at| source.position(at).map(|found| (found.file, found.line, found.column));
/// assert_eq!(position(0), Some(("b.wgsl", 2, 2)));
/// assert_eq!(position(2), Some(("main.wgsl", 2, 1)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The author's own file, then the files that it imports.
    files: Vec<SourceFile>,
    /// The composed text; `None` if the text is the first file, unchanged.
    text: Option<String>,
    /// The origins of the parts of the composed text, sorted by `at`.
    pieces: Vec<Piece>,
}

/// One file as its author wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    /// The file's name in messages.
    pub name: String,
    /// The WGSL text of the file.
    pub text: String,
}

/// The origin of a part of a composed text; the part ends where the next piece begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The start of the part in the composed text, in bytes.
    pub at: usize,
    /// The index of the file that the part comes from, in [`Source::files`].
    pub file: usize,
    /// The start of the part in the file `file`, in bytes.
    pub offset: usize,
    /// Whether the part is copied from the file byte for byte. Otherwise it replaces the text at `offset`, such as a
    /// name that was changed.
    pub copied: bool,
}

/// A position in one of the files that a text was composed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The file's index in [`Source::files`].
    pub index: usize,
    /// The offset in the file, in bytes.
    pub offset: usize,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The text of the whole line, without the line break.
    pub text: &'a str,
}

impl Source {
    /// Returns a source of one file, unchanged.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let file = SourceFile { name: name.into(), text: text.into() };
        Self { files: vec![file], text: None, pieces: Vec::new() }
    }

    /// Returns a source composed of pieces of `files`, the first of which is the author's own.
    #[must_use]
    pub fn composed(files: Vec<SourceFile>, text: String, mut pieces: Vec<Piece>) -> Self {
        pieces.sort_by_key(|piece| piece.at);
        Self { files, text: Some(text), pieces }
    }

    /// The name of the author's own file.
    #[must_use]
    pub fn file(&self) -> &str {
        self.files.first().map_or("", |file| &file.name)
    }

    /// All files of the source.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The origins of the parts of the text, in their order; empty if the text is the first file, unchanged.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The WGSL text that the spans of the module point into.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().or_else(|| self.files.first().map(|file| file.text.as_str())).unwrap_or_default()
    }

    /// Whether the text is the author's file, unchanged.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.text.is_none()
    }

    /// The position in the author's files of the byte at offset `at` of the text; `None` outside of the text.
    #[must_use]
    pub fn position(&self, at: usize) -> Option<Position<'_>> {
        let (index, offset) = self.origin(at)?;
        let SourceFile { name, text } = self.files.get(index)?;
        let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(Position {
            file: name,
            index,
            offset,
            line: before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1,
            column: (offset - start) as u32 + 1,
            text: text[start..].lines().next().unwrap_or_default(),
        })
    }

    /// The position in the author's files of the first character of a line of the text that is not white space. Lines
    /// are counted from 1.
    #[must_use]
    pub fn position_of_line(&self, line: u32) -> Option<Position<'_>> {
        let before = line.checked_sub(1)?;
        let text = self.text();
        let mut start = 0;
        for _ in 0..before {
            start += text[start..].find('\n')? + 1;
        }
        let rest = text[start..].lines().next().unwrap_or_default();
        self.position(start + (rest.len() - rest.trim_start().len()))
    }

    /// The [`position`](Self::position) of the start of a range of the text, as an owned value with the range's length.
    #[must_use]
    pub fn spot(&self, range: Range<usize>) -> Option<Spot> {
        let position = self.position(range.start)?;
        Some(Spot {
            file: position.file.into(),
            line: position.line,
            column: position.column,
            width: range.len() as u32,
            text: position.text.into(),
        })
    }

    /// The index of the file, and the byte range in that file, that a range of the text comes from. The byte range ends
    /// after the origin of the range's last byte, if that is later in the same file; otherwise it is as long as the
    /// range.
    #[must_use]
    pub fn origin_of(&self, range: Range<usize>) -> Option<(usize, Range<usize>)> {
        let (file, start) = self.origin(range.start)?;
        let length = range.end.saturating_sub(range.start);
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let end = match last.and_then(|last| self.behind(last)) {
            Some((same, end)) if same == file && end > start => end,
            _ => start + length,
        };
        Some((file, start..end.min(self.files.get(file)?.text.len()).max(start)))
    }

    /// The index of the file that a byte of the text comes from, and the offset in that file after the byte's origin.
    /// For a piece that is not copied, the offset is after the whole text that the piece replaces.
    fn behind(&self, at: usize) -> Option<(usize, usize)> {
        let (file, offset) = self.origin(at)?;
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        let changed = next.checked_sub(1).and_then(|index| self.pieces.get(index)).is_some_and(|piece| !piece.copied);
        let following = self.pieces.get(next).filter(|piece| changed && piece.file == file && piece.offset > offset);
        Some((file, following.map_or(offset + 1, |piece| piece.offset)))
    }

    /// The index of the file that a byte of the text comes from, and the offset of the byte's origin in that file.
    fn origin(&self, at: usize) -> Option<(usize, usize)> {
        if at > self.text().len() {
            return None;
        }
        if self.is_plain() {
            return Some((0, at));
        }
        let index = self.pieces.partition_point(|piece| piece.at <= at).checked_sub(1)?;
        let piece = self.pieces.get(index)?;
        Some((piece.file, piece.offset + if piece.copied { at - piece.at } else { 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed() -> Source {
        let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), text: text.to_owned() };
        let files = vec![file("a", "one two\nthree"), file("b", "four\nfive")];
        // "five 2nd\nthree": "two" became "2nd".
        let pieces = vec![
            Piece { at: 5, file: 0, offset: 4, copied: false },
            Piece { at: 0, file: 1, offset: 5, copied: true },
            Piece { at: 8, file: 0, offset: 7, copied: true },
        ];
        Source::composed(files, "five 2nd\nthree".to_owned(), pieces)
    }

    #[test]
    fn places_are_of_the_author() {
        let source = composed();
        let place = |at| source.position(at).map(|place| (place.file, place.line, place.column, place.text));
        assert_eq!(place(0), Some(("b", 2, 1, "five")));
        assert_eq!(place(3), Some(("b", 2, 4, "five")));
        assert_eq!(place(7), Some(("a", 1, 5, "one two")));
        assert_eq!(place(9), Some(("a", 2, 1, "three")));
        assert_eq!(place(14), Some(("a", 2, 6, "three")));
        assert_eq!(place(15), None);
        assert_eq!(Source::new("é", "é\nb").position(1).map(|place| place.column), Some(1));
    }

    #[test]
    fn a_line_is_where_its_first_letter_was_written() {
        let source = composed();
        let place = |line| source.position_of_line(line).map(|place| (place.file, place.line));
        assert_eq!([place(0), place(1), place(2), place(3)], [None, Some(("b", 2)), Some(("a", 2)), None]);
    }

    #[test]
    fn ranges_stay_in_their_file() {
        let source = composed();
        assert_eq!(source.origin_of(0..4), Some((1, 5..9)));
        assert_eq!(source.origin_of(8..14), Some((0, 7..13)));
        assert_eq!(source.origin_of(5..14), Some((0, 4..13)));
        assert_eq!(source.origin_of(5..8), Some((0, 4..7)));
        // This range begins in one file and ends in another.
        assert_eq!(source.origin_of(0..14), Some((1, 5..9)));
        assert_eq!(source.origin_of(40..50), None);
    }
}
