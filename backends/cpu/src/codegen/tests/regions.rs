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
fn values_of_variables_that_change_later() {
    each_size(
        "var s = n; workgroupBarrier(); let kept = s; tile[li] = kept + 1u; workgroupBarrier();
         let same = tile[li] + kept; workgroupBarrier();
         for (var k = 0u; k < data[0]; k++) {
            let before = s; tile[li] = before; workgroupBarrier();
            if (li >= 2u) { s += tile[li - 2u]; } workgroupBarrier();
            if (li >= 30u) { s += before; } workgroupBarrier();
         }
         out[n] = kept + 3u * s + same;",
        |n, li, count| {
            let mut values: Vec<u32> = (n - li..n - li + count).collect();
            for _ in 0..3 {
                let old = values.clone();
                for at in 2..values.len() {
                    values[at] = old[at] + old[at - 2] + if at >= 30 { old[at] } else { 0 };
                }
            }
            3 * n + 1 + 3 * values[li as usize]
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

#[test]
fn control_flow_of_the_workgroup() {
    // A loop whose end is a variable of the workgroup, an inner loop that leaves it, a branch, and a `continue`.
    each_size(
        "var sum = 0u; var limit = data[1];
         loop {
            if (limit == 0u) { break; }
            limit -= 1u;
            if (limit == 2u) { continue; }
            tile[li] += limit; workgroupBarrier();
            sum += tile[count - 1u - li]; workgroupBarrier();
            for (var k = 0u; k < 3u; k++) {
                if (k == limit) { break; }
                tile[li] += 10u; workgroupBarrier(); sum += tile[(li + 1u) % count]; workgroupBarrier();
            }
         }
         out[n] = sum;",
        |n, li, count| {
            let start = n - li;
            let (mut sum, mut added) = (0, 0);
            for limit in [3u32, 1, 0] {
                added += limit;
                sum += start + count - 1 - li + added;
                for _ in 0..limit.min(3) {
                    added += 10;
                    sum += start + (li + 1) % count + added;
                }
            }
            sum
        },
    );
}

#[test]
fn variables_of_the_workgroup_that_regions_read() {
    each_size(
        "var step = 1u; var sum = 0u;
         for (var round = 0u; round < 3u; round++) {
            for (var k = 0u; k < 2u; k++) { sum += step * (k + 1u); }
            step += data[0];
            for (var k = 0u; k < 2u; k++) { sum += step * 100u; }
            step *= 2u;
            tile[li] = sum; workgroupBarrier(); sum += tile[count - 1u - li] - tile[li]; workgroupBarrier();
         }
         out[n] = sum + step;",
        |_, _, _| {
            let (mut step, mut sum) = (1, 0);
            for _ in 0..3 {
                sum += step * 3;
                step += 3;
                sum += step * 200;
                step *= 2;
            }
            sum + step
        },
    );
    // A variable that a region's own loop changes.
    each_size(
        "var total = 5u; workgroupBarrier();
         for (var k = 0u; k < 4u; k++) { total += k; if (total > data[1] + 6u) { total -= 1u; } } workgroupBarrier();
         for (var j = 0u; j < total; j += 3u) { tile[li] += 1u; workgroupBarrier(); }
         out[n] = tile[li] + total;",
        |n, _, _| {
            let mut total = 5;
            for k in 0..4 {
                total += k;
                if total > 10 {
                    total -= 1;
                }
            }
            n + u32::div_ceil(total, 3) + total
        },
    );
}

#[test]
fn loads_that_are_the_same_in_the_workgroup() {
    let globals = "const count = 20u; var<workgroup> tile: array<u32, count>; var<workgroup> rounds: u32;";
    let body = "tile[li] = li; if (li == 7u) { rounds = wid.x + 2u; }
                var sum = 0u;
                for (var k = 0u; k < workgroupUniformLoad(&rounds); k++) {
                    tile[li] += 1u; workgroupBarrier(); sum += tile[count - 1u - li];
                }
                out[li + wid.x * count] = sum;";
    let got = run(&kernel("20", globals, body), &[&[0; 40], &[0]], [2, 1, 1]);
    for n in 0..40u32 {
        let (li, rounds) = (n % 20, n / 20 + 2);
        assert_eq!(got[n as usize], (1..=rounds).map(|added| 19 - li + added).sum::<u32>(), "invocation {n}");
    }
}

#[test]
fn only_invocations_that_may_part_suspend() {
    let suspends = |body: &str| {
        let globals = "var<workgroup> tile: array<u32, 64>; @group(0) @binding(2) var<storage> limits: array<u32>;";
        let program = crate::lower::tests::program(&kernel("64", globals, body));
        let mut function = crate::lower::lower(&program, anywarp_backend::Mode::Plain).unwrap();
        crate::ir::optimise::run(&mut function);
        crate::codegen::clif(&function, crate::math::Functions::Fast).unwrap().contains("br_table")
    };
    let in_loop = |condition: &str| {
        format!("for (var k = 0u; {condition}; k++) {{ tile[li] += k; workgroupBarrier(); }} out[li] = tile[63u - li];")
    };
    assert!(!suspends(&in_loop("k < limits[0] + wid.x")));
    assert!(suspends(&in_loop("k < out[0]")), "another workgroup may change the limit between two reads");
    assert!(!suspends("tile[li] = 1u; workgroupBarrier(); if (tile[63u - li] == 0u) { return; } out[li] = 1u;"));
}
