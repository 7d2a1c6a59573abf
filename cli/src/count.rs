//! Whole numbers on the command line: `4096`, `0x1000`, `64Ki`.

/// The forms of a number, for messages.
pub(crate) const FORMS: &str = "4096, 0x1000, 64Ki or 1Mi";

const SUFFIXES: [(&str, u32); 4] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40)];

/// Parses a number below 2^64; `None` for everything else.
pub(crate) fn count(text: &str) -> Option<u64> {
    let suffix = SUFFIXES.iter().find_map(|(suffix, power)| Some((text.strip_suffix(suffix)?, *power)));
    let (digits, power) = suffix.unwrap_or((text, 0));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(unsigned(digits)?, 16),
        None => unsigned(digits)?.parse(),
    };
    number.ok()?.checked_mul(1 << power)
}

/// Parses a number within a range, as a clap value parser.
pub(crate) fn within(text: &str, least: u64, most: u64, example: &str) -> Result<u64, String> {
    let expected = format!("expected a whole number from {least} to {most}");
    match count(text.trim()) {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("{expected}, found '{text}': write {example}")),
    }
}

/// Returns `digits`, or `None` if they begin with a plus sign, which `parse` would accept.
fn unsigned(digits: &str) -> Option<&str> {
    (!digits.starts_with('+')).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_suffixes_for_powers_of_two() {
        let table = [
            ("0", Some(0)),
            ("4096", Some(4096)),
            ("0x10", Some(16)),
            ("64Ki", Some(65_536)),
            ("1Mi", Some(1 << 20)),
            ("0x2Gi", Some(2 << 30)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("16777216Ti", None),
        ];
        for (text, expected) in table {
            assert_eq!(count(text), expected, "{text}");
        }
        for wrong in ["", "Ki", "-1", "+1", "1.5", "1e3", "64k", "64KiB", "0x", "0x+1", "1 Mi"] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_error_names_the_range() {
        assert_eq!(within("1Ki", 1, 1024, "--repeat 10"), Ok(1024));
        for wrong in ["0", "1025", "-4", "many"] {
            let message = within(wrong, 1, 1024, "--repeat 10").unwrap_err();
            assert_eq!(message, format!("expected a whole number from 1 to 1024, found '{wrong}': write --repeat 10"));
        }
    }
}
