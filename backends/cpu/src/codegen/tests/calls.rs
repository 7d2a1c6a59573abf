//! Functions that are not inlined. `try_run` compares every kernel with its fully inlined version.

use anywarp_backend::Mode;
use std::fmt::Write;

use super::{kernel, run, run_function, try_run};
use crate::abi::Stop;
use crate::lower::tests::program;
use crate::lower::{Budget, lower, lower_within};

/// WGSL functions for arithmetic on 8 limbs of 16 bits, in several levels: short as text, long when inlined.
pub(super) const LIMBS: &str = "
    alias Limbs = array<u32, 8>;
    fn times(a: ptr<function, Limbs>, b: ptr<function, Limbs>) -> Limbs {
        var wide: array<u32, 16>;
        for (var i = 0u; i < 8u; i++) {
            var carry = 0u;
            for (var j = 0u; j < 8u; j++) {
                let sum = wide[i + j] + (*a)[i] * (*b)[j] + carry;
                wide[i + j] = sum & 0xffffu;
                carry = sum >> 16u;
            }
            wide[i + 8u] = carry;
        }
        var low: Limbs;
        for (var i = 0u; i < 8u; i++) { low[i] = wide[i] ^ wide[i + 8u]; }
        return low;
    }
    fn fourth(a: ptr<function, Limbs>) -> Limbs { var x = times(a, a); return times(&x, &x); }
    fn mixed(a: ptr<function, Limbs>, b: ptr<function, Limbs>) -> Limbs {
        var x = fourth(a); var y = fourth(b); var z = times(&x, &y);
        var u = times(&z, a); var v = times(&z, b);
        return times(&u, &v);
    }
    fn chain(a: ptr<function, Limbs>, b: ptr<function, Limbs>) -> Limbs {
        var p = mixed(a, b); var q = mixed(b, &p); var r = mixed(&p, &q); var s = mixed(&q, &r);
        return mixed(&r, &s);
    }";

fn limbs(body: &str) -> String {
    kernel(
        "64",
        LIMBS,
        &format!(
            "var a: Limbs; var b: Limbs; for (var k = 0u; k < 8u; k++) {{ a[k] = (data[i] * (k + 3u)) & 0xffffu; b[k] = (i + 7u * k) & 0xffffu; }} {body}"
        ),
    )
}

fn times(a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
    let mut wide = [0u32; 16];
    for i in 0..8 {
        let mut carry = 0;
        for j in 0..8 {
            let sum = wide[i + j].wrapping_add(a[i].wrapping_mul(b[j])).wrapping_add(carry);
            wide[i + j] = sum & 0xffff;
            carry = sum >> 16;
        }
        wide[i + 8] = carry;
    }
    std::array::from_fn(|i| wide[i] ^ wide[i + 8])
}

fn fourth(a: [u32; 8]) -> [u32; 8] {
    let x = times(a, a);
    times(x, x)
}

fn mixed(a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
    let z = times(fourth(a), fourth(b));
    times(times(z, a), times(z, b))
}

fn chain(a: [u32; 8], b: [u32; 8]) -> [u32; 8] {
    let p = mixed(a, b);
    let q = mixed(b, p);
    let r = mixed(p, q);
    let s = mixed(q, r);
    mixed(r, s)
}

#[test]
fn a_short_text_that_would_be_long_inlined_has_functions_and_the_right_results() {
    let steps =
        ["c = chain(&a, &b)", "d = chain(&b, &c)", "e = chain(&c, &d)", "f = chain(&d, &e)", "g = chain(&e, &f)"];
    let source = limbs(&format!("var {}; out[i] = g[i % 8u];", steps.join("; var ")));
    let program = program(&source);
    let everything = lower_within(&program, Mode::Plain, Budget { kernel: u64::MAX, function: 0 }).unwrap();
    let mut function = lower(&program, Mode::Plain).unwrap();
    assert!(!function.callees.is_empty() && everything.callees.is_empty());
    let length = |function: &crate::ir::Function| function.insts.len();
    assert!(4 * (length(&function) + function.callees.iter().map(length).sum::<usize>()) < length(&everything));
    crate::ir::optimise::run(&mut function);
    let data: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let results = run_function(&function, &[&[0; 128], &data], [2, 1, 1], 1 << 32).unwrap();
    for (i, value) in data.iter().enumerate() {
        let a = std::array::from_fn(|k| value.wrapping_mul(k as u32 + 3) & 0xffff);
        let b = std::array::from_fn(|k| (i as u32 + 7 * k as u32) & 0xffff);
        let [mut one, mut two] = [a, b];
        for _ in 0..5 {
            (one, two) = (two, chain(one, two));
        }
        assert_eq!(results[0][i], two[i % 8], "invocation {i}");
    }
}

