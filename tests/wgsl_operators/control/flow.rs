//! Branches and loops with divergent invocations, and function calls.

use super::PerInvocation;
use crate::operator_suite::table::Case;

pub(crate) fn cases() -> Vec<Case> {
    PROGRAMS.iter().map(|program| program.case("flow")).collect()
}

const PROGRAMS: &[PerInvocation] = &[
    PerInvocation {
        name: "if_chain",
        body: "if x < 5u { r = 1u; } else if x < 10u { r = 2u; if x == 7u { r = 20u; } } else if (x & 1u) == 1u { r = x; } else { r = ~x; }",
        declarations: "",
        reference: |x, _| match x {
            0..5 => 1,
            7 => 20,
            5..10 => 2,
            _ if x & 1 == 1 => x,
            _ => !x,
        },
    },
    PerInvocation {
        name: "for_with_break_and_continue",
        body: "for (var n = 0u; n < 50u; n++) { if n == (x & 63u) { break; } if n % 3u == (x & 1u) { continue; } r = r * 3u + n; }",
        declarations: "",
        reference: |x, _| {
            (0..50).take_while(|n| *n != x & 63).filter(|n| n % 3 != x & 1).fold(0u32, |r, n| r.wrapping_mul(3).wrapping_add(n))
        },
    },
    PerInvocation {
        name: "collatz",
        body: "var n = (x & 0xffu) + 1u; while n != 1u { n = select(n / 2u, 3u * n + 1u, (n & 1u) == 1u); r++; }",
        declarations: "",
        reference: |x, _| {
            let (mut n, mut r) = ((x & 0xff) + 1, 0);
            while n != 1 {
                n = if n & 1 == 1 { 3 * n + 1 } else { n / 2 };
                r += 1;
            }
            r
        },
    },
    PerInvocation {
        name: "nested_loops",
        body: "for (var a = 0u; a < (x & 7u); a++) {
                   for (var b = 0u; b < 8u; b++) {
                       if b == a { continue; }
                       if a * b > (x & 31u) { break; }
                       r += a * 10u + b;
                   }
                   if r > 300u { break; }
               }",
        declarations: "",
        reference: |x, _| {
            let mut r = 0;
            for a in 0..x & 7 {
                for b in (0..8).filter(|b| *b != a) {
                    if a * b > x & 31 {
                        break;
                    }
                    r += a * 10 + b;
                }
                if r > 300 {
                    break;
                }
            }
            r
        },
    },
    PerInvocation {
        name: "loop_with_continuing",
        body: "var n = 0u;
               loop {
                   if n > (x & 15u) { break; }
                   if (n & 1u) == 1u { continue; }
                   r += n;
                   continuing { n++; r ^= 1u; break if r > 40u; }
               }",
        declarations: "",
        reference: |x, _| {
            let (mut n, mut r) = (0, 0u32);
            loop {
                if n > x & 15 {
                    return r;
                }
                if n & 1 == 0 {
                    r += n;
                }
                n += 1;
                r ^= 1;
                if r > 40 {
                    return r;
                }
            }
        },
    },
    PerInvocation {
        name: "return_from_a_loop",
        body: "r = search(x);",
        declarations: "fn search(x: u32) -> u32 {
                           for (var a = 1u; a < 20u; a++) {
                               for (var b = 1u; b < 20u; b++) { if a * b == (x & 127u) { return a * 100u + b; } }
                           }
                           return 7u;
                       }",
        reference: |x, _| {
            let pairs = (1..20).flat_map(|a| (1..20).map(move |b| (a, b)));
            pairs.into_iter().find(|(a, b)| a * b == x & 127).map_or(7, |(a, b)| a * 100 + b)
        },
    },
    PerInvocation {
        name: "early_return",
        body: "result[i] = 11u; if (x & 3u) == 1u { return; } if (x & 3u) == 2u { result[i] = x; return; } r = x + i;",
        declarations: "",
        reference: |x, i| match x & 3 {
            1 => 11,
            2 => x,
            _ => x.wrapping_add(i),
        },
    },
    PerInvocation {
        name: "switch_with_default_in_the_middle",
        body: "switch x & 15u { case 0u { r = 100u; } case 1u, 2u, 3u: { r = 200u + x; } default { r = 300u; } case 9u { r = 400u; } case 0xfu, 12u { r = 500u; if i > 20u { break; } r = 501u; } }",
        declarations: "",
        reference: |x, i| match x & 15 {
            0 => 100,
            1..=3 => x.wrapping_add(200),
            9 => 400,
            15 | 12 => if i > 20 { 500 } else { 501 },
            _ => 300,
        },
    },
    PerInvocation {
        name: "switch_on_signed",
        body: "switch i32(x & 7u) - 4 { case -4 { r = 1u; } case -1, default { r = 2u; } case 2i { r = 3u; } case 3 { } }",
        declarations: "",
        reference: |x, _| match (x & 7) as i32 - 4 {
            -4 => 1,
            2 => 3,
            3 => 0,
            _ => 2,
        },
    },
    PerInvocation {
        name: "switch_of_default_only",
        body: "switch x { default { r = x + 1u; } }",
        declarations: "",
        reference: |x, _| x.wrapping_add(1),
    },
    PerInvocation {
        name: "switch_in_a_loop",
        body: "for (var n = 0u; n < 12u; n++) {
                   switch (x >> n) & 3u { case 0u { continue; } case 1u { r += 1u; break; } case 2u { r += 10u; } default { if n > 6u { r += 1000u; n += 2u; } } }
                   r += 100u;
               }",
        declarations: "",
        reference: |x, _| {
            let (mut n, mut r) = (0, 0);
            while n < 12 {
                match (x >> n) & 3 {
                    0 => {
                        n += 1;
                        continue;
                    }
                    1 => r += 1,
                    2 => r += 10,
                    _ if n > 6 => {
                        r += 1000;
                        n += 2;
                    }
                    _ => {}
                }
                r += 100;
                n += 1;
            }
            r
        },
    },
    PerInvocation {
        name: "return_from_a_switch",
        body: "r = pick(x) + pick(x + 1u);",
        declarations: "fn pick(x: u32) -> u32 {
                           switch x % 5u { case 0u { return 3u; } case 1u { if x > 100u { return 4u; } } case 2u, 3u { return x; } default { return 6u; } }
                           return 5u;
                       }",
        reference: |x, _| {
            let pick = |x: u32| match x % 5 {
                0 => 3,
                1 if x > 100 => 4,
                1 => 5,
                2 | 3 => x,
                _ => 6,
            };
            pick(x).wrapping_add(pick(x.wrapping_add(1)))
        },
    },
    PerInvocation {
        name: "nested_calls",
        body: "r = outer(x, inner(x, 3u)) + outer(1u, x);",
        declarations: "fn inner(a: u32, b: u32) -> u32 { if a > b { return a - b; } return b * 2u; }
                       fn middle(a: u32) -> u32 { var sum = 0u; for (var n = 0u; n < 3u; n++) { sum += inner(a, n * 100u); } return sum; }
                       fn outer(a: u32, b: u32) -> u32 { return middle(a) ^ middle(b) ^ inner(a, b); }",
        reference: |x, _| {
            let inner = |a: u32, b: u32| if a > b { a - b } else { b.wrapping_mul(2) };
            let middle = |a: u32| (0..3).fold(0u32, |sum, n| sum.wrapping_add(inner(a, n * 100)));
            let outer = |a: u32, b: u32| middle(a) ^ middle(b) ^ inner(a, b);
            outer(x, inner(x, 3)).wrapping_add(outer(1, x))
        },
    },
    PerInvocation {
        name: "pointers_to_function_memory",
        body: "var a = x; var b = array<u32, 4>(1u, 2u, 3u, 4u);
               add(&a, 5u); fill(&b, a); swap(&a, &r); add(&r, b[x & 3u]);
               let whole = &b; (*whole)[1] += 9u; r += a + (*whole)[1];",
        declarations: "fn add(target_: ptr<function, u32>, by: u32) { *target_ += by; }
                       fn swap(a: ptr<function, u32>, b: ptr<function, u32>) { let old = *a; *a = *b; *b = old; add(b, 1u); }
                       fn fill(all: ptr<function, array<u32, 4>>, by: u32) { for (var n = 0; n < 4; n++) { (*all)[n] *= by; } }",
        reference: |x, _| {
            let a = x.wrapping_add(5);
            let b = [1u32, 2, 3, 4].map(|n| n.wrapping_mul(a));
            a.wrapping_add(1).wrapping_add(b[(x & 3) as usize]).wrapping_add(b[1]).wrapping_add(9)
        },
    },
    PerInvocation {
        name: "pointers_to_private_memory",
        body: "store(&one, x); store(&two, i); store(&one, one + two); r = one * 3u + two + count;",
        declarations: "var<private> one: u32; var<private> two: u32 = 50u; var<private> count: u32;
                       fn store(cell: ptr<private, u32>, value: u32) { *cell = value; count += 1u; }",
        reference: |x, i| x.wrapping_add(i).wrapping_mul(3).wrapping_add(i).wrapping_add(3),
    },
    PerInvocation {
        name: "structs_and_arrays_by_value",
        body: "var a = Part(x, array<u32, 3>(1u, 2u, i), vec2<f32>(1.5, 2.0));
               let b = change(a); a.c.x = 4.0; let all = array<Part, 2>(a, b);
               r = all[0].a + all[1].a * 3u + all[0].b[2] + all[1].b[x % 3u] + u32(all[0].c.x * 10.0 + all[1].c.x * 100.0);",
        declarations: "struct Part { a: u32, b: array<u32, 3>, c: vec2<f32> }
                       fn change(given: Part) -> Part { var part = given; part.a += 1u; part.b[1] = 77u; part.c *= 2.0; return part; }",
        reference: |x, i| {
            let b = [1, 77, i];
            x.wrapping_add(x.wrapping_add(1).wrapping_mul(3)).wrapping_add(i).wrapping_add(b[(x % 3) as usize]).wrapping_add(340)
        },
    },
    PerInvocation {
        name: "shadowed_names_and_blocks",
        body: "var a = x; { let a = a + 1u; r = a; { var a = 5u; a += r; r = a; } r += a; } r += a;",
        declarations: "",
        reference: |x, _| x.wrapping_mul(3).wrapping_add(7),
    },
    PerInvocation {
        name: "variables_in_loops_start_anew",
        body: "for (var n = 0u; n < 5u; n++) { var fresh: u32; var list: array<u32, 3>; fresh += n; list[n % 3u] += x; r += fresh + list[0] + list[1] + list[2]; }",
        declarations: "",
        reference: |x, _| x.wrapping_mul(5).wrapping_add(10),
    },
];
