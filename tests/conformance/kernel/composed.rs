//! Kernels composed of modules: one reduction for every element type, and conditional translation.

use anywarp::{Device, Element, KernelError, Wgsl, f16};

use crate::suite::case::{Case, cases};
use crate::suite::data::words;
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, equal, refused, skip};

pub(crate) const CASES: &[Case] = cases![
    composed_sum_f32 = |device| sum::<f32>(device, "", |value| value as f32),
    composed_sum_i32 = |device| sum::<i32>(device, "", |value| value as i32),
    composed_sum_u32 = |device| sum::<u32>(device, "", |value| value),
    composed_sum_f16 = |device| sum::<f16>(device, "f16", |value| f16::from_f32(value as f32)),
    composed_sum_f64 = |device| sum::<f64>(device, "f64", f64::from),
    composed_sum_i64 = |device| sum::<i64>(device, "i64", i64::from),
    composed_conditions = conditions,
    composed_names = names,
    composed_bindings = bindings,
];

const SUM: &str = "import package::{element::T, shared::reduce::sum_of_workgroup};

@group(0) @binding(0) var<storage, read> values: array<T>;
@group(0) @binding(1) var<storage, read_write> sums: array<T>;

@compute @workgroup_size(64)
fn sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) index: u32) {
    let at = group.x * 64u + index;
    var own = T(0);
    if at < arrayLength(&values) { own = values[at]; }
    let total = sum_of_workgroup(own, index);
    if index == 0u { sums[group.x] = total; }
}";

const REDUCE: &str = "import super::super::element::T;

var<workgroup> values: array<T, 64>;

fn sum_of_workgroup(own: T, index: u32) -> T {
    values[index] = own;
    for (var step = 32u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if index < step { values[index] += values[index + step]; }
    }
    workgroupBarrier();
    return values[0];
}";

/// The sums are right for every element type. They are sums of small integers, which every type represents exactly.
async fn sum<T: Element + PartialEq + std::fmt::Debug>(device: &Device, feature: &str, of: fn(u32) -> T) -> TestResult {
    if !feature.is_empty() && !device.caps().feature_names().contains(&feature) {
        return skip(format!("the device has no {feature}"));
    }
    let wgsl = Wgsl::new(SUM).file("sum.wgsl").element::<T>("T");
    let wgsl = wgsl.module("element", "alias T = f32;").module("shared::reduce", REDUCE);
    let kernel = device.kernel(wgsl)?;
    let input: Vec<u32> = words(200).into_iter().map(|word| word % 16).collect();
    let values = device.buffer_from(&input.iter().map(|value| of(*value)).collect::<Vec<T>>())?;
    let mut sums = device.buffer::<T>(4)?;
    kernel.launch().bind("values", &values).bind("sums", &mut sums).threads(200)?;
    let wanted: Vec<T> = input.chunks(64).map(|chunk| of(chunk.iter().sum())).collect();
    equal(sums.read_here().await?.to_vec(), wanted, "sums of workgroups")
}

/// The same text results in different kernels with different features, modules or elements.
async fn conditions(device: &Device) -> TestResult {
    let wgsl = |on| {
        let text = "import package::step::step;
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1) fn main() {
                @if(twice) data[0] += step;
                data[0] += step;
            }";
        Wgsl::new(text).feature("twice", on)
    };
    for (on, step, wanted) in [(false, 1, 1), (true, 1, 2), (false, 5, 5), (true, 5, 10)] {
        let module = format!("const step = {step}u;");
        let kernel = device.kernel(wgsl(on).module("step", module.as_str()))?;
        let mut data = device.buffer::<u32>(1)?;
        kernel.launch().bind("data", &mut data).groups(1u32)?;
        equal(data.read_here().await?.to_vec(), vec![wanted], &format!("twice: {on}, step: {step}"))?;
    }
    let unset = device.kernel(Wgsl::new("@if(fast) const x = 1;").file("f.wgsl"));
    refused(unset, |error: &KernelError| matches!(error, KernelError::Compose { line: 1, .. }), &["f.wgsl:1:5", "fast"])
}

/// Names do not conflict: two modules with the same name, a built-in name, and a name that a variable shadows.
async fn names(device: &Device) -> TestResult {
    let text = "import package::{a, b, c::scaled as max};
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() {
            let value = a::value();
            let scaled = max(2u);
            data[0] = value;
            data[1] = b::value() + min(7u, 100u);
            data[2] = scaled + max(1u);
        }";
    let wgsl = Wgsl::new(text)
        .module("a", "fn value() -> u32 { return 1u + max(2u, 3u); } fn min(a: u32) -> u32 { return a; }")
        .module("b", "const step = 40u; fn value() -> u32 { let step = step + 2u; return step; }")
        .module(
            "c",
            "import super::a::min as least; fn scaled(value: u32) -> u32 { return least(value) * min(9u, 10u); }",
        );
    let mut data = device.buffer::<u32>(3)?;
    device.kernel(wgsl)?.launch().bind("data", &mut data).groups(1u32)?;
    equal(data.read_here().await?.to_vec(), vec![4, 49, 27], "names")
}

/// Bindings and overrides of modules keep their names.
async fn bindings(device: &Device) -> TestResult {
    let text = "import package::io;
        @compute @workgroup_size(io::width) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            io::data[id.x] = id.x * io::params.by;
        }";
    let module = "struct Params { by: u32 }
        override width: u32 = 1;
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;";
    let kernel = device.kernel(Wgsl::new(text).module("io", module).set_override("width", 4.0))?;
    let mut data = device.buffer::<u32>(4)?;
    kernel.launch().bind("data", &mut data).set("params.by", 3u32).groups(1u32)?;
    equal(data.read_here().await?.to_vec(), vec![0, 3, 6, 9], "a module's bindings")
}
