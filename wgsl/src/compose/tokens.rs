//! Splitting a text into words, numbers and marks. Invalid WGSL can be split too.

use std::ops::Range;

use anywarp_backend::SourceFile;

use super::failure;
use crate::TextError;
use crate::directives::block_comment;
use crate::marks::{ACTOR, DEBUG, EMIT, SEND};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword.
    Word,
    Number,
    /// The mark `::`.
    Path,
    /// Any other byte, such as an operator or a bracket.
    Mark(u8),
}

/// A token and its range in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A file and its tokens.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) file: SourceFile,
    pub(crate) list: Vec<Token>,
    /// For each token, the index of the matching bracket; for tokens that are no brackets, their own index.
    partner: Vec<usize>,
}

impl Tokens {
    /// Splits a text into tokens.
    ///
    /// # Errors
    /// A bracket without a matching bracket.
    pub(crate) fn of(file: SourceFile) -> Result<Self, TextError> {
        let list = scan(&file.text);
        let mut tokens = Self { file, list, partner: Vec::new() };
        tokens.match_brackets()?;
        Ok(tokens)
    }

    /// Keeps only the tokens marked in `keep`, and matches their brackets again.
    ///
    /// # Errors
    /// A bracket without a matching bracket.
    pub(crate) fn retain(&mut self, keep: &[bool]) -> Result<(), TextError> {
        let mut kept = keep.iter();
        self.list.retain(|_| kept.next().copied().unwrap_or(true));
        self.match_brackets()
    }

    fn match_brackets(&mut self) -> Result<(), TextError> {
        self.partner = (0..self.list.len()).collect();
        let mut open: Vec<usize> = Vec::new();
        for (index, token) in self.list.iter().enumerate() {
            let Kind::Mark(mark) = token.kind else { continue };
            let opening = match mark {
                b'(' | b'[' | b'{' => {
                    open.push(index);
                    continue;
                }
                b')' => b'(',
                b']' => b'[',
                b'}' => b'{',
                _ => continue,
            };
            match open.pop() {
                Some(other) if self.list[other].kind == Kind::Mark(opening) => {
                    (self.partner[index], self.partner[other]) = (other, index);
                }
                Some(other) => return Err(self.unclosed(other)),
                None => {
                    let message = format!("'{}' has no opening bracket", char::from(mark));
                    return Err(failure::at(
                        &self.file,
                        token.start..token.end,
                        &message,
                        "no bracket is open here",
                        &[],
                    ));
                }
            }
        }
        open.pop().map_or(Ok(()), |other| Err(self.unclosed(other)))
    }

    fn unclosed(&self, index: usize) -> TextError {
        let message = format!("'{}' is never closed", self.text(index));
        self.fail(index, &message, "opened here", &[])
    }

    /// Returns an error at a token, or at the end of the text for an index after the last token.
    pub(crate) fn fail(&self, index: usize, message: &str, label: &str, notes: &[String]) -> TextError {
        failure::at(&self.file, self.bytes(index..index + 1), message, label, notes)
    }

    /// The number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The kind of a token, if there is one.
    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.list.get(index).map(|token| token.kind)
    }

    /// Whether the token at `index` is the character `mark`.
    pub(crate) fn is(&self, index: usize, mark: u8) -> bool {
        self.kind(index) == Some(Kind::Mark(mark))
    }

    /// The text of a token; empty for an index after the last token.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.list.get(index).and_then(|token| self.file.text.get(token.start..token.end)).unwrap_or_default()
    }

    /// The text of a token if it is a word.
    pub(crate) fn word(&self, index: usize) -> Option<&str> {
        (self.kind(index)? == Kind::Word).then(|| self.text(index))
    }

    /// The index of the matching bracket; for other tokens, the token's own index.
    pub(crate) fn partner(&self, index: usize) -> usize {
        self.partner.get(index).copied().unwrap_or(index)
    }

    /// The bytes from the start of the first token of a range to the end of its last one.
    pub(crate) fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        let end = self.file.text.len();
        let start = self.list.get(tokens.start).map_or(end, |token| token.start);
        let last = tokens.end.checked_sub(1).and_then(|last| self.list.get(last));
        start..last.map_or(end, |token| token.end).max(start)
    }

    /// The bytes of a range of tokens, and the bytes of the comments before them that belong to them: documentation and
    /// the mark of a function.
    pub(crate) fn bytes_with_comments(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let before = tokens.start.checked_sub(1).and_then(|before| self.list.get(before)).map_or(0, |token| token.end);
        let all = self.bytes(tokens);
        let mut ranges = comments(&self.file.text, before..all.start);
        ranges.retain(|range| {
            let text = self.file.text.get(range.clone()).unwrap_or_default();
            let marks = [DEBUG, ACTOR, SEND, EMIT];
            text.starts_with("///") || text.starts_with("/**") || marks.iter().any(|mark| text.contains(mark))
        });
        ranges.push(all);
        ranges
    }

    /// The comments before the first token that document the file (`//!`, `/*!`).
    pub(crate) fn module_documentation(&self) -> Vec<Range<usize>> {
        let end = self.list.first().map_or(self.file.text.len(), |token| token.start);
        let mut ranges = comments(&self.file.text, 0..end);
        ranges.retain(|range| {
            let text = self.file.text.get(range.clone()).unwrap_or_default();
            text.starts_with("//!") || text.starts_with("/*!")
        });
        ranges
    }
}

