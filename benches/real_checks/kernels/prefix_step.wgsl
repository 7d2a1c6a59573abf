// One pass of a prefix sum: adds to each element the element `distance` before it.
struct Params { count: u32, distance: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> after: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.count { return; }
    var sum = before[id.x];
    if id.x >= params.distance { sum += before[id.x - params.distance]; }
    after[id.x] = sum;
}
