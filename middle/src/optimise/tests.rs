//! Tests that compare kernels before and after optimisation.

use anywarp_testing::kernel_texts::of_repository;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::*;
use crate::Unrolling;

pub(super) fn parse(text: &str) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let info = validate(&module).unwrap_or_else(|error| panic!("{error}"));
    (module, info)
}

pub(super) fn validate(module: &Module) -> Result<ModuleInfo, String> {
    Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).map_err(|error| format!("{error:?}"))
}

fn write(module: &Module, info: &ModuleInfo) -> String {
    naga::back::wgsl::write_string(module, info, naga::back::wgsl::WriterFlags::empty())
        .expect("the module can be written")
}

pub(super) fn optimised_for(text: &str, circumstances: &Circumstances) -> String {
    let (module, info) = parse(text);
    let made = optimise(&module, &info, circumstances).unwrap_or(module);
    let info = validate(&made).unwrap_or_else(|error| panic!("{error}\n{made:#?}"));
    write(&made, &info)
}

pub(super) fn optimised(text: &str) -> String {
    optimised_for(text, &Circumstances::default())
}

const START: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage> in: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
@group(0) @binding(3) var<storage, read_write> sums: array<f32>;
";

/// Whether each of naga's writers can write a module.
fn written(module: &Module, info: &ModuleInfo) -> [bool; 3] {
    use naga::back::{hlsl, msl, spv};
    let overridable = module.overrides.iter().any(|(_, constant)| constant.init.is_none());
    let options = naga::back::PipelineConstants::default();
    let Ok((module, info)) = naga::back::pipeline_constants::process_overrides(module, info, None, &options) else {
        return [false; 3];
    };
    if overridable {
        return [false; 3];
    }
    let spirv =
        || spv::write_vec(&module, &info, &spv::Options { lang_version: (1, 6), ..Default::default() }, None).is_ok();
    let metal = || {
        let options = msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..Default::default() };
        msl::write_string(&module, &info, &options, &msl::PipelineOptions::default()).is_ok()
    };
    let direct = || {
        let mut text = String::new();
        let options =
            hlsl::Options { shader_model: hlsl::ShaderModel::V6_2, fake_missing_bindings: true, ..Default::default() };
        let pipeline = hlsl::PipelineOptions::default();
        hlsl::Writer::new(&mut text, &options, &pipeline).write(&module, &info, None).is_ok()
    };
    let quiet =
        |write: &dyn Fn() -> bool| std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).unwrap_or(false);
    [quiet(&spirv), quiet(&metal), quiet(&direct)]
}

