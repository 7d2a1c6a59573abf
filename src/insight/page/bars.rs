//! The bars of a timeline by lane: spans, or neighbouring spans that are drawn as one because there are too many.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::{Profile, Span};

/// The greatest number of lanes; further threads have none.
pub(super) const LANES: usize = 64;
/// The greatest number of levels of a lane. Spans that are nested deeper share the last one.
const LEVELS: usize = 8;

/// A bar, with times in nanoseconds from the start of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    /// The row within the lane.
    pub(super) level: usize,
    pub(super) start: i64,
    pub(super) end: i64,
    /// The number of its spans.
    pub(super) count: u64,
    /// The sum of their times.
    pub(super) sum: i64,
    /// The longest of them: its time, and its index in the profile.
    pub(super) longest: (i64, usize),
}

/// The spans of one thread or one stream.
pub(super) struct Lane {
    pub(super) name: String,
    /// The bars by level and start.
    pub(super) bars: Vec<Bar>,
}

impl Lane {
    /// The number of rows.
    pub(super) fn levels(&self) -> usize {
        self.bars.last().map_or(1, |bar| bar.level + 1)
    }
}

/// All lanes of a timeline: the thread that made it, the streams of the device, other threads.
pub(super) struct Lanes {
    pub(super) lanes: Vec<Lane>,
    /// The number of threads without a lane, and that of their spans.
    pub(super) left_out: (usize, usize),
    /// The time that is shown first.
    pub(super) window: (i64, i64),
    /// The time of all spans.
    extent: i64,
}

/// Lanes with a limited number of bars.
pub(super) struct Drawing {
    /// The bars of each lane.
    pub(super) lanes: Vec<Vec<Bar>>,
    /// Spans that are together no longer than this are drawn as one bar, in nanoseconds.
    pub(super) resolution: i64,
}

impl Lanes {
    pub(super) fn of(profile: &Profile) -> Self {
        let origin = nanoseconds(profile.range.0);
        let times = |span: &Span| (nanoseconds(span.start) - origin, nanoseconds(span.end) - origin);
        let mut tracks: BTreeMap<(u8, u32), Vec<usize>> = BTreeMap::new();
        let mut window = (0, (nanoseconds(profile.range.1) - origin).max(1));
        let mut all = window;
        for (index, span) in profile.spans.iter().enumerate() {
            let (start, end) = times(span);
            all = (all.0.min(start), all.1.max(end));
            // Kernels may be beyond the range by the difference of the clocks.
            if span.kind.is_on_device() {
                window = (window.0.min(start), window.1.max(end));
            }
            tracks.entry(track(profile, span)).or_default().push(index);
        }
        let without: Vec<usize> = tracks.values().skip(LANES).map(Vec::len).collect();
        let lane = |((order, number), mut spans): ((u8, u32), Vec<usize>)| {
            // A profile that a program has put together may have its spans in any order.
            spans.sort_by_key(|index| (times(&profile.spans[*index]).0, -times(&profile.spans[*index]).1));
            let name = match order {
                0 => "host".to_owned(),
                1 => format!("stream {number}"),
                _ => format!("thread {number}"),
            };
            Lane { name, bars: levelled(spans.into_iter().map(|index| (index, times(&profile.spans[index])))) }
        };
        Self {
            lanes: tracks.into_iter().take(LANES).map(lane).collect(),
            left_out: (without.len(), without.iter().sum()),
            window,
            extent: all.1 - all.0,
        }
    }

    /// The lanes with at most `most` bars, as far as each level of a lane can have one; bars of `least` nanoseconds and
    /// less are joined with their neighbours in any case.
    pub(super) fn drawing(&self, least: i64, most: usize) -> Drawing {
        let mut resolution = least;
        loop {
            let lanes: Vec<Vec<Bar>> = self.lanes.iter().map(|lane| joined(&lane.bars, resolution)).collect();
            // Two bars that follow each other are longer than the resolution, so that a level has at most two for each
            // resolution of the extent: the number falls below any limit.
            if lanes.iter().map(Vec::len).sum::<usize>() <= most || resolution > self.extent {
                return Drawing { lanes, resolution };
            }
            resolution = (resolution.saturating_mul(2)).max(self.extent >> 20).max(1);
        }
    }
}

