//! Mistakes that a checked device finds in the kernels it runs.

mod findings;
mod spot;

use std::fmt;
use std::sync::Arc;

pub use findings::Findings;
use spot::quote;
pub use spot::{Invocation, Spot, Touch};

/// The kind of mistake that a finding reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// An index is not below the number of elements of the accessed array, vector or matrix.
    OutOfRange,
    /// An integer is divided by zero, or the remainder of such a division is computed.
    DivisionByZero,
    /// A private or workgroup variable is read before it is written. WGSL defines the variable's value as zero, so the
    /// finding is a note ([`FindingKind::severity`]).
    Uninitialised,
    /// Two invocations of a workgroup access the same word of memory with no barrier between the accesses, at least one
    /// of them writes, and not both accesses are atomic.
    Race,
    /// Invocations of two workgroups of one dispatch access the same word of memory, at least one of them writes, and
    /// not both accesses are atomic.
    RaceAcrossWorkgroups,
    /// Not all invocations of a workgroup arrive at a barrier.
    DivergentBarrier,
    /// Loops make more iterations than the device's limit allows.
    StepLimit,
}

impl FindingKind {
    /// The name of the kind in listings: `out-of-range`, `division-by-zero`, `uninitialised`, `race`,
    /// `race-across-workgroups`, `divergent-barrier`, `step-limit`.
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

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Behaviour that WGSL defines, but that the author may not intend.
    Note,
    /// A mistake in the kernel.
    Error,
}

impl Severity {
    /// The name of the severity in listings: `note`, `error`.
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
    /// The severity of the kind: a note for a read before any write, because WGSL initialises variables to zero; an
    /// error otherwise.
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

/// The other access of a race, or an invocation that does not arrive at a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The position of the other access of a race, or of the barrier.
    pub at: Spot,
    /// The kind of the other access; `None` for a barrier.
    pub touch: Option<Touch>,
    /// The invocation that made the other access, or that does not arrive at the barrier.
    pub invocation: Invocation,
}

/// One mistake at one position of a kernel, with the first example of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of mistake.
    pub kind: FindingKind,
    /// The kernel: file and entry point.
    pub kernel: Arc<str>,
    /// The position of the mistake; for a race, the position of that access of the two which is later in the file.
    pub at: Spot,
    /// The variable, as a path without indices: `tile`, `params.values`. Empty where no variable is involved, or where
    /// the variable has no name.
    pub variable: String,
    /// The index of the accessed element: the index that is out of range, otherwise the innermost index whose value is
    /// known; `None` if none is known.
    pub index: Option<i64>,
    /// For an index out of range, the number of elements; for a loop, the largest allowed number of iterations.
    pub count: Option<u64>,
    /// For a race, the kind of the access at `at`.
    pub touch: Option<Touch>,
    /// The invocation that made the mistake; `None` where it is not known.
    pub invocation: Option<Invocation>,
    /// The other access of a race, or an invocation that does not arrive at the barrier.
    pub other: Option<Other>,
    /// The number of occurrences of the mistake.
    pub occurrences: u64,
}

impl Finding {
    /// Whether two findings report the same mistake: their kinds, kernels, lines and variables are equal.
    fn is_like(&self, other: &Self) -> bool {
        let line = |finding: &Self| finding.other.as_ref().map(|other| other.at.line);
        self.kind == other.kind
            && self.kernel == other.kernel
            && self.at.line == other.at.line
            && self.variable == other.variable
            && line(self) == line(other)
    }

    /// The variable and the index for a headline: `'tile' at index 7`, without the index where it is not known.
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
