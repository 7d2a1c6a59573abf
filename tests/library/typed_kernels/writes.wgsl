@group(0) @binding(0) var<storage, read_write> data: array<u32>;

// anywarp:debug
fn tell(index: u32) {}
fn write(index: u32) {
    tell(index);
    data[index] = 1;
}
