//! Calls of functions, and the ends of branches.

use anywarp::Device;

use crate::suite::case::{Case, cases};
use crate::suite::portable_waits::ReadHere;
use anywarp_testing_devices::outcome::{TestResult, same};

pub(crate) const CASES: &[Case] = cases![pointers_to_parts, functions_without_calls, breaks_within_branches];

/// Arguments may be pointers to elements, members and components of variables, also of those behind parameters.
async fn pointers_to_parts(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "struct Pair { first: u32, rest: array<vec2<u32>, 3> }
         var<private> own: array<Pair, 2>;
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         fn double(place: ptr<function, u32>) -> u32 { *place *= 2u; return *place + 1u; }
         fn sum(pair: ptr<private, vec2<u32>>) -> u32 { return (*pair).x + (*pair).y; }
         fn swap(pair: ptr<private, vec2<u32>>) { *pair = (*pair).yx; }
         fn rotate(all: ptr<private, array<vec2<u32>, 3>>, by: u32) {
             for (var n = 0u; n < by; n++) { swap(&(*all)[n]); }
         }
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var words = array<u32, 4>(id.x, 3u, 5u, 7u);
             let doubled = double(&words[id.x % 4u]) + double(&words[1]);
             let pair = id.x % 2u;
             own[pair].rest[2] = vec2(id.x, 1u);
             own[pair].rest[0] = vec2(words[0], words[1]);
             rotate(&own[pair].rest, 1u + pair * 2u);
             let at = id.x * 6u;
             data[at] = doubled;
             data[at + 1u] = words[0];
             data[at + 2u] = words[1];
             data[at + 3u] = words[2] + words[3] * 100u;
             data[at + 4u] = own[pair].rest[0].x + own[pair].rest[2].x * 1000u;
             data[at + 5u] = sum(&own[pair].rest[id.x % 3u]);
         }",
    )?;
    let mut data = device.buffer_from(&[0u32; 64 * 6])?;
    kernel.launch().bind("data", &mut data).threads(64)?;
    let expected: Vec<u32> = (0..64u32).flat_map(expected).collect();
    same(&data.read_here().await?, &expected, "the parts after the calls")
}

/// A function that is never called, or only where no invocation arrives, may use any variable.
async fn functions_without_calls(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "var<private> count: u32;
         var<private> sum = vec2<u32>(1u, 2u);
         @group(0) @binding(0) var<storage, read_write> data: array<u32>;
         fn next() -> u32 { count += 1u; data[count] = 7u; return count; }
         fn total() -> u32 { sum += vec2(next()); return sum.x + sum.y; }
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             data[i] = i + 1u;
             if false { _ = next(); }
         }",
    )?;
    let mut data = device.buffer_from(&[9u32; 6])?;
    kernel.launch().bind("data", &mut data).threads(4)?;
    same(&data.read_here().await?, &[1, 2, 3, 4, 9, 9], "what the entry point wrote")
}

/// A `break` within a branch of a `switch` ends the `switch` with what was stored before it.
async fn breaks_within_branches(device: &Device) -> TestResult {
    let kernel = device.kernel(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var known = 1u;
             switch 0u {
                 case 0u: { if data[id.x] > 3u { known = 2u; break; } known += 4u; }
                 default: {}
             }
             var other = 1u;
             switch id.x % 3u {
                 case 0u: { if data[id.x] > 3u { switch id.x % 2u { case 0u: { other = 3u; } default: {} } break; } }
                 case 1u: { other = 7u; }
                 default: { if data[id.x] > 5u { other = 9u; } }
             }
             data[id.x] = known * 100u + other;
         }",
    )?;
    let words: Vec<u32> = (0..64u32).map(|id| id * 5 % 8).collect();
    let mut data = device.buffer_from(&words)?;
    kernel.launch().bind("data", &mut data).threads(64)?;
    let expected: Vec<u32> = (0u32..)
        .zip(&words)
        .map(|(id, &word)| {
            let known = if word > 3 { 2 } else { 5 };
            let other = match id % 3 {
                0 if word > 3 && id % 2 == 0 => 3,
                1 => 7,
                2 if word > 5 => 9,
                _ => 1,
            };
            known * 100 + other
        })
        .collect();
    same(&data.read_here().await?, &expected, "what the branches stored")
}

/// The six words of one invocation.
fn expected(id: u32) -> [u32; 6] {
    let double = |place: &mut u32| {
        *place *= 2;
        *place + 1
    };
    let mut words = [id, 3, 5, 7];
    let doubled = double(&mut words[id as usize % 4]) + double(&mut words[1]);
    let mut rest = [(words[0], words[1]), (0, 0), (id, 1)];
    let swapped = 1 + id as usize % 2 * 2;
    rest[..swapped].iter_mut().for_each(|pair| *pair = (pair.1, pair.0));
    let (x, y) = rest[id as usize % 3];
    [doubled, words[0], words[1], words[2] + words[3] * 100, rest[0].0 + rest[2].0 * 1000, x + y]
}
