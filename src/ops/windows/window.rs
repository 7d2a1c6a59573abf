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
    /// The window of an axis that is missing.
    pub(crate) const MISSING: Self = Self { input: 1, kernel: 1, stride: 1, dilation: 1, before: 0, after: 0 };

    /// The positions from the first one of a window to its last.
    pub(crate) fn span(self) -> usize {
        self.kernel.saturating_sub(1).saturating_mul(self.dilation).saturating_add(1)
    }

    /// The positions of the input with its padding.
    pub(crate) fn padded(self) -> usize {
        self.input.saturating_add(self.before).saturating_add(self.after)
    }

    /// The number of windows; 0 if one is larger than the padded input.
    pub(crate) fn count(self) -> usize {
        self.padded().checked_sub(self.span()).map_or(0, |rest| rest / self.stride + 1)
    }

    /// As [`count`](Self::count), with a last window that is partly outside, if it begins in the input or the padding
    /// before it.
    pub(crate) fn count_rounded_up(self) -> usize {
        let Some(rest) = self.padded().checked_sub(self.span()) else { return 0 };
        let count = rest.div_ceil(self.stride) + 1;
        let is_inside = (count - 1).saturating_mul(self.stride) < self.input.saturating_add(self.before);
        if is_inside { count } else { count - 1 }
    }

    /// The positions that windows at each input position cover, without the padding: the size of a transposed
    /// convolution. None if the padding is larger.
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
        // A last window that would begin behind the input.
        assert_eq!(window(2, 1, 2, 1, 0, 1).count_rounded_up(), 1);
        assert_eq!(window(3, 3, 2, 1, 0, 0).covered(), Some(7));
        assert_eq!(window(3, 3, 2, 1, 1, 1).covered(), Some(5));
        assert_eq!(window(1, 2, 1, 1, 2, 1).covered(), None);
        assert_eq!(window(usize::MAX, usize::MAX, 1, 2, 9, 9).count(), 1);
    }
}
