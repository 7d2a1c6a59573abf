//! The reference implementation in plain Rust: the position in x of each element of y, one coordinate at a time.

/// A rearrangement of an array, with its parameters.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Permute(Vec<usize>),
    Flip(Vec<usize>),
    Roll(Vec<(usize, isize)>),
    Tile(Vec<usize>),
    Broadcast(Vec<usize>),
    /// Python's `start:end:step` for each axis.
    Part(Vec<(Option<isize>, Option<isize>, isize)>),
    Pad(Vec<[usize; 2]>, Around),
}

/// The rule for the elements that are added around an array.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Around {
    Constant,
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

/// Returns the positions that a part selects from an axis of `size` positions.
fn taken((start, end, step): (Option<isize>, Option<isize>, isize), size: isize) -> Vec<isize> {
    let from_end = |place: isize| if place < 0 { place + size } else { place };
    let (least, greatest) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let bound = |place: Option<isize>, none| place.map_or(none, |place| from_end(place).max(least).min(greatest));
    let (mut at, end) =
        if step > 0 { (bound(start, 0), bound(end, size)) } else { (bound(start, size - 1), bound(end, -1)) };
    let mut places = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        places.push(at);
        at += step;
    }
    places
}

/// Returns the position within `0..size` whose element is added at a position outside; `None` for the constant.
fn around(mut at: isize, size: isize, how: Around) -> Option<isize> {
    while at < 0 || at >= size {
        at = match how {
            Around::Constant => return None,
            Around::Edge => at.clamp(0, size - 1),
            Around::Wrap => at + if at < 0 { size } else { -size },
            Around::Reflect if size == 1 => 0,
            Around::Reflect => {
                if at < 0 {
                    -at
                } else {
                    2 * (size - 1) - at
                }
            }
            Around::Symmetric => {
                if at < 0 {
                    -1 - at
                } else {
                    2 * size - 1 - at
                }
            }
        };
    }
    Some(at)
}

/// For each axis of y: the axis of x, or `None` for a new axis; and for each position the position in x, or `None` for
/// the fill value.
type Places = Vec<(Option<usize>, Vec<Option<isize>>)>;

fn places(shape: &[usize], change: &Change) -> Places {
    let whole = |axis: usize| (Some(axis), (0..shape[axis] as isize).map(Some).collect());
    let mut all: Places = (0..shape.len()).map(whole).collect();
    match change {
        Change::Permute(axes) => all = axes.iter().map(|axis| whole(*axis)).collect(),
        Change::Flip(axes) => axes.iter().for_each(|axis| all[*axis].1.reverse()),
        Change::Roll(shifts) => {
            for (axis, shift) in shifts {
                let size = shape[*axis] as isize;
                if size > 0 {
                    all[*axis].1.rotate_right(shift.rem_euclid(size) as usize);
                }
            }
        }
        Change::Tile(repeats) => {
            let rank = shape.len().max(repeats.len());
            all.splice(..0, (shape.len()..rank).map(|_| (None, vec![Some(0)])));
            for (places, repeats) in all.iter_mut().rev().zip(repeats.iter().rev()) {
                places.1 = places.1.repeat(*repeats);
            }
        }
        Change::Broadcast(to) => {
            all.splice(..0, (shape.len()..to.len()).map(|_| (None, vec![Some(0)])));
            for (places, to) in all.iter_mut().zip(to) {
                if places.1.len() == 1 {
                    places.1 = vec![Some(0); *to];
                }
            }
        }
        Change::Part(parts) => {
            for (axis, part) in parts.iter().enumerate() {
                all[axis].1 = taken(*part, shape[axis] as isize).into_iter().map(Some).collect();
            }
        }
        Change::Pad(widths, how) => {
            for (axis, [before, after]) in widths.iter().enumerate() {
                let (size, before, after) = (shape[axis] as isize, *before as isize, *after as isize);
                all[axis].1 = (-before..size + after).map(|at| around(at, size, *how)).collect();
            }
        }
    }
    all
}

/// Returns the shape and the elements of y.
pub(crate) fn rearrange<T: Copy>(x: &[T], shape: &[usize], change: &Change, fill: T) -> (Vec<usize>, Vec<T>) {
    let places = places(shape, change);
    let target: Vec<usize> = places.iter().map(|(_, places)| places.len()).collect();
    let mut y = Vec::new();
    for number in 0..target.iter().product() {
        let (mut rest, mut from): (usize, Vec<Option<isize>>) = (number, vec![Some(0); shape.len()]);
        for (source, places) in places.iter().rev() {
            if let Some(axis) = source {
                from[*axis] = places[rest % places.len()];
            }
            rest /= places.len();
        }
        let at = from.iter().zip(shape).try_fold(0, |at, (place, size)| Some(at * *size + (*place)? as usize));
        y.push(at.map_or(fill, |at| x[at]));
    }
    (target, y)
}
