//! Values of uniforms and immediates, set by path.

use anywarp::{Device, Kernel, LaunchError, Wgsl};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, refused, same, skip};

pub(crate) const CASES: &[Case] = cases![
    fields_one_by_one,
    struct_at_once,
    bytes_at_once,
    nested_structs_and_arrays,
    matrices,
    what_is_not_read_needs_no_value,
    later_values_win,
    values_differ_from_launch_to_launch,
    several_uniforms,
    a_small_uniform,
    a_large_uniform,
    layouts_of_uniforms,
    immediates,
    immediates_and_uniforms,
];

const FIELDS: &str = "
struct Params { a: f32, b: u32, c: vec3<f32>, d: i32, e: vec2<u32> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 8>;
@compute @workgroup_size(1) fn main() {
    out = array<f32, 8>(params.a, f32(params.b), params.c.x, params.c.y, params.c.z, f32(params.d),
                        f32(params.e.x), f32(params.e.y));
}";
const FIELD_VALUES: [f32; 8] = [1.5, 2.0, 3.0, 4.0, 5.0, -6.0, 7.0, 8.0];

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
    a: f32,
    b: u32,
    gap: [u32; 2],
    c: [f32; 3],
    d: i32,
    e: [u32; 2],
    tail: [u32; 2],
}
anywarp::element!(Params { a, b, gap, c, d, e, tail });

const PARAMS: Params = Params { a: 1.5, b: 2, gap: [99; 2], c: [3.0, 4.0, 5.0], d: -6, e: [7, 8], tail: [99; 2] };

async fn fields_one_by_one(device: &Device) -> TestResult {
    let mut out = device.buffer::<f32>(8)?;
    let kernel = device.kernel(FIELDS)?;
    let launch = kernel.launch().set("params.e", [7u32, 8]).set("params.a", 1.5f32).set("params.d", -6i32);
    launch.set("params.c", [3.0f32, 4.0, 5.0]).set("params.b", 2u32).bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &FIELD_VALUES, "fields")
}

async fn struct_at_once(device: &Device) -> TestResult {
    let mut out = device.buffer::<f32>(8)?;
    device.kernel(FIELDS)?.launch().set("params", PARAMS).bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &FIELD_VALUES, "a struct")
}

async fn bytes_at_once(device: &Device) -> TestResult {
    let mut out = device.buffer::<f32>(8)?;
    let kernel = device.kernel(FIELDS)?;
    let launch = kernel.launch().set_bytes("params", bytemuck::bytes_of(&PARAMS));
    launch.set_bytes("params.d", &(-60i32).to_le_bytes()).bind("out", &mut out).groups(1)?;
    let mut wanted = FIELD_VALUES;
    wanted[5] = -60.0;
    same(&out.read_here().await?, &wanted, "bytes")
}

async fn nested_structs_and_arrays(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Inner { weight: f32, @align(16) points: array<vec4<f32>, 3> }
         struct Outer { scale: f32, inner: array<Inner, 2>, shift: vec2<f32> }
         @group(0) @binding(0) var<uniform> outer: Outer;
         @group(0) @binding(1) var<storage, read_write> out: array<f32>;
         @compute @workgroup_size(1) fn main() {
             out[0] = outer.scale;
             for (var i = 0u; i < 2u; i++) {
                 out[1u + i] = outer.inner[i].weight;
                 for (var j = 0u; j < 3u; j++) { out[3u + 3u * i + j] = outer.inner[i].points[j].w; }
             }
             out[9] = outer.shift.y;
         }",
    )?;
    let mut out = device.buffer::<f32>(10)?;
    let mut launch = kernel.launch().set("outer.scale", 0.5f32).set("outer.shift", [1.0f32, 9.0]);
    for (i, weight) in [10.0f32, 20.0].into_iter().enumerate() {
        launch = launch.set(&format!("outer.inner[{i}].weight"), weight);
        for j in 0..3 {
            let point = [0.0, 0.0, 0.0, weight + j as f32];
            launch = launch.set(&format!("outer.inner[{i}].points[{j}]"), point);
        }
    }
    launch.bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &[0.5, 10.0, 20.0, 10.0, 11.0, 12.0, 20.0, 21.0, 22.0, 9.0], "nested values")
}

