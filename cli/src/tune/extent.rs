//! The size of a grid as formulas of the overrides: `1Mi / EACH`, `512 / TILE,512 / TILE`.

use anywarp::tune::{Overrides, evaluate};

use crate::count;
use crate::failure::Failure;

/// One to three formulas, whose values are rounded up.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    /// The formulas, with numbers such as `64Ki` written in full.
    parts: Vec<String>,
}

pub(crate) fn parse(text: &str) -> Result<Formula, String> {
    let parts: Vec<String> = text.split(',').map(in_full).collect();
    if parts.len() > 3 {
        return Err(format!("expected one to three formulas, found {} in '{text}'", parts.len()));
    }
    Ok(Formula { parts })
}

impl Formula {
    /// Evaluates the formulas for the default values.
    pub(crate) fn check(&self, option: &str, defaults: &[(&str, f64)]) -> Result<[u32; 3], Failure> {
        let mut extent = [1; 3];
        for (size, part) in extent.iter_mut().zip(&self.parts) {
            let value = evaluate(part, defaults).map_err(|error| Failure::Usage(format!("{option}: {error}")))?;
            if !(value > 0.0 && value <= f64::from(u32::MAX)) {
                return Err(Failure::Usage(format!(
                    "{option} {part}: expected a number from 1 to {} for the default values, found {value}",
                    u32::MAX
                )));
            }
            *size = value.ceil() as u32;
        }
        Ok(extent)
    }

    /// The size for a candidate. A formula that has no valid value for it gives 0 there, so that nothing would run and
    /// the candidate has wrong results.
    pub(crate) fn extent(&self, overrides: &Overrides) -> [u32; 3] {
        let values: Vec<(&str, f64)> = overrides.iter().collect();
        let mut extent = [1; 3];
        for (size, part) in extent.iter_mut().zip(&self.parts) {
            *size = evaluate(part, &values).map_or(0, |value| value.ceil() as u32);
        }
        extent
    }
}

/// A formula with `64Ki` as `65536`.
fn in_full(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let other = rest.find(is_word).unwrap_or(rest.len());
        let length = rest[other..].find(|letter| !is_word(letter)).unwrap_or(rest.len() - other);
        let word = &rest[other..other + length];
        out.push_str(&rest[..other]);
        let number = if word.starts_with(|letter: char| letter.is_ascii_digit()) { count::count(word) } else { None };
        out.push_str(&number.map_or(word.to_owned(), |number| number.to_string()));
        rest = &rest[other + length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_rounded_up() {
        let check = |text: &str| parse(text).unwrap().check("--threads", &[("EACH", 3.0), ("TILE", 16.0)]);
        assert_eq!(check("64Ki").unwrap(), [65_536, 1, 1]);
        assert_eq!(check("1Ki / EACH, 7,TILE*2").unwrap(), [342, 7, 32]);
        for wrong in ["0", "-1", "1 / 0", "MISSING", "1 +", ""] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
        assert!(parse("1,2,3,4").is_err());
    }
}
