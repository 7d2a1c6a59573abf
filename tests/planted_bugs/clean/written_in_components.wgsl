@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var v: vec3<f32>;
    for (var k = 0u; k < 3u; k++) { v[k] = f32(k * i); }
    var m: mat2x2<f32>;
    m[0] = v.xy;
    m[1] = v.yz;
    data[i] = dot(v, v) + determinant(m);
}
