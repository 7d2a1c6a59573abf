//! Compares kernels before and after: the remaining loops, and the results.

use super::run;
use crate::codegen::tests::run_function;
use crate::ir::{Function, Inst, Space, Stmt, verify};
use crate::lower::lower;
use crate::lower::tests::program;

/// Returns a kernel that writes `out[i]`, from `data: array<u32>`, with the values of [`data`].
fn kernel(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @group(0) @binding(1) var<storage, read_write> data: array<u32>;
        var<workgroup> tile: array<u32, 32>;
        const PAIRS = array<vec2u, 5>(vec2u(1, 2), vec2u(3, 4), vec2u(5, 6), vec2u(7, 8), vec2u(9, 10));
        fn early(n: u32) -> u32 {{
            for (var k = 0u; k < 5u; k++) {{ if (data[k] == n) {{ return k * 10u; }} }}
            return 99u;
        }}
        fn filled(n: u32) -> u32 {{
            var a: array<u32, 12>; for (var k = 0u; k < 12u; k++) {{ a[k] = n * k; }}
            var s = 0u; for (var k = 0u; k < 12u; k++) {{ s = s * 3u + a[11u - k]; }} return s;
        }}
        fn weighed(n: f32) -> f32 {{
            var a: array<f32, 12>; for (var k = 0; k < 12; k++) {{ a[k] = n + f32(k) * 0.1; }}
            var s = 0.0; for (var k = 0; k < 12; k++) {{ s = s * 0.7 + a[k]; }} return s;
        }}
        @compute @workgroup_size(20)
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) li: u32) {{
            let i = id.x; let n = data[i];
            {body}
        }}"
    )
}

fn data() -> Vec<u32> {
    (0..60u32).map(|i| i * 7 % 11).collect()
}

/// Counts the remaining loops.
fn loops(list: &[Stmt]) -> usize {
    list.iter()
        .map(|statement| match statement {
            Stmt::Loop { body, .. } => 1 + loops(body),
            Stmt::If { accept, reject, .. } => loops(accept) + loops(reject),
            Stmt::Block { body, .. } => loops(body),
            _ => 0,
        })
        .sum()
}

/// Optimises a kernel's body, and runs it before and after.
fn optimised(body: &str) -> Function {
    let source = kernel(body);
    let mut function = lower(&program(&source), false).unwrap_or_else(|error| panic!("{error}\n{body}"));
    let buffers: [&[u32]; 2] = [&[u32::MAX; 60], &data()];
    let before = run_function(&function, &buffers, [3, 1, 1], 1 << 20);
    run(&mut function);
    verify::verify(&function).unwrap_or_else(|broken| panic!("{broken}\n{body}\n{function}"));
    let after = run_function(&function, &buffers, [3, 1, 1], 1 << 20);
    assert!(before.is_ok(), "{body}");
    assert_eq!(before, after, "{body}\n{function}");
    function
}

