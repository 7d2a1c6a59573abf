// Philox4x32-10: four random words for each counter and key (Salmon, Moraes, Dror, Shaw: Parallel random numbers, SC
// 2011). Integer arithmetic only, so that all devices compute the same bits.

// Returns the high and the low word of the product of two words.
@if(wide)
fn product(a: u32, b: u32) -> vec2<u32> {
    let whole = u64(a) * u64(b);
    return vec2(u32(whole >> 32u), u32(whole));
}

@else
fn product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    // Neither sum can overflow: 0xffff * 0xffff + 2 * 0xffff is the largest word.
    let middle = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2((a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u), a * b);
}

// Returns the high word of a product: the product of two fractions of 2^32.
fn high(a: u32, b: u32) -> u32 {
    return product(a, b).x;
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var words = counter;
    var keys = key;
    for (var round = 0u; round < 10u; round++) {
        let first = product(0xd2511f53u, words.x);
        let second = product(0xcd9e8d57u, words.z);
        words = vec4(second.x ^ words.y ^ keys.x, second.y, first.x ^ words.w ^ keys.y, first.y);
        keys += vec2(0x9e3779b9u, 0xbb67ae85u);
    }
    return words;
}
