//! Bindings of buffers to every class of variable, at every position.

use anywarp::backend::{Access, BindingClass};
use anywarp::{Device, Wgsl};

use crate::suite::case::{Case, cases};
use crate::suite::data::{SIZES, floats, words};
use crate::suite::portable_waits::{ReadHere, WriteHere};
use crate::suite::tolerance;
use anywarp_testing_devices::outcome::{Context, TestResult, close, equal, same};

pub(crate) const CASES: &[Case] = cases![
    saxpy,
    saxpy_large = |device| saxpy_of(device, (1 << 20) + 7),
    every_class,
    reflection,
    only_what_the_entry_point_uses,
    group_and_binding_gaps,
    bound_by_number,
    uniform_from_a_buffer,
    one_buffer_read_twice,
    unsized_array_at_the_end_of_a_struct,
    raw_bytes,
    struct_elements,
    alignments_by_attributes,
    partial_elements,
    vec3_elements_have_padding,
    as_many_buffers_as_allowed,
    out_of_range_is_harmless,
];

const SAXPY: &str = "
struct Params { a: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] += params.a * x[id.x]; }
}";

async fn saxpy(device: &Device) -> TestResult {
    for &size in SIZES {
        saxpy_of(device, size).await.context(|| format!("{size} elements"))?;
    }
    Ok(())
}

async fn saxpy_of(device: &Device, size: usize) -> TestResult {
    let kernel = device.kernel(Wgsl::new(SAXPY).file("saxpy.wgsl"))?;
    equal((kernel.name(), kernel.entry_point()), ("saxpy.wgsl:saxpy", "saxpy"), "names")?;
    equal(kernel.workgroup_size(), [64, 1, 1], "workgroup size")?;
    let mut data = floats(2 * size);
    let host_y = data.split_off(size);
    let x = device.buffer_from(&data)?;
    let mut y = device.buffer_from(&host_y)?;
    kernel.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(size)?;
    let wanted: Vec<f32> = data.iter().zip(&host_y).map(|(x, y)| 3.0 * x + y).collect();
    close(&y.read_here().await?, &wanted, tolerance::MULTIPLY_ADD, "a * x + y")?;
    same(&x.read_here().await?, &data, "x")
}

/// A struct with an `@align` at a member, in every place where its alignment counts.
const ALIGNED: &str = "
const EDGE = 32;
struct Inner { @align(EDGE) value: u32 }
struct Outer { first: u32, inner: Inner, after: array<Inner, 2> }
@group(0) @binding(0) var<storage, read_write> outers: array<Outer>;
@group(0) @binding(1) var<uniform> shared_by_all: Outer;
@group(0) @binding(2) var<storage, read_write> copied: Outer;
var<workgroup> local: Outer;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < arrayLength(&outers); i++) {
        outers[i].first += 1u;
        outers[i].inner.value += 2u;
        outers[i].after[0].value += 3u;
        outers[i].after[1].value += 4u;
    }
    local = shared_by_all;
    local.first += 1u;
    copied = local;
}";

async fn alignments_by_attributes(device: &Device) -> TestResult {
    let kernel = device.kernel(ALIGNED)?;
    let layout = |path: &str| kernel.layout_of(path).map(|layout| layout.size);
    equal(layout("shared_by_all"), Some(128), "the size of `Outer`")?;
    let values: Vec<u32> = (0..64).collect();
    let mut outers = device.buffer_from(bytemuck::cast_slice::<u32, u8>(&values))?;
    let mut copied = device.buffer::<u8>(128)?;
    kernel
        .launch()
        .set("shared_by_all.first", 5u32)
        .set("shared_by_all.inner.value", 6u32)
        .set("shared_by_all.after[0].value", 7u32)
        .set("shared_by_all.after[1].value", 8u32)
        .bind("outers", &mut outers)
        .bind("copied", &mut copied)
        .groups(1)?;
    let at =
        |index: u32| [0, 8, 16, 24].iter().position(|word| *word == index % 32).map_or(0, |member| member as u32 + 1);
    let wanted: Vec<u32> = values.iter().map(|value| value + at(*value)).collect();
    let words = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, u32>(bytes);
    same(&words(&outers.read_here().await?), &wanted, "the elements")?;
    let copied = words(&copied.read_here().await?);
    same(&[copied[0], copied[8], copied[16], copied[24]], &[6, 6, 7, 8], "the copy of the uniform")
}

