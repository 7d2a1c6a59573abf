//! Tests of the analysis: small kernels with the accesses and loops that are proven.
//!
//! | module | subject |
//! |---|---|
//! | this one | common constructs |
//! | `inputs` | built-in inputs, lengths of arrays, contents of memory |
//! | `values` | operations, one by one |
//! | `paths` | branches, switches, and where they join |
//! | `distances` | orders of values that ranges do not show |
//! | `iterations` | facts in loops, and loops that end |
//! | `launches` | conditions on a launch under which an access is in range |
//! | `random_launches` | random kernels and launches, to test that these conditions suffice |
//! | `reports` | reports on accesses and loops, and on kernels that were given up |

mod distances;
mod inputs;
mod iterations;
mod launches;
mod paths;
mod random_launches;
mod reports;
mod values;

use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::{Advice, Analysis, LoopAdvice, prove};
use crate::Circumstances;

const BINDINGS: &str = "
    struct Params { n: u32, m: i32, at: vec2<u32> }
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @group(0) @binding(1) var<storage, read> y: array<u32>;
    @group(0) @binding(2) var<uniform> params: Params;
    @group(0) @binding(3) var<storage, read_write> tail: Tail;
    struct Tail { head: array<u32, 16>, rows: array<u32> }
    var<workgroup> tile: array<u32, 64>;
    var<workgroup> level: u32;
    var<workgroup> counter: atomic<u32>;
    var<private> own: u32;
    var<private> started: u32 = 100u;
";

fn analysed(body: &str) -> Analysis {
    analysed_for(body, &Circumstances { binding_bytes: 1 << 27, workgroups: [65_535; 3], ..Circumstances::default() })
}

fn analysed_for(body: &str, circumstances: &Circumstances) -> Analysis {
    let (functions, body) = body.split_once("---").unwrap_or(("", body));
    let text = format!(
        "{BINDINGS}{functions}
        @compute @workgroup_size(64) fn main(
            @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        ) {{ {body} }}"
    );
    analysed_text(&text, circumstances)
}

fn analysed_text(text: &str, circumstances: &Circumstances) -> Analysis {
    let (module, info) = parsed(text);
    prove(&module, &info, circumstances)
}

fn parsed(text: &str) -> (Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    let info = info.unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    (module, info)
}

/// Whether each access is proven, in the order of the source.
fn proven(body: &str) -> Vec<bool> {
    analysed(body).accesses.iter().map(|note| note.proven).collect()
}

fn check(table: &[(&str, &[bool])]) {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(body, expected)| proven(body) != *expected)
        .map(|(body, expected)| format!("{body}\n  expected {expected:?}, found {:?}", analysed(body).accesses))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Asserts whether all loops of a kernel are proven to end.