/// The comments in a part of a text that contains only comments and white space.
fn comments(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = part.start;
    while let Some(next) = text.get(at..part.end).and_then(|rest| rest.find('/')) {
        let start = at + next;
        at = (start + comment(&text[start..]).unwrap_or(1)).min(part.end);
        found.push(start..at);
    }
    found
}

/// The length of the comment at the start of a text.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let ends = |letter| matches!(letter, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        return Some(text.find(ends).unwrap_or(text.len()));
    }
    text.starts_with("/*").then(|| block_comment(text))
}

pub(crate) fn scan(text: &str) -> Vec<Token> {
    let mut list = Vec::with_capacity(text.len() / 4);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let rest = &text[at..];
        if let Some(length) = comment(rest) {
            at += length;
            continue;
        }
        let (kind, length) = if byte.is_ascii_digit() {
            (Kind::Number, number(rest))
        } else if let Some(length) = word(rest) {
            (Kind::Word, length)
        } else if rest.starts_with("::") {
            (Kind::Path, 2)
        } else if byte.is_ascii() {
            (Kind::Mark(byte), 1)
        } else {
            // A character beyond ASCII that is not part of a word is white space.
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        list.push(Token { kind, start: at, end: at + length });
        at += length;
    }
    list
}

fn is_part(letter: char) -> bool {
    let space = letter.is_whitespace() || matches!(letter, '\u{200e}' | '\u{200f}');
    letter == '_' || letter.is_ascii_alphanumeric() || (!letter.is_ascii() && !space)
}

fn word(text: &str) -> Option<usize> {
    let length = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    (length > 0).then_some(length)
}

/// The length of a number, with its suffix and the sign of its exponent.
fn number(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    let end = text.find(|letter: char| {
        let exponent = if hexadecimal { matches!(before, 'p' | 'P') } else { matches!(before, 'e' | 'E') };
        let part = letter == '.' || letter.is_ascii_alphanumeric() || (exponent && matches!(letter, '+' | '-'));
        before = letter;
        !part
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        scan(text).iter().map(|token| text[token.start..token.end].to_owned()).collect()
    }

    #[test]
    fn tokens_are_words_numbers_and_marks() {
        let table: &[(&str, &[&str])] = &[
            ("a::b : :c", &["a", "::", "b", ":", ":", "c"]),
            ("1.5e-3f+0x1p-24-x.5", &["1.5e-3f", "+", "0x1p-24", "-", "x", ".", "5"]),
            ("a/* b /* c */ */d//e\r\nf", &["a", "d", "f"]),
            ("größe\u{2028}é", &["größe", "é"]),
            ("// a\u{85}b", &["b"]),
            ("/* never ends", &[]),
            ("array<vec2<f32>>", &["array", "<", "vec2", "<", "f32", ">", ">"]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn brackets_are_matched() {
        let file = SourceFile { name: "a".to_owned(), text: "f(a[1]) { }".to_owned() };
        let tokens = Tokens::of(file).unwrap();
        assert_eq!((tokens.partner(1), tokens.partner(3), tokens.partner(7)), (6, 5, 8));
        for (text, said) in [("(", "never closed"), ("(]", "never closed"), ("{}}", "no opening bracket")] {
            let error = Tokens::of(SourceFile { name: "a".to_owned(), text: text.to_owned() }).unwrap_err();
            assert!(error.to_string().contains(said), "{text}: {error}");
        }
    }
}