#[test]
fn short_kernels_have_none() {
    let function = lower(&program(&limbs("var c = fourth(&a); out[i] = c[3];")), Mode::Plain).unwrap();
    assert!(function.callees.is_empty());
}

#[test]
fn arguments_of_all_kinds_and_results_in_memory() {
    let globals = "
        struct Pair { a: vec3f, b: array<u32, 70>, c: bool }
        var<private> calls: u32 = 3u;
        var<workgroup> shared_words: array<u32, 64>;
        fn leaf(x: ptr<function, u32>, y: u32) -> u32 { calls += 1u; *x = *x * 3u + y; return *x ^ calls; }
        fn element(a: ptr<function, array<u32, 12>>, at: u32, y: u32) -> u32 {
            (*a)[at] = y; return leaf(&(*a)[(at + 1u) % 12u], y) + (*a)[at % 12u]; }
        fn wide(p: Pair, at: u32) -> Pair {
            var q = p; q.b[at % 70u] = p.b[(at + 1u) % 70u] + 5u; q.a += vec3f(1.0, 2.0, 3.0); q.c = !p.c; return q; }
        fn table(at: u32) -> u32 { return array<u32, 11>(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5)[at]; }
        fn early(x: u32) -> u32 {
            if x % 3u == 0u { return 7u; }
            for (var k = 0u; k < x % 11u; k++) { if k == 5u { return x; } calls += k; }
            return table(x % 13u) + calls; }
        fn stored(x: u32, at: u32) { shared_words[at] = x; data[at] += x; }";
    let body = "
        var a: array<u32, 12>; var one = data[i]; var p: Pair;
        p.b[3] = i; p.c = i % 2u == 0u;
        if i % 5u != 2u { out[i] = element(&a, i, one) + element(&a, 3u, 2u); }
        let r = wide(wide(p, i), i + 1u);
        out[i] += r.b[i % 70u] + u32(r.a.y) + u32(r.c) + leaf(&one, 1u) + one + calls;
        out[i] = out[i] * 31u + early(i) + early(data[i]);
        if i % 7u == 1u { stored(out[i], li); }
        out[i] += shared_words[li] + calls + a[i % 12u] + table(i);";
    let data: Vec<u32> = (0..72).map(|i| i * 7 + 3).collect();
    for size in ["64", "12", "1"] {
        let groups = if size == "64" { 1 } else { 6 };
        let result = run(&kernel(size, globals, body), &[&[0; 72], &data], [groups, 1, 1]);
        assert!(result.iter().any(|value| *value != 0));
    }
}

#[test]
fn calls_between_barriers_and_functions_with_barriers() {
    let globals = "
        var<workgroup> tile: array<u32, 64>;
        var<private> seen: array<u32, 9>;
        fn mixed(x: u32, y: u32) -> u32 { seen[x % 9u] += y; return x * 5u + seen[y % 9u]; }
        fn around(at: u32) -> u32 { workgroupBarrier(); let x = tile[(at + 1u) % 64u]; workgroupBarrier(); return x; }";
    let body = "
        tile[li] = mixed(i, 2u);
        let next = around(li);
        tile[li] = mixed(next, li);
        out[i] = around(li) + mixed(tile[li], 3u);";
    run(&kernel("64", globals, body), &[&[0; 128], &[0; 128]], [2, 1, 1]);
}

#[test]
fn calls_without_end_are_stopped() {
    let mut globals = "var<private> x: u32; fn f0() { x += 1; }".to_owned();
    for level in 1..60 {
        let _ = write!(globals, "fn f{level}() {{ f{0}(); f{0}(); }}", level - 1);
    }
    let source = kernel("1", &globals, "f59(); out[i] = x;");
    let function = lower(&program(&source), Mode::Plain).unwrap();
    assert_eq!(run_function(&function, &[&[0], &[0]], [1, 1, 1], 1 << 16), Err(Stop::StepLimit as u32));
    let source = source.replace("f59();", "f5();");
    assert_eq!(try_run(&source, &[&[0], &[0]], [1, 1, 1], 1 << 16).map(|buffers| buffers[0][0]), Ok(32));
}

#[test]
fn a_loop_in_a_function_is_stopped_wherever_it_is_called() {
    let globals = "fn spin(x: u32) -> u32 { var n = x; while n != 1u { n = n + 2u; } return n; }
        fn outer(x: u32) -> u32 { return spin(x) + spin(x + 2u); }";
    let source = kernel("8", globals, "if i == 3u { out[i] = outer(data[0]); }");
    assert_eq!(try_run(&source, &[&[0; 8], &[0; 8]], [1, 1, 1], 1000), Err(Stop::StepLimit as u32));
}
