struct Params { values: array<vec4<f32>, 4> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    data[i] = params.values[i].x; //~ out-of-range params.values
}
