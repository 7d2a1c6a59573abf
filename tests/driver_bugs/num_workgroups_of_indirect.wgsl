// The number of workgroups of an indirect launch: 1, 1, 1.
// indirect: 1 1 1
// right: 1 1 1
// wrong: differs
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(num_workgroups) count: vec3<u32>) {
    result[0] = count.x;
    result[1] = count.y;
    result[2] = count.z;
}