#[test]
fn loops_that_are_counted_are_unrolled() {
    let bodies = [
        // Increments and decrements of all kinds.
        "var s = n; for (var k = 0u; k < 5u; k++) { s = s * 3u + data[k]; } out[i] = s;",
        "var s = n; for (var k = 9; k >= 0; k -= 2) { s = s * 3u + u32(k); } out[i] = s;",
        "var s = n; for (var k = 5u; k > 0u; k--) { s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = 1u; k <= 64u; k *= 2u) { s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = 100u; k > 0u; k /= 3u) { s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = 1u; k != 0u; k <<= 5u) { s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = -64; k < -1; k >>= 1u) { s = s * 3u + u32(k); } out[i] = s;",
        "var s = n; for (var k = 4294967290u; k > 5u; k++) { s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = -3; k < 3; k++) { s += u32(k * k) / u32(abs(k) + 1); } out[i] = s;",
        // No iterations, and one.
        "var s = n; for (var k = 7u; k < 5u; k++) { s = 0u; } out[i] = s;",
        "var s = n; for (var k = 4u; k < 5u; k++) { s += k; } out[i] = s;",
        // Other forms.
        "var s = n; var k = 0u; while (k < 6u) { s = s * 3u + k; k += 1u; } out[i] = s + k;",
        "var s = n; var k = 0u; while (6u > k) { k += 2u; s = s * 3u + k; } out[i] = s + k;",
        "var s = n; var k = 0u; loop { if (k == 6u) { break; } s = s * 3u + k; k++; } out[i] = s;",
        "var s = n; var k = 0u; loop { s = s * 3u + k; continuing { k++; break if k == 6u; } } out[i] = s;",
        "var s = n; var k = 0u; loop { s = s * 3u + k; if (k >= 6u) { break; } continuing { k++; } } out[i] = s;",
        "var s = n; var a = 0u; var b = 9u; loop { if (a > b) { break; } s = s * 3u + a * b; a += 2u; b--; } out[i] = s;",
        "var s = n; loop { s += 3u; break; } out[i] = s;",
        // Breaks, continues and returns that depend on data.
        "var s = n; for (var k = 0u; k < 6u; k++) { if (data[k] == n) { break; } s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = 0u; k < 6u; k++) { if (data[k] > n) { continue; } s = s * 3u + k; } out[i] = s;",
        "var s = n; for (var k = 0u; k < 6u; k++) { let d = data[k + i % 3u]; if (d > n) { continue; } if (d == 3u) { break; } s = s * 3u + d; } out[i] = s;",
        "var s = n; for (var k = 0u; k < 6u; k++) { if (k == 2u) { continue; } if (k == 5u) { break; } s = s * 3u + k; } out[i] = s;",
        "out[i] = 5u; for (var k = 0u; k < 6u; k++) { if (data[k] == n) { out[i] = k; return; } } out[i] = 77u;",
        "out[i] = early(n) + early(n + 1u);",
        "var s = 0u; for (var k = 0u; k < 3u; k++) { s = s * 5u + early(n + k); } out[i] = s;",
        // Switches.
        "var s = n; for (var k = 0u; k < 6u; k++) { switch k { case 1u, 3u: { s *= 7u; } case 4u: { continue; } default: { s += k; } } s++; } out[i] = s;",
        "var s = n; for (var k = 0u; k < 6u; k++) { switch data[k] { case 1u, 3u: { s *= 7u; } case 4u: { continue; } case 7u: { break; } default: { if (k == n) { break; } s += k; } } s++; } out[i] = s;",
        // Nests.
        "var s = n; for (var a = 0u; a < 4u; a++) { for (var b = 0u; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;",
        "var s = n; for (var a = -1; a <= 1; a++) { for (var b = -1; b <= 1; b++) { s = s * 3u + data[u32(clamp(i32(i) + a * 4 + b, 0, 59))]; } } out[i] = s;",
        "var s = n; for (var a = 0u; a < 4u; a++) { for (var b = a; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;",
        "var s = n; for (var a = 0u; a < 3u; a++) { for (var b = 0u; b < 3u; b++) { if (b > n % 3u) { break; } for (var c = 0u; c < 3u; c++) { if (data[c] == n + a) { continue; } s = s * 3u + c; } } if (s % 5u == 1u) { break; } } out[i] = s;",
        // Arrays.
        "out[i] = filled(n);",
        "out[i] = bitcast<u32>(weighed(f32(n))) ^ filled(n);",
        "var s = n; for (var k = 0; k < 5; k++) { let p = PAIRS[k]; s = s * p.x + p.y; } out[i] = s;",
        "var a: array<vec4f, 3>; for (var k = 0; k < 3; k++) { a[k] = vec4f(f32(k), f32(n), 2.5, f32(i)); }
         var s = vec4f(); for (var k = 0; k < 3; k++) { s = s * 1.5 + a[k]; } out[i] = bitcast<u32>(dot(s, a[1]));",
        "var a = array<u32, 3>(n, i, 7u); var s = 0u; for (var k = 0; k < 6; k++) { s = s * 3u + a[k]; a[k] = s; } out[i] = s + a[2];",
        "tile[li] = n; workgroupBarrier(); var s = 0u; for (var k = 0u; k < 4u; k++) { s = s * 3u + tile[li / 4u + k] + tile[k]; } out[i] = s;",
        // Variables that change in the loop are not known.
        "var s = n; var t = 1u; for (var k = 0u; k < 4u; k++) { if (n > k) { t = k; } s = s * 3u + t; } out[i] = s * t;",
        "var s = n; var t = s; for (var k = 0u; k < 4u; k++) { let old = s; s = t; t = old + k; } out[i] = s * 100u + t;",
    ];
    for body in bodies {
        let function = optimised(body);
        assert_eq!(loops(&function.body), 0, "{body}\n{function}");
    }
}

