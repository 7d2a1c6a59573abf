// The nearest centre of each point.
struct Params { points: u32, centres: u32, dimensions: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> points: array<f32>;
@group(0) @binding(2) var<storage, read> centres: array<f32>;
@group(0) @binding(3) var<storage, read_write> nearest: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.points { return; }
    var best = 0u;
    var least = 3.4e38;
    for (var centre = 0u; centre < params.centres; centre++) {
        var square = 0.0;
        for (var axis = 0u; axis < params.dimensions; axis++) {
            let away = points[id.x * params.dimensions + axis] - centres[centre * params.dimensions + axis];
            square += away * away;
        }
        if square < least {
            least = square;
            best = centre;
        }
    }
    nearest[id.x] = best;
}
