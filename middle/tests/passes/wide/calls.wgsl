// Wrong operations on 64-bit integers become calls of added functions, in addition to the three functions here.
// The function `twice` needs one of the added functions in each case.
// pass: wide

@group(0) @binding(0) var<storage, read_write> wide: array<u64>;
@group(0) @binding(1) var<storage, read_write> signed: array<i64>;
@group(0) @binding(2) var<storage, read_write> short: array<i32>;
fn half(x: u64) -> u64 { return x >> 1u; }
fn twice(x: u64, n: u32) -> u64 { return half(x << n) << n; }
@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) n: u32) {
    // ...
}

// case: literals alone
wide[0] = 1;
// count 4: fn

// case: a shift to the left twice, and in a function
wide[0] = wide[1] << n; wide[2] = twice(wide[2], n) << (n + 1u);
// count 4: fn

// case: shifts to the right of both kinds
wide[0] = wide[1] >> n; signed[0] = signed[1] >> n;
// count 6: fn

// case: a shift of vectors
let v = vec2(wide[0], wide[1]) << vec2(n, 3u); wide[2] = v.x + v.y;
// count 5: fn

// case: conversions to both kinds
wide[0] = u64(short[0]); signed[0] = i64(n);
// count 6: fn

// case: a conversion of a vector
let v = vec3<u64>(vec3(short[0])); wide[0] = v.z;
// count 5: fn

// case: a shift in nested branches
for (var i = 0u; i < n; i++) { if wide[i] > 3 { switch n { case 1u { wide[i] <<= i; } default {} } } }
// count 4: fn

// case: a shift in a continuing block
var i = 0u; loop { if i == n { break; } continuing { i += 1u; wide[i] = wide[0] >> i; } }
// count 5: fn
