//! Regions between barriers: those that only some lane groups have to run, and those that change what they keep.

use super::{kernel, run};

/// Runs a kernel with workgroups of several sizes; `tile` is workgroup memory with an element for each invocation.
fn each_size(body: &str, expected: impl Fn(u32, u32, u32) -> u32) {
    for (size, count) in [("1", 1u32), ("8", 8), ("20", 20), ("64", 64), ("100", 100), ("16,4", 64), ("4,3,5", 60)] {
        let globals = format!("const count = {count}u; var<workgroup> tile: array<u32, count>;");
        let body = format!("let n = li + wid.x * count; tile[li] = n; workgroupBarrier(); {body}");
        let got = run(&kernel(size, &globals, &body), &[&vec![9999; 2 * count as usize], &[3, 4]], [2, 1, 1]);
        for n in 0..2 * count {
            assert_eq!(got[n as usize], expected(n, n % count, count), "size {size}, invocation {n}\n{body}");
        }
    }
}

#[test]
fn conditions_on_the_position() {
    type Holds = fn(u32, u32) -> bool;
    let conditions: [(&str, Holds); 12] = [
        ("li < 3u", |li, _| li < 3),
        ("li < 16u", |li, _| li < 16),
        ("li >= 17u", |li, _| li >= 17),
        ("li == count - 1u", |li, count| li == count - 1),
        ("li != 9u", |li, _| li != 9),
        ("li < 0u", |_, _| false),
        ("li % 16u == 11u", |li, _| li % 16 == 11),
        ("li > 8u && li < 33u", |li, _| li > 8 && li < 33),
        ("li < 2u || li == 40u", |li, _| li < 2 || li == 40),
        ("!(li >= 12u)", |li, _| li < 12),
        ("li < data[0]", |li, _| li < 3),
        ("li < 30u && li >= data[1]", |li, _| (4..30).contains(&li)),
    ];
    for (condition, holds) in conditions {
        let body = format!(
            "if ({condition}) {{ tile[li] += 1000u; }} workgroupBarrier();
             let other = tile[count - 1u - li]; workgroupBarrier();
             var kept = other; if ({condition}) {{ kept += 7u; }} workgroupBarrier();
             if ({condition}) {{ tile[li] = kept; }} workgroupBarrier();
             out[n] = tile[li] + kept;"
        );
        each_size(&body, |n, li, count| {
            let bonus = |li| if holds(li, count) { 1000 } else { 0 };
            let own = n + bonus(li);
            let mirrored = count - 1 - li;
            let other = n - li + mirrored + bonus(mirrored);
            let kept = other + if holds(li, count) { 7 } else { 0 };
            kept + if holds(li, count) { kept } else { own }
        });
    }
}

#[test]
fn rows() {
    for (size, x, y) in [("16,4", 16, 4), ("4,3,5", 4, 3)] {
        let count = if size == "16,4" { 64usize } else { 60 };
        let globals = "var<workgroup> tile: array<u32, 64>;";
        let body = "tile[li] = li; workgroupBarrier(); if (lid.y == 1u) { tile[li] += 100u; } workgroupBarrier();
                    if (lid.x == 0u && lid.y == 2u) { tile[li] += 200u; } workgroupBarrier(); out[li] = tile[li];";
        let got = run(&kernel(size, globals, body), &[&vec![0; count], &[0]], [1, 1, 1]);
        for li in 0..count as u32 {
            let (column, row) = (li % x, li / x % y);
            let extra = if row == 1 { 100 } else { 0 } + if column == 0 && row == 2 { 200 } else { 0 };
            assert_eq!(got[li as usize], li + extra, "{size}, invocation {li}");
        }
    }
}

#[test]
fn after_the_last_barrier() {
    each_size("if (li == 0u) { for (var k = 0u; k < count; k++) { out[n + k] = tile[count - 1u - k] * 2u; } }", {
        |n, li, count| (n - li + count - 1 - li) * 2
    });
    each_size("out[n] = 5u; if (data[0] == 3u) { return; } out[n] = tile[li];", |_, _, _| 5);
    each_size(
        "out[n] = 5u; if (n % 3u == 1u) { return; } out[n] = tile[li] + 1u;",
        |n, _, _| {
            if n % 3 == 1 { 5 } else { n + 1 }
        },
    );
}

#[test]
fn variables_that_regions_change() {
    each_size(
        "var a = 1u; var b = n; workgroupBarrier(); a += tile[count - 1u - li]; workgroupBarrier();
         for (var k = 0u; k < data[1]; k++) { b += a; } workgroupBarrier();
         tile[li] = b; workgroupBarrier(); workgroupBarrier(); out[n] = tile[li] + a + b;",
        |n, li, count| {
            let a = 1 + n - li + count - 1 - li;
            let b = n + 4 * a;
            2 * b + a
        },
    );
}

#[test]
fn in_a_loop_with_an_unknown_end() {
    each_size(
        "var sum = 0u; for (var k = 0u; k < data[0] + 1u; k++) {
            if (li < 9u) { tile[li] += k; } workgroupBarrier(); sum += tile[count - 1u - li]; workgroupBarrier(); }
         out[n] = sum;",
        |n, li, count| {
            let mirrored = count - 1 - li;
            let other = n - li + mirrored;
            let added: u32 = if mirrored < 9 { 1 + 3 + 6 } else { 0 };
            4 * other + added
        },
    );
}
