//! Buffers that are generated instead of read: zeros, ones, ranges and random numbers.

use half::f16;

use crate::count::{self, count};
use crate::dtype::Dtype;
use crate::random;

/// `COUNT` elements of one type, from a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) rule: Rule,
    pub(crate) dtype: Dtype,
    pub(crate) count: u64,
}

/// The rule that generates the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Zeros,
    Ones,
    /// 0, 1, 2, ...
    Range,
    Random {
        seed: u64,
    },
}

impl Rule {
    /// The word of the rule, which comes before the first colon.
    fn word(self) -> &'static str {
        match self {
            Self::Zeros => "zeros",
            Self::Ones => "ones",
            Self::Range => "range",
            Self::Random { .. } => "rand",
        }
    }
}

impl Made {
    /// Parses a text such as `ones:f32:64Ki`; returns `None` if the text does not begin with the word of a rule.
    ///
    /// # Errors
    /// The expected and the actual text, with an example.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let parts: Vec<&str> = rest.split(':').collect();
        let made = |rule, dtype, count| typed(text, rule, dtype, count);
        let (form, example) = match (word, parts.as_slice()) {
            ("zeros", [dtype, count]) => return Some(made(Rule::Zeros, dtype, count)),
            ("ones", [dtype, count]) => return Some(made(Rule::Ones, dtype, count)),
            ("range", [dtype, count]) => return Some(made(Rule::Range, dtype, count)),
            ("rand", [seed, dtype, count]) => {
                let seed = number(text, "SEED", seed);
                return Some(seed.and_then(|seed| made(Rule::Random { seed }, dtype, count)));
            }
            ("zeros", _) => ("zeros:DTYPE:COUNT or zeros:BYTES", "zeros:f32:1024 or zeros:4096"),
            ("ones", _) => ("ones:DTYPE:COUNT", "ones:f32:1024"),
            ("range", _) => ("range:DTYPE:COUNT", "range:u32:1024"),
            ("rand", _) => ("rand:SEED:DTYPE:COUNT", "rand:1:f32:1024"),
            _ => return None,
        };
        Some(Err(format!("expected {form}, found '{text}': write {example}")))
    }

    /// The size in bytes; `None` beyond 2^64.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.count.checked_mul(self.dtype.width() as u64)
    }

    /// The text for the same rule and count with another type.
    pub(crate) fn with(&self, dtype: Dtype) -> String {
        let (word, count) = (self.rule.word(), self.count);
        match self.rule {
            Rule::Random { seed } => format!("{word}:{seed}:{}:{count}", dtype.word()),
            _ => format!("{word}:{}:{count}", dtype.word()),
        }
    }

    /// The little-endian bytes of the elements; `None` if there is not enough memory.
    pub(crate) fn make(&self) -> Option<Vec<u8>> {
        let count = usize::try_from(self.count).ok()?;
        if let Rule::Random { seed } = self.rule {
            return random::bytes(seed, self.dtype, count);
        }
        let mut out = Vec::new();
        out.try_reserve_exact(count.checked_mul(self.dtype.width())?).ok()?;
        for index in 0..self.count {
            let value = match self.rule {
                Rule::Range => index,
                rule => u64::from(rule == Rule::Ones),
            };
            push(&mut out, self.dtype, value);
        }
        Some(out)
    }
}

fn push(out: &mut Vec<u8>, dtype: Dtype, value: u64) {
    match dtype {
        Dtype::F2 => out.extend(f16::from_f64(value as f64).to_le_bytes()),
        Dtype::F4 => out.extend((value as f32).to_le_bytes()),
        Dtype::F8 => out.extend((value as f64).to_le_bytes()),
        integer => out.extend(&value.to_le_bytes()[..integer.width()]),
    }
}

