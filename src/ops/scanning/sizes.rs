//! The uniform buffer of the kernels, and the sizes of tiles.

use bytemuck::{Pod, Zeroable};

/// The number of invocations of a workgroup.
pub(crate) const WIDTH: u64 = 256;

/// The greatest number of elements: kernels count elements in 32 bits, including those of a tile or workgroup beyond
/// the end.
pub(crate) const MAX_LENGTH: u64 = (1 << 32) - (1 << 16);

/// The fields of `struct Sizes` in `shaders/shared/scan_sizes.wgsl`.
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
    /// Returns zeros, except for the constant `infinity`.
    pub(crate) fn new() -> Self {
        Self { infinity: f32::INFINITY.to_bits(), ..Self::default() }
    }
}

/// Returns the number of elements of a tile that each invocation processes, for values of `bytes` bytes. A tile and the
/// sums of its invocations then fit into 16 KiB of workgroup memory. An odd number spreads the invocations over
/// different banks of this memory.
pub(crate) fn items(bytes: u64) -> u64 {
    match bytes {
        0..=4 => 13,
        5..=8 => 5,
        _ => 2,
    }
}

/// Returns the number of elements of a tile of values of `bytes` bytes.
pub(crate) fn tile_length(bytes: u64) -> u64 {
    WIDTH * items(bytes)
}

/// How the workgroups of a chained scan wait for each other: overrides of `shaders/shared/scan_look_back.wgsl`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    /// How often a workgroup reads a sum that is not published yet, before it computes this sum itself.
    pub(crate) patience: u32,
    /// Whether some tiles never publish their sums, for tests.
    pub(crate) silent: bool,
    pub(crate) tiles_of_block: u32,
    /// The greatest number of earlier blocks whose sums a workgroup reads at once.
    pub(crate) reach: u32,
}

impl Chain {
    pub(crate) const USUAL: Self = Self { patience: 64, silent: false, tiles_of_block: 32, reach: 64 };
    /// For tests: even few elements have many blocks.
    pub(crate) const TESTED: Self = Self { patience: 4, silent: false, tiles_of_block: 4, reach: 3 };

    pub(crate) fn overrides(self) -> [(&'static str, f64); 4] {
        let Self { patience, silent, tiles_of_block, reach } = self;
        [
            ("patience", patience.into()),
            ("silent", silent.into()),
            ("tiles_of_block", tiles_of_block.into()),
            ("reach", reach.into()),
        ]
    }
}

/// Returns the number of words of the memory through which the workgroups of a chained scan exchange sums.
pub(crate) fn state_words(tiles: u64) -> u64 {
    4 + 2 * tiles + 4 * tiles.div_ceil(u64::from(Chain::TESTED.tiles_of_block))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_fits_into_the_workgroup_memory_of_every_device() {
        for bytes in [4, 8, 16] {
            // The workgroup memory has the values, heads and sums of each invocation, the sums and heads of 16 rows,
            // and some single words. Chained scans have values of one word, and also the sums of tiles and blocks.
            let chain = if bytes == 4 { 4 * (Chain::USUAL.tiles_of_block + Chain::USUAL.reach) } else { 0 };
            let used = tile_length(bytes) * bytes + WIDTH * (4 + bytes) + 16 * (4 + bytes) + u64::from(chain) + 64;
            assert!(used <= 16 << 10, "{bytes}: {used}");
        }
    }
}
