//! Access to the author's text at the spans of a mistake.

use std::ops::Range;

use anywarp_backend::Source;
use naga::Span;

/// The length above which a quotation is shortened, in characters.
const MAX_QUOTE: usize = 60;

/// The text in which a mistake was found.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    source: &'a Source,
}

/// A word, number, string or mark of a text, with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn span(self) -> Span {
        span(self.at..self.at + self.text.len())
    }

    pub(super) fn is_name(self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// Converts a range to a span of naga.
pub(super) fn span(range: Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

impl<'a> Text<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        Self { source }
    }

    /// The text to which spans refer.
    pub(super) fn all(self) -> &'a str {
        self.source.text()
    }

    /// The composed text at a span.
    pub(super) fn at(self, span: Span) -> &'a str {
        span.to_range().and_then(|range| self.all().get(range)).unwrap_or_default()
    }

    /// The author's text at a span, on one line, and cut after [`MAX_QUOTE`] characters.
    pub(super) fn quote(self, span: Span) -> String {
        let range = span.to_range().unwrap_or_default();
        // In a composed text, names may differ from those in the author's file.
        let origin = self.source.origin_of(range.clone()).filter(|_| !self.source.is_plain());
        let own = origin.and_then(|(file, range)| self.source.files().get(file)?.text.get(range));
        let words = own.or_else(|| self.all().get(range)).unwrap_or_default();
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(MAX_QUOTE) {
            Some((end, _)) => format!("{}..", &line[..end]),
            None => line,
        }
    }

    /// The line of a span in the author's file.
    pub(super) fn line(self, span: Span) -> Option<u32> {
        Some(self.source.position(span.to_range()?.start)?.line)
    }

    /// The tokens of the whole text, without comments.
    pub(super) fn tokens(self) -> Vec<Token<'a>> {
        tokens(self.all(), 0)
    }

    /// The tokens that begin before an offset.
    pub(super) fn before(self, at: usize) -> Vec<Token<'a>> {
        let mut tokens = self.tokens();
        tokens.retain(|token| token.at < at);
        tokens
    }

    /// The tokens that begin at or after an offset.
    pub(super) fn from(self, at: usize) -> Vec<Token<'a>> {
        let mut tokens = self.tokens();
        tokens.retain(|token| token.at >= at);
        tokens
    }

    /// The span of an argument of the call that begins at an offset; `index` is the number of the argument, from 0.
    pub(super) fn argument(self, call: usize, index: usize) -> Option<Span> {
        let tokens = self.from(call);
        let open = tokens.iter().position(|token| token.text == "(")?;
        let (mut depth, mut at, mut first) = (0_i32, 0, tokens.get(open + 1)?.at);
        for token in &tokens[open..] {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && token.text == "," {
                if at == index {
                    return Some(self.trimmed(first..token.at));
                }
                (at, first) = (at + 1, token.at + 1);
            }
            if depth == 0 {
                break;
            }
        }
        None
    }

    /// The span of a range without the white space around it.
    pub(super) fn trimmed(self, range: Range<usize>) -> Span {
        let words = self.all().get(range.clone()).unwrap_or_default();
        let start = range.start + (words.len() - words.trim_start().len());
        span(start..start + words.trim().len())
    }

    /// The quotation of the text between two offsets.
    pub(super) fn between(self, first: usize, last: usize) -> String {
        self.quote(span(first..last))
    }
}

/// The marks of several characters, the longest first.
const MARKS: &[&str] = &[
    "<<=", ">>=", "->", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "::", "**", "=>",
];

/// The tokens of a part of a text; `start` is the offset of the part.
pub(super) fn tokens(text: &str, start: usize) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = crate::directives::skip_space(text, 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_alphanumeric() || first == '_' {
            let number = first.is_ascii_digit();
            let part = |c: char| c.is_alphanumeric() || c == '_' || number && c == '.';
            rest.find(|c| !part(c)).unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 2).min(rest.len())
        } else {
            MARKS.iter().find(|mark| rest.starts_with(**mark)).map_or(first.len_utf8(), |mark| mark.len())
        };
        found.push(Token { text: &rest[..length], at: start + at });
        at = crate::directives::skip_space(text, at + length);
    }
    found
}

/// The two operands of an expression, with the operator between them that is applied last.
pub(super) fn split(text: &str) -> Option<(&str, &str, &str)> {
    const LEVELS: &[&[&str]] = &[
        &["||"],
        &["&&"],
        &["|"],
        &["^"],
        &["&"],
        &["==", "!=", "<", ">", "<=", ">="],
        &["<<", ">>"],
        &["+", "-"],
        &["*", "/", "%"],
    ];
    let tokens = tokens(text, 0);
    let mut best: Option<(usize, Token<'_>)> = None;
    let (mut depth, mut operand) = (0_i32, false);
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" => (depth, operand) = (depth + 1, false),
            ")" | "]" => (depth, operand) = (depth - 1, true),
            // This `<` begins the template list of a type.
            "<" if index > 0 && is_type(tokens[index - 1].text) => (depth, operand) = (depth + 1, false),
            ">" if depth > 0 && !operand_list(&tokens[..index]) => (depth, operand) = (depth - 1, true),
            mark => {
                let level = LEVELS.iter().position(|level| level.contains(&mark));
                if let Some(level) = level.filter(|_| operand && depth == 0)
                    && best.is_none_or(|(other, _)| level <= other)
                {
                    best = Some((level, *token));
                }
                operand = level.is_none() && !matches!(mark, "," | ";" | "!" | "~");
            }
        }
    }
    let (_, operator) = best?;
    let right = &text[operator.at + operator.text.len()..];
    Some((text[..operator.at].trim(), operator.text, right.trim()))
}

fn is_type(word: &str) -> bool {
    ["vec2", "vec3", "vec4", "array", "atomic", "ptr", "bitcast"].contains(&word) || word.starts_with("mat")
}

/// Whether a `>` after these tokens is a comparison: it is one if no template list is open.
fn operand_list(before: &[Token<'_>]) -> bool {
    let mut open = 0;
    for (index, token) in before.iter().enumerate() {
        match token.text {
            "<" if index > 0 && is_type(before[index - 1].text) => open += 1,
            ">" if open > 0 => open -= 1,
            _ => {}
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_split_at_the_operator_applied_last() {
        let table = [
            ("a * 2.0", Some(("a", "*", "2.0"))),
            ("a + b * c", Some(("a", "+", "b * c"))),
            ("a - b - c", Some(("a - b", "-", "c"))),
            ("(a + b) * c", Some(("(a + b)", "*", "c"))),
            ("-a * f(b, c)", Some(("-a", "*", "f(b, c)"))),
            ("vec3<f32>(1.0) > b", Some(("vec3<f32>(1.0)", ">", "b"))),
            ("array<vec2<f32>, 2>(a, b)", None),
            ("f(a + b)", None),
            ("a[i + 1]", None),
            ("x < y", Some(("x", "<", "y"))),
        ];
        for (text, expected) in table {
            assert_eq!(split(text), expected, "{text}");
        }
    }

    #[test]
    fn quotations_are_on_one_line() {
        let source = Source::new("a.wgsl", "let a = b +\n    c;");
        let text = Text::new(&source);
        assert_eq!(text.quote(span(8..18)), "b + c;");
        assert_eq!(text.line(span(16..17)), Some(2));
        let long = Source::new("a.wgsl", "é".repeat(100));
        assert!(Text::new(&long).quote(span(0..200)).ends_with("é.."));
    }
}
