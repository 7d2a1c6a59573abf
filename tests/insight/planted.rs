//! Kernels with one planted defect each, and their twins without it: the inspector finds each defect at its line, and
//! nothing in the twins.

use anywarp::insight::{Model, Problem, Report, inspect};
use anywarp::{Device, Wgsl};

use super::micro::Micro;
use super::run;

/// A defect: its name, the problem, the globals, the body with the defect marked by `// here`, and the body without.
struct Planted {
    name: &'static str,
    problem: Problem,
    globals: &'static str,
    slow: &'static str,
    fast: &'static str,
}

const fn planted(
    name: &'static str,
    problem: Problem,
    globals: &'static str,
    slow: &'static str,
    fast: &'static str,
) -> Planted {
    Planted { name, problem, globals, slow, fast }
}

const TILE: &str = "var<workgroup> tile: array<u32, 1056>;";
const SUMS: &str = "var<workgroup> sums: array<atomic<u32>, 256>;";
const GLOBAL: &str = "@group(0) @binding(2) var<storage, read_write> z: array<atomic<u32>, 8192>;";
const TABLE: &str = "@group(0) @binding(2) var<storage, read> z: array<u32, 8192>;";
const STRUCTS: &str =
    "struct Body { position: vec4<u32>, speed: vec4<u32>, mass: u32 }\nvar<workgroup> bodies: array<Body, 256>;";

use Problem::{BankConflict, Checked, Contention, DivergentBranch, Scattered, UnevenLoop, UniformLoad};

