// The nearest of 32 centres for each point of eight coordinates.
const CENTRES = 32u;
const DIMENSIONS = 8u;

@group(0) @binding(0) var<storage> centres: array<f32, CENTRES * DIMENSIONS>;
@group(0) @binding(1) var<storage> points: array<f32>;
@group(0) @binding(2) var<storage, read_write> nearest: array<u32>;

var<workgroup> shared_centres: array<f32, CENTRES * DIMENSIONS>;

@compute @workgroup_size(128)
fn assign(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    for (var i = thread; i < CENTRES * DIMENSIONS; i += 128u) {
        shared_centres[i] = centres[i];
    }
    workgroupBarrier();
    if id.x >= arrayLength(&nearest) {
        return;
    }
    var point: array<f32, DIMENSIONS>;
    for (var i = 0u; i < DIMENSIONS; i++) {
        point[i] = points[id.x * DIMENSIONS + i];
    }
    var best = 0u;
    var least = 1e30;
    for (var centre = 0u; centre < CENTRES; centre++) {
        var distance = 0.0;
        for (var i = 0u; i < DIMENSIONS; i++) {
            let offset = point[i] - shared_centres[centre * DIMENSIONS + i];
            distance += offset * offset;
        }
        if distance < least {
            least = distance;
            best = centre;
        }
    }
    nearest[id.x] = best;
}
