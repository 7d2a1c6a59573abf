//! Operations that need uniformity, and filters of the rules about them.

use super::kernel::{Kernel, subgroup_arguments};

const WORKGROUP: &[(&str, &str)] = &[
    ("workgroupBarrier", "workgroupBarrier();"),
    ("storageBarrier", "storageBarrier();"),
    ("textureBarrier", "textureBarrier();"),
    ("workgroupUniformLoad", "own = workgroupUniformLoad(&flag);"),
    ("workgroupUniformLoad of an atomic", "own = workgroupUniformLoad(&ticket);"),
    ("workgroupUniformLoad at an index", "own = workgroupUniformLoad(&tile[p.n]);"),
    ("workgroupUniformLoad at a local index", "own = workgroupUniformLoad(&tile[lid]);"),
    ("workgroupUniformLoad of an array", "own = workgroupUniformLoad(&tile)[lid];"),
    ("atomicAdd", "atomicAdd(&ticket, 1u);"),
];

const SUBGROUP: &[(&str, &str)] = &[
    ("subgroupAdd", "own = subgroupAdd(lid);"),
    ("subgroupInclusiveAdd", "own = subgroupInclusiveAdd(lid);"),
    ("subgroupExclusiveAdd", "own = subgroupExclusiveAdd(lid);"),
    ("subgroupMul", "own = subgroupMul(lid);"),
    ("subgroupMax", "own = subgroupMax(lid);"),
    ("subgroupMin", "own = subgroupMin(lid);"),
    ("subgroupAnd", "own = subgroupAnd(lid);"),
    ("subgroupOr", "own = subgroupOr(lid);"),
    ("subgroupXor", "own = subgroupXor(lid);"),
    ("subgroupAll", "own = u32(subgroupAll(lid > 3u));"),
    ("subgroupAny", "own = u32(subgroupAny(lid > 3u));"),
    ("subgroupBallot", "own = subgroupBallot(lid > 3u).x;"),
    ("subgroupBroadcast", "own = subgroupBroadcast(lid, 2u);"),
    ("subgroupBroadcastFirst", "own = subgroupBroadcastFirst(lid);"),
    ("subgroupShuffle", "own = subgroupShuffle(lid, lane ^ 1u);"),
    ("subgroupShuffleUp", "own = subgroupShuffleUp(lid, p.n);"),
    ("subgroupShuffleUp by local", "own = subgroupShuffleUp(lid, lane);"),
    ("subgroupShuffleDown", "own = subgroupShuffleDown(lid, 1u);"),
    ("subgroupShuffleDown by local", "own = subgroupShuffleDown(lid, data[0]);"),
    ("subgroupShuffleXor", "own = subgroupShuffleXor(lid, size);"),
    ("subgroupShuffleXor by local", "own = subgroupShuffleXor(lid, lid);"),
    ("quadBroadcast", "own = quadBroadcast(lid, 1u);"),
    ("quadSwapX", "own = quadSwapX(lid);"),
    ("quadSwapY", "own = quadSwapY(lid);"),
    ("quadSwapDiagonal", "own = quadSwapDiagonal(lid);"),
];

/// Results of subgroup operations, used as conditions of operations that need uniformity in a workgroup or a subgroup.
const VALUES: &[(&str, &str)] = &[
    ("subgroup_size", "width > 3u"),
    ("subgroup_invocation_id", "lane > 3u"),
    ("subgroup_id", "subgroup > 3u"),
    ("num_subgroups", "subgroups > 3u"),
    ("subgroupAdd", "subgroupAdd(lid) > 3u"),
    ("subgroupAdd of uniform", "subgroupAdd(p.n) > 3u"),
    ("subgroupAny of subgroup_id", "subgroupAny(subgroup > 1u)"),
    ("subgroupBroadcast of uniform", "subgroupBroadcast(p.n, 1u) > 3u"),
    ("subgroupShuffle of uniform", "subgroupShuffle(p.n, 1u) > 3u"),
    ("subgroupInclusiveAdd", "subgroupInclusiveAdd(lid) > 3u"),
    ("subgroupInclusiveAdd of uniform", "subgroupInclusiveAdd(p.n) > 3u"),
    ("subgroupAny", "subgroupAny(lid > 3u)"),
    ("subgroupBallot", "subgroupBallot(lid > 3u).x > 3u"),
    ("subgroupBroadcast", "subgroupBroadcast(lid, 1u) > 3u"),
    ("subgroupBroadcastFirst", "subgroupBroadcastFirst(lid) > 3u"),
    ("subgroupShuffle", "subgroupShuffle(lid, 1u) > 3u"),
    ("quadBroadcast", "quadBroadcast(lid, 1u) > 3u"),
    ("subgroup_id and workgroup", "subgroup > 3u && p.n > 3u"),
];