/// In all bodies, `i` is the global and `t` the local index in workgroups of 256; `x` and `y` have 262,144 elements.
const DEFECTS: &[Planted] = &[
    planted("a column is read", Scattered, "", "y[i] = x[(i % 128u) * 1024u + i / 128u]; // here", "y[i] = x[i];"),
    planted("a column is written", Scattered, "", "y[(i % 512u) * 512u + i / 512u] = x[i]; // here", "y[i] = x[i];"),
    planted("every second element", Scattered, "", "y[i] = x[2u * i]; // here", "y[i] = x[i];"),
    planted("every 32nd element", Scattered, "", "y[i] = x[(i * 32u) % 262144u]; // here", "y[i] = x[i];"),
    planted("members side by side", Scattered, "", "y[i] = x[4u * i] // here\n;", "y[i] = x[i] + x[65536u + i];"),
    planted(
        "a run for each invocation",
        Scattered,
        "",
        "var sum = 0u;\n    for (var k = 0u; k < 16u; k++) {\n        sum += x[(i * 16u + k) % 262144u]; // here\n    }\n    y[i] = sum;",
        "var sum = 0u;\n    for (var k = 0u; k < 16u; k++) {\n        sum += x[(k * 65536u + i) % 262144u];\n    }\n    y[i] = sum;",
    ),
    planted(
        "results of a run",
        Scattered,
        "",
        "for (var k = 0u; k < 4u; k++) {\n        y[i * 4u + k] = x[i]; // here\n    }",
        "for (var k = 0u; k < 4u; k++) {\n        y[k * 65536u + i] = x[i];\n    }",
    ),
    planted("random places", Scattered, "", "y[i] = x[(i * 2654435761u) >> 14u]; // here", "y[i] = x[i ^ 7u];"),
    planted(
        "random places are written",
        Scattered,
        "",
        "y[(i * 2654435761u) >> 14u] = x[i]; // here",
        "y[i ^ 7u] = x[i];",
    ),
    planted(
        "a scattered read in a branch",
        Scattered,
        "",
        "if (t < 128u) {\n        y[i] = x[i * 3u]; // here\n    }",
        "if (t < 128u) {\n        y[i] = x[i];\n    }",
    ),
    planted(
        "a tile without padding",
        BankConflict,
        TILE,
        "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[(t % 32u) * 32u + t / 32u]; // here",
        "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[(t % 32u) * 33u + t / 32u];",
    ),
    planted(
        "a tile is filled by columns",
        BankConflict,
        TILE,
        "tile[(t % 32u) * 32u + t / 32u] = x[i]; // here\n    workgroupBarrier();\n    y[i] = tile[t];",
        "tile[(t % 32u) * 33u + t / 32u] = x[i];\n    workgroupBarrier();\n    y[i] = tile[t];",
    ),
    planted(
        "every second word",
        BankConflict,
        TILE,
        "tile[2u * t] = x[i]; // here\n    workgroupBarrier();\n    y[i] = tile[t];",
        "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[t + 1u];",
    ),
    planted(
        "every fourth word",
        BankConflict,
        TILE,
        "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[4u * t]; // here",
        "tile[t] = x[i];\n    workgroupBarrier();\n    y[i] = tile[3u * t];",
    ),
    planted(
        "structs of nine words",
        BankConflict,
        STRUCTS,
        "bodies[t].mass = x[i]; // here\n    workgroupBarrier();\n    y[i] = bodies[0].mass;",
        "bodies[0].mass = 1u;\n    workgroupBarrier();\n    y[i] = bodies[0].mass + x[i];",
    ),
    planted(
        "a reduction with growing strides",
        BankConflict,
        TILE,
        "tile[t] = x[i];\n    workgroupBarrier();\n    for (var s = 8u; s < 16u; s *= 2u) {\n        if (t < 256u / (2u * s)) {\n            let at = t * 2u * s;\n            tile[at] = s; // here\n        }\n        workgroupBarrier();\n    }\n    y[i] = tile[t];",
        "tile[t] = x[i];\n    workgroupBarrier();\n    for (var s = 128u; s >= 32u; s /= 2u) {\n        if (t < s) {\n            tile[t] = s;\n        }\n        workgroupBarrier();\n    }\n    y[i] = tile[t];",
    ),
    planted(
        "odd and even invocations",
        DivergentBranch,
        "",
        "var h = x[i];\n    if (t % 2u == 0u) { // here\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 1664525u + k;\n        }\n    } else {\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 22695477u + k;\n        }\n    }\n    y[i] = h;",
        "var h = x[i];\n    if ((t / 32u) % 2u == 0u) {\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 1664525u + k;\n        }\n    } else {\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 22695477u + k;\n        }\n    }\n    y[i] = h;",
    ),
    planted(
        "one invocation works",
        DivergentBranch,
        "",
        "var h = x[i];\n    if (t % 32u == 0u) { // here\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 1664525u + k;\n        }\n    }\n    y[i] = h;",
        "var h = x[i];\n    if (t < 32u) {\n        for (var k = 0u; k < 50u; k++) {\n            h = h * 1664525u + k;\n        }\n    }\n    y[i] = h;",
    ),
    planted(
        "a rare case",
        DivergentBranch,
        "",
        "var h = x[i];\n    if (i % 61u == 3u) { // here\n        for (var k = 0u; k < 80u; k++) {\n            h = h * 1664525u + k;\n        }\n    }\n    y[i] = h;",
        "let h = x[i];\n    y[i] = select(h, 7u * h, i % 61u == 3u);",
    ),
    planted(
        "a branch by the data",
        DivergentBranch,
        "",
        "var h = x[i];\n    if (((h * 2654435761u) >> 31u) == 1u) { // here\n        for (var k = 0u; k < 40u; k++) {\n            h = h * 1664525u + k;\n        }\n    }\n    y[i] = h;",
        "var h = x[i];\n    if (h < 262144u) {\n        for (var k = 0u; k < 40u; k++) {\n            h = h * 1664525u + k;\n        }\n    }\n    y[i] = h;",
    ),
    planted(
        "a switch by invocation",
        DivergentBranch,
        "",
        "var h = x[i];\n    if (t % 4u < 2u) { // here\n        h = h * 3u + 1u; h = h * h + 5u; h = h * h + 7u; h = h * h + 9u;\n    } else {\n        h = h * 5u + 1u; h = h * h + 3u; h = h * h + 11u; h = h * h + 13u;\n    }\n    y[i] = h;",
        "var h = x[i];\n    if (t < 128u) {\n        h = h * 3u + 1u; h = h * h + 5u; h = h * h + 7u; h = h * h + 9u;\n    } else {\n        h = h * 5u + 1u; h = h * h + 3u; h = h * h + 11u; h = h * h + 13u;\n    }\n    y[i] = h;",
    ),
    planted(
        "a loop as long as its invocation's number",
        UnevenLoop,
        "",
        "var h = x[i];\n    for (var k = 0u; k < t % 32u; k++) { // here\n        h = h * 1664525u + k;\n    }\n    y[i] = h;",
        "var h = x[i];\n    for (var k = 0u; k < t / 32u; k++) {\n        h = h * 1664525u + k;\n    }\n    y[i] = h;",
    ),
    planted(
        "a loop by the data",
        UnevenLoop,
        "",
        "var h = x[i];\n    let turns = (h * 2654435761u) >> 26u;\n    for (var k = 0u; k < turns; k++) { // here\n        h = h * 1664525u + k;\n    }\n    y[i] = h;",
        "var h = x[i];\n    let turns = ((i / 32u) * 2654435761u) >> 26u;\n    for (var k = 0u; k < turns; k++) {\n        h = h * 1664525u + k;\n    }\n    y[i] = h;",
    ),
    planted(
        "a search that ends early",
        UnevenLoop,
        "",
        "var at = 0u;\n    loop { // here\n        if (at * at >= t * 16u) { break; }\n        at += 1u;\n    }\n    y[i] = at + x[i];",
        "var at = 0u;\n    loop {\n        if (at * at >= (t / 32u) * 512u) { break; }\n        at += 1u;\n    }\n    y[i] = at + x[i];",
    ),
    planted(
        "halving until zero",
        UnevenLoop,
        "",
        "var h = x[i] % 977u;\n    var n = 0u;\n    while (h != 1u && n < 200u) { // here\n        h = select(h / 2u, 3u * h + 1u, h % 2u == 1u);\n        n += 1u;\n    }\n    y[i] = n;",
        "var h = x[i] % 977u;\n    var n = 0u;\n    while (n < 100u) {\n        h = select(h / 2u, 3u * h + 1u, h % 2u == 1u);\n        n += 1u;\n    }\n    y[i] = n + h;",
    ),
    planted(
        "one counter for all",
        Contention,
        GLOBAL,
        "atomicAdd(&z[0], x[i]); // here\n    y[i] = 1u;",
        "if (t == 0u) {\n        atomicAdd(&z[0], x[i]);\n    }\n    y[i] = 1u;",
    ),
    planted(
        "a counter for each workgroup",
        Contention,
        GLOBAL,
        "atomicAdd(&z[i / 256u], 1u); // here\n    y[i] = x[i];",
        "atomicAdd(&z[i % 8192u], 1u);\n    y[i] = x[i];",
    ),
    planted(
        "four bins",
        Contention,
        SUMS,
        "atomicAdd(&sums[x[i] % 4u], 1u); // here\n    workgroupBarrier();\n    y[i] = atomicLoad(&sums[t]);",
        "atomicAdd(&sums[x[i] % 256u], 1u);\n    workgroupBarrier();\n    y[i] = atomicLoad(&sums[t]);",
    ),
    planted(
        "the largest of all",
        Contention,
        SUMS,
        "atomicMax(&sums[0], x[i]); // here\n    workgroupBarrier();\n    y[i] = atomicLoad(&sums[t]);",
        "atomicMax(&sums[t], x[i]);\n    workgroupBarrier();\n    y[i] = atomicLoad(&sums[t]);",
    ),
    planted(
        "a flag for a warp",
        Contention,
        SUMS,
        "atomicOr(&sums[t / 32u], 1u << (t % 32u)); // here\n    workgroupBarrier();\n    y[i] = x[i];",
        "if (t % 32u == 0u) {\n        atomicOr(&sums[t / 32u], 1u);\n    }\n    workgroupBarrier();\n    y[i] = x[i];",
    ),
    planted(
        "a table that all read",
        UniformLoad,
        TABLE,
        "var sum = x[i];\n    for (var k = 0u; k < 16u; k++) {\n        sum = sum * 3u + z[k]; // here\n    }\n    y[i] = sum;",
        "var sum = x[i];\n    for (var k = 0u; k < 16u; k++) {\n        sum = sum * 3u + z[(k * 256u + t) % 8192u];\n    }\n    y[i] = sum;",
    ),
    planted(
        "one parameter again and again",
        UniformLoad,
        TABLE,
        "var sum = x[i];\n    let turns = (x[i] >> 31u) + 16u;\n    for (var k = 0u; k < turns; k++) {\n        sum = sum * z[k / 64u + 5u] + k; // here\n    }\n    y[i] = sum;",
        "var sum = x[i];\n    let turns = (x[i] >> 31u) + 16u;\n    let factor = z[5];\n    for (var k = 0u; k < turns; k++) {\n        sum = sum * factor + k;\n    }\n    y[i] = sum;",
    ),
    planted(
        "a row of weights",
        UniformLoad,
        TABLE,
        "var sum = 0u;\n    for (var k = 0u; k < 9u; k++) {\n        sum += x[i + k] * z[4000u + k]; // here\n    }\n    y[i] = sum;",
        "var sum = 0u;\n    for (var k = 0u; k < 9u; k++) {\n        sum += x[i + k] * z[(i / 256u) * 9u + k];\n    }\n    y[i] = sum;",
    ),
    planted(
        "a chain of indices",
        Checked,
        "",
        "var at = i;\n    for (var k = 0u; k < 16u; k++) {\n        at = x[at]; // here\n    }\n    y[i] = at;",
        "var at = i;\n    for (var k = 0u; k < 16u; k++) {\n        if (at < arrayLength(&x)) {\n            at = x[at];\n        }\n    }\n    y[i] = at;",
    ),
    planted(
        "a table of bins by the data",
        Checked,
        TABLE,
        "var sum = 0u;\n    for (var k = 0u; k < 16u; k++) {\n        sum += z[x[i] + k]; // here\n    }\n    y[i] = sum;",
        "var sum = 0u;\n    for (var k = 0u; k < 16u; k++) {\n        sum += z[(x[i] + k) % 8192u];\n    }\n    y[i] = sum;",
    ),
];

