//! The form of an entry in the table of operators.

use anywarp::Element;
use anywarp::ops::SparseElement;

use super::call::Call;
use super::parameter::Parameter;
use crate::dtype::Dtype;
use crate::failure::Failure;

/// An operator: its list entry, its help, its arguments and its calls all come from this one value.
pub(crate) struct Operator {
    /// The name in Rust.
    pub(crate) name: &'static str,
    /// One line, which ends without a full stop.
    pub(crate) summary: &'static str,
    pub(crate) inputs: &'static [Port],
    pub(crate) outputs: &'static [Port],
    pub(crate) parameters: &'static [Parameter],
    pub(crate) run: Run,
}

/// The element types `T` of an operator, and the function that records a call with one of them.
pub(crate) struct Run {
    pub(crate) types: &'static [Dtype],
    pub(crate) record: fn(&mut Call<'_>, Dtype) -> Result<(), Failure>,
}

/// An input or an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) types: Types,
    pub(crate) form: Form,
}

/// The element types of an input or an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    /// `T`, which the first input has.
    T,
    /// One of these types.
    Of(&'static [Dtype]),
    /// Any type, also several in one list of files.
    Any,
}

/// The position of a port's argument on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The next file.
    Required,
    /// The next file, of a sparse matrix.
    Matrix,
    /// The next file, if there is one.
    Optional,
    /// The file after an option of the port's name.
    Named,
    /// All remaining arguments: files or numbers.
    Rest,
    /// All remaining files, of the same type.
    Files,
}

impl Port {
    /// A required port with elements of type `T`.
    pub(crate) const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, types: Types::T, form: Form::Required }
    }

    /// A sparse matrix, whose values are converted to `T`.
    pub(crate) const fn matrix(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary, types: Types::Of(&[Dtype::F8]), form: Form::Matrix }
    }

    pub(crate) const fn of(mut self, types: &'static [Dtype]) -> Self {
        self.types = Types::Of(types);
        self
    }

    pub(crate) const fn any(mut self) -> Self {
        self.types = Types::Any;
        self
    }

    pub(crate) const fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }
}

/// The types of flags, including `numpy`'s truth values, which become 0 and 1.
pub(crate) const FLAGS: &[Dtype] = &[Dtype::U4, Dtype::B1];
pub(crate) const U32: &[Dtype] = &[Dtype::U4];
/// The types of indices along an axis.
pub(crate) const INDICES: &[Dtype] = &[Dtype::U4, Dtype::I4, Dtype::U8, Dtype::I8];

/// A Rust type with its `numpy` type.
pub(crate) trait Number: Element {
    const DTYPE: Dtype;

    /// Parses a number in decimal notation.
    fn parse(text: &str) -> Option<Self>;
}

/// The element types of sparse matrices.
pub(crate) trait Real: Number + SparseElement {}

impl Real for f32 {}
impl Real for f64 {}

macro_rules! numbers {
    ($($rust:ty, $dtype:ident;)*) => {$(
        impl Number for $rust {
            const DTYPE: Dtype = Dtype::$dtype;

            fn parse(text: &str) -> Option<Self> {
                text.trim().parse().ok()
            }
        }
    )*};
}

numbers! {
    u8, U1; i8, I1; u16, U2; i16, I2; u32, U4; i32, I4; u64, U8; i64, I8; half::f16, F2; f32, F4; f64, F8;
}

/// Evaluates the expression with `$letter` as the Rust type of a `numpy` type, which must be in the list.
macro_rules! for_type {
    ([$($type:ty),+ $(,)?], $dtype:expr, $letter:ident => $run:expr) => {{
        let dtype: $crate::dtype::Dtype = $dtype;
        match dtype {
            $(dtype if dtype == <$type as $crate::op::entry::Number>::DTYPE => {
                type $letter = $type;
                $run
            })+
            other => Err($crate::op::entry::unlisted(other)),
        }
    }};
}

/// A [`Run`] for these types: in the expression, `$letter` is the Rust type and `$call` the call.
macro_rules! by_type {
    ([$($type:ty),+ $(,)?], $letter:ident, $call:ident => $run:expr) => {
        $crate::op::entry::Run {
            types: &[$(<$type as $crate::op::entry::Number>::DTYPE),+],
            record: |$call, dtype| $crate::op::entry::for_type!([$($type),+], dtype, $letter => $run),
        }
    };
}

/// A [`Run`] for numbers of all types.
macro_rules! any_number {
    ($letter:ident, $call:ident => $run:expr) => {
        $crate::op::entry::by_type!([f32, u32, i32, f64, u64, i64, half::f16, u16, i16, u8, i8], $letter, $call => $run)
    };
}

/// A [`Run`] for operators that move elements: numbers of all types, and truth values, which are bytes in Rust.
macro_rules! any_element {
    ($letter:ident, $call:ident => $run:expr) => {
        $crate::op::entry::Run {
            types: $crate::op::entry::ELEMENTS,
            record: |$call, dtype| {
                let dtype = if dtype == $crate::dtype::Dtype::B1 { $crate::dtype::Dtype::U1 } else { dtype };
                $crate::op::entry::for_type!(
                    [f32, u32, i32, f64, u64, i64, half::f16, u16, i16, u8, i8], dtype, $letter => $run)
            },
        }
    };
}

pub(crate) use {any_element, any_number, by_type, for_type};

/// The types of [`any_element`].
pub(crate) const ELEMENTS: &[Dtype] = {
    use Dtype::{B1, F2, F4, F8, I1, I2, I4, I8, U1, U2, U4, U8};
    &[F4, U4, I4, F8, U8, I8, F2, U2, I2, U1, I1, B1]
};

/// Returns the error for a type that an operator does not list. A check before the call already refuses such types.
pub(crate) fn unlisted(dtype: Dtype) -> Failure {
    Failure::Usage(format!("expected an element type of the operator, found {dtype}: `anywarp op --list` lists them"))
}
