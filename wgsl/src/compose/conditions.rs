//! `@if(..)`, `@elif(..)` and `@else`, and the parts of a file that they remove.

use std::ops::Range;

use super::expression::evaluate;
use super::options::Features;
use super::tokens::{Kind, Tokens};
use crate::TextError;

/// Removes the tokens of all conditions and of the items that the conditions do not keep, and returns the bytes that
/// become blanks.
///
/// # Errors
/// A malformed condition, a feature that is not set, or a condition at a position where none is allowed.
pub(super) fn apply(tokens: &mut Tokens, features: &Features<'_>) -> Result<Vec<Range<usize>>, TextError> {
    let mut pass = Pass {
        tokens,
        features,
        levels: vec![Level { place: Place::Block, chain: None }],
        keep: vec![true; tokens.len()],
        blanks: Vec::new(),
    };
    let mut at = 0;
    while at < pass.tokens.len() {
        at = pass.step(at)?;
    }
    let Pass { keep, blanks, .. } = pass;
    if !blanks.is_empty() {
        tokens.retain(&keep)?;
    }
    Ok(blanks)
}

/// The attributes that begin at the token `at`: the index of the token after the last one, and the tokens of each
/// attribute.
pub(super) fn attributes(tokens: &Tokens, mut at: usize) -> (usize, Vec<Range<usize>>) {
    let mut found = Vec::new();
    while tokens.is(at, b'@') {
        let end = match tokens.word(at + 1) {
            None => at + 1,
            Some("else") => at + 2,
            Some(_) if tokens.is(at + 2, b'(') => tokens.partner(at + 2) + 1,
            Some(_) => at + 2,
        };
        found.push(at..end);
        at = end;
    }
    (at, found)
}

/// The index after the statement or declaration that begins at `at`; `None` if no statement or declaration begins at
/// `at`.
pub(super) fn end_of_statement(tokens: &Tokens, at: usize) -> Option<usize> {
    let first = tokens.word(at);
    let mut next = at;
    loop {
        match tokens.kind(next)? {
            Kind::Mark(b'(' | b'[') => next = tokens.partner(next) + 1,
            Kind::Mark(b'{') if first == Some("import") => next = tokens.partner(next) + 1,
            Kind::Mark(b'{') => {
                next = tokens.partner(next) + 1;
                let (clause, _) = attributes(tokens, next);
                if first != Some("if") || tokens.word(clause) != Some("else") {
                    return Some(next);
                }
                next = clause + 1;
            }
            Kind::Mark(b';') => return Some(next + 1),
            Kind::Mark(b')' | b']' | b'}') => return None,
            _ => next += 1,
        }
    }
}

/// The kind of contents that the innermost open bracket has.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Declarations or statements.
    Block,
    /// Members of a struct or parameters of a function.
    List,
    /// Expressions, or any other contents.
    Other,
}

/// The state of an open bracket, or of the whole file.
struct Level {
    place: Place,
    chain: Option<Chain>,
}

/// A chain of `@if` and `@elif` conditions that `@elif` or `@else` may continue.
#[derive(Clone, Copy)]
struct Chain {
    /// The token at which the next `@elif` or `@else` of the chain must begin.
    end: usize,
    /// Whether an earlier condition of the chain selected its item.
    taken: bool,
}

struct Pass<'a> {
    tokens: &'a Tokens,
    features: &'a Features<'a>,
    levels: Vec<Level>,
    keep: Vec<bool>,
    blanks: Vec<Range<usize>>,
}

