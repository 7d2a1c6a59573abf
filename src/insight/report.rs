//! The report of the inspector, as text.

use std::fmt;
use std::sync::Arc;

use super::{Change, Compiled, Estimate, KeptChecks, Model, Problem, Suspicion, changes, rules};
use crate::backend::{Caps, ObservedKernel, ObservedSpace};
use crate::error::KernelError;
use crate::kernel::Wgsl;

/// The result of [`inspect`](super::inspect).
#[derive(Clone, Debug)]
pub struct Report {
    /// The GPU of the estimates.
    pub model: Model,
    /// The kernels with their estimates, in the order of their first dispatches.
    pub kernels: Vec<(ObservedKernel, Estimate)>,
    /// The findings about all kernels, those that cost most first.
    pub findings: Vec<Suspicion>,
    /// The kernels as a compiler makes them, by name.
    pub compiled: Vec<(Arc<str>, Compiled)>,
    /// The checks that kernels keep.
    pub checks: Vec<KeptChecks>,
}

impl Report {
    /// Adds a compiler's report about a kernel, and the findings that follow from it, in place of an earlier one.
    /// Kernels that did not run are ignored.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::Device;
    /// use anywarp::insight::{Compiled, Model, Problem, Usage, inspect};
    ///
    /// let device = Device::open("cpu:observed")?;
    /// let kernel = device.kernel(
    ///     "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
    ///      @compute @workgroup_size(64)
    ///      fn double(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= 2.0; }",
    /// )?;
    /// let mut data = device.buffer_from(&vec![1.0f32; 1 << 12])?;
    /// kernel.launch().bind("data", &mut data).threads(1 << 12)?;
    /// let mut report = inspect(&device.observations(), &Model::default());
    ///
    /// let usage = Usage { invocations: 64, registers: 255, workgroup_bytes: 0 };
    /// let compiled = Compiled { capability: (9, 0), usage, private_bytes: 400, spilled_bytes: 800 };
    /// report.add_compiled(kernel.name(), compiled);
    /// assert_eq!(report.findings[0].problem, Problem::Spilled);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn add_compiled(&mut self, kernel: &str, compiled: Compiled) {
        self.findings.retain(|finding| finding.problem != Problem::Spilled || *finding.kernel != *kernel);
        self.compiled.retain(|(name, _)| **name != *kernel);
        for (observed, estimate) in self.kernels.iter().filter(|(observed, _)| *observed.kernel == *kernel) {
            self.findings.extend(rules::spills(observed, estimate, &self.model, &compiled));
            self.compiled.push((Arc::clone(&observed.kernel), compiled));
        }
        self.sort();
    }

    /// Adds the results of an analysis of a kernel's WGSL: the checks that the kernel keeps, the findings about those
    /// in hot loops, and the changed lines of mechanical fixes, in place of earlier ones. `caps` are those of the
    /// device that ran it. Kernels that did not run are ignored.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// use anywarp::insight::{Model, Problem, inspect};
    /// use anywarp::{Device, Wgsl};
    ///
    /// let device = Device::open("cpu:observed")?;
    /// let wgsl = Wgsl::new(
    ///     "@group(0) @binding(0) var<storage, read> next: array<u32>;
    ///      @group(0) @binding(1) var<storage, read_write> ends: array<u32>;
    ///      @compute @workgroup_size(64) fn follow(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          var at = id.x;
    ///          for (var k = 0u; k < 20u; k++) {
    ///              at = next[at]; // any value
    ///          }
    ///          ends[id.x] = at;
    ///      }",
    /// );
    /// let kernel = device.kernel(wgsl.clone())?;
    /// let next = device.buffer_from(&(0..4096u32).map(|i| i ^ 1).collect::<Vec<_>>())?;
    /// let mut ends = device.buffer::<u32>(4096)?;
    /// kernel.launch().bind("next", &next).bind("ends", &mut ends).threads(4096)?;
    ///
    /// let mut report = inspect(&device.observations(), &Model::default());
    /// report.add_source(&wgsl, device.caps())?;
    /// assert_eq!(report.checks[0].kept[0].at.line, 6);
    /// assert!(report.findings.iter().any(|finding| finding.problem == Problem::Checked));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`Wgsl::explain`].
    pub fn add_source(&mut self, wgsl: &Wgsl<'_>, caps: &Caps) -> Result<(), KernelError> {
        let explanation = wgsl.explain(caps)?;
        self.findings.retain(|finding| finding.problem != Problem::Checked || *finding.kernel != *explanation.kernel);
        self.checks.retain(|checks| *checks.kernel != *explanation.kernel);
        for (observed, estimate) in self.kernels.iter().filter(|(observed, _)| *observed.kernel == *explanation.kernel)
        {
            let checks = KeptChecks::of(observed, &explanation, &self.model);
            self.findings.extend(rules::checks(observed, estimate, &self.model, &checks));
            self.checks.push(checks);
            let Some(source) = wgsl.program(caps)?.source else { continue };
            for finding in self.findings.iter_mut().filter(|finding| finding.kernel == observed.kernel) {
                let changes = changes::of(finding, observed, &source);
                if finding.problem == Problem::Scattered && !changes.is_empty() && finding.changes.is_empty() {
                    finding.help.push_str(
                        "; with the changed line, swap the first two sizes of the grid, if they differ, and compare \
                             the index with them where they are no multiples of the workgroup's sizes",
                    );
                }
                finding.changes = changes;
            }
        }
        self.sort();
        Ok(())
    }

    /// Sorts the findings, those that cost most first.
    pub(super) fn sort(&mut self) {
        self.findings.sort_by(|one, other| other.rank().total_cmp(&one.rank()));
    }
}

