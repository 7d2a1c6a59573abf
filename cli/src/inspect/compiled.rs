//! The report of a compiler about the kernel: registers, workgroup memory and spills, by NVRTC or as the user gives
//! them.

use anywarp::insight::{Compiled, Report, Usage};
use anywarp::{Kernel, Wgsl};

use crate::failure::Failure;

/// Compiles the kernel for an architecture of NVIDIA, 90 for `sm_90`, which needs no GPU.
#[cfg(feature = "cuda")]
pub(super) fn compile(wgsl: &Wgsl<'_>, architecture: u32) -> Result<Compiled, Failure> {
    let program = wgsl.program(&anywarp_cuda::caps_of(architecture))?;
    let usage = crate::translate::on_a_large_stack(|| {
        let usage = anywarp_cuda::stages::usage(&program, false, architecture);
        usage.map_err(|error| Failure::Translation(format!("--arch sm_{architecture}: {error}")))
    })?;
    Ok(Compiled {
        capability: (architecture / 10, architecture % 10),
        usage: Usage {
            invocations: program.workgroup_size.iter().product(),
            registers: usage.registers,
            workgroup_bytes: usage.shared_bytes,
        },
        private_bytes: usage.stack_bytes,
        spilled_bytes: usage.spill_stores.saturating_add(usage.spill_loads),
    })
}

#[cfg(not(feature = "cuda"))]
pub(super) fn compile(_: &Wgsl<'_>, architecture: u32) -> Result<Compiled, Failure> {
    Err(Failure::Translation(format!(
        "--arch sm_{architecture}: this build of anywarp has no CUDA: build it with the feature 'cuda'"
    )))
}

/// Adds the occupancy for a number of registers, if the report's model is one of NVIDIA.
pub(super) fn add_registers(report: &mut Report, kernel: &Kernel, registers: u32) {
    let Some(capability) = report.model.capability else { return };
    let Some((observed, _)) = report.kernels.iter().find(|(observed, _)| *observed.kernel == *kernel.name()) else {
        return;
    };
    let usage = Usage {
        invocations: observed.workgroup_size.iter().product(),
        registers,
        workgroup_bytes: observed.workgroup_bytes,
    };
    report.add_compiled(kernel.name(), Compiled { capability, usage, private_bytes: 0, spilled_bytes: 0 });
}
