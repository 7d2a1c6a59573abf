//! Kernels before and after optimisation.

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

#[test]
fn a_product_in_loops_becomes_straight_line_code() {
    let text = include_str!("product.wgsl");
    let made = optimised(text);
    let body = &made[made.find("fn main").expect("the entry point")..];
    assert!(!body.contains("array<"), "no array is left:\n{body}");
    assert_eq!(body.matches("var ").count(), 64 + 1, "64 sums and the counter of the tiles:\n{body}");
    assert_eq!(body.matches("loop {").count(), 1, "only the loop over tiles is left:\n{body}");
    assert_eq!(body.matches("sums_7_7_ = (").count(), 1, "each sum is written once a tile:\n{body}");
    assert_eq!(body.matches("= tile_a[").count(), 8 * 8, "each factor is read once:\n{body}");
}

/// Every complete kernel of the repository: files of WGSL, and strings in files of Rust.
fn corpus() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> =
        ["shaders", "tests", "benches", "examples", "src", "backends"].iter().map(|name| root.join(name)).collect();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            match path.extension().and_then(|extension| extension.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("wgsl") => texts.extend(std::fs::read_to_string(&path).map(|text| (name, text))),
                Some("rs") => {
                    let Ok(text) = std::fs::read_to_string(&path) else { continue };
                    for (number, text) in strings(&text).into_iter().enumerate() {
                        texts.push((format!("{name}#{number}"), text));
                    }
                }
                _ => {}
            }
        }
    }
    texts
}

