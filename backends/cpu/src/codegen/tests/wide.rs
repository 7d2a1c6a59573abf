//! Kernels whose rows divide by 16, so that their groups have 16 lanes: masks, logic of three operands, rotations, memory.

use super::{kernel, run};

const EDGES: [u32; 16] = [
    0,
    1,
    2,
    15,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x4f00_0000,
    0xcf00_0001,
];

/// Runs a body that writes `out[i]` in 64 invocations, from `a` and `b`, which are all pairs of edge values in turn.
fn each_pair(body: &str, expected: impl Fn(u32, u32, u32) -> u32) {
    let body = format!("let a = data[i / 16u % 16u]; let b = data[i % 16u]; {body}");
    let got = run(&kernel("64", "", &body), &[&[0; 256], &EDGES], [4, 1, 1]);
    for i in 0..256u32 {
        let (a, b) = (EDGES[i as usize / 16], EDGES[i as usize % 16]);
        assert_eq!(got[i as usize], expected(a, b, i), "invocation {i} with {a:#x} and {b:#x}: {body}");
    }
}

#[test]
fn masks_as_values() {
    each_pair("out[i] = u32(a < b) + 2u * u32(a == b) + 4u * u32(i32(a) < i32(b));", |a, b, _| {
        u32::from(a < b) + 2 * u32::from(a == b) + 4 * u32::from(a.cast_signed() < b.cast_signed())
    });
    each_pair("let p = a <= b; let q = i % 3u == 1u; out[i] = select(7u, 9u, (p && q) != (p || !q));", |a, b, i| {
        let (p, q) = (a <= b, i % 3 == 1);
        if (p && q) == (p || !q) { 7 } else { 9 }
    });
    each_pair("let p = select(a > b, b > 3u, i % 2u == 0u); out[i] = select(a, b, !p);", |a, b, i| {
        let p = if i.is_multiple_of(2) { b > 3 } else { a > b };
        if p { a } else { b }
    });
    each_pair("let p = data[0] == 1u; out[i] = select(a, b, p != (a > b));", |a, b, _| if a > b { b } else { a });
}

#[test]
fn masks_that_loops_carry() {
    each_pair(
        "var odd = a < b; var found = false; var n = 0u;
         for (var step = 0u; step < i % 7u; step++) {
             if (odd && step % 2u == 1u) { found = found != (step > 2u); n += 1u; }
             if (n > 2u) { break; }
             odd = !odd || step == 3u;
         }
         out[i] = n + 16u * u32(odd) + 32u * u32(found);",
        |a, b, i| {
            let (mut odd, mut found, mut n) = (a < b, false, 0);
            for step in 0..i % 7 {
                if odd && step % 2 == 1 {
                    found = found != (step > 2);
                    n += 1;
                }
                if n > 2 {
                    break;
                }
                odd = !odd || step == 3;
            }
            n + 16 * u32::from(odd) + 32 * u32::from(found)
        },
    );
}

#[test]
fn comparisons_of_floats() {
    each_pair(
        "let x = bitcast<f32>(a); let y = bitcast<f32>(b);
         out[i] = u32(x < y) + 2u * u32(x <= y) + 4u * u32(x == y) + 8u * u32(!(x < y)) + 16u * u32(x != y);",
        |a, b, _| {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "comparisons of NaN are false")]
            let not_less = !(x < y);
            u32::from(x < y)
                + 2 * u32::from(x <= y)
                + 4 * u32::from(x == y)
                + 8 * u32::from(not_less)
                + 16 * u32::from(x != y)
        },
    );
    // The largest values of the range that are floats.
    each_pair("let x = bitcast<f32>(a); out[i] = u32(i32(select(0.0, x, x == x)));", |a, _, _| {
        let x = f32::from_bits(a);
        if x.is_nan() { 0 } else { (x.min(2_147_483_520.0) as i32).cast_unsigned() }
    });
    each_pair("let x = bitcast<f32>(a); out[i] = u32(select(0.0, x, x == x));", |a, _, _| {
        let x = f32::from_bits(a);
        if x.is_nan() { 0 } else { x.min(4_294_967_040.0) as u32 }
    });
}

