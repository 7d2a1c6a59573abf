//! The positions of windows on a signal. This module is pure.

/// Windows at equal distances on signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frames {
    /// The samples of a signal.
    pub(super) length: usize,
    /// The numbers of the window, and the distance of neighbouring windows.
    pub(super) window: usize,
    pub(super) hop: usize,
    /// The numbers of a transform.
    pub(super) transform: usize,
    /// The windows on a signal.
    pub(super) count: usize,
    /// The samples before the signal that the first window covers.
    pub(super) offset: usize,
    /// The number of the window that is the first one of a transform.
    pub(super) shift: usize,
}

impl Frames {
    /// All windows that lie within the signal.
    pub(super) fn inside(length: usize, window: usize, hop: usize, transform: usize) -> Self {
        let count = length.checked_sub(window).map_or(0, |rest| rest / hop + 1);
        Self { length, window, hop, transform, count, offset: 0, shift: 0 }
    }

    /// All windows that overlap the signal, of those whose middles are at multiples of `hop`.
    pub(super) fn centred(length: usize, window: usize, hop: usize, transform: usize) -> Self {
        let middle = window / 2;
        let before = (window - middle - 1) / hop;
        let last = (length + middle).checked_sub(1).filter(|_| length > 0).map(|place| place / hop);
        let count = last.map_or(0, |last| before + last + 1);
        Self { length, window, hop, transform, count, offset: middle + before * hop, shift: middle }
    }

    /// These centred windows without those at the end that reach the signal only with their first `zeros` numbers.
    pub(super) fn without_zeros(self, zeros: usize) -> Self {
        // The windows whose number `zeros` lies in the signal, or before it.
        let first = zeros.min(self.window);
        let reach = (self.length + self.offset).checked_sub(first + 1).map_or(0, |place| place / self.hop + 1);
        Self { count: self.count.min(reach), ..self }
    }

    /// The first sample at which the squares of the window add up to at most `tolerance` times their greatest sum, with
    /// this share; `None` if the signal can be computed from its windows.
    pub(super) fn uncovered(&self, window: &[f64], tolerance: f64) -> Option<(usize, f64)> {
        // Sums are periodic, but near the ends of the signal.
        let ends = self.window + self.hop;
        let tail = self.length.saturating_sub(ends).max(ends);
        let samples = (0..self.length.min(ends)).chain(tail..self.length);
        let sums: Vec<(usize, f64)> = samples.map(|sample| (sample, self.squares(window, sample))).collect();
        let greatest = sums.iter().fold(0.0f64, |greatest, (_, sum)| greatest.max(*sum));
        let share = |sum: f64| if greatest > 0.0 { sum / greatest } else { 0.0 };
        // A window with NaN covers nothing.
        let weak = |(_, sum): &&(usize, f64)| sum.is_nan() || share(*sum) <= tolerance;
        sums.iter().find(weak).map(|(sample, sum)| (*sample, share(*sum)))
    }

    /// The sum of squares of the windows on a sample.
    fn squares(&self, window: &[f64], sample: usize) -> f64 {
        let place = sample + self.offset;
        let first = place.checked_sub(self.window).map_or(0, |rest| rest / self.hop + 1);
        let end = self.count.min(place / self.hop + 1);
        (first..end).map(|frame| window[place - frame * self.hop].powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::WindowShape;
    use super::*;

    #[test]
    fn windows_lie_within_the_signal_or_overlap_it() {
        assert_eq!(Frames::inside(10, 4, 3, 4).count, 3);
        assert_eq!(Frames::inside(3, 4, 3, 4).count, 0);
        assert_eq!(Frames::inside(4, 4, 9, 4).count, 1);
        for length in 1..30 {
            for window in 1..9 {
                for hop in 1..9 {
                    let frames = Frames::centred(length, window, hop, window);
                    let overlaps = |frame: i64| {
                        let start = frame * hop as i64 - window as i64 / 2;
                        start < length as i64 && start + window as i64 > 0
                    };
                    let all: Vec<i64> = (-20..60).filter(|frame| overlaps(*frame)).collect();
                    assert_eq!(frames.count, all.len(), "{length}, {window}, {hop}");
                    assert_eq!(all[0] * hop as i64 - window as i64 / 2, -(frames.offset as i64));
                }
            }
        }
        assert_eq!(Frames::centred(0, 4, 2, 4).count, 0);
    }

    #[test]
    fn windows_that_begin_with_zeros_at_the_end_are_left_out() {
        for length in 1..30 {
            for (window, hop, zeros) in [(8, 4, 1), (8, 3, 1), (9, 2, 3), (5, 7, 0), (4, 1, 4)] {
                let all = Frames::centred(length, window, hop, window);
                let kept = all.without_zeros(zeros);
                let reaches = |frame: &usize| frame * hop + zeros < length + all.offset;
                assert_eq!(kept.count, (0..all.count).filter(reaches).count(), "{length}, {window}, {hop}, {zeros}");
                assert_eq!(Frames { count: all.count, ..kept }, all);
            }
        }
    }

    #[test]
    fn samples_need_a_window() {
        let hann = WindowShape::Hann.periodic(8);
        assert_eq!(Frames::centred(100, 8, 4, 8).uncovered(&hann, 1e-6), None);
        // Its first number is 0: each eighth sample has no other.
        assert_eq!(Frames::centred(100, 8, 8, 8).uncovered(&hann, 1e-6), Some((4, 0.0)));
        assert_eq!(Frames::inside(100, 8, 4, 8).uncovered(&hann, 1e-6).map(|(sample, _)| sample), Some(0));
        let ones = [1.0; 8];
        assert_eq!(Frames::inside(100, 8, 4, 8).uncovered(&ones, 1e-6), None);
        assert_eq!(Frames::inside(99, 8, 4, 8).uncovered(&ones, 1e-6), Some((96, 0.0)));
        assert_eq!(Frames::centred(9, 8, 9, 8).uncovered(&ones, 1e-6), Some((4, 0.0)));
        assert!(Frames::centred(9, 1, 1, 1).uncovered(&[f64::NAN], 1e-6).is_some());
    }
}
