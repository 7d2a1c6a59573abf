//! Strides, padding and dilation of windows, as the caller passes them.

use super::super::error::OperationError;
use super::super::operator::Operator;
use super::MAX_AXES;
use super::window::Window;

/// The greatest position along an axis: kernels compute with positions of 31 bits, also before and after the padding.
const MAX_POSITION: usize = (1 << 30) - 1;

/// The options of windows, for each axis of positions. By default, strides and dilations are 1, and there is no
/// padding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) stride: Option<Vec<usize>>,
    pub(crate) padding: Option<Vec<[usize; 2]>>,
    pub(crate) dilation: Option<Vec<usize>>,
}

impl Options {
    /// Returns the windows of a kernel along each axis of the input.
    pub(crate) fn windows(
        &self,
        operator: Operator,
        input: &[usize],
        kernel: &[usize],
    ) -> Result<Vec<Window>, OperationError> {
        let axes = input.len();
        if axes == 0 || axes > MAX_AXES || kernel.len() != axes {
            let expected =
                format!("pass one size for each axis of the input {input:?}, which can have one to {MAX_AXES} axes");
            return Err(operator.choice("a kernel of", expected, format!("{kernel:?}")));
        }
        let stride = given(operator, "a list of strides of", self.stride.as_ref(), 1, input)?;
        let dilation = given(operator, "a list of dilations of", self.dilation.as_ref(), 1, input)?;
        let padding = given(operator, "a padding of", self.padding.as_ref(), [0, 0], input)?;
        for (argument, numbers) in
            [("a kernel of", kernel), ("a list of strides of", &stride), ("a list of dilations of", &dilation)]
        {
            if numbers.iter().any(|number| !(1..=MAX_POSITION).contains(number)) {
                let expected = format!("pass numbers from 1 to {MAX_POSITION}; the input has {input:?} positions");
                return Err(operator.choice(argument, expected, format!("{numbers:?}")));
            }
        }
        let windows: Vec<Window> = (0..axes)
            .map(|at| Window {
                input: input[at],
                kernel: kernel[at],
                stride: stride[at],
                dilation: dilation[at],
                before: padding[at][0],
                after: padding[at][1],
            })
            .collect();
        if windows.iter().any(|window| window.padded().max(window.span()) > MAX_POSITION) {
            let expected = format!("padded inputs and kernels can have at most {MAX_POSITION} positions along an axis");
            return Err(operator.choice("a padding of", expected, format!("{padding:?} of {input:?}")));
        }
        Ok(windows)
    }
}

/// Returns the numbers for each axis, or `missing` for each axis if the caller has set none.
fn given<N: Clone + std::fmt::Debug>(
    operator: Operator,
    argument: &'static str,
    numbers: Option<&Vec<N>>,
    missing: N,
    input: &[usize],
) -> Result<Vec<N>, OperationError> {
    match numbers {
        None => Ok(vec![missing; input.len()]),
        Some(numbers) if numbers.len() == input.len() => Ok(numbers.clone()),
        Some(numbers) => {
            let expected = format!("pass one entry for each axis of the {input:?} positions of the input");
            Err(operator.choice(argument, expected, format!("{numbers:?}")))
        }
    }
}

/// Returns an error if a window is larger than its padded input.
pub(crate) fn expect_windows(operator: Operator, windows: &[Window], input: &[usize]) -> Result<(), OperationError> {
    if windows.iter().all(|window| window.count() > 0) {
        return Ok(());
    }
    let spans: Vec<usize> = windows.iter().map(|window| window.span()).collect();
    let padded: Vec<usize> = windows.iter().map(|window| window.padded()).collect();
    let expected = format!("the input of shape {input:?} has {padded:?} positions with its padding; use more padding");
    Err(operator.choice("a kernel that spans", expected, format!("{spans:?}")))
}