#[test]
fn every_kernel_stays_valid_and_can_be_written() {
    let (mut tried, mut changed) = (0, 0);
    let mut slowest = (std::time::Duration::ZERO, String::new());
    let mut failures = Vec::new();
    let unrolled = [Unrolling::Full, Unrolling::Selective, Unrolling::ByCompiler];
    for ((name, text), unrolling) in
        of_repository().into_iter().flat_map(|kernel| unrolled.map(|how| (kernel.clone(), how)))
    {
        let Ok(module) = naga::front::wgsl::parse_str(&text) else { continue };
        let Ok(info) = validate(&module) else { continue };
        let (name, known) = (format!("{name}, {unrolling:?}"), Circumstances { unrolling, ..Circumstances::default() });
        tried += 1;
        let mut made = None;
        let timed = (0..3).map(|_| {
            let start = std::time::Instant::now();
            made = optimise(&module, &info, &known);
            start.elapsed()
        });
        let taken = timed.min().unwrap_or_default();
        if taken > slowest.0 {
            slowest = (taken, format!("{name}, {} lines", text.lines().count()));
        }
        let Some(made) = made else { continue };
        changed += 1;
        let made_info = match validate(&made) {
            Ok(info) => info,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let (before, after) = (written(&module, &info), written(&made, &made_info));
        if before.iter().zip(&after).any(|(before, after)| *before && !after) {
            failures.push(format!("{name}: SPIR-V, MSL, HLSL: {before:?} before, {after:?} after"));
        }
        if let Some(again) = optimise(&made, &made_info, &known) {
            let again_info = validate(&again).unwrap_or_else(|error| panic!("{name}, twice: {error}"));
            let (once, twice) = (write(&made, &made_info), write(&again, &again_info));
            if once != twice {
                failures.push(format!("{name}: not stable\n{once}\n---\n{twice}"));
            }
        }
    }
    println!("{tried} kernels, {changed} changed; the slowest took {:?}: {}", slowest.0, slowest.1);
    assert!(failures.is_empty(), "{} of {tried}:\n{}", failures.len(), failures.join("\n"));
    assert!(tried > 300, "only {tried} kernels were found");
}

#[test]
fn each_kind_of_unrolling_unrolls_its_loops() {
    let loops = |body: &str, unrolling| {
        let text = format!(
            "{START}var<workgroup> tile: array<array<f32, 8>, 8>;
            @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        );
        let known = Circumstances { unrolling, ..Circumstances::default() };
        optimised_for(&text, &known).matches("loop {").count()
    };
    let sum = "for (var k = 0u; k < 64u; k++) { sums[0] += in[id.x * 64u + k] * in[k]; }";
    let halves =
        "for (var k = 8u; k > 0u; k /= 2u) { if id.x < k { sums[id.x] += sums[id.x + k]; } workgroupBarrier(); }";
    let own = "var a: array<f32, 8>; for (var k = 0u; k < 8u; k++) { a[k] = in[id.x + k]; } sums[0] = a[1] + a[5];";
    // In the second loop of this kernel, only the inner loop indexes the array.
    let nearest = "var a: array<f32, 8>; for (var k = 0u; k < 8u; k++) { a[k] = in[k]; }
        for (var c = 0u; c < 16u; c++) { var d = 0.0;
            for (var k = 0u; k < 8u; k++) { d += a[k] * in[c * 8u + k]; } sums[c] = d; }";
    // The outer loop indexes rows of workgroup memory. Once the inner loop is unrolled, the body of the outer loop is
    // long or short, depending on `count`.
    let product = |count: u32| {
        format!(
            "var a: array<f32, {count}>;
            for (var row = 0u; row < 8u; row++) {{
                for (var k = 0u; k < {count}u; k++) {{ a[k] += tile[row][k & 7u] * in[id.x + k]; }}
            }}
            sums[0] = a[1] + a[2];"
        )
    };
    // Here the index of the array depends on the invocation, too.
    let scattered = "var a: array<f32, 8>;
        for (var k = 0u; k < 8u; k++) { a[(k + id.x) & 7u] = in[id.x + k] * in[id.y + k] + in[k] * 3.0; } sums[0] = a[1];";
    let small = "for (var k = 0u; k < 3u; k++) { sums[k] = in[k]; }";
    let odd = "for (var k = 0u; k < 6u; k++) { if k % 4u == 3u { sums[k] = in[id.x] * in[id.y] + in[id.z]; } }";
    for (name, body, by_compiler, selective, full) in [
        ("a sum of buffers", sum, 1, 1, 0),
        ("a reduction with barriers", halves, 1, 1, 0),
        ("an array of the function", own, 0, 0, 0),
        ("an array in an inner loop", nearest, 1, 1, 0),
        ("workgroup memory in a long body", &product(48), 1, 0, 0),
        ("workgroup memory in a short body", &product(4), 1, 1, 0),
        ("an array with unknown indices", scattered, 1, 1, 0),
        ("few iterations", small, 1, 0, 0),
        ("iterations that do nothing", odd, 1, 0, 0),
    ] {
        let found =
            [Unrolling::ByCompiler, Unrolling::Selective, Unrolling::Full].map(|unrolling| loops(body, unrolling));
        assert_eq!(
            found,
            [by_compiler, selective, full],
            "loops that are left in {name}: by compiler, selective, full"
        );
    }
}

#[test]
fn values_known_for_all_launches_become_constants() {
    let text = "struct Sizes { rows: u32, scale: f32, corner: vec2<i32>, table: array<vec4<u32>, 2> }
        @group(0) @binding(0) var<uniform> sizes: Sizes;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @group(1) @binding(0) var<uniform> other: u32;
        @compute @workgroup_size(1) fn main() {
            let all = sizes;
            out[6] = all.rows + all.table[1].z;
            for (var i = 0u; i < sizes.rows; i++) { out[i] = sizes.table[i].y; }
            out[3] = u32(sizes.corner.y) + arrayLength(&out);
            out[4] = u32(sizes.scale);
            out[5] = other;
            out[7] = sizes.table[1].w;
        }";
    let words = [2u32, 1.5f32.to_bits(), 7, 9, 10, 11, 12, 13, 20, 21, 22, 23];
    // The last byte of the last word may differ between launches.
    let mut bytes: Vec<Option<u8>> = words.iter().flat_map(|word| word.to_le_bytes().map(Some)).collect();
    bytes[47] = None;
    let circumstances = Circumstances {
        uniforms: vec![(anywarp_backend::ResourceId { group: 0, binding: 0 }, bytes)],
        lengths: vec![(anywarp_backend::ResourceId { group: 0, binding: 1 }, 100)],
        ..Circumstances::default()
    };
    let made = optimised_for(text, &circumstances).replace("u]", "]");
    for part in ["out[0] = 11u;", "out[1] = 21u;", "out[3] = 109u;", "= other;", "out[6] = 24u;"] {
        assert!(made.contains(part), "no `{part}` in\n{made}");
    }
    for part in ["1.5", "out[7] = 23"] {
        assert!(!made.contains(part), "`{part}` in\n{made}");
    }
    let none = optimised(text);
    assert!(none.contains("loop"), "without circumstances the loop stays:\n{none}");
}

#[test]
fn large_functions_are_optimised_quickly() {
    let deep = (0..10_000).fold("id.x".to_owned(), |text, at| {
        if at % 50 == 49 { format!("{text};\nx = x") } else { format!("{text} + {at}u") }
    });
    let loops =
        (0..1_000).map(|at| format!("for (var i = 0u; i < n; i++) {{ out[i + {at}u] = i; }}\n")).collect::<String>();
    let counted =
        (0..1_000).map(|at| format!("for (var i = 0u; i < 9u; i++) {{ out[i + {at}u] = i; }}\n")).collect::<String>();
    let cases = (0..2_000).map(|at| format!("case {at}u: {{ x += {at}u; }}\n")).collect::<String>();
    let bodies = [
        ("sums", format!("var x = 0u; x = {deep}; out[0] = x;")),
        ("loops", loops),
        ("counted loops", counted),
        ("cases", format!("var x = id.x; switch id.y {{ {cases} default: {{}} }} out[0] = x;")),
    ];
    for (name, body) in bodies {
        let text = format!(
            "{START}@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        );
        let (module, info) = parse(&text);
        let start = std::time::Instant::now();
        let made = optimise(&module, &info, &Circumstances::default());
        let taken = start.elapsed();
        println!("{name}: {} expressions, {taken:?}", module.entry_points[0].function.expressions.len());
        if let Some(made) = &made {
            validate(made).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(taken.as_millis() < 2_000, "{name} took {taken:?}");
    }
}
