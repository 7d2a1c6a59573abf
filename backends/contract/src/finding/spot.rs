//! The position of a finding in the source, and the invocation that it is about.

use std::fmt;
use std::sync::Arc;

/// A position in the WGSL source, with the text of its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, counted from 1; 0 if it is not known.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The number of bytes of the line that are underlined.
    pub width: u32,
    /// The line's text.
    pub text: Arc<str>,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}

/// One invocation of a dispatch, identified by its ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Invocation {
    /// The invocation's `workgroup_id`.
    pub workgroup: [u32; 3],
    /// The invocation's `local_invocation_id`.
    pub local: [u32; 3],
    /// The invocation's `global_invocation_id`.
    pub global: [u32; 3],
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [a, b, c]) = (self.global, self.local);
        let [i, j, k] = self.workgroup;
        write!(f, "invocation ({x}, {y}, {z}) (local ({a}, {b}, {c}) of workgroup ({i}, {j}, {k}))")
    }
}

/// The kind of a memory access: a read, a write or an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic read or update.
    Atomic,
}

impl Touch {
    /// The name of the kind in listings: `read`, `write`, `atomic`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic",
        }
    }
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "written",
            Self::Atomic => "accessed atomically",
        })
    }
}

impl Spot {
    /// The source line, with the spot underlined, as text of two lines; empty if the line is not known.
    #[must_use]
    pub fn quote(&self) -> String {
        let mut text = String::new();
        // Writing to a string succeeds.
        let _ = quote(&mut text, self);
        text
    }
}

/// Writes the source line of `spot`, with the spot underlined; nothing if the line is not known.
pub(super) fn quote(f: &mut impl fmt::Write, spot: &Spot) -> fmt::Result {
    if spot.line == 0 {
        return Ok(());
    }
    let start = (spot.column as usize).saturating_sub(1).min(spot.text.len());
    let before: String = spot.text.bytes().take(start).map(|byte| if byte == b'\t' { '\t' } else { ' ' }).collect();
    let width = (spot.width as usize).clamp(1, spot.text.len().saturating_sub(start).max(1));
    let number = spot.line.to_string();
    writeln!(f, " {number} | {}", spot.text)?;
    writeln!(f, " {:1$} | {before}{2}", "", number.len(), "^".repeat(width))
}