/// The order of lanes and the number of the stream or the thread.
fn track(profile: &Profile, span: &Span) -> (u8, u32) {
    if span.kind.is_on_device() {
        (1, span.stream)
    } else if span.thread == profile.thread {
        (0, span.thread)
    } else {
        (2, span.thread)
    }
}

/// Bars for spans in the order of their starts, each on the first level that is free.
fn levelled(spans: impl Iterator<Item = (usize, (i64, i64))>) -> Vec<Bar> {
    let mut ends: Vec<i64> = Vec::new();
    let mut bars = Vec::new();
    for (index, (start, end)) in spans {
        let free = ends.iter().position(|taken| *taken <= start);
        let level = free.unwrap_or(ends.len()).min(LEVELS - 1);
        match ends.get_mut(level) {
            Some(taken) => *taken = end.max(*taken),
            None => ends.push(end),
        }
        let took = end - start;
        bars.push(Bar { level, start, end, count: 1, sum: took, longest: (took, index) });
    }
    bars.sort_by_key(|bar| bar.level);
    bars
}

/// Joins neighbours on the same level that are together no longer than `resolution`.
fn joined(bars: &[Bar], resolution: i64) -> Vec<Bar> {
    let mut joined: Vec<Bar> = Vec::new();
    for bar in bars {
        match joined.last_mut() {
            Some(last) if last.level == bar.level && last.end.max(bar.end) - last.start <= resolution => {
                last.end = last.end.max(bar.end);
                last.count += bar.count;
                last.sum += bar.sum;
                last.longest = last.longest.max(bar.longest);
            }
            _ => joined.push(bar.clone()),
        }
    }
    joined
}

fn nanoseconds(time: Duration) -> i64 {
    // A century has 3.2e18 nanoseconds; sums of two such times do not overflow.
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX).min(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(times: &[(i64, i64)]) -> Vec<Bar> {
        levelled(times.iter().copied().enumerate())
    }

    fn places(bars: &[Bar]) -> Vec<(usize, i64, i64, u64)> {
        bars.iter().map(|bar| (bar.level, bar.start, bar.end, bar.count)).collect()
    }

    #[test]
    fn nested_spans_are_on_levels_of_their_own() {
        let bars = bars(&[(0, 100), (0, 50), (10, 20), (50, 90), (100, 110)]);
        assert_eq!(places(&bars), [(0, 0, 100, 1), (0, 100, 110, 1), (1, 0, 50, 1), (1, 50, 90, 1), (2, 10, 20, 1)]);
        let deep: Vec<(i64, i64)> = (0..20).map(|depth| (depth, 100 - depth)).collect();
        assert_eq!(self::bars(&deep).last().map(|bar| bar.level), Some(LEVELS - 1));
    }

    #[test]
    fn neighbours_within_the_resolution_are_one_bar() {
        let bars = bars(&[(0, 2), (4, 9), (10, 11), (12, 60), (61, 62)]);
        let joined = joined(&bars, 10);
        assert_eq!(places(&joined), [(0, 0, 9, 2), (0, 10, 11, 1), (0, 12, 60, 1), (0, 61, 62, 1)]);
        assert_eq!((joined[0].sum, joined[0].longest), (7, (5, 1)));
        assert_eq!(self::joined(&bars, 0), bars);
    }

    #[test]
    fn any_number_of_spans_fits_the_limit() {
        let times: Vec<(i64, i64)> = (0..5000).map(|k| (k * 10, k * 10 + 3 + k % 40)).collect();
        let lane = |name: &str| Lane { name: name.to_owned(), bars: bars(&times) };
        let lanes = Lanes { lanes: vec![lane("a"), lane("b")], left_out: (0, 0), window: (0, 50_050), extent: 50_050 };
        assert_eq!(lanes.drawing(0, 10_000).resolution, 0);
        for most in [9_999, 1000, 50] {
            let drawing = lanes.drawing(0, most);
            let all: Vec<&Bar> = drawing.lanes.iter().flatten().collect();
            assert!(all.len() <= most && all.len() * 8 >= most, "{most}: {}", all.len());
            assert_eq!(all.iter().map(|bar| bar.count).sum::<u64>(), 10_000, "no span is lost");
        }
    }
}
