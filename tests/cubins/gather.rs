//! The kernels to compile.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use anywarp::Wgsl;
use anywarp_backend::{Caps, Program};

use anywarp_testing::files;
use anywarp_testing_devices::cts::case_file::CaseFile;
use anywarp_testing_devices::cts::format::Op;

use crate::collect::{self, Run};
use crate::operator_suite;
use crate::options::Options;
use crate::report::Report;

/// A program and its name in reports.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) program: Program,
    /// Whether all forms of the kernel are compiled, which is the case for only a few kernels.
    pub(crate) all_forms: bool,
}

/// All kernels that the options select.
///
/// # Errors
///
/// The text names the file that cannot be read, and the reason.
pub(crate) fn kernels(options: &Options, report: &mut Report) -> Result<Vec<Kernel>, String> {
    // The newest architecture decides which kernels are refused for a missing feature or for their size.
    let newest = options.architectures.iter().copied().max().unwrap_or(90);
    let caps = anywarp_cuda::caps_of(newest);
    let mut kernels = shaders(options, &caps, report)?;
    if !options.no_suites || options.operators {
        let start = Instant::now();
        let found = suite_kernels(options)?;
        println!("{} kernels of the suites in {:.1} s", found.len(), start.elapsed().as_secs_f64());
        kernels.extend(found);
    }
    if let (Some(dir), Some(_)) = (&options.dir, options.sample.sample()) {
        kernels.extend(cases(options, dir, &caps, report)?);
    }
    Ok(kernels)
}

fn wanted(options: &Options, name: &str) -> bool {
    options.filter.as_ref().is_none_or(|filter| name.contains(filter))
}

/// The kernels of the files in `shaders/ops` and `examples/shaders` that the options select.
fn shaders(options: &Options, caps: &Caps, report: &mut Report) -> Result<Vec<Kernel>, String> {
    let mut kernels = Vec::new();
    for (name, program) in collect::shaders(caps)?.into_iter().filter(|(name, _)| wanted(options, name)) {
        match program {
            Ok(program) => kernels.push(Kernel { name, program, all_forms: true }),
            Err(error) => report.fail(name, "", &error.to_string(), ""),
        }
    }
    Ok(kernels)
}

/// The kernels that the suites compile while they run on the CPU backend.
fn suite_kernels(options: &Options) -> Result<Vec<Kernel>, String> {
    let mut runs = if !options.no_suites { collect::conformance() } else { Vec::new() };
    if options.operators {
        runs.extend(operators());
    }
    runs.retain(|(name, _)| wanted(options, name));
    let programs = collect::programs(&runs, options.jobs, &|caps| caps)?;
    let kernel = |(name, program): (String, _)| Kernel { all_forms: name.starts_with("conformance"), name, program };
    Ok(programs.into_iter().map(kernel).collect())
}

/// The cases of the suite `wgsl_operators`.
fn operators() -> impl Iterator<Item = Run> {
    operator_suite::cases().map(|operator_suite::table::Case { name, run }| -> Run {
        (format!("wgsl_operators::{name}"), Box::new(move |device| drop(run(device))))
    })
}

/// The kernels of the selected conformance cases, without duplicates.
fn cases(options: &Options, dir: &Path, caps: &Caps, report: &mut Report) -> Result<Vec<Kernel>, String> {
    let start = Instant::now();
    let mut kernels = Vec::new();
    let mut seen = HashSet::new();
    for path in files::in_folder(dir, ".jsonl.gz")? {
        let problem = |error: String| format!("{}: {error}", path.display());
        let file = CaseFile::load(&path)?;
        let mut chosen = file.traces().map_err(problem)?;
        chosen.retain(|(_, name)| {
            options.sample.sample().is_none_or(|sample| sample.contains(name))
                && wanted(options, &format!("{} {}", name.query, name.sub))
        });
        if chosen.is_empty() {
            continue;
        }
        let texts = file.shaders().map_err(problem)?;
        let lines: Vec<usize> = chosen.iter().map(|(line, _)| *line).collect();
        for ((_, trace), (_, name)) in file.parse(&lines).zip(&chosen) {
            for op in trace.map_err(problem)?.ops {
                let Op::Dispatch(dispatch) = op else { continue };
                let constants: Vec<_> = dispatch.constants.iter().map(|(key, value)| (key, value.to_bits())).collect();
                if !seen.insert(format!("{} {:?} {constants:?}", dispatch.wgsl, dispatch.entry)) {
                    continue;
                }
                let text = texts.get(&dispatch.wgsl).ok_or_else(|| problem(format!("no shader {}", dispatch.wgsl)))?;
                // All cases have the same file name, so that equal kernels have equal texts.
                let mut wgsl = Wgsl::new(text.as_str()).file("case.wgsl");
                if let Some(entry) = &dispatch.entry {
                    wgsl = wgsl.entry(entry.as_str());
                }
                for (key, value) in &dispatch.constants {
                    wgsl = wgsl.set_override(key.as_str(), *value);
                }
                let name = format!("{} {}", name.query, name.sub);
                match wgsl.program(caps) {
                    Ok(program) => kernels.push(Kernel { name, program, all_forms: false }),
                    Err(error) => report.skip(&format!("the front end refuses it: {}", first_line(&error.to_string()))),
                }
            }
        }
    }
    println!("{} kernels of conformance cases in {:.1} s", kernels.len(), start.elapsed().as_secs_f64());
    Ok(kernels)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
