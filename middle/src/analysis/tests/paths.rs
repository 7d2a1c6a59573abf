//! Tests of branches, of switches, and of the points where their paths join.

use super::check;

#[test]
fn facts_of_a_branch_end_with_it() {
    check(&[
        ("if (params.n < 64u) { x[0] = 1u; } tile[params.n] = 1u;", &[false]),
        ("if (params.n < 64u) { tile[params.n] = 1u; } tile[params.n] = 2u;", &[true, false]),
        ("if (params.n < 100u) { if (params.n < 64u) { x[0] = 1u; } tile[params.n] = 1u; }", &[false]),
        ("if (id.x < arrayLength(&x)) { x[0] = 1u; } x[id.x] = 1u;", &[false]),
        ("if (x[0] == 1u) { if (params.n >= 64u) { return; } } else { tile[params.n] = 1u; }", &[false]),
        ("var i = params.n; if (x[0] == 1u) { i = 3u; } else { tile[i] = 1u; }", &[false]),
        ("var i = 3u; if (thread > 100u) { i = params.n; } tile[i] = 1u;", &[true]),
        ("if (params.n > 64u) { return; } tile[params.n] = 1u;", &[false]),
        ("if (params.n > 63u) { return; } tile[params.n] = 1u;", &[true]),
    ]);
}

#[test]
fn facts_after_a_join_hold_on_all_paths() {
    check(&[
        ("if (x[0] == 1u) { if (params.n >= 64u) { return; } } tile[params.n] = 1u;", &[false]),
        (
            "if (x[0] == 1u) { if (params.n >= 64u) { return; } } else { if (params.n >= 100u) { return; } }
             tile[params.n] = 1u;",
            &[false],
        ),
        (
            "if (x[0] == 1u) { if (params.n >= 60u) { return; } } else { if (params.n >= 64u) { return; } }
             tile[params.n] = 1u;",
            &[true],
        ),
        ("if (x[0] == 1u) { if (id.x >= arrayLength(&x)) { return; } } x[id.x] = 1u;", &[false]),
        (
            "if (x[0] == 1u) { if (id.x >= arrayLength(&x)) { return; } } else { if (id.x > arrayLength(&x)) { return; } }
             x[id.x] = 1u;",
            &[false],
        ),
        ("var i = params.n; if (x[0] == 1u) { i = 3u; } tile[i] = 1u;", &[false]),
        ("var i = 3u; if (x[0] == 1u) { i = params.n; } tile[i] = 1u;", &[false]),
        ("var i = 3u; if (x[0] == 1u) { } else { i = params.n; } tile[i] = 1u;", &[false]),
        ("var v = vec2<u32>(1u, 1u); if (x[0] == 1u) { } else { v = vec2<u32>(params.n, 1u); } tile[v.x] = 1u;", &[false]),
        ("var v = vec2<u32>(1u, 1u); if (x[0] == 1u) { } else { v = vec2<u32>(params.n, 1u); } tile[v.y] = 1u;", &[true]),
        // These conditions are combined with `select`.
        ("let ok = select(false, (id.x < arrayLength(&x)), params.n > 3u); if (ok) { x[id.x] = 1u; }", &[true]),
        ("let ok = select(params.m > 2, false, params.n >= 64u); if (ok) { tile[params.n] = 1u; }", &[true]),
        ("let ok = select(params.m > 2, false, params.n < 64u); if (ok) { tile[params.n] = 1u; }", &[false]),
        ("let ok = select((params.n < 64u), true, params.m > 2); if (ok) { tile[params.n] = 1u; }", &[false]),
        ("let ok = params.n < 64u; if (ok) { tile[params.n] = 1u; }", &[true]),
        ("let ok = params.n < 64u; if (!ok) { tile[params.n] = 1u; }", &[false]),
    ]);
}

