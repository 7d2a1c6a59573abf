//! The windows along one axis. This module is pure.

/// Windows of `kernel` positions, `dilation` apart, which begin at each multiple of `stride` of the padded input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) input: usize,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    pub(crate) before: usize,
    pub(crate) after: usize,
}

impl Window {
    /// The window of an axis that an array lacks.
    pub(crate) const MISSING: Self = Self { input: 1, kernel: 1, stride: 1, dilation: 1, before: 0, after: 0 };

    /// Returns the number of positions from the first to the last position of a window, both included.
    pub(crate) fn span(self) -> usize {
        self.kernel.saturating_sub(1).saturating_mul(self.dilation).saturating_add(1)
    }

    /// Returns the number of positions of the input with its padding.
    pub(crate) fn padded(self) -> usize {
        self.input.saturating_add(self.before).saturating_add(self.after)
    }

    /// Returns the number of windows; 0 if a window is larger than the padded input.
    pub(crate) fn count(self) -> usize {
        self.padded().checked_sub(self.span()).map_or(0, |rest| rest / self.stride + 1)
    }

    /// Returns the number of windows as [`count`](Self::count), plus a last window that is partly outside the padded
    /// input, if this window begins in the input or in the padding before the input.
    pub(crate) fn count_rounded_up(self) -> usize {
        let Some(rest) = self.padded().checked_sub(self.span()) else { return 0 };
        let count = rest.div_ceil(self.stride) + 1;
        let is_inside = (count - 1).saturating_mul(self.stride) < self.input.saturating_add(self.before);
        if is_inside { count } else { count - 1 }
    }

    /// Returns the number of positions that windows at all input positions cover, without the padding: the size of the
    /// result of a transposed convolution. `None` if the padding is larger than the covered positions.
    pub(crate) fn covered(self) -> Option<usize> {
        let last = self.input.saturating_sub(1).saturating_mul(self.stride);
        last.saturating_add(self.span()).checked_sub(self.before.saturating_add(self.after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_counted() {
        let window =
            |input, kernel, stride, dilation, before, after| Window { input, kernel, stride, dilation, before, after };
        assert_eq!(window(5, 3, 1, 1, 0, 0).count(), 3);
        assert_eq!(window(5, 3, 2, 1, 1, 1).count(), 3);
        assert_eq!(window(7, 3, 2, 2, 0, 1).count(), 2);
        assert_eq!(window(2, 3, 1, 1, 0, 0).count(), 0);
        assert_eq!(window(2, 3, 1, 1, 1, 0).count(), 1);
        assert_eq!(window(4, 3, 2, 1, 0, 0).count_rounded_up(), 2);
        assert_eq!(window(4, 1, 2, 1, 0, 0).count_rounded_up(), 2);
        // A last window that would begin after the input is not counted.
        assert_eq!(window(2, 1, 2, 1, 0, 1).count_rounded_up(), 1);
        assert_eq!(window(3, 3, 2, 1, 0, 0).covered(), Some(7));
        assert_eq!(window(3, 3, 2, 1, 1, 1).covered(), Some(5));
        assert_eq!(window(1, 2, 1, 1, 2, 1).covered(), None);
        assert_eq!(window(usize::MAX, usize::MAX, 1, 2, 9, 9).count(), 1);
    }
}
