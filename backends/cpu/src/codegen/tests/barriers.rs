//! Barriers in every shape of control flow.

use super::{kernel, run, try_run};
use crate::abi::Stop;

const SIZES: [&str; 6] = ["1", "7", "8", "33", "64", "4,3,5"];

fn each_size(globals: &str, body: &str, expected: impl Fn(u32, u32) -> u32) {
    for size in SIZES {
        let count: u32 = size.split(',').map(|size| size.parse::<u32>().unwrap()).product();
        let globals = globals.replace("COUNT", &count.to_string());
        let body = format!("const count = {count}u; let n = li + wid.x * count; {body}");
        let got = run(&kernel(size, &globals, &body), &[&vec![9999; 2 * count as usize], &[3, 4]], [2, 1, 1]);
        for n in 0..2 * count {
            assert_eq!(got[n as usize], expected(n, count), "size {size}, invocation {n}\n{body}");
        }
    }
}

const TILE: &str = "var<workgroup> tile: array<u32, COUNT>;";

fn opposite(n: u32, count: u32) -> u32 {
    n / count * count + (count - 1 - n % count)
}

#[test]
fn straight() {
    each_size(
        TILE,
        "tile[li] = n * 3u; let kept = n + 5u; workgroupBarrier(); out[n] = tile[count - 1u - li] + kept;",
        |n, c| opposite(n, c) * 3 + n + 5,
    );
}

#[test]
fn in_a_loop() {
    each_size(
        TILE,
        "var s = 0u; var last = 0u; for (var k = 0u; k < 5u; k++) { tile[li] = n + k; workgroupBarrier();
         s += tile[(li + k) % count]; last = k; workgroupBarrier(); } out[n] = s + last;",
        |n, c| (0..5).map(|k| n / c * c + (n % c + k) % c + k).sum::<u32>() + 4,
    );
}

#[test]
fn in_a_halving_loop() {
    each_size(
        "var<workgroup> tile: array<u32, 64>;",
        "tile[li] = n + 1u; workgroupBarrier();
         for (var s = 32u; s > 0u; s >>= 1u) { if (li < s && li + s < count) { tile[li] += tile[li + s]; } workgroupBarrier(); }
         out[n] = tile[0];",
        |n, c| (n / c * c..(n / c + 1) * c).map(|m| m + 1).sum(),
    );
}

#[test]
fn in_a_branch_that_all_take() {
    each_size(
        TILE,
        "if (data[0] == 3u) { tile[li] = n; workgroupBarrier(); out[n] = tile[count - 1u - li]; } else { out[n] = 1u; }",
        opposite,
    );
}

#[test]
fn in_a_branch_on_a_value_that_only_happens_to_agree() {
    each_size(
        TILE,
        "let c = min(n, 0u); if (c == 0u) { tile[li] = n; workgroupBarrier(); out[n] = tile[count - 1u - li]; } out[n] += 1u;",
        |n, c| opposite(n, c) + 1,
    );
}

#[test]
fn in_a_function_called_twice() {
    each_size(
        "var<workgroup> tile: array<u32, COUNT>;
         fn swap(x: u32, li: u32, c: u32) -> u32 { tile[li] = x; workgroupBarrier(); let y = tile[c - 1u - li]; workgroupBarrier(); return y + 1u; }",
        "out[n] = swap(swap(n, li, count), li, count);",
        |n, _| n + 2,
    );
}

#[test]
fn in_a_switch_and_with_private_memory() {
    each_size(
        TILE,
        "var a: array<u32, 5>; for (var k = 0u; k < 5u; k++) { a[k] = n * k; }
         switch data[1] { case 4u: { tile[li] = n; workgroupBarrier(); a[li % 5u] += tile[count - 1u - li]; } default: { a[0] = 1u; } }
         var s = 0u; for (var k = 0u; k < 5u; k++) { s += a[k]; } out[n] = s;",
        |n, c| n * 10 + opposite(n, c),
    );
}

#[test]
fn uniform_loads() {
    each_size(
        "var<workgroup> flag: u32;",
        "if (li == count - 1u) { flag = wid.x + 11u; } let f = workgroupUniformLoad(&flag); var s = 0u;
         for (var k = 0u; k < f; k++) { s += 1u; workgroupBarrier(); } out[n] = s;",
        |n, c| n / c + 11,
    );
}

#[test]
fn divergent_ones_stop_the_kernel() {
    for body in [
        "if (li < 3u) { workgroupBarrier(); }",
        "if (li >= 8u) { return; } workgroupBarrier();",
        "for (var k = 0u; k <= li; k++) { workgroupBarrier(); }",
        "if (li < 8u) { workgroupBarrier(); } else { workgroupBarrier(); }",
    ] {
        let source = kernel("16", "", body);
        assert_eq!(try_run(&source, &[&[0; 8], &[3]], [1, 1, 1], 10_000), Err(Stop::DivergentBarrier as u32), "{body}");
    }
}