fn typed(text: &str, rule: Rule, dtype: &str, count: &str) -> Result<Made, String> {
    let words = if matches!(rule, Rule::Random { .. }) {
        "f16, f32, i32 or u32, or NumPy's float16, float32, int32 or uint32"
    } else {
        "f16, f32, f64, i16, i32, i64, u16, u32 or u64, or NumPy's float32 and so on"
    };
    let random = |dtype: &Dtype| random::DTYPES.iter().any(|(_, known)| known == dtype);
    let known = Dtype::from_word(dtype).filter(|dtype| !matches!(rule, Rule::Random { .. }) || random(dtype));
    let dtype = known.ok_or_else(|| format!("expected a type as DTYPE of '{text}', found '{dtype}': write {words}"))?;
    let made = Made { rule, dtype, count: number(text, "COUNT", count)? };
    match last_exact(dtype) {
        Some(most) if rule == Rule::Range && made.count > most.saturating_add(1) => Err(format!(
            "expected at most {} elements, as {} holds whole numbers up to {most}, found {count} in '{text}': take \
             fewer, or a wider type",
            most + 1,
            dtype.word(),
        )),
        _ => Ok(made),
    }
}

/// The largest integer up to which a type represents all integers; `None` if that is larger than any `COUNT`.
fn last_exact(dtype: Dtype) -> Option<u64> {
    Some(match dtype {
        Dtype::F2 => 1 << 11,
        Dtype::F4 => 1 << 24,
        Dtype::F8 => 1 << 53,
        Dtype::I2 => i16::MAX as u64,
        Dtype::U2 => u64::from(u16::MAX),
        Dtype::I4 => i32::MAX as u64,
        Dtype::U4 => u64::from(u32::MAX),
        _ => return None,
    })
}

fn number(text: &str, what: &str, part: &str) -> Result<u64, String> {
    count(part).ok_or_else(|| {
        format!("expected a whole number as {what} of '{text}', found '{part}': write one such as {}", count::FORMS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Made, String> {
        Made::parse(text).expect("a rule's word")
    }

    #[test]
    fn rules_have_a_type_and_a_count() {
        let table = [
            ("zeros:f32:4", Rule::Zeros, Dtype::F4, 4),
            ("zeros:uint32:1Ki", Rule::Zeros, Dtype::U4, 1024),
            ("ones:float16:0x10", Rule::Ones, Dtype::F2, 16),
            ("range:i64:3", Rule::Range, Dtype::I8, 3),
            ("range:f32:16777217", Rule::Range, Dtype::F4, (1 << 24) + 1),
            ("rand:7:int32:3", Rule::Random { seed: 7 }, Dtype::I4, 3),
        ];
        for (text, rule, dtype, count) in table {
            assert_eq!(parse(text), Ok(Made { rule, dtype, count }), "{text}");
        }
        assert!(Made::parse("x.npy").is_none() && Made::parse("one:f32:4").is_none());
        for (wrong, part) in [
            ("ones:64", "ones:DTYPE:COUNT"),
            ("zeros", "zeros:BYTES"),
            ("range:f32", "range:DTYPE:COUNT"),
            ("rand:1:f32", "rand:SEED:DTYPE:COUNT"),
            ("rand:1:f64:2", "found 'f64'"),
            ("rand:x:f32:2", "as SEED of"),
            ("ones:f8:2", "found 'f8'"),
            ("ones:f32:many", "as COUNT of 'ones:f32:many', found 'many'"),
            ("range:f16:2050", "at most 2049 elements"),
            ("range:u16:65537", "u16 holds whole numbers up to 65535"),
        ] {
            let message = parse(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }

    #[test]
    fn elements_follow_their_rule() {
        let floats = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
        let made = |text| parse(text).unwrap().make().unwrap();
        assert_eq!(made("ones:f32:2"), floats(&[1.0, 1.0]));
        assert_eq!(made("range:f32:3"), floats(&[0.0, 1.0, 2.0]));
        assert_eq!(made("range:u16:3"), [0, 0, 1, 0, 2, 0]);
        assert_eq!(made("ones:f16:1"), f16::ONE.to_le_bytes());
        assert_eq!(made("range:i64:2"), [0_i64.to_le_bytes(), 1_i64.to_le_bytes()].concat());
        assert_eq!(made("ones:float64:1"), 1_f64.to_le_bytes());
        assert_eq!(made("rand:3:u32:2"), random::bytes(3, Dtype::U4, 2).unwrap());
        assert_eq!(parse("range:f16:2049").unwrap().make().unwrap()[4096..], f16::from_f32(2048.0).to_le_bytes());
        assert!(parse("ones:u64:18446744073709551615").unwrap().make().is_none());
    }
}
