// Multiplies real numbers, and rounds them to f16, a word of two in each invocation.
import package::shared::half_floats::rounded_to_f16;

struct Sizes {
    // Multiplied with each number.
    scale: f32,
    // The number of elements, and that of the words that contain them.
    count: u32,
    words: u32,
    // The first elements in their bindings.
    first_of_x: u32,
    first_of_y: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(256)
fn fft_narrow(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= sizes.words {
        return;
    }
    let word = sizes.first_of_y / 2u + id.x;
    // An element before the first one is a large number.
    let low = 2u * word - sizes.first_of_y;
    let high = low + 1u;
    var result = 0u;
    if low >= sizes.count || high >= sizes.count {
        result = y[word];
    }
    if low < sizes.count {
        let number = x[sizes.first_of_x + low] * sizes.scale;
        result = (result & 0xffff0000u) | rounded_to_f16(vec4(number)).x;
    }
    if high < sizes.count {
        let number = x[sizes.first_of_x + high] * sizes.scale;
        result = (result & 0xffffu) | (rounded_to_f16(vec4(number)).x << 16u);
    }
    y[word] = result;
}
