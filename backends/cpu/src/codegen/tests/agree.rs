//! Conditions on which lanes nearly always agree, and comparisons of unsigned integers.

use super::{kernel, run};

#[test]
fn equality_with_a_growing_value() {
    type Value = (&'static str, fn(u32) -> u32);
    let values: [Value; 4] = [
        ("i", |i| i),
        ("i * 3u + 5u", |i| i * 3 + 5),
        ("i + 4294967286u", |i| i.wrapping_add(4_294_967_286)),
        ("i * 536870912u", |i| i.wrapping_mul(536_870_912)),
    ];
    for (text, value) in values {
        for body in [
            "if (v == data[0]) { out[i] = 1u; } else { out[i] = data[2] + i; }",
            "if (v != data[0]) { out[i] = data[2] + i; } else { out[i] = 1u; }",
            "if (v == data[0] || data[1] == 0u) { out[i] = 1u; } else { out[i] = data[2] + i; }",
            "if (!(v != data[0] && data[1] == 1u)) { out[i] = 1u; return; } out[i] = data[2] + i;",
            "out[i] = 1u; if (v == data[0]) { return; } out[i] = data[2] + i;",
            "out[i] = 1u; if (v != data[0]) { out[i] = data[2] + i; if (i < 20u) { out[i] = data[3] + i; } }",
        ] {
            let source = kernel("8", "", &format!("let v = {text}; {body}"));
            for at in [0u32, 1, 7, 8, 13, 31, 32, 40] {
                let got = run(&source, &[&[0; 32], &[value(at), 1, 50, 50]], [4, 1, 1]);
                for i in 0..32 {
                    let expected = if value(i) == value(at) { 1 } else { 50 + i };
                    assert_eq!(got[i as usize], expected, "v = {text} == {}, invocation {i}: {body}", value(at));
                }
            }
        }
    }
}

#[test]
fn short_branches_that_read() {
    for condition in ["i < data[0]", "i >= data[0]", "i < data[0] && i >= 3u"] {
        let source = kernel("8", "", &format!("var s = 5u; if ({condition}) {{ s += data[i + 1u]; }} out[i] = s;"));
        for limit in [0u32, 3, 8, 11, 24, 40] {
            let data: Vec<u32> = std::iter::once(limit).chain(100..124).collect();
            let got = run(&source, &[&[0; 24], &data], [3, 1, 1]);
            for i in 0..24 {
                let holds = match condition {
                    "i < data[0]" => i < limit,
                    "i >= data[0]" => i >= limit,
                    _ => i < limit && i >= 3,
                };
                assert_eq!(got[i as usize], if holds { 105 + i } else { 5 }, "{condition} with {limit}, {i}");
            }
        }
    }
}

#[test]
fn unsigned_comparisons() {
    const EDGES: [u32; 8] = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff];
    type Case = (&'static str, fn(u32, u32, u32) -> [bool; 2]);
    let against = |limit: u32| {
        let source = kernel("8", "", &format!("let v = data[i]; out[i] = u32(v < {limit}u) + 2u * u32({limit}u < v);"));
        let got = run(&source, &[&[9; 8], &EDGES], [1, 1, 1]);
        let expected = EDGES.map(|v| u32::from(v < limit) + 2 * u32::from(limit < v));
        assert_eq!(got, expected, "constant {limit}");
    };
    EDGES.into_iter().for_each(against);
    let cases: [Case; 4] = [
        ("v < u, u < v", |v, u, _| [v < u, u < v]),
        ("v <= u, u <= v", |v, u, _| [v <= u, u <= v]),
        ("v < u + i, u + i < v", |v, u, i| [v < u.wrapping_add(i), u.wrapping_add(i) < v]),
        ("v % 100u < i * 3u, i * 3u < v % 100u", |v, _, i| [v % 100 < i * 3, i * 3 < v % 100]),
    ];
    for (text, holds) in cases {
        let (first, second) = text.split_once(", ").unwrap();
        let body = format!("let v = data[i]; let u = data[wid.y + 8u]; out[i] = u32({first}) + 2u * u32({second});");
        for uniform in EDGES {
            let data = [&EDGES[..], &[uniform]].concat();
            let got = run(&kernel("8", "", &body), &[&[9; 8], &data], [1, 1, 1]);
            for (i, v) in EDGES.into_iter().enumerate() {
                let [a, b] = holds(v, uniform, i as u32);
                assert_eq!(got[i], u32::from(a) + 2 * u32::from(b), "{text}: v = {v}, u = {uniform}, i = {i}");
            }
        }
    }
}
