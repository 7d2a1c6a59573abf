//! Functions with requirements, results and effects that their callers depend on.

use super::kernel::Kernel;

const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("barrier within", "fn f() { workgroupBarrier(); }", "f();"),
    ("barrier within, called by some", "fn f() { workgroupBarrier(); }", "if lid > 3u { f(); }"),
    ("barrier two calls deep", "fn g() { workgroupBarrier(); } fn f() { g(); }", "if lid > 3u { f(); }"),
    ("barrier in a function that is never called", "fn f() { if own > 1u { workgroupBarrier(); } }", ""),
    ("barrier by a parameter, never called", "fn f(a: u32) { if a > 1u { workgroupBarrier(); } }", ""),
    ("barrier by a parameter", "fn f(a: u32) { if a > 1u { workgroupBarrier(); } }", "f(p.n);"),
    ("barrier by a local parameter", "fn f(a: u32) { if a > 1u { workgroupBarrier(); } }", "f(lid);"),
    (
        "barrier by another parameter",
        "fn f(a: u32, b: u32) { own = b; if a > 1u { workgroupBarrier(); } }",
        "f(p.n, lid);",
    ),
    (
        "parameter two calls deep",
        "fn g(b: u32) { if b > 1u { workgroupBarrier(); } } fn f(a: u32) { g(a + 1u); }",
        "f(lid);",
    ),
    ("barrier by a constant argument", "fn f(a: u32) { if a > 1u { workgroupBarrier(); } }", "f(3u);"),
    (
        "constant argument, called by some",
        "fn f(a: u32) -> u32 { return a; }",
        "var x = 0u; if lid > 1u { x = f(3u); } if x > 1u { workgroupBarrier(); }",
    ),
    ("barrier behind a return by parameter", "fn f(a: u32) { if a > 1u { return; } workgroupBarrier(); }", "f(lid);"),
    (
        "returns by parameter, barrier behind the call",
        "fn f(a: u32) { if a > 1u { return; } own = 1u; }",
        "f(lid); workgroupBarrier();",
    ),
    ("returns its parameter", "fn f(a: u32) -> u32 { return a + 1u; }", "if f(p.n) > 1u { workgroupBarrier(); }"),
    ("returns its local parameter", "fn f(a: u32) -> u32 { return a + 1u; }", "if f(lid) > 1u { workgroupBarrier(); }"),
    (
        "returns another parameter",
        "fn f(a: u32, b: u32) -> u32 { own = a; return b; }",
        "if f(lid, p.n) > 1u { workgroupBarrier(); }",
    ),
    ("returns a constant", "fn f() -> u32 { return 1u; }", "if f() > 1u { workgroupBarrier(); }"),
    (
        "returns a constant by a parameter",
        "fn f(a: u32) -> u32 { if a > 3u { return 1u; } return 2u; }",
        "if f(lid) > 1u { workgroupBarrier(); }",
    ),
    (
        "returns a constant by a uniform parameter",
        "fn f(a: u32) -> u32 { if a > 3u { return 1u; } return 2u; }",
        "if f(p.n) > 1u { workgroupBarrier(); }",
    ),
    ("returns private memory", "fn f() -> u32 { return own; }", "if f() > 1u { workgroupBarrier(); }"),
    ("returns a buffer's element", "fn f(i: u32) -> u32 { return data[i]; }", "if f(0u) > 1u { workgroupBarrier(); }"),
    (
        "returns a read buffer's element",
        "fn f(i: u32) -> u32 { return input[i]; }",
        "if f(p.n) > 1u { workgroupBarrier(); }",
    ),
    (
        "returns a read buffer's element at a local index",
        "fn f(i: u32) -> u32 { return input[i]; }",
        "if f(lid) > 1u { workgroupBarrier(); }",
    ),
    (
        "returns what a uniform load read",
        "fn f() -> u32 { return workgroupUniformLoad(&flag); }",
        "if f() > 1u { workgroupBarrier(); }",
    ),
    (
        "pure of two",
        "fn g(a: u32) -> u32 { return a * a; } fn f(a: u32, b: u32) -> u32 { return g(a) + g(b); }",
        "if f(p.n, group.x) > 1u { workgroupBarrier(); }",
    ),
    (
        "pure of two, one local",
        "fn g(a: u32) -> u32 { return a * a; } fn f(a: u32, b: u32) -> u32 { return g(a) + g(b); }",
        "if f(p.n, lid) > 1u { workgroupBarrier(); }",
    ),
    ("barrier in an argument's call", "fn f(a: u32) -> u32 { workgroupBarrier(); return a; }", "own = f(f(lid));"),
    (
        "barrier behind &&",
        "fn f(a: u32) -> bool { workgroupBarrier(); return a > 1u; }",
        "if p.n > 1u && f(1u) { own = 1u; }",
    ),
    (
        "barrier behind local &&",
        "fn f(a: u32) -> bool { workgroupBarrier(); return a > 1u; }",
        "if lid > 1u && f(1u) { own = 1u; }",
    ),
    (
        "barrier before local &&",
        "fn f(a: u32) -> bool { workgroupBarrier(); return a > 1u; }",
        "if f(1u) && lid > 1u { own = 1u; }",
    ),
    (
        "barrier behind local ||",
        "fn f(a: u32) -> bool { workgroupBarrier(); return a > 1u; }",
        "let x = lid > 1u || f(1u);",
    ),
    (
        "barrier behind two &&",
        "fn f(a: u32) -> bool { workgroupBarrier(); return a > 1u; }",
        "let x = p.n > 1u && (own > 1u && f(1u));",
    ),
    (
        "pointer reads",
        "fn f(q: ptr<function, u32>) -> u32 { return *q; }",
        "var x = p.n; if f(&x) > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer reads local",
        "fn f(q: ptr<function, u32>) -> u32 { return *q; }",
        "var x = lid; if f(&x) > 1u { workgroupBarrier(); }",
    ),
    ("pointer decides", "fn f(q: ptr<function, u32>) { if *q > 1u { workgroupBarrier(); } }", "var x = p.n; f(&x);"),
    (
        "pointer to local decides",
        "fn f(q: ptr<function, u32>) { if *q > 1u { workgroupBarrier(); } }",
        "var x = lid; f(&x);",
    ),
    (
        "pointer decides, overwritten before",
        "fn f(q: ptr<function, u32>) { *q = 1u; if *q > 1u { workgroupBarrier(); } }",
        "var x = lid; f(&x);",
    ),
    (
        "pointer is given local",
        "fn f(q: ptr<function, u32>, a: u32) { *q = a; }",
        "var x = p.n; f(&x, lid); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given uniform",
        "fn f(q: ptr<function, u32>, a: u32) { *q = a; }",
        "var x = lid; f(&x, p.n); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given private memory",
        "fn f(q: ptr<function, u32>) { *q = own; }",
        "var x = p.n; f(&x); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given a constant",
        "fn f(q: ptr<function, u32>) { *q = 1u; }",
        "var x = lid; f(&x); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given a constant by some",
        "fn f(q: ptr<function, u32>) { *q = 1u; }",
        "var x = 0u; if lid > 1u { f(&x); } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given a constant by a parameter",
        "fn f(q: ptr<function, u32>, a: u32) { if a > 1u { *q = 1u; } }",
        "var x = 0u; f(&x, lid); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is given a constant, some return before",
        "fn f(q: ptr<function, u32>, a: u32) { if a > 1u { return; } *q = 1u; }",
        "var x = 0u; f(&x, lid); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer is untouched",
        "fn f(q: ptr<function, u32>) { own = *q; }",
        "var x = p.n; f(&x); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer to local is untouched",
        "fn f(q: ptr<function, u32>) { own = *q; }",
        "var x = lid; f(&x); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "two pointers copied",
        "fn f(q: ptr<function, u32>, r: ptr<function, u32>) { *q = *r; }",
        "var x = 1u; var y = lid; f(&x, &y); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "two pointers copied, the source",
        "fn f(q: ptr<function, u32>, r: ptr<function, u32>) { *q = *r; }",
        "var x = lid; var y = 1u; f(&x, &y); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "two pointers swapped",
        "fn f(q: ptr<function, u32>, r: ptr<function, u32>) { let t = *q; *q = *r; *r = t; }",
        "var x = lid; var y = 1u; f(&x, &y); if y > 1u { workgroupBarrier(); }",
    ),
    (
        "two pointers swapped, the other one",
        "fn f(q: ptr<function, u32>, r: ptr<function, u32>) { let t = *q; *q = *r; *r = t; }",
        "var x = lid; var y = 1u; f(&x, &y); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer two calls deep",
        "fn g(q: ptr<function, u32>, a: u32) { *q = a; } fn f(q: ptr<function, u32>, a: u32) { g(q, a); }",
        "var x = p.n; f(&x, lid); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "pointer two calls deep, uniform",
        "fn g(q: ptr<function, u32>, a: u32) { *q = a; } fn f(q: ptr<function, u32>, a: u32) { g(q, a); }",
        "var x = lid; f(&x, p.n); if x > 1u { workgroupBarrier(); }",
    ),
    (
        "array by pointer",
        "fn f(q: ptr<function, array<u32, 4>>, i: u32) { (*q)[i] = 1u; }",
        "var x = array<u32, 4>(); f(&x, lid % 4u); if x[0] > 1u { workgroupBarrier(); }",
    ),
    (
        "array by pointer, uniform",
        "fn f(q: ptr<function, array<u32, 4>>, i: u32) { (*q)[i] = 1u; }",
        "var x = array<u32, 4>(); f(&x, p.n % 4u); if x[0] > 1u { workgroupBarrier(); }",
    ),
    (
        "array by pointer, read",
        "fn f(q: ptr<function, array<u32, 4>>, i: u32) -> u32 { return (*q)[i]; }",
        "var x = array<u32, 4>(); if f(&x, lid % 4u) > 1u { workgroupBarrier(); }",
    ),
    ("workgroup pointer decides", "fn f(q: ptr<workgroup, u32>) { if *q > 1u { workgroupBarrier(); } }", "f(&flag);"),
    (
        "workgroup pointer decides, never called",
        "fn f(q: ptr<workgroup, u32>) { if *q > 1u { workgroupBarrier(); } }",
        "",
    ),
    (
        "workgroup pointer written before",
        "fn f(q: ptr<workgroup, u32>) { *q = 1u; if *q > 1u { workgroupBarrier(); } }",
        "f(&flag);",
    ),
    (
        "workgroup pointer loaded uniformly",
        "fn f(q: ptr<workgroup, u32>) -> u32 { return workgroupUniformLoad(q); }",
        "if f(&flag) > 1u { workgroupBarrier(); }",
    ),
    (
        "workgroup pointer passed on",
        "fn g(q: ptr<workgroup, u32>) -> u32 { return *q; } fn f(q: ptr<workgroup, u32>) -> u32 { return g(q); }",
        "if f(&flag) > 1u { workgroupBarrier(); }",
    ),
    ("private pointer decides", "fn f(q: ptr<private, u32>) { if *q > 1u { workgroupBarrier(); } }", "f(&own);"),
    (
        "private pointer written before",
        "fn f(q: ptr<private, u32>) { *q = 1u; if *q > 1u { workgroupBarrier(); } }",
        "f(&own);",
    ),
    ("uniform load at a parameter", "fn f(i: u32) -> u32 { return workgroupUniformLoad(&tile[i]); }", "own = f(p.n);"),
    (
        "uniform load at a local parameter",
        "fn f(i: u32) -> u32 { return workgroupUniformLoad(&tile[i]); }",
        "own = f(lid);",
    ),
    ("struct by value", "fn f(a: Pair) { if a.a > 1u { workgroupBarrier(); } }", "f(Pair(p.n, p.m));"),
    ("struct by value with local", "fn f(a: Pair) { if a.a > 1u { workgroupBarrier(); } }", "f(Pair(p.n, lid));"),
    ("loop in a function", "fn f(n: u32) { for (var i = 0u; i < n; i++) { workgroupBarrier(); } }", "f(p.n);"),
    ("loop in a function by local", "fn f(n: u32) { for (var i = 0u; i < n; i++) { workgroupBarrier(); } }", "f(lid);"),
    ("called behind a local return", "fn f() { storageBarrier(); }", "if lid > 3u { return; } f();"),
    ("called in a loop with local break", "fn f() { storageBarrier(); }", "loop { f(); if lid > 3u { break; } }"),
    (
        "call before an assignment sees it not",
        "fn f(q: ptr<function, u32>) -> u32 { *q = own; return 1u; }",
        "var x = p.n; let y = x + f(&x); if y > 1u { workgroupBarrier(); }",
    ),
    (
        "operand behind a call sees its store",
        "fn f(q: ptr<function, u32>) -> u32 { *q = own; return 1u; }",
        "var x = p.n; let y = f(&x) + x; if y > 1u { workgroupBarrier(); }",
    ),
];

