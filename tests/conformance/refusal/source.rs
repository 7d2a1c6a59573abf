//! Kernels that cannot be compiled.

use anywarp::backend::BackendKind;
use anywarp::{Device, KernelError, Wgsl};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, fail, refused};

pub(crate) const CASES: &[Case] = cases![
    wgsl_that_does_not_parse,
    wgsl_that_is_not_valid,
    no_compute_entry_point,
    several_entry_points_without_a_choice,
    unknown_entry_point,
    unknown_override,
    override_without_a_value,
    override_that_does_not_fit,
    textures,
    too_much_workgroup_memory,
    too_many_invocations,
    too_large_a_workgroup,
    too_many_buffers,
    too_high_a_group_or_binding,
    errors_are_classed,
];

async fn wgsl_that_does_not_parse(device: &Device) -> TestResult {
    let invalid = |error: &KernelError| matches!(error, KernelError::Invalid { file, .. } if file == "bad.wgsl");
    let source = |text: &'static str| Wgsl::new(text).file("bad.wgsl");
    let text = "@compute @workgroup_size(1)\nfn main() {\n    let x = 1 +;\n}";
    refused(device.kernel(source(text)), invalid, &["bad.wgsl:3:", "let x = 1 +;"])?;
    let text = "@compute @workgroup_size(1)\nfn main() { nonsense(); }";
    refused(device.kernel(source(text)), invalid, &["bad.wgsl:2:", "nonsense"])?;
    // Directives are removed from the text, which must not change the line numbers of errors after them.
    let text = "enable subgroups;\n\n@compute @workgroup_size(1) fn main() { let y: u32 = 1.5; }";
    refused(device.kernel(source(text)), invalid, &["bad.wgsl:3:", "1.5"])?;
    for garbage in ["\0", "}{", "💥", "/* never closed", "@", "enable", "enable ;"] {
        refused(device.kernel(source(garbage)), invalid, &["bad.wgsl"])?;
    }
    Ok(())
}

async fn wgsl_that_is_not_valid(device: &Device) -> TestResult {
    let invalid = |error: &KernelError| matches!(error, KernelError::Invalid { .. });
    let text = "@group(0) @binding(0) var<uniform> data: array<f32, 4>;
        @compute @workgroup_size(1) fn main() { _ = data[0]; }";
    refused(device.kernel(text), invalid, &["source.rs:", "(inline WGSL) is not valid WGSL", "data"])?;
    let text = "@group(0) @binding(0) var<storage, read_write> a: u32;
        @group(0) @binding(0) var<storage, read_write> b: u32;
        @compute @workgroup_size(1) fn main() { a = b; }";
    refused(device.kernel(text), invalid, &["(inline WGSL) is not valid WGSL", "'a' and 'b' both have"])?;
    refused(
        device.kernel("@compute @workgroup_size(0) fn main() {}"),
        invalid,
        &["@workgroup_size(0, 1, 1)", "at least 1"],
    )
}

async fn no_compute_entry_point(device: &Device) -> TestResult {
    let none = |error: &KernelError| matches!(error, KernelError::NoEntryPoint { .. });
    let said = ["none.wgsl has no compute entry point", "@compute"];
    refused(device.kernel(Wgsl::new("").file("none.wgsl")), none, &said)?;
    refused(device.kernel(Wgsl::new("fn helper() {}").file("none.wgsl")), none, &said)?;
    let text = "@fragment fn shade() -> @location(0) vec4<f32> { return vec4(0.0); }";
    refused(device.kernel(Wgsl::new(text).file("none.wgsl")), none, &["none.wgsl", "shade (Fragment)"])
}

const TWO: &str = "@compute @workgroup_size(1) fn first() {} @compute @workgroup_size(1) fn second() {}";

async fn several_entry_points_without_a_choice(device: &Device) -> TestResult {
    let which = |error: &KernelError| matches!(error, KernelError::WhichEntryPoint { .. });
    refused(device.kernel(TWO), which, &["first, second", "Wgsl::entry"])
}

