//! The kernels whose verdicts are compared, and the declarations that they share.

/// A kernel's text, with a descriptive name.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) wgsl: String,
}

/// The declarations that all kernels share.
const DECLARATIONS: &str = "
struct Parameters { n: u32, m: u32, list: array<vec4<u32>, 4> }
struct Pair { a: u32, b: u32 }
struct Mixed { @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32 }
struct Same { @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32> }
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@group(0) @binding(2) var<uniform> p: Parameters;
@group(0) @binding(3) var<storage, read_write> counter: atomic<u32>;
@group(0) @binding(4) var picture: texture_2d<f32>;
@group(0) @binding(5) var canvas: texture_storage_2d<r32uint, read_write>;
var<workgroup> tile: array<u32, 64>;
var<workgroup> flag: u32;
var<workgroup> ticket: atomic<u32>;
var<private> own: u32;
override size: u32 = 4;
const LIMIT = 8u;
";

/// The arguments that all entry points share.
const ARGUMENTS: &str = "@builtin(local_invocation_index) lid: u32, @builtin(local_invocation_id) local: vec3<u32>, \
     @builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, \
     @builtin(num_workgroups) groups: vec3<u32>";

impl Kernel {
    /// Returns a kernel with the shared declarations and arguments, and this body.
    pub(crate) fn of_body(name: impl Into<String>, body: &str) -> Self {
        Self::of_parts(name, "", "", ARGUMENTS, body)
    }

    /// Returns a kernel with the shared declarations and arguments, these functions and this body.
    pub(crate) fn of_functions(name: impl Into<String>, functions: &str, body: &str) -> Self {
        Self::of_parts(name, "", functions, ARGUMENTS, body)
    }

    /// Returns a kernel with these directives, functions, arguments and body.
    pub(crate) fn of_parts(
        name: impl Into<String>,
        directives: &str,
        functions: &str,
        arguments: &str,
        body: &str,
    ) -> Self {
        let wgsl = format!(
            "{directives}\n{DECLARATIONS}\n{functions}\n@compute @workgroup_size(64)\nfn main({arguments}) {{\n{body}\n}}\n"
        );
        Self { name: name.into(), wgsl }
    }
}

/// Returns the arguments of entry points that use subgroups.
pub(crate) fn subgroup_arguments() -> String {
    format!(
        "{ARGUMENTS}, @builtin(subgroup_size) width: u32, @builtin(subgroup_invocation_id) lane: u32, \
         @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32"
    )
}