const BUFFER_POINTERS: &[(&str, &str, &str)] = &[
    (
        "element of an array of local given a constant",
        "fn f(q: ptr<function, u32>) { *q = 1u; }",
        "var x = array<u32, 4>(lid, lid, lid, lid); f(&x[0]); if x[1] > 1u { workgroupBarrier(); }",
    ),
    (
        "element at a local index given a constant",
        "fn f(q: ptr<function, u32>) { *q = 1u; }",
        "var x = array<u32, 4>(); f(&x[lid % 4u]); if x[1] > 1u { workgroupBarrier(); }",
    ),
    (
        "element of workgroup memory",
        "fn f(q: ptr<workgroup, u32>) -> u32 { return workgroupUniformLoad(q); }",
        "own = f(&tile[p.n]);",
    ),
    (
        "element of workgroup memory at a local index",
        "fn f(q: ptr<workgroup, u32>) -> u32 { return workgroupUniformLoad(q); }",
        "own = f(&tile[lid]);",
    ),
    ("read buffer", "fn f(q: ptr<storage, u32, read>) { if *q > 1u { workgroupBarrier(); } }", "f(&input[0]);"),
    (
        "read buffer at a local index",
        "fn f(q: ptr<storage, u32, read>) { if *q > 1u { workgroupBarrier(); } }",
        "f(&input[lid]);",
    ),
    (
        "read_write buffer",
        "fn f(q: ptr<storage, u32, read_write>) { if *q > 1u { workgroupBarrier(); } }",
        "f(&data[0]);",
    ),
    ("uniform", "fn f(q: ptr<uniform, u32>) { if *q > 1u { workgroupBarrier(); } }", "f(&p.n);"),
];

pub(crate) fn kernels() -> Vec<Kernel> {
    let of = |(group, list): (&str, &[(&str, &str, &str)])| {
        list.iter()
            .map(|(name, functions, body)| Kernel::of_functions(format!("{group}/{name}"), functions, body))
            .collect::<Vec<_>>()
    };
    [("functions", FUNCTIONS), ("pointers", BUFFER_POINTERS)].into_iter().flat_map(of).collect()
}
