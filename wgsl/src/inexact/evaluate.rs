//! The evaluation of simple constant expressions from the tokens of a text.

use std::cell::Cell;
use std::collections::HashMap;

use crate::compose::tokens::{Kind, Token};

/// The maximum depth of brackets, signs and names. Deeper expressions are left to naga.
const MAX_DEPTH: u32 = 24;
/// The maximum number of operands in one text: names can use each other so that the work grows exponentially.
const MAX_OPERANDS: u32 = 200_000;
/// The limit of whole numbers that 64-bit floats represent exactly.
const MAX_INTEGER: f64 = 9_007_199_254_740_992.0;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    AbstractInt,
    AbstractFloat,
    F32,
}

/// A number and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    width: Width,
    number: f64,
}

impl Value {
    /// Rounds a number to a type; `None` if it is out of range.
    fn of(width: Width, number: f64) -> Option<Self> {
        let number = match width {
            Width::F32 => f64::from(number as f32),
            Width::AbstractFloat | Width::AbstractInt => number,
        };
        let fits = number.is_finite() && (width != Width::AbstractInt || number.abs() < MAX_INTEGER);
        fits.then_some(Self { width, number })
    }

    /// The text of the number in WGSL.
    pub(super) fn literal(&self) -> String {
        match self.width {
            Width::F32 => format!("{:e}f", self.number as f32),
            Width::AbstractFloat | Width::AbstractInt => format!("{:e}", self.number),
        }
    }

    /// The area hyperbolic tangent; `None` outside its domain, whose error naga reports.
    fn atanh(self) -> Option<Self> {
        let magnitude = self.number.abs();
        if magnitude >= 1.0 {
            return None;
        }
        // The logarithm of a number above 1, which has no cancellation.
        let result = 0.5 * (2.0 * magnitude / (1.0 - magnitude)).ln_1p();
        Self::of(self.width.max(Width::AbstractFloat), result.copysign(self.number))
    }

    fn combine(self, operator: u8, other: Self) -> Option<Self> {
        let width = self.width.max(other.width);
        let (a, b) = (Self::of(width, self.number)?.number, Self::of(width, other.number)?.number);
        let result = match operator {
            b'+' => a + b,
            b'-' => a - b,
            b'*' => a * b,
            _ if b == 0.0 => return None,
            _ if width == Width::AbstractInt => (a / b).trunc(),
            _ => a / b,
        };
        Self::of(width, result)
    }
}

/// The tokens of a text.
pub(super) struct Evaluator<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// For each declared name, the token of its declaration; `None` if it has several.
    declared: HashMap<&'a str, Option<usize>>,
    /// The number of braces that enclose each token.
    braces: Vec<u32>,
    /// The number of operands that may still be evaluated.
    left: Cell<u32>,
}

/// A value and the index of the token after it.
type Parsed = Option<(Value, usize)>;

