//! The arguments of a call: arrays and values as inputs, arrays as outputs.

use std::ops::Range;

use anywarp_backend::{Layout, Scalar, ScalarKind};
use smallvec::SmallVec;

use super::shape::{Shaped, Sizes};
use super::types::ElementType;
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::device::Device;
use crate::element::Element;
use crate::error::BufferError;
use crate::kernel::{Bind, BoundBuffer, bound};

/// One argument of a call: an array, or a value in bytes.
pub enum Given<'a> {
    Array(Array<'a>),
    Value { element: ElementType, bytes: SmallVec<[u8; 32]> },
}

/// A buffer or slice, with the shape that the caller gave it.
pub struct Array<'a> {
    pub(crate) bound: BoundBuffer<'a>,
    pub(crate) shape: Option<Sizes>,
    /// The strides of the shape, unless the array is row-major.
    pub(crate) strides: Option<Sizes>,
    /// The size of one element, in bytes.
    pub(crate) size: u64,
}

impl<'a> Array<'a> {
    pub(crate) fn new<T: Element>(buffer: impl Bind<'a>) -> Self {
        Self { bound: bound(buffer), shape: None, strides: None, size: size_of::<T>() as u64 }
    }

    fn shaped<T: Element>(Shaped { buffer, shape, strides }: Shaped<impl Bind<'a>>) -> Self {
        Self { shape: Some(shape), strides, ..Self::new::<T>(buffer) }
    }

    /// The array of some of the elements, which are counted from the first element of this array.
    pub(crate) fn part(&self, elements: Range<u64>) -> Self {
        let BoundBuffer { core, bytes, mutable, element, layout } = &self.bound;
        let bytes = bytes.clone().map(|bytes| {
            let [start, end] = [elements.start, elements.end].map(|at| bytes.start + at * self.size);
            start..end
        });
        let bound = BoundBuffer { core, bytes, mutable: *mutable, element: *element, layout: *layout };
        Self { bound, shape: None, strides: None, size: self.size }
    }

    /// The Rust layout of the array's elements.
    pub(crate) fn layout(&self) -> Layout {
        (self.bound.layout)()
    }
}

mod sealed {
    use super::{BufferError, Device, Given};

    pub trait Argument<'a> {
        fn given(self) -> Given<'a>;
    }

    pub trait Inputs<'a> {
        fn all(self) -> Vec<Given<'a>>;
    }

    pub trait Outputs<'a> {
        fn all(self) -> Vec<Given<'a>>;
    }

    pub trait Results {
        type Buffers;

        const COUNT: usize;

        fn allocate(device: &Device, length: usize) -> Result<Self::Buffers, BufferError>;
        fn outputs(buffers: &mut Self::Buffers) -> Vec<Given<'_>>;
    }
}

/// An input of an operation: `&` to a buffer, a slice, either of them with a shape ([`shaped`](super::super::shaped)),
/// or a value: a scalar, or an array of two or four scalars for a vector.
pub trait Argument<'a>: sealed::Argument<'a> {}

impl<'a, S: sealed::Argument<'a>> Argument<'a> for S {}

/// The inputs of a call, in the order of the parameters: one [`Argument`] or a tuple of up to eight arguments.
pub trait Inputs<'a>: sealed::Inputs<'a> {}

impl<'a, S: sealed::Inputs<'a>> Inputs<'a> for S {}

/// The outputs of a call, in the order of the parameters: `&mut` to a buffer, a slice, either of them with a shape
/// ([`shaped`](super::super::shaped)), or a tuple of up to four outputs.
pub trait Outputs<'a>: sealed::Outputs<'a> {}

impl<'a, S: sealed::Outputs<'a>> Outputs<'a> for S {}

/// An input whose type is only known at run time. A `Vec<AnyInput>` can be passed as the inputs of a call.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::{AnyInput, ElementwiseKernel};
///
/// let device = anywarp::Device::open("cpu")?;
/// let add = ElementwiseKernel::new("x: f32, a: f32", "y: f32", "y = x + a")?;
/// let x = device.buffer_from(&[1.0f32, 2.0])?;
/// let inputs = vec![AnyInput::new(&x), AnyInput::new(10.0f32)];
/// assert_eq!(*add.apply::<f32>(&device, inputs)?.read()?, [11.0, 12.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
pub struct AnyInput<'a>(Given<'a>);

impl<'a> AnyInput<'a> {
    /// An input from an argument of any type.
    pub fn new(argument: impl Argument<'a>) -> Self {
        Self(argument.given())
    }
}

impl<'a> sealed::Inputs<'a> for Vec<AnyInput<'a>> {
    fn all(self) -> Vec<Given<'a>> {
        self.into_iter().map(|input| input.0).collect()
    }
}

/// Outputs whose types and number are only known at run time.
#[derive(Default)]
pub struct AnyOutputs<'a>(Vec<Given<'a>>);

impl<'a> AnyOutputs<'a> {
    /// An empty list of outputs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an output.
    pub fn push(&mut self, output: impl Outputs<'a>) {
        self.0.extend(output.all());
    }
}

impl<'a> sealed::Outputs<'a> for AnyOutputs<'a> {
    fn all(self) -> Vec<Given<'a>> {
        self.0
    }
}

/// The results that a call allocates: one element type for one [`UnifiedBuffer`], or a tuple of up to four element
/// types for a tuple of buffers.
pub trait Results: sealed::Results {}

