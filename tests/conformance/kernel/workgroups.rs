//! Workgroup memory and barriers, and atomics in storage.

use anywarp::Device;

use crate::suite::case::{Case, cases};
use crate::suite::data::{SIZES, floats, words};
use crate::suite::portable_waits::ReadHere;
use crate::suite::tolerance;
use anywarp_testing_devices::outcome::{TestResult, close, equal, same};

pub(crate) const CASES: &[Case] = cases![
    reduction,
    barriers_in_a_loop,
    tiled_transpose,
    workgroup_memory_starts_at_zero,
    workgroup_uniform_load,
    atomics_on_u32,
    atomics_on_i32,
    compare_exchange,
    histogram_in_workgroup_memory,
];

async fn reduction(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> part: array<f32, 128>;
         @group(0) @binding(0) var<storage, read> data: array<f32>;
         @group(0) @binding(1) var<storage, read_write> sums: array<f32>;
         @compute @workgroup_size(128)
         fn sum(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
                @builtin(local_invocation_index) local: u32) {
             part[local] = select(0.0, data[id.x], id.x < arrayLength(&data));
             workgroupBarrier();
             for (var width = 64u; width > 0u; width /= 2u) {
                 if local < width { part[local] += part[local + width]; }
                 workgroupBarrier();
             }
             if local == 0u { sums[group.x] = part[0]; }
         }",
    )?;
    for &size in SIZES.iter().chain(&[100_003]) {
        let input = floats(size);
        let data = device.buffer_from(&input)?;
        let mut sums = device.buffer::<f32>(size.div_ceil(128))?;
        kernel.launch().bind("data", &data).bind("sums", &mut sums).threads(size)?;
        let wanted: Vec<f32> = input.chunks(128).map(|part| part.iter().sum()).collect();
        close(&sums.read_here().await?, &wanted, tolerance::SUM, &format!("sums of {size} values by 128"))?;
    }
    Ok(())
}

/// An inclusive scan by a loop with two barriers in each step is right.
async fn barriers_in_a_loop(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> part: array<u32, 256>;
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(256)
         fn scan(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
             part[local] = data[id.x];
             for (var reach = 1u; reach < 256u; reach *= 2u) {
                 workgroupBarrier();
                 var value = part[local];
                 if local >= reach { value += part[local - reach]; }
                 workgroupBarrier();
                 part[local] = value;
             }
             data[id.x] = part[local];
         }",
    )?;
    let input = words(1024);
    let mut data = device.buffer_from(&input)?;
    kernel.launch().bind("data", &mut data).threads(1024)?;
    let scan = |part: &[u32]| {
        let sums = part.iter().scan(0u32, |sum, value| {
            *sum = sum.wrapping_add(*value);
            Some(*sum)
        });
        sums.collect::<Vec<u32>>()
    };
    let wanted: Vec<u32> = input.chunks(256).flat_map(scan).collect();
    same(&data.read_here().await?, &wanted, "an inclusive scan of every 256 values")
}

async fn tiled_transpose(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Size { width: u32, height: u32 }
         var<workgroup> tile: array<array<u32, 17>, 16>;
         @group(0) @binding(0) var<uniform> size: Size;
         @group(0) @binding(1) var<storage, read> source: array<u32>;
         @group(0) @binding(2) var<storage, read_write> result: array<u32>;
         @compute @workgroup_size(16, 16)
         fn transpose(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
             let x = group.x * 16u + local.x;
             let y = group.y * 16u + local.y;
             if x < size.width && y < size.height { tile[local.y][local.x] = source[y * size.width + x]; }
             workgroupBarrier();
             let tx = group.y * 16u + local.x;
             let ty = group.x * 16u + local.y;
             if tx < size.height && ty < size.width { result[ty * size.height + tx] = tile[local.x][local.y]; }
         }",
    )?;
    for (width, height) in [(16, 16), (1, 100), (97, 53), (256, 130)] {
        let input = words(width * height);
        let source = device.buffer_from(&input)?;
        let mut result = device.buffer::<u32>(width * height)?;
        let launch = kernel.launch().set("size", [width as u32, height as u32]);
        launch.bind("source", &source).bind("result", &mut result).threads([width, height])?;
        let wanted: Vec<u32> = (0..width * height).map(|n| input[n % height * width + n / height]).collect();
        same(&result.read_here().await?, &wanted, &format!("{width} by {height}"))?;
    }
    Ok(())
}

async fn workgroup_memory_starts_at_zero(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> words: array<u32, 1024>;
         @group(0) @binding(0) var<storage, read_write> nonzero: atomic<u32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) local: u32) {
             for (var n = local; n < 1024u; n += 64u) {
                 if words[n] != 0u { atomicAdd(&nonzero, 1u); }
                 words[n] = 0xFFFFFFFFu;
             }
         }",
    )?;
    let mut nonzero = device.buffer::<u32>(1)?;
    kernel.launch().bind("nonzero", &mut nonzero).groups(1000)?;
    kernel.launch().bind("nonzero", &mut nonzero).groups(1000)?;
    equal(nonzero.read_here().await?[0], 0, "words that were not zero")
}

