// Several small numbers in one word, the first in the lowest bits.
aw_fn u32 aw_snorm(f32 a, f32 scale) {
    return u32(__float2int_rz(floorf(0.5f + scale * fminf(fmaxf(a, -1.0f), 1.0f))));
}
aw_fn u32 aw_unorm(f32 a, f32 scale) { return u32(__float2int_rz(0.5f + scale * fminf(fmaxf(a, 0.0f), 1.0f))); }
aw_fn u32 aw_bytes(u32 x, u32 y, u32 z, u32 w) { return (x & 255u) | (y & 255u) << 8 | (z & 255u) << 16 | w << 24; }
aw_fn i32 aw_clamped_byte(i32 a, i32 low, i32 high) { return a < low ? low : a > high ? high : a; }

aw_fn u32 aw_pack4x8snorm(vec4<f32> a) {
    return aw_bytes(aw_snorm(a.x, 127.0f), aw_snorm(a.y, 127.0f), aw_snorm(a.z, 127.0f), aw_snorm(a.w, 127.0f));
}
aw_fn u32 aw_pack4x8unorm(vec4<f32> a) {
    return aw_bytes(aw_unorm(a.x, 255.0f), aw_unorm(a.y, 255.0f), aw_unorm(a.z, 255.0f), aw_unorm(a.w, 255.0f));
}
aw_fn u32 aw_pack2x16snorm(vec2<f32> a) { return (aw_snorm(a.x, 32767.0f) & 0xffffu) | aw_snorm(a.y, 32767.0f) << 16; }
aw_fn u32 aw_pack2x16unorm(vec2<f32> a) { return aw_unorm(a.x, 65535.0f) | aw_unorm(a.y, 65535.0f) << 16; }
aw_fn u32 aw_pack2x16float(vec2<f32> a) { return u32(f16(a.x).bits) | u32(f16(a.y).bits) << 16; }
aw_fn u32 aw_pack4xI8(vec4<i32> a) { return aw_bytes(u32(a.x), u32(a.y), u32(a.z), u32(a.w)); }
aw_fn u32 aw_pack4xU8(vec4<u32> a) { return aw_bytes(a.x, a.y, a.z, a.w); }
aw_fn u32 aw_pack4xI8Clamp(vec4<i32> a) {
    return aw_bytes(u32(aw_clamped_byte(a.x, -128, 127)), u32(aw_clamped_byte(a.y, -128, 127)),
                    u32(aw_clamped_byte(a.z, -128, 127)), u32(aw_clamped_byte(a.w, -128, 127)));
}
aw_fn u32 aw_least_byte(u32 a) { return a < 255u ? a : 255u; }
aw_fn u32 aw_pack4xU8Clamp(vec4<u32> a) {
    return aw_bytes(aw_least_byte(a.x), aw_least_byte(a.y), aw_least_byte(a.z), aw_least_byte(a.w));
}

aw_fn vec4<i32> aw_unpack4xI8(u32 a) {
    return {i32(a << 24) >> 24, i32(a << 16) >> 24, i32(a << 8) >> 24, i32(a) >> 24};
}
aw_fn vec4<u32> aw_unpack4xU8(u32 a) { return {a & 255u, a >> 8 & 255u, a >> 16 & 255u, a >> 24}; }
aw_fn vec4<f32> aw_unpack4x8snorm(u32 a) {
    const vec4<i32> b = aw_unpack4xI8(a);
    return {fmaxf(f32(b.x) / 127.0f, -1.0f), fmaxf(f32(b.y) / 127.0f, -1.0f), fmaxf(f32(b.z) / 127.0f, -1.0f),
            fmaxf(f32(b.w) / 127.0f, -1.0f)};
}
aw_fn vec4<f32> aw_unpack4x8unorm(u32 a) {
    const vec4<u32> b = aw_unpack4xU8(a);
    return {f32(b.x) / 255.0f, f32(b.y) / 255.0f, f32(b.z) / 255.0f, f32(b.w) / 255.0f};
}
aw_fn vec2<f32> aw_unpack2x16snorm(u32 a) {
    return {fmaxf(f32(i32(a << 16) >> 16) / 32767.0f, -1.0f), fmaxf(f32(i32(a) >> 16) / 32767.0f, -1.0f)};
}
aw_fn vec2<f32> aw_unpack2x16unorm(u32 a) { return {f32(a & 0xffffu) / 65535.0f, f32(a >> 16) / 65535.0f}; }
aw_fn vec2<f32> aw_unpack2x16float(u32 a) {
    return {f32(aw_bitcast<f16>(u16(a))), f32(aw_bitcast<f16>(u16(a >> 16)))};
}

aw_fn i32 aw_dot4I8Packed(u32 a, u32 b) { return __dp4a(i32(a), i32(b), 0); }
aw_fn u32 aw_dot4U8Packed(u32 a, u32 b) { return __dp4a(a, b, 0u); }
