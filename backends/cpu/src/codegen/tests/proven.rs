//! Checks that are omitted because of proofs or of the author's promise. Proofs are not valid for inactive lanes.

use std::sync::Arc;

use anywarp_backend::{Checks, FunctionProofs, Leave, Mode, Program, Proofs, Unchecked};

use super::{kernel, program, run_function};

/// Returns proofs that all indices of a program are in range and all its loops end.
fn proven(program: &Program) -> Proofs {
    let of = |function: &naga::Function| FunctionProofs {
        in_range: vec![true; function.expressions.len()],
        ends: vec![true; 16],
        turns: Vec::new(),
    };
    Proofs {
        functions: program.module.functions.iter().map(|(_, function)| of(function)).collect(),
        entry: of(&program.module.entry_points[0].function),
    }
}

/// The option for a kernel's checks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// Without proofs, and with all checks.
    Unproven,
    Proven,
    /// With proofs, but with [`Checks::Driver`], which keeps all checks.
    Driver,
    Off,
}

fn compiled(source: &str, how: How, checked: bool) -> crate::ir::Function {
    let program = program(source);
    let checks = match how {
        How::Unproven | How::Proven => Checks::Proven,
        How::Driver => Checks::Driver,
        // SAFETY: no active invocation of these kernels leaves its variables.
        How::Off => Checks::Off(unsafe { Unchecked::promise() }),
    };
    let proofs = (how != How::Unproven).then(|| Arc::new(proven(&program)));
    let program = Program { proofs, leave: Leave { checks, ..Leave::default() }, ..program };
    let mut function = crate::lower::lower(&program, if checked { Mode::Checked } else { Mode::Plain })
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    if !checked {
        crate::ir::optimise::run(&mut function);
    }
    function
}

/// Counts the clamps and comparisons of indices in a kernel's code.
fn tests(source: &str, how: How) -> usize {
    let text = crate::codegen::clif(&compiled(source, how, false), crate::math::Functions::Fast)
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    text.matches("umin").count() + text.matches("icmp ult").count()
}

#[test]
fn proven_accesses_are_not_tested() {
    for (name, body) in [
        ("row", "out[i] = data[i] + 1u;"),
        ("one element", "out[wid.x] = data[wid.y];"),
        ("anywhere", "out[data[i] * i] = data[i * i];"),
        ("vectors", "var v = array<vec4u, 9>(); v[i][i * i] = 3u; out[i] = v[i * 7u].y;"),
        (
            "values",
            "let v = array(vec4u(i), vec4u(1u), vec4u(2u), vec4u(i), vec4u(i), vec4u(i), vec4u(i), vec4u(i), vec4u(i * i)); out[i] = v[i].x;",
        ),
        ("a constant index", "out[i] = data[7]; data[9] = 1u;"),
        ("a function", "change(i * i); out[i] = 1u;"),
    ] {
        let source = kernel("16", "fn change(at: u32) { data[at] = data[at + 1u]; }", body);
        let [unproven, proven, driver, off] =
            [How::Unproven, How::Proven, How::Driver, How::Off].map(|how| tests(&source, how));
        assert!(unproven > off, "{name}: {unproven} tests without a proof, {off} with a promise");
        assert_eq!(proven, off, "{name}: tests with a proof, and with a promise");
        assert_eq!(driver, unproven, "{name}: a proof is used only with Checks::Proven");
    }
}

/// Inactive lanes have indices far outside of all memory here.
#[test]
fn inactive_lanes_touch_nothing() {
    let far = "let far = select(i, i * 123456789u + 2000000000u, i % 3u == 1u);";
    let cases = [
        "if (i % 3u != 1u) { out[i] = data[far]; }",
        "if (i % 3u != 1u) { let x = data[far]; out[far] = x; }",
        "var x = 5u; if (i % 3u != 1u) { x = data[far]; } if (i % 3u != 1u) { out[i] = x; }",
        "if (i % 3u == 1u) { return; } out[far] = data[far] + 0u * data[i];",
        // All lanes have the same index, far out of range, in groups without an active lane.
        "let at = select(wid.x, 4000000000u, wid.x == 1u); if (at < 64u && i % 3u != 1u) { out[i] = data[i] + 0u * data[at]; }
         if (wid.x == 1u && i % 3u != 1u) { out[i] = data[i]; }",
        // Private memory.
        "var own = array<u32, 64>(); own[i % 64u] = data[i % 24u]; if (i % 3u != 1u) { own[far] += 0u; out[i] = own[far]; }",
        "for (var k = i; k < 24u; k += 24u) { if (k % 3u != 1u) { out[far] = data[far]; } }",
    ];
    let data: Vec<u32> = (100..124).collect();
    let expected: Vec<u32> = (0..24).map(|i| if i % 3 == 1 { 7 } else { 100 + i }).collect();
    for body in cases {
        for how in [How::Unproven, How::Proven, How::Off] {
            for size in ["8", "24", "12"] {
                let source = kernel(size, "", &format!("{far} {body}"));
                let function = compiled(&source, how, false);
                let groups = [24 / size.parse::<u32>().unwrap(), 1, 1];
                let got =
                    run_function(&function, &[&[7; 24], &data], groups, 1 << 20).map(|mut all| all.swap_remove(0));
                assert_eq!(got.as_ref(), Ok(&expected), "{how:?}, groups of {size}: {body}");
            }
        }
    }
}

