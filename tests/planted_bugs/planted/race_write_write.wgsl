var<workgroup> last: u32;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    last = i; //~ race last
    workgroupBarrier();
    data[i] = last;
}