async fn matrices(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Params { m: mat3x3<f32>, n: mat2x2<f32>, v: vec3<f32> }
         @group(0) @binding(0) var<uniform> params: Params;
         @group(0) @binding(1) var<storage, read_write> out: array<f32>;
         @compute @workgroup_size(1) fn main() {
             let w = params.m * params.v;
             let z = params.n * params.v.xy;
             out[0] = w.x; out[1] = w.y; out[2] = w.z; out[3] = z.x; out[4] = z.y;
         }",
    )?;
    let mut out = device.buffer::<f32>(5)?;
    // Matrices are stored by column; the columns of a mat3x3 are 16 bytes apart.
    let m = [[1.0f32, 2.0, 3.0, 99.0], [4.0, 5.0, 6.0, 99.0], [7.0, 8.0, 9.0, 99.0]];
    let launch = kernel.launch().set("params.m", m).set("params.n", [[1.0f32, 2.0], [3.0, 4.0]]);
    launch.set("params.v", [1.0f32, 10.0, 100.0]).bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &[741.0, 852.0, 963.0, 31.0, 42.0], "matrix times vector")
}

const ONE: &str = "
struct Params { a: u32, b: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[params.a] = params.b; }";

/// A module with two entry points that share a uniform: each needs only the members that it reads.
const SHARED: &str = "
struct Params { a: u32, b: u32, weights: array<vec4<u32>, 2>, c: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
fn second(all: ptr<function, Params>) -> u32 { return (*all).b; }
@compute @workgroup_size(1) fn one() { out[0] = params.a; }
@compute @workgroup_size(1) fn two() { let whole = params; out[1] = whole.b + whole.weights[1].y; }
@compute @workgroup_size(1) fn all() { var copy = params; out[2] = second(&copy); }";

async fn what_is_not_read_needs_no_value(device: &Device) -> TestResult {
    let mut out = device.buffer::<u32>(3)?;
    let kernel = |entry: &str| device.kernel(Wgsl::new(SHARED).entry(entry.to_owned()));
    let missing = |error: &LaunchError| matches!(error, LaunchError::Missing { .. });
    kernel("one")?.launch().set("params.a", 5u32).bind("out", &mut out).groups(1)?;
    let wrong = kernel("one")?.launch().set("params.b", 5u32).bind("out", &mut out).groups(1);
    refused(wrong, missing, &["no argument for params.a: u32;"])?;
    let two = kernel("two")?;
    let wrong = two.launch().set("params.b", 5u32).bind("out", &mut out).groups(1);
    refused(wrong, missing, &["no argument for params.weights: "])?;
    let weights = [[0u32; 4], [0, 2, 0, 0]];
    two.launch().set("params.b", 5u32).set("params.weights", weights).bind("out", &mut out).groups(1)?;
    // A copy of the whole struct reads every member.
    let wrong = kernel("all")?.launch().set("params.b", 5u32).bind("out", &mut out).groups(1);
    refused(wrong, missing, &["params.a: u32", "params.weights", "params.c: u32"])?;
    same(&out.read_here().await?, &[5, 7, 0], "the results")
}

async fn later_values_win(device: &Device) -> TestResult {
    let mut out = device.buffer::<u32>(2)?;
    let launch = device.kernel(ONE)?;
    let launch = launch.launch().set("params", [1u32, 5]).set("params.b", 6u32).set("params.b", 7u32);
    launch.bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &[0, 7], "the last value set")
}

/// Each launch has its own values, also when there are more launches than one submission holds.
async fn values_differ_from_launch_to_launch(device: &Device) -> TestResult {
    let kernel = device.kernel(ONE)?;
    let mut out = device.buffer::<u32>(1000)?;
    for n in 0..1000u32 {
        kernel.launch().set("params.a", n).set("params.b", 3 * n).bind("out", &mut out).groups(1)?;
    }
    same(&out.read_here().await?, &(0..1000).map(|n| 3 * n).collect::<Vec<u32>>(), "values")
}

async fn several_uniforms(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<uniform> first: vec3<u32>;
         @group(2) @binding(1) var<uniform> second: array<vec4<u32>, 2>;
         @group(1) @binding(5) var<uniform> third: u32;
         @group(1) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(1) fn main() {
             out[0] = first.z; out[1] = second[1].w; out[2] = third;
         }",
    )?;
    let mut out = device.buffer::<u32>(3)?;
    let launch = kernel.launch().set("third", 30u32).set("second", [[0u32, 0, 0, 0], [0, 0, 0, 20]]);
    launch.set("first", [0u32, 0, 10]).bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &[10, 20, 30], "three uniforms in three groups")
}

