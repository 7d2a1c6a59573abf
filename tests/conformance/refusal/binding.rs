//! Launches with bindings or values that do not fit.

use anywarp::{Device, Kernel, LaunchError, Submission};

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, refused, same, skip};

pub(crate) const CASES: &[Case] = cases![
    unknown_names,
    missing_bindings,
    missing_fields,
    bound_twice,
    paths_without_a_field,
    values_of_another_type,
    elements_of_another_type,
    struct_elements_of_another_layout,
    too_few_elements,
    bytes_that_do_not_divide,
    odd_numbers_of_halves,
    empty_buffers,
    shared_borrow_of_a_written_buffer,
    misaligned_offsets,
    slices_out_of_range,
    the_first_mistake_is_reported,
];

const SAXPY: &str = "
struct Params { a: f32, n: u32, w: array<vec4<f32>, 3> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.n { y[id.x] += params.a * x[id.x] + params.w[0].x; }
}";

fn saxpy(device: &Device) -> TestResult<Kernel> {
    Ok(device.kernel(anywarp::Wgsl::new(SAXPY).file("saxpy.wgsl"))?)
}

async fn unknown_names(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let data = device.buffer::<f32>(8)?;
    for key in ["z", "X", "", "0.3", "1.1", "0.", "-1.0", "x.y", "0.1.2"] {
        let unknown = |error: &LaunchError| matches!(error, LaunchError::UnknownBinding { key: k, .. } if k == key);
        let said = ["saxpy.wgsl:saxpy", &format!("'{key}'"), "params, x, y"];
        refused(kernel.launch().bind(key, &data).threads(8), unknown, &said)?;
    }
    Ok(())
}

async fn missing_bindings(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let missing = |error: &LaunchError| matches!(error, LaunchError::Missing { .. });
    let mut y = device.buffer::<f32>(8)?;
    refused(
        kernel.launch().threads(8),
        missing,
        &["saxpy.wgsl:saxpy", "x: array<f32>", "y: array<f32>", "params.a: f32"],
    )?;
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y);
    refused(launch.threads(8), missing, &["no argument for x: array<f32>"])
}

async fn missing_fields(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let missing = |error: &LaunchError| matches!(error, LaunchError::Missing { .. });
    let (x, mut y) = (device.buffer::<f32>(8)?, device.buffer::<f32>(8)?);
    let launch = kernel.launch().bind("x", &x).bind("y", &mut y).set("params.a", 1.0f32);
    refused(launch.threads(8), missing, &["params.n: u32", "params.w"])?;
    let launch = kernel.launch().bind("x", &x).bind("y", &mut y).set("params.a", 1.0f32).set("params.n", 8u32);
    let launch = launch.set("params.w[0]", [0.0f32; 4]).set("params.w[2]", [0.0f32; 4]);
    refused(launch.threads(8), missing, &["params.w"])?;
    let launch = kernel.launch().bind("x", &x).bind("y", &mut y).set("params.a", 1.0f32).set("params.n", 8u32);
    let launch = launch.set("params.w[0]", [1.0f32; 4]).set("params.w[2]", [0.0f32; 4]);
    launch.set("params.w[1]", [0.0f32; 4]).threads(8)?;
    same(&y.read_here().await?, &[1.0; 8], "with every element set")
}

async fn bound_twice(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let twice = |error: &LaunchError| matches!(error, LaunchError::BoundTwice { .. });
    let (x, z) = (device.buffer::<f32>(16)?, device.buffer::<f32>(16)?);
    refused(kernel.launch().bind("x", &x).bind("x", &z).threads(8), twice, &["'x' is given twice"])?;
    refused(kernel.launch().bind("x", &x).bind("0.1", &x).threads(8), twice, &["'x' is given twice"])?;
    let params = device.buffer::<u8>(64)?;
    let launch = kernel.launch().bind("params", &params).set("params.a", 1.0f32);
    refused(launch.threads(8), twice, &["'params' is given twice"])?;
    let launch = kernel.launch().set("params.a", 1.0f32).bind("params", &params);
    refused(launch.threads(8), twice, &["'params' is given twice"])
}

async fn paths_without_a_field(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let nowhere = [
        ("parms.a", "no uniform or immediate `parms`; the kernel has params"),
        ("x", "no uniform or immediate `x`"),
        ("params.b", "no field `params.b`; `params` has a, n, w"),
        ("params.a.x", "no field `params.a.x`; `params.a` is f32"),
        ("params.a[0]", "`params.a` is f32, not an array"),
        ("params.w[3]", "no element `params.w[3]`; `params.w` has 3 elements"),
        ("params.w[-1]", "`-1` in `params.w[-1]` is not an index"),
        ("params.w[99999999999]", "is not an index"),
        ("params.w[1", "`]` is missing in `params.w[1`"),
        ("params.w[1]x", "`x` after `params.w[1]`"),
        ("params.", "no field `params.`"),
        ("", "no uniform or immediate ``"),
    ];
    for (path, reason) in nowhere {
        let unknown = |error: &LaunchError| matches!(error, LaunchError::UnknownPath { path: p, .. } if p == path);
        refused(kernel.launch().set(path, 1.0f32).threads(8), unknown, &["saxpy.wgsl:saxpy", reason])?;
    }
    Ok(())
}

