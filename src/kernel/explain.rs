//! The checks that a kernel keeps, with the reasons.

mod display;

use anywarp_backend::{Caps, Checks, Source};
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::{AccessNote, Advice, Count, LoopAdvice, LoopNote, prove};

use super::source::Wgsl;
use crate::error::KernelError;

/// The proofs about a kernel, access by access and loop by loop.
///
/// Its `Display` prints a line for each access, then one for each loop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The name of the kernel: its file and its entry point.
    pub kernel: String,
    /// Accesses with a computed index.
    pub accesses: Vec<ExplainedAccess>,
    /// The loops of the kernel.
    pub loops: Vec<ExplainedLoop>,
    /// The reason why the analysis gave up, if it did: then nothing is proven, and everything is checked.
    pub gave_up: Option<&'static str>,
}

/// One access of a kernel to an element of an array.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedAccess {
    /// The file, line and column of the access.
    pub place: String,
    /// The access as written in the WGSL.
    pub text: String,
    /// Whether the access has no check in any launch.
    pub proven: bool,
    /// The conditions that a launch must meet for the access to have no check, as expressions of the kernel:
    /// `params.n <= arrayLength(&x)`. The host checks them once per launch. Empty if the access is proven, or if no
    /// conditions were found.
    pub conditions: Vec<String>,
    /// The smallest and the largest index; `None` if the access is never reached.
    pub range: Option<(i64, i64)>,
    /// The number of elements of the array, as a number or an expression: `64`, `arrayLength(&x)`.
    pub count: Option<String>,
    /// A change to the kernel that would allow a proof.
    pub advice: Option<String>,
}

/// One loop of a kernel.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExplainedLoop {
    /// The file, line and column of the loop.
    pub place: String,
    /// Whether the loop always ends, so that its iterations are not counted.
    pub proven: bool,
    /// The variable that counts the iterations.
    pub counter: Option<String>,
    /// The smallest and the largest value of the counter.
    pub range: Option<(i64, i64)>,
    /// A change to the kernel that would allow a proof.
    pub advice: Option<String>,
}

/// The numbers of accesses of a kernel with and without a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessCounts {
    /// Accesses without a check in any launch.
    pub proven: usize,
    /// Accesses without a check in launches that meet their conditions.
    pub at_launch: usize,
    /// Accesses with a check in every launch.
    pub checked: usize,
}

impl Explanation {
    /// The numbers of accesses with and without a check.
    #[must_use]
    pub fn counts(&self) -> AccessCounts {
        let mut counts = AccessCounts::default();
        for access in &self.accesses {
            match access.verdict() {
                AccessVerdict::Proven => counts.proven += 1,
                AccessVerdict::AtLaunch => counts.at_launch += 1,
                AccessVerdict::Checked => counts.checked += 1,
            }
        }
        counts
    }
}

/// The launches in which an access needs no check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessVerdict {
    /// All launches.
    Proven,
    /// Launches that meet the [`conditions`](ExplainedAccess::conditions), which the host checks once for each launch.
    AtLaunch,
    /// No launch: the device checks the index at each access.
    Checked,
}

impl AccessVerdict {
    /// The verdict as printed: `proven`, `at launch`, `checked`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::AtLaunch => "at launch",
            Self::Checked => "checked",
        }
    }
}

impl ExplainedAccess {
    /// The launches in which the access needs no check.
    #[must_use]
    pub fn verdict(&self) -> AccessVerdict {
        match self.conditions.is_empty() {
            _ if self.proven => AccessVerdict::Proven,
            false => AccessVerdict::AtLaunch,
            true => AccessVerdict::Checked,
        }
    }
}

