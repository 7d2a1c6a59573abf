//! Insight: why a kernel is slow, on any machine.
//!
//! [`inspect`] turns the counts of the device `cpu:observed` ([`Device::observations`](crate::Device::observations)) into
//! findings: accesses that transfer more memory than they need, conflicts of workgroup memory, branches and loops in
//! which lanes wait for others, atomics that wait for each other, and loads that uniforms could replace. Each has its
//! line, an estimate of the time that a fix would save on the GPU that a [`Model`] describes, and the fix in words. No
//! GPU is needed.
//!
//! ```
//! # #[cfg(feature = "cpu")]
//! # fn main() -> anywarp::Result<()> {
//! use anywarp::Device;
//! use anywarp::insight::{Model, Problem, inspect};
//!
//! let device = Device::open("cpu:observed")?;
//! let columns = device.kernel(
//!     "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
//!      @compute @workgroup_size(64)
//!      fn columns(@builtin(global_invocation_id) id: vec3<u32>) {
//!          data[id.x * 64u + id.y] *= 2.0; // neighbours are 256 bytes apart
//!      }",
//! )?;
//! let mut data = device.buffer_from(&vec![1.0f32; 1 << 16])?;
//! columns.launch().bind("data", &mut data).threads([1024, 64])?;
//!
//! let report = inspect(&device.observations(), &Model::named("h100").expect("a known model"));
//! let finding = &report.findings[0];
//! assert_eq!((finding.problem, finding.at.line), (Problem::Scattered, 4));
//! println!("{report}");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cpu"))]
//! # fn main() {}
//! ```
//!
//! [`profile`] records what a program does on a device: every kernel, transfer, compilation and wait on one time axis,
//! as a table, as a trace for Perfetto, and as [`Advice`]. [`scope`] names parts of the program on it, [`Profiler`]
//! records a few steps of a long loop, and [`Profile::compare`] shows the effect of a change. [`Page`] is all of it as one
//! file of HTML, with the findings of [`inspect`] if there are any.
//!
//! [`Occupancy`] is the number of workgroups that a multiprocessor of NVIDIA can hold, with its limit.
//! [`Report::add_compiled`] adds the resources that NVIDIA's compiler reports for a kernel; [`Report::add_source`] adds
//! the checks that the kernel keeps, and changed lines for mechanical fixes. [`Ceilings`] are the measured rates of a
//! device, in place of a data sheet's.
//!
//! The numbers of sectors, requests and lanes follow from the addresses and hold for any GPU with such warps. Banks are
//! those of NVIDIA. Times are estimates by a roofline (Williams, Waterman and Patterson, CACM 2009): a kernel takes as
//! long as its most used resource.

mod advice;
mod ceilings;
mod changes;
mod checks;
mod compiled;
mod estimate;
mod model;
mod occupancy;
mod page;
mod problem;
mod report;
mod rules;
#[cfg(test)]
mod tests;
mod timeline;

pub use advice::{Advice, Pitfall};
pub use ceilings::{Ceilings, KeptCeilings};
pub use changes::Change;
pub use checks::{KeptCheck, KeptChecks};
pub use compiled::Compiled;
pub use estimate::{Estimate, Resource};
pub use model::Model;
pub use occupancy::{Limiter, Occupancy, Usage};
pub use page::Page;
pub use problem::{Problem, Suspicion};
pub use report::Report;
pub use timeline::{
    Compared, Comparison, Idle, Pair, Profile, Profiler, RingRow, Row, Schedule, Sort, Span, SpanKind, Sum, Summary,
    profile, scope,
};

use crate::backend::Observations;
pub use crate::submit::Scope;

/// Returns the findings about all observed kernels, those that cost most first.
///
/// Counts are scaled from the observed workgroups to all. Warps have the size of the model.
#[must_use]
pub fn inspect(observations: &Observations, model: &Model) -> Report {
    let mut findings: Vec<Suspicion> = Vec::new();
    let mut kernels = Vec::new();
    for kernel in observations {
        let estimate = Estimate::of(kernel, model);
        findings.extend(rules::findings(kernel, &estimate, model));
        kernels.push((kernel.clone(), estimate));
    }
    let mut report = Report { model: model.clone(), kernels, findings, compiled: Vec::new(), checks: Vec::new() };
    report.sort();
    report
}

/// The variable at the start of a path, or of an access as written.
fn root(path: &str) -> &str {
    path.split(['.', '[', ' ']).next().unwrap_or_default()
}
