//! The reference implementation in plain Rust.

/// The position that an index outside the axis selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Nowhere,
    Clip,
    Wrap,
}

/// Returns the position that an index selects on an axis of `size` positions; `None` for no position.
pub(crate) fn place(index: i128, size: usize, outside: Outside) -> Option<usize> {
    let end = size as i128;
    let at = match outside {
        Outside::Nowhere if index < 0 => index + end,
        Outside::Nowhere => index,
        Outside::Clip => index.clamp(0, end - 1),
        Outside::Wrap => index.rem_euclid(end),
    };
    (0..end).contains(&at).then_some(at as usize)
}

/// Returns the position of each selected element in an array of shape `[outer, size, inner]`. If `shared`, `indices`
/// has one index for each line of the result, otherwise one index for each element.
pub(crate) fn places(
    [outer, size, inner]: [usize; 3],
    indices: &[i128],
    shared: bool,
    outside: Outside,
) -> Vec<Option<usize>> {
    let lines = if shared { indices.len() } else { indices.len() / (outer * inner).max(1) };
    let mut all = Vec::new();
    for o in 0..outer {
        for line in 0..lines {
            for i in 0..inner {
                let index = indices[if shared { line } else { (o * lines + line) * inner + i }];
                all.push(place(index, size, outside).map(|at| (o * size + at) * inner + i));
            }
        }
    }
    all
}
