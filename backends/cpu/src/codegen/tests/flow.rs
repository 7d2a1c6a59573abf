//! Divergent control flow.

use super::{kernel, run, try_run};
use crate::abi::Stop;
use anywarp_backend::Mode;

fn check(body: &str, expected: impl Fn(u32) -> u32) {
    for size in ["16", "5", "1", "4,2,3"] {
        let source = kernel(size, "", &format!("let n = li + wid.x * 24u; {body}"));
        let sizes: Vec<u32> = size.split(',').map(|size| size.parse().unwrap()).collect();
        let count: u32 = sizes.iter().product();
        let source = source.replace("out[i]", "out[n]").replace("(i)", "(n)");
        let got = run(&source, &[&[u32::MAX; 72], &[3]], [3, 1, 1]);
        for group in 0..3 {
            for li in 0..count {
                let n = li + group * 24;
                assert_eq!(got[n as usize], expected(n), "size {size}, invocation {n}\n{body}");
            }
        }
    }
}

#[test]
fn branches() {
    check("var x = 1u; if (n % 3u == 0u) { x = 10u; } else if (n % 3u == 1u) { x += 20u; } out[i] = x;", |n| {
        [10, 21, 1][(n % 3) as usize]
    });
}

#[test]
fn loops_that_end_at_different_times() {
    check("var k = 0u; var s = 0u; loop { if (k >= n) { break; } s += k; k++; } out[i] = s * 100u + k;", |n| {
        n * (n.max(1) - 1) / 2 * 100 + n
    });
}

#[test]
fn loops_without_an_end_that_no_lane_enters() {
    check("out[i] = n; if (n == 1000u) { loop { out[i] = 0u; } } out[i] += 1u;", |n| n + 1);
    check("out[i] = n; if (n != 1000u) { out[i] += 2u; } else { loop { out[i] = 0u; } }", |n| n + 2);
    check(
        "out[i] = n; if (n < 50u) { if (n == 1000u) { loop { out[i] = 0u; } } out[i] += 3u; } else { out[i] = 9u; }",
        |n| if n < 50 { n + 3 } else { 9 },
    );
    check("out[i] = n; switch n { case 999u: { loop { out[i] = 0u; } } case 4u: { out[i] = 1u; } default: {} }", |n| {
        if n == 4 { 1 } else { n }
    });
}

#[test]
fn continues_and_nested_breaks() {
    check(
        "var s = 0u; for (var a = 0u; a < 10u; a++) { if ((a + n) % 3u == 0u) { continue; }
         for (var b = 0u; b < 10u; b++) { if (b > n % 4u) { break; } if (b == 1u) { continue; } s += a * b + 1u; }
         if (a == n % 7u) { break; } } out[i] = s;",
        |n| {
            let mut s = 0;
            for a in 0..10 {
                if (a + n) % 3 == 0 {
                    continue;
                }
                for b in 0..10 {
                    if b > n % 4 {
                        break;
                    }
                    if b == 1 {
                        continue;
                    }
                    s += a * b + 1;
                }
                if a == n % 7 {
                    break;
                }
            }
            s
        },
    );
}

#[test]
fn early_returns() {
    check("out[i] = 7u; if (n % 2u == 0u) { return; } out[i] = 8u; if (n % 3u == 0u) { return; } out[i] += n;", |n| {
        if n % 2 == 0 {
            7
        } else if n % 3 == 0 {
            8
        } else {
            8 + n
        }
    });
}

#[test]
fn switches() {
    check(
        "var x = 0u; switch n % 6u { case 1u, 4u: { x = 5u; } default: { x = 9u; } case 2u: { if (n > 9u) { break; } x = 6u; } }
         out[i] = x;",
        |n| match n % 6 {
            1 | 4 => 5,
            2 if n > 9 => 0,
            2 => 6,
            _ => 9,
        },
    );
}

#[test]
fn a_variable_keeps_its_value_in_lanes_that_left() {
    check(
        "var k = 0u; var last = 77u; for (; k < 20u; k++) { if (k == n % 5u) { break; } last = k; } out[i] = last * 100u + k;",
        |n| {
            let k = n % 5;
            if k == 0 { 7700 } else { (k - 1) * 100 + k }
        },
    );
}

#[test]
fn a_variable_from_before_a_loop_in_a_branch_of_it() {
    check(
        "var c = 0u; for (var k = 0u; k < 6u; k++) { if (((n >> (k % 3u)) & 1u) == 1u) { c += k + 1u; } } out[i] = c;",
        |n| (0..6).filter(|k| (n >> (k % 3)) & 1 == 1).map(|k| k + 1).sum(),
    );
}

