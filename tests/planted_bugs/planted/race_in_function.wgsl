var<workgroup> box: vec4<u32>;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
fn post(value: u32) {
    box.y = value; //~ race box
}
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 2u { post(i); }
    workgroupBarrier();
    data[i] = box.y;
}
