//! Loads and stores for every relation of addresses between lanes.

use super::{kernel, run};

#[test]
fn one_after_the_other() {
    let data: Vec<u32> = (0..64).collect();
    let source = kernel("64", "", "out[i] = data[i] * 3u + 1u;");
    assert_eq!(run(&source, &[&[0; 64], &data], [1, 1, 1]), data.iter().map(|x| x * 3 + 1).collect::<Vec<_>>());
}

#[test]
fn the_end_is_kept() {
    let data: Vec<u32> = (0..21).map(|x| x + 100).collect();
    let source = kernel("8", "", "out[i] = data[i + 3u];");
    let got = run(&source, &[&[7; 13], &data], [4, 1, 1]);
    assert_eq!(got, (0..13).map(|i| data[(i + 3).min(20)]).collect::<Vec<_>>());
}

#[test]
fn strides_and_gathers() {
    let data: Vec<u32> = (0..512).map(|x| x * 7).collect();
    let source = kernel("16", "", "out[i] = data[i * 5u] + data[(i * 37u) % 101u] + data[(63u - i) * 2u] + data[9];");
    let expected: Vec<u32> = (0..64).map(|i| 7 * (i * 5 + (i * 37) % 101 + (63 - i) * 2 + 9)).collect();
    assert_eq!(run(&source, &[&[0; 64], &data], [4, 1, 1]), expected);
}

#[test]
fn scatters_and_masks() {
    let source =
        kernel("16", "", "if ((i & 3u) != 1u) { out[(i * 13u) % 64u] = i + 1u; } if (i == 5u) { out[1] = 99u; }");
    let mut expected = vec![0; 64];
    for i in 0..64usize {
        if i & 3 != 1 {
            expected[(i * 13) % 64] = i as u32 + 1;
        }
    }
    expected[1] = 99;
    assert_eq!(run(&source, &[&[0; 64], &[0]], [4, 1, 1]), expected);
}

#[test]
fn vectors_of_each_length() {
    for n in 2..=4u32 {
        let pitch = if n == 3 { 4 } else { n };
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<vec{n}u>;
            @group(0) @binding(1) var<storage, read> data: array<vec{n}u>;
            @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {{
                out[id.x] = data[id.x] + data[(id.x * 7u) % 32u] + vec{n}u(1u);
            }}"
        );
        let data: Vec<u32> = (0..32 * pitch).map(|x| x * x).collect();
        let got = run(&source, &[&vec![5; 32 * pitch as usize], &data], [2, 1, 1]);
        for i in 0..32 {
            for c in 0..pitch {
                let expected = if c < n {
                    data[(i * pitch + c) as usize] + data[((i * 7 % 32) * pitch + c) as usize] + 1
                } else {
                    5
                };
                assert_eq!(got[(i * pitch + c) as usize], expected, "vec{n} {i}.{c}");
            }
        }
    }
}

#[test]
fn private_arrays() {
    let source = kernel(
        "13",
        "",
        "var a: array<u32, 9>; for (var k = 0u; k < 9u; k++) { a[k] = k * i; }
         a[i % 9u] += 1000u; out[i] = a[(i * 2u) % 9u] + a[3];",
    );
    let expected: Vec<u32> = (0..39)
        .map(|i| {
            let mut a: Vec<u32> = (0..9).map(|k| k * i).collect();
            a[(i % 9) as usize] += 1000;
            a[(i * 2 % 9) as usize] + a[3]
        })
        .collect();
    assert_eq!(run(&source, &[&[0; 39], &[0]], [3, 1, 1]), expected);
}

#[test]
fn atomics_of_one_word() {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;
        var<workgroup> seen: atomic<u32>;
        @compute @workgroup_size(20) fn main(@builtin(local_invocation_index) li: u32) {
            let mine = atomicAdd(&out[0], 1u);
            atomicMax(&out[1], mine);
            atomicOr(&out[2 + mine / 32u], 1u << (mine % 32u));
            atomicAdd(&seen, li);
            workgroupBarrier();
            if (li == 3u) { atomicAdd(&out[5], atomicLoad(&seen)); }
        }";
    let got = run(source, &[&[0; 6]], [3, 1, 1]);
    assert_eq!(got, [60, 59, u32::MAX, (1 << 28) - 1, 0, 3 * 190]);
}

#[test]
fn factors_that_are_known_when_running() {
    let data: Vec<u32> = (0..600).map(|x| x * 3 + 1).collect();
    for factor in [0, 1, 2, 3] {
        let source = kernel(
            "16",
            "@group(0) @binding(2) var<storage, read> factor: array<u32>;",
            "let k = factor[0]; out[i] = data[min(i, 60u) * k + 5u] + data[(k * i + i) * 2u] + data[clamp(i32(i) - 3, 0, 50) * i32(k)];",
        );
        let got = run(&source, &[&[0; 64], &data, &[factor]], [4, 1, 1]);
        for i in 0..64 {
            let expected = [i.min(60) * factor + 5, (factor * i + i) * 2, (i.max(3) - 3).min(50) * factor]
                .map(|at| data[at as usize])
                .iter()
                .sum::<u32>();
            assert_eq!(got[i as usize], expected, "factor {factor}, invocation {i}");
        }
    }
}
