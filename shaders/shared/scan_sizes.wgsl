// The uniform of all kernels of scans and selections.
struct Sizes {
    // The number of elements; in kernels along an axis, that of one line.
    length: u32,
    // The first element of each array in its binding.
    first_of_x: u32,
    first_of_y: u32,
    // Head flags, keys, or flags of a selection.
    first_of_heads: u32,
    // The second output of a selection.
    first_of_z: u32,
    // The number of elements after which a new row begins.
    row: u32,
    // The number of tiles, or of parts of a line, and the number of elements of such a part.
    tiles: u32,
    chunk: u32,
    // The number of lines, and the distance between the elements of a line.
    lines: u32,
    inner: u32,
    // The number of elements that each output of a selection can take.
    capacity: u32,
    capacity_of_z: u32,
    // The bits of infinity: compilers assume that constants are finite.
    infinity: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
