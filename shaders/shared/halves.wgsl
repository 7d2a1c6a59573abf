// Converts floats of 16 bits to f32 and back, rounded to the nearest, ties to even. Does not need f16 in WGSL.
import package::shared::half_floats::{rounded_to_f16, unpacked_f16};

// Whether floats of 16 bits are bf16; otherwise they are f16.
override bf16: bool = false;

fn unpacked(pair: u32) -> vec2<f32> {
    if bf16 {
        return bitcast<vec2<f32>>(vec2(pair << 16u, pair & 0xffff0000u));
    }
    return unpacked_f16(pair);
}

// Returns element `at` of an array, from the word that contains the element.
fn element_in(word: u32, at: u32) -> f32 {
    let pair = unpacked(word);
    return select(pair.x, pair.y, at % 2u == 1u);
}

// Returns the bits of the nearest bf16.
fn rounded_to_bf16(values: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(values);
    let rounded = (bits + 0x7fffu + ((bits >> vec4(16u)) & vec4(1u))) >> vec4(16u);
    // Rounding could turn a NaN into an infinity.
    return select(rounded, (bits >> vec4(16u)) | vec4(0x40u), (bits & vec4(0x7fffffffu)) > vec4(0x7f800000u));
}

// Returns the bits of the nearest floats of 16 bits.
fn rounded(values: vec4<f32>) -> vec4<u32> {
    if bf16 {
        return rounded_to_bf16(values);
    }
    return rounded_to_f16(values);
}
