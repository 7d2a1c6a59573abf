//! Proven accesses and loops have no check and no limit; all others have one.

use std::sync::Arc;

use anywarp_backend::{Checks, FunctionProofs, Leave, Program, Proofs};
use naga::Expression;

use crate::translate::tests::{options, program};
use crate::translate::translate;

const SOURCE: &str = "
    struct Item { head: u32, tail: array<vec3f> }
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @group(0) @binding(1) var<storage, read_write> item: Item;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
    fn inner(n: u32) -> u32 { loop { if data[n] == 1u { break; } } return data[n + 1u]; }
    fn change(p: ptr<function, u32>) { *p = 1u; }
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x; let k = i64(id.y);
        var own: array<u32, 4>; var v: vec4u;
        item.tail[i].x = f32(data[i]) + item.tail[3].y + vec4f(f32(i))[i];
        own[i] = data[k]; change(&own[i]);
        quads_of(&own);
        v[i] = own[i];
        data[7] = atomicAdd(&counts[i], v.x);
        loop { if data[0] == 1u { break; } loop { if data[0] == 2u { break; } } }
        data[i] = inner(i) / id.z;
    }
    fn quads_of(p: ptr<function, array<u32, 4>>) { (*p)[data[0]] = 1u; }
";

/// Returns the C++ of the kernel itself, without the prelude, for these proofs.
fn text(checks: Checks, proofs: Option<Proofs>) -> String {
    let leave = Leave { checks, ..Leave::default() };
    let program = Program { source: None, leave, proofs: proofs.map(Arc::new), ..program(SOURCE) };
    let text = translate(&program, &options()).unwrap_or_else(|error| panic!("{error}")).text;
    text.split_once("struct Item").map(|(_, own)| own.to_owned()).expect("the kernel's own code")
}

/// Returns proofs for all accesses and loops.
fn all() -> Proofs {
    let of = |function: &naga::Function| FunctionProofs {
        in_range: vec![true; function.expressions.len()],
        ends: vec![true; 8],
        turns: Vec::new(),
    };
    let module = program(SOURCE).module;
    Proofs {
        functions: module.functions.iter().map(|(_, function)| of(function)).collect(),
        entry: of(&module.entry_points[0].function),
    }
}

#[test]
fn proven_accesses_are_not_checked() {
    let proven = text(Checks::Proven, Some(all()));
    for check in ["aw_at(", "aw_in(", "aw_spent(", "nullptr", "spare", "aw_min("] {
        assert!(!proven.contains(check), "{check} despite the proofs:\n{proven}");
    }
    // Divisors are not covered by proofs.
    assert!(proven.contains("aw_div("), "{proven}");
}

#[test]
fn unproven_accesses_are_checked() {
    let driver = text(Checks::Driver, Some(all()));
    for (checks, proofs) in [(Checks::Proven, None), (Checks::Proven, Some(Proofs::default())), (Checks::Driver, None)]
    {
        assert_eq!(text(checks, proofs), driver, "with nothing proven there are all checks");
    }
    for check in ["aw_at(i, data_count)", "aw_in(i, counts_count)", "aw_at(3u, ", "aw_spent(", "aw_min("] {
        assert!(driver.contains(check), "{check} is missing:\n{driver}");
    }
}

#[test]
fn each_access_has_its_own_proof() {
    let module = program(SOURCE).module;
    let everything = text(Checks::Driver, None);
    let count = |text: &str| text.matches("aw_at(").count() + text.matches("aw_in(").count();
    let mut tried = 0;
    for (handle, expression) in module.entry_points[0].function.expressions.iter() {
        if matches!(expression, Expression::Access { .. }) {
            let mut proofs = Proofs::default();
            proofs.entry.in_range = vec![false; handle.index() + 1];
            proofs.entry.in_range[handle.index()] = true;
            let text = text(Checks::Proven, Some(proofs));
            assert!(count(&text) <= count(&everything), "a proof adds no check:\n{text}");
            tried += usize::from(count(&text) < count(&everything));
        }
    }
    // Accesses to components of values and of the function's variables have no check even without proofs.
    assert!(tried >= 6, "only {tried} proofs of one access left out a check");
}

#[test]
fn each_loop_has_its_own_proof() {
    let limits = |entry: [bool; 2], function: bool| {
        let ends = |ends: &[bool]| FunctionProofs { ends: ends.to_vec(), ..FunctionProofs::default() };
        let proofs = Proofs { functions: vec![ends(&[function])], entry: ends(&entry) };
        text(Checks::Proven, Some(proofs)).matches("if (aw_spent(").count()
    };
    let cases =
        [([false, false], false, 3), ([true, false], false, 2), ([false, true], true, 1), ([true, true], true, 0)];
    for (entry, function, wanted) in cases {
        assert_eq!(limits(entry, function), wanted, "limits with {entry:?} of the kernel, {function} of its function");
    }
}
