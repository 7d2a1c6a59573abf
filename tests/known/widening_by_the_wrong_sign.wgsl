// u64(-1i) has all 64 bits set, i64(0xffffffffu) the lower 32: WGSL extends an integer by its own sign.
// needs: i64
// in: 0xffffffff
// right: 0xffffffff 0xffffffff 0xffffffff 0
// wrong: 0xffffffff 0 0xffffffff 0xffffffff
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u64>;

@compute @workgroup_size(1)
fn main() {
    result[0] = u64(bitcast<i32>(values[0]));
    result[1] = bitcast<u64>(i64(values[0]));
}
