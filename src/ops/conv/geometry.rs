//! The shapes of a convolution, and the numbers that its kernels need. This module is pure.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::super::windows::options::{Options, expect_windows};
use super::super::windows::window::Window;
use super::super::windows::{distances, in_three, vector};

/// The parameters of a convolution, as they are given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) x: Vec<usize>,
    pub(super) weights: Vec<usize>,
    pub(super) options: Options,
    pub(super) output_padding: Option<Vec<usize>>,
    pub(super) groups: usize,
    pub(super) channels_last: bool,
    pub(super) transposed: bool,
}

/// A convolution whose parameters were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    pub(super) examples: usize,
    pub(super) groups: usize,
    /// The channels of a group in x and in y.
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Along depth, height and width: the windows, and the positions of y.
    pub(super) windows: [Window; 3],
    pub(super) output: [usize; 3],
    pub(super) channels_last: bool,
    pub(super) transposed: bool,
    /// The shape of y.
    pub(super) y: Vec<usize>,
}

impl Given {
    /// The sizes of an array's positions.
    fn positions<'s>(&self, shape: &'s [usize]) -> &'s [usize] {
        if self.channels_last { &shape[1..shape.len() - 1] } else { &shape[2..] }
    }

    fn channels(&self, shape: &[usize]) -> usize {
        if self.channels_last { shape[shape.len() - 1] } else { shape[1] }
    }

    pub(super) fn checked(&self, operator: Operator) -> Result<Geometry, OperationError> {
        let (x, weights) = (&self.x, &self.weights);
        if !(3..=5).contains(&x.len()) || weights.len() != x.len() {
            let expected =
                format!("use as many axes as x of shape {x:?}: examples, channels, and one to three axes of positions");
            return Err(operator.choice("weights of shape", expected, format!("{weights:?}")));
        }
        let (channels, groups) = (self.channels(x), self.groups);
        // The first axis of the weights has all channels of y, or of x if transposed; the axis of channels has those of
        // a group of the other array.
        let (all, each) = (weights[0], self.channels(weights));
        let (inputs, outputs) = if self.transposed { (all, each) } else { (each, all) };
        let divided = if self.transposed { inputs } else { outputs };
        if groups == 0 || divided % groups != 0 || channels % groups != 0 {
            let expected =
                format!("use a divisor of the channels of x of shape {x:?} and of weights of shape {weights:?}");
            return Err(operator.choice("a number of groups of", expected, groups.to_string()));
        }
        let (of_x, of_y) = if self.transposed { (inputs / groups, outputs) } else { (inputs, outputs / groups) };
        if channels != of_x * groups || channels == 0 || of_y == 0 {
            let expected = format!(
                "x of shape {x:?} has {channels} channels, and {groups} groups of these weights read {}; all need at least one",
                of_x.saturating_mul(groups)
            );
            return Err(operator.choice("weights of shape", expected, format!("{weights:?}")));
        }
        let positions = self.positions(x);
        if positions.contains(&0) {
            let expected = "use at least one position along each axis";
            return Err(operator.choice("x of shape", expected, format!("{x:?}")));
        }
        let windows = self.options.windows(operator, positions, self.positions(weights))?;
        let output = self.output(operator, &windows)?;
        let y_channels = of_y * groups;
        let y = if self.channels_last {
            [&[x[0]], &output[..], &[y_channels]].concat()
        } else {
            [&[x[0], y_channels], &output[..]].concat()
        };
        Ok(Geometry {
            examples: x[0],
            groups,
            inputs: of_x,
            outputs: of_y,
            windows: in_three(windows, Window::MISSING),
            output: in_three(output, 1),
            channels_last: self.channels_last,
            transposed: self.transposed,
            y,
        })
    }

    /// The positions of y along each axis.
    fn output(&self, operator: Operator, windows: &[Window]) -> Result<Vec<usize>, OperationError> {
        if !self.transposed {
            if let Some(more) = &self.output_padding {
                let expected = "use it with `Conv::transposed`";
                return Err(operator.choice("an output padding of", expected, format!("{more:?}")));
            }
            expect_windows(operator, windows, &self.x)?;
            return Ok(windows.iter().map(|window| window.count()).collect());
        }
        let more = self.output_padding.clone().unwrap_or_else(|| vec![0; windows.len()]);
        let fits = |(more, window): (&usize, &Window)| *more < window.stride.max(window.dilation);
        if more.len() != windows.len() || !more.iter().zip(windows).all(fits) {
            let expected = "use a number for each axis, below its stride or its dilation";
            return Err(operator.choice("an output padding of", expected, format!("{more:?}")));
        }
        let sizes = windows.iter().zip(&more).map(|(window, more)| match window.covered().map(|size| size + more) {
            Some(size @ 1..) if size <= 1 << 30 => Ok(size),
            _ => {
                let padding: Vec<[usize; 2]> = windows.iter().map(|window| [window.before, window.after]).collect();
                let (x, weights) = (&self.x, &self.weights);
                let expected =
                    format!("x of shape {x:?} and weights of shape {weights:?} need a result of 1 to 2^30 positions");
                Err(operator.choice("a padding of", expected, format!("{padding:?}")))
            }
        });
        sizes.collect()
    }
}

