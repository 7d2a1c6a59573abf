//! Mistakes that a checked device finds in the kernels it runs.

use std::fmt;
use std::sync::Arc;

/// The number of different findings that are kept; further ones are only counted.
const MAX_FINDINGS: usize = 256;

/// The mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// An index is not below the number of elements.
    OutOfRange,
    /// An integer is divided by zero, or its remainder taken.
    DivisionByZero,
    /// A variable of an invocation or a workgroup is read before it is written. WGSL defines its value as zero, so this
    /// is a note ([`FindingKind::severity`]).
    Uninitialised,
    /// Two invocations of a workgroup access the same word with no barrier between them, at least one of them writes,
    /// and not both accesses are atomic.
    Race,
    /// Invocations of two workgroups of one dispatch access the same word, at least one of them writes, and not both
    /// accesses are atomic.
    RaceAcrossWorkgroups,
    /// Not all invocations of a workgroup arrive at a barrier.
    DivergentBarrier,
    /// Loops make more iterations than the device's limit allows.
    StepLimit,
}

impl FindingKind {
    /// The name in listings: `out-of-range`, `division-by-zero`, `uninitialised`, `race`, `race-across-workgroups`,
    /// `divergent-barrier`, `step-limit`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfRange => "out-of-range",
            Self::DivisionByZero => "division-by-zero",
            Self::Uninitialised => "uninitialised",
            Self::Race => "race",
            Self::RaceAcrossWorkgroups => "race-across-workgroups",
            Self::DivergentBarrier => "divergent-barrier",
            Self::StepLimit => "step-limit",
        }
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The behaviour is defined by WGSL, but may not be intended.
    Note,
    /// A mistake.
    Error,
}

impl Severity {
    /// The name in listings: `note`, `error`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FindingKind {
    /// The severity: a note for a read before any write, because WGSL initialises variables to zero; an error
    /// otherwise.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::Uninitialised => Severity::Note,
            _ => Severity::Error,
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position in the WGSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column in bytes, from 1.
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

/// One invocation of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Invocation {
    /// Its `workgroup_id`.
    pub workgroup: [u32; 3],
    /// Its `local_invocation_id`.
    pub local: [u32; 3],
    /// Its `global_invocation_id`.
    pub global: [u32; 3],
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [a, b, c]) = (self.global, self.local);
        let [i, j, k] = self.workgroup;
        write!(f, "invocation ({x}, {y}, {z}) (local ({a}, {b}, {c}) of workgroup ({i}, {j}, {k}))")
    }
}

/// The kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic read or update.
    Atomic,
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

/// The other side of a race, or the invocation that does not arrive at a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The position of the other access; for a barrier, of the barrier.
    pub at: Spot,
    /// The kind of the other access; `None` for a barrier.
    pub touch: Option<Touch>,
    /// The invocation.
    pub invocation: Invocation,
}

/// One mistake at one position of a kernel, with the first example of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The mistake.
    pub kind: FindingKind,
    /// The kernel: file and entry point.
    pub kernel: Arc<str>,
    /// The position; for a race, the later one in the file of its two positions.
    pub at: Spot,
    /// The variable, as a path without indices: `tile`, `params.values`. Empty where there is none,
    /// or where it has no name.
    pub variable: String,
    /// The index of the element: the one out of range, or the innermost known index of the path.
    pub index: Option<i64>,
    /// The number of elements for an index out of range, the limit for a loop.
    pub count: Option<u64>,
    /// The access made there; for races.
    pub touch: Option<Touch>,
    /// The invocation; `None` where it is not known.
    pub invocation: Option<Invocation>,
    /// The other side.
    pub other: Option<Other>,
    /// The number of occurrences.
    pub occurrences: u64,
}

impl Finding {
    /// Whether two findings are the same mistake.
    fn is_like(&self, other: &Self) -> bool {
        let line = |finding: &Self| finding.other.as_ref().map(|other| other.at.line);
        self.kind == other.kind
            && self.kernel == other.kernel
            && self.at.line == other.at.line
            && self.variable == other.variable
            && line(self) == line(other)
    }

    /// `'tile' at index 7`, or the part of it that is known.
    fn subject(&self) -> String {
        let name = if self.variable.is_empty() { "a value" } else { &self.variable };
        self.index.map_or_else(|| format!("'{name}'"), |index| format!("'{name}' at index {index}"))
    }

