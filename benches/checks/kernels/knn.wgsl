// The four nearest of a few hundred points of the plane for each query, nearest first.
const NEIGHBOURS = 4u;

@group(0) @binding(0) var<storage> points: array<vec2<f32>>;
@group(0) @binding(1) var<storage> queries: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> distances: array<array<f32, NEIGHBOURS>>;

@compute @workgroup_size(64)
fn knn(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&queries) {
        return;
    }
    var nearest: array<f32, NEIGHBOURS>;
    for (var i = 0u; i < NEIGHBOURS; i++) {
        nearest[i] = 1e30;
    }
    let query = queries[id.x];
    for (var i = 0u; i < arrayLength(&points); i++) {
        let offset = points[i] - query;
        let distance = dot(offset, offset);
        if distance >= nearest[NEIGHBOURS - 1u] {
            continue;
        }
        var place = NEIGHBOURS - 1u;
        while place > 0u && nearest[place - 1u] > distance {
            nearest[place] = nearest[place - 1u];
            place--;
        }
        nearest[place] = distance;
    }
    distances[id.x] = nearest;
}
