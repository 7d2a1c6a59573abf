//! Variables whose values depend on different sequences of assignments.

use super::kernel::Kernel;

const BODIES: &[(&str, &str)] = &[
    ("initialised by uniform", "var x = p.n; if x > 3u { workgroupBarrier(); }"),
    ("initialised by local", "var x = lid; if x > 3u { workgroupBarrier(); }"),
    ("not initialised", "var x: u32; if x > 3u { workgroupBarrier(); }"),
    ("overwritten by uniform", "var x = lid; x = p.n; if x > 3u { workgroupBarrier(); }"),
    ("overwritten by local", "var x = p.n; x = lid; if x > 3u { workgroupBarrier(); }"),
    ("added to", "var x = p.n; x += p.m; if x > 3u { workgroupBarrier(); }"),
    ("local added to", "var x = p.n; x += lid; if x > 3u { workgroupBarrier(); }"),
    ("local kept by +=", "var x = lid; x += p.n; if x > 3u { workgroupBarrier(); }"),
    ("incremented", "var x = lid; x++; if x > 3u { workgroupBarrier(); }"),
    ("assigned in a divergent if", "var x = p.n; if lid > 3u { x = 1u; } if x > 3u { workgroupBarrier(); }"),
    ("assigned in a uniform if", "var x = p.n; if p.m > 3u { x = 1u; } if x > 3u { workgroupBarrier(); }"),
    ("local in one branch", "var x = p.n; if p.m > 3u { x = lid; } if x > 3u { workgroupBarrier(); }"),
    (
        "local in both branches",
        "var x = p.n; if p.m > 3u { x = lid; } else { x = lid + 1u; } if x > 3u { workgroupBarrier(); }",
    ),
    (
        "overwritten in both branches",
        "var x = lid; if p.m > 3u { x = 1u; } else { x = 2u; } if x > 1u { workgroupBarrier(); }",
    ),
    ("overwritten in one branch", "var x = lid; if p.m > 3u { x = 1u; } if x > 1u { workgroupBarrier(); }"),
    (
        "local in a branch that returns",
        "var x = p.n; if p.m > 3u { x = lid; return; } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "local in a branch that breaks",
        "var x = p.n; loop { if p.m > 3u { x = lid; break; } if p.m > 1u { break; } } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "local in a branch that continues",
        "var x = p.n; for (var i = 0u; i < 4u; i++) { if x > 1u { workgroupBarrier(); } if p.m > 3u { x = lid; continue; } }",
    ),
    (
        "local assigned behind in a loop",
        "var x = p.n; for (var i = 0u; i < 4u; i++) { if x > 1u { workgroupBarrier(); } x = lid; }",
    ),
    (
        "local assigned behind, reset before",
        "var x = p.n; for (var i = 0u; i < 4u; i++) { x = i; if x > 1u { workgroupBarrier(); } x = lid; }",
    ),
    (
        "local assigned behind, reset by continuing",
        "var x = p.n; var i = 0u; loop { if x > 1u { workgroupBarrier(); } x = lid; continuing { x = i; i++; break if i > 4u; } }",
    ),
    ("local assigned behind, then break", "var x = p.n; loop { if x > 1u { workgroupBarrier(); } x = lid; break; }"),
    ("behind a loop", "var x = p.n; for (var i = 0u; i < 4u; i++) { x = lid; } if x > 1u { workgroupBarrier(); }"),
    (
        "behind a loop, overwritten",
        "var x = p.n; for (var i = 0u; i < 4u; i++) { x = lid; } x = 0u; if x > 1u { workgroupBarrier(); }",
    ),
    (
        "behind a loop that counts by local",
        "var x = 0u; for (var i = 0u; i < lid; i++) { x = 1u; } if x > 0u { workgroupBarrier(); }",
    ),
    ("counter behind a loop of local length", "var i = 0u; for (; i < lid; i++) { } if i > 1u { workgroupBarrier(); }"),
    ("counter of a uniform loop", "var i = 0u; for (; i < p.n; i++) { } if i > 1u { workgroupBarrier(); }"),
    ("declared in a loop", "for (var i = 0u; i < 4u; i++) { var x = p.n; if x > 1u { workgroupBarrier(); } x = lid; }"),
    (
        "declared in a loop without a value",
        "for (var i = 0u; i < 4u; i++) { var x: u32; if x > 1u { workgroupBarrier(); } x = lid; }",
    ),
    (
        "assigned in a switch",
        "var x = p.n; switch p.m { case 1u: { x = lid; } default: {} } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "assigned in a switch that breaks",
        "var x = p.n; switch p.m { case 1u: { x = lid; if p.n > 1u { break; } x = 1u; } default: {} } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "overwritten in every case",
        "var x = lid; switch p.m { case 1u: { x = 1u; } case 2u, 3u: { x = 2u; } default: { x = 3u; } } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "assigned in a case that returns",
        "var x = p.n; switch p.m { case 1u: { x = lid; return; } default: {} } if x > 1u { workgroupBarrier(); }",
    ),
    (
        "case does not see another",
        "var x = p.n; switch p.m { case 1u: { x = lid; } default: { if x > 1u { workgroupBarrier(); } } }",
    ),
    ("let of local", "let x = lid + 1u; let y = x * 2u; if y > 3u { workgroupBarrier(); }"),
    ("let of uniform", "let x = p.n; let y = x * size; if y > LIMIT { workgroupBarrier(); }"),
    ("let before an assignment", "var x = p.n; let y = x; x = lid; if y > 3u { workgroupBarrier(); }"),
    (
        "uniform let assigned in a divergent if",
        "let y = p.n; var x = 0u; if lid > 3u { x = y; } if x > 3u { workgroupBarrier(); }",
    ),
    (
        "uniform var assigned in a divergent if",
        "var y = p.n; var x = 0u; if lid > 3u { x = y; } if x > 3u { workgroupBarrier(); }",
    ),
    (
        "uniform var copied in a divergent if and added",
        "var y = p.n; var x = 0u; if lid > 3u { x = y + 1u; } if x > 3u { workgroupBarrier(); }",
    ),
    ("member of a struct", "var x = Pair(1u, 2u); x.a = lid; if x.b > 3u { workgroupBarrier(); }"),
    ("member overwritten", "var x = Pair(1u, 2u); x.a = lid; x.a = 1u; if x.a > 3u { workgroupBarrier(); }"),
    ("struct overwritten", "var x = Pair(1u, 2u); x.a = lid; x = Pair(3u, 4u); if x.b > 3u { workgroupBarrier(); }"),
    ("all members overwritten", "var x = Pair(lid, 2u); x.a = 1u; x.b = 1u; if x.b > 3u { workgroupBarrier(); }"),
    ("element", "var x = array<u32, 4>(); x[1] = lid; if x[2] > 3u { workgroupBarrier(); }"),
    ("element at a local index", "var x = array<u32, 4>(); x[lid % 4u] = 1u; if x[2] > 3u { workgroupBarrier(); }"),
    ("element at a uniform index", "var x = array<u32, 4>(); x[p.n % 4u] = 1u; if x[2] > 3u { workgroupBarrier(); }"),
    ("read at a local index", "var x = array<u32, 4>(); if x[lid % 4u] > 3u { workgroupBarrier(); }"),
    ("component", "var x = vec4<u32>(); x.y = lid; if x.z > 3u { workgroupBarrier(); }"),
    (
        "component overwritten by a vector",
        "var x = vec4<u32>(); x.y = lid; x = vec4(p.n); if x.z > 3u { workgroupBarrier(); }",
    ),
    ("array of one element", "var x = array<u32, 1>(lid); x[0] = 1u; if x[0] > 3u { workgroupBarrier(); }"),
    ("through a pointer", "var x = p.n; let q = &x; *q = lid; if x > 3u { workgroupBarrier(); }"),
    ("overwritten through a pointer", "var x = lid; let q = &x; *q = p.n; if x > 3u { workgroupBarrier(); }"),
    (
        "overwritten through two pointers",
        "var x = lid; let q = &x; let r = &*q; *r = p.n; if x > 3u { workgroupBarrier(); }",
    ),
    (
        "through a pointer to an element",
        "var x = array<u32, 4>(); let q = &x[2]; *q = lid; if x[1] > 3u { workgroupBarrier(); }",
    ),
    (
        "element overwritten through a pointer",
        "var x = array<u32, 4>(lid, lid, lid, lid); let q = &x[2]; *q = 1u; if x[2] > 3u { workgroupBarrier(); }",
    ),
    ("pointer with a local index", "var x = array<u32, 4>(); let q = &x[lid % 4u]; if *q > 3u { workgroupBarrier(); }"),
    (
        "pointer keeps its index",
        "var x = array<u32, 4>(); var i = p.n % 4u; let q = &x[i]; i = lid; if *q > 3u { workgroupBarrier(); }",
    ),
    (
        "pointer keeps its local index",
        "var x = array<u32, 4>(); var i = lid % 4u; let q = &x[i]; i = 0u; if *q > 3u { workgroupBarrier(); }",
    ),
    ("read through a pointer", "var x = lid; let q = &x; if *q > 3u { workgroupBarrier(); }"),
    ("pointer to a member", "var x = Pair(1u, 2u); let q = &x.a; *q = lid; if x.b > 3u { workgroupBarrier(); }"),
    (
        "whole struct through a pointer",
        "var x = Pair(lid, 2u); let q = &x; *q = Pair(1u, 1u); if x.b > 3u { workgroupBarrier(); }",
    ),
    (
        "member through a pointer to the struct",
        "var x = Pair(1u, 2u); let q = &x; (*q).a = lid; if x.b > 3u { workgroupBarrier(); }",
    ),
    ("pointer to workgroup memory", "let q = &tile[0]; if *q > 3u { workgroupBarrier(); }"),
    ("pointer to a read buffer", "let q = &input[0]; if *q > 3u { workgroupBarrier(); }"),
    ("pointer to a read buffer at a local index", "let q = &input[lid]; if *q > 3u { workgroupBarrier(); }"),
    ("pointer to a read_write buffer", "let q = &data[0]; if *q > 3u { workgroupBarrier(); }"),
    ("workgroup memory that was just written", "flag = 1u; if flag > 3u { workgroupBarrier(); }"),
    ("private memory that was just written", "own = 1u; if own > 3u { workgroupBarrier(); }"),
    ("swap", "var x = lid; var y = p.n; let t = x; x = y; y = t; if x > 3u { workgroupBarrier(); }"),
    ("swap, the other one", "var x = lid; var y = p.n; let t = x; x = y; y = t; if y > 3u { workgroupBarrier(); }"),
    (
        "sum of a loop",
        "var sum = 0u; for (var i = 0u; i < p.n; i++) { sum += input[i]; } if sum > 3u { workgroupBarrier(); }",
    ),
    (
        "sum of a loop over workgroup memory",
        "var sum = 0u; for (var i = 0u; i < 64u; i++) { sum += tile[i]; } if sum > 3u { workgroupBarrier(); }",
    ),
    ("short circuit assigned", "var x = p.n > 1u && lid > 3u; x = p.n > 1u; if x { workgroupBarrier(); }"),
    ("short circuit kept", "let x = p.n > 1u || own > 3u; if x { workgroupBarrier(); }"),
    ("loop whose step is local", "for (var i = 0u; i < 64u; i += lid) { workgroupBarrier(); }"),
    (
        "loop that halves",
        "for (var step = 32u; step > 0u; step >>= 1u) { if lid < step { tile[lid] += tile[lid + step]; } workgroupBarrier(); }",
    ),
    ("loop to an override", "for (var i = 0u; i < size; i++) { workgroupBarrier(); }"),
    ("loop to a buffer's length", "for (var i = 0u; i < arrayLength(&data); i += 64u) { workgroupBarrier(); }"),
    ("loop from the local index", "for (var i = lid; i < arrayLength(&data); i += 64u) { workgroupBarrier(); }"),
    (
        "rounds that are counted in workgroup memory",
        "loop { if workgroupUniformLoad(&flag) == 0u { break; } if lid == 0u { flag -= 1u; } workgroupBarrier(); }",
    ),
];

pub(crate) fn kernels() -> Vec<Kernel> {
    BODIES.iter().map(|(name, body)| Kernel::of_body(format!("variables/{name}"), body)).collect()
}