fn micro(name: &str, globals: &str, body: &str) -> Micro {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
{globals}
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) t: u32) {{
    let i = id.x;
    {body}
}}
"
    );
    Micro { name: name.into(), source, groups: 256, input: 1 << 18, output: 1 << 18 }
}

fn report(device: &Device, micro: &Micro) -> Report {
    let mut report = inspect(&run(device, micro), &Model::default());
    report.add_source(&Wgsl::new(&*micro.source), device.caps()).unwrap();
    report
}

/// The lines and problems that the inspector finds.
fn found(device: &Device, micro: &Micro) -> Vec<(u32, Problem)> {
    report(device, micro).findings.iter().map(|finding| (finding.at.line, finding.problem)).collect()
}

#[test]
fn every_planted_defect_is_found_and_its_twin_is_clean() {
    let device = Device::open("cpu:observed").unwrap();
    let mut wrong = Vec::new();
    for planted in DEFECTS {
        let slow = micro(planted.name, planted.globals, planted.slow);
        let line = 1 + slow.source.lines().position(|line| line.contains("// here")).unwrap() as u32;
        let said = found(&device, &slow);
        if said.first() != Some(&(line, planted.problem)) {
            wrong
                .push(format!("{}: expected {:?} at line {line} first, found {said:?}", planted.name, planted.problem));
        }
        let said = found(&device, &micro(planted.name, planted.globals, planted.fast));
        if !said.is_empty() {
            wrong.push(format!("{}: its twin has no defect, found {said:?}", planted.name));
        }
    }
    assert!(DEFECTS.len() >= 35);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), DEFECTS.len(), wrong.join("\n"));
}

