//! The error of opening a device.

use std::fmt;

use super::{Classified, ErrorClass};

/// A candidate that was not opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The selection string of the candidate.
    pub selector: String,
    /// The name of the candidate.
    pub name: String,
    /// The reason why the candidate was not opened.
    pub reason: String,
}

impl Rejection {
    pub(crate) fn new(selector: String, name: String, reason: String) -> Self {
        Self { selector, name, reason }
    }
}

anywarp_backend::debug_as_display!(OpenError);

/// No device could be opened.
#[derive(Clone)]
#[non_exhaustive]
pub struct OpenError {
    /// The selection string, if there was one.
    pub wanted: Option<String>,
    /// Every candidate, each with the reason why it was not opened.
    pub rejected: Vec<Rejection>,
    /// Possible reasons for a lack of candidates, with remedies: lines of text.
    pub advice: Vec<String>,
}

impl OpenError {
    pub(crate) fn new(wanted: Option<String>, rejected: Vec<Rejection>, advice: Vec<String>) -> Self {
        Self { wanted, rejected, advice }
    }
}

impl std::error::Error for OpenError {}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wanted {
            Some(wanted) => write!(f, "no device matches '{wanted}'")?,
            None => f.write_str("no device was found")?,
        }
        for rejection in &self.rejected {
            write!(f, "\n  {} ({}): {}", rejection.selector, rejection.name, rejection.reason)?;
        }
        for line in &self.advice {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

impl Classified for OpenError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Programmer
    }
}
