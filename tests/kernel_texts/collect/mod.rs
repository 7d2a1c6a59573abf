//! Collects the kernels in `shaders` and `examples`, and those that suites compile while they run on the CPU backend.
//!
//! A test that has this module has the suite `conformance` as the module `suite` at its root.

mod capture;
pub(crate) mod operations;

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anywarp::{Device, KernelError, Wgsl};
use anywarp_backend::{Backend, Caps, Program};
use anywarp_testing::{features, files};

use crate::suite;
use capture::Capture;

/// A named case of a suite. Its outcome is checked by that suite only.
pub(crate) type Run = (String, Box<dyn Fn(&Device) + Send + Sync>);

/// Groups of `conformance` whose cases launch no kernels of their own.
const WITHOUT_KERNELS: &[&str] = &["device", "awaited", "refusal"];

/// The cases of `conformance` that launch kernels.
pub(crate) fn conformance() -> Vec<Run> {
    let cases = suite::cases().filter(|(name, _)| !WITHOUT_KERNELS.iter().any(|group| name.starts_with(group)));
    cases
        .map(|(name, case)| -> Run {
            let run = move |device: &Device| drop(pollster::block_on(case.outcome(device)));
            (format!("conformance::{name}"), Box::new(run))
        })
        .collect()
}

/// The name of a file, and the program of one of its entry points.
pub(crate) type Shader = (String, Result<Program, KernelError>);

/// Every entry point of the files in `shaders/ops` and `examples/shaders` with each choice of the features, with the
/// name of its file.
///
/// # Errors
///
/// The text names the file that cannot be read, and the reason.
pub(crate) fn shaders(caps: &Caps) -> Result<Vec<Shader>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Operators import from `shaders`.
    let of_operators = files::in_folder(&root.join("shaders/ops"), ".wgsl")?.into_iter().map(|path| (path, "shaders"));
    let of_examples =
        files::in_folder(&root.join("examples/shaders"), ".wgsl")?.into_iter().map(|path| (path, "examples"));
    let mut programs = Vec::new();
    for (path, package) in of_operators.chain(of_examples) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wgsl = Wgsl::open(&path).map_err(|error| error.to_string())?.root(root.join(package)).file(name.as_str());
        let mut seen = HashSet::new();
        for features in features::choices(&path, &root.join(package)) {
            let wgsl = features.into_iter().fold(wgsl.clone(), |wgsl, (feature, on)| wgsl.feature(feature, on));
            let of_choice = match wgsl.program(caps) {
                Err(KernelError::WhichEntryPoint { candidates, .. }) => {
                    candidates.into_iter().map(|entry| wgsl.clone().entry(entry).program(caps)).collect()
                }
                one => vec![one],
            };
            let new = of_choice
                .into_iter()
                .filter(|program| seen.insert(program.as_ref().map(key).map_err(ToString::to_string)));
            programs.extend(new.map(|program| (name.clone(), program)));
        }
    }
    Ok(programs)
}

/// The distinct programs that `runs` compile, in the order of the runs. The device is the CPU backend, whose reported
/// capabilities are changed by `described`.
///
/// # Errors
///
/// The reason why the CPU backend does not open.
pub(crate) fn programs(
    runs: &[Run],
    jobs: usize,
    described: &(dyn Fn(Caps) -> Caps + Sync),
) -> Result<Vec<(String, Program)>, String> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some((_, run)) = runs.get(at) else { return Ok::<_, String>(()) };
                        let programs = compiled_by(run, described)?;
                        found.lock().expect("no thread panics while it holds this").push((at, programs));
                    }
                })
            })
            .collect();
        running.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
    })?;
    let mut found = found.into_inner().expect("no thread panicked");
    found.sort_by_key(|(at, _)| *at);
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (at, programs) in found {
        let new = programs.into_iter().filter(|program| seen.insert(key(program)));
        kept.extend(new.map(|program| (runs[at].0.clone(), program)));
    }
    Ok(kept)
}

/// A key that is equal for equal programs. The number of bindings is a part of it, because folded grids and debug
/// printing add a binding to a program without changing its text.
fn key(program: &Program) -> (Option<String>, String, [u32; 3], usize) {
    let text = program.source.as_ref().map(|source| source.text().to_owned());
    (text, program.entry_point.clone(), program.workgroup_size, program.bindings.len())
}

/// The programs that a case compiles.
fn compiled_by(
    run: &(dyn Fn(&Device) + Send + Sync),
    described: &(dyn Fn(Caps) -> Caps + Sync),
) -> Result<Vec<Program>, String> {
    let processor = anywarp_cpu::open(anywarp_cpu::Options::default()).map_err(|error| error.to_string())?;
    let caps = described(processor.caps().clone());
    let capture = Capture::new(processor, caps);
    let device = Device::from_backend(capture.clone());
    // A failure is ignored: a case that fails here fails in its own suite, too.
    let _ = catch_unwind(AssertUnwindSafe(|| run(&device)));
    Ok(capture.take())
}
