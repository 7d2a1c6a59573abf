//! The expression in the brackets of `@if(..)`.

use std::ops::Range;

use super::failure::list;
use super::options::Features;
use super::tokens::{Kind, Tokens};
use crate::TextError;

/// The maximum nesting depth of brackets in a condition.
const MAX_DEPTH: usize = 64;

/// The value of the condition in a range of tokens.
///
/// # Errors
/// A malformed condition, or a feature that is not set.
pub(super) fn evaluate(tokens: &Tokens, range: Range<usize>, features: &Features<'_>) -> Result<bool, TextError> {
    let mut reader = Reader { tokens, features, at: range.start, end: range.end };
    let value = reader.any(0)?;
    // WGSL allows a comma after the last argument.
    if reader.is(0, b',') {
        reader.at += 1;
    }
    if reader.at < reader.end {
        return Err(reader.expected("'&&', '||' or the end of the condition"));
    }
    Ok(value)
}

struct Reader<'a> {
    tokens: &'a Tokens,
    features: &'a Features<'a>,
    at: usize,
    end: usize,
}

impl Reader<'_> {
    /// Evaluates `a || b`.
    fn any(&mut self, depth: usize) -> Result<bool, TextError> {
        let mut value = self.all(depth)?;
        while self.doubled(b'|') {
            // Both sides are evaluated: a feature that is not set is an error on either side.
            value |= self.all(depth)?;
        }
        Ok(value)
    }

    /// Evaluates `a && b`.
    fn all(&mut self, depth: usize) -> Result<bool, TextError> {
        let mut value = self.one(depth)?;
        while self.doubled(b'&') {
            value &= self.one(depth)?;
        }
        Ok(value)
    }

    fn one(&mut self, depth: usize) -> Result<bool, TextError> {
        let mut negated = false;
        while self.is(0, b'!') {
            negated = !negated;
            self.at += 1;
        }
        let value = if self.is(0, b'(') {
            if depth == MAX_DEPTH {
                let message = format!("the brackets of the condition nest more than {MAX_DEPTH} deep");
                return Err(self.tokens.fail(self.at, &message, "too deep", &[]));
            }
            self.at += 1;
            let value = self.any(depth + 1)?;
            if !self.is(0, b')') {
                return Err(self.expected("')'"));
            }
            value
        } else {
            match self.tokens.word(self.at).filter(|_| self.at < self.end) {
                Some("true") => true,
                Some("false") => false,
                Some(name) => self.features.value(name).ok_or_else(|| self.unknown(name))?,
                None => return Err(self.expected("the name of a feature")),
            }
        };
        self.at += 1;
        Ok(value != negated)
    }

    fn is(&self, ahead: usize, mark: u8) -> bool {
        self.at + ahead < self.end && self.tokens.is(self.at + ahead, mark)
    }

    fn doubled(&mut self, mark: u8) -> bool {
        let there = self.is(0, mark) && self.is(1, mark);
        self.at += if there { 2 } else { 0 };
        there
    }

    fn expected(&self, what: &str) -> TextError {
        let found = match self.tokens.kind(self.at).filter(|_| self.at < self.end) {
            None => "the end of the condition".to_owned(),
            Some(Kind::Number) => format!("the number {}", self.tokens.text(self.at)),
            Some(_) => format!("'{}'", self.tokens.text(self.at)),
        };
        self.tokens.fail(self.at, &format!("expected {what}, found {found}"), "here", &[])
    }

    fn unknown(&self, name: &str) -> TextError {
        let set = format!("set: {}", list(self.features.known()));
        let hint = format!("set it to true or false, as in Wgsl::feature(\"{name}\", true)");
        self.tokens.fail(self.at, &format!("the feature '{name}' is not set"), "used here", &[set, hint])
    }
}
