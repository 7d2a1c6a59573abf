// Converts f16 to f32 and back, rounded to the nearest, ties to even. Does not need f16 in WGSL.

// Replaces unpack2x16float: some devices lack it, and others flush subnormal numbers in it.
fn unpacked_f16(pair: u32) -> vec2<f32> {
    let halves = vec2(pair, pair >> 16u);
    let size = (halves & vec2(0x7fffu)) << vec2(13u);
    // The exponent biases differ by 112; infinities and NaN have the largest exponent.
    let normal = size + 0x38000000u;
    let beyond = size + 0x70000000u;
    let tiny = bitcast<vec2<u32>>(vec2<f32>(halves & vec2(0x3ffu)) * 0x1p-24);
    let wide = select(select(normal, tiny, size < vec2(0x00800000u)), beyond, size >= vec2(0x0f800000u));
    return bitcast<vec2<f32>>(wide | ((halves & vec2(0x8000u)) << vec2(16u)));
}

// Returns the bits of the nearest f16.
fn rounded_to_f16(values: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(values);
    let size = bits & vec4(0x7fffffffu);
    let normal = (size + 0xc8000fffu + ((size >> vec4(13u)) & vec4(1u))) >> vec4(13u);
    // The last bit of an f32 in [0.5, 1) is worth 2^-24, the smallest f16, so that the addition rounds to multiples of
    // it.
    let tiny = bitcast<vec4<u32>>(bitcast<vec4<f32>>(size) + 0.5) - 0x3f000000u;
    let beyond = select(vec4(0x7c00u), vec4(0x7e00u), size > vec4(0x7f800000u));
    let rounded = select(select(normal, tiny, size < vec4(0x38800000u)), beyond, size >= vec4(0x47800000u));
    return rounded | ((bits >> vec4(16u)) & vec4(0x8000u));
}
