//! The kernels of filters. This module is pure.

use super::super::error::OperationError;
use super::super::operator::Operator;

/// The greatest number of weights of a filter kernel; a uniform contains all of them.
pub(super) const MAX_WEIGHTS: usize = 256;

/// A filter as the caller describes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// A kernel of rows and columns; reversed for a convolution.
    Kernel { weights: Vec<f32>, sizes: [usize; 2], is_convolution: bool },
    /// A kernel for each axis: along columns and along rows.
    Separable([Vec<f32>; 2]),
    /// Gaussian functions with these standard deviations along columns and rows.
    Gaussian([f64; 2]),
    /// The derivative along columns (0) or rows (1).
    Sobel(usize),
    /// The median of 3 x 3 elements.
    Median,
}

/// A kernel that a pass applies: weights, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kernel {
    pub(super) weights: Vec<f32>,
    /// The numbers of rows and columns.
    pub(super) sizes: [usize; 2],
    /// The row and the column of the weight that multiplies the element at the result's own position.
    pub(super) centre: [usize; 2],
}

impl Kernel {
    /// A kernel whose centre is that of a correlation: the middle row and column, or the later of two middle ones.
    fn new(weights: Vec<f32>, sizes: [usize; 2]) -> Self {
        Self { weights, sizes, centre: sizes.map(|size| size / 2) }
    }

    fn line(weights: Vec<f32>, axis: usize) -> Self {
        let mut sizes = [1, 1];
        sizes[axis] = weights.len();
        Self::new(weights, sizes)
    }
}

impl Given {
    /// The kernels of the passes; none for a median.
    pub(super) fn kernels(&self, operator: Operator) -> Result<Vec<Kernel>, OperationError> {
        match self {
            Self::Kernel { weights, sizes, is_convolution } => {
                let count = sizes[0].saturating_mul(sizes[1]);
                if !(1..=MAX_WEIGHTS).contains(&count) {
                    return Err(too_many(operator, format!("{sizes:?}")));
                }
                if weights.len() != count {
                    let (operator, argument, shape) = (operator.name(), "kernel".to_owned(), sizes.to_vec());
                    return Err(OperationError::Length {
                        operator,
                        argument,
                        shape,
                        expected: count,
                        got: weights.len(),
                    });
                }
                let mut kernel = Kernel::new(weights.clone(), *sizes);
                if *is_convolution {
                    kernel.weights.reverse();
                    kernel.centre = sizes.map(|size| (size - 1) / 2);
                }
                Ok(vec![kernel])
            }
            Self::Separable(lines) => {
                if let Some(wrong) = lines.iter().find(|line| !(1..=MAX_WEIGHTS).contains(&line.len())) {
                    return Err(too_many(operator, format!("[{}]", wrong.len())));
                }
                let [down, along] = lines.clone();
                Ok(vec![Kernel::line(down, 0), Kernel::line(along, 1)])
            }
            Self::Gaussian(deviations) => {
                let lines = deviations.map(gaussian);
                let [Some(down), Some(along)] = lines else {
                    let expected =
                        format!("use finite numbers from 0 on whose kernels have at most {MAX_WEIGHTS} weights");
                    return Err(operator.choice("standard deviations of", expected, format!("{deviations:?}")));
                };
                Ok(vec![Kernel::line(down, 0), Kernel::line(along, 1)])
            }
            Self::Sobel(axis) => {
                let weights = match axis {
                    0 => [-1.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0],
                    1 => [-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0],
                    _ => {
                        let expected = "use 0 for the derivative down the columns, or 1 along the rows";
                        return Err(operator.choice("an axis of", expected, axis.to_string()));
                    }
                };
                Ok(vec![Kernel::new(weights.to_vec(), [3, 3])])
            }
            Self::Median => Ok(Vec::new()),
        }
    }
}

fn too_many(operator: Operator, got: String) -> OperationError {
    operator.choice("a kernel of", format!("use 1 to {MAX_WEIGHTS} weights"), got)
}

/// The weights of a Gaussian function up to four standard deviations, as `SciPy`'s; `None` if there would be too many
/// weights.
fn gaussian(deviation: f64) -> Option<Vec<f32>> {
    let radius = (4.0 * deviation + 0.5).floor();
    if !(deviation >= 0.0 && 2.0 * radius < MAX_WEIGHTS as f64) {
        return None;
    }
    let radius = radius as i32;
    if deviation == 0.0 {
        return Some(vec![1.0]);
    }
    let values: Vec<f64> =
        (-radius..=radius).map(|at| (-0.5 * f64::from(at * at) / (deviation * deviation)).exp()).collect();
    let sum: f64 = values.iter().sum();
    Some(values.into_iter().map(|value| (value / sum) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussian_kernels_are_those_of_scipy() {
        // scipy.ndimage._filters._gaussian_kernel1d(0.5, 0, 2)
        let wanted = [2.638_65e-4f32, 0.106_450_77, 0.786_570_7, 0.106_450_77, 2.638_65e-4];
        let got = gaussian(0.5).unwrap();
        assert_eq!(got.len(), wanted.len());
        assert!(got.iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 1e-7), "{got:?}");
        assert_eq!(gaussian(1.0).unwrap().len(), 9);
        assert_eq!(gaussian(0.0), Some(vec![1.0]));
        assert_eq!(gaussian(31.8).unwrap().len(), 255);
        assert!([32.0, -1.0, f64::NAN, f64::INFINITY].iter().all(|deviation| gaussian(*deviation).is_none()));
    }

    #[test]
    fn convolutions_reverse_the_kernel_around_its_earlier_middle() {
        let given = |is_convolution| Given::Kernel { weights: vec![1.0, 2.0], sizes: [1, 2], is_convolution };
        let kernels = |given: Given| given.kernels(Operator("filter")).unwrap();
        let wanted = Kernel { weights: vec![1.0, 2.0], sizes: [1, 2], centre: [0, 1] };
        assert_eq!(kernels(given(false)), [wanted]);
        let wanted = Kernel { weights: vec![2.0, 1.0], sizes: [1, 2], centre: [0, 0] };
        assert_eq!(kernels(given(true)), [wanted]);
    }
}
