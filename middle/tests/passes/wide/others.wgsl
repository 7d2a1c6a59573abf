// Operations that naga writes correctly stay.
// pass: wide
// check: unchanged

@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
@group(0) @binding(1) var<storage, read_write> signed: array<i64>;
@group(0) @binding(2) var<storage, read_write> short: array<i32>;
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    // ...
}

// case: a shift by a constant
wide[0] = wide[1] << 13u;

// case: a shift of 32 bits
short[0] = short[1] << n;

// case: zero and sign extension
wide[0] = u64(n); signed[0] = i64(short[0]);

// case: a shift of vectors by constants
let v = vec2(wide[0], wide[1]) >> vec2(3u); wide[2] = v.x;
