//! Counts of passed and failed kernels, and compilation times.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anywarp_cuda::resources::Usage;

use crate::known;

/// Counts outcomes, and prints failures immediately.
pub(crate) struct Report {
    list_failures: bool,
    keep: Option<PathBuf>,
    passed: usize,
    /// The number of failures by architecture and message, without names and numbers.
    failures: BTreeMap<String, usize>,
    skipped: BTreeMap<String, usize>,
    /// For each architecture: the number of kernels, the total time in NVRTC, and the number of kernels with register
    /// spills.
    times: BTreeMap<String, (usize, Duration, usize)>,
}

impl Report {
    /// Returns an empty report.
    pub(crate) fn new(list_failures: bool, keep: Option<PathBuf>) -> Self {
        let (failures, skipped, times) = Default::default();
        Self { list_failures, keep, passed: 0, failures, skipped, times }
    }

    /// Counts a kernel that compiled for an architecture.
    pub(crate) fn pass(&mut self, architecture: &str, time: Duration, usage: Option<Usage>) {
        self.passed += 1;
        let (kernels, total, spilling) = self.times.entry(architecture.to_owned()).or_default();
        *kernels += 1;
        *total += time;
        *spilling += usize::from(usage.is_some_and(|usage| usage.spill_stores > 0));
    }

    /// Counts a kernel that does not translate (`architecture` is empty), or does not compile for an architecture.
    pub(crate) fn fail(&mut self, name: String, architecture: &str, message: &str, text: &str) {
        if let Some(known) = known::find(&name, architecture) {
            return self.skip(&format!("fails, as is known: {}", known.reason));
        }
        let count = self.failures.entry(kind(message)).or_default();
        *count += 1;
        let first = *count == 1;
        if first || self.list_failures {
            let on = if architecture.is_empty() { String::new() } else { format!(" [{architecture}]") };
            println!("FAILED {name}{on}\n    {}", message.trim().replace('\n', "\n    "));
        }
        if let Some(folder) = self.keep.as_ref().filter(|_| !text.is_empty() && (first || self.list_failures)) {
            let path = folder.join(format!("{}.cu", self.failed()));
            let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
            match kept {
                Ok(()) => println!("    its text: {}", path.display()),
                Err(error) => println!("    {}: {error}", path.display()),
            }
        }
    }

    /// Counts a skipped kernel.
    pub(crate) fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
    }

    /// The number of failures.
    pub(crate) fn failed(&self) -> usize {
        self.failures.values().sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (architecture, (kernels, time, spilling)) in &self.times {
            let each = time.as_secs_f64() * 1e3 / (*kernels).max(1) as f64;
            let total = time.as_secs_f64();
            writeln!(f, "{architecture}: {kernels} kernels, {each:.0} ms each, {total:.1} s in all, {spilling} spill")?;
        }
        for (kind, count) in &self.failures {
            writeln!(f, "{count} x {kind}")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(f, "{count} skipped: {reason}")?;
        }
        let skipped: usize = self.skipped.values().sum();
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed())
    }
}

/// The first line of a message, with each number replaced by `#`, so that messages about different kernels are equal.
fn kind(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut kind = String::new();
    for c in line.chars() {
        match c {
            '0'..='9' if kind.ends_with('#') => {}
            '0'..='9' => kind.push('#'),
            _ => kind.push(c),
        }
    }
    kind
}
