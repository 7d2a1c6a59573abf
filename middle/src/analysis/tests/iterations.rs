//! Tests of facts in loops, and of loops that end.

use super::{check, check_ends};

#[test]
fn assumptions_about_iterations_are_checked() {
    check(&[
        ("for (var i = thread; i < 100u; i++) { tile[i - 63u] = 1u; }", &[false]),
        ("for (var i = 63u; i > 0u; i--) { tile[i - 63u] = 1u; }", &[false]),
        ("for (var i = 63u; i > 0u; i--) { tile[63u - i] = 1u; }", &[true]),
        ("var i = 100u; loop { if (x[0] == 3u) { break; } tile[i] = 1u; i = (i + 1u) & 63u; }", &[false]),
        ("var i = 10u; loop { if (x[0] == 3u) { break; } tile[i] = 1u; i = (i + 1u) & 63u; }", &[true]),
        ("var i = 0u; loop { if (x[0] == 3u) { break; } tile[i] = 1u; i = x[1]; }", &[false]),
        // Each variable of a chain gets the value of the next variable.
        ("var i = 0u; var j = 0u; loop { if (x[0] == 3u) { break; } tile[j] = 1u; j = i; i++; }", &[false]),
        (
            "var a = 0u; var b = 0u; var c = 0u; var d = 0u; var e = 0u; var f = 0u;
             loop { if (x[0] == 3u) { break; } tile[a] = 1u; a = b; b = c; c = d; d = e; e = f; f++; }",
            &[false],
        ),
        (
            "var v = vec2<u32>(0u, 0u); for (var k = 0u; k < 3u; k++) { tile[v.y] = 1u; v = vec2<u32>(v.x, params.n); }",
            &[false],
        ),
        (
            "var v = vec2<u32>(0u, 0u); for (var k = 0u; k < 3u; k++) { tile[v.x] = 1u; v = vec2<u32>(v.x, params.n); }",
            &[true],
        ),
    ]);
}

#[test]
fn stores_anywhere_in_a_loop_count() {
    let stores = [
        "if (x[0] == 1u) { } else { i = params.n; }",
        "if (x[0] == 1u) { i = params.n; }",
        "for (var j = 0u; j < 2u; j++) { i = params.n; }",
        "for (var j = 0u; j < 2u; i = params.n) { j++; }",
        "switch x[0] { case 1u: { i = params.n; } default: { } }",
        "switch x[0] { case 1u: { } default: { i = params.n; } }",
        "switch x[0] { case 1u: { i = params.n; continue; } default: { } } i = 0u;",
        "{ i = params.n; }",
        "if (x[0] == 3u) { i = params.n; continue; }",
        "let p = &i; *p = params.n;",
    ];
    for store in stores {
        let body = format!("var i = 0u; for (var k = 0u; k < 3u; k++) {{ tile[i] = 1u; {store} }}");
        check(&[(&body, &[false])]);
    }
    check(&[
        ("var i = 0u; loop { tile[i] = 1u; if (x[0] == 3u) { break; } continuing { i = params.n; } }", &[false]),
        (
            "var v = vec4<u32>(); for (var k = 0u; k < 3u; k++) { tile[v.x] = 1u; v[thread & 3u] = params.n; }",
            &[false, true],
        ),
        ("var v = vec4<u32>(); for (var k = 0u; k < 3u; k++) { tile[v.x] = 1u; v.x = params.n; }", &[false]),
    ]);
}

#[test]
fn exits_of_a_loop_join_after_it() {
    check(&[
        ("var i = 0u; loop { continuing { i++; break if i >= 64u; } } tile[i - 64u] = 1u;", &[true]),
        ("var i = 0u; loop { continuing { i++; break if i >= 64u; } } tile[i - 65u] = 1u;", &[false]),
        ("var i = 0u; for (; i < 64u; i++) { } tile[i - 64u] = 1u;", &[true]),
        ("var i = 0u; for (; i < 64u; i++) { if (x[0] == 3u) { break; } } tile[i] = 1u;", &[false]),
        ("var i = 0u; loop { i = 3u; loop { break; } i = params.n; break; } tile[i] = 1u;", &[false]),
        ("var i = 0u; for (; i < 64u; i++) { if (x[0] == 3u) { i = params.n; break; } } tile[i - 64u] = 1u;", &[false]),
    ]);
}

#[test]
fn loops_end_only_if_a_variable_moves() {
    check_ends(&[
        ("var s = params.n; loop { s /= 2u; if (x[0] == 3u) { break; } }", false),
        ("var s = params.n; loop { s >>= 1u; if (x[0] == 3u) { break; } }", false),
        ("for (var s = params.n; s > 0u; s >>= (params.n & 1u)) { }", false),
        ("for (var s = params.n; s > 0u; s >>= (params.n | 32u)) { }", false),
        ("for (var s = params.n; s > 0u; s /= max(params.n, 1u)) { }", false),
        ("for (var s = params.n; s > 0u; s /= max(params.n, 2u)) { }", true),
        ("var k = thread; loop { if (params.n > k) { break; } k = k % params.n; }", false),
        (
            "if (params.n == 0u) { return; } var k = thread; loop { if (params.n > k) { break; } k = k % params.n; }",
            true,
        ),
        ("var i = 5u; loop { if (i > 100u || i < 2u) { break; } i = select(i - 1u, i + 1u, x[0] == 3u); }", false),
        ("var i = 5u; loop { if (i > 100u || i < 2u) { break; } i = select(i + 2u, i + 1u, x[0] == 3u); }", true),
        ("var i = 0u; loop { if (x[0] == 3u) { break; } i = min(i + 1u, 5u); }", false),
        ("var i = 0u; loop { if (x[0] == 3u) { break; } i++; }", false),
        ("var i = 0; loop { if (x[0] == 3u || i < 0) { break; } i = bitcast<i32>(u32(i) + 1u); }", false),
        ("for (var i = 0u; i != 11u; i += 2u) { }", false),
        ("for (var i = 0u; i != 10u; i--) { }", true),
        ("for (var i = 0u; i != 10u; i = params.n + 1u) { }", false),
        ("for (var i = 0u; i != x[0]; i++) { }", false),
        ("for (var i = 0u; i != y[0]; i++) { }", true),
        ("for (var i = 0u; i != atomicAdd(&counter, 0u); i++) { }", false),
        ("for (var i = 0u; i != workgroupUniformLoad(&level); i++) { }", false),
        ("for (var i = 0u; i < 9u; i++) { for (var j = i; j != i; j++) { } }", true),
        ("var i = 1u; for (var j = 0u; j != i; j++) { i++; }", false),
        ("var i = 0u; loop { if (i == 5u) { break; } if (x[0] == 3u) { i = 1u; } i++; }", false),
        ("var i = 0u; loop { if (x[0] == 3u) { if (i == 5u) { break; } } i++; }", false),
        ("fn wait(k: u32) { for (var i = 0u; i < k; i += 2u) { } } --- wait(9u); wait(params.n);", false),
        ("fn wait(k: u32) { for (var i = 0u; i < k; i += 2u) { } } --- wait(params.n); wait(9u);", false),
        ("fn wait(k: u32) { for (var i = 0u; i < k; i += 2u) { } } --- wait(8u); wait(9u);", true),
    ]);
}
