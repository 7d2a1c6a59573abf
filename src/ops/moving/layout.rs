//! The position in x of each element of y. This module is pure.

use smallvec::SmallVec;

/// The greatest number of axes of a layout, which the kernels support.
pub(crate) const MAX_AXES: usize = 8;

/// The position of x whose element replaces the missing element at a position outside an axis of x.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All positions are inside the axis.
    #[default]
    Plain,
    /// No position: y gets the fill value.
    Constant,
    /// The nearest position of the axis.
    Edge,
    /// The position mirrored at the first or the last position, which are not repeated.
    Reflect,
    /// The position mirrored at an end of the axis, so that the first and the last position are repeated.
    Symmetric,
    /// The position from the other end, as if the axis were repeated.
    Wrap,
}

impl Mode {
    /// The constant of `rearrange.wgsl` for this mode.
    pub(crate) fn number(self) -> u32 {
        self as u32
    }

    /// The field `extent` of the kernel's axis: the size of the axis, or the period after which mirrored positions
    /// repeat.
    fn extent(self, size: i64) -> i64 {
        match self {
            Self::Reflect => (2 * (size - 1)).max(1),
            Self::Symmetric => 2 * size,
            _ => size,
        }
    }
}

/// An axis of y: position `o` comes from position `start + step * o` of an axis of x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    /// The number of positions of the axis of y.
    pub(crate) size: usize,
    /// The axis of x; `None` if the same elements of x are repeated at all positions.
    pub(crate) source: Option<usize>,
    pub(crate) start: i64,
    pub(crate) step: i64,
    /// The rule for positions outside the axis of x. The step is 1 in modes other than plain.
    pub(crate) mode: Mode,
}

impl Map {
    /// An axis of y that has all positions of an axis of x, in their order.
    pub(crate) fn whole(size: usize, source: usize) -> Self {
        Self { size, source: Some(source), start: 0, step: 1, mode: Mode::Plain }
    }

    /// An axis of y that repeats the same elements of x at each position.
    pub(crate) fn repeated(size: usize) -> Self {
        Self { size, source: None, start: 0, step: 0, mode: Mode::Plain }
    }
}

/// An axis of y in the form that the kernels need. Distances are in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) size: u64,
    /// The distance between neighbouring positions in y.
    pub(crate) to: u64,
    /// The distance between neighbouring positions in x; negative only in the plain mode.
    pub(crate) from: i64,
    pub(crate) start: i64,
    pub(crate) extent: i64,
    pub(crate) mode: Mode,
}

/// The axes of a box of elements in y, which determine the position in x of each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The axes of the box; the last axis of y comes first.
    pub(crate) axes: SmallVec<[Axis; 4]>,
    /// The index of the first cell in x and in y.
    pub(crate) begin: [u64; 2],
    /// The size of a cell in bytes: 1, 2, 4, 8 or 16.
    pub(crate) cell: u64,
}

impl Layout {
    /// The layout of elements of `element` bytes. `shape` is the shape of x, which is row-major, and `maps` has a map
    /// for each axis of y. `first` is the index of the box's first element in y, and `distances` has the distance
    /// between neighbouring positions of each axis in y.
    pub(crate) fn of(element: u64, shape: &[usize], maps: &[Map], (first, distances): (u64, &[u64])) -> Self {
        let cell = 1 << element.trailing_zeros().min(2);
        let scale = element / cell;
        let mut from = row_major(shape);
        from.iter_mut().for_each(|distance| *distance *= scale);
        let mut axes: SmallVec<[Axis; 4]> = SmallVec::new();
        // The cells of an element are a further axis, the last one.
        axes.push(Axis { size: scale, to: 1, from: 1, start: 0, extent: 0, mode: Mode::Plain });
        let mut begin = 0i64;
        for (map, distance) in maps.iter().zip(distances).rev() {
            let (own, extent) = map.source.map_or((0, 1), |axis| (from[axis] as i64, shape[axis] as i64));
            let (size, to) = (map.size as u64, distance * scale);
            if map.mode == Mode::Plain || map.stays_inside(extent) {
                begin += map.start * own;
                axes.push(Axis { size, to, from: map.step * own, start: 0, extent: 0, mode: Mode::Plain });
            } else {
                let extent = map.mode.extent(extent);
                axes.push(Axis { size, to, from: own, start: map.start, extent, mode: map.mode });
            }
        }
        let begin = [u64::try_from(begin).unwrap_or(0), first * scale];
        Self { axes: joined(&axes), begin, cell }
    }

    /// The number of cells in the box.
    pub(crate) fn count(&self) -> u64 {
        self.axes.iter().fold(1, |all: u64, axis| all.saturating_mul(axis.size))
    }

    /// Returns the same layout with the widest cells up to `most` bytes that all distances permit, for arrays that
    /// begin at the bytes `starts` of their buffers.
    pub(crate) fn widened(&self, most: u64, starts: [u64; 2]) -> Self {
        let mut layout = self.clone();
        let Some(last) = self.axes.first().filter(|axis| axis.to == 1 && axis.from == 1 && axis.mode == Mode::Plain)
        else {
            return layout;
        };
        let mut factor = 1;
        // Cells smaller than a word keep their size, unless they can be widened to at least one word.
        for cell in [16, 8, 4].into_iter().filter(|cell| *cell <= most && *cell > self.cell) {
            let by = cell / self.cell;
            let fits = |cells: u64| cells.is_multiple_of(by);
            let all = self.axes[1..].iter().all(|axis| fits(axis.to) && fits(axis.from.unsigned_abs()));
            let bytes = (0..2).all(|at| (starts[at] + self.begin[at] * self.cell).is_multiple_of(cell))
                && starts.iter().all(|start| start.is_multiple_of(cell));
            if all && bytes && fits(last.size) {
                factor = by;
                break;
            }
        }
        layout.cell *= factor;
        layout.begin = layout.begin.map(|begin| begin / factor);
        for axis in &mut layout.axes[1..] {
            axis.to /= factor;
            axis.from /= factor as i64;
        }
        layout.axes[0].size /= factor;
        layout
    }

