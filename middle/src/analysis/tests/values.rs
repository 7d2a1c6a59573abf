//! Tests of single operations.

use super::check;

#[test]
fn operations_follow_wgsl() {
    check(&[
        ("tile[-clamp(params.m, -63, 0)] = 1u;", &[true]),
        ("tile[-clamp(params.m, -64, 0)] = 1u;", &[false]),
        ("tile[~clamp(params.m, -64, -1)] = 1u;", &[true]),
        ("tile[~clamp(params.m, -65, -1)] = 1u;", &[false]),
        ("tile[max(id.x, 3u)] = 1u;", &[false]),
        ("tile[max(thread, 63u)] = 1u;", &[true]),
        ("tile[0u - thread] = 1u;", &[false]),
        ("tile[thread - 0u] = 1u;", &[true]),
        ("tile[id.x % 1u] = 1u;", &[true]),
        ("tile[id.x / 1u] = 1u;", &[false]),
        ("tile[thread - 63u] = 1u;", &[false]),
        ("tile[1u << (thread & 5u)] = 1u;", &[true]),
        ("tile[1u << (thread & 7u)] = 1u;", &[false]),
        ("tile[thread << 1u] = 1u;", &[false]),
        ("tile[id.x >> 32u - 6u] = 1u;", &[true]),
        ("tile[extractBits(params.n, 8u, 6u)] = 1u;", &[true]),
        ("tile[extractBits(params.n, 6u, 8u)] = 1u;", &[false]),
        ("tile[insertBits(thread, params.n, 0u, 6u)] = 1u;", &[true]),
        ("tile[insertBits(thread, params.n, 1u, 6u)] = 1u;", &[false]),
        ("tile[firstLeadingBit(params.n | 1u)] = 1u;", &[true]),
        ("tile[firstLeadingBit(params.n)] = 1u;", &[false]),
        ("tile[countLeadingZeros(params.n) * 2u] = 1u;", &[false]),
        ("tile[countTrailingZeros(params.n | 4u) * 21u] = 1u;", &[true]),
        ("tile[reverseBits(params.n) >> 26u] = 1u;", &[true]),
        ("tile[abs(clamp(params.m, -63, 5))] = 1u;", &[true]),
        ("tile[sign(params.m) + 1] = 1u;", &[true]),
        ("tile[sign(params.m)] = 1u;", &[false]),
        ("let v = vec2<u32>(1u, params.n) + vec2<u32>(1u); tile[v.y] = 1u; tile[v.x] = 1u;", &[false, true]),
        ("let v = vec2<u32>(3u, params.n).yx; tile[v.x] = 1u; tile[v.y] = 1u;", &[false, true]),
        ("let t = thread < 64u; tile[select(100u, thread, t)] = 1u;", &[true]),
        ("let t = thread >= 64u; tile[select(100u, thread, t)] = 1u;", &[false]),
        ("tile[select(id.x, thread, params.n > 2u)] = 1u;", &[false]),
        ("tile[select(thread, id.x, params.n > 2u)] = 1u;", &[false]),
        ("tile[u32(params.n > 2u) + 62u] = 1u;", &[true]),
        ("tile[u32(params.n > 2u) + 63u] = 1u;", &[false]),
        ("tile[u32(bool(params.n)) * 63u] = 1u;", &[true]),
        ("let s = i32(params.n); if (s < 64) { tile[s] = 1u; }", &[false]),
        ("let s = bitcast<i32>(params.n); if (s < 64 && s >= 0) { tile[params.n] = 1u; }", &[true]),
        ("if (any(vec2<u32>(params.n, params.at.x) >= vec2<u32>(64u))) { return; } tile[params.n] = 1u;", &[true]),
        ("if (any(vec2<u32>(params.n, params.at.x) < vec2<u32>(64u))) { tile[params.n] = 1u; }", &[false]),
        ("if (all(vec2<u32>(params.n, params.at.x) < vec2<u32>(64u))) { tile[params.n] = 1u; }", &[true]),
        ("tile[u32(f32(thread))] = 1u;", &[false]),
    ]);
}

#[test]
fn equal_operations_are_one_value_and_others_are_not() {
    check(&[
        ("if (params.n * 3u + thread < 64u) { tile[thread + params.n * 3u] = 1u; }", &[true]),
        ("if (params.n - thread < 64u) { tile[thread - params.n] = 1u; }", &[false]),
        ("let a = x[0]; let b = x[0]; if (a < 64u) { tile[b] = 1u; }", &[false]),
        (
            "var i = params.n; switch x[0] { case 1u: { i = id.x; } default: { } }
             var j = params.n; switch x[1] { case 1u: { j = id.x; } default: { } }
             if (i < 64u) { tile[j] = 1u; }",
            &[false],
        ),
    ]);
}
