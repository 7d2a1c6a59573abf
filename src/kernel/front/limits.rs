//! Checks of a program against the limits of a device.

use anywarp_backend::{BindingClass, BindingInfo, Caps, Program};
use naga::AddressSpace;

use crate::error::KernelError;

/// A quantity of a program, the device's limit for it, and the remedy if the limit is exceeded.
struct Check {
    /// The name of the quantity, which follows the word `needs` in the error.
    what: &'static str,
    wanted: u64,
    limit: u32,
    unit: &'static str,
    remedy: fn(&Program) -> String,
}

fn check_of(what: &'static str, wanted: u64, limit: u32, unit: &'static str, remedy: fn(&Program) -> String) -> Check {
    Check { what, wanted, limit, unit, remedy }
}

/// Refuses a program that exceeds a limit of the device.
pub(super) fn check(program: &Program, caps: &Caps) -> Result<(), KernelError> {
    let Some(Check { what, wanted, limit, unit, remedy }) =
        checks(program, caps).into_iter().find(|check| check.wanted > u64::from(check.limit))
    else {
        return Ok(());
    };
    Err(KernelError::AboveLimit {
        kernel: program.name.to_string(),
        what: what.to_owned(),
        wanted: format!("{wanted}{unit}"),
        limit: format!("{limit}{unit}"),
        device: caps.name.clone(),
        remedy: remedy(program),
    })
}

fn checks(program: &Program, caps: &Caps) -> Vec<Check> {
    let limits = &caps.limits;
    let Program { bindings, workgroup_size, .. } = program;
    let uniforms = bindings.iter().filter(|info| info.class == BindingClass::Uniform).count() as u64;
    let storage = bindings.len() as u64 - uniforms;
    let invocations: u64 = workgroup_size.iter().map(|size| u64::from(*size)).product();
    let last = |of: fn(&BindingInfo) -> u32| bindings.iter().map(of).max().map_or(0, |highest| u64::from(highest) + 1);
    let immediate = program.immediate.as_ref().map_or(0, |(_, layout)| u64::from(layout.size));
    let along = |what, dimension: usize| {
        let (wanted, limit) = (u64::from(workgroup_size[dimension]), limits.workgroup_size[dimension]);
        check_of(what, wanted, limit, "", |_| "make the workgroup smaller, and the grid larger".to_owned())
    };
    let memory = u64::from(program.workgroup_storage);
    vec![
        along("a workgroup size in x of", 0),
        along("a workgroup size in y of", 1),
        along("a workgroup size in z of", 2),
        check_of("a workgroup of", invocations, limits.workgroup_invocations, " invocations", smaller_workgroup),
        check_of("workgroup memory of", memory, limits.workgroup_storage, " bytes", smaller_memory),
        check_of("a total of", storage, limits.storage_buffers, " storage buffers", |program| {
            format!("put several arrays into one buffer; there are {}", named(program, false))
        }),
        check_of("a total of", uniforms, limits.uniform_buffers, " uniform buffers", |program| {
            format!("put several into one struct; there are {}", named(program, true))
        }),
        check_of("a total of", last(|info| info.resource.group), limits.bind_groups, " bind groups", |_| {
            "use lower numbers in @group, counted from 0".to_owned()
        }),
        check_of("bindings in a group:", last(|info| info.resource.binding), limits.bindings_per_group, "", |_| {
            "use lower numbers in @binding, counted from 0".to_owned()
        }),
        check_of("immediates of", immediate, limits.immediate_size, " bytes", |_| {
            "put the values into a `var<uniform>`".to_owned()
        }),
    ]
}

fn smaller_workgroup(program: &Program) -> String {
    let [x, y, z] = program.workgroup_size;
    format!("this is the product of @workgroup_size({x}, {y}, {z}); make the workgroup smaller, and the grid larger")
}

/// The remedy for too much workgroup memory: the error names the largest variables, the largest one first.
fn smaller_memory(program: &Program) -> String {
    let context = program.module.to_ctx();
    let variables = program.module.global_variables.iter();
    let variables = variables.filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    let mut sizes: Vec<(u32, &str)> = variables
        .filter_map(|(_, variable)| {
            let size = program.module.types[variable.ty].inner.try_size(context)?;
            Some((size, variable.name.as_deref().unwrap_or_default()))
        })
        .collect();
    sizes.sort_unstable_by_key(|(size, _)| std::cmp::Reverse(*size));
    let shown: Vec<String> = sizes.iter().take(4).map(|(size, name)| format!("'{name}' has {size} bytes")).collect();
    format!("{}; use smaller arrays in `var<workgroup>` and more steps, or a storage buffer", shown.join(", "))
}

/// The greatest number of bindings that an error names.
const SHOWN: usize = 8;

fn named(program: &Program, uniforms: bool) -> String {
    let names = program.bindings.iter().filter(|info| (info.class == BindingClass::Uniform) == uniforms);
    let names: Vec<String> = names.map(|info| format!("'{}'", info.name)).collect();
    let (shown, left) = names.split_at(names.len().min(SHOWN));
    let more = if left.is_empty() { String::new() } else { format!(" and {} more", left.len()) };
    format!("{}{more}", shown.join(", "))
}

/// [`check`] for a program to which debug printing has added a storage buffer, and which was within the limits before.
pub(super) fn check_printing(program: &Program, caps: &Caps) -> Result<(), KernelError> {
    check(program, caps).map_err(|error| match error {
        KernelError::AboveLimit { kernel, what, wanted, limit, device, remedy } => {
            let what = format!("one more storage buffer for debug output, and therefore {what}");
            KernelError::AboveLimit { kernel, what, wanted, limit, device, remedy }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use crate::kernel::Wgsl;
    use anywarp_backend::Caps;

    #[test]
    fn a_quantity_above_a_limit_is_named_with_a_remedy() {
        let entry = "@compute @workgroup_size(1) fn main()";
        let buffers: String = (0..9).map(|at| format!("@group(0) @binding({at}) var<storage> b{at}: u32;\n")).collect();
        let reads: String = (0..9).map(|at| format!("_ = b{at};")).collect();
        let table = [
            (
                format!("var<workgroup> tile: array<f32, 1000000>; {entry} {{ tile[0] = 1.0; }}"),
                "needs workgroup memory of 4000000 bytes; the WebGPU baseline allows 16384 bytes: 'tile' has 4000000 bytes; \
                 use smaller arrays in `var<workgroup>` and more steps, or a storage buffer",
            ),
            (
                "@compute @workgroup_size(16, 32) fn main() {}".to_owned(),
                "needs a workgroup of 512 invocations; the WebGPU baseline allows 256 invocations: \
                 this is the product of @workgroup_size(16, 32, 1); make the workgroup smaller, and the grid larger",
            ),
            (
                "@compute @workgroup_size(512) fn main() {}".to_owned(),
                "needs a workgroup size in x of 512; the WebGPU baseline allows 256: make the workgroup smaller, and the grid larger",
            ),
            (
                format!("{buffers}{entry} {{ {reads} }}"),
                "needs a total of 9 storage buffers; the WebGPU baseline allows 8 storage buffers: put several arrays \
                 into one buffer; there are 'b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7' and 1 more",
            ),
        ];
        for (text, said) in table {
            let error = Wgsl::new(text).file("k.wgsl").program(&Caps::webgpu_baseline()).unwrap_err();
            assert_eq!(error.to_string(), format!("kernel 'k.wgsl:main' {said}"));
        }
    }
}
