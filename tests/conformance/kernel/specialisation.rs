//! Overrides and entry points: many kernels from one source.

use anywarp::{Device, Wgsl};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::portable_waits::{ReadHere, ReopenHere};
use anywarp_testing_devices::outcome::{TestResult, equal, same};

pub(crate) const CASES: &[Case] = cases![
    overrides_by_name,
    overrides_by_number,
    overrides_have_defaults,
    overrides_that_depend_on_overrides,
    workgroup_size_from_an_override,
    the_same_source_is_compiled_once,
    several_entry_points,
    unused_kernels_are_freed,
];

const OVERRIDES: &str = "
override scale: f32 = 2.5;
override count: u32 = 7u;
override shift: i32 = -3;
override flag: bool = true;
@id(17) override numbered: u32 = 70u;
override twice: u32 = 2u * numbered;
@group(0) @binding(0) var<storage, read_write> out: array<f32, 6>;
@compute @workgroup_size(1) fn main() {
    out = array<f32, 6>(scale, f32(count), f32(shift), select(0.0, 1.0, flag), f32(numbered), f32(twice));
}";
const DEFAULTS: [f32; 6] = [2.5, 7.0, -3.0, 1.0, 70.0, 140.0];

async fn with(device: &Device, constants: &[(&str, f64)], wanted: [f32; 6]) -> TestResult {
    let source = constants.iter().fold(Wgsl::new(OVERRIDES), |wgsl, (name, value)| wgsl.set_override(*name, *value));
    let mut out = device.buffer::<f32>(6)?;
    device.kernel(source)?.launch().bind("out", &mut out).groups(1)?;
    same(&out.read_here().await?, &wanted, &format!("{constants:?}"))
}

async fn overrides_by_name(device: &Device) -> TestResult {
    let [_, _, _, _, numbered, twice] = DEFAULTS;
    with(
        device,
        &[("scale", 0.125), ("count", 4_000_000.0), ("shift", -9.0), ("flag", 0.0)],
        [0.125, 4e6, -9.0, 0.0, numbered, twice],
    )
    .await?;
    // An override with @id can also be set by its name.
    let mut wanted = DEFAULTS;
    (wanted[4], wanted[5]) = (3.0, 6.0);
    with(device, &[("numbered", 3.0)], wanted).await
}

async fn overrides_by_number(device: &Device) -> TestResult {
    let mut wanted = DEFAULTS;
    (wanted[4], wanted[5]) = (5.0, 10.0);
    with(device, &[("17", 5.0)], wanted).await
}

async fn overrides_have_defaults(device: &Device) -> TestResult {
    with(device, &[], DEFAULTS).await
}

async fn overrides_that_depend_on_overrides(device: &Device) -> TestResult {
    let mut wanted = DEFAULTS;
    (wanted[4], wanted[5]) = (70.0, 1.0);
    with(device, &[("twice", 1.0)], wanted).await
}

async fn workgroup_size_from_an_override(device: &Device) -> TestResult {
    let source = "
        override size: u32 = 32u;
        var<workgroup> shared_words: array<u32, size>;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(size)
        fn reverse(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
            shared_words[local] = data[id.x];
            workgroupBarrier();
            data[id.x] = shared_words[size - 1u - local];
        }";
    for size in [1usize, 8, 32, 96, 128] {
        let kernel = device.kernel(Wgsl::new(source).set_override("size", size as f64))?;
        equal(kernel.workgroup_size(), [size as u32, 1, 1], "workgroup size")?;
        let mut data = device.buffer_from(&words(4 * size))?;
        kernel.launch().bind("data", &mut data).threads(4 * size)?;
        let wanted: Vec<u32> = words(4 * size).chunks(size).flat_map(|part| part.iter().rev().copied()).collect();
        same(&data.read_here().await?, &wanted, "reversed within workgroups")?;
    }
    Ok(())
}

async fn the_same_source_is_compiled_once(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let compilations = || fresh.stats().counters.compilations;
    let first = fresh.kernel(OVERRIDES)?;
    equal(compilations(), 1, "compilations of the first kernel")?;
    let second = fresh.kernel(OVERRIDES.to_owned())?;
    equal(compilations(), 1, "compilations after the same source again")?;
    let other = fresh.kernel(Wgsl::new(OVERRIDES).set_override("count", 8.0))?;
    equal(compilations(), 2, "compilations with another constant")?;
    equal((first.name(), second.name()), (other.name(), other.name()), "names")
}

async fn several_entry_points(device: &Device) -> TestResult {
    let source = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        override by: u32 = 2u;
        @compute @workgroup_size(8) fn add(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += by; }
        @compute @workgroup_size(4, 2) fn double(@builtin(workgroup_id) id: vec3<u32>,
            @builtin(local_invocation_index) local: u32) { data[8u * id.x + local] *= 2u; }";
    let add = device.kernel(Wgsl::new(source).entry("add"))?;
    let double = device.kernel(Wgsl::new(source).entry("double"))?;
    equal((add.workgroup_size(), double.workgroup_size()), ([8, 1, 1], [4, 2, 1]), "workgroup sizes")?;
    let mut data = device.buffer_from(&[1u32; 64])?;
    add.launch().bind("data", &mut data).groups(8)?;
    double.launch().bind("data", &mut data).groups(8)?;
    add.launch().bind("data", &mut data).threads(64)?;
    same(&data.read_here().await?, &[8; 64], "(1 + 2) * 2 + 2")
}

/// Unused kernels are freed, but a launch keeps its kernel alive as long as necessary.
async fn unused_kernels_are_freed(device: &Device) -> TestResult {
    let fresh = device.reopen_here().await?;
    let mut data = fresh.buffer_from(&[0u32; 1])?;
    let mut wanted = 0;
    // There are more kernels than the device's cache holds.
    for n in 0..600u32 {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(1) fn main() {{ data[0] += {n}u; }}"
        );
        let kernel = fresh.kernel(source)?;
        kernel.launch().bind("data", &mut data).groups(1)?;
        wanted += n;
    }
    equal(data.read_here().await?[0], wanted, "the sum of 600 kernels")
}