fn layout_of(binding: &'static str) -> impl Fn(&LaunchError) -> bool {
    move |error| matches!(error, LaunchError::Layout { binding: b, .. } if b == binding)
}

async fn values_of_another_type(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    refused(kernel.launch().set("params.a", 1u32).threads(8), layout_of("params.a"), &["'params.a'", "f32", "u32"])?;
    refused(kernel.launch().set("params.a", 1.0f64).threads(8), layout_of("params.a"), &["f64", "write 1.0f32"])?;
    refused(kernel.launch().set("params.n", -1i32).threads(8), layout_of("params.n"), &["u32", "i32"])?;
    refused(kernel.launch().set("params.w[1]", [1.0f32; 3]).threads(8), layout_of("params.w[1]"), &["vec4<f32>"])?;
    let wrong = layout_of("params");
    refused(kernel.launch().set_bytes("params", &[0; 63]).threads(8), &wrong, &["Params", "63 bytes"])?;
    refused(kernel.launch().set_bytes("params", &[]).threads(8), &wrong, &["Params", "0 bytes"])
}

async fn elements_of_another_type(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let with = |launch: Result<Submission, LaunchError>, name| {
        refused(
            launch,
            layout_of("x"),
            &["saxpy.wgsl:saxpy", "'x'", "array<f32>", "the WGSL type", "the argument", name],
        )
    };
    let (u, i, d) = (device.buffer::<u32>(8)?, device.buffer::<i32>(8)?, device.buffer::<f64>(8)?);
    let h = device.buffer::<anywarp::f16>(8)?;
    let mut y = device.buffer::<f32>(8)?;
    with(kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y).bind("x", &u).threads(8), "u32")?;
    with(kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y).bind("x", &i).threads(8), "i32")?;
    with(kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y).bind("x", &d).threads(8), "f64")?;
    with(kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y).bind("x", &h).threads(8), "f16")?;
    same(&y.read_here().await?, &[0.0; 8], "nothing has run")
}

#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Packed {
    mass: f32,
    position: [f32; 3],
}
anywarp::element!(Packed { mass, position });

async fn struct_elements_of_another_layout(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Particle { id: u32, position: vec3<f32>, mass: f32 }
         @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
         @compute @workgroup_size(1) fn main() { particles[0].mass = 1.0; }",
    )?;
    let mut packed = device.buffer::<Packed>(8)?;
    let said = ["Particle", "position: vec3<f32>", "at   16", "Packed", "position: [f32; 3]", "at    4"];
    refused(kernel.launch().bind("particles", &mut packed).groups(1), layout_of("particles"), &said)?;
    let mut floats = device.buffer::<f32>(64)?;
    refused(kernel.launch().bind("particles", &mut floats).groups(1), layout_of("particles"), &["Particle", "f32"])
}

fn length_of(binding: &'static str, got: u64) -> impl Fn(&LaunchError) -> bool {
    move |error| matches!(error, LaunchError::Length { binding: b, got: g, .. } if b == binding && *g == got)
}

async fn too_few_elements(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct List { count: u32, more: vec2<u32>, items: array<u32> }
         @group(0) @binding(0) var<storage, read_write> fixed: array<u32, 16>;
         @group(0) @binding(1) var<storage, read_write> list: List;
         @group(0) @binding(2) var<uniform> four: vec4<u32>;
         @compute @workgroup_size(1) fn main() { fixed[list.items[0]] = list.count + four.x; list.count = 1u; }",
    )?;
    let (mut few, mut enough) = (device.buffer::<u32>(15)?, device.buffer::<u32>(16)?);
    let (mut list, mut short) = (device.buffer::<u32>(6)?, device.buffer::<u32>(4)?);
    let launch = kernel.launch().set("four", [0u32; 4]).bind("fixed", &mut few).bind("list", &mut list);
    refused(launch.groups(1), length_of("fixed", 60), &["'fixed'", "60 bytes", "64 bytes"])?;
    let launch = kernel.launch().set("four", [0u32; 4]).bind("fixed", &mut enough).bind("list", &mut short);
    refused(launch.groups(1), length_of("list", 16), &["'list'", "16 bytes", "at least one element"])?;
    let three = device.buffer::<u32>(3)?;
    let launch = kernel.launch().bind("four", &three).bind("fixed", &mut enough).bind("list", &mut list);
    refused(launch.groups(1), length_of("four", 12), &["'four'", "12 bytes", "16 bytes"])
}

