//! Clamped indices: one test of their conditions before the code that uses them, and the same results where it fails.

use super::{kernel, run};

/// The body of a kernel, and the function that computes the expected result from the invocation's number and `data`.
type Case = (&'static str, fn(i64, &dyn Fn(i64) -> u32) -> u32);

/// Reads with indices that are clamped to the data, as to an image's edges, from signed and unsigned numbers.
const CASES: [Case; 11] = [
    ("out[i] = data[clamp(i32(i) - 1, 0, n - 1)] + 10u * data[clamp(i32(i) + 1, 0, n - 1)];", |i, at| {
        at(i - 1) + 10 * at(i + 1)
    }),
    ("out[i] = data[min(max(i32(i) - 5, 0), n - 1)];", |i, at| at(i - 5)),
    ("out[i] = data[max(min(i32(i) + 3, n - 1), 0)];", |i, at| at(i + 3)),
    ("out[i] = data[min(i + 2u, u32(n) - 1u)] * 3u;", |i, at| at(i + 2) * 3),
    // Neighbours whose tests follow from those of the first and the last, and such that are too far apart for that.
    (
        "var s = 0u; for (var k = -2; k <= 2; k++) { s = 3u * s + data[clamp(i32(i) + k, 0, n - 1)]; } out[i] = s;",
        |i, at| (-2..=2).fold(0, |s: u32, k| s.wrapping_mul(3).wrapping_add(at(i + k))),
    ),
    (
        "var s = 0u; for (var k = -1; k <= 1; k++) { s = 3u * s + data[clamp(i32(i) + 12 * k, 0, n - 1)]; } out[i] = s;",
        |i, at| (-1..=1).fold(0, |s: u32, k| s.wrapping_mul(3).wrapping_add(at(i + 12 * k))),
    ),
    (
        "out[i] = data[clamp(i32(i) + 2147483630, 0, n - 1)] + 3u * data[clamp(i32(i) + 2147483637, 0, n - 1)]
            + 9u * data[clamp(i32(i) + 2147483640, 0, n - 1)];",
        |i, at| {
            let far = |by: i32| at(i64::from((i as i32).wrapping_add(by)));
            far(2_147_483_630) + 3 * far(2_147_483_637) + 9 * far(2_147_483_640)
        },
    ),
    // A number and its double are no neighbours.
    ("out[i] = data[min(i, u32(n) - 1u)] + 10u * data[min(i + i, u32(n) - 1u)];", |i, at| at(i) + 10 * at(2 * i)),
    // The first read is of no element in the first lane, but then it is not used.
    (
        "var s = 0u; if (i > 0u) { s = data[clamp(i32(i) - 1, 0, n - 1)]; } out[i] = s + 5u * data[min(i, u32(n) - 1u)];",
        |i, at| if i > 0 { at(i - 1) } else { 0 } + 5 * at(i),
    ),
    // Sums that wrap: all lanes are far below zero, or far above the end.
    ("out[i] = data[clamp(i32(i) + 2147483640, 0, n - 1)];", |i, at| {
        at(i64::from((i as i32).wrapping_add(2_147_483_640)))
    }),
    ("out[i] = data[clamp(i32(i) - 2147483647, 0, n - 1) + 0];", |i, at| at(i - 2_147_483_647)),
];

#[test]
fn edges_are_repeated() {
    for (size, guard) in [("8", ""), ("8", "if (i >= arrayLength(&out)) { return; }"), ("16", "")] {
        for (body, expected) in CASES {
            let source = kernel(size, "", &format!("{guard} let n = i32(arrayLength(&data)); {body}"));
            for length in [1i64, 2, 7, 8, 9, 15, 16, 17, 25, 64] {
                let data: Vec<u32> = (0..length as u32).map(|x| x * 7 + 1).collect();
                let at = |index: i64| data[index.clamp(0, length - 1) as usize];
                let got = run(&source, &[&[0; 29], &data], [if size == "8" { 4 } else { 2 }, 1, 1]);
                let wanted: Vec<u32> = (0..29).map(|i| expected(i, &at)).collect();
                assert_eq!(got, wanted, "{length} elements: {guard} {body}");
            }
        }
    }
}

/// The rows of workgroups run in another order than the workgroups, with the same numbers of invocations.
#[test]
fn rows_of_workgroups_have_their_own_numbers() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(16, 3, 2) fn main(
            @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u,
            @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
            @builtin(local_invocation_index) index: u32,
        ) {
            let width = groups.x * 16u;
            let at = (id.z * groups.y * 3u + id.y) * width + id.x;
            let same = all(id == group * vec3u(16u, 3u, 2u) + local)
                && index == (local.z * 3u + local.y) * 16u + local.x;
            out[at] = select(0u, at + 1u, same);
        }";
    let count = (3 * 16) * (2 * 3) * (2 * 2);
    assert_eq!(run(source, &[&vec![0; count]], [3, 2, 2]), (1..=count as u32).collect::<Vec<_>>());
}
