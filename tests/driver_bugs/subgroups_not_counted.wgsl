// In a workgroup of 33 invocations the last subgroup is often partial; num_subgroups is the highest subgroup_id plus 1.
// needs: subgroups
// right: 1
// wrong: 0
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
var<workgroup> highest: atomic<u32>;

@compute @workgroup_size(33)
fn main(@builtin(local_invocation_index) at: u32, @builtin(subgroup_id) id: u32, @builtin(num_subgroups) count: u32) {
    atomicMax(&highest, id);
    workgroupBarrier();
    if at == 0u {
        result[0] = select(0u, 1u, atomicLoad(&highest) + 1u == count);
    }
}
