//! Tests of orders of values that do not follow from the ranges of the values.

use super::{analysed_text, check};
use crate::Circumstances;

#[test]
fn distances_prove_exactly_what_they_allow() {
    check(&[
        ("x[arrayLength(&x)] = 1u;", &[false]),
        ("if (id.x < arrayLength(&x)) { x[id.x + 1u] = 1u; }", &[false]),
        ("if (id.x + 1u < arrayLength(&x)) { x[id.x + 2u] = 1u; }", &[false]),
        ("if (arrayLength(&x) > id.x) { x[id.x] = 1u; }", &[true]),
        ("if (id.x > arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x >= arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (arrayLength(&x) >= id.x) { x[id.x] = 1u; }", &[false]),
        ("if (id.x != arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x == arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (params.n < arrayLength(&x) && id.x == params.n) { x[id.x] = 1u; }", &[true]),
        ("if (params.n < params.at.x && params.at.x < arrayLength(&x)) { x[params.n + 1u] = 1u; }", &[true]),
        ("if (params.n < params.at.x && params.at.x < arrayLength(&x)) { x[params.n + 2u] = 1u; }", &[false]),
        ("if (params.n - 100u < 64u) { tile[params.n] = 1u; }", &[false]),
        ("if (params.n - 100u < 64u) { tile[params.n - 100u] = 1u; }", &[true]),
        ("if (params.n + 4294967196u < 64u) { tile[params.n] = 1u; }", &[false]),
        ("let k = params.n + 100u; if (k >= 100u && k < 164u) { tile[params.n] = 1u; }", &[true]),
    ]);
}

#[test]
fn sums_and_differences_keep_distances() {
    check(&[
        ("if (id.x < arrayLength(&x)) { x[id.x + (params.n & 1u)] = 1u; }", &[false]),
        ("if (id.x + (params.n & 1u) <= arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x + (params.n & 1u) < arrayLength(&x)) { x[id.x] = 1u; }", &[true]),
        ("if (id.x <= arrayLength(&x)) { x[max(id.x, 1u) - (params.n & 1u)] = 1u; }", &[false]),
        ("if (id.x <= arrayLength(&x)) { x[max(id.x, 1u) - 1u] = 1u; }", &[true]),
        ("if (params.n <= arrayLength(&x)) { x[params.n - 1u] = 1u; }", &[false]),
        ("if (params.n > 0u && params.n <= arrayLength(&x)) { x[params.n - 1u] = 1u; }", &[true]),
        ("if (params.n <= params.at.x && params.at.x < arrayLength(&x)) { x[params.at.x - params.n] = 1u; }", &[true]),
        ("if (params.n >= params.at.x && params.at.x < arrayLength(&x)) { x[params.at.x - params.n] = 1u; }", &[false]),
    ]);
}

#[test]
fn sums_and_differences_that_wrap_lose_distances() {
    // `k` is at least `m`, unless the computation of `k` wraps.
    for (m, proven) in [("params.m", false), ("min(params.m, 1000)", true)] {
        for k in ["m + i32(params.n & 1u)", "m - (-i32(params.n & 1u))"] {
            let guard = "i >= 0 && i <= m && k < 64";
            let body = format!("let i = i32(y[0]); let m = {m}; let k = {k}; if ({guard}) {{ tile[i] = 1u; }}");
            check(&[(&body, &[proven])]);
        }
    }
}

#[test]
fn products_and_quotients_keep_distances() {
    check(&[
        ("if (params.n * 2u < arrayLength(&x)) { x[params.n] = 1u; }", &[false]),
        ("if ((params.n << 1u) < arrayLength(&x)) { x[params.n] = 1u; }", &[false]),
        ("if (id.x * 2u < arrayLength(&x)) { x[id.x] = 1u; }", &[true]),
        ("if (id.x * (params.n & 1u) < arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (id.x < arrayLength(&x) / 4u) { x[id.x * 4u + 3u] = 1u; }", &[true]),
        ("if (id.x < (arrayLength(&x) >> 2u)) { x[(id.x << 2u) + 3u] = 1u; }", &[true]),
        ("if (id.x < (arrayLength(&x) >> 2u)) { x[(id.x << 3u)] = 1u; }", &[false]),
        ("if (id.x <= arrayLength(&x) / 4u) { x[id.x * 4u] = 1u; }", &[false]),
        ("if (id.x <= arrayLength(&x)) { x[id.x / 2u] = 1u; }", &[false]),
        ("if (id.x <= arrayLength(&x)) { x[max(id.x, 1u) / 2u] = 1u; }", &[true]),
        ("let a = max(id.x, 1u); if (a * 2u <= arrayLength(&x)) { x[a] = 1u; }", &[true]),
        ("if (id.x * 2u <= arrayLength(&x)) { x[id.x] = 1u; }", &[false]),
        ("if (params.n <= arrayLength(&x)) { x[id.x % max(params.n, 1u)] = 1u; }", &[true]),
        ("if (params.n <= arrayLength(&x) + 1u) { x[id.x % max(params.n, 1u)] = 1u; }", &[false]),
    ]);
}

#[test]
fn narrow_casts_lose_the_upper_bits() {
    for (index, expected) in [("u32(low)", true), ("n", false)] {
        let text = format!(
            "enable wgpu_int16;
            @group(0) @binding(0) var<uniform> n: u32;
            var<workgroup> tile: array<u32, 64>;
            @compute @workgroup_size(64) fn main() {{
                let low = u16(n);
                if (low < u16(64)) {{ tile[{index}] = 1u; }}
            }}"
        );
        let analysis = analysed_text(&text, &Circumstances::default());
        assert_eq!(analysis.accesses[0].proven, expected, "{index}: {:?}", analysis.accesses);
    }
}

#[test]
fn choices_and_casts_keep_distances() {
    check(&[
        ("if (id.x < arrayLength(&x)) { x[max(id.x, params.n)] = 1u; }", &[false]),
        ("if (id.x < arrayLength(&x)) { x[min(id.x, params.n)] = 1u; }", &[true]),
        ("if (id.x < arrayLength(&x)) { x[select(params.n, id.x, params.at.x > 2u)] = 1u; }", &[false]),
        ("if (id.x < arrayLength(&x)) { x[select(id.x, params.n, params.at.x > 2u)] = 1u; }", &[false]),
        (
            "if (id.x < arrayLength(&x) && params.n < arrayLength(&x)) { x[select(id.x, params.n, params.at.x > 2u)] = 1u; }",
            &[true],
        ),
        ("if (id.x < arrayLength(&x)) { x[id.x & params.n] = 1u; }", &[true]),
        ("if (params.m < 64) { tile[params.m & 1000] = 1u; }", &[false]),
        ("if (params.m < 64) { tile[u32(params.m)] = 1u; }", &[false]),
        ("if (i32(params.n) < i32(arrayLength(&x))) { x[params.n] = 1u; }", &[false]),
        ("if (id.x | params.n) < arrayLength(&x) { x[id.x] = 1u; }", &[true]),
    ]);
}
