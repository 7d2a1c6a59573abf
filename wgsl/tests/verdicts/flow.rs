//! Operations that need uniformity in statements with conditions of many kinds.

use super::kernel::Kernel;

/// Conditions on values of different origins.
const CONDITIONS: &[(&str, &str)] = &[
    ("literal", "true"),
    ("const", "LIMIT > 3u"),
    ("override", "size > 3u"),
    ("uniform", "p.n > 3u"),
    ("uniform at an index", "p.list[p.n % 4u].x > 3u"),
    ("uniform at a local index", "p.list[lid % 4u].x > 3u"),
    ("read buffer", "input[0] > 3u"),
    ("read buffer at an index", "input[p.n] > 3u"),
    ("read buffer at a local index", "input[lid] > 3u"),
    ("length of a read buffer", "arrayLength(&input) > 3u"),
    ("length of a read_write buffer", "arrayLength(&data) > 3u"),
    ("read_write buffer", "data[0] > 3u"),
    ("atomic of a buffer", "atomicLoad(&counter) > 3u"),
    ("result of an atomic", "atomicAdd(&counter, 1u) > 3u"),
    ("result of an exchange", "atomicCompareExchangeWeak(&counter, 1u, 2u).exchanged"),
    ("workgroup", "flag > 3u"),
    ("workgroup at an index", "tile[0] > 3u"),
    ("workgroup atomic", "atomicLoad(&ticket) > 3u"),
    ("private", "own > 3u"),
    ("workgroupUniformLoad", "workgroupUniformLoad(&flag) > 3u"),
    ("local index", "lid > 3u"),
    ("local id", "local.x > 3u"),
    ("global id", "id.y > 3u"),
    ("workgroup id", "group.x > 3u"),
    ("number of workgroups", "groups.z > 3u"),
    ("texture", "textureLoad(picture, vec2(0u), 0).x > 0.5"),
    ("texture at a local index", "textureLoad(picture, vec2(lid, 0u), 0).x > 0.5"),
    ("dimensions of a texture", "textureDimensions(picture).x > 3u"),
    ("read_write texture", "textureLoad(canvas, vec2(0u)).x > 3u"),
    ("and", "p.n > 3u && p.m > 3u"),
    ("and local", "p.n > 3u && lid > 3u"),
    ("local and", "lid > 3u && p.n > 3u"),
    ("or local", "p.n > 3u || lid > 3u"),
    ("or", "p.n > 3u || input[2] > 3u"),
    ("bitwise local", "(p.n > 3u) & (lid > 3u)"),
    ("not local", "!(lid > 3u)"),
    ("select by local", "select(p.n, p.m, lid > 3u) > 3u"),
    ("select", "select(p.n, p.m, groups.x > 3u) > 3u"),
    ("all of local", "all(local > vec3(3u))"),
    ("vector with local", "vec2(p.n, lid).x > 3u"),
    ("array with local", "array(p.n, lid)[0] > 3u"),
    ("multiplied by zero", "lid * 0u > 3u"),
    ("math of uniform", "max(min(p.n, 5u), clamp(p.m, 1u, 7u)) > 3u"),
    ("cast of local", "f32(lid) > 3.0"),
    ("bitcast of uniform", "bitcast<i32>(p.n) > 3"),
];

/// Statements. `COND` stands for a condition, and `OP` for an operation that needs uniformity.
const FORMS: &[(&str, &str)] = &[
    ("if", "if COND { OP }"),
    ("else", "if COND { own = 1u; } else { OP }"),
    ("else if", "if p.n == 1u { own = 1u; } else if COND { OP }"),
    ("behind an if", "if COND { own = 1u; } OP"),
    ("behind a return", "if COND { return; } OP"),
    ("behind a return in else", "if COND { own = 1u; } else { return; } OP"),
    ("behind returns in both", "if p.n == 1u { if COND { return; } else { return; } } OP"),
    ("for", "for (var i = 0u; COND; i++) { OP }"),
    ("behind a for", "for (var i = 0u; i < 9u && COND; i++) { own = i; } OP"),
    ("while", "while COND { OP }"),
    ("behind a while", "while COND { own = 1u; } OP"),
    ("loop with break", "loop { if COND { break; } OP }"),
    ("loop with break behind", "loop { OP if COND { break; } }"),
    ("behind a loop with break", "loop { if COND { break; } } OP"),
    ("loop with return", "loop { OP if COND { return; } if p.n == 1u { break; } }"),
    ("behind a loop with return", "loop { if COND { return; } if p.n == 1u { break; } } OP"),
    ("behind a loop that only returns", "loop { if COND { return; } if p.n == 1u { return; } break; } OP"),
    ("break if", "loop { OP continuing { break if COND; } }"),
    ("behind break if", "loop { own = 1u; continuing { break if COND; } } OP"),
    ("continuing", "loop { if COND { continue; } own = 1u; continuing { OP break if p.n == 1u; } }"),
    ("behind a continue", "for (var i = 0u; i < 4u; i++) { if COND { continue; } OP }"),
    ("before a continue", "for (var i = 0u; i < 4u; i++) { OP if COND { continue; } own = i; }"),
    ("before a break", "for (var i = 0u; i < 4u; i++) { OP if COND { break; } own = i; }"),
    ("loop that ends in break", "loop { if COND { own = 1u; } OP break; }"),
    ("switch", "switch u32(COND) { case 1u: { OP } default: {} }"),
    ("switch default", "switch u32(COND) { case 1u, 2u: {} default: { OP } }"),
    ("behind a switch", "switch u32(COND) { case 1u: { own = 1u; } default: {} } OP"),
    (
        "behind a switch with break",
        "switch u32(COND) { case 1u: { if p.n == 1u { break; } own = 1u; } default: {} } OP",
    ),
    ("behind a switch with return", "switch u32(COND) { case 1u: { return; } default: {} } OP"),
    ("in a switch behind a break", "switch p.n { case 1u: { if COND { break; } OP } default: {} }"),
    (
        "switch in a loop with continue",
        "for (var i = 0u; i < 4u; i++) { switch u32(COND) { case 1u: { continue; } default: {} } OP }",
    ),
    ("block", "{ { if COND { OP } } }"),
    ("nested behind", "if p.n == 1u { if COND { own = 1u; } OP }"),
    ("unreachable", "if COND { return; OP }"),
    ("unreachable behind", "return; if COND { OP }"),
];

const SHORT: &[(&str, &str)] =
    &[("uniform", "p.n > 3u"), ("read_write", "data[0] > 3u"), ("local", "lid > 3u"), ("both", "p.n > 3u && own > 3u")];

pub(crate) fn kernels() -> Vec<Kernel> {
    let of = |form: &str, condition: &str| form.replace("COND", condition).replace("OP", "workgroupBarrier();");
    let mut kernels = Vec::new();
    for (condition, text) in CONDITIONS {
        kernels.push(Kernel::of_body(format!("flow/if {condition}"), &of("if COND { OP }", text)));
    }
    for (form, text) in FORMS {
        for (condition, value) in SHORT {
            kernels.push(Kernel::of_body(format!("flow/{form}, {condition}"), &of(text, value)));
        }
    }
    let structs = [
        ("mixed", "input_values: Mixed", "input_values.group.x > 3u"),
        ("same", "input_values: Same", "input_values.group.x > 3u"),
    ];
    for (name, arguments, condition) in structs {
        let body = of("if COND { OP }", condition);
        kernels.push(Kernel::of_parts(format!("flow/struct of built-in values, {name}"), "", "", arguments, &body));
    }
    kernels
}
