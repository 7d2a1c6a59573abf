// Densities of particles on a line, sorted by cells: particles in the same cell and in its two neighbours count.
struct Params { count: u32, cells: u32, radius: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> places: array<f32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> densities: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.count { return; }
    let place = places[id.x];
    let cell = min(u32(place), params.cells - 1u);
    let last = min(cell + 1u, params.cells - 1u);
    var density = 0.0;
    for (var near = max(cell, 1u) - 1u; near <= last; near++) {
        let end = starts[near + 1u];
        for (var i = starts[near]; i < end; i++) {
            let away = abs(places[i] - place) / params.radius;
            density += max(1.0 - away * away, 0.0);
        }
    }
    densities[id.x] = density;
}