impl<S: sealed::Results> Results for S {}

/// The buffer, or tuple of buffers, that a call allocates for its [`Results`].
pub(crate) type Buffers<R> = <R as sealed::Results>::Buffers;

macro_rules! arrays {
    ($trait:ident: $([$($generics:tt)*] $array:ty;)*) => {$(
        impl<'a, $($generics)*> sealed::$trait<'a> for $array {
            fn given(self) -> Given<'a> {
                Given::Array(Array::new::<T>(self))
            }
        }

        impl<'a, $($generics)*> sealed::$trait<'a> for Shaped<$array> {
            fn given(self) -> Given<'a> {
                Given::Array(Array::shaped::<T>(self))
            }
        }
    )*};
}

arrays! { Argument:
    [T: Element] &'a UnifiedBuffer<T>;
    [T: Element] Slice<'a, T>;
    ['b, T: Element] &'b Slice<'a, T>;
    ['b, T: Element] &'a SliceMut<'b, T>;
}

macro_rules! outputs {
    ($([$($generics:tt)*] $array:ty;)*) => {$(
        impl<'a, $($generics)*> sealed::Outputs<'a> for $array {
            fn all(self) -> Vec<Given<'a>> {
                vec![Given::Array(Array::new::<T>(self))]
            }
        }

        impl<'a, $($generics)*> sealed::Outputs<'a> for Shaped<$array> {
            fn all(self) -> Vec<Given<'a>> {
                vec![Given::Array(Array::shaped::<T>(self))]
            }
        }
    )*};
}

outputs! {
    [T: Element] &'a mut UnifiedBuffer<T>;
    [T: Element] SliceMut<'a, T>;
    ['b, T: Element] &'a mut SliceMut<'b, T>;
}

macro_rules! values {
    ($($scalar:ty, $kind:ident;)*) => {$(
        values!(@ $scalar, 1, $scalar, $kind);
        values!(@ [$scalar; 2], 2, $scalar, $kind);
        values!(@ [$scalar; 4], 4, $scalar, $kind);
    )*};
    (@ $value:ty, $lanes:literal, $scalar:ty, $kind:ident) => {
        impl<'a> sealed::Argument<'a> for $value {
            fn given(self) -> Given<'a> {
                let scalar = Scalar { kind: ScalarKind::$kind, width: size_of::<$scalar>() as u8 };
                let bytes = SmallVec::from_slice(bytemuck::bytes_of(&self));
                Given::Value { element: ElementType { scalar, lanes: $lanes }, bytes }
            }
        }
    };
}

values! {
    f32, Float; f64, Float; half::f16, Float;
    i16, Signed; i32, Signed; i64, Signed;
    u16, Unsigned; u32, Unsigned; u64, Unsigned;
}

impl<'a, A: sealed::Argument<'a>> sealed::Inputs<'a> for A {
    fn all(self) -> Vec<Given<'a>> {
        vec![self.given()]
    }
}

impl<'a> sealed::Inputs<'a> for () {
    fn all(self) -> Vec<Given<'a>> {
        Vec::new()
    }
}

impl<'a> sealed::Outputs<'a> for () {
    fn all(self) -> Vec<Given<'a>> {
        Vec::new()
    }
}

macro_rules! input_tuples {
    ($(($($name:ident)+))*) => {$(
        impl<'a, $($name: sealed::Argument<'a>),+> sealed::Inputs<'a> for ($($name,)+) {
            #[allow(non_snake_case, reason = "a tuple's members are named as their types")]
            fn all(self) -> Vec<Given<'a>> {
                let ($($name,)+) = self;
                vec![$($name.given()),+]
            }
        }
    )*};
}

input_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

macro_rules! output_tuples {
    ($(($($name:ident)+))*) => {$(
        impl<'a, $($name: sealed::Outputs<'a>),+> sealed::Outputs<'a> for ($($name,)+) {
            #[allow(non_snake_case, reason = "a tuple's members are named as their types")]
            fn all(self) -> Vec<Given<'a>> {
                let ($($name,)+) = self;
                let mut all = Vec::new();
                $(all.extend($name.all());)+
                all
            }
        }

        impl<$($name: Element),+> sealed::Results for ($($name,)+) {
            type Buffers = ($(UnifiedBuffer<$name>,)+);

            const COUNT: usize = [$(stringify!($name)),+].len();

            fn allocate(device: &Device, length: usize) -> Result<Self::Buffers, BufferError> {
                Ok(($(device.buffer::<$name>(length)?,)+))
            }

            #[allow(non_snake_case, reason = "a tuple's members are named as their types")]
            fn outputs(buffers: &mut Self::Buffers) -> Vec<Given<'_>> {
                let ($($name,)+) = buffers;
                vec![$(Given::Array(Array::new::<$name>($name))),+]
            }
        }
    )*};
}

output_tuples! { (A) (A B) (A B C) (A B C D) }

impl<T: Element> sealed::Results for T {
    type Buffers = UnifiedBuffer<T>;

    const COUNT: usize = 1;

    fn allocate(device: &Device, length: usize) -> Result<Self::Buffers, BufferError> {
        device.buffer(length)
    }

    fn outputs(buffers: &mut Self::Buffers) -> Vec<Given<'_>> {
        vec![Given::Array(Array::new::<T>(buffers))]
    }
}