/// The strings of a file of Rust that may be kernels.
fn strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let raw = rest[..start].ends_with("r#");
        let body = &rest[start + 1..];
        let end = if raw {
            body.find("\"#")
        } else {
            let mut escaped = false;
            body.find(|character| {
                let ends = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                ends
            })
        };
        let Some(end) = end else { break };
        if body[..end].contains("@compute") {
            let text = if raw { body[..end].to_owned() } else { body[..end].replace("\\n", "\n").replace("\\\n", "") };
            found.push(text);
        }
        rest = &body[end + 1..];
    }
    found
}

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
    for ((name, text), unrolling) in corpus().into_iter().flat_map(|kernel| unrolled.map(|how| (kernel.clone(), how))) {
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
fn passes_have_their_effect() {
    // A name, the kernel, and the parts that the optimised text must and must not contain.
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        (
            "constants fold, zero too",
            "var x = 7u; var z = 0u; x = x / z; out[0] = x % 4u + (1u << 2u);",
            &["out[0] = 7u;"],
            &["/"],
        ),
        ("neutral operands are removed", "let x = id.x; out[(x + 0u) * 1u] = (x | 0u) ^ 0u;", &["out[x] = x;"], &["+"]),
        ("masks of some bits stay", "out[0] = id.x & 6u;", &["& 6u"], &[]),
        ("masks of signed integers stay", "out[0] = u32(i32(id.x) & 2147483647i);", &["& 2147483647i"], &[]),
        ("masks of all bits are removed", "out[0] = u32(i32(id.x) & -1i) & 4294967295u;", &[], &["&"]),
        (
            "amounts of shifts are taken modulo the width",
            "var by = 33u; out[0] = id.x << by; out[1] = id.x >> (by - 1u);",
            &["<< 1u"],
            &["33u", ">>"],
        ),
        ("constants in sums are combined", "out[(id.x + 3u) + 4u] = 1u;", &["(id.x + 7u)"], &["3u"]),
        ("floats stay", "sums[0] = in[0] * 1.0 + 0.0;", &["* 1f", "+ 0f"], &[]),
        (
            "known branches are taken",
            "var a = 3u; if a > 2u { out[0] = a; } else { out[1] = a; }",
            &["out[0] = 3u;"],
            &["if", "out[1]"],
        ),
        (
            "known cases are taken",
            "var a = 2u; switch a { case 1u, 2u: { out[0] = 1u; } default: { out[1] = 1u; } }",
            &["out[0] = 1u;"],
            &["switch", "out[1]"],
        ),
        (
            "components of vectors are known",
            "let v = vec4(id.x, 2u, id.y, 4u); out[v.w] = v.zyx.y;",
            &["out[4] = 2u;"],
            &["vec4"],
        ),
        (
            "vectors of constant vectors are flat",
            "var a = 1u; for (var i = 0u; i < n; i++) { out[dot(vec3(PLACE, a), id)] = dot(vec4(vec2<u32>(), vec2(a)), id.xyzx); }",
            &["vec3<u32>(3u, 4u, 1u)", "vec4<u32>(0u, 0u, 1u, 1u)"],
            &[],
        ),
        ("variables forward", "var a = id.x; a = a * 2u; a = a + 1u; out[a] = a;", &["out[", "+ 1u)"], &["var a"]),
        (
            "variables do not forward past a branch that stores",
            "var a = 1u; if id.x > 5u { a = id.y; } out[0] = a;",
            &["out[0] = _e"],
            &["out[0] = 1u"],
        ),
        (
            "variables forward past a branch that returns",
            "var a = 1u; if id.x > 5u { a = 2u; return; } out[0] = a;",
            &["out[0] = 1u"],
            &["var a"],
        ),
        (
            "variables do not forward past a call that may store",
            "var a = 1u; change(&a); out[0] = a;",
            &["out[0] = _e"],
            &["out[0] = 1u"],
        ),
        (
            "variables do not forward into a loop that stores",
            "var a = 1u; for (var i = 0u; i < n; i++) { out[i] = a; a = i; }",
            &["out[_e"],
            &["= 1u;\n        out"],
        ),
        (
            "counted loops unroll",
            "for (var i = 0u; i < 4u; i++) { out[i * 2u] = i; }",
            &["out[0] = 0u;", "out[6] = 3u;"],
            &["loop"],
        ),
        (
            "loops that count down and test at the end unroll",
            "var i = 3; loop { out[i] = 1u; continuing { i--; break if i < 0; } }",
            &["out[3i] = 1u;", "out[0i] = 1u;"],
            &["loop"],
        ),
        ("loops of unknown length do not unroll", "for (var i = 0u; i < n; i++) { out[i] = i; }", &["loop"], &[]),
        (
            "loops with a break in an unknown branch do not unroll",
            "for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { break; } out[i] = i; }",
            &["loop"],
            &[],
        ),
        ("loops with many iterations do not unroll", "for (var i = 0u; i < 65u; i++) { out[i] = i; }", &["loop"], &[]),
        (
            "loops with a return unroll",
            "for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { return; } out[i] = i; }",
            &["out[3] = 3u;", "return"],
            &["loop"],
        ),
        (
            "long loops with a barrier do not unroll",
            "for (var i = 0u; i < 16u; i++) { out[i] = id.x * i + id.y; out[i + 20u] = id.x / (i + 2u); workgroupBarrier(); out[i + 50u] = out[i] * id.y; }",
            &["loop"],
            &[],
        ),
        (
            "loops whose iterations are all the same do not unroll",
            "var a = id.x; for (var i = 0u; i < 60u; i++) { a = a * 5u + id.y; a = a ^ (a >> 3u); } out[0] = a;",
            &["loop"],
            &[],
        ),
        (
            "elements of tables are known",
            "for (var i = 0u; i < 2u; i++) { for (var j = 0u; j < 2u; j++) { out[i * 2u + j] = TABLE[i][j]; } }",
            &["out[0] = 5u;", "out[3] = 8u;"],
            &["TABLE", "loop"],
        ),
        (
            "loops with a constant index out of range do not unroll",
            "var a: array<u32, 3>; for (var i = 0u; i < 4u; i++) { a[i] = in_range(i); } out[0] = a[1];",
            &["loop", "array<u32, 3>"],
            &[],
        ),
        (
            "continuing blocks load variables again",
            "var i = 0u; loop { if i >= n { break; } out[i] = 1u; continuing { i += 1u; } }",
            &["continuing {\n            let _e"],
            &[],
        ),
        (
            "loops with a continue unroll",
            "for (var i = 0u; i < 4u; i++) { if in[i] > 0.0 { out[5] = 1u; continue; } out[i] = i; }",
            &["out[3] = 3u;", "} else {"],
            &["loop", "continue"],
        ),
        (
            "arrays become variables",
            "var a: array<f32, 4>; for (var i = 0u; i < 4u; i++) { a[i] = in[i + id.x]; } for (var i = 0u; i < n; i++) { a[0] += a[3]; } sums[0] = a[0];",
            &["var a_0_: f32"],
            &["array<f32, 4>", "a_1_"],
        ),
        (
            "structs become variables",
            "var p = Pair(id.x, array<u32, 2>(1u, 2u)); for (var i = 0u; i < n; i++) { p.a += p.b[1]; } out[0] = p.a;",
            &["var p_a", "+ 2u"],
            &["Pair("],
        ),
        (
            "arrays with computed indices stay",
            "var a: array<u32, 4>; a[id.x & 3u] = 1u; out[0] = a[0];",
            &["array<u32, 4>"],
            &[],
        ),
        (
            "common expressions are shared",
            "out[0] = id.x * id.y + 1u; out[1] = id.x * id.y + 2u;",
            &["* id.y)"],
            &["* id.y) + 1u", "* id.y) + 2u"],
        ),
        ("loads are shared", "sums[1] = in[id.x] + in[id.x];", &["(_e"], &["in[id.x] + in"]),
        (
            "invariant expressions move out of loops",
            "for (var i = 0u; i < n; i++) { out[i] = id.x * id.y; }",
            &["(id.x * id.y)"],
            &["loop {\n        let _e8 = (id.x"],
        ),
        (
            "divisions by what may be zero do not move",
            "for (var i = 0u; i < n; i++) { if id.y > 0u { out[i] = (id.x / id.y) * (id.x / id.y) + (id.x % 5u) * (id.x % 5u); } }",
            &["= (id.x % 5u);\n    loop {"],
            &["(id.x / id.y);\n    loop", "(id.x / id.y);\n    let"],
        ),
        (
            "dead stores are removed",
            "var a = id.x; out[0] = a; a = 7u; a = id.y; out[1] = a; a = 9u;",
            &["out[1] = id.y"],
            &["9u", "7u"],
        ),
        (
            "crossed bounds of clamp, which WGSL cannot express as constants",
            "var z = 0u; out[0] = clamp(id.x, countLeadingZeros(z), 2u); out[1] = firstLeadingBit(z) << 3u;",
            &["out[0] = 2u", "out[1] = 4294967288u"],
            &["clamp", "<<"],
        ),
        ("empty branches are removed", "if id.x > 3u { var a = 1u; a = 2u; } out[0] = 1u;", &[], &["if"]),
    ];
    let mut failures = Vec::new();
    for (name, body, wanted, unwanted) in cases {
        let text = format!(
            "{START}struct Pair {{ a: u32, b: array<u32, 2> }}
            fn change(a: ptr<function, u32>) {{ *a = 2u; }}
            fn in_range(i: u32) -> u32 {{ return min(i, 3u); }}
            const PLACE = vec2<u32>(3u, 4u);
            const TABLE = array<array<u32, 2>, 2>(array<u32, 2>(5u, 6u), array<u32, 2>(7u, 8u));
            @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ {body} }}"
        );
        let made = optimised(&text);
        // naga writes constant indices of runtime-sized arrays in two ways.
        let made = made[made.find("fn main").unwrap_or(0)..].replace("u]", "]");
        for part in wanted.iter().filter(|part| !made.contains(**part)) {
            failures.push(format!("{name}: expected `{part}` in\n{made}"));
        }
        for part in unwanted.iter().filter(|part| made.contains(**part)) {
            failures.push(format!("{name}: unexpected `{part}` in\n{made}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
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
    // Only the inner loop indexes the array.
    let nearest = "var a: array<f32, 8>; for (var k = 0u; k < 8u; k++) { a[k] = in[k]; }
        for (var c = 0u; c < 16u; c++) { var d = 0.0;
            for (var k = 0u; k < 8u; k++) { d += a[k] * in[c * 8u + k]; } sums[c] = d; }";
    // The outer loop indexes rows of workgroup memory. Its body is long or short once the inner loop is unrolled.
    let product = |count: u32| {
        format!(
            "var a: array<f32, {count}>;
            for (var row = 0u; row < 8u; row++) {{
                for (var k = 0u; k < {count}u; k++) {{ a[k] += tile[row][k & 7u] * in[id.x + k]; }}
            }}
            sums[0] = a[1] + a[2];"
        )
    };
    // The index of the array also depends on the invocation.
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
    // The last byte of the last word is unknown.
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