const FILTERS: &[(&str, &str, &str)] = &[
    ("directive off", "diagnostic(off, subgroup_uniformity);", "if lid > 3u { own = subgroupAdd(1u); }"),
    ("directive warning", "diagnostic(warning, subgroup_uniformity);", "if lid > 3u { own = subgroupAdd(1u); }"),
    ("directive info", "diagnostic(info, subgroup_uniformity);", "if lid > 3u { own = subgroupAdd(1u); }"),
    ("directive error", "diagnostic(error, subgroup_uniformity);", "if lid > 3u { own = subgroupAdd(1u); }"),
    (
        "directive twice",
        "diagnostic(off, subgroup_uniformity); diagnostic(off, subgroup_uniformity);",
        "if lid > 3u { own = subgroupAdd(1u); }",
    ),
    ("directives that disagree", "diagnostic(off, subgroup_uniformity); diagnostic(info, subgroup_uniformity);", ""),
    ("directive of another rule", "diagnostic(off, derivative_uniformity);", "if lid > 3u { own = subgroupAdd(1u); }"),
    ("directive of an unknown rule", "diagnostic(off, some_rule);", "own = subgroupAdd(1u);"),
    ("directive of another's rule", "diagnostic(off, mine.uniformity);", "own = subgroupAdd(1u);"),
    (
        "directive does not reach barriers",
        "diagnostic(off, subgroup_uniformity);",
        "if lid > 3u { workgroupBarrier(); }",
    ),
    ("block", "", "if lid > 3u @diagnostic(off, subgroup_uniformity) { own = subgroupAdd(1u); }"),
    ("block beside", "", "if lid > 3u { @diagnostic(off, subgroup_uniformity) { own = 1u; } own = subgroupAdd(1u); }"),
    ("if", "", "@diagnostic(off, subgroup_uniformity) if lid > 3u { own = subgroupAdd(1u); }"),
    (
        "if with else",
        "",
        "@diagnostic(off, subgroup_uniformity) if lid > 3u { } else if lid > 2u { } else { own = subgroupAdd(1u); }",
    ),
    ("condition of an if", "", "if lid > 3u { @diagnostic(off, subgroup_uniformity) if subgroupAdd(1u) > 3u { } }"),
    (
        "for",
        "",
        "@diagnostic(off, subgroup_uniformity) for (var i = 0u; i < subgroupAdd(lid); i++) { own = subgroupAdd(1u); }",
    ),
    ("while", "", "@diagnostic(off, subgroup_uniformity) while lid > subgroupAdd(1u) { own = subgroupAdd(1u); }"),
    ("body of a while", "", "while lid > own @diagnostic(off, subgroup_uniformity) { own = subgroupAdd(1u); }"),
    (
        "condition outside of a body",
        "",
        "while lid > subgroupAdd(own) @diagnostic(off, subgroup_uniformity) { own = 1u; }",
    ),
    ("loop", "", "@diagnostic(off, subgroup_uniformity) loop { own = subgroupAdd(1u); if lid > 3u { break; } }"),
    (
        "continuing",
        "",
        "loop { if lid > 3u { continue; } continuing @diagnostic(off, subgroup_uniformity) { own = subgroupAdd(1u); break if own > 9u; } }",
    ),
    (
        "switch",
        "",
        "@diagnostic(off, subgroup_uniformity) switch lid { case 1u: { own = subgroupAdd(1u); } default: {} }",
    ),
    (
        "body of a switch",
        "",
        "switch lid @diagnostic(off, subgroup_uniformity) { case 1u: { own = subgroupAdd(1u); } default: {} }",
    ),
    (
        "inner error",
        "diagnostic(off, subgroup_uniformity);",
        "if lid > 3u @diagnostic(error, subgroup_uniformity) { own = subgroupAdd(1u); }",
    ),
    (
        "inner warning",
        "",
        "@diagnostic(off, subgroup_uniformity) { if lid > 3u @diagnostic(warning, subgroup_uniformity) { own = subgroupAdd(1u); } }",
    ),
    ("shuffle's argument", "", "@diagnostic(off, subgroup_uniformity) { own = subgroupShuffleUp(1u, lane); }"),
    (
        "shuffle's argument as warning",
        "diagnostic(warning, subgroup_uniformity);",
        "own = subgroupShuffleUp(1u, lane);",
    ),
    (
        "attributes that disagree",
        "",
        "@diagnostic(off, subgroup_uniformity) @diagnostic(info, subgroup_uniformity) if p.n > 1u { }",
    ),
    ("attribute of a let", "", "@diagnostic(off, subgroup_uniformity) let x = 1u;"),
    ("unknown severity", "diagnostic(never, subgroup_uniformity);", ""),
];

pub(crate) fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (name, operation) in WORKGROUP {
        for (condition, text) in [("uniform", "p.n > 3u"), ("local", "lid > 3u")] {
            let body = format!("if {text} {{ {operation} }}");
            kernels.push(Kernel::of_body(format!("operations/{name}, {condition}"), &body));
        }
    }
    let with = |name: String, directives: &str, functions: &str, body: &str| {
        let directives = format!("enable subgroups;\n{directives}");
        Kernel::of_parts(name, &directives, functions, &subgroup_arguments(), body)
    };
    for (name, operation) in SUBGROUP {
        for (condition, text) in [("uniform", "p.n > 3u"), ("local", "lid > 3u")] {
            let body = format!("if {text} {{ {operation} }}");
            kernels.push(with(format!("subgroups/{name}, {condition}"), "", "", &body));
        }
    }
    for (name, value) in VALUES {
        for (operation, text) in [("barrier", "workgroupBarrier();"), ("subgroupMax", "own = subgroupMax(1u);")] {
            let body = format!("if {value} {{ {text} }}");
            kernels.push(with(format!("subgroups/{operation} by {name}"), "", "", &body));
        }
    }
    for (name, directives, body) in FILTERS {
        kernels.push(with(format!("filters/{name}"), directives, "", body));
    }
    let function = "@diagnostic(SEVERITY, subgroup_uniformity) fn f() { own = subgroupAdd(1u); } fn g() { f(); }";
    for severity in ["off", "info", "warning", "error"] {
        let functions = function.replace("SEVERITY", severity);
        kernels.push(with(format!("filters/function {severity}"), "", &functions, "if lid > 3u { g(); }"));
    }
    let caller =
        "fn f() { own = subgroupAdd(1u); } @diagnostic(off, subgroup_uniformity) fn g() { if own > 1u { f(); } }";
    kernels.push(with("filters/function that calls".to_owned(), "", caller, "g();"));
    kernels
}
