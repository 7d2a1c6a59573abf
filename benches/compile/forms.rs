//! The kernels to compile, each in two forms.

use std::collections::HashSet;
use std::path::Path;

use anywarp::{Checks, KernelError, Wgsl};
use anywarp_backend::{Caps, Program};
use anywarp_testing::{features, files};
use anywarp_wgpu::translate::given;

use crate::collect;
use crate::compiler::Given;
use crate::shared::Outcome;

/// A kernel in the form for plain wgpu, and in anywarp's form.
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) plain: Given,
    pub(crate) ours: Given,
}

/// Folders with WGSL, and the root of their imports.
const FOLDERS: &[(&str, &str)] = &[
    ("benches/compile/kernels", "benches"),
    ("benches/checks/kernels", "benches"),
    ("benches/cpu_vs_peers/cases", "benches"),
    ("benches/ladder", "benches"),
    ("benches/cuda", "benches"),
    ("examples/shaders", "examples"),
    ("shaders/ops", "shaders"),
];

/// The kernels of the benchmarks, of the library and of the examples.
///
/// # Errors
/// The folder that cannot be read, or the kernel that cannot be compiled.
pub(crate) fn of_files(caps: &Caps) -> Outcome<Vec<Kernel>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut kernels = Vec::new();
    for (folder, package) in FOLDERS {
        for path in files::in_folder(&root.join(folder), ".wgsl")? {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let wgsl = Wgsl::open(&path)?.root(root.join(package)).file(name.as_str());
            // All features are on, because that selects the longest text.
            let features = features::choices(&path, &root.join(package)).next_back().unwrap_or_default();
            let wgsl = features.iter().fold(wgsl, |wgsl, (feature, on)| wgsl.feature(feature, *on));
            match wgsl.program(caps) {
                Err(KernelError::WhichEntryPoint { candidates, .. }) => {
                    for entry in candidates {
                        kernels.extend(kernel(&name, &wgsl.clone().entry(entry), caps)?);
                    }
                }
                _ => kernels.extend(kernel(&name, &wgsl, caps)?),
            }
        }
    }
    Ok(kernels)
}

/// The kernels of the conformance suite, with the default values of their overrides.
///
/// # Errors
/// The reason why the suite cannot be run.
pub(crate) fn of_suite(caps: &Caps) -> Outcome<Vec<Kernel>> {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let runs = collect::conformance();
    let programs = collect::programs(&runs, jobs, &|_| caps.clone())?;
    let (mut kernels, mut seen) = (Vec::new(), HashSet::new());
    for (from, program) in &programs {
        let Some(source) = &program.source else { continue };
        if seen.insert((source.text().to_owned(), program.entry_point.clone())) {
            let wgsl = Wgsl::new(source.text()).file(from.as_str()).entry(program.entry_point.as_str());
            kernels.extend(kernel(from, &wgsl, caps)?);
        }
    }
    Ok(kernels)
}

/// Both forms; `None` for a kernel that lacks a feature of the device, or has immediates.
fn kernel(from: &str, wgsl: &Wgsl<'_>, caps: &Caps) -> Outcome<Option<Kernel>> {
    let made = |checks| wgsl.clone().checks(checks).program(caps);
    let (Ok(plain), Ok(ours)) = (made(Checks::Driver), made(Checks::Proven)) else { return Ok(None) };
    if plain.immediate.is_some() {
        return Ok(None);
    }
    let name = format!("{from}:{}", plain.entry_point);
    let whole = |program: &Program| program.module.clone().into_module();
    let (module, checks) = given(&ours)?;
    Ok(Some(Kernel {
        plain: Given::new(&plain, whole(&plain), wgpu::ShaderRuntimeChecks::checked()),
        ours: Given::new(&ours, module, checks),
        name,
    }))
}
