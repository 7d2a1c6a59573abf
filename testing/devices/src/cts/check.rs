//! Compares the contents of a buffer with a check.

use half::f16;

use super::expect::{Case, Expected, Scalar};
use super::format::{Check, Element, Ignore, Lane, LaneType, What};

/// The number of mismatches that are described for one check; further mismatches are only counted.
const MAX_DESCRIBED: usize = 8;

/// The mismatches between a buffer and a check of its contents.
#[derive(Debug, Default)]
pub struct Mismatches {
    /// The first mismatches, each with its position, expected and actual value.
    pub described: Vec<String>,
    /// The number of all mismatches.
    pub count: usize,
}

impl Mismatches {
    fn add(&mut self, place: impl FnOnce() -> String, expected: impl FnOnce() -> String, got: impl FnOnce() -> String) {
        self.count += 1;
        if self.described.len() < MAX_DESCRIBED {
            self.described.push(format!("{}: expected {}, got {}", place(), expected(), got()));
        }
    }
}

/// Compares `buffer`, the whole contents of the buffer that the check names, with the check.
pub fn compare(check: &Check, buffer: &[u8]) -> Mismatches {
    let mut found = Mismatches::default();
    let end = check.off + extent(&check.what);
    if end > buffer.len() {
        found.add(
            || format!("bytes {}..{end}", check.off),
            || "data".to_owned(),
            || format!("a buffer of {} bytes", buffer.len()),
        );
        return found;
    }
    let bytes = &buffer[check.off..];
    match &check.what {
        What::Equal { data, element, ignore } => compare_equal(data, *element, ignore.as_ref(), bytes, &mut found),
        What::Words(words) => compare_words(words, bytes, &mut found),
        What::Lanes { stride, lanes, cases } => {
            for (record, case) in cases.iter().enumerate() {
                compare_record(record, case, lanes, &bytes[record * stride..], &mut found);
            }
        }
    }
    found
}

/// The number of bytes, from its offset on, that the check reads.
fn extent(what: &What) -> usize {
    match what {
        What::Equal { data, .. } => data.len(),
        What::Words(words) => words.iter().map(|(index, _)| 4 * index + 4).max().unwrap_or(0),
        What::Lanes { stride, lanes, cases } => {
            let record = lanes.iter().map(|lane| lane.off + width(lane.ty)).max().unwrap_or(0);
            cases.len().checked_sub(1).map_or(0, |last| last * stride + record)
        }
    }
}

fn compare_equal(data: &[u8], element: Element, ignore: Option<&Ignore>, bytes: &[u8], found: &mut Mismatches) {
    let size = match element {
        Element::Bytes => 1,
        Element::F16 => 2,
        Element::F32 => 4,
    };
    for (i, expected) in data.chunks(size).enumerate() {
        let start = i * size;
        let got = &bytes[start..start + expected.len()];
        let same = expected == got || float(element, expected).zip(float(element, got)).is_some_and(|(a, b)| a == b);
        if !same && !ignore.is_some_and(|ignore| ignore.idx.contains(&(start / 4 % ignore.modulus))) {
            let show =
                |bytes| float(element, bytes).map_or_else(|| format!("{bytes:02x?}"), |number| format!("{number:?}"));
            found.add(|| format!("byte {start}"), || show(expected), || show(got));
        }
    }
}

fn float(element: Element, bytes: &[u8]) -> Option<f64> {
    match element {
        Element::Bytes => None,
        Element::F16 => Some(f16::from_le_bytes(bytes.try_into().ok()?).to_f64()),
        Element::F32 => Some(f32::from_le_bytes(bytes.try_into().ok()?).into()),
    }
}

fn compare_words(words: &[(usize, u32)], bytes: &[u8], found: &mut Mismatches) {
    for &(index, expected) in words {
        let got = word(bytes, 4 * index);
        if got != expected {
            found.add(
                || format!("word {index}"),
                || format!("{expected} ({expected:#x})"),
                || format!("{got} ({got:#x})"),
            );
        }
    }
}

fn compare_record(record: usize, case: &Case, lanes: &[Lane], bytes: &[u8], found: &mut Mismatches) {
    match case {
        Case::Anything => {}
        Case::Record(expected) => {
            for (i, (lane, expected)) in lanes.iter().zip(expected).enumerate() {
                let got = scalar(*lane, bytes);
                if !expected.allows(got) {
                    found.add(|| format!("record {record} lane {i}"), || expected.to_string(), || show(*lane, bytes));
                }
            }
        }
        Case::AnyOf(alternatives) => {
            let fits = |expected: &Vec<Expected>| {
                lanes.iter().zip(expected).all(|(lane, expected)| expected.allows(scalar(*lane, bytes)))
            };
            if !alternatives.iter().any(fits) {
                found.add(
                    || format!("record {record}"),
                    || alternatives.iter().map(|record| tuple(record)).collect::<Vec<_>>().join(" or "),
                    || tuple(&lanes.iter().map(|lane| show(*lane, bytes)).collect::<Vec<_>>()),
                );
            }
        }
    }
}

fn tuple<T: std::fmt::Display>(items: &[T]) -> String {
    format!("({})", items.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

fn width(ty: LaneType) -> usize {
    match ty {
        LaneType::F16 => 2,
        LaneType::F32 | LaneType::I32 | LaneType::U32 | LaneType::Bool => 4,
        LaneType::Ai64 | LaneType::Af64 => 8,
    }
}

fn scalar(lane: Lane, record: &[u8]) -> Scalar {
    let at = lane.off;
    match lane.ty {
        LaneType::F16 => Scalar::Float(f16::from_le_bytes([record[at], record[at + 1]]).to_f64()),
        LaneType::F32 => Scalar::Float(f32::from_bits(word(record, at)).into()),
        LaneType::I32 => Scalar::Integer(word(record, at).cast_signed().into()),
        LaneType::U32 => Scalar::Integer(word(record, at).into()),
        LaneType::Bool => Scalar::Integer((word(record, at) != 0).into()),
        LaneType::Ai64 => Scalar::Integer(long(record, at).cast_signed()),
        LaneType::Af64 => Scalar::Float(f64::from_bits(long(record, at))),
    }
}

fn show(lane: Lane, record: &[u8]) -> String {
    let bits =
        record[lane.off..lane.off + width(lane.ty)].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
    match scalar(lane, record) {
        Scalar::Float(number) => format!("{number:?} (0x{bits})"),
        Scalar::Integer(number) => format!("{number} (0x{bits})"),
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
