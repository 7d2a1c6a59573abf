//! The bins of a histogram, as its kernels receive them.

use super::super::error::OperationError;
use super::elements::sealed::Key;
use super::{Edges, OPERATOR};

/// The bins as the kernel takes them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bins {
    /// The key of the lower edge of each bin that can have elements.
    pub(super) keys: Vec<u32>,
    /// The keys of the least and the greatest element that is counted.
    pub(super) least: u32,
    pub(super) greatest: u32,
    /// How bins are found by a product, where that is possible.
    pub(super) even: Option<Even>,
    pub(super) plain: bool,
    /// The number of bins, including those that no element can be in.
    pub(super) all: usize,
}

/// Bins of equal width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Even {
    /// The bits of the lower end, and the bins per unit.
    pub(super) low: u32,
    pub(super) scale: f32,
    /// The distance from an edge, in bins, within which rounding could change the bin.
    pub(super) margin: f32,
}

impl Even {
    /// Bins between finite numbers, the lower of which has these bits.
    fn of(bins: usize, range: &std::ops::Range<f64>, low: u32, scale: f32) -> Self {
        // Four roundings in f32 of a number of at most so many bins; edges that were rounded in f64; numbers that the
        // device treats as zero.
        let products = bins as f64 * 2f64.powi(-21);
        let edges = (range.start.abs() + range.end.abs()) * f64::from(scale) * 2f64.powi(-51);
        let zeros = f64::from(scale) * 2f64.powi(-125);
        Self { low, scale, margin: (products + edges + zeros) as f32 }
    }
}

impl Bins {
    pub(super) fn of<T: Key>(edges: &Edges<'_>) -> Result<Self, OperationError> {
        let bins = match edges {
            Edges::Numbers(bins) | Edges::Even(bins, _) => *bins,
            Edges::Explicit(edges) => edges.len().saturating_sub(1),
        };
        if bins == 0 {
            return Err(OPERATOR.choice("a number of bins of", "use at least one bin", bins.to_string()));
        }
        let all: Vec<f64> = match edges {
            Edges::Numbers(_) => {
                if T::KIND != u32::KIND {
                    let got = std::any::type_name::<T>().to_owned();
                    return Err(OPERATOR.choice("bins of one number each", "use `u32` elements", got));
                }
                let (keys, least, greatest) = (vec![0; bins], 0, u32::MAX);
                return Ok(Self { keys, least, greatest, even: None, plain: true, all: bins });
            }
            Edges::Even(_, range) => {
                let width = range.end - range.start;
                if !(width > 0.0 && width.is_finite()) {
                    let expected = "use finite numbers with `start < end`";
                    return Err(OPERATOR.choice("a range of", expected, format!("{range:?}")));
                }
                let edge = |number: usize| range.start + width * (number as f64 / bins as f64);
                (0..bins).map(edge).chain([range.end]).collect()
            }
            Edges::Explicit(edges) => edges.to_vec(),
        };
        let wrong = |pair: &&[f64]| !(pair[0] <= pair[1] && pair[0].is_finite() && pair[1].is_finite());
        if let Some(pair) = all.windows(2).find(wrong) {
            let expected = "use finite edges in ascending order";
            return Err(OPERATOR.choice("a pair of edges", expected, format!("{pair:?}")));
        }
        let keys: Vec<u32> = all[..bins].iter().map_while(|edge| T::keys(*edge).from).collect();
        // Without an element that can be counted, no element is between the two.
        let (least, greatest) = match (keys.first(), T::keys(all[bins]).to) {
            (Some(least), Some(greatest)) => (*least, greatest),
            _ => (1, 0),
        };
        let even = match edges {
            Edges::Even(_, range) => {
                let scale = (bins as f64 / (range.end - range.start)) as f32;
                let product = scale.is_normal() && ((range.end - range.start) as f32).is_normal();
                let low = T::low(range.start).filter(|_| product && scale < 1e30);
                // With many bins all elements would be near an edge.
                low.map(|low| Even::of(bins, range, low, scale)).filter(|even| even.margin < 0.25)
            }
            _ => None,
        };
        Ok(Self { keys, least, greatest, even, plain: false, all: bins })
    }
}
