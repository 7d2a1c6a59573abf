//! Windows of signals. This module is pure.

use super::super::tables::root;

/// A window, by its name: numbers that fall to the ends of a part of a signal, so that the transform of the part has no
/// frequencies of its edges.
///
/// ```
/// use anywarp::ops::WindowShape;
///
/// assert_eq!(WindowShape::Hann.periodic(4), [0.0, 0.5, 1.0, 0.5]);
/// assert_eq!(WindowShape::Hann.symmetric(5).len(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowShape {
    /// `0.5 - 0.5 cos(t)`
    Hann,
    /// `0.54 - 0.46 cos(t)`
    Hamming,
    /// `0.42 - 0.5 cos(t) + 0.08 cos(2 t)`
    Blackman,
}

impl WindowShape {
    /// The numbers of a window of this length whose next period follows behind its end: for short-time Fourier transforms,
    /// as `SciPy`'s `get_window`. The angle `t` of number `i` is `2 pi i / length`.
    pub fn periodic(self, length: usize) -> Vec<f64> {
        self.numbers(length, length)
    }

    /// The numbers of a window of this length that is its own mirror image: for filters, as NumPy's `hanning`, `hamming`
    /// and `blackman`. The angle `t` of number `i` is `2 pi i / (length - 1)`.
    pub fn symmetric(self, length: usize) -> Vec<f64> {
        self.numbers(length, length.saturating_sub(1))
    }

    fn numbers(self, length: usize, period: usize) -> Vec<f64> {
        if length == 1 {
            return vec![1.0];
        }
        let [constant, first, second] = match self {
            Self::Hann => [0.5, 0.5, 0.0],
            Self::Hamming => [0.54, 0.46, 0.0],
            Self::Blackman => [0.42, 0.5, 0.08],
        };
        let number = |at: u64| {
            let cos = |turns: u64| root(turns, period as u64)[0];
            constant - first * cos(at) + second * cos(2 * at)
        };
        (0..length as u64).map(number).collect()
    }
}
