//! The reference implementation in plain Rust.

/// Rotates the pairs of each line of `size` elements; `angles` returns the cosine and the sine for a line and a pair.
pub(crate) fn rotary_embedding(
    x: &[f64],
    [size, rotated]: [usize; 2],
    interleaved: bool,
    angles: impl Fn(usize, usize) -> [f64; 2],
) -> Vec<f64> {
    let mut y = x.to_vec();
    for (line, (x, y)) in x.chunks(size).zip(y.chunks_mut(size)).enumerate() {
        for pair in 0..rotated / 2 {
            let (a, b) = if interleaved { (2 * pair, 2 * pair + 1) } else { (pair, pair + rotated / 2) };
            let [cosine, sine] = angles(line, pair);
            y[a] = x[a] * cosine - x[b] * sine;
            y[b] = x[a] * sine + x[b] * cosine;
        }
    }
    y
}
