//! The attributes `@align` and `@size` of a text's structs.

use std::collections::HashMap;

use naga::Span;

use crate::compose::tokens::{Kind, Token, scan};
use crate::words::Finding;

/// The value of an attribute.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// The number; `None` for an expression.
    pub(super) value: Option<u32>,
    /// The range of the expression in the text, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Number {
    /// A mistake in this value.
    pub(super) fn finding(&self, message: impl Into<String>, label: impl Into<String>) -> Finding {
        let span = Span::new(self.start as u32, self.end as u32);
        Finding { message: message.into(), marks: vec![(span, label.into())], help: Vec::new() }
    }
}

/// The attributes of one member of a struct.
#[derive(Clone, Debug, Default)]
pub(super) struct Member {
    pub(super) align: Option<Number>,
    pub(super) size: Option<Number>,
}

/// The attributes of all members of the structs in a text.
pub(super) struct Attributes {
    structs: HashMap<String, Vec<Member>>,
}

impl Attributes {
    /// The members of a struct, in order.
    pub(super) fn of(&self, name: &str) -> Option<&[Member]> {
        self.structs.get(name).map(Vec::as_slice)
    }

    /// The values of all attributes.
    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut Number> {
        self.structs.values_mut().flatten().flat_map(|member| [&mut member.align, &mut member.size]).flatten()
    }
}

/// Reads the attributes of a valid text; `None` if no member has an `@align`.
pub(super) fn read(text: &str) -> Option<Attributes> {
    let tokens = scan(text);
    let reader = Reader { text, tokens: &tokens };
    let mut structs = HashMap::new();
    for at in 0..tokens.len() {
        if reader.word(at) == Some("struct")
            && let Some(name) = reader.word(at + 1).filter(|_| reader.is(at + 2, b'{'))
        {
            structs.insert(name.to_owned(), reader.members(at + 3));
        }
    }
    let aligns = structs.values().flatten().any(|member: &Member| member.align.is_some());
    aligns.then_some(Attributes { structs })
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Reader<'a> {
    /// The members from the token after the opening brace on.
    fn members(&self, mut at: usize) -> Vec<Member> {
        let mut members = Vec::new();
        while at < self.tokens.len() && !self.is(at, b'}') {
            let mut member = Member::default();
            while self.is(at, b'@') {
                let (number, end) = self.attribute(at + 2);
                match self.word(at + 1) {
                    Some("align") => member.align = number,
                    Some("size") => member.size = number,
                    _ => {}
                }
                at = end;
            }
            members.push(member);
            // Types have commas, too, but neither names with a colon nor attributes.
            while at < self.tokens.len() && !self.is(at, b'}') && !self.starts_member(at) {
                at += 1;
            }
            if self.is(at, b',') {
                at += 1;
            }
        }
        members
    }

    /// Whether the token is the comma before a member or before the end of the struct.
    fn starts_member(&self, comma: usize) -> bool {
        let named = self.word(comma + 1).is_some() && self.is(comma + 2, b':');
        self.is(comma, b',') && (named || self.is(comma + 1, b'@') || self.is(comma + 1, b'}'))
    }

    /// The value in brackets after an attribute's name, and the index of the token after them.
    fn attribute(&self, open: usize) -> (Option<Number>, usize) {
        if !self.is(open, b'(') {
            return (None, open);
        }
        let (mut depth, mut close) = (1, open + 1);
        while close < self.tokens.len() {
            match self.tokens[close].kind {
                Kind::Mark(b'(') => depth += 1,
                Kind::Mark(b')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            close += 1;
        }
        let (Some(first), Some(last)) = (self.tokens.get(open + 1), self.tokens.get(close.saturating_sub(1))) else {
            return (None, close);
        };
        let (start, mut end) = (first.start, last.end);
        // A comma may follow the value.
        if last.kind == Kind::Mark(b',') {
            end = self.tokens[close - 2].end;
        }
        let value = self.text.get(start..end).and_then(literal);
        (Some(Number { value, start, end }), close + 1)
    }

    fn word(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at).filter(|token| token.kind == Kind::Word)?;
        self.text.get(token.start..token.end)
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Mark(mark))
    }
}

/// The value of an integer literal.
fn literal(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(digits.trim_end_matches(['i', 'u']), 16).ok();
    }
    text.strip_suffix(['i', 'u']).unwrap_or(text).parse().ok()
}
