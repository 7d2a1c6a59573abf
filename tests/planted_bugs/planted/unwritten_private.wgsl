var<private> counter: u32;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    counter += i; //~ uninitialised counter
    data[i] = counter;
}