async fn unknown_entry_point(device: &Device) -> TestResult {
    let unknown = |error: &KernelError| matches!(error, KernelError::UnknownEntryPoint { .. });
    refused(device.kernel(Wgsl::new(TWO).entry("third")), unknown, &["'third'", "first, second"])?;
    refused(device.kernel(Wgsl::new(TWO).entry("")), unknown, &["first, second"])
}

const OVERRIDES: &str = "override needed: i32; override given: u32 = 1u; @id(7) override numbered: bool = true;
    @group(0) @binding(0) var<storage, read_write> out: array<i32>;
    @compute @workgroup_size(given) fn main() { out[0] = select(0, needed, numbered); }";

async fn unknown_override(device: &Device) -> TestResult {
    for name in ["size", "8", "", "Given"] {
        let unknown = |error: &KernelError| matches!(error, KernelError::UnknownOverride { name: n, .. } if n == name);
        let source = Wgsl::new(OVERRIDES).set_override("needed", 1.0).set_override(name, 1.0);
        refused(device.kernel(source), unknown, &[&format!("'{name}'"), "needed", "given"])?;
    }
    Ok(())
}

async fn override_without_a_value(device: &Device) -> TestResult {
    let missing = |error: &KernelError| matches!(error, KernelError::Override { .. });
    refused(device.kernel(OVERRIDES), missing, &["(inline WGSL):main", "needed"])
}

async fn override_that_does_not_fit(device: &Device) -> TestResult {
    let wrong = |error: &KernelError| matches!(error, KernelError::Override { .. } | KernelError::Invalid { .. });
    for value in [f64::NAN, f64::INFINITY, 1e20, 1.5] {
        refused(
            device.kernel(Wgsl::new(OVERRIDES).set_override("needed", value)),
            wrong,
            &["kernel", "'needed'", "an i32"],
        )?;
    }
    for (name, value, expected) in [("given", 0.5, "a u32"), ("numbered", 2.0, "a bool"), ("7", -1.0, "a bool")] {
        let source = Wgsl::new(OVERRIDES).set_override("needed", 1.0).set_override(name, value);
        refused(device.kernel(source), wrong, &[&format!("'{name}'"), expected])?;
    }
    for size in [-1.0, 0.0] {
        let source = Wgsl::new(OVERRIDES).set_override("needed", 1.0).set_override("given", size);
        refused(device.kernel(source), wrong, &["kernel"])?;
    }
    Ok(())
}

async fn textures(device: &Device) -> TestResult {
    let unsupported = |error: &KernelError| matches!(error, KernelError::Unsupported { .. });
    let text = "@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;\n\
        @group(0) @binding(1) var image: texture_2d<f32>;\n\
        @compute @workgroup_size(1) fn main() { out[0] = textureLoad(image, vec2(0, 0), 0); }";
    refused(device.kernel(Wgsl::new(text).file("image.wgsl")), unsupported, &["'image'", "texture", "image.wgsl:2:"])?;
    // A texture that the entry point does not use is no error.
    let text = text.replace("textureLoad(image, vec2(0, 0), 0)", "vec4(1.0)");
    equal(device.kernel(text)?.bindings().len(), 1, "bindings")
}

fn above_limit(error: &KernelError) -> bool {
    matches!(error, KernelError::AboveLimit { .. })
}

async fn too_much_workgroup_memory(device: &Device) -> TestResult {
    let limit = device.caps().limits.workgroup_storage;
    let source = |words| {
        format!(
            "var<workgroup> scratch: array<u32, {words}>;
             @group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(1) fn main() {{ scratch[out[0]] = 1u; out[0] = scratch[out[1]]; }}"
        )
    };
    let too_much = (limit / 4 + 4).to_string();
    let said = ["workgroup memory", &(limit + 16).to_string(), &limit.to_string()];
    refused(device.kernel(source(too_much)), above_limit, &said)?;
    if device.caps().backend == BackendKind::Dx12 {
        return Ok(()); // its compiler (FXC) unrolls the clearing: many minutes for 32 KiB
    }
    let mut out = device.buffer_from(&[0u32, 0])?;
    device.kernel(source((limit / 4).to_string()))?.launch().bind("out", &mut out).groups(1)?;
    equal(out.read_here().await?[0], 1, "all of the workgroup memory")
}

