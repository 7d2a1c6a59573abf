//! Workgroups of one invocation, whose code has no lanes, compared with the same kernels in lanes.

use super::calls::LIMBS;
use super::{kernel, run, try_run};

/// Bodies whose results do not depend on the size of the workgroup.
const BODIES: &[&str] = &[
    "out[i] = data[i] * 3u + 1u;",
    // Indices out of range: a read returns the last element, a write has no effect.
    "out[i + 5u] = data[i + 50u]; out[i * 1000u + 64u] = 9u;",
    "if ((i & 3u) != 1u) { out[(i * 13u) % 64u] = i + 1u; }",
    "var sum = 0u; for (var k = 0u; k < data[i] % 50u; k++) { if (k == i % 9u) { continue; } sum += k * data[k]; if (sum > 900u) { break; } }
     out[i] = sum;",
    // Private arrays with indices that are known only at run time.
    "var a: array<u32, 9>; for (var k = 0u; k < 20u; k++) { a[(data[k] + i) % 9u] += k; } out[i] = a[i % 9u] * 7u + a[(i + 3u) % 9u];",
    "var a: array<vec3f, 5>; a[data[i] % 7u] = vec3f(1.5, f32(i), 2.0); let v = a[i % 5u]; out[i] = u32(v.x * 10.0 + v.y + v.z);",
    "var b: array<bool, 4>; b[data[i] % 4u] = true; out[i] = select(3u, u32(b[0]) + 2u * u32(b[1]), b[i % 4u] || b[3]);",
    // Atomics of buffers, also out of range.
    "out[i] = 1u + atomicAdd(&counts[data[i] % 3u + 40u], 0u); atomicMax(&counts[0], i); atomicAdd(&counts[1], data[i]); atomicAdd(&counts[900u + i], 1u);",
    "let found = atomicCompareExchangeWeak(&counts[i % 60u + 4u], i % 60u, i + 7u); out[i] = u32(found.exchanged) + atomicLoad(&counts[i % 60u + 4u]);",
    // Atomics of one word, whose lanes change it together.
    "out[i] = atomicAdd(&counts[3], data[i]); atomicMin(&counts[7], data[i] + 1u); out[i] += atomicSub(&counts[8], i) & 0xffu;",
    "if ((data[i] & 3u) != 1u) { out[i] = atomicExchange(&counts[5], i) * 8u + (atomicXor(&counts[6], data[i]) & 7u); }",
    "if (i % 16u > 7u) { atomicAdd(&counts[9], 1u); } out[i] = atomicAdd(&counts[data[3] + 1000u], 1u); atomicOr(&counts[data[3] + 1000u], 1u);",
    "let found = atomicCompareExchangeWeak(&counts[2], i % 20u + 2u, i + 3u); out[i] = found.old_value * 2u + u32(found.exchanged);",
    "switch data[i] % 4u { case 0u: { out[i] = 5u; } case 1u, 2u: { if (i > 30u) { return; } out[i] = 6u; } default: { out[i] = i; } }",
    "let x = bitcast<f32>(data[i] + 0x3f800000u); out[i] = bitcast<u32>(sqrt(x) * exp2(x) + floor(x) + pow(x, 1.5));",
    "let x = vec4u(data[i], i, 3u, 4u); let m = mat2x2f(f32(i), 1.0, 2.0, 3.0) * vec2f(1.0, f32(x.x % 9u)); out[i] = u32(m.x + m.y) + dot(x, x.wzyx);",
];

#[test]
fn one_invocation_computes_what_a_lane_does() {
    let data: Vec<u32> = (0..64u32).map(|x| x.wrapping_mul(2_654_435_761) >> 20).collect();
    let counts: Vec<u32> = (0..64).map(|x| x % 5).collect();
    let globals = "@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;";
    for body in BODIES {
        let of = |size: &str, groups| {
            try_run(&kernel(size, globals, body), &[&[7; 64], &data, &counts], [groups, 1, 1], 1 << 32).unwrap()
        };
        assert_eq!(of("1", 64), of("64", 1), "{body}");
    }
}

#[test]
fn functions_that_are_not_inlined_run_for_one_invocation() {
    let data: Vec<u32> = (0..8).map(|x| x * 77).collect();
    let body =
        "var a: Limbs; var b: Limbs; for (var k = 0u; k < 8u; k++) { a[k] = (data[i] * (k + 3u)) & 0xffffu; b[k] = i; }
        var c = chain(&a, &b); for (var k = 0u; k < 8u; k++) { out[i] += c[k]; }";
    // `try_run` compares each with the version in which no call is inlined.
    let of = |size: &str, groups| run(&kernel(size, LIMBS, body), &[&[0; 8], &data], [groups, 1, 1]);
    assert_eq!(of("1", 8), of("8", 1));
}

#[test]
fn workgroup_memory_is_zero_at_the_start_of_each_invocation() {
    let globals = "var<workgroup> sums: array<u32, 16>; var<workgroup> hits: array<atomic<u32>, 4>;";
    let body = "for (var k = 0u; k < 64u; k++) { sums[data[k] % 20u] += k; atomicAdd(&hits[data[k] % 5u], 2u); }
        workgroupBarrier();
        var all = atomicLoad(&hits[i % 4u]);
        for (var k = 0u; k < 16u; k++) { all = all * 3u + sums[k]; }
        out[i] = all + lid.x + li;";
    let data: Vec<u32> = (0..64).map(|x| x * x % 41).collect();
    let expected = (0..6usize).map(|i| {
        let (mut sums, mut hits) = ([0u32; 20], [0u32; 5]);
        for (k, x) in data.iter().enumerate() {
            sums[*x as usize % 20] += k as u32;
            hits[*x as usize % 5] += 2;
        }
        sums[..16].iter().fold(hits[i % 4], |all, sum| all.wrapping_mul(3).wrapping_add(*sum))
    });
    let expected: Vec<u32> = expected.collect();
    assert_eq!(run(&kernel("1", globals, body), &[&[0; 6], &data], [6, 1, 1]), expected);
}

#[test]
fn a_subgroup_of_one_invocation_has_its_own_value() {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) wid: vec3u,
            @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) own: u32) {
            let x = wid.x + 5u;
            out[0] = subgroupAdd(x) + 100u * subgroupInclusiveAdd(x) + 10000u * subgroupExclusiveAdd(x);
            out[1] = subgroupMul(x) + 100u * subgroupExclusiveMul(x);
            out[2] = subgroupBallot(true).x + 2u * subgroupBallot(false).x + subgroupBallot(true).y;
            out[3] = subgroupBroadcastFirst(x) + lane + own;
            out[4] = u32(subgroupAll(false)) + 2u * u32(subgroupAny(true)) + 4u * u32(subgroupMax(1.5 * f32(x)));
        }";
    assert_eq!(run(source, &[&[9; 5]], [1, 1, 1]), [505, 105, 1, 5, 2 + 4 * 7]);
}