/// A uniform can be smaller than four bytes, the smallest size that devices read.
async fn a_small_uniform(device: &Device) -> TestResult {
    if !device.caps().feature_names().contains(&"f16") {
        return skip("the device has no f16");
    }
    let kernel = device.kernel(
        "enable f16;
         @group(0) @binding(0) var<uniform> small: f16;
         @group(0) @binding(1) var<uniform> other: f16;
         @group(0) @binding(2) var<storage, read_write> out: array<f32>;
         @compute @workgroup_size(1) fn main() { out[0] = f32(small); out[1] = f32(small * 2h) + f32(other); }",
    )?;
    let mut out = device.buffer::<f32>(2)?;
    let launch = kernel.launch().set("small", half::f16::from_f32(1.5)).set("other", half::f16::from_f32(0.25));
    launch.bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &[1.5, 3.25], "two bytes")
}

async fn a_large_uniform(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 1024>;
         @group(0) @binding(1) var<storage, read_write> out: array<vec4<u32>>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             out[id.x] = table[1023u - id.x];
         }",
    )?;
    let table: Vec<u32> = crate::suite::data::words(4096);
    let mut out = device.buffer::<[u32; 4]>(1024)?;
    for _ in 0..3 {
        let launch = kernel.launch().set_bytes("table", bytemuck::cast_slice(&table));
        launch.bind("out", &mut out).threads(1024)?;
    }
    let wanted: Vec<[u32; 4]> = table.as_chunks::<4>().0.iter().rev().copied().collect();
    same(&out.read_here().await?, &wanted, "16 KiB of uniform")
}

async fn layouts_of_uniforms(device: &Device) -> TestResult {
    let kernel = device.kernel(FIELDS)?;
    let told = |path: &str| kernel.layout_of(path).map(|layout| (layout.name, layout.size, layout.align));
    equal(told("params"), Some(("Params".to_owned(), 48, 16)), "params")?;
    equal(told("params.c"), Some(("vec3<f32>".to_owned(), 12, 16)), "params.c")?;
    equal(told("params.d"), Some(("i32".to_owned(), 4, 4)), "params.d")?;
    for nowhere in ["", "out", "params.x", "params.c[0]", "params[0]", "param"] {
        equal(told(nowhere), None, nowhere)?;
    }
    Ok(())
}

const IMMEDIATES: &str = "
struct Params { index: u32, value: f32, more: vec2<f32> }
var<immediate> now: Params;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main() { out[now.index] = now.value + now.more.y; }";

fn with_immediates(device: &Device, wgsl: &str) -> TestResult<Kernel> {
    if device.caps().limits.immediate_size < 32 || !device.caps().feature_names().contains(&"immediates") {
        return skip("the device has no immediates");
    }
    Ok(device.kernel(wgsl)?)
}

async fn immediates(device: &Device) -> TestResult {
    let kernel = with_immediates(device, IMMEDIATES)?;
    equal(kernel.immediate().map(|(name, _)| name.as_str()), Some("now"), "the immediate's name")?;
    let mut out = device.buffer::<f32>(300)?;
    for n in 0..300u32 {
        let launch = kernel.launch().set("now.index", n).set("now.value", n as f32);
        launch.set("now.more", [0.0f32, 0.5]).bind("out", &mut out).groups(1)?;
    }
    same(&out.read_here().await?, &(0..300).map(|n| n as f32 + 0.5).collect::<Vec<f32>>(), "immediates")
}

async fn immediates_and_uniforms(device: &Device) -> TestResult {
    let kernel = with_immediates(
        device,
        "var<immediate> index: u32;
         @group(0) @binding(0) var<uniform> value: u32;
         @group(0) @binding(1) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(1) fn main() { out[index] = value; }",
    )?;
    let mut out = device.buffer::<u32>(10)?;
    for n in 0..10u32 {
        kernel.launch().set("index", n).set("value", 100 + n).bind("out", &mut out).groups(1)?;
    }
    same(&out.read_here().await?, &(100..110).collect::<Vec<u32>>(), "both")
}