async fn too_many_invocations(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let (x, y) = (limits.workgroup_size[0], limits.workgroup_invocations / limits.workgroup_size[0] + 1);
    if y > limits.workgroup_size[1] {
        return fail("one dimension allows less than all invocations");
    }
    let text = format!("@compute @workgroup_size({x}, {y}) fn main() {{}}");
    let said = ["invocations", &(x * y).to_string(), &limits.workgroup_invocations.to_string()];
    refused(device.kernel(text), above_limit, &said)
}

async fn too_large_a_workgroup(device: &Device) -> TestResult {
    let [x, y, z] = device.caps().limits.workgroup_size;
    for (size, axis) in [([x + 1, 1, 1], "x"), ([1, y + 1, 1], "y"), ([1, 1, z + 1], "z")] {
        let text = format!("@compute @workgroup_size({}, {}, {}) fn main() {{}}", size[0], size[1], size[2]);
        let wanted = size.iter().max().map(u32::to_string).unwrap_or_default();
        refused(device.kernel(text), above_limit, &[&format!("workgroup size in {axis}"), &wanted])?;
    }
    Ok(())
}

async fn too_many_buffers(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    let kinds =
        [("storage, read_write", limits.storage_buffers, "storage"), ("uniform", limits.uniform_buffers, "uniform")];
    for (class, limit, what) in kinds {
        if limit > 4096 {
            continue;
        }
        let mut text = "@group(3) @binding(0) var<storage, read_write> out: array<u32>;".to_owned();
        (0..=limit).for_each(|n| text.push_str(&format!("@group(0) @binding({n}) var<{class}> b{n}: u32;\n")));
        text.push_str("@compute @workgroup_size(1) fn main() {\n");
        (0..=limit).for_each(|n| text.push_str(&format!("out[{n}] = b{n};\n")));
        text.push('}');
        refused(device.kernel(text), above_limit, &[&format!("{what} buffers"), &limit.to_string()])?;
    }
    Ok(())
}

async fn too_high_a_group_or_binding(device: &Device) -> TestResult {
    let limits = &device.caps().limits;
    for (group, binding, what) in
        [(limits.bind_groups, 0, "bind groups"), (0, limits.bindings_per_group, "bindings in a group")]
    {
        let text = format!(
            "@group({group}) @binding({binding}) var<storage, read_write> out: u32;
             @compute @workgroup_size(1) fn main() {{ out = 1u; }}"
        );
        // naga itself may refuse numbers far beyond the limits of any device.
        let is = |error: &KernelError| above_limit(error) || matches!(error, KernelError::Invalid { .. });
        let result = device.kernel(text);
        let words: &[&str] = if matches!(result, Err(KernelError::Invalid { .. })) { &[] } else { &[what] };
        refused(result, is, words)?;
    }
    Ok(())
}

async fn errors_are_classed(device: &Device) -> TestResult {
    use anywarp::{Error, ErrorClass};
    let class =
        |result: Result<_, KernelError>| result.map(|_: anywarp::Kernel| ()).map_err(|e| Error::from(e).class());
    equal(class(device.kernel("nonsense")), Err(ErrorClass::Programmer), "bad WGSL")?;
    let wide = device.caps().limits.workgroup_size[0] + 1;
    let text = format!("@compute @workgroup_size({wide}) fn main() {{}}");
    equal(class(device.kernel(text)), Err(ErrorClass::Resource), "too large a workgroup")
}