/// A time in the unit that suits it.
struct Time(f64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            seconds if seconds >= 1.0 => write!(f, "{seconds:.2} s"),
            seconds if seconds >= 1e-3 => write!(f, "{:.2} ms", seconds * 1e3),
            seconds => write!(f, "{:.2} us", seconds * 1e6),
        }
    }
}

/// A number of bytes with three digits.
struct Bytes(f64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        match units.iter().find(|(_, power)| self.0 >= f64::from(1u32 << power)) {
            Some((unit, power)) => write!(f, "{:.1} {unit}", self.0 / f64::from(1u32 << power)),
            None => write!(f, "{:.0} bytes", self.0),
        }
    }
}

/// Text: for each kernel its estimate, checks and access sites, then the ceilings and the findings with their lines.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kernel, estimate) in &self.kernels {
            self.kernel(f, kernel, estimate)?;
            writeln!(f)?;
        }
        writeln!(f, "ceilings: {}", self.model.ceilings())?;
        match self.findings.len() {
            0 => write!(f, "no findings"),
            1 => writeln!(f, "1 finding"),
            count => writeln!(f, "{count} findings, those that cost most first"),
        }?;
        for finding in &self.findings {
            write!(f, "\n{finding}")?;
        }
        Ok(())
    }
}

impl Report {
    fn kernel(&self, f: &mut fmt::Formatter<'_>, kernel: &ObservedKernel, estimate: &Estimate) -> fmt::Result {
        let [x, y, z] = kernel.workgroup_size;
        let column = self.model.column();
        writeln!(
            f,
            "{}: {} workgroups of {x} x {y} x {z}, {} of them observed",
            kernel.kernel, kernel.workgroups, kernel.observed
        )?;
        writeln!(
            f,
            "  at least {} on {} (warps of {}), bound by {}",
            Time(estimate.time()),
            self.model.name,
            self.model.warp,
            estimate.binding().name()
        )?;
        writeln!(
            f,
            "  {} to read and write, {} by workgroups; {:.1} % of lanes active",
            Bytes(estimate.compulsory),
            Bytes(estimate.transferred),
            kernel.lanes[column].efficiency() * 100.0
        )?;
        for (_, compiled) in self.compiled.iter().filter(|(name, _)| *name == kernel.kernel) {
            writeln!(f, "  {compiled}")?;
        }
        for checks in self.checks.iter().filter(|checks| checks.kernel == kernel.kernel) {
            writeln!(f, "  {checks}")?;
        }
        if kernel.accesses.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "  {:>5}  {:<9} {:<7} {:<24} {:>7} {:>9} {:>7}",
            "line", "memory", "access", "variable", "stride", "per warp", "ideal"
        )?;
        for access in &kernel.accesses {
            let counts = &access.counts[column];
            let stride = access.stride.map_or_else(|| "varies".to_owned(), |stride| stride.to_string());
            let (value, ideal) = match access.space {
                ObservedSpace::Workgroup => (
                    counts.wavefronts_per_request(),
                    counts.ideal_wavefronts as f64 / (counts.requests as f64).max(1.0),
                ),
                _ => (counts.sectors_per_request(), counts.ideal_per_request()),
            };
            writeln!(
                f,
                "  {:>5}  {:<9} {:<7} {:<24} {stride:>7} {value:>9.2} {ideal:>7.2}",
                access.at.line,
                access.space.name(),
                access.touch.name(),
                short(&access.variable, 24),
            )?;
        }
        Ok(())
    }
}

/// The end of a long name.
fn short(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        name.to_owned()
    } else {
        format!("..{}", name.chars().skip(count + 2 - most).collect::<String>())
    }
}

/// Text in the form of a compiler's diagnostic: the finding, its position, the line, the gain and the fix.
impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.problem.name(), self.headline())?;
        writeln!(f, "  --> {} in {}", self.at, self.kernel)?;
        write!(f, "{}", self.at.quote())?;
        for Change { line, text } in &self.changes {
            writeln!(f, " {line} ~ {text}")?;
        }
        if self.gain > 0.0 {
            writeln!(
                f,
                "  = gain: about {}, {:.0} % of the kernel's time ({})",
                Time(self.gain),
                self.share * 100.0,
                self.resource.name()
            )?;
        } else {
            writeln!(f, "  = gain: none now, as another resource takes longer than {}", self.resource.name())?;
        }
        writeln!(f, "  = help: {}", self.help)
    }
}