    fn headline(&self) -> String {
        let name = if self.variable.is_empty() { "a value" } else { &self.variable };
        match self.kind {
            FindingKind::OutOfRange => {
                let (index, count) = (self.index.unwrap_or_default(), self.count.unwrap_or_default());
                format!("index {index} is out of range for '{name}' of {count} elements")
            }
            FindingKind::DivisionByZero => "an integer is divided by zero".to_owned(),
            FindingKind::Uninitialised => format!("{} is read before it was written", self.subject()),
            FindingKind::Race => format!("data race on {}", self.subject()),
            FindingKind::RaceAcrossWorkgroups => format!("data race between workgroups on {}", self.subject()),
            FindingKind::DivergentBarrier => "not all invocations of a workgroup arrive at this barrier".to_owned(),
            FindingKind::StepLimit => {
                format!(
                    "loops make more than {} iterations; this is the last one begun",
                    self.count.unwrap_or_default()
                )
            }
        }
    }

    fn advice(&self) -> &'static str {
        match self.kind {
            FindingKind::OutOfRange => {
                "compare the index with the length first; without the check, reads return another element and writes are lost"
            }
            FindingKind::DivisionByZero => "the result is the dividend, or 0 for a remainder: test the divisor first",
            FindingKind::Uninitialised => {
                "WGSL initialises it to zero: write that initial value if it is intended, else write another one"
            }
            FindingKind::Race => {
                "put a barrier between the two accesses (workgroupBarrier() orders workgroup memory, \
                 storageBarrier() storage buffers), or make them atomic"
            }
            FindingKind::RaceAcrossWorkgroups => {
                "nothing orders the workgroups of a dispatch: make the accesses atomic, write to another buffer, or \
                 split the kernel in two launches"
            }
            FindingKind::DivergentBarrier => {
                "move the barrier out of the branch or loop that some invocations leave earlier, and return only after it"
            }
            FindingKind::StepLimit => {
                "make the loop end, or raise the limit with the environment variable ANYWARP_CPU_STEPS"
            }
        }
    }
}

/// Text in the form of a compiler's diagnostic: the mistake, its position, the line, the invocation and the remedy.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.severity() == Severity::Note {
            write!(f, "note: ")?;
        }
        writeln!(f, "{}: {}", self.kind, self.headline())?;
        writeln!(f, "  --> {} in {}", self.at, self.kernel)?;
        quote(f, &self.at)?;
        if let Some(invocation) = &self.invocation {
            match (self.touch, self.kind) {
                (Some(touch), _) => writeln!(f, "  = {touch} here by {invocation}")?,
                (None, FindingKind::DivergentBarrier) => writeln!(f, "  = {invocation} waits here")?,
                (None, _) => writeln!(f, "  = first by {invocation}")?,
            }
        }
        if let Some(other) = &self.other {
            match other.touch {
                Some(touch) => {
                    writeln!(f, "  = {touch} at {} by {}", other.at, other.invocation)?;
                    if other.at.line != self.at.line {
                        quote(f, &other.at)?;
                    }
                }
                None => writeln!(f, "  = {} does not arrive", other.invocation)?,
            }
        }
        if self.occurrences > 1 {
            writeln!(f, "  = {} times in all", self.occurrences)?;
        }
        write!(f, "  = help: {}", self.advice())
    }
}

/// Writes the line, with the spot underlined.
fn quote(f: &mut fmt::Formatter<'_>, spot: &Spot) -> fmt::Result {
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

/// The findings of a checked device, different mistakes in the order of their first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    /// The number of different mistakes above the limit on those that are kept.
    dropped: u64,
}

impl Findings {
    /// Adds a finding. A finding like an earlier one only increases that one's count.
    pub fn add(&mut self, finding: Finding) {
        if let Some(known) = self.list.iter_mut().find(|known| known.is_like(&finding)) {
            known.occurrences = known.occurrences.saturating_add(finding.occurrences);
        } else if self.list.len() < MAX_FINDINGS {
            self.list.push(finding);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds all findings of `others`.
    pub fn extend(&mut self, others: Self) {
        self.dropped += others.dropped;
        others.list.into_iter().for_each(|finding| self.add(finding));
    }

    /// The different mistakes.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.list.iter()
    }

    /// The different mistakes without the notes.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter().filter(|finding| finding.kind.severity() == Severity::Error)
    }

    /// Whether any finding is more than a note. A finding that was only counted counts as an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.dropped > 0 || self.errors().next().is_some()
    }

    /// The number of different findings, including notes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of findings that were counted but not kept.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

/// All findings as text, with an empty line between them.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.list.iter().enumerate() {
            let gap = if index > 0 { "\n\n" } else { "" };
            write!(f, "{gap}{finding}")?;
        }
        if self.dropped > 0 {
            write!(f, "\n\nand {} more", self.dropped)?;
        }
        Ok(())
    }
}
