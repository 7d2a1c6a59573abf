//! Tests of the amount of code that drivers of hardware receive: instructions of SPIR-V, compared with plain wgpu.
//!
//! The compile time of a driver grows with the number of instructions. The time differs between machines, but the
//! number does not. `cargo test -p anywarp-middle --test size -- --nocapture` prints the numbers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anywarp_backend::{SourceFile, Validated, loops};
use anywarp_middle::analysis::prove;
use anywarp_middle::explicit::explicit;
use anywarp_middle::optimise::{Unrolled, optimise_and_count};
use anywarp_middle::tables::to_variables;
use anywarp_middle::{Circumstances, Unrolling};
use anywarp_testing::features;
use anywarp_wgsl::compose::{Folder, Options, compose};
use anywarp_wgsl::module::parse;
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::Capabilities;
use naga::{Expression, ShaderStage};

/// The largest number of a kernel's instructions relative to plain wgpu. Kernels that unrolling makes faster may have
/// more.
const MAX_RATIO: f64 = 1.3;

/// The folders with WGSL, each with the folder that `package` stands for in its imports.
const FOLDERS: &[(&str, &str)] = &[
    ("benches/compile/kernels", "benches"),
    ("benches/checks/kernels", "benches"),
    ("benches/cpu_vs_peers/cases", "benches"),
    ("benches/cpu_vs_peers", "benches"),
    ("benches/ladder", "benches"),
    ("benches/cuda", "benches"),
    ("examples/shaders", "examples"),
    ("shaders/ops", "shaders"),
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns each entry point of each file as a separate module, for each combination of the features.
fn kernels() -> Outcome<Vec<(String, Validated)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut kernels = Vec::new();
    for (folder, package) in FOLDERS {
        let package = root.join(package);
        let entries = std::fs::read_dir(root.join(folder))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "wgsl"));
        paths.sort();
        for path in paths {
            let name = path.strip_prefix(&root)?.display().to_string();
            let below = path.strip_prefix(&package)?.with_extension("");
            let below: Vec<_> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let text = std::fs::read_to_string(&path)?;
            let mut seen = HashSet::new();
            for (choice, features) in features::choices(&path, &package).enumerate() {
                let options = Options { features, ..Options::default() };
                let file = SourceFile { name: name.clone(), text: text.clone() };
                let source = compose(file, &below, &Folder::new(&package), &options)?;
                if !seen.insert(source.text().to_owned()) {
                    continue;
                }
                let module = valid(parse(&source)?)?;
                for entry in &module.entry_points {
                    let one = alone(&module, &entry.name)?;
                    kernels.push((format!("{name}:{}, features {choice:03b}", entry.name), one));
                }
            }
        }
    }
    Ok(kernels)
}

fn alone(module: &Validated, entry: &str) -> Outcome<Validated> {
    let stage = Some((ShaderStage::Compute, entry));
    let (one, _) = process_overrides(module, module.info(), stage, &PipelineConstants::default())?;
    let mut one = one.into_owned();
    one.entry_points.retain(|other| other.name == entry);
    naga::compact::compact(&mut one, naga::compact::KeepUnused::No);
    valid(one)
}

fn valid(module: naga::Module) -> Outcome<Validated> {
    Validated::new(module, Capabilities::all()).map_err(|refused| format!("{:?}", refused.error).into())
}

fn after(module: &Validated, made: Option<naga::Module>) -> Outcome<Validated> {
    module.clone().after_pass(made).map_err(|refused| format!("{:?}", refused.error).into())
}

/// The number of SPIR-V instructions in the functions of a module, with or without wgpu's own checks. Accesses to
/// buffers are checked by the device in both cases.
fn instructions(module: &Validated, checked: bool) -> Outcome<usize> {
    /// The opcode `OpFunction`. The instructions before the first function are names, types and constants.
    const FUNCTION: u32 = 54;
    let index = if checked { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies { index, ..BoundsCheckPolicies::default() },
        force_loop_bounding: checked,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        fake_missing_bindings: true,
        ..spv::Options::default()
    };
    let words = spv::write_vec(module, module.info(), &options, None)?;
    // SPIR-V begins with a header of five words. The high half of an instruction's first word is the length of the
    // instruction in words.
    let (mut at, mut count, mut inside) = (5, 0, false);
    while let Some(first) = words.get(at) {
        inside |= first & 0xFFFF == FUNCTION;
        count += usize::from(inside);
        at += (first >> 16).max(1) as usize;
    }
    Ok(count)
}

/// The size and the checks of a kernel after the passes of the middle end.
struct Made {
    instructions: usize,
    unrolled: Unrolled,
    /// The number of checked accesses, and of loops whose iterations are counted.
    checks: [usize; 2],
}

impl Made {
    fn of(module: &Validated, unrolling: Unrolling) -> Outcome<Self> {
        let known = Circumstances { unrolling, ..Circumstances::default() };
        let (made, unrolled) = optimise_and_count(module, module.info(), &known);
        let made = after(module, made)?;
        let proofs = prove(&made, made.info(), &known).proofs;
        let mut checks = [0; 2];
        let functions = made.functions.iter().map(|(handle, function)| (function, proofs.function(handle)));
        for (function, proofs) in functions.chain([(&made.entry_points[0].function, &proofs.entry)]) {
            let accesses = function.expressions.iter().filter(|(_, one)| matches!(one, Expression::Access { .. }));
            checks[0] += accesses.filter(|(handle, _)| !proofs.in_range(*handle)).count();
            checks[1] += (0..loops(function).len()).filter(|number| !proofs.ends(*number)).count();
        }
        Ok(Self { instructions: instructions(&with_checks(&made)?, false)?, unrolled, checks })
    }
}

/// Returns a module with the checks that it needs, as the SPIR-V writer receives it.
fn with_checks(module: &Validated) -> Outcome<Validated> {
    let proofs = prove(module, module.info(), &Circumstances::default()).proofs;
    let checked = after(module, explicit(module, module.info(), &proofs))?;
    let placed = to_variables(&checked, checked.info());
    after(&checked, placed)
}

#[test]
fn drivers_receive_little_more_code_than_from_plain_wgpu() -> Outcome<()> {
    let kernels = kernels()?;
    assert!(kernels.len() > 70, "only {} kernels were found", kernels.len());
    println!("{:>6} {:>6} {:>6} {:>5}  unrolled for arrays, long, folded", "plain", "full", "made", "ratio");
    let mut failures = Vec::new();
    for (name, module) in &kernels {
        let plain = instructions(module, true)?;
        let [full, made] = [Unrolling::Full, Unrolling::Selective].map(|unrolling| Made::of(module, unrolling));
        let (full, made) = (full?, made?);
        let Unrolled { arrays, long, folded } = made.unrolled;
        let ratio = made.instructions as f64 / plain as f64;
        let row = format!("{plain:6} {:6} {:6} {ratio:5.2}", full.instructions, made.instructions);
        println!("{row}  {arrays:2} {long:2} {folded:2}  {name}");
        // The baseline includes anywarp's checks, which may be more code than those of wgpu.
        let base = plain.max(instructions(&with_checks(module)?, false)?);
        if made.instructions as f64 > MAX_RATIO * base as f64 && arrays + long == 0 {
            failures.push(format!("{name}: {} instructions, the baseline has {base}", made.instructions));
        }
        if (0..2).any(|kind| made.checks[kind] > full.checks[kind]) {
            let checks = made.checks;
            failures.push(format!("{name}: {checks:?} accesses and loops checked, {:?} if unrolled", full.checks));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}
