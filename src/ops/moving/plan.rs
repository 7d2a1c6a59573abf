//! The passes of a rearrangement. This module is pure.

use super::layout::{Layout, Mode};

/// The number of elements along each side of a tile.
const TILE: u64 = 32;

/// One command of a rearrangement: a copy, or the launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// A copy command of the device, for whole words.
    Copy(Layout),
    /// Exchanges two axes through tiles in workgroup memory. `columns` is the index in the layout of the axis that is
    /// the last one of x; with `vectors`, four words are moved at once.
    Tiles { layout: Layout, columns: usize, vectors: bool },
    /// A kernel that computes the position in x of each cell of y.
    Walk(Layout),
}

/// The choice between commands that write the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Whether the device's copy command is used where that is possible.
    pub(crate) copies: bool,
    /// Whether tiles are used where that is possible.
    pub(crate) tiles: bool,
    /// The largest cell, in bytes: at least 4.
    pub(crate) widest: u64,
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(crate) fn default_for(layout: &Layout) -> Self {
        // With few elements along one of the two axes, most of a tile would be empty.
        let tiles = exchanged(layout).is_some_and(|columns| layout.axes[0].size.min(layout.axes[columns].size) >= 8);
        Self { copies: true, tiles, widest: 16 }
    }
}

/// Returns the index in the layout of the axis that is the last one of x, if tiles can exchange it with the last axis
/// of y.
fn exchanged(layout: &Layout) -> Option<usize> {
    let last = layout.axes.first().filter(|axis| axis.to == 1 && axis.from != 1)?;
    if last.size == 1 || layout.is_mapped() || layout.cell > 8 {
        return None;
    }
    layout.axes.iter().position(|axis| axis.from == 1)
}

/// Plans the pass of a layout whose arrays begin at the bytes `starts` of their buffers; `None` if there is nothing to
/// move.
pub(crate) fn plan(layout: &Layout, starts: [u64; 2], choice: Choice) -> Option<Pass> {
    if layout.count() == 0 {
        return None;
    }
    let wide = layout.widened(choice.widest, starts);
    if let (Some(columns), true) = (exchanged(&wide), choice.tiles) {
        let vectors = wide.cell == 4 && choice.widest >= 16 && moves_fours(&wide, columns, starts);
        return Some(Pass::Tiles { layout: wide, columns, vectors });
    }
    let one_piece = wide.axes.len() == 1 && wide.axes[0].from == 1 && wide.axes[0].mode == Mode::Plain;
    // A copy command begins and ends with a whole word in both arrays.
    if one_piece && wide.axes[0].to == 1 && choice.copies && wide.cell >= 4 {
        return Some(Pass::Copy(wide));
    }
    Some(Pass::Walk(wide))
}

/// Whether each line along the two axes that tiles exchange consists of whole, aligned vectors of four words in both
/// arrays.
fn moves_fours(layout: &Layout, columns: usize, starts: [u64; 2]) -> bool {
    let fits = |cells: u64| cells.is_multiple_of(4);
    let bytes = starts.iter().all(|start| start.is_multiple_of(16));
    let others = layout.axes.iter().enumerate().all(|(at, axis)| {
        fits(axis.size * u64::from(at == 0 || at == columns))
            && (at == 0 || fits(axis.to))
            && (at == columns || fits(axis.from.unsigned_abs()))
    });
    bytes && others && layout.begin.iter().all(|begin| fits(*begin))
}

/// The numbers of tiles along the two axes that tiles exchange: the last axis of y, and the axis with the index
/// `columns`.
pub(crate) fn tiles(layout: &Layout, columns: usize) -> [u64; 2] {
    [layout.axes[0].size.div_ceil(TILE), layout.axes[columns].size.div_ceil(TILE)]
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Map, row_major};
    use super::*;

    fn permuted(element: u64, shape: &[usize], axes: &[usize]) -> Layout {
        let maps: Vec<Map> = axes.iter().map(|axis| Map::whole(shape[*axis], *axis)).collect();
        let target: Vec<usize> = axes.iter().map(|axis| shape[*axis]).collect();
        Layout::of(element, shape, &maps, (0, &row_major(&target)))
    }

    fn default(layout: &Layout, starts: [u64; 2]) -> Option<Pass> {
        plan(layout, starts, Choice::default_for(layout))
    }

    #[test]
    fn planes_are_exchanged_by_tiles() {
        let of =
            |element, shape: &[usize], axes: &[usize], starts| match default(&permuted(element, shape, axes), starts) {
                Some(Pass::Tiles { columns, vectors, layout }) => Some((columns, vectors, tiles(&layout, columns))),
                _ => None,
            };
        assert_eq!(of(4, &[64, 33], &[1, 0], [0, 0]), Some((1, false, [2, 2])));
        assert_eq!(of(4, &[64, 36], &[1, 0], [0, 0]), Some((1, true, [2, 2])));
        assert_eq!(of(4, &[64, 36], &[1, 0], [4, 0]), Some((1, false, [2, 2])));
        assert_eq!(of(4, &[5, 64, 36], &[2, 0, 1], [0, 0]), Some((1, true, [10, 2])));
        assert_eq!(of(1, &[9, 64], &[1, 0], [1, 0]), Some((1, false, [1, 2])));
        // Tiles are not used for an axis of few elements, and for elements of 16 bytes.
        assert_eq!(of(4, &[7, 4096], &[1, 0], [0, 0]), None);
        assert_eq!(of(16, &[64, 64], &[1, 0], [0, 0]), None);
    }

    #[test]
    fn elements_in_their_order_are_copied() {
        let layout = permuted(4, &[6, 7], &[0, 1]);
        assert!(matches!(default(&layout, [0, 4]), Some(Pass::Copy(_))));
        let never = Choice { copies: false, tiles: true, widest: 4 };
        assert!(matches!(plan(&layout, [0, 0], never), Some(Pass::Walk(_))));
        // Seven elements of one byte are not whole words.
        assert!(matches!(default(&permuted(1, &[7], &[0]), [0, 0]), Some(Pass::Walk(_))));
        assert_eq!(default(&permuted(4, &[0, 7], &[1, 0]), [0, 0]), None);
    }
}