fn check_ends(table: &[(&str, bool)]) {
    let ends = |body: &str| analysed(body).loops.iter().all(|note| note.ends);
    let wrong: Vec<String> = table
        .iter()
        .filter(|(body, expected)| ends(body) != *expected)
        .map(|(body, expected)| format!("{body}\n  expected {expected}, found {:?}", analysed(body).loops))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ranges_prove_accesses() {
    check(&[
        ("tile[thread] = 1u;", &[true]),
        ("tile[thread + 1u] = 1u;", &[false]),
        ("tile[(thread + 1u) & 63u] = 1u;", &[true]),
        ("tile[(thread + 1u) & 64u] = 1u;", &[false]),
        ("tile[(thread + 1u) % 64u] = 1u;", &[true]),
        ("tile[(thread + 1u) % 65u] = 1u;", &[false]),
        ("tile[thread ^ 32u] = 1u;", &[true]),
        ("tile[thread ^ 64u] = 1u;", &[false]),
        ("tile[min(id.x, 63u)] = 1u;", &[true]),
        ("tile[min(id.x, 64u)] = 1u;", &[false]),
        ("tile[clamp(params.m, 0, 63)] = 1u;", &[true]),
        ("tile[clamp(params.m, -1, 63)] = 1u;", &[false]),
        ("tile[params.n >> 26u] = 1u;", &[true]),
        ("tile[params.n >> 25u] = 1u;", &[false]),
        ("tile[params.n / 67108864u] = 1u;", &[true]),
        ("tile[63u - thread] = 1u;", &[true]),
        ("tile[62u - thread] = 1u;", &[false]),
        ("tile[select(3u, thread, params.n > 2u)] = 1u;", &[true]),
        ("tile[u32(params.m & 63)] = 1u;", &[true]),
        ("tile[params.m & 63] = 1u;", &[true]),
        ("tile[countOneBits(params.n)] = 1u;", &[true]),
        ("var v = vec4<u32>(1u); v[thread & 3u] = 2u; x[0] = v[thread & 7u];", &[true, false]),
        ("x[id.x * 0u] = 1u;", &[true]),
    ]);
}

#[test]
fn conditions_prove_accesses() {
    check(&[
        ("if (id.x < arrayLength(&x)) { x[id.x] = 1u; }", &[true]),
        ("if (id.x <= arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x >= arrayLength(&x)) { return; } x[id.x] = 1u;", &[true]),
        ("if (id.x < arrayLength(&x)) { return; } x[id.x] = 1u;", &[false]),
        ("if (id.x < arrayLength(&y)) { x[id.x] = y[id.x]; }", &[false, true]),
        ("if (id.x < arrayLength(&x) && id.x < arrayLength(&y)) { x[id.x] = y[id.x]; }", &[true, true]),
        ("if (id.x < arrayLength(&x) || id.x < arrayLength(&y)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x >= arrayLength(&x) || id.x >= arrayLength(&y)) { return; } x[id.x] = y[id.x];", &[true, true]),
        ("if (!(id.x >= arrayLength(&x))) { x[id.x] = 1u; }", &[true]),
        ("if (id.x + 1u < arrayLength(&x)) { x[id.x] = x[id.x + 1u]; }", &[true, true]),
        ("if (params.n + 1u < arrayLength(&x)) { x[params.n] = 1u; }", &[false]),
        ("if (params.n < arrayLength(&x) - 1u) { x[params.n + 1u] = 1u; }", &[true]),
        ("if (params.n < 64u) { tile[params.n] = 1u; }", &[true]),
        ("if (params.n <= 64u) { tile[params.n] = 1u; }", &[false]),
        ("if (params.m < 64) { tile[params.m] = 1u; }", &[false]),
        ("if (params.m >= 0 && params.m < 64) { tile[params.m] = 1u; }", &[true]),
        ("if (u32(params.m) < 64u) { tile[params.m] = 1u; }", &[true]),
        ("if (params.m >= 0 && u32(params.m) < arrayLength(&x)) { x[params.m] = 1u; }", &[true]),
        ("x[min(id.x, arrayLength(&x) - 1u)] = 1u;", &[true]),
        ("x[min(id.x, arrayLength(&x))] = 1u;", &[false]),
        ("x[id.x % arrayLength(&x)] = 1u;", &[true]),
        ("x[arrayLength(&x) / 2u] = 1u;", &[true]),
        ("if (id.x < arrayLength(&x) / 4u) { x[id.x * 4u + 3u] = 1u; }", &[true]),
        ("if (id.x < arrayLength(&x) / 4u) { x[id.x * 4u + 4u] = 1u; }", &[false]),
        ("if (id.x < arrayLength(&x) / 3u) { x[id.x * 4u] = 1u; }", &[false]),
        ("let n = min(params.n, arrayLength(&x)); if (id.x < n) { x[id.x] = 1u; }", &[true]),
        (
            "switch (params.n) { case 3u, 60u: { tile[params.n] = 1u; } default: { tile[params.n] = 2u; } }",
            &[true, false],
        ),
        ("var i = params.n; if (i > 63u) { i = 63u; } tile[i] = 1u;", &[true]),
        ("var i = params.n; if (i > 63u) { i = 64u; } tile[i] = 1u;", &[false]),
        // The content of memory may have changed when it is read again.
        ("if (x[0] < 64u) { tile[x[0]] = 1u; }", &[false]),
        ("if (y[0] < 64u) { tile[y[0]] = 1u; }", &[true]),
        ("let i = x[0]; if (i < 64u) { tile[i] = 1u; }", &[true]),
    ]);
}

#[test]
fn loops_prove_accesses() {
    check(&[
        ("for (var i = 0u; i < 64u; i++) { tile[i] = 1u; }", &[true]),
        ("for (var i = 0u; i <= 64u; i++) { tile[i] = 1u; }", &[false]),
        ("for (var i = 63; i >= 0; i--) { tile[i] = 1u; }", &[true]),
        ("for (var i = 64; i >= 0; i--) { tile[i] = 1u; }", &[false]),
        ("for (var i = 0u; i < arrayLength(&x); i++) { x[i] = y[i]; }", &[true, false]),
        ("for (var i = thread; i < 64u; i += 7u) { tile[i] = 1u; }", &[true]),
        ("var i = 0u; loop { tile[i] = 1u; i++; if (i == 64u) { break; } }", &[false]),
        ("var i = 0u; loop { tile[i] = 1u; i++; if (i >= 64u) { break; } }", &[true]),
        ("var i = 0u; loop { tile[i] = 1u; continuing { i++; break if i >= 64u; } }", &[true]),
        ("var i = 0u; while (i < 64u) { if (params.n == i) { i += 2u; continue; } tile[i] = 1u; i++; }", &[true]),
        ("for (var s = 32u; s > 0u; s >>= 1u) { if (thread < s) { tile[thread + s] = 1u; } }", &[true]),
        ("for (var s = 64u; s > 0u; s >>= 1u) { if (thread < s) { tile[thread + s] = 1u; } }", &[false]),
        ("for (var s = 1u; s < 64u; s <<= 1u) { if (thread >= s) { tile[thread - s] = 1u; } }", &[true]),
        ("for (var r = 0u; r < 8u; r++) { for (var c = 0u; c < 8u; c++) { tile[r * 8u + c] = 1u; } }", &[true]),
        ("for (var r = 0u; r < 8u; r++) { for (var c = 0u; c < 9u; c++) { tile[r * 8u + c] = 1u; } }", &[false]),
        ("var i = 0u; for (var k = 0u; k < 3u; k++) { i = params.n; } tile[i] = 1u;", &[false]),
        ("own = 3u; for (var k = 0u; k < 3u; k++) { tile[own] = 1u; own = params.n; }", &[false]),
        (
            "var v = vec2<u32>(0u, 70u); for (var k = 0u; k < 3u; k++) { v = vec2<u32>(v.y, v.x); } tile[v.x] = 1u;",
            &[false],
        ),
    ]);
}

#[test]
fn unproven_loops_may_be_left_at_any_iteration() {
    check(&[
        // A backend may stop the loop at any value of `i`.
        ("var i = params.n; while (i >= 64u) { i = i | 128u; } tile[i] = 1u;", &[false]),
        ("var i = params.n; loop { i = x[i]; if (i < 64u) { break; } } tile[i] = 1u;", &[false, false]),
        ("if (params.n >= 64u) { loop { } } tile[params.n] = 1u;", &[false]),
        ("loop { if (params.n < 64u) { break; } } tile[params.n] = 1u;", &[false]),
        ("fn wait() { while (params.n >= 64u) { } } --- wait(); tile[params.n] = 1u;", &[false]),
        // Facts from before the loop still hold after the loop, and the loop's condition holds in its body.
        ("if (params.n >= 64u) { return; } while (x[0] > 3u) { } tile[params.n] = 1u;", &[true]),
        ("var i = params.n; while (i < 64u) { tile[i] = 1u; i = x[0]; }", &[true]),
        // This loop ends, so `i` is at least 64 after it.
        ("var i = params.n; while (i < 64u) { i++; } tile[127u - min(i, 127u)] = 1u;", &[true]),
        ("var i = 200u; while (i >= 64u) { i--; } tile[i] = 1u;", &[true]),
    ]);
}

#[test]
fn calls_are_analysed_with_their_arguments() {
    check(&[
        ("fn put(i: u32) { tile[i] = 1u; } --- put(thread);", &[true]),
        ("fn put(i: u32) { tile[i] = 1u; } --- put(thread); put(thread + 1u);", &[false]),
        ("fn half(i: u32) -> u32 { if (i > 9u) { return 9u; } return i; } --- tile[half(id.x)] = 1u;", &[true]),
        ("fn big(i: u32) -> u32 { if (i > 9u) { return i; } return i; } --- tile[big(id.x)] = 1u;", &[false]),
        ("fn change(p: ptr<function, u32>) { *p = params.n; } --- var i = 0u; change(&i); tile[i] = 1u;", &[false]),
        ("fn change(p: ptr<function, u32>) { *p = 5u; } --- var i = params.n; change(&i); tile[i] = 1u;", &[true]),
        ("fn change() { own = params.n; } --- own = 1u; change(); tile[own] = 1u;", &[false]),
        ("fn change() { own = 3u; } --- own = params.n; change(); tile[own] = 1u;", &[true]),
        (
            "fn change(p: ptr<function, u32>) { *p = params.n; }
             --- var i = 0u; for (var k = 0u; k < 2u; k++) { tile[i] = 1u; change(&i); }",
            &[false],
        ),
    ]);
}

#[test]
fn loops_with_a_counter_end() {
    let table: &[(&str, bool)] = &[
        ("for (var i = 0u; i < params.n; i++) { }", true),
        ("for (var i = 0u; i <= params.n; i++) { }", false),
        ("for (var i = 0u; i < params.n; i += 2u) { }", false),
        ("for (var i = 0u; i < min(params.n, 4000000000u); i += 2u) { }", true),
        ("for (var i = 0u; i < arrayLength(&x); i += 256u) { }", true),
        ("for (var i = params.m; i > 0; i--) { }", true),
        ("for (var i = params.n; i >= 0u; i--) { }", false),
        ("for (var s = params.n; s > 0u; s >>= 1u) { }", true),
        ("for (var s = params.n; s > 0u; s /= 2u) { }", true),
        ("for (var s = params.n; s > 0u; s /= params.n) { }", false),
        ("for (var s = 1u; s < 1024u; s <<= 1u) { }", true),
        ("for (var s = 1u; s < params.n; s <<= 1u) { }", false),
        ("for (var s = 0u; s < 1024u; s <<= 1u) { }", false),
        ("for (var i = 0u; i != 10u; i++) { }", true),
        ("for (var i = 0u; i != params.n; i++) { }", true),
        ("for (var i = 0u; i != 10u; i += 3u) { }", false),
        ("loop { if (x[0] == 3u) { break; } }", false),
        ("loop { break; }", true),
        ("var i = 0u; loop { if (x[0] == 3u) { continue; } i++; if (i > 5u) { break; } }", false),
        ("var i = 0u; loop { if (i > 5u) { break; } i++; if (x[0] == 3u) { i--; } }", false),
        ("for (var i = 0u; i < 10u; i++) { i = 0u; }", false),
        ("for (var i = 0u; i < 10u; i++) { if (x[0] == 3u) { break; } }", true),
        (
            "var lo = 0u; var hi = arrayLength(&x); while (lo < hi) { let mid = lo + (hi - lo) / 2u;
          if (x[mid] < params.n) { lo = mid + 1u; } else { hi = mid; } }",
            false,
        ),
    ];
    check_ends(table);
}