/// Kernels whose first finding has a mechanical fix: the name, the problem, and the text. They read `x` and write `y`,
/// both with 262,144 elements, in 512 x 512 invocations.
const MECHANICAL: [(&str, Problem, &str); 3] = [
    (
        "indices the wrong way round",
        Scattered,
        "@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= 512u || id.y >= 512u) { return; }
    y[id.x * 512u + id.y] = 3u * x[id.x * 512u + id.y];
}",
    ),
    (
        "a tile of rows",
        BankConflict,
        "var<workgroup> tile: array<array<u32, 32>, 32>;
@compute @workgroup_size(32, 32)
fn main(@builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    tile[at.y][at.x] = x[(w.y * 32u + at.y) * 512u + w.x * 32u + at.x];
    workgroupBarrier();
    y[(w.x * 32u + at.y) * 512u + w.y * 32u + at.x] = tile[at.x][at.y];
}",
    ),
    (
        "a tile of one dimension",
        BankConflict,
        "var<workgroup> tile: array<u32, 1024>; // 32 rows
@compute @workgroup_size(32, 32)
fn main(@builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    tile[at.y * 32u + at.x] = x[(w.y * 32u + at.y) * 512u + w.x * 32u + at.x];
    workgroupBarrier();
    y[(w.x * 32u + at.y) * 512u + w.y * 32u + at.x] = tile[at.x * 32u + at.y];
}",
    ),
];

