//! The shapes of a pooling. This module is pure.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::super::windows::options::{Options, expect_windows};
use super::super::windows::window::Window;
use super::super::windows::{MAX_AXES, in_three};

/// The windows of a pooling, as the caller describes them.
#[derive(Clone, Debug)]
pub(super) enum Windows {
    /// Windows of this size along each axis, with the strides, padding and dilation of the options.
    Kernel(Vec<usize>),
    /// Windows that divide each axis among this many results.
    Adaptive(Vec<usize>),
}

/// The parameters of a pooling, as the caller sets them.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) x: Vec<usize>,
    pub(super) windows: Windows,
    pub(super) options: Options,
    pub(super) rounds_up: bool,
    pub(super) channels_last: bool,
}

/// A pooling whose parameters were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) examples: usize,
    pub(super) channels: usize,
    /// Along depth, height and width: the windows, and the number of positions of y.
    pub(super) windows: [Window; 3],
    pub(super) output: [usize; 3],
    pub(super) adaptive: bool,
    /// The shape of y.
    pub(super) y: Vec<usize>,
}

/// The greatest size of an axis with adaptive windows: kernels compute their positions from products of two sizes, in
/// 32 bits.
const MAX_ADAPTIVE: usize = (1 << 16) - 2;

impl Given {
    pub(super) fn checked(&self, operator: Operator) -> Result<Geometry, OperationError> {
        let x = &self.x;
        if !(3..=2 + MAX_AXES).contains(&x.len()) {
            let expected = "use examples, channels, and one to three axes of positions";
            return Err(operator.choice("x of shape", expected, format!("{x:?}")));
        }
        let (positions, channels) =
            if self.channels_last { (&x[1..x.len() - 1], x[x.len() - 1]) } else { (&x[2..], x[1]) };
        if positions.contains(&0) {
            let expected = "use at least one position along each axis";
            return Err(operator.choice("x of shape", expected, format!("{x:?}")));
        }
        let (windows, output, adaptive) = match &self.windows {
            Windows::Kernel(kernel) => {
                let windows = self.options.windows(operator, positions, kernel)?;
                expect_windows(operator, &windows, x)?;
                let count = |window: &Window| if self.rounds_up { window.count_rounded_up() } else { window.count() };
                let output = windows.iter().map(count).collect::<Vec<usize>>();
                (windows, output, false)
            }
            Windows::Adaptive(output) => {
                let fits = |size: &usize| (1..=MAX_ADAPTIVE).contains(size);
                if output.len() != positions.len() || !output.iter().chain(positions).all(fits) {
                    let expected =
                        format!("use sizes of 1 to {MAX_ADAPTIVE} for the axes of positions of x of shape {x:?}");
                    return Err(operator.choice("results of", expected, format!("{output:?}")));
                }
                let window = |input: &usize| Window { input: *input, ..Window::MISSING };
                (positions.iter().map(window).collect(), output.clone(), true)
            }
        };
        let y = if self.channels_last {
            [&[x[0]], &output[..], &[channels]].concat()
        } else {
            [&[x[0], channels], &output[..]].concat()
        };
        let (windows, output) = (in_three(windows, Window::MISSING), in_three(output, 1));
        Ok(Geometry { examples: x[0], channels, windows, output, adaptive, y })
    }
}

impl Geometry {
    /// The number of positions that all windows of a channel read, summed over the windows; for adaptive windows an
    /// upper bound.
    pub(super) fn reads(&self) -> u64 {
        let of_axis = |at: usize| {
            let (window, output) = (self.windows[at], self.output[at] as u64);
            let each = if self.adaptive { window.input.div_ceil(self.output[at]) } else { window.kernel };
            output.saturating_mul(each as u64)
        };
        (0..MAX_AXES).map(of_axis).fold(1, u64::saturating_mul)
    }
}
