// The uniform buffer of all kernels of scans and selections.
struct Sizes {
    // The number of elements; in kernels along an axis, the number of elements of one line.
    length: u32,
    // The index of each array's first element in its binding.
    first_of_x: u32,
    first_of_y: u32,
    // The index of the first head flag, key, or flag of a selection.
    first_of_heads: u32,
    // The index of the first element of the second output of a selection.
    first_of_z: u32,
    // The number of elements after which a new row begins.
    row: u32,
    // The number of tiles, or of parts of a line, and the number of elements of such a part.
    tiles: u32,
    chunk: u32,
    // The number of lines, and the distance between the elements of a line.
    lines: u32,
    inner: u32,
    // The number of elements for which each output of a selection has space.
    capacity: u32,
    capacity_of_z: u32,
    // The bits of infinity: compilers assume that constants are finite.
    infinity: u32,
}

@group(0) @binding(0) var<uniform> sizes: Sizes;