#[test]
fn iterations_are_bounded() {
    let table: &[(&str, Option<u32>)] = &[
        // The iteration that leaves the loop counts, too.
        ("for (var i = 0u; i < 10u; i++) { }", Some(11)),
        ("for (var i = 0u; i < 10u; i += 3u) { }", Some(5)),
        ("for (var i = 3; i < 10; i++) { }", Some(8)),
        ("for (var i = 10; i > 3; i -= 2) { }", Some(5)),
        ("for (var i = 10u; i > 0u; i--) { }", Some(11)),
        ("for (var i = thread; i < 144u; i += 64u) { }", Some(4)),
        ("for (var i = 0u; i < min(params.n, 7u); i++) { }", Some(8)),
        ("for (var i = 0u; i < 10u; i++) { if (x[0] == 3u) { break; } }", Some(11)),
        // The counter grows by one or two in each iteration.
        ("for (var i = 0u; i < 10u; i++) { if (x[0] == 3u) { i++; } }", Some(12)),
        ("loop { break; }", Some(1)),
        ("for (var i = 0u; i < params.n; i++) { }", None),
        ("for (var i = 0u; i != 10u; i++) { }", None),
        ("for (var i = 0u; i != 10u; i += 3u) { }", None),
        ("for (var i = 0u; i < 10u; i++) { i = 0u; }", None),
    ];
    for (body, expected) in table {
        let found = analysed(body).proofs.entry.turns(0);
        let fits = match *expected {
            Some(_) => found == *expected,
            None => found.is_none_or(|found| found > 1 << 30),
        };
        assert!(fits, "{body}: at most {expected:?} iterations, found {found:?}");
    }
}