#[test]
fn logic_of_three_operands() {
    type Logic = (&'static str, fn(u32, u32, u32) -> u32);
    let texts: [Logic; 8] = [
        ("a ^ b ^ c", |a, b, c| a ^ b ^ c),
        ("(a & b) ^ (~a & c)", |a, b, c| (a & b) ^ (!a & c)),
        ("(a & b) ^ (a & c) ^ (b & c)", |a, b, c| (a & b) ^ (a & c) ^ (b & c)),
        ("(a | ~b) & c", |a, b, c| (a | !b) & c),
        ("~(a & b) | c", |a, b, c| !(a & b) | c),
        ("(c ^ a) & ~(b | c)", |a, b, c| (c ^ a) & !(b | c)),
        ("(a & 255u) | (b << 8u) & c", |a, b, c| a & 255 | b << 8 & c),
        ("~(a ^ b) ^ ~c", |a, b, c| !(a ^ b) ^ !c),
    ];
    for (text, expected) in texts {
        let body = format!("let c = i * 2654435761u; out[i] = {text};");
        each_pair(&body, |a, b, i| expected(a, b, i.wrapping_mul(2_654_435_761)));
    }
}

#[test]
fn rotations() {
    for by in [1u32, 7, 16, 31] {
        let back = 32 - by;
        each_pair(&format!("out[i] = (a << {by}u) | (a >> {back}u);"), |a, _, _| a.rotate_left(by));
        each_pair(&format!("out[i] = (a >> {by}u) | (a << {back}u);"), |a, _, _| a.rotate_right(by));
        each_pair(&format!("out[i] = (a >> {by}u) | (b << {back}u);"), |a, b, _| a >> by | b << back);
        each_pair(&format!("out[i] = (a << {by}u) | (a >> {by}u);"), |a, _, _| a << by | a >> by);
    }
}

#[test]
fn rows_of_vectors() {
    let types = "struct Pair { x: u32, y: u32 } @group(0) @binding(2) var<storage, read_write> pairs: array<Pair>;
                 @group(0) @binding(3) var<storage, read_write> fours: array<vec4<u32>>;";
    let body = "let p = pairs[i]; let q = fours[i];
                pairs[i] = Pair(p.y + 1u, p.x); fours[i] = q.wxyz + vec4(0u, 1u, 2u, 3u); out[i] = p.x + q.z;";
    let pairs: Vec<u32> = (0..128).map(|at| at * 3).collect();
    let fours: Vec<u32> = (0..256).map(|at| at * 5 + 1).collect();
    let got =
        super::try_run(&kernel("64", types, body), &[&[0; 64], &[0; 4], &pairs, &fours], [1, 1, 1], u64::MAX).unwrap();
    for i in 0..64 {
        let (p, q) = (&pairs[2 * i..][..2], &fours[4 * i..][..4]);
        assert_eq!(got[0][i], p[0] + q[2], "invocation {i}");
        assert_eq!(got[2][2 * i..][..2], [p[1] + 1, p[0]], "pair {i}");
        assert_eq!(got[3][4 * i..][..4], [q[3], q[0] + 1, q[1] + 2, q[2] + 3], "four {i}");
    }
}

#[test]
fn scattered_memory_and_division() {
    each_pair(
        "var own: array<u32, 4>; own[a % 4u] = b; own[b % 4u] ^= a; out[i] = own[i % 4u] + a / max(b, 1u) + i % (b | 1u);",
        |a, b, i| {
            let mut own = [0; 4];
            own[a as usize % 4] = b;
            own[b as usize % 4] ^= a;
            own[i as usize % 4].wrapping_add(a / b.max(1)).wrapping_add(i % (b | 1))
        },
    );
}

#[test]
fn choices_and_remainders() {
    each_pair("out[i] = bitcast<u32>(bitcast<i32>(a) % 2i);", |a, _, _| (a.cast_signed() % 2).cast_unsigned());
    each_pair(
        "out[i] = 7u; switch (bitcast<i32>(a) % 2i) { case -1i: { out[i] = 1u; } case 1i: { } default: { out[i] = 3u; } }",
        |a, _, _| match a.cast_signed() % 2 {
            -1 => 1,
            1 => 7,
            _ => 3,
        },
    );
    each_pair(
        "var v = a; switch (i % 9u) { case 0u, 1u: { } case 3u: { } case 4u: { v ^= b; } default: { } } out[i] = v;",
        |a, b, i| if i % 9 == 4 { a ^ b } else { a },
    );
}

#[test]
fn stores_of_some_lanes() {
    each_pair("if (a < b) { out[i] = 5u; }", |a, b, _| if a < b { 5 } else { 0 });
    each_pair("switch (a % 3u) { case 1u: { out[i] = 1u; } case 2u: { } default: { } }", |a, _, _| {
        u32::from(a % 3 == 1)
    });
    each_pair("switch (a % 3u) { case 1u: { out[i] = 1u; } case 2u: { } default: { out[i] = 4u; } }", |a, _, _| {
        [4, 1, 0][a as usize % 3]
    });
}

/// The upper half of each lane is zero, so that no lane of the constant is all ones or zero.
#[test]
fn constants_that_are_no_masks() {
    let body = "var p = 65535u; let before = p; if (a > b) { p ^= before; } out[i] = p * 3u;";
    each_pair(body, |a, b, _| if a > b { 0 } else { 65535 * 3 });
    each_pair("out[i] = (a & 65535u) ^ (b & 65535u) ^ 65535u;", |a, b, _| (a ^ b) & 65535 ^ 65535);
}