#[test]
fn cases_narrow_the_selector() {
    check(&[
        ("switch params.n { case 3u: { } default: { tile[params.n] = 1u; } }", &[false]),
        ("switch params.n { case 3u: { tile[params.n] = 1u; } default: { } }", &[true]),
        ("switch params.n { case 100u: { tile[params.n] = 1u; } default: { } }", &[false]),
        ("switch params.n { case 100u, 3u: { tile[params.n] = 1u; } default: { } }", &[false]),
        ("switch params.n { case 3u, 100u: { tile[params.n] = 1u; } default: { } }", &[false]),
        ("switch params.n { case 3u, default: { tile[params.n] = 1u; } }", &[false]),
        (
            "switch (params.n & 3u) { case 0u: { } case 1u: { } case 2u: { } default: { tile[params.n & 3u] = 1u; } }",
            &[true],
        ),
        ("var i = params.n; switch x[0] { case 1u: { i = 3u; } default: { tile[i] = 1u; } }", &[false]),
        ("var i = 3u; switch x[0] { case 1u: { } case 2u: { } default: { i = params.n; } } tile[i] = 1u;", &[false]),
        ("var i = 3u; switch x[0] { case 1u: { } case 2u: { i = params.n; } default: { } } tile[i] = 1u;", &[false]),
        ("var i = 3u; switch x[0] { case 1u: { i = params.n; break; } default: { } } tile[i] = 1u;", &[false]),
        (
            "var i = 3u; switch x[0] { case 1u: { if (x[1] == 2u) { i = params.n; break; } } default: { } } tile[i] = 1u;",
            &[false],
        ),
        ("var i = params.n; switch x[0] { case 1u: { i = 3u; } default: { i = 5u; } } tile[i] = 1u;", &[true]),
    ]);
    // The analysis does not use the value of the selector with so many cases, but it considers the stores of the cases.
    let cases: String = (0..70).map(|at| format!("case {at}u: {{ i = {at}u; }} ")).collect();
    check(&[
        (&format!("var i = 3u; switch params.n {{ {cases} default: {{ }} }} tile[i] = 1u;"), &[false]),
        (&format!("var i = 3u; switch params.n {{ {cases} default: {{ }} }} tile[i & 63u] = 1u;"), &[true]),
        (&format!("var i = 3u; switch params.n {{ {cases} default: {{ tile[params.n] = 1u; }} }}"), &[false]),
    ]);
}

#[test]
fn returns_of_a_function_are_joined() {
    check(&[
        (
            "fn pick(i: u32) -> u32 { if (i > 9u) { return 9u; } return params.n; } --- tile[pick(id.x)] = 1u;",
            &[false],
        ),
        (
            "fn pick(i: u32) -> u32 { if (i > 9u) { return params.n; } return 9u; } --- tile[pick(id.x)] = 1u;",
            &[false],
        ),
        (
            "fn pick(i: u32) -> u32 { if (i == 1u) { return params.n; } if (i == 2u) { return 3u; } return 4u; }
             --- tile[pick(id.x)] = 1u;",
            &[false],
        ),
        (
            "fn pick(i: u32) -> u32 { for (var k = 0u; k < 9u; k++) { if (x[k] == i) { return params.n; } } return 4u; }
             --- tile[pick(id.x)] = 1u;",
            &[false, false],
        ),
        ("fn guard(i: u32) { if (i >= 64u) { return; } tile[i] = 1u; } --- guard(id.x); tile[id.x] = 1u;", &[true, false]),
        ("fn put(i: u32) { tile[i] = 1u; } --- put(thread + 1u); put(thread);", &[false]),
        (
            "fn fill(p: ptr<function, u32>) { for (var k = 0u; k < 3u; k++) { tile[*p] = 1u; *p = params.n; } }
             --- var i = 0u; fill(&i);",
            &[false],
        ),
        ("fn change() { own = params.n; } --- own = 1u; for (var k = 0u; k < 2u; k++) { tile[own] = 1u; change(); }", &[false]),
        ("fn change() { own = params.n; } --- own = 1u; change(); tile[own] = 1u;", &[false]),
        (
            "fn change() { if (params.n > 9u) { own = params.n; return; } own = 2u; } --- own = 1u; change(); tile[own] = 1u;",
            &[false],
        ),
        ("fn put(p: ptr<function, u32>) { *p = params.n; } --- var i = 1u; put(&i); tile[i] = 1u;", &[false]),
        ("fn put(p: ptr<function, u32>) { *p = 2u; } --- var i = params.n; put(&i); tile[i] = 1u;", &[true]),
        ("fn first(v: vec2<u32>) -> u32 { return v.x; } --- tile[first(vec2<u32>(3u, params.n))] = 1u;", &[true]),
        ("fn second(v: vec2<u32>) -> u32 { return v.y; } --- tile[second(vec2<u32>(3u, params.n))] = 1u;", &[false]),
    ]);
}
