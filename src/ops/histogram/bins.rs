//! The bins of a histogram, in the form that its kernels need.

use super::super::error::OperationError;
use super::elements::sealed::Key;
use super::{Edges, OPERATOR};

/// The bins of one channel, in the form that the kernels need.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bins {
    /// The key of the lower edge of each bin that can have elements.
    pub(super) keys: Vec<u32>,
    /// The key of the least element that is counted; above `greatest` if no element can be counted.
    pub(super) least: u32,
    /// The key of the greatest element that is counted.
    pub(super) greatest: u32,
    /// The numbers with which a multiplication finds the bin of an element; `None` if a search finds it.
    pub(super) even: Option<Even>,
    /// Whether each element is the number of its bin.
    pub(super) plain: bool,
    /// The number of bins, including those that no element can be in.
    pub(super) all: usize,
}

/// The numbers with which a multiplication finds the bin of an element, for bins of equal width.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Even {
    /// The bits of the lower end of the first bin.
    pub(super) low: u32,
    /// The number of bins per unit.
    pub(super) scale: f32,
    /// The distance from an edge, in bins, within which rounding could change the result, so that the kernel compares
    /// the element with the edge.
    pub(super) margin: f32,
}

impl Even {
    /// The numbers for `bins` bins in `range`; `low` has the bits of the start of the range.
    fn of(bins: usize, range: &std::ops::Range<f64>, low: u32, scale: f32) -> Self {
        // The margin is the sum of three bounds: four roundings in f32 of a product of at most `bins`, edges that were
        // rounded in f64, and subnormal numbers that the device treats as zero.
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
        // If no element can be counted, `least` is above `greatest`, so that no element is between them.
        let (least, greatest) = match (keys.first(), T::keys(all[bins]).to) {
            (Some(least), Some(greatest)) => (*least, greatest),
            _ => (1, 0),
        };
        let even = match edges {
            Edges::Even(_, range) => {
                let scale = (bins as f64 / (range.end - range.start)) as f32;
                let product = scale.is_normal() && ((range.end - range.start) as f32).is_normal();
                let low = T::low(range.start).filter(|_| product && scale < 1e30);
                // With very many bins nearly all elements would be within the margin of an edge.
                low.map(|low| Even::of(bins, range, low, scale)).filter(|even| even.margin < 0.25)
            }
            _ => None,
        };
        Ok(Self { keys, least, greatest, even, plain: false, all: bins })
    }
}
