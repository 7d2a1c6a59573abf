// One pass of a bitonic sort.
struct Params { count: u32, distance: u32, block: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> sorted: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let other = i ^ params.distance;
    if i >= params.count || other <= i { return; }
    let one = keys[i];
    let two = keys[other];
    let swaps = (one > two) == ((i & params.block) == 0u);
    sorted[i] = select(one, two, swaps);
    sorted[other] = select(two, one, swaps);
}