#[test]
fn advice_names_the_missing_proof() {
    let advice = |body: &str| analysed(body).accesses[0].advice.clone();
    assert_eq!(advice("tile[id.x] = 1u;"), Some(Advice::Guard));
    assert_eq!(advice("var small: array<u32, 32>; small[thread] = 1u;"), Some(Advice::WorkgroupSize(32)));
    let other = |name: &str| Some(Advice::OtherBound(name.to_owned()));
    assert_eq!(advice("if (id.x < params.n) { x[id.x] = 1u; }"), other("params.n"));
    assert_eq!(advice("if (id.x < arrayLength(&y)) { x[id.x] = 1u; }"), other("arrayLength(&y)"));
    assert_eq!(advice("tile[thread] = 1u;"), None);
    let of_loop = |body: &str| analysed(body).loops[0].advice.clone();
    assert_eq!(of_loop("for (var i = 0u; i < params.n; i += 2u) { }"), Some(LoopAdvice::MayWrap));
    assert_eq!(of_loop("loop { if (x[0] == 1u) { break; } }"), Some(LoopAdvice::NoCounter));
}

#[test]
fn known_lengths_and_grids_prove_accesses() {
    let resource = anywarp_backend::ResourceId { group: 0, binding: 0 };
    let known = Circumstances { lengths: vec![(resource, 64)], workgroups: [1; 3], ..Circumstances::default() };
    assert!(analysed_for("x[id.x] = 1u;", &known).accesses[0].proven);
    let fewer = Circumstances { lengths: vec![(resource, 63)], ..known.clone() };
    assert!(!analysed_for("x[id.x] = 1u;", &fewer).accesses[0].proven);
    let more = Circumstances { workgroups: [2, 1, 1], ..known };
    assert!(!analysed_for("x[id.x] = 1u;", &more).accesses[0].proven);
}

#[test]
fn kernels_beyond_the_limit_of_effort_are_given_up() {
    let loops = "for (var i = 0u; i < params.n; i++) { ".repeat(40) + &"}".repeat(40);
    let analysis = analysed(&format!("tile[thread] = 1u; {loops}"));
    assert!(analysis.gave_up.is_some());
    assert_eq!(analysis.proofs, anywarp_backend::Proofs::default());
}