    /// Whether the box is one contiguous range of y, in the order of its axes.
    pub(crate) fn is_dense(&self) -> bool {
        let mut expected = 1;
        self.axes.iter().all(|axis| {
            let fits = axis.size == 1 || axis.to == expected;
            expected *= axis.size;
            fits
        })
    }

    /// Whether an axis has another mode than plain, so that kernels compute its positions in x one by one.
    pub(crate) fn is_mapped(&self) -> bool {
        self.axes.iter().any(|axis| axis.mode != Mode::Plain)
    }
}

impl Map {
    fn stays_inside(&self, extent: i64) -> bool {
        let last = self.start + self.step * (self.size as i64 - 1);
        self.size > 0 && self.start.min(last) >= 0 && self.start.max(last) < extent
    }
}

/// The number of cells of `cell` bytes after which the cells of an array full of `value` repeat.
pub(crate) fn period(value: &[u8], cell: u64) -> u64 {
    if value.windows(2).all(|pair| pair[0] == pair[1]) {
        return 1;
    }
    let element = value.len() as u64;
    // The least common multiple of both sizes, in cells; the size of a cell is a power of two.
    element / (1 << element.trailing_zeros().min(cell.trailing_zeros()))
}

/// The distance between neighbouring positions of each axis of a row-major array, in elements.
pub(crate) fn row_major(shape: &[usize]) -> Vec<u64> {
    let mut distances = vec![1u64; shape.len()];
    for axis in (1..shape.len()).rev() {
        distances[axis - 1] = distances[axis].saturating_mul(shape[axis] as u64);
    }
    distances
}

/// Omits axes of size 1, and joins neighbouring axes whose positions together follow each other at a constant distance
/// in x and in y.
fn joined(axes: &[Axis]) -> SmallVec<[Axis; 4]> {
    let mut all: SmallVec<[Axis; 4]> = SmallVec::new();
    for axis in axes {
        if axis.size == 1 && axis.mode == Mode::Plain {
            continue;
        }
        match all.last_mut() {
            Some(last)
                if last.mode == Mode::Plain
                    && axis.mode == Mode::Plain
                    && axis.to == last.to * last.size
                    && axis.from == last.from * last.size as i64 =>
            {
                last.size *= axis.size;
            }
            _ => all.push(*axis),
        }
    }
    if all.is_empty() {
        all.push(Axis { size: 1, to: 1, from: 1, start: 0, extent: 0, mode: Mode::Plain });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(shape: &[usize], element: u64) -> Layout {
        let maps: Vec<Map> = shape.iter().enumerate().map(|(axis, size)| Map::whole(*size, axis)).collect();
        Layout::of(element, shape, &maps, (0, &row_major(shape)))
    }

    #[test]
    fn a_box_in_its_own_order_is_one_axis() {
        let layout = plain(&[2, 3, 4], 4);
        assert_eq!(layout.axes.len(), 1);
        assert_eq!((layout.axes[0].size, layout.cell, layout.is_dense()), (24, 4, true));
        assert_eq!(layout.widened(16, [0, 0]).axes[0].size, 6);
        assert_eq!(layout.widened(16, [0, 8]).cell, 8);
        assert_eq!(layout.widened(16, [4, 0]).cell, 4);
        assert_eq!(layout.widened(8, [0, 0]).cell, 8);
    }

    #[test]
    fn elements_of_any_size_are_cells() {
        for (element, cell, size) in [(1, 1, 24), (2, 2, 24), (3, 1, 72), (12, 4, 72), (16, 4, 96), (20, 4, 120)] {
            let layout = plain(&[2, 3, 4], element);
            assert_eq!((layout.cell, layout.axes[0].size), (cell, size), "{element}");
        }
        assert_eq!(plain(&[8], 1).widened(16, [0, 0]).cell, 8);
    }

    #[test]
    fn fill_values_repeat_after_whole_elements() {
        let of = |length: u8, cell| period(&(0..length).collect::<Vec<u8>>(), cell);
        assert_eq!([of(1, 1), of(1, 16), of(3, 1), of(4, 16)], [1, 1, 3, 1]);
        assert_eq!([of(12, 4), of(12, 8), of(12, 16), of(32, 16)], [3, 3, 3, 2]);
        assert_eq!([period(&[], 4), period(&[0xff; 100], 4)], [1, 1]);
    }

    #[test]
    fn exchanged_axes_are_not_joined() {
        let maps = [Map::whole(3, 1), Map::whole(2, 0)];
        let layout = Layout::of(4, &[2, 3], &maps, (0, &row_major(&[3, 2])));
        let axes: Vec<_> = layout.axes.iter().map(|axis| (axis.size, axis.to, axis.from)).collect();
        assert_eq!(axes, [(2, 1, 3), (3, 2, 1)]);
        assert_eq!(layout.widened(16, [0, 0]).cell, 4);
    }

    #[test]
    fn reversed_axes_begin_at_their_end() {
        let maps = [Map { size: 5, source: Some(0), start: 4, step: -1, mode: Mode::Plain }];
        let layout = Layout::of(4, &[5], &maps, (0, &[1]));
        assert_eq!((layout.begin, layout.axes[0].from), ([4, 0], -1));
    }
}
