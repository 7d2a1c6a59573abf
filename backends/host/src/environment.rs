//! Environment variables: reading them, and the warning for invalid values.

use std::ffi::OsString;

/// The environment variable for the folder of compiled kernels; `off` means no cache.
pub(crate) const CACHE: &str = "ANYWARP_CACHE";

/// The value of an environment variable, as the operating system returns it.
#[must_use]
pub fn raw(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The value of an environment variable, trimmed; `None` if it is not set, empty or not Unicode.
#[must_use]
pub fn text(name: &str) -> Option<String> {
    let text = std::env::var(name).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value of an environment variable as a number. An invalid value is ignored, with a warning in the log.
#[must_use]
pub fn number(name: &str) -> Option<u64> {
    text(name).and_then(|text| checked(name, &text, "a whole number", |text| text.parse().ok()))
}

/// The value that `words` pairs with the word in an environment variable. An invalid word is ignored, with a warning in
/// the log.
#[must_use]
pub fn word<T: Copy>(name: &str, words: &[(&str, T)]) -> Option<T> {
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let find = |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    text(name).and_then(|text| checked(name, &text, &format!("one of {}", names.join(", ")), find))
}

fn checked<T>(name: &str, text: &str, expected: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let value = parse(text);
    if value.is_none() {
        log::warn!("{}", warning(name, text, expected));
    }
    value
}

fn warning(name: &str, text: &str, expected: &str) -> String {
    format!("the environment variable {name} is '{text}': expected {expected}; it is ignored")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_cannot_be_used_are_ignored() {
        let number = |text: &str| checked("N", text, "a whole number", |text| text.parse::<u64>().ok());
        assert_eq!((number("12"), number("many"), number("-1")), (Some(12), None, None));
        let said = "the environment variable N is 'many': expected a whole number; it is ignored";
        assert_eq!(warning("N", "many", "a whole number"), said);
    }

    #[test]
    fn a_variable_that_is_not_set_has_no_value() {
        let name = "ANYWARP_TEST_NOT_SET";
        assert_eq!((raw(name), text(name), number(name), word(name, &[("a", 1)])), (None, None, None, None));
    }
}
