//! Outcomes of cases, and the checks that produce them.

use std::error::Error;
use std::fmt::Debug;
use std::panic::Location;

use bytemuck::Pod;

/// The reason why a case ended early.
pub enum Stop {
    /// The device lacks something that the case needs.
    Skip(String),
    /// The case failed.
    Fail(String),
}

/// The result of a case.
pub type TestResult<T = ()> = Result<T, Stop>;

impl<E: Error> From<E> for Stop {
    #[track_caller]
    fn from(error: E) -> Self {
        Self::Fail(format!("{}: unexpected error: {error}", Location::caller()))
    }
}

/// Adds to a failure a text that describes the step in which the case failed.
pub trait Context<T> {
    fn context(self, what: impl FnOnce() -> String) -> TestResult<T>;
}

impl<T, E: Into<Stop>> Context<T> for Result<T, E> {
    #[track_caller]
    fn context(self, what: impl FnOnce() -> String) -> TestResult<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(match error.into() {
                Stop::Fail(message) => Stop::Fail(format!("{}\n{message}", what())),
                skip @ Stop::Skip(_) => skip,
            }),
        }
    }
}

/// Ends the current case as skipped, with the reason.
pub fn skip<T>(reason: impl Into<String>) -> TestResult<T> {
    Err(Stop::Skip(reason.into()))
}

/// Fails with `message`.
#[track_caller]
pub fn fail<T>(message: impl Into<String>) -> TestResult<T> {
    Err(Stop::Fail(format!("{}: {}", Location::caller(), message.into())))
}

/// Fails with `message` unless `holds`.
#[track_caller]
pub fn ensure(holds: bool, message: impl FnOnce() -> String) -> TestResult {
    if holds { Ok(()) } else { fail(message()) }
}

/// Fails unless `got` equals `wanted`.
#[track_caller]
pub fn equal<T: PartialEq + Debug>(got: T, wanted: T, what: &str) -> TestResult {
    if got == wanted { Ok(()) } else { fail(format!("{what}: expected {wanted:?}, got {got:?}")) }
}

/// Fails unless `got` and `wanted` have the same bytes: the bits of NaNs and the signs of zeros matter.
#[track_caller]
pub fn same<T: Pod + Debug>(got: &[T], wanted: &[T], what: &str) -> TestResult {
    let differs = |(a, b): (&T, &T)| bytemuck::bytes_of(a) != bytemuck::bytes_of(b);
    compare(got, wanted, what, differs)
}

/// Fails unless every value differs from the expected value by at most `tolerance`, relative to the magnitude of the
/// expected value or to 1, whichever is larger.
#[track_caller]
pub fn close(got: &[f32], wanted: &[f32], tolerance: f32, what: &str) -> TestResult {
    let differs = |(a, b): (&f32, &f32)| {
        let within = (a - b).abs() <= tolerance * b.abs().max(1.0);
        !(within || (a.is_nan() && b.is_nan()) || a == b)
    };
    compare(got, wanted, what, differs)
}

#[track_caller]
fn compare<T: Debug>(got: &[T], wanted: &[T], what: &str, differs: impl Fn((&T, &T)) -> bool) -> TestResult {
    equal(got.len(), wanted.len(), &format!("{what}: length"))?;
    match got.iter().zip(wanted).position(differs) {
        None => Ok(()),
        Some(at) => fail(format!("{what}: element {at}: expected {:?}, got {:?}", wanted[at], got[at])),
    }
}

/// Fails unless `result` is an error that `is` accepts and whose text contains each of `words`.
#[track_caller]
pub fn refused<T, E: Error>(result: Result<T, E>, is: impl Fn(&E) -> bool, words: &[&str]) -> TestResult {
    let Err(error) = result else { return fail("expected an error, got success") };
    let text = error.to_string();
    ensure(is(&error), || format!("unexpected kind of error: {error:?}"))?;
    match words.iter().find(|word| !text.contains(**word)) {
        None => Ok(()),
        Some(word) => fail(format!("expected '{word}' in the error, got: {text}")),
    }
}
