//! The types of elements and weights of histograms, and the keys by which elements are compared.

use crate::element::Element;

/// Types of the elements that histograms count: `f32`, `i32`, `u32`.
pub trait HistogramElement: Element + sealed::Key {}

impl<T: Element + sealed::Key> HistogramElement for T {}

/// Types of the weights of histograms: `f32`, `i32`, `u32`.
pub trait HistogramWeight: Element + sealed::Weight {}

impl<T: Element + sealed::Weight> HistogramWeight for T {}

/// The keys of the elements next to an edge. A key is a `u32` computed from an element, so that keys have the order of
/// the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeKeys {
    /// The key of the least element that is not below the edge; `None` if all elements are below the edge.
    pub(super) from: Option<u32>,
    /// The key of the greatest element that is not above the edge; `None` if all elements are above the edge.
    pub(super) to: Option<u32>,
}

pub(super) mod sealed {
    use super::EdgeKeys;

    pub trait Key {
        /// The constant of `histogram.wgsl` for this type of elements.
        const KIND: u32;

        /// Returns the keys of the elements next to a finite edge.
        fn keys(edge: f64) -> EdgeKeys;

        /// Returns the bits of the lower end of bins of equal width. `None` if the end is not an element, or is a
        /// subnormal one: then a multiplication cannot find bins.
        fn low(edge: f64) -> Option<u32>;
    }

    pub trait Weight {
        const IS_FLOAT: bool;
    }

    impl Weight for u32 {
        const IS_FLOAT: bool = false;
    }

    impl Weight for i32 {
        const IS_FLOAT: bool = false;
    }

    impl Weight for f32 {
        const IS_FLOAT: bool = true;
    }

    fn integer(edge: f64, range: [f64; 2], key: impl Fn(f64) -> u32) -> EdgeKeys {
        let within = |number: f64, clamped: f64| (number == clamped).then(|| key(number));
        let [least, greatest] = range;
        // For `from`, an edge below all elements is replaced by the least one; for `to`, an edge above all by the
        // greatest.
        let (from, to) = (edge.ceil().max(least), edge.floor().min(greatest));
        EdgeKeys { from: within(from, from.min(greatest)), to: within(to, to.max(least)) }
    }

    impl Key for u32 {
        const KIND: u32 = 0;

        fn keys(edge: f64) -> EdgeKeys {
            integer(edge, [0.0, f64::from(u32::MAX)], |number| number as u32)
        }

        fn low(edge: f64) -> Option<u32> {
            (edge.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&edge)).then_some(edge as u32)
        }
    }

    impl Key for i32 {
        const KIND: u32 = 1;

        fn keys(edge: f64) -> EdgeKeys {
            let range = [f64::from(i32::MIN), f64::from(i32::MAX)];
            integer(edge, range, |number| (number as i32).cast_unsigned() ^ 0x8000_0000)
        }

        fn low(edge: f64) -> Option<u32> {
            let is_one = edge.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&edge);
            is_one.then_some((edge as i32).cast_unsigned())
        }
    }

    impl Key for f32 {
        const KIND: u32 = 2;

        fn keys(edge: f64) -> EdgeKeys {
            let nearest = edge as f32;
            let key = |number: f32| {
                // -0.0 equals 0.0, so that both have the same key.
                let bits = if number == 0.0 { 0 } else { number.to_bits() };
                if number < 0.0 { !bits } else { bits ^ 0x8000_0000 }
            };
            let from = if f64::from(nearest) < edge { nearest.next_up() } else { nearest };
            let to = if f64::from(nearest) > edge { nearest.next_down() } else { nearest };
            EdgeKeys { from: Some(key(from)), to: Some(key(to)) }
        }

        fn low(edge: f64) -> Option<u32> {
            let low = edge as f32;
            (f64::from(low) == edge && (low == 0.0 || low.is_normal())).then_some(low.to_bits())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EdgeKeys;
    use super::sealed::Key;

    #[test]
    fn keys_of_floats_have_their_order() {
        let numbers = [f64::from(f32::MIN), -1.5, -1e-45, 0.0, 1e-45, 0.1, 1.0, f64::from(f32::MAX)];
        let keys: Vec<EdgeKeys> = numbers.iter().map(|number| f32::keys(*number)).collect();
        assert!(keys.is_sorted_by(|a, b| a.to < b.from), "{keys:?}");
        assert_eq!(f32::keys(-0.0), f32::keys(0.0));
        // 0.1 is between two floats: `from` is the upper one, `to` the lower one, and their keys are neighbours.
        let between = f32::keys(0.1);
        assert_eq!(between.from.zip(between.to).map(|(from, to)| from - to), Some(1));
        assert_eq!(f32::keys(0.5).from, f32::keys(0.5).to);
    }

    #[test]
    fn keys_of_integers_stay_within_the_type() {
        assert_eq!(u32::keys(2.5), EdgeKeys { from: Some(3), to: Some(2) });
        assert_eq!(u32::keys(-1.0), EdgeKeys { from: Some(0), to: None });
        assert_eq!(u32::keys(1e10), EdgeKeys { from: None, to: Some(u32::MAX) });
        assert_eq!(i32::keys(-1.0), EdgeKeys { from: Some(0x7fff_ffff), to: Some(0x7fff_ffff) });
    }
}
