//! The uniform of the kernels, and the sizes of tiles.

use bytemuck::{Pod, Zeroable};

/// The number of invocations of a workgroup.
pub(crate) const WIDTH: u64 = 256;

/// Kernels count elements in 32 bits, including a tile or workgroup beyond the end.
pub(crate) const MAX_LENGTH: u64 = (1 << 32) - (1 << 16);

/// `struct Sizes` of `shaders/shared/scan_sizes.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Sizes {
    pub(crate) length: u32,
    pub(crate) first_of_x: u32,
    pub(crate) first_of_y: u32,
    pub(crate) first_of_heads: u32,
    pub(crate) first_of_z: u32,
    pub(crate) row: u32,
    pub(crate) tiles: u32,
    pub(crate) chunk: u32,
    pub(crate) lines: u32,
    pub(crate) inner: u32,
    pub(crate) capacity: u32,
    pub(crate) capacity_of_z: u32,
    pub(crate) infinity: u32,
}

impl Sizes {
    /// Zeros, and the constants.
    pub(crate) fn new() -> Self {
        Self { infinity: f32::INFINITY.to_bits(), ..Self::default() }
    }
}

/// The number of elements of an invocation in a tile of values of `bytes` bytes, so that a tile and the sums of its
/// invocations fit into 16 KiB. An odd number keeps the invocations in different banks of the memory.
pub(crate) fn items(bytes: u64) -> u64 {
    match bytes {
        0..=4 => 13,
        5..=8 => 5,
        _ => 2,
    }
}

/// The number of elements of a tile.
pub(crate) fn tile_length(bytes: u64) -> u64 {
    WIDTH * items(bytes)
}

/// The words of the memory through which the workgroups of a chained scan exchange sums.
pub(crate) fn state_words(tiles: u64) -> u64 {
    1 + 4 * tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_fits_into_the_workgroup_memory_of_every_device() {
        for bytes in [4, 8, 16] {
            // Values, heads and sums of each invocation, sums and heads of 16 rows, some single words.
            let used = tile_length(bytes) * bytes + WIDTH * (4 + bytes) + 16 * (4 + bytes) + 64;
            assert!(used <= 16 << 10, "{bytes}: {used}");
        }
    }
}
