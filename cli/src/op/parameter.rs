//! The parameters of operators: their forms on the command line, and their values.

use std::collections::HashMap;

use anywarp::ops::Steps;

use super::places;
use crate::count;
use crate::shape::Extents;

/// A parameter of an operator, spelled as in the Rust builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) summary: &'static str,
    pub(crate) need: Need,
}

/// Whether a parameter must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
    Default(&'static str),
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No value.
    Flag,
    /// A whole number: `64`, `1Mi`.
    Count,
    /// Several whole numbers: `0,2`.
    Counts,
    /// A number.
    Number,
    /// Several numbers: `0,0.5,1`.
    Numbers,
    /// Two numbers: `0..1`.
    Range,
    /// Two whole numbers: `4..8`.
    Integers,
    /// A shape: `512x512`.
    Shape,
    /// Pairs of whole numbers: `0:2,1:-3`.
    Pairs,
    /// Steps along axes, as Python's slices: `1:5,::-1`.
    Parts,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
}

impl Parameter {
    /// An optional parameter.
    pub(crate) const fn new(name: &'static str, kind: Kind, summary: &'static str) -> Self {
        Self { name, kind, summary, need: Need::Optional }
    }

    pub(crate) const fn required(mut self) -> Self {
        self.need = Need::Required;
        self
    }

    pub(crate) const fn default(mut self, value: &'static str) -> Self {
        self.need = Need::Default(value);
        self
    }

    /// Checks the text of a value.
    ///
    /// # Errors
    /// An error text with the expected form, the actual text, and an example.
    pub(crate) fn check(&self, text: &str) -> Result<String, String> {
        let right = match self.kind {
            Kind::Flag | Kind::Text => true,
            Kind::Count => count::count(text).is_some(),
            Kind::Counts => counts(text).is_some(),
            Kind::Number => text.parse::<f64>().is_ok(),
            Kind::Numbers => numbers(text).is_some(),
            Kind::Range => range::<f64>(text).is_some(),
            Kind::Integers => range::<i128>(text).is_some(),
            Kind::Shape => text.parse::<Extents>().is_ok(),
            Kind::Pairs => places::pairs(text).is_some(),
            Kind::Parts => places::parts(text).is_some(),
            Kind::Word(known) => known.contains(&text),
        };
        if right {
            return Ok(text.to_owned());
        }
        let (expected, name, example) = (self.kind.expected(), self.name, self.kind.example());
        Err(format!("expected {expected}, found '{text}': write --{name} {example}"))
    }
}

impl Kind {
    /// The value's name in help texts.
    pub(crate) fn value_name(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Count => "N",
            Self::Counts => "N[,N..]",
            Self::Number => "NUMBER",
            Self::Numbers => "NUMBER[,NUMBER..]",
            Self::Range | Self::Integers => "START..END",
            Self::Shape => "SHAPE",
            Self::Pairs => "N:N[,N:N..]",
            Self::Parts => "[START]:[END][:STEP][,..]",
            Self::Word(_) => "WORD",
            Self::Text => "WGSL",
        }
    }

    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Flag => "",
            Self::Count => "16",
            Self::Counts => "0,1",
            Self::Number => "0.5",
            Self::Numbers => "0,0.5,1",
            Self::Range => "0..1",
            Self::Integers => "0..8",
            Self::Shape => "512x512",
            Self::Pairs => "0:1",
            Self::Parts => "1:5,::-1",
            Self::Word(known) => known.first().copied().unwrap_or_default(),
            Self::Text => "'y = 2 * x'",
        }
    }

    fn expected(self) -> String {
        match self {
            Self::Count => "a whole number".to_owned(),
            Self::Counts => "whole numbers with commas between".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Numbers => "numbers with commas between".to_owned(),
            Self::Range => "two numbers with .. between".to_owned(),
            Self::Integers => "two whole numbers with .. between".to_owned(),
            Self::Shape => "a shape".to_owned(),
            Self::Pairs => "pairs of whole numbers with : between".to_owned(),
            Self::Parts => "slices as in Python with commas between".to_owned(),
            Self::Word(known) => format!("one of {}", known.join(", ")),
            Self::Flag | Self::Text => "a text".to_owned(),
        }
    }
}

fn counts(text: &str) -> Option<Vec<usize>> {
    text.split(',').map(|part| usize::try_from(count::count(part.trim())?).ok()).collect()
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|part| part.trim().parse().ok()).collect()
}

fn range<N: std::str::FromStr>(text: &str) -> Option<(N, N)> {
    let (start, end) = text.split_once("..")?;
    Some((start.trim().parse().ok()?, end.trim().parse().ok()?))
}

/// The values of a call, by name. Their texts were checked when the command line was parsed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    pub(crate) texts: HashMap<String, String>,
}

impl Values {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    pub(crate) fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(count::count(self.text(name)?)?).ok()
    }

    pub(crate) fn counts(&self, name: &str) -> Option<Vec<usize>> {
        counts(self.text(name)?)
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok()
    }

    pub(crate) fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        numbers(self.text(name)?)
    }

    pub(crate) fn range(&self, name: &str) -> Option<std::ops::Range<f64>> {
        range(self.text(name)?).map(|(start, end)| start..end)
    }

    pub(crate) fn integers(&self, name: &str) -> Option<std::ops::Range<i128>> {
        range(self.text(name)?).map(|(start, end)| start..end)
    }

    pub(crate) fn parts(&self, name: &str) -> Option<Vec<Steps>> {
        places::parts(self.text(name)?)
    }

    pub(crate) fn shape(&self, name: &str) -> Option<Vec<usize>> {
        let extents: Extents = self.text(name)?.parse().ok()?;
        extents.numbers().iter().map(|extent| usize::try_from(*extent).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_form_of_their_kind() {
        let table: [(Kind, &[&str], &[&str]); 9] = [
            (Kind::Count, &["0", "64Ki"], &["", "-1", "1.5"]),
            (Kind::Counts, &["0", "0,2"], &["", "0,,1", "a"]),
            (Kind::Number, &["-1e3"], &["x", ""]),
            (Kind::Range, &["0..1", "-1.5..2"], &["0", "0..", "..1"]),
            (Kind::Integers, &["-4..8"], &["0..1.5"]),
            (Kind::Shape, &["4", "4x2"], &["4x"]),
            (Kind::Pairs, &["0:2", "1:-3,0:0"], &["", "1", "a:b"]),
            (Kind::Parts, &[":", "1:,::-2"], &["", "1", "a:"]),
            (Kind::Word(&["sum", "max"]), &["max"], &["", "min"]),
        ];
        for (kind, right, wrong) in table {
            let parameter = Parameter::new("p", kind, "");
            assert!(right.iter().all(|text| parameter.check(text).is_ok()), "{kind:?}");
            for text in wrong {
                let message = parameter.check(text).unwrap_err();
                assert!(message.starts_with("expected ") && message.contains("write --p "), "{message}");
            }
            assert!(parameter.check(kind.example()).is_ok(), "{kind:?}");
        }
    }
}