#[test]
fn loops_without_end_are_stopped() {
    for body in [
        "loop { out[i] += 1u; if (out[i] == 0u && data[0] == 9u) { break; } }",
        "while (data[0] != 1u) { out[0] = 1u; }",
        "if (i == 5u) { loop { out[i] = 1u; } } out[i] = 2u;",
        // The exit of the loop is not reached.
        "for (var k = 0u; ; k++) { if (k >= 3u) { if (data[0] == 3u) { continue; } break; } out[i] += k; }",
    ] {
        let source = kernel("8", "", body);
        assert_eq!(try_run(&source, &[&[0; 8], &[3]], [1, 1, 1], 10_000), Err(Stop::StepLimit as u32), "{body}");
    }
}

#[test]
fn loops_of_few_turns_are_not_counted() {
    let work = "out[i] += data[0] * k; out[i] ^= data[0] + k; out[i] -= data[0] * 3u; out[i] |= data[0]; out[i] += k;";
    let turns = |counter: &str, turns: u32, body: &str| {
        format!("for (var {counter} = 0u; {counter} < {turns}u; {counter}++) {{ {body} }}")
    };
    for (body, counted) in [
        (turns("k", 40, work), false),
        (turns("k", 60, work), false),
        (turns("k", 60, &format!("{work} workgroupBarrier();")), false),
        // Loops of 64 iterations or fewer have no step count; this limit is the optimiser's.
        (turns("k", 70, work), true),
        // Two nested short loops have 2,500 iterations together, so the outer loop has a step count.
        (turns("k", 50, &format!("{work} {}", turns("j", 50, &work.replace('k', "j")))), true),
    ] {
        let function = {
            let mut function = crate::lower::lower(&crate::lower::tests::program(&kernel("8", "", &body)), Mode::Plain)
                .unwrap_or_else(|error| panic!("{error}\n{body}"));
            crate::ir::optimise::run(&mut function);
            function
        };
        let got = super::run_function(&function, &[&[0; 8], &[3]], [1, 1, 1], 30);
        assert_eq!(got.is_err(), counted, "30 turns are allowed: {body}\n{function}");
    }
}

#[test]
fn functions_of_what_is_the_same_for_all_are_computed_ahead_of_the_loops() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read> given: array<f32, 4>;
        var<workgroup> tile: array<f32, 24>;
        @compute @workgroup_size(24)
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32,
            @builtin(workgroup_id) group: vec3u) {
            let all = sin(given[1]) * 1000.0;
            let here = exp(f32(group.x)) + given[2];
            tile[li] = all + f32(li);
            workgroupBarrier();
            var sum = tile[23u - li] + here;
            for (var k = 0u; k < id.x; k++) { sum += cos(given[3]); }
            if id.x == 3u { sum += exp(given[0]); }
            out[id.x] = u32(sum + all + here);
        }";
    let given = [0.5f32, 1.5, 7.0, 0.25];
    let bits = given.map(f32::to_bits);
    let results = run(source, &[&[0; 72], &bits], [3, 1, 1]);
    for (i, result) in results.iter().enumerate() {
        let (all, here) = (given[1].sin() * 1000.0, ((i / 24) as f32).exp() + given[2]);
        let branch = if i == 3 { given[0].exp() } else { 0.0 };
        let sum = all * 2.0 + (23 - i % 24) as f32 + here * 2.0 + i as f32 * given[3].cos() + branch;
        assert!((sum - *result as f32).abs() < 1.5, "invocation {i}: {result}, not {sum}");
    }
    let mut function = crate::lower::lower(&crate::lower::tests::program(source), Mode::Plain).unwrap();
    crate::ir::optimise::run(&mut function);
    let text = crate::codegen::clif(&function, crate::math::Functions::Precise).unwrap();
    // Calls that are constant in a launch are before the loop over workgroups; those within a branch stay there.
    let before_all_loops = text.split("block2").next().unwrap_or("");
    assert_eq!(before_all_loops.matches("call_indirect").count(), 2, "{text}");
}

/// A condition that is a scalar selects in lanes of 64 bits, too.
#[test]
fn uniform_conditions_select_wide_values() {
    let source =
        kernel("16", "", "out[i] = u32(select(i64(i) * 3li, i64(i) + 1000li, data[0] == 1u || data[0] == 7u));");
    for (word, expected) in [(1, 1001), (7, 1001), (2, 3)] {
        assert_eq!(run(&source, &[&[0; 16], &[word]], [1, 1, 1])[1], expected, "for {word}");
    }
}
