// One step of an LU decomposition without pivoting: eliminates column `step` from the rows below.
struct Params {
    size: u32,
    step: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> reduced: array<f32>;

@compute @workgroup_size(16, 16)
fn lu_step(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    if row >= params.size || column >= params.size {
        return;
    }
    let at = row * params.size + column;
    let pivot = matrix[params.step * params.size + params.step];
    var value = matrix[at];
    if row > params.step && column >= params.step {
        let factor = matrix[row * params.size + params.step] / pivot;
        if column == params.step {
            value = factor;
        } else {
            value -= factor * matrix[params.step * params.size + column];
        }
    }
    reduced[at] = value;
}
