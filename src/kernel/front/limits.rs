//! Whether a program is within the limits of a device.

use anywarp_backend::{BindingClass, BindingInfo, Caps, Program};

use crate::error::KernelError;

/// Refuses a program that is above a limit.
pub(super) fn check(program: &Program, caps: &Caps) -> Result<(), KernelError> {
    let limits = &caps.limits;
    let Program { bindings, workgroup_size, .. } = program;
    let uniforms = bindings.iter().filter(|info| info.class == BindingClass::Uniform).count() as u64;
    let storage = bindings.len() as u64 - uniforms;
    let invocations = workgroup_size.iter().map(|size| u64::from(*size)).product();
    let last = |of: fn(&BindingInfo) -> u32| bindings.iter().map(of).max().map_or(0, |highest| u64::from(highest) + 1);
    let immediate = program.immediate.as_ref().map_or(0, |(_, layout)| u64::from(layout.size));
    let checks = [
        ("a workgroup size in x of", u64::from(workgroup_size[0]), limits.workgroup_size[0]),
        ("a workgroup size in y of", u64::from(workgroup_size[1]), limits.workgroup_size[1]),
        ("a workgroup size in z of", u64::from(workgroup_size[2]), limits.workgroup_size[2]),
        ("invocations in a workgroup:", invocations, limits.workgroup_invocations),
        ("bytes of workgroup memory:", u64::from(program.workgroup_storage), limits.workgroup_storage),
        ("storage buffers:", storage, limits.storage_buffers),
        ("uniform buffers:", uniforms, limits.uniform_buffers),
        ("bind groups:", last(|info| info.resource.group), limits.bind_groups),
        ("bindings in a group:", last(|info| info.resource.binding), limits.bindings_per_group),
        ("bytes of immediates:", immediate, limits.immediate_size),
    ];
    for (what, wanted, limit) in checks {
        if wanted > u64::from(limit) {
            return Err(KernelError::AboveLimit {
                kernel: program.name.to_string(),
                what: what.to_owned(),
                wanted: wanted.to_string(),
                limit: limit.to_string(),
                device: caps.name.clone(),
            });
        }
    }
    Ok(())
}

/// The same of a program that prints, which was within the limits before.
pub(super) fn check_printing(program: &Program, caps: &Caps) -> Result<(), KernelError> {
    check(program, caps).map_err(|error| match error {
        KernelError::AboveLimit { kernel, what, wanted, limit, device } => {
            let what = format!("one more storage buffer to print into, and so {what}");
            KernelError::AboveLimit { kernel, what, wanted, limit, device }
        }
        other => other,
    })
}