/// Lanes that have returned have indices below zero, in a group whose other lanes go on.
#[test]
fn lanes_that_have_returned_touch_nothing() {
    let body = "if (i >= 40u) { return; }
                if (i == 0u || i + 1u == 40u) { out[i] = 5u; return; }
                out[i] = data[i - 1u] + data[i] + data[i + 1u];";
    let data: Vec<u32> = (100..140).collect();
    let expected: Vec<u32> = (0..40).map(|i| if i == 0 || i == 39 { 5 } else { 300 + 3 * i }).collect();
    for how in [How::Unproven, How::Proven, How::Off] {
        for (size, groups) in [("8", 5), ("16", 3), ("64", 1)] {
            let function = compiled(&kernel(size, "", body), how, false);
            let got = run_function(&function, &[&[7; 40], &data], [groups, 1, 1], 1 << 20);
            assert_eq!(got.map(|mut all| all.swap_remove(0)).as_ref(), Ok(&expected), "{how:?}, groups of {size}");
        }
    }
}

/// A read of constant memory may be moved before its guard only if its address is valid there too.
#[test]
fn a_read_that_a_guard_makes_valid_stays_behind_it() {
    for (index, proofs_move_it) in [("wid.x * 100000000u", false), ("wid.x % 64u", false), ("0u", true)] {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            @group(0) @binding(1) var<storage, read> data: array<u32>;
            @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) wid: vec3u) {{
                let far = {index};
                if (far < arrayLength(&data)) {{ out[id.x] = data[far]; }}
            }}"
        );
        for (how, expected) in [(How::Unproven, true), (How::Proven, proofs_move_it), (How::Off, proofs_move_it)] {
            let function = compiled(&source, how, false);
            let text = crate::codegen::clif(&function, crate::math::Functions::Fast)
                .unwrap_or_else(|error| panic!("{error}\n{source}"));
            let moves = text.lines().any(|line| line.contains("= load.i32 notrap readonly can_move"));
            assert_eq!(moves, expected, "{how:?}: data[{index}] may be read before its guard\n{text}");
            let got =
                run_function(&function, &[&[7; 24], &[1, 2]], [3, 1, 1], 1 << 20).map(|mut all| all.swap_remove(0));
            let value = |group: usize| match index {
                "0u" => 1,
                "wid.x % 64u" if group == 1 => 2,
                _ if group == 0 => 1,
                _ => 7,
            };
            assert_eq!(got, Ok((0..24).map(|at| value(at / 8)).collect()), "{how:?}: {index}");
        }
    }
}

#[test]
fn turns_are_counted_but_on_somebodys_word() {
    let source = kernel("8", "", "var k = 0u; loop { if (k >= 1000u + data[0]) { break; } k++; } out[i] = k;");
    let stops = |how| run_function(&compiled(&source, how, false), &[&[0; 8], &[0; 8]], [1, 1, 1], 100).is_err();
    assert_eq!(
        [How::Unproven, How::Proven, How::Driver, How::Off].map(stops),
        [true, true, true, false],
        "stopped after 100 iterations: a loop that ends may still take very long"
    );
}

#[test]
fn checked_kernels_report_all_the_same() {
    let source = kernel("16", "", "out[i * 3u] = data[i]; loop { if (data[i] == 0u) { break; } }");
    let wanted = format!("{}", compiled(&source, How::Unproven, true));
    for how in [How::Proven, How::Driver, How::Off] {
        let function = compiled(&source, how, true);
        assert_eq!(format!("{function}"), wanted, "{how:?}");
        assert!(!function.endless, "{how:?}");
    }
}
