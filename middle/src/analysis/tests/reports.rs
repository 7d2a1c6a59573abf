//! Tests of the reports on accesses and loops, and of kernels whose analysis was given up.

use anywarp_backend::Proofs;

use super::{analysed, analysed_text, parsed};
use crate::Circumstances;
use crate::analysis::prove;
use crate::optimise::optimise;

#[test]
fn unreachable_accesses_and_loops_are_not_proven() {
    let analysis = analysed("if (thread > 100u) { tile[params.n] = 1u; loop { } }");
    assert!(!analysis.accesses[0].reached && !analysis.accesses[0].proven, "{:?}", analysis.accesses);
    assert!(!analysis.proofs.entry.in_range.contains(&true), "an access that is not reached: {:?}", analysis.proofs);
    assert_eq!(analysis.proofs.entry.ends, [false], "a loop that is not reached");
    let analysis = analysed("if (thread > 9u) { return; } else { return; } tile[thread] = 1u;");
    assert!(!analysis.accesses[0].reached && !analysis.accesses[0].proven, "{:?}", analysis.accesses);
    let analysis = analysed("fn unused(i: u32) { tile[i] = 1u; } --- tile[thread] = 1u;");
    assert_eq!(analysis.accesses.iter().map(|note| note.proven).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn variables_have_their_names_in_the_source() {
    let table = [
        ("x[params.n] = 1u;", "x"),
        ("tail.head[params.n] = 1u;", "tail.head"),
        ("tail.rows[params.n] = 1u;", "tail.rows"),
        ("var pair: array<Params, 2>; own = pair[params.n].at[params.n];", "pair[..][2]"),
        ("var rows: array<array<u32, 2>, 2>; rows[1][params.n] = 1u;", "rows[1]"),
        ("let v = vec4(id.x); own = v[params.n];", "v"),
        (
            "fn put(to: ptr<function, array<u32, 4>>, i: u32) { (*to)[i] = 1u; } --- var a: array<u32, 4>; put(&a, id.x);",
            "to",
        ),
    ];
    for (body, name) in table {
        let analysis = analysed(body);
        let last = analysis.accesses.last().map(|note| note.variable.as_str());
        assert_eq!(last, Some(name), "{body}");
    }
}

#[test]
fn ranges_cover_all_calls() {
    for calls in ["put(3u + (params.n & 1u)); put(1u);", "put(1u); put(3u + (params.n & 1u));"] {
        let analysis = analysed(&format!("fn put(i: u32) {{ tile[i] = 1u; }} --- {calls}"));
        assert_eq!((analysis.accesses[0].low, analysis.accesses[0].high), (1, 4), "the range over {calls}");
    }
}

/// The analysis of a kernel after optimisation.
fn analysed_after_optimisation(body: &str) -> crate::analysis::Analysis {
    let (module, info) = parsed(&format!(
        "@group(0) @binding(0) var<uniform> n: u32;
        var<workgroup> tile: array<u32, 64>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) thread: u32) {{ {body} }}"
    ));
    let made = optimise(&module, &info, &Circumstances::default()).expect("the loops are unrolled");
    let info = super::Validator::new(super::ValidationFlags::all(), super::Capabilities::all()).validate(&made);
    prove(&made, &info.expect("the module stays valid"), &Circumstances::default())
}

#[test]
fn all_copies_of_an_access_count() {
    for index in ["thread + i", "thread + 1u - i"] {
        let analysis = analysed_after_optimisation(&format!("for (var i = 0u; i < 2u; i++) {{ tile[{index}] = 1u; }}"));
        assert_eq!(analysis.accesses.len(), 1, "{:?}", analysis.accesses);
        assert!(!analysis.accesses[0].proven, "one of its copies is out of range: {:?}", analysis.accesses);
        assert_eq!((analysis.accesses[0].low, analysis.accesses[0].high), (0, 64));
    }
    for step in ["1u + k", "2u - k"] {
        let inner = format!("for (var i = 0u; i != n; i += {step}) {{ tile[thread] = i; }}");
        let analysis = analysed_after_optimisation(&format!("for (var k = 0u; k < 2u; k++) {{ {inner} }}"));
        let inner = analysis.loops.last().expect("the inner loop stays");
        assert!(!inner.ends, "one of its copies may not end: {:?}", analysis.loops);
    }
}

#[test]
fn kernels_that_are_given_up_have_no_proofs() {
    let text = "var<workgroup> tile: array<u32, 64>;
        @compute @workgroup_size(64) fn one(@builtin(local_invocation_index) thread: u32) { tile[thread] = 1u; }
        @compute @workgroup_size(64) fn two(@builtin(local_invocation_index) thread: u32) { tile[thread] = 1u; }";
    let functions: String = (0..200).map(|at| format!("fn f{}(i: u32) {{ f{at}(i); }}\n", at + 1)).collect();
    let calls = format!(
        "var<workgroup> tile: array<u32, 64>; fn f0(i: u32) {{ tile[i] = 1u; }} {functions}
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) thread: u32) {{ f200(thread); }}"
    );
    for (text, why) in [(text, "entry point"), (&calls, "too deeply")] {
        let analysis = analysed_text(text, &Circumstances::default());
        let said = analysis.gave_up.unwrap_or("nothing");
        assert!(said.contains(why), "expected a reason with '{why}', got {said}");
        assert_eq!(analysis.proofs, Proofs::default());
    }
}