async fn partial_elements(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct List { head: u32, points: array<vec4<f32>> }
         @group(0) @binding(0) var<storage, read_write> points: array<vec4<f32>>;
         @group(0) @binding(1) var<storage, read_write> list: List;
         @group(0) @binding(2) var<storage, read_write> counts: array<u32>;
         @compute @workgroup_size(1) fn main(@builtin(num_workgroups) groups: vec3<u32>) {
             counts[0] = arrayLength(&points);
             counts[1] = arrayLength(&list.points);
             let index = 1u + groups.x;
             points[index] = vec4(1.0);
             list.points[index] = vec4(1.0);
         }",
    )?;
    let mut points = device.buffer::<u8>(2 * 16 + 12)?;
    let mut list = device.buffer::<u8>(16 + 2 * 16 + 4)?;
    let mut counts = device.buffer::<u32>(2)?;
    let launch = kernel.launch().bind("points", &mut points).bind("list", &mut list).bind("counts", &mut counts);
    launch.partial_elements().groups(1)?;
    same(&counts.read_here().await?, &[2, 2], "the lengths")?;
    same(&points.read_here().await?[32..], &[0; 12], "the remainder of the array")?;
    same(&list.read_here().await?[48..], &[0; 4], "the remainder of the list")
}

const CLASSES: &str = "
struct Factor { value: u32 }
@group(0) @binding(0) var<uniform> factor: Factor;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> output: array<u32>;
@group(0) @binding(4) var<storage, read_write> total: atomic<u32>;
@group(0) @binding(5) var<storage, read_write> unused: array<u32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&output) { return; }
    output[id.x] = input[id.x] * factor.value + offsets[id.x];
    atomicAdd(&total, output[id.x]);
}";

async fn every_class(device: &Device) -> TestResult {
    let kernel = device.kernel(CLASSES)?;
    let input = device.buffer_from(&words(100))?;
    // The variable is declared `read_write` but only read, so a shared borrow is enough.
    let offsets = device.buffer_from(&words(200)[100..])?;
    let mut output = device.buffer::<u32>(100)?;
    let mut total = device.buffer_from(&[5u32])?;
    let launch = kernel.launch().set("factor", 3u32).bind("input", &input).bind("offsets", &offsets);
    launch.bind("output", &mut output).bind("total", &mut total).threads(100)?;
    let all = words(200);
    let wanted: Vec<u32> = (0..100).map(|n| all[n].wrapping_mul(3).wrapping_add(all[100 + n])).collect();
    same(&output.read_here().await?, &wanted, "output")?;
    equal(total.read_here().await?[0], wanted.iter().fold(5, |sum, value| sum.wrapping_add(*value)), "total")
}

async fn reflection(device: &Device) -> TestResult {
    let kernel = device.kernel(CLASSES)?;
    let told: Vec<_> = kernel
        .bindings()
        .iter()
        .map(|info| (info.name.as_str(), info.resource.binding, info.class, info.access, info.layout.name.as_str()))
        .collect();
    let wanted = vec![
        ("factor", 0, BindingClass::Uniform, Access::Read, "Factor"),
        ("input", 1, BindingClass::ReadOnlyStorage, Access::Read, "array<u32>"),
        ("offsets", 2, BindingClass::Storage, Access::Read, "array<u32>"),
        ("output", 3, BindingClass::Storage, Access::Write, "array<u32>"),
        ("total", 4, BindingClass::Storage, Access::Write, "atomic<u32>"),
    ];
    equal(told, wanted, "bindings")?;
    equal(kernel.immediate().is_none(), true, "there are no immediates")
}

const TWO_ENTRY_POINTS: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn first() { a[0] = 1u; }
@compute @workgroup_size(1) fn second() { b[0] = 2u; }
fn helper() { a[0] = 3u; }
@compute @workgroup_size(1) fn third() { helper(); }";