/// The numbers of the kernels that compute results from a source: y from x, or the derivatives by x from those by y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) output: [u32; 4],
    pub(super) kernel: [u32; 4],
    pub(super) step: [u32; 4],
    pub(super) offset: [u32; 4],
    pub(super) tap: [u32; 4],
    pub(super) extent: [u32; 4],
    pub(super) spread: [u32; 4],
    pub(super) in_x: [u32; 4],
    pub(super) in_y: [u32; 4],
    pub(super) in_weights: [u32; 4],
    pub(super) examples: u32,
    pub(super) groups: u32,
    pub(super) inputs: u32,
    pub(super) outputs: u32,
    pub(super) example_in_x: u32,
    pub(super) example_in_y: u32,
}

impl Geometry {
    pub(super) fn taps(&self) -> usize {
        self.windows.iter().map(|window| window.kernel).product()
    }

    /// The number of weights.
    pub(super) fn weights(&self) -> usize {
        self.groups * self.inputs * self.outputs * self.taps()
    }

    fn input(&self) -> [usize; 3] {
        self.windows.map(|window| window.input)
    }

    /// The distances in the weights: channels of y, channels of x, taps, groups.
    fn in_weights(&self) -> [usize; 4] {
        let (taps, group) = (self.taps(), self.inputs * self.outputs * self.taps());
        // The weights of a channel of the first axis are those of all taps and channels of the other array.
        let inner = if self.transposed { self.outputs } else { self.inputs };
        let (first, second) = (inner * taps, if self.channels_last { 1 } else { taps });
        let tap = if self.channels_last { inner } else { 1 };
        if self.transposed { [second, first, tap, group] } else { [first, second, tap, group] }
    }

    /// The job of the convolution.
    pub(super) fn forward(&self) -> Job {
        self.job(self.transposed, self.input(), self.output, [self.inputs, self.outputs], self.in_weights())
    }

    /// The job of the derivatives by x.
    pub(super) fn backward(&self) -> Job {
        let [of_y, of_x, tap, group] = self.in_weights();
        self.job(!self.transposed, self.output, self.input(), [self.outputs, self.inputs], [of_x, of_y, tap, group])
    }

    fn job(
        &self,
        transposed: bool,
        input: [usize; 3],
        output: [usize; 3],
        [inputs, outputs]: [usize; 2],
        in_weights: [usize; 4],
    ) -> Job {
        let windows = self.windows;
        let strides = vector(windows.map(|window| window.stride));
        let dilations = vector(windows.map(|window| window.dilation));
        let before = vector(windows.map(|window| window.before));
        let negative = |[a, b, c, d]: [u32; 4]| [a, b, c, d].map(u32::wrapping_neg);
        let ones = [1; 4];
        let (in_x, example_in_x) = distances(self.groups * inputs, input, self.channels_last);
        let (in_y, example_in_y) = distances(self.groups * outputs, output, self.channels_last);
        let spread = std::array::from_fn(|at| (input[at] - 1) * windows[at].stride + 1);
        // Limits of options and of the number of elements keep all of these within 31 bits.
        Job {
            output: vector(output),
            kernel: vector(windows.map(|window| window.kernel)),
            step: if transposed { ones } else { strides },
            offset: if transposed { before } else { negative(before) },
            tap: if transposed { negative(dilations) } else { dilations },
            extent: vector(if transposed { spread } else { input }),
            spread: if transposed { strides } else { ones },
            in_x,
            in_y,
            in_weights: in_weights.map(|distance| distance as u32),
            examples: self.examples as u32,
            groups: self.groups as u32,
            inputs: inputs as u32,
            outputs: outputs as u32,
            example_in_x,
            example_in_y,
        }
    }
}

impl Job {
    /// Whether the weights of a channel of the result are one after the other: for each tap the channels of the source.
    pub(super) fn has_deep_weights(&self, taps: usize) -> bool {
        let depth = u64::from(self.inputs) * taps as u64;
        let [result, source, tap, group] = self.in_weights.map(u64::from);
        [result, source, tap, group] == [depth, 1, self.inputs.into(), depth * u64::from(self.outputs)]
    }

    /// Whether each position of the result reads the one of the source with its number, in one group of channels.
    pub(super) fn is_whole(&self, taps: usize) -> bool {
        let [step @ .., _] = self.step;
        let [offset @ .., _] = self.offset;
        let is_plain = step == [1; 3] && offset == [0; 3] && self.extent[..3] == self.output[..3];
        taps == 1 && self.groups == 1 && is_plain && !self.is_spread() && self.has_deep_weights(taps)
    }

    pub(super) fn is_spread(&self) -> bool {
        self.spread.iter().any(|spread| *spread > 1)
    }
}
