//! Kernels that must be lowered to valid programs.

use super::{body, lowered};

/// Bodies of kernels with `data: array<u32>` and the index `i`.
const BODIES: &[&str] = &[
    "data[i] = i;",
    "var v = vec4u(i); v[i] = 7; v[2] += v[i & 1]; data[i] = dot(v, v.wzyx);",
    "var a: array<u32, 100>; a[i] = 1; let b = a; a[3] = 2; data[i] = b[i] + a[i + 1];",
    "var a = array<vec3f, 9>(); a[i].y = 2; a[i][i] += 1; data[i] = u32(a[2].y);",
    "var m = mat3x2f(); m[i][1] = f32(i); m *= 2; data[i] = u32(transpose(m)[1].z);",
    "let m = mat4x4f(); data[i] = u32(m[i][1]); let c = mat2x2f() * vec2f(1, 2); data[0] = u32(c[i]);",
    "let t = array<u32, 12>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); data[i] = t[i] + t[i + 1];",
    "let t = array<u32, 3>(1, i, 3); data[i] = t[i];",
    "switch i { case 1, 2: { data[i] = 1; break; } case 3, default: { data[i] = 2; } case 4: { return; } }",
    "switch i { default: { if i > 3 { break; } data[i] = 2; } }",
    "for (var j = 0u; j < 4; j++) { if j == i { continue; } data[j] = i; if j == 3 { break; } }",
    "loop { let x = data[i]; if x == 3 { continue; } let y = x * 2; continuing { data[i] = y; break if x == 5; } }",
    "loop { let p = &data[i + 1]; if *p == 3 { continue; } continuing { *p = 4; break if *p == 5; } }",
    "loop { switch i { case 1: { continue; } default: { break; } } break; }",
    "loop { loop { if i == 2 { break; } continuing { break if i == 3; } } continuing { break if i == 4; } }",
    "while i < 3 { while i < 2 { continue; } if i == 1 { return; } }",
    "{ { data[i] = 2; return; } }",
    "data[i] = arrayLength(&data); data[5] = 1; data[0] = 2;",
    "let r = frexp(f32(i)); data[i] = u32(r.exp) + u32(modf(r.fract).whole);",
    "data[i] = subgroupAdd(i) + subgroupBallot(i > 2).x + subgroupShuffleDown(i, 2u) + quadSwapX(i);",
    "data[i] = subgroupExclusiveMul(i) + u32(subgroupAll(i > 2)) + subgroupBroadcastFirst(i) + quadBroadcast(i, 1u);",
];

/// Whole WGSL modules.
const MODULES: &[&str] = &[
    include_str!("../../../../../examples/shaders/saxpy.wgsl"),
    include_str!("../../../../../examples/shaders/conv3x3.wgsl"),
    include_str!("../../../../../examples/shaders/touch.wgsl"),
    // Pointers across calls, early returns, large results.
    "struct S { a: array<u32, 70>, b: vec3f, c: bool }
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    var<private> seed: u32 = 3;
    var<private> table: array<u32, 80>;
    var<private> flags: array<bool, 3>;
    fn next(x: ptr<function, u32>) -> u32 { *x += 1; seed += *x; if seed > 5 { return 1; } return *x; }
    fn at(p: ptr<function, array<u32, 6>>, i: u32) -> u32 { return (*p)[i]; }
    fn make(i: u32) -> S { var s: S; if i == 3 { return s; } s.a[i] = i; s.c = true; return s; }
    fn take(s: S, i: u32) -> u32 { return s.a[i] + u32(s.b[i]) + u32(s.c); }
    fn last(s: S) -> S { return s; }
    @compute @workgroup_size(16) fn main(
        @builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u,
        @builtin(local_invocation_index) i: u32, @builtin(num_workgroups) n: vec3u,
        @builtin(subgroup_id) s: u32, @builtin(num_subgroups) ns: u32,
        @builtin(subgroup_size) z: u32, @builtin(subgroup_invocation_id) si: u32) {
        var x = i; var arr: array<u32, 6>; var other = make(i);
        table[i] = next(&x); flags[i % 3] = true;
        let copy = last(other);
        data[i] = next(&x) + at(&arr, i) + take(copy, i) + take(make(2), x) + other.a[1] + l.y + w.x + n.z + s + ns;
        other = copy; table = array<u32, 80>();
    }",
    // Workgroup memory, atomics, uniform buffers, matrices with padding.
    "struct P { m: mat3x3f, v: vec3f, n: u32, a: array<vec4f, 4> }
    struct Q { count: atomic<i32>, rest: array<vec3f> }
    @group(0) @binding(1) var<uniform> p: P;
    @group(0) @binding(0) var<storage, read_write> q: Q;
    var<workgroup> tile: array<array<f32, 17>, 16>;
    var<workgroup> big: array<P, 3>;
    var<workgroup> count: atomic<u32>;
    var<workgroup> flag: bool;
    @compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {
        big[i % 3] = p; tile[i][2] = p.m[i][1];
        workgroupBarrier();
        let old = atomicAdd(&count, 1u) + atomicLoad(&count);
        atomicStore(&q.count, i32(old));
        let r = atomicCompareExchangeWeak(&q.count, 1, 2);
        flag = r.exchanged;
        if workgroupUniformLoad(&flag) { return; }
        storageBarrier();
        q.rest[i] = big[i % 3].m * p.v + p.a[i].xyz + vec3f(f32(r.old_value), tile[2][i], f32(atomicMax(&q.count, 3)));
        let local = p; var again = local; again.a[i] = p.a[1]; q.rest[2] = again.a[i].xyz;
    }",
    "enable wgpu_cooperative_matrix; enable f16;
    @group(0) @binding(0) var<storage> a: array<f16>;
    @group(0) @binding(1) var<storage> b: array<f16>;
    @group(0) @binding(2) var<storage, read_write> c: array<f32>;
    @compute @workgroup_size(32) fn main(@builtin(workgroup_id) w: vec3u) {
        var sum = coop_mat16x16<f32, C>();
        for (var k = 0u; k < 64; k += 16) {
            let at = w.x * 1024 + k;
            let x = coopLoadT<coop_mat16x16<f16, A>>(&a[at], 64);
            let y = coopLoad<coop_mat16x16<f16, B>>(&b[at], 64);
            sum = coopMultiplyAdd(x, y, sum);
        }
        coopStoreT(sum, &c[w.x], 64);
    }",
];

#[test]
fn bodies_and_modules_become_valid_programs() {
    for statements in BODIES {
        body(statements);
    }
    for source in MODULES {
        lowered(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    }
}

#[test]
fn long_else_if_chains_and_switches_do_not_overflow_the_stack() {
    let chain: String = (0..100).map(|n| format!("if i == {n} {{ data[i] = {n}; }} else ")).collect();
    body(&format!("{chain} {{ data[i] = 7; }}"));
    let cases: String = (0..3000).map(|n| format!("case {n} {{ data[i] = {n}; }} ")).collect();
    body(&format!("switch i {{ {cases} default {{}} }}"));
}
