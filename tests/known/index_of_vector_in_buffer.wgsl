// All components are zero, so whatever component an index beyond the vector is taken for, the result is zero.
// in: 0 0
// right: 0 0 0 0
// wrong: differs
@group(0) @binding(0) var<storage, read> values: vec2<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        var index = array(2u, 3u, 1000000u, 4294967295u)[i];
        result[i] = values[index];
    }
}
