//! Types of 16 bits: their layout in memory, wrapping and rounding.

use super::run;

/// The words that contain two of these 16-bit values each.
fn pairs(values: impl IntoIterator<Item = u16>) -> Vec<u32> {
    let values: Vec<u16> = values.into_iter().collect();
    values.chunks(2).map(|pair| u32::from(pair[0]) | u32::from(pair[1]) << 16).collect()
}

fn halves(words: &[u32]) -> Vec<u16> {
    words.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]).collect()
}

const SOURCE: &str = "enable f16;
    @group(0) @binding(0) var<storage, read_write> out: array<f16, 32>;
    @group(0) @binding(1) var<storage, read> data: array<f16, 32>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
        let i = id.x;
        if (i % 4u == 3u) { out[i] = data[(i * 5u) % 32u]; } else { out[i] = data[i] * 3.0h; }
    }";

#[test]
fn halves_in_memory() {
    // Small integers and three times their values are exact as `f16`.
    let data: Vec<u16> = (0..32u16).map(|value| half(f32::from(value))).collect();
    let got = halves(&run(SOURCE, &[&pairs([0; 32]), &pairs(data.clone())], [4, 1, 1]));
    for i in 0..32u16 {
        let expected = if i % 4 == 3 { data[usize::from(i * 5 % 32)] } else { half(f32::from(i) * 3.0) };
        assert_eq!(got[usize::from(i)], expected, "{i}");
    }
}

/// Returns the bits of a small non-negative integer as an `f16`.
fn half(value: f32) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    (((bits >> 23) - 112) << 10 | (bits >> 13) & 0x3ff) as u16
}

#[test]
fn integers_wrap_at_their_own_width() {
    let source = "enable wgpu_int16;
        @group(0) @binding(0) var<storage, read_write> out: array<i16, 32>;
        @group(0) @binding(1) var<storage, read> data: array<u16, 32>;
        @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3u) {
            let i = id.x;
            let x = data[(i * 3u) % 32u] * data[i] + u16(7);
            out[i] = i16(x) - i16(i);
        }";
    let data: Vec<u16> = (0..32u16).map(|value| value.wrapping_mul(2311)).collect();
    let got = halves(&run(source, &[&pairs([0; 32]), &pairs(data.clone())], [2, 1, 1]));
    for i in 0..32 {
        let x = data[i * 3 % 32].wrapping_mul(data[i]).wrapping_add(7);
        assert_eq!(got[i], x.wrapping_sub(i as u16), "{i}");
    }
}