async fn only_what_the_entry_point_uses(device: &Device) -> TestResult {
    for (entry, binding, wanted) in [("first", "a", 1u32), ("second", "b", 2), ("third", "a", 3)] {
        let kernel = device.kernel(Wgsl::new(TWO_ENTRY_POINTS).entry(entry))?;
        equal(kernel.entry_point(), entry, "entry point")?;
        equal(kernel.bindings().len(), 1, "bindings")?;
        let mut buffer = device.buffer::<u32>(1)?;
        kernel.launch().bind(binding, &mut buffer).groups(1)?;
        equal(buffer.read_here().await?[0], wanted, entry)?;
    }
    Ok(())
}

const GAPS: &str = "
@group(1) @binding(7) var<storage, read_write> late: array<u32>;
@group(3) @binding(2) var<storage, read> later: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { late[id.x] = later[id.x] + 1u; }";

async fn group_and_binding_gaps(device: &Device) -> TestResult {
    let later = device.buffer_from(&words(10))?;
    let mut late = device.buffer::<u32>(10)?;
    device.kernel(GAPS)?.launch().bind("later", &later).bind("late", &mut late).groups(10)?;
    let wanted: Vec<u32> = words(10).iter().map(|value| value.wrapping_add(1)).collect();
    same(&late.read_here().await?, &wanted, "groups 1 and 3, bindings 7 and 2")?;
    let kernel = device.kernel(
        "@group(1) @binding(7) var<storage, read_write> late: array<u32>;
         @compute @workgroup_size(1) fn main() { late[0] = 9u; }",
    )?;
    kernel.launch().bind("late", &mut late).groups(1)?;
    equal(late.read_here().await?[0], 9, "group 1 alone")
}

async fn bound_by_number(device: &Device) -> TestResult {
    let later = device.buffer_from(&words(10))?;
    let mut late = device.buffer::<u32>(10)?;
    device.kernel(GAPS)?.launch().bind("3.2", &later).bind("1.7", &mut late).groups(10)?;
    equal(late.read_here().await?[9], words(10)[9].wrapping_add(1), "bound as group.binding")
}

async fn uniform_from_a_buffer(device: &Device) -> TestResult {
    let step = device.caps().limits.uniform_offset_alignment as usize / 4;
    let mut factors = device.buffer_from(&vec![2.0f32; step + 1])?;
    factors.slice_mut(step..).copy_from_slice_here(&[5.0]).await?;
    let x = device.buffer_from(&[1.0f32; 64])?;
    let mut y = device.buffer_from(&[1.0f32; 64])?;
    let kernel = device.kernel(SAXPY)?;
    kernel.launch().bind("params", &factors).bind("x", &x).bind("y", &mut y).threads(64)?;
    kernel.launch().bind("params", factors.slice(step..)).bind("x", &x).bind("y", &mut y).threads(64)?;
    same(&y.read_here().await?, &[8.0; 64], "1 + 2 + 5")
}

async fn one_buffer_read_twice(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
         @group(0) @binding(1) var<storage, read> b: array<u32>;
         @group(0) @binding(2) var<storage, read_write> c: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < arrayLength(&c) { c[id.x] = a[id.x] + b[arrayLength(&b) - 1u - id.x]; }
         }",
    )?;
    let input = device.buffer_from(&words(77))?;
    let mut output = device.buffer::<u32>(77)?;
    kernel.launch().bind("a", &input).bind("b", &input).bind("c", &mut output).threads(77)?;
    let wanted: Vec<u32> = (0..77).map(|n| words(77)[n].wrapping_add(words(77)[76 - n])).collect();
    same(&output.read_here().await?, &wanted, "a + reversed a")
}

async fn unsized_array_at_the_end_of_a_struct(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct List { count: atomic<u32>, capacity: u32, items: array<u32> }
         @group(0) @binding(0) var<storage, read_write> list: List;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x >= arrayLength(&list.items) { return; }
             list.items[id.x] = list.capacity + id.x;
             atomicAdd(&list.count, 1u);
         }",
    )?;
    let mut list = device.buffer_from(&[0u32; 2 + 100])?;
    list.slice_mut(1..2).copy_from_slice_here(&[1000]).await?;
    kernel.launch().bind("list", &mut list).threads(128)?;
    let host = list.read_here().await?;
    equal(host[0], 100, "the length that the kernel sees")?;
    same(&host[2..], &(1000..1100).collect::<Vec<u32>>(), "items")
}

