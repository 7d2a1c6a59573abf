//! One kernel with its input, and the check of its result.

pub(crate) use anywarp_testing::random::{floats as random_floats, words as random_words};
use std::fmt::Display;

use anywarp::Element;
use anywarp::backend::{Caps, DeviceKind};

use crate::shared::Outcome;

/// The size of the inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Small inputs, to check results only.
    Quick,
    /// Inputs for launches of some milliseconds on a few cores.
    Processor,
    /// Inputs for launches of at least fifty microseconds on a large card.
    Card,
}

impl Scale {
    /// Returns the scale that suits a device.
    pub(crate) fn of(caps: &Caps, quick: bool) -> Self {
        match caps.kind {
            _ if quick => Self::Quick,
            DeviceKind::Software => Self::Processor,
            _ => Self::Card,
        }
    }

    /// Returns the one of the three numbers that belongs to this scale.
    pub(crate) fn pick(self, quick: usize, processor: usize, card: usize) -> usize {
        match self {
            Self::Quick => quick,
            Self::Processor => processor,
            Self::Card => card,
        }
    }
}

/// The expected elements of a result, computed by sequential Rust.
pub(crate) enum Expected {
    Words(Box<dyn Fn(usize) -> u32>),
    /// The value at an index, and the largest error, relative to the value or, for small values, to 1.
    Floats(Box<dyn Fn(usize) -> f32>, f32),
    /// Whether the element at an index is right, and the share of elements that may be wrong, where rounding decides,
    /// as at the edge of a fractal.
    Mostly(Box<dyn Fn(usize, u32) -> bool>, f64),
    /// A test of the whole result, where the order of the elements is not determined.
    Holds(Box<Judge>),
}

/// A function that returns the error of a wrong result.
type Judge = dyn Fn(&[u32]) -> Result<(), String>;

/// One kernel with its input and its expected result.
pub(crate) struct Case {
    pub(crate) source: &'static str,
    /// The words of the variable `params`; empty for a kernel without that variable.
    pub(crate) params: Vec<u32>,
    pub(crate) inputs: Vec<(&'static str, Vec<u8>)>,
    /// Names and sizes in bytes of the outputs; the first is checked.
    pub(crate) outputs: Vec<(&'static str, usize)>,
    /// Whether the outputs must be zeroed before every launch, not only before the first.
    pub(crate) cleared: bool,
    pub(crate) groups: [usize; 3],
    pub(crate) expected: Expected,
    /// The approximate number of elements to compare, for slow references.
    pub(crate) compared: usize,
}

impl Case {
    /// Returns a case without data and expected result.
    pub(crate) fn of(source: &'static str) -> Self {
        Self {
            source,
            params: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            cleared: false,
            groups: [1; 3],
            expected: Expected::Holds(Box::new(|_| Err("nothing is expected".to_owned()))),
            compared: 1 << 16,
        }
    }

    pub(crate) fn params(self, words: &[usize]) -> Self {
        self.param_bits(&words.iter().map(|word| *word as u32).collect::<Vec<_>>())
    }

    /// Sets the parameters as bits, for parameters that are not all integers.
    pub(crate) fn param_bits(mut self, words: &[u32]) -> Self {
        self.params = words.to_vec();
        self
    }

    pub(crate) fn input<T: Element>(mut self, name: &'static str, values: &[T]) -> Self {
        self.inputs.push((name, bytemuck::cast_slice(values).to_vec()));
        self
    }

    /// Adds a variable of `words` words that the kernel writes.
    pub(crate) fn output(mut self, name: &'static str, words: usize) -> Self {
        self.outputs.push((name, words * 4));
        self
    }

    pub(crate) fn cleared(mut self) -> Self {
        self.cleared = true;
        self
    }

    /// Sets the number of workgroups of `size` threads that `threads` threads need, in x, y and z.
    pub(crate) fn threads(mut self, threads: [usize; 3], size: [usize; 3]) -> Self {
        self.groups = std::array::from_fn(|axis| threads[axis].div_ceil(size[axis]));
        self
    }

    pub(crate) fn compared(mut self, elements: usize) -> Self {
        self.compared = elements;
        self
    }

    pub(crate) fn words(self, expected: impl Fn(usize) -> u32 + 'static) -> Self {
        Self { expected: Expected::Words(Box::new(expected)), ..self }
    }

    pub(crate) fn floats(self, tolerance: f32, expected: impl Fn(usize) -> f32 + 'static) -> Self {
        Self { expected: Expected::Floats(Box::new(expected), tolerance), ..self }
    }

    pub(crate) fn mostly(self, share: f64, expected: impl Fn(usize, u32) -> bool + 'static) -> Self {
        Self { expected: Expected::Mostly(Box::new(expected), share), ..self }
    }

    pub(crate) fn holds(self, expected: impl Fn(&[u32]) -> Result<(), String> + 'static) -> Self {
        Self { expected: Expected::Holds(Box::new(expected)), ..self }
    }

    /// Checks a result, given as 32-bit words.
    pub(crate) fn check(&self, found: &[u32]) -> Outcome<()> {
        // An odd step reaches every lane of every vector.
        let step = (found.len() / self.compared.max(1)) | 1;
        let indices = || (0..found.len()).step_by(step).chain(found.len().saturating_sub(1)..found.len());
        match &self.expected {
            Expected::Words(expected) => {
                indices().try_for_each(|at| same(at, found[at], expected(at), found[at] == expected(at)))
            }
            Expected::Floats(expected, tolerance) => indices().try_for_each(|at| {
                let (found, expected) = (f32::from_bits(found[at]), expected(at));
                let near = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
                same(at, found, expected, near)
            }),
            Expected::Mostly(expected, share) => {
                let wrong = indices().filter(|at| !expected(*at, found[*at])).count();
                let most = share * indices().count() as f64;
                if wrong as f64 <= most { Ok(()) } else { Err(format!("wrong result: {wrong} words differ").into()) }
            }
            Expected::Holds(holds) => Ok(holds(found).map_err(|problem| format!("wrong result: {problem}"))?),
        }
    }
}

fn same(at: usize, found: impl Display, expected: impl Display, same: bool) -> Outcome<()> {
    if same { Ok(()) } else { Err(format!("wrong result: [{at}] is {found}, not {expected}").into()) }
}