/// Runs a kernel of 512 x 512 invocations; returns its output and its report.
fn square(device: &Device, source: &str) -> (Vec<u32>, Report) {
    let wgsl = Wgsl::new(source);
    let kernel = device.kernel(wgsl.clone()).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let x: Vec<u32> = (0..512 * 512u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let x = device.buffer_from(&x).unwrap();
    let mut y = device.buffer_from(&vec![0u32; 512 * 512]).unwrap();
    kernel.launch().bind("x", &x).bind("y", &mut y).threads([512, 512]).unwrap();
    let output = y.read().unwrap().to_vec();
    let mut report = inspect(&device.observations(), &Model::default());
    report.add_source(&wgsl, device.caps()).unwrap();
    (output, report)
}

#[test]
fn changed_lines_compile_and_remove_the_finding() {
    let device = Device::open("cpu:observed").unwrap();
    for (name, problem, text) in MECHANICAL {
        let source = format!(
            "@group(0) @binding(0) var<storage, read> x: array<u32>;\n\
             @group(0) @binding(1) var<storage, read_write> y: array<u32>;\n{text}\n"
        );
        let (before, report) = square(&device, &source);
        let finding = report.findings.first().unwrap_or_else(|| panic!("{name}: nothing found"));
        assert_eq!(finding.problem, problem, "{name}: {report}");
        assert!(!finding.changes.is_empty(), "{name}: {report}");
        let mut lines: Vec<&str> = source.lines().collect();
        for change in &finding.changes {
            assert!(report.to_string().contains(&format!(" {} ~ {}", change.line, change.text)), "{name}: {report}");
            lines[change.line as usize - 1] = &change.text;
        }
        let (after, fixed) = square(&device, &lines.join("\n"));
        assert!(fixed.findings.is_empty(), "{name}: {fixed}");
        assert!(before == after && before.iter().any(|value| *value != 0), "{name}: other results");
    }
}