impl Pass<'_> {
    /// Processes one token or a list of attributes, and returns the index of the token after them.
    fn step(&mut self, at: usize) -> Result<usize, TextError> {
        match self.tokens.kind(at) {
            Some(Kind::Mark(b'@')) => return self.attributes(at),
            Some(Kind::Mark(bracket @ (b'(' | b'[' | b'{'))) => {
                let declares = at.checked_sub(2).and_then(|word| self.tokens.word(word));
                let place = match (bracket, declares) {
                    (b'{', Some("struct")) | (b'(', Some("fn")) => Place::List,
                    (b'{', _) => Place::Block,
                    _ => Place::Other,
                };
                self.levels.push(Level { place, chain: None });
            }
            Some(Kind::Mark(b')' | b']' | b'}')) => {
                self.levels.pop();
            }
            _ => {}
        }
        Ok(at + 1)
    }

    fn attributes(&mut self, at: usize) -> Result<usize, TextError> {
        let (node, found) = attributes(self.tokens, at);
        let conditional =
            |range: &&Range<usize>| matches!(self.tokens.word(range.start + 1), Some("if" | "elif" | "else"));
        let mut conditions = found.iter().filter(conditional);
        let Some(condition) = conditions.next().cloned() else { return Ok(node.max(at + 1)) };
        if let Some(second) = conditions.next() {
            let notes = ["combine them: @if(a && b)".to_owned()];
            return Err(self.tokens.fail(second.start, "two conditions on one item", "the second condition", &notes));
        }
        let end = self.end_of_node(at, condition.start, node)?;
        let on = self.decide(at, &condition, end)?;
        let off = if on { condition } else { at..end };
        self.blanks.extend(if on {
            vec![self.tokens.bytes(off.clone())]
        } else {
            self.tokens.bytes_with_comments(off.clone())
        });
        for keep in &mut self.keep[off] {
            *keep = false;
        }
        Ok(if on { node } else { end })
    }

    /// Whether the conditions keep the item after the attributes that begin at `at`.
    fn decide(&mut self, at: usize, condition: &Range<usize>, end: usize) -> Result<bool, TextError> {
        let word = self.tokens.word(condition.start + 1).unwrap_or_default();
        let before = self.levels.last().and_then(|level| level.chain).filter(|chain| chain.end == at);
        let holds = if word == "else" {
            true
        } else if self.tokens.is(condition.start + 2, b'(') {
            evaluate(self.tokens, condition.start + 3..condition.end - 1, self.features)?
        } else {
            let message = format!("@{word} has no condition");
            return Err(self.tokens.fail(condition.start, &message, "expected @if(..)", &[]));
        };
        let taken = match (word, before) {
            ("if", _) => false,
            (_, Some(chain)) => chain.taken,
            (_, None) => {
                let message = format!("@{word} without an @if");
                let notes = ["place it directly after the item of an @if or @elif".to_owned()];
                return Err(self.tokens.fail(condition.start, &message, "here", &notes));
            }
        };
        let on = holds && !taken;
        let chain = (word != "else").then_some(Chain { end, taken: taken || on });
        if let Some(level) = self.levels.last_mut() {
            level.chain = chain;
        }
        Ok(on)
    }

    /// The index after the item that begins at `node`, whose attributes begin at `at`.
    fn end_of_node(&self, at: usize, condition: usize, node: usize) -> Result<usize, TextError> {
        let place = self.levels.last().map_or(Place::Block, |level| level.place);
        let before = at.checked_sub(1).and_then(|before| self.tokens.kind(before));
        let begins = match place {
            Place::Block => matches!(before, None | Some(Kind::Mark(b';' | b'{' | b'}'))),
            Place::List => matches!(before, Some(Kind::Mark(b',' | b'{' | b'('))),
            Place::Other => false,
        };
        if !begins {
            let notes =
                ["conditions are allowed before imports, directives, declarations, statements, clauses of switch, \
                          members of structs and parameters"
                    .to_owned()];
            return Err(self.tokens.fail(
                condition,
                "a condition is not allowed here",
                "this part cannot be turned off",
                &notes,
            ));
        }
        let end =
            if place == Place::List { Some(self.end_of_entry(node)) } else { end_of_statement(self.tokens, node) };
        end.filter(|end| *end > node).ok_or_else(|| {
            self.tokens.fail(
                condition,
                "the condition applies to nothing",
                "no item follows that it could turn off",
                &[],
            )
        })
    }

    /// The index after a member or parameter and its comma.
    fn end_of_entry(&self, node: usize) -> usize {
        let (mut at, mut lists) = (node, 0);
        while let Some(kind) = self.tokens.kind(at) {
            match kind {
                Kind::Mark(b'(' | b'[' | b'{') => at = self.tokens.partner(at),
                Kind::Mark(b')' | b']' | b'}') => return at,
                // In a type, `<` always begins a template list.
                Kind::Mark(b'<') => lists += 1,
                Kind::Mark(b'>') => lists -= 1,
                Kind::Mark(b',') if lists <= 0 => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }
}
