// Workgroup memory, barriers, a loop whose end comes from a uniform.
struct Params { width: u32, height: u32, scale: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
var<workgroup> tile: array<array<f32, 17>, 16>;

@compute @workgroup_size(16, 16)
fn transpose(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) own: vec3<u32>,
             @builtin(workgroup_id) group: vec3<u32>) {
    if id.x < params.width && id.y < params.height { tile[own.y][own.x] = source[id.y * params.width + id.x]; }
    workgroupBarrier();
    let place = group.yx * 16u + own.xy;
    if place.x < params.height && place.y < params.width {
        result[place.y * params.height + place.x] = tile[own.x][own.y] * params.scale;
    }
}