impl<'a> Evaluator<'a> {
    /// `None` if the text declares its own `atanh` or `f32`.
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Option<Self> {
        let mut depth = 0_u32;
        let braces = tokens.iter().map(|token| {
            match token.kind {
                Kind::Mark(b'{') => depth += 1,
                Kind::Mark(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth
        });
        let braces = braces.collect();
        let mut evaluator = Self { text, tokens, declared: HashMap::new(), braces, left: Cell::new(MAX_OPERANDS) };
        for at in 0..tokens.len() {
            let Some(name) = evaluator.word(at).filter(|_| evaluator.declares(at)) else { continue };
            evaluator.declared.entry(name).and_modify(|first| *first = None).or_insert(Some(at));
        }
        let is_own = ["atanh", "f32"].iter().any(|name| evaluator.declared.contains_key(name));
        (!is_own).then_some(evaluator)
    }

    /// The word at a token, if it is one.
    pub(super) fn word(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at).filter(|token| token.kind == Kind::Word)?;
        self.text.get(token.start..token.end)
    }

    /// The components of the call of `atanh` at a token, and the index of its closing bracket.
    pub(super) fn call(&self, at: usize) -> Option<(Vec<Value>, usize)> {
        let components = |(values, end): (Vec<Value>, usize)| {
            let values = values.into_iter().map(Value::atanh).collect::<Option<Vec<_>>>()?;
            Some((values, end))
        };
        let vector = || {
            let (values, end) = self.vector(at + 2)?;
            self.is(end, b')').then_some((values, end))
        };
        let scalar = || {
            let (value, end) = self.sum(at + 2, 0)?;
            self.is(end, b')').then_some((vec![value], end))
        };
        if !self.is(at + 1, b'(') {
            return None;
        }
        vector().or_else(scalar).and_then(components)
    }

    /// `vec2(..)`, `vec2f(..)` or `vec2<f32>(..)`, of scalars, and the index of the token after it.
    fn vector(&self, at: usize) -> Option<(Vec<Value>, usize)> {
        let name = self.word(at)?.strip_prefix("vec")?;
        let size = name.chars().next().and_then(|digit| digit.to_digit(10)).filter(|size| (2..=4).contains(size))?;
        let (width, mut at) = match name.get(1..)? {
            "f" => (Width::F32, at + 1),
            "" if self.is(at + 1, b'<') && self.word(at + 2) == Some("f32") && self.is(at + 3, b'>') => {
                (Width::F32, at + 4)
            }
            "" => (Width::AbstractInt, at + 1),
            _ => return None,
        };
        if !self.is(at, b'(') {
            return None;
        }
        let mut values = Vec::new();
        while !self.is(at, b')') {
            let (value, end) = self.sum(at + 1, 0)?;
            values.push(value);
            at = end;
            if !self.is(at, b',') && !self.is(at, b')') {
                return None;
            }
            // A comma may follow the last component.
            if self.is(at, b',') && self.is(at + 1, b')') {
                at += 1;
            }
        }
        if let [all] = values[..] {
            values = vec![all; size as usize];
        }
        let width = values.iter().map(|value| value.width).fold(width, Ord::max);
        let values = values.iter().map(|value| Value::of(width, value.number)).collect::<Option<Vec<_>>>()?;
        (values.len() == size as usize).then_some((values, at + 1))
    }

    fn sum(&self, at: usize, depth: u32) -> Parsed {
        self.chain(at, [b'+', b'-'], |at| self.chain(at, [b'*', b'/'], |at| self.signed(at, depth)))
    }

    fn chain(&self, at: usize, operators: [u8; 2], operand: impl Fn(usize) -> Parsed) -> Parsed {
        let (mut value, mut at) = operand(at)?;
        while let Some(operator) = operators.into_iter().find(|operator| self.is(at, *operator)) {
            let (other, end) = operand(at + 1)?;
            (value, at) = (value.combine(operator, other)?, end);
        }
        Some((value, at))
    }

    fn signed(&self, at: usize, depth: u32) -> Parsed {
        if depth > MAX_DEPTH {
            return None;
        }
        self.left.set(self.left.get().checked_sub(1)?);
        if self.is(at, b'-') {
            let (value, end) = self.signed(at + 1, depth + 1)?;
            return Some((Value { number: -value.number, ..value }, end));
        }
        let (value, end) = self.primary(at, depth)?;
        // A member or an element is no number that is known here.
        (!self.is(end, b'.') && !self.is(end, b'[')).then_some((value, end))
    }

    fn primary(&self, at: usize, depth: u32) -> Parsed {
        let token = self.tokens.get(at)?;
        match (token.kind, self.word(at)) {
            (Kind::Number, _) => Some((number(self.text.get(token.start..token.end)?)?, at + 1)),
            (Kind::Mark(b'('), _) => self.bracket(at, depth),
            (_, Some("f32")) => {
                let (value, end) = self.bracket(at + 1, depth)?;
                Some((Value::of(Width::F32, value.number)?, end))
            }
            (_, Some("atanh")) => {
                let (value, end) = self.bracket(at + 1, depth)?;
                Some((value.atanh()?, end))
            }
            (_, Some(name)) => Some((self.constant(name, at, depth)?, at + 1)),
            _ => None,
        }
    }

    fn bracket(&self, at: usize, depth: u32) -> Parsed {
        let (value, end) = self.is(at, b'(').then(|| self.sum(at + 1, depth + 1))??;
        self.is(end, b')').then_some((value, end + 1))
    }

    /// The value of a name, used at a token, that is declared once, by `const`.
    fn constant(&self, name: &str, used: usize, depth: u32) -> Option<Value> {
        let at = (*self.declared.get(name)?)?;
        if self.word(at.checked_sub(1)?) != Some("const") || !self.is_visible(at, used) {
            return None;
        }
        let is_typed = self.is(at + 1, b':');
        if is_typed && self.word(at + 2) != Some("f32") {
            return None;
        }
        let equals = if is_typed { at + 3 } else { at + 1 };
        let (value, end) = self.is(equals, b'=').then(|| self.sum(equals + 1, depth + 1))??;
        let value = if is_typed { Value::of(Width::F32, value.number)? } else { value };
        self.is(end, b';').then_some(value)
    }

    /// Whether a declaration is in scope where its name is used.
    fn is_visible(&self, declared: usize, used: usize) -> bool {
        let depth = self.braces[declared];
        depth == 0 || (declared < used && self.braces[declared..used].iter().all(|braces| *braces >= depth))
    }

    /// Whether the word at a token is declared there, as far as tokens tell.
    fn declares(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let keywords = ["const", "let", "var", "override", "fn", "struct", "alias"];
        let follows_space = self.is(before, b'>') && self.is(at + 1, b'=') && !self.is(at + 2, b'=');
        self.is(at + 1, b':') || follows_space || self.word(before).is_some_and(|word| keywords.contains(&word))
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Mark(mark))
    }
}

/// A decimal number without a suffix, or with that of `f32`.
fn number(text: &str) -> Option<Value> {
    let (digits, width) = match text.strip_suffix('f') {
        Some(digits) => (digits, Width::F32),
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => (text, Width::AbstractInt),
        None => (text, Width::AbstractFloat),
    };
    let is_decimal =
        digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_decimal {
        return None;
    }
    match width {
        // Rounded once, from the decimal digits.
        Width::F32 => Value::of(width, digits.parse::<f32>().ok()?.into()),
        _ => Value::of(width, digits.parse().ok()?),
    }
}