impl Wgsl<'_> {
    /// Reports the checks that the kernel does not need on a device with `caps`, and how the others could become
    /// unnecessary.
    ///
    /// ```
    /// use anywarp::Wgsl;
    /// use anywarp::backend::Caps;
    ///
    /// let text = "
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if (id.x < arrayLength(&x)) { x[id.x] += 1.0; }
    ///     }";
    /// let explanation = Wgsl::new(text).explain(&Caps::webgpu_baseline())?;
    /// assert!(explanation.accesses[0].proven);
    /// # Ok::<(), anywarp::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// As [`program`](Self::program).
    pub fn explain(&self, caps: &Caps) -> Result<Explanation, KernelError> {
        // The module as written has the accesses and loops of the text, and the compiled one the proofs that apply.
        // Both are needed, as loops that were unrolled exist only in the module as written.
        let written = self.clone().checks(Checks::Driver).program(caps)?;
        let compiled = self.clone().checks(Checks::Proven).program(caps)?;
        let circumstances = Circumstances::of(caps);
        let of_written = prove(&written.module, written.module.info(), &circumstances);
        let of_compiled = prove(&compiled.module, compiled.module.info(), &circumstances);
        let source = written.source.as_deref();
        let whole = of_compiled.gave_up.is_none();
        let accesses = of_written.accesses.iter().map(|note| {
            let kept = of_compiled.accesses.iter().find(|other| other.span == note.span);
            let needs = if whole { kept.map_or(Some(0), |kept| kept.needs) } else { None };
            let conditions = needs.map(|needs| of_compiled.of_launches.conditions.texts(needs).map(str::to_owned));
            access(note, needs == Some(0), conditions.into_iter().flatten().collect(), source)
        });
        let loops = of_written.loops.iter().map(|note| {
            let kept = of_compiled.loops.iter().find(|other| other.span == note.span);
            one_loop(note, whole && kept.is_none_or(|kept| kept.ends), source)
        });
        Ok(Explanation {
            kernel: written.name.to_string(),
            accesses: accesses.collect(),
            loops: loops.collect(),
            gave_up: of_compiled.gave_up.or(of_written.gave_up),
        })
    }
}

fn place(source: Option<&Source>, span: naga::Span) -> String {
    let found = || source?.position(span.to_range()?.start);
    found().map_or_else(String::new, |place| format!("{}:{}:{}", place.file, place.line, place.column))
}

fn written(source: Option<&Source>, span: naga::Span) -> Option<String> {
    let text = source?.text().get(span.to_range()?)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn access(note: &AccessNote, proven: bool, conditions: Vec<String>, source: Option<&Source>) -> ExplainedAccess {
    let count = note.count.as_ref().map(|count| match count {
        Count::Fixed(count) => count.to_string(),
        Count::Length(array) => format!("arrayLength(&{array})"),
    });
    // An index that a `let` names is shown by that name: its span in the text would be that of the value.
    let index = note.index_name.clone().or_else(|| written(source, note.index));
    let index = index.filter(|_| !note.index_acts).unwrap_or_else(|| "the index".to_owned());
    let checked = !proven && conditions.is_empty();
    let advice = note.advice.as_ref().filter(|_| checked).and_then(|advice| {
        let count = count.as_ref()?;
        Some(match advice {
            Advice::MemoryBound(bound) => format!(
                "{index} is compared with {bound}, which only the device knows; pass this bound in a uniform, or \
                 compare {index} with {count}, too: then no check is needed"
            ),
            Advice::OtherBound(bound) => {
                format!("{index} is compared with {bound}; compare it with {count}, too: then no check is needed")
            }
            Advice::WorkgroupSize(most) => {
                format!("with at most {most} invocations in that dimension of the workgroup, no check is needed")
            }
            Advice::Negative => {
                format!("{index} may be negative; put the access into 'if ({index} >= 0)': then no check is needed")
            }
            _ if note.low < 0 => {
                format!("put the access into 'if ({index} >= 0 && {index} < {count})': then no check is needed")
            }
            _ => format!("put the access into 'if ({index} < {count})': then no check is needed"),
        })
    });
    let advice = advice.map(|advice| match note.index_acts {
        true => format!("assign the index to a 'let' first, as computing it has side effects; {advice}"),
        false => advice,
    });
    ExplainedAccess {
        place: place(source, note.span),
        text: written(source, note.span).unwrap_or_else(|| note.variable.clone()),
        proven,
        conditions,
        range: note.reached.then_some((note.low, note.high)),
        count,
        advice,
    }
}

fn one_loop(note: &LoopNote, proven: bool, source: Option<&Source>) -> ExplainedLoop {
    let advice = note.advice.as_ref().filter(|_| !proven).map(|advice| match (advice, &note.counter) {
        (LoopAdvice::MayWrap, Some(counter)) => {
            format!("{counter} may overflow; limit the end of the loop, as by min(): then no check is needed")
        }
        _ => "no integer grows, or shrinks, in every iteration; let one count the iterations: then no check is needed"
            .to_owned(),
    });
    ExplainedLoop { place: place(source, note.span), proven, counter: note.counter.clone(), range: note.range, advice }
}

#[cfg(test)]
mod tests;
