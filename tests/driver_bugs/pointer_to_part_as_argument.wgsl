// Pointers to parts of a variable may be arguments (unrestricted_pointer_parameters).
// right: 4
// wrong: refused: pointer
@group(0) @binding(0) var<storage, read_write> result: array<u32>;

fn read(place: ptr<function, u32>) -> u32 {
    return *place;
}

@compute @workgroup_size(1)
fn main() {
    var both = array<u32, 2>(3u, 4u);
    result[0] = read(&both[1]);
}
