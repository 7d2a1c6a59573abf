@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var v: vec3<f32>;
    v.x = f32(i);
    v.z = 1.0;
    data[i] = dot(v, v); //~ uninitialised v
}
