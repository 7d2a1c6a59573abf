//! All kernels, each translated to MSL.

use std::sync::OnceLock;

use anywarp_backend::naga::valid::{Capabilities, ValidationFlags, Validator};
use anywarp_backend::{Caps, DeviceKind, Program};
use anywarp_wgpu::translate::{Target, translate};
use libtest_mimic::Failed;

use crate::collect::{self, operations};

/// A kernel and its translation.
pub(crate) struct Kernel {
    /// The case or file that contains it.
    pub(crate) from: String,
    /// The kernel's file and entry point.
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
}

/// The result of the translation.
pub(crate) enum Outcome {
    Written(String),
    /// The kernel needs a feature of WGSL or workgroup memory that no Apple GPU has.
    Lacks(&'static str),
    Failed(String),
}

/// All kernels, in a fixed order.
///
/// # Errors
///
/// The reason why the kernels cannot be collected.
pub(crate) fn kernels() -> Result<&'static [Kernel], Failed> {
    static KERNELS: OnceLock<Result<Vec<Kernel>, String>> = OnceLock::new();
    KERNELS.get_or_init(gather).as_deref().map_err(Failed::from)
}

fn gather() -> Result<Vec<Kernel>, String> {
    let mut runs = collect::conformance();
    runs.extend(operations::runs());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = anywarp_cpu::open(anywarp_cpu::Options::default()).map_err(|error| error.to_string())?;
    let mut kernels = Vec::new();
    let mut larger = Vec::new();
    for (file, program) in collect::shaders(&apple(anywarp_backend::Backend::caps(&*processor).clone()))? {
        let from = format!("shaders::{file}");
        match program {
            Ok(program) => kernels.push((from, program)),
            // Operators choose this kernel only on devices that have so much workgroup memory.
            Err(error) if error.to_string().contains("needs workgroup memory of") => {
                larger.push(Kernel { from, name: file, outcome: Outcome::Lacks("memory") });
            }
            Err(error) => return Err(format!("{file}: {error}")),
        }
    }
    kernels.extend(collect::programs(&runs, jobs, &apple)?);
    // The kernels are sorted, because cases with their own threads compile kernels in any order.
    let mut kernels: Vec<Kernel> = kernels.into_iter().map(kernel).chain(larger).collect();
    kernels.sort_by(|a, b| (&a.from, &a.name, text(a)).cmp(&(&b.from, &b.name, text(b))));
    Ok(kernels)
}

fn text(kernel: &Kernel) -> &str {
    match &kernel.outcome {
        Outcome::Written(text) => text,
        Outcome::Lacks(_) | Outcome::Failed(_) => "",
    }
}

fn kernel((from, program): (String, Program)) -> Kernel {
    let outcome = match lacking(&program) {
        Some(feature) => Outcome::Lacks(feature),
        None => match translate(&program, Target::Msl) {
            Ok(text) => Outcome::Written(text),
            Err(error) => Outcome::Failed(error.to_string()),
        },
    };
    Kernel { from, name: program.name.to_string(), outcome }
}

/// The capabilities that no Apple GPU has according to wgpu, with any release of macOS.
const LACKING: Capabilities = Capabilities::FLOAT64
    .union(Capabilities::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(Capabilities::MEMORY_DECORATION_VOLATILE);

/// The first capability of [`LACKING`] that the program needs, and its name in the snapshot.
fn lacking(program: &Program) -> Option<&'static str> {
    let needed = |flag| {
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all() - flag);
        validator.validate(&program.module).is_err()
    };
    Caps::known_features().iter().find(|(flag, _)| LACKING.contains(*flag) && needed(*flag)).map(|(_, name)| *name)
}

/// The capabilities of the CPU device with the limits of an M1 according to wgpu, so that kernels have the same sizes
/// as on an M1. The features are unchanged, so that kernels that need a missing feature appear in the snapshot as well.
fn apple(mut caps: Caps) -> Caps {
    caps.kind = DeviceKind::Integrated;
    // Drivers fuse products with sums by themselves.
    caps.fused = false;
    let limits = &mut caps.limits;
    (limits.storage_buffers, limits.uniform_buffers) = (29, 29);
    (limits.storage_offset_alignment, limits.uniform_offset_alignment) = (32, 256);
    limits.workgroup_storage = 32 << 10;
    limits.workgroup_invocations = 1024;
    limits.workgroup_size = [1024; 3];
    limits.workgroups_per_dimension = 65_535;
    limits.immediate_size = limits.immediate_size.min(4096);
    caps
}
