//! Expected contents of a record of results.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A scalar read from a buffer.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    Float(f64),
    Integer(i64),
}

/// The expectation for one scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// Any value, including NaN.
    Anything,
    /// This number, with either sign of a zero; never NaN.
    Number(f64),
    /// A number from the first to the second bound, both included; never NaN.
    Within(f64, f64),
    /// A 64-bit integer. It is text in the file, because numbers are read as `f64`.
    Integer(i64),
    /// A scalar that meets one of these expectations.
    OneOf(Vec<Expected>),
}

impl Expected {
    /// Whether the scalar meets the expectation.
    pub fn allows(&self, got: Scalar) -> bool {
        match (self, got) {
            (Self::Anything, _) => true,
            (Self::OneOf(any), _) => any.iter().any(|expected| expected.allows(got)),
            (Self::Number(number), Scalar::Float(got)) => got == *number,
            (Self::Number(number), Scalar::Integer(got)) => number.fract() == 0.0 && *number as i128 == i128::from(got),
            (Self::Within(low, high), Scalar::Float(got)) => *low <= got && got <= *high,
            (Self::Within(low, high), Scalar::Integer(got)) => *low <= got as f64 && got as f64 <= *high,
            (Self::Integer(expected), Scalar::Integer(got)) => *expected == got,
            (Self::Integer(_), Scalar::Float(_)) => false,
        }
    }
}

/// The expectation for one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Case {
    Anything,
    /// A record that meets this list of expectations, one for each lane.
    Record(Vec<Expected>),
    /// A record that meets all expectations of one of these lists, which have one expectation for each lane.
    AnyOf(Vec<Vec<Expected>>),
}

impl Case {
    /// Whether each list of expectations has `lanes` entries.
    pub fn fits(&self, lanes: usize) -> bool {
        match self {
            Self::Anything => true,
            Self::Record(record) => record.len() == lanes,
            Self::AnyOf(records) => records.iter().all(|record| record.len() == lanes),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anything => f.write_str("anything"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Within(low, high) => write!(f, "[{low:?}, {high:?}]"),
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::OneOf(any) => {
                for (i, expected) in any.iter().enumerate() {
                    let or = if i == 0 { "" } else { " or " };
                    write!(f, "{or}{expected}")?;
                }
                Ok(())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExpectedVisitor)
    }
}

struct ExpectedVisitor;

impl<'de> Visitor<'de> for ExpectedVisitor {
    type Value = Expected;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a number, 'inf', '-inf', an interval, {or: [..]} or {i64: '..'}")
    }

    fn visit_unit<E>(self) -> Result<Expected, E> {
        Ok(Expected::Anything)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Expected, E> {
        Ok(Expected::Number(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Expected, E> {
        Ok(Expected::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Expected, E> {
        Ok(Expected::Number(number as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Expected, E> {
        infinity(text).map(Expected::Number)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut ends: A) -> Result<Expected, A::Error> {
        let mut next = || ends.next_element::<Bound>();
        match (next()?, next()?, next()?) {
            (Some(low), Some(high), None) => Ok(Expected::Within(low.0, high.0)),
            _ => Err(A::Error::custom("an interval has two ends")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Expected, A::Error> {
        let expected = match fields.next_key::<String>()?.as_deref() {
            Some("or") => Expected::OneOf(fields.next_value()?),
            Some("i64") => {
                let text = fields.next_value::<String>()?;
                Expected::Integer(text.parse().map_err(|_| A::Error::custom(format!("'{text}' is no i64")))?)
            }
            other => return Err(A::Error::custom(format!("unknown expectation {other:?}"))),
        };
        end_of(fields)?;
        Ok(expected)
    }
}

/// An end of an interval: a number or an infinity.
struct Bound(f64);

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Expected::deserialize(deserializer)? {
            Expected::Number(number) => Ok(Self(number)),
            other => Err(D::Error::custom(format!("{other} is no end of an interval"))),
        }
    }
}

impl<'de> Deserialize<'de> for Case {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CaseVisitor)
    }
}

struct CaseVisitor;

impl<'de> Visitor<'de> for CaseVisitor {
    type Value = Case;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a list of expectations or {any: [..]}")
    }

    fn visit_unit<E>(self) -> Result<Case, E> {
        Ok(Case::Anything)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lanes: A) -> Result<Case, A::Error> {
        let mut record = Vec::with_capacity(lanes.size_hint().unwrap_or(4));
        while let Some(expected) = lanes.next_element()? {
            record.push(expected);
        }
        Ok(Case::Record(record))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Case, A::Error> {
        let case = match fields.next_key::<String>()?.as_deref() {
            Some("any") => Case::AnyOf(fields.next_value()?),
            other => return Err(A::Error::custom(format!("unknown case {other:?}"))),
        };
        end_of(fields)?;
        Ok(case)
    }
}

fn infinity<E: Error>(text: &str) -> Result<f64, E> {
    match text {
        "inf" => Ok(f64::INFINITY),
        "-inf" => Ok(f64::NEG_INFINITY),
        _ => Err(E::custom(format!("'{text}' is neither 'inf' nor '-inf'"))),
    }
}

fn end_of<'de, A: MapAccess<'de>>(mut fields: A) -> Result<(), A::Error> {
    match fields.next_key::<String>()? {
        None => Ok(()),
        Some(key) => Err(A::Error::custom(format!("'{key}' does not belong here"))),
    }
}