async fn workgroup_uniform_load(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> bound: u32;
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64)
         fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
             if local == 63u { bound = group.x + 2u; }
             let rounds = workgroupUniformLoad(&bound);
             for (var n = 0u; n < rounds; n++) { workgroupBarrier(); data[group.x * 64u + local] += 1u; }
         }",
    )?;
    let mut data = device.buffer::<u32>(640)?;
    kernel.launch().bind("data", &mut data).groups(10)?;
    let wanted: Vec<u32> = (0..640).map(|n| n / 64 + 2).collect();
    same(&data.read_here().await?, &wanted, "rounds")
}

async fn atomics_on_u32(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> at: array<atomic<u32>, 8>;
         @group(0) @binding(1) var<storage, read_write> order: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             order[atomicAdd(&at[0], 1u)] = id.x;
             atomicSub(&at[1], id.x);
             atomicMax(&at[2], id.x * 7u % 1000u);
             atomicMin(&at[3], id.x * 7u % 1000u + 5u);
             atomicAnd(&at[4], ~(1u << (id.x % 31u)));
             atomicOr(&at[5], 1u << (id.x % 31u));
             atomicXor(&at[6], id.x);
             if atomicExchange(&at[7], 1u) == 0u { order[1024] += 1u; }
         }",
    )?;
    let mut at = device.buffer_from(&[0, 0, 0, u32::MAX, u32::MAX, 0, 0, 0u32])?;
    let mut order = device.buffer::<u32>(1025)?;
    kernel.launch().bind("at", &mut at).bind("order", &mut order).threads(1024)?;
    let total: u32 = (0..1024).sum();
    let xor = (0..1024).fold(0, |xor, n| xor ^ n);
    let most = (0..1024u32).map(|n| n * 7 % 1000).max().unwrap_or(0);
    let least = (0..1024u32).map(|n| n * 7 % 1000 + 5).min().unwrap_or(0);
    let wanted = [1024, 0u32.wrapping_sub(total), most, least, 1 << 31, (1 << 31) - 1, xor, 1];
    same(&at.read_here().await?, &wanted, "add, sub, max, min, and, or, xor, exchange")?;
    let mut seen = order.read_here().await?.to_vec();
    equal(seen.pop(), Some(1), "invocations that found the zero")?;
    seen.sort_unstable();
    same(&seen, &(0..1024).collect::<Vec<u32>>(), "every invocation took its own index")
}

async fn atomics_on_i32(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> at: array<atomic<i32>, 3>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             let value = i32(id.x) - 500;
             atomicAdd(&at[0], value);
             atomicMax(&at[1], value);
             atomicMin(&at[2], value);
         }",
    )?;
    let mut at = device.buffer_from(&[0i32, i32::MIN, i32::MAX])?;
    kernel.launch().bind("at", &mut at).threads(1024)?;
    same(&at.read_here().await?, &[(-500..524).sum(), 523, -500], "add, max, min")
}

async fn compare_exchange(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> total: atomic<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x >= 15u { return; }
             var old = atomicLoad(&total);
             loop {
                 let swapped = atomicCompareExchangeWeak(&total, old, old * 2u + 1u);
                 if swapped.exchanged { break; }
                 old = swapped.old_value;
             }
         }",
    )?;
    let mut total = device.buffer::<u32>(1)?;
    kernel.launch().bind("total", &mut total).threads(64)?;
    equal(total.read_here().await?[0], 32_767, "doubled plus one, 15 times")
}

async fn histogram_in_workgroup_memory(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<workgroup> counts: array<atomic<u32>, 64>;
         @group(0) @binding(0) var<storage, read> data: array<u32>;
         @group(0) @binding(1) var<storage, read_write> histogram: array<atomic<u32>, 64>;
         @compute @workgroup_size(64)
         fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
             if id.x < arrayLength(&data) { atomicAdd(&counts[data[id.x] % 64u], 1u); }
             workgroupBarrier();
             atomicAdd(&histogram[local], atomicLoad(&counts[local]));
         }",
    )?;
    let input = words(10_007);
    let data = device.buffer_from(&input)?;
    let mut histogram = device.buffer::<u32>(64)?;
    kernel.launch().bind("data", &data).bind("histogram", &mut histogram).threads(input.len())?;
    let mut wanted = [0u32; 64];
    input.iter().for_each(|value| wanted[(value % 64) as usize] += 1);
    same(&histogram.read_here().await?, &wanted, "histogram")
}
