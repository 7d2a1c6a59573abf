// c = activation(alpha sum + beta c + bias) + residual, where `sum` adds up the parts of a product's depth; there are
// none after a library's product. Floats are f32, or, with `packed`, two in a word.
import package::shared::product::sizes;
import package::shared::product_result::{c, finished, scaled};
@if(packed)
import package::shared::halves::rounded;
@if(packed)
import package::shared::product_result::store_half;

// The bits of the sums of each part of the depth, part after part.
@group(0) @binding(1) var<storage> parts: array<u32>;

// Returns the index of element `number` of c. Words of two elements have no gaps between lines.
@if(packed)
fn place_of(number: u32) -> u32 {
    return sizes.first_of_c + number;
}

@if(!packed)
fn place_of(number: u32) -> u32 {
    let row = number / sizes.n;
    return sizes.first_of_c + row / sizes.m * sizes.batch_of_c + row % sizes.m * sizes.line_of_c + number % sizes.n;
}

// Returns element `number` of c, whose index is `at`.
fn result(number: u32, at: u32) -> f32 {
    var sum = 0.0;
    var place = number;
    for (var part = 0u; part < sizes.parts; part++) {
        sum += bitcast<f32>(parts[place]);
        place += sizes.elements_of_c;
    }
    return finished(scaled(sum, at), at, number % sizes.n);
}

@if(!packed)
@compute @workgroup_size(256)
fn finish(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < sizes.elements_of_c {
        let at = place_of(id.x);
        c[at] = result(id.x, at);
    }
}

// Writes the two elements of a word, of which only one may belong to c.
@if(packed)
@compute @workgroup_size(256)
fn finish(@builtin(global_invocation_id) id: vec3<u32>) {
    let skip = sizes.first_of_c % 2u;
    if id.x * 2u >= skip + sizes.elements_of_c {
        return;
    }
    // The numbers of elements before the first element wrap around.
    let number = id.x * 2u - skip;
    let has_low = number < sizes.elements_of_c;
    let has_high = number + 1u < sizes.elements_of_c;
    var results = vec4(0.0);
    if has_low {
        results.x = result(number, place_of(number));
    }
    if has_high {
        results.y = result(number + 1u, place_of(number + 1u));
    }
    let bits = rounded(results);
    let word = sizes.first_of_c / 2u + id.x;
    if has_low && has_high {
        atomicStore(&c[word], bits.x | (bits.y << 16u));
    } else if has_low {
        store_half(word * 2u, bits.x);
    } else {
        store_half(word * 2u + 1u, bits.y);
    }
}