#[test]
fn other_loops_stay() {
    let bodies = [
        (1, "var s = n; for (var k = 0u; k < n; k++) { s = s * 3u + k; } out[i] = s;"),
        (1, "var s = n; for (var k = 0u; k < 65u; k++) { s = s * 3u + k; } out[i] = s;"),
        (1, "var s = 0u; for (var k = n; k < 20u; k++) { s = s * 3u + k; } out[i] = s;"),
        (1, "var s = 0u; for (var k = 0u; k < 20u; k += n + 1u) { s = s * 3u + k; } out[i] = s;"),
        (1, "var s = 0u; for (var k = 0u; k < 20u; k++) { s = s * 3u + k; if (s % 7u == n) { k += 2u; } } out[i] = s;"),
        (
            1,
            "var s = n; var k = 0u; while (k < 20u) { if (data[k] > n) { k += 2u; continue; } s = s * 3u + k; k++; } out[i] = s;",
        ),
        (
            1,
            "var s = n; for (var k = 0u; k < 4u; k++) { tile[li] = s; workgroupBarrier(); s = s * 3u + tile[(li + k) % 20u]; workgroupBarrier(); } out[i] = s;",
        ),
        (1, "var s = n; var f = 0.0; while (f < 1.0) { s = s * 3u; f += 0.25; } out[i] = s;"),
        (
            1,
            "var s = n; for (var a = 0u; a < n; a++) { for (var b = 0u; b < 4u; b++) { s = s * 3u + a * b; } } out[i] = s;",
        ),
        (
            3,
            "var s = n; for (var a = 0u; a < 3u; a++) { for (var b = 0u; b < n; b++) { s = s * 3u + a * b; } } out[i] = s;",
        ),
        (
            2,
            "var s = n; for (var a = 0u; a < 40u; a++) { for (var b = 0u; b < 40u; b++) { if (data[b] == s) { s = s * 3u + a * b + data[a]; } s ^= data[b + 1u] + data[a + b % 3u]; } } out[i] = s;",
        ),
        (
            1,
            "var a: array<u32, 12>; for (var k = 0u; k < 12u; k++) { a[k] = n * k; } var s = 0u; for (var k = 0u; k < n; k++) { s = s * 3u + a[k]; } out[i] = s;",
        ),
    ];
    for (left, body) in bodies {
        let function = optimised(body);
        assert_eq!(loops(&function.body), left, "{body}\n{function}");
    }
}

#[test]
fn arrays_become_registers() {
    let private = |function: &Function| {
        function
            .insts
            .iter()
            .filter(|inst| matches!(inst, Inst::Load(place, ..) if place.space == Space::Private))
            .count()
    };
    let function = optimised("out[i] = filled(n);");
    assert_eq!((private(&function), function.private_bytes), (0, 0), "{function}");
    let function = optimised("out[i] = filled(n) + filled(n + 1u);");
    assert_eq!((private(&function), function.private_bytes), (0, 0), "{function}");
    // One dynamic index keeps the array, and everything that shares its memory.
    let function = optimised("var a: array<u32, 12>; a[3] = n; a[i % 12u] = 5u; out[i] = a[3] + a[4];");
    assert!(private(&function) > 0, "{function}");
    // Constants in a table are known.
    let function = optimised("var s = 0u; for (var k = 0; k < 5; k++) { s += PAIRS[k].y; } out[i] = s;");
    assert!(function.insts.contains(&Inst::Const(crate::ir::Class::I32, 30)), "{function}");
}

#[test]
fn constant_indices_move_into_the_offset() {
    let function =
        optimised("var s = n; for (var k = 0u; k < 3u; k++) { tile[k] = s; s += tile[k + 1u]; } out[i] = s;");
    let dynamic = function.insts.iter().any(
        |inst| matches!(inst, Inst::Load(place, ..) if place.space == Space::Workgroup && !place.indices.is_empty()),
    );
    assert!(!dynamic, "{function}");
    // Out of range: reads clamp, writes are dropped.
    optimised(
        "var s = n; for (var k = 30u; k < 34u; k++) { s = s * 3u + tile[k]; if (li == 0u) { tile[k] = 1u; } } out[i] = s * 0u + n;",
    );
}
