//! Parameters that are numbers of the element type.

use super::call::Call;
use super::entry::Number;
use crate::failure::Failure;

/// A parameter that is a number of type `T`.
pub(super) fn number<T: Number>(call: &Call<'_>, name: &str) -> Result<Option<T>, Failure> {
    let parse = |text: &str| T::parse(text).ok_or_else(|| wrong::<T>(name, text, "a number", "1"));
    call.values.text(name).map(parse).transpose()
}

/// A parameter that is a list of numbers of type `T`.
pub(super) fn numbers<T: Number>(call: &Call<'_>, name: &str) -> Result<Option<Vec<T>>, Failure> {
    let parse = |text: &str| {
        let numbers: Option<Vec<T>> = text.split(',').map(T::parse).collect();
        numbers.ok_or_else(|| wrong::<T>(name, text, "numbers", "1,2"))
    };
    call.values.text(name).map(parse).transpose()
}

fn wrong<T: Number>(name: &str, text: &str, what: &str, example: &str) -> Failure {
    let word = T::DTYPE.word();
    Failure::Usage(format!(
        "--{name} {text}: expected {what} of type {word}, found '{text}': write --{name} {example}, or use another type"
    ))
}