async fn raw_bytes(device: &Device) -> TestResult {
    let kernel = device.kernel(SAXPY)?;
    let mut x = device.buffer_from::<u8>(bytemuck::cast_slice(&[2.0f32; 64]))?;
    let mut y = device.buffer_from::<u8>(bytemuck::cast_slice(&[1.0f32; 64]))?;
    kernel.launch().bind("x", &mut x).bind("y", &mut y).set("params.a", 2.0f32).threads(64)?;
    kernel.launch().bind("x", &x).bind("y", &mut y).set("params.a", 0.5f32).threads(64)?;
    same(&y.read_here().await?, bytemuck::cast_slice(&[6.0f32; 64]), "1 + 4 + 1, as bytes")
}

#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Particle {
    position: [f32; 3],
    mass: f32,
    velocity: [f32; 3],
    id: u32,
}
anywarp::element!(Particle { position, mass, velocity, id });

async fn struct_elements(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Particle { position: vec3<f32>, mass: f32, velocity: vec3<f32>, id: u32 }
         @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x >= arrayLength(&particles) { return; }
             let p = particles[id.x];
             particles[id.x].position = p.position + p.velocity * 2.0;
             particles[id.x].mass = f32(p.id);
         }",
    )?;
    let particle = |n: u32| Particle { position: [n as f32, 0.0, 1.0], mass: 0.0, velocity: [1.0, 2.0, 3.0], id: n };
    let mut particles = device.buffer_from(&(0..65).map(particle).collect::<Vec<_>>())?;
    kernel.launch().bind("particles", &mut particles).threads(65)?;
    let moved = |n: u32| Particle { position: [n as f32 + 2.0, 4.0, 7.0], mass: n as f32, ..particle(n) };
    same(&particles.read_here().await?, &(0..65).map(moved).collect::<Vec<_>>(), "particles")
}

async fn vec3_elements_have_padding(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> points: array<vec3<f32>>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < arrayLength(&points) { points[id.x] *= 2.0; }
         }",
    )?;
    let mut points = device.buffer_from(&(0..10).map(|n| [n as f32, 1.0, 2.0, 0.0]).collect::<Vec<_>>())?;
    kernel.launch().bind("points", &mut points).threads(10)?;
    let wanted: Vec<[f32; 3]> = (0..10).map(|n| [2.0 * n as f32, 2.0, 4.0]).collect();
    let got: Vec<[f32; 3]> = points.read_here().await?.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
    same(&got, &wanted, "three of four components")
}

async fn as_many_buffers_as_allowed(device: &Device) -> TestResult {
    let count = device.caps().limits.storage_buffers.min(32);
    let declare = |n| format!("@group(0) @binding({n}) var<storage, read_write> b{n}: array<u32>;\n");
    let mut text: String = (0..count).map(declare).collect();
    text.push_str("@compute @workgroup_size(1) fn main() {\n");
    (0..count).for_each(|n| text.push_str(&format!("b{n}[0] += {n}u;\n")));
    text.push('}');
    let kernel = device.kernel(&text)?;
    let mut buffers = Vec::new();
    for n in 0..count {
        buffers.push(device.buffer_from(&[100 * n])?);
    }
    let names: Vec<String> = (0..count).map(|n| format!("b{n}")).collect();
    let bound =
        names.iter().zip(&mut buffers).fold(kernel.launch(), |launch, (name, buffer)| launch.bind(name, buffer));
    bound.groups(1)?;
    for (n, buffer) in (0..count).zip(&buffers) {
        equal(buffer.read_here().await?[0], 101 * n, "one of many buffers")?;
    }
    Ok(())
}

/// An access out of range touches an element of the same binding, or none, as WGSL requires.
async fn out_of_range_is_harmless(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             data[id.x * 1000003u + 64u] = 7u;
         }",
    )?;
    let step = device.caps().limits.storage_offset_alignment as usize / 4;
    let mut buffer = device.buffer_from(&vec![1u32; 3 * step])?;
    kernel.launch().bind("data", buffer.slice_mut(step..2 * step)).threads(640)?;
    let host = buffer.read_here().await?;
    same(&host[..step], &vec![1; step], "the elements before the slice")?;
    same(&host[2 * step..], &vec![1; step], "the elements after the slice")?;
    let untouched = host[step..2 * step].iter().all(|value| [1, 7].contains(value));
    equal(untouched, true, "the slice holds only old and new values")
}