async fn bytes_that_do_not_divide(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
         @compute @workgroup_size(1) fn main() { points[0].x = 1.0; }",
    )?;
    let mut bytes = device.buffer::<u8>(40)?;
    let launch = kernel.launch().bind("points", &mut bytes);
    refused(launch.groups(1), length_of("points", 40), &["a multiple of 16 bytes", "vec4<f32>"])?;
    let mut floats = device.buffer::<f32>(18)?;
    refused(
        kernel.launch().bind("points", &mut floats).groups(1),
        length_of("points", 72),
        &["a multiple of 16 bytes"],
    )?;
    let kernel = device.kernel(
        "struct List { count: u32, points: array<vec2<u32>> }
         @group(0) @binding(0) var<storage, read_write> list: List;
         @compute @workgroup_size(1) fn main() { list.points[0].x = 1u; }",
    )?;
    let mut bytes = device.buffer::<u8>(8 + 8 * 3 + 4)?;
    let launch = kernel.launch().bind("list", bytes.slice_mut(..8 + 8 * 3 + 1)).groups(1);
    refused(launch, |error| matches!(error, LaunchError::Length { .. } | LaunchError::Slice { .. }), &["'list'"])
}

async fn odd_numbers_of_halves(device: &Device) -> TestResult {
    if !device.caps().feature_names().contains(&"f16") {
        return skip("the device has no f16");
    }
    let kernel = device.kernel(
        "enable f16;
         @group(0) @binding(0) var<storage, read_write> data: array<f16>;
         @compute @workgroup_size(1) fn main() { data[arrayLength(&data) - 1u] = 1.0h; }",
    )?;
    let mut data = device.buffer::<anywarp::f16>(5)?;
    refused(kernel.launch().bind("data", &mut data).groups(1), length_of("data", 10), &["multiples of 4", "padding"])?;
    let mut data = device.buffer::<anywarp::f16>(6)?;
    kernel.launch().bind("data", &mut data).groups(1)?;
    same(&data.read_here().await?[5..], &[anywarp::f16::ONE], "the last of an even number")
}

async fn empty_buffers(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let (mut empty, mut y) = (device.buffer::<f32>(0)?, device.buffer::<f32>(8)?);
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("y", &mut y).bind("x", &empty);
    refused(launch.threads(8), length_of("x", 0), &["'x'", "0 bytes", "at least one element"])?;
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("x", y.slice(8..)).bind("y", &mut empty);
    refused(launch.threads(8), length_of("x", 0), &["'x'", "0 bytes"])
}

async fn shared_borrow_of_a_written_buffer(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let (x, y) = (device.buffer::<f32>(8)?, device.buffer::<f32>(8)?);
    let shared = |error: &LaunchError| matches!(error, LaunchError::NotMutable { .. });
    let said = ["saxpy.wgsl:saxpy", "writes 'y'", "&mut"];
    let launch = || kernel.launch().set_bytes("params", &[0; 64]).bind("x", &x);
    refused(launch().bind("y", &y).threads(8), shared, &said)?;
    refused(launch().bind("y", y.slice(..)).threads(8), shared, &said)
}

async fn misaligned_offsets(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let alignment = device.caps().limits.storage_offset_alignment;
    if alignment <= 4 {
        return skip("the device binds at every element");
    }
    let mut y = device.buffer::<f32>(256)?;
    let x = device.buffer::<f32>(256)?;
    let offset = |error: &LaunchError| matches!(error, LaunchError::Offset { offset: 4, .. });
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("x", x.slice(1..)).bind("y", &mut y);
    refused(launch.threads(8), offset, &["'x'", "byte 4", &format!("multiples of {alignment}")])?;
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("x", &x).bind("y", y.slice_mut(1..));
    refused(launch.threads(8), offset, &["'y'", "byte 4"])
}

async fn slices_out_of_range(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let mut y = device.buffer::<f32>(8)?;
    let x = device.buffer::<f32>(8)?;
    let outside = |error: &LaunchError| matches!(error, LaunchError::Slice { .. });
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("x", x.slice(0..9)).bind("y", &mut y);
    refused(launch.threads(8), outside, &["'x'", "0..9", "8 elements"])?;
    let launch = kernel.launch().set_bytes("params", &[0; 64]).bind("x", &x).bind("y", y.slice_mut(0..9));
    refused(launch.threads(8), outside, &["'y'", "0..9", "8 elements"])
}

async fn the_first_mistake_is_reported(device: &Device) -> TestResult {
    let kernel = saxpy(device)?;
    let x = device.buffer::<u32>(8)?;
    let launch = kernel.launch().bind("nothing", &x).set("params.a", 1u32).bind("x", &x);
    refused(launch.threads(0), |error| matches!(error, LaunchError::UnknownBinding { .. }), &["'nothing'"])
}
