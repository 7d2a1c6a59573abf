//! Scans: cumulative sums, products, minima, maxima and other operations.

mod cost;
mod kernels;
mod offer;
mod plan;
#[cfg(test)]
mod reference;
mod run;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use super::choices::Like;
use super::error::OperationError;
use super::operation::arguments::Array;
use super::operation::identity::IdentityValue;
use super::operation::types::ElementType;
use super::operator::Operator;
use super::scanning::element::{ScanElement, ScanKey};
use super::scanning::form::ScanForm;
use super::scanning::monoid::Monoid;
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::submit::{Destination, Recording, Stream};
use offer::Likes;
use run::{Call, Heads, Operands};

/// Computes `y[i] = x[0] + x[1] + .. + x[i]`, for buffers or slices of the same length, with any start.
///
/// Sums of floats are combined in an order that depends only on the length, the kind of device and the results of
/// [tuning](crate::tune), so repeated calls return the same bits. Integers wrap around. [`Scan`] has all other scans: exclusive and reverse ones, along an axis,
/// in segments, in place, with other operations.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = device.buffer::<f32>(4)?;
/// anywarp::ops::cumulative_sum(&x, &mut y)?;
/// assert_eq!(*y.read()?, [1.0, 3.0, 6.0, 10.0]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// # Errors
/// [`OperationError`] for lengths that differ, a slice out of range, an existing guard, more than 2^32 - 2^16 elements,
/// a type that the device lacks, or an error of the device. In that case nothing has run.
pub fn cumulative_sum<'x, 'y, T: ScanElement>(
    x: impl Into<Slice<'x, T>>,
    y: impl Into<SliceMut<'y, T>>,
) -> Result<(), OperationError> {
    Scan::sum().run(x, y)
}

/// A scan: result `i` combines all elements up to element `i` by an associative operation.
///
/// ```
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// use anywarp::ops::Scan;
///
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[3u32, 1, 4, 1, 5, 9])?;
/// let mut y = device.buffer::<u32>(6)?;
/// Scan::sum().exclusive().run(&x, &mut y)?;
/// assert_eq!(*y.read()?, [0, 3, 4, 8, 9, 14]);
/// Scan::max().reverse().run(&x, &mut y)?;
/// assert_eq!(*y.read()?, [9, 9, 9, 9, 9, 9]);
/// Scan::sum().axis([2, 3], 0).run(&x, &mut y)?; // down the columns of a matrix
/// assert_eq!(*y.read()?, [3, 1, 4, 4, 6, 13]);
///
/// let offsets = device.buffer_from(&[0u32, 2])?;
/// Scan::sum().segments(&offsets).run(&x, &mut y)?;
/// assert_eq!(*y.read()?, [3, 4, 4, 5, 10, 19]);
///
/// let mut pairs = device.buffer_from(&[[2.0f32, 1.0], [3.0, 5.0]])?; // v -> 2 v + 1, then v -> 3 v + 5
/// Scan::new("vec2(a.x * b.x, a.y * b.x + b.y)", "vec2(1.0, 0.0)").run_in_place(&mut pairs)?;
/// assert_eq!(*pairs.read()?, [[2.0, 1.0], [6.0, 8.0]]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a scan does nothing until `run` is called"]
pub struct Scan<'r> {
    monoid: Monoid,
    exclusive: bool,
    reverse: bool,
    along: Option<(Vec<usize>, usize)>,
    heads: Heads<'r>,
    form: Option<ScanForm>,
    destination: Destination<'r>,
}

impl<'r> Scan<'r> {
    /// A scan with sums; vectors are added by component.
    pub fn sum() -> Self {
        Self::of(Monoid::Sum)
    }

    /// A scan with products; vectors are multiplied by component.
    pub fn product() -> Self {
        Self::of(Monoid::Product)
    }

    /// A scan with minima: each result is the smallest value so far, and NaN from the first NaN on.
    pub fn min() -> Self {
        Self::of(Monoid::Min)
    }

    /// A scan with maxima: each result is the greatest value so far, and NaN from the first NaN on.
    pub fn max() -> Self {
        Self::of(Monoid::Max)
    }

    /// A scan with an operation of the caller: `combine` is a WGSL expression of `a` and `b`, where `a` is before `b`
    /// in the order of the scan, and `identity` its neutral element, as for a
    /// [`ReductionKernel`](super::ReductionKernel). The operation must be associative, except for rounding; it need not
    /// be commutative. In WGSL, `T` is the type of elements, `A` the type of combined values (`f32` for `f16`,
    /// otherwise `T`), and `inf` is infinity.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::Scan;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let x = device.buffer_from(&[1u32, 2, 4, 2])?;
    /// let mut y = device.buffer::<u32>(4)?;
    /// Scan::new("a | b", 0).run(&x, &mut y)?;
    /// assert_eq!(*y.read()?, [1, 3, 7, 7]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn new(combine: &str, identity: impl IdentityValue) -> Self {
        let (combine, identity) = (combine.to_owned(), identity.said());
        Self::of(Monoid::Own { combine, identity, preamble: String::new() })
    }

    fn of(monoid: Monoid) -> Self {
        Self {
            monoid,
            exclusive: false,
            reverse: false,
            along: None,
            heads: Heads::default(),
            form: None,
            destination: Destination::Own,
        }
    }

    /// Sets WGSL declarations for the expressions of [`new`](Self::new): functions and constants.
    pub fn preamble(mut self, wgsl: &str) -> Self {
        if let Monoid::Own { preamble, .. } = &mut self.monoid {
            wgsl.clone_into(preamble);
        }
        self
    }

    /// Excludes each element from its own result: the first result is the identity.
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Scans from the last element to the first.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// Scans along one axis of an array with this shape, row-major; axes are counted from 0.
    pub fn axis(mut self, shape: impl Into<Vec<usize>>, axis: usize) -> Self {
        self.along = Some((shape.into(), axis));
        self
    }

    /// Begins a new segment at each element whose flag is not zero: elements of different segments are not combined.
    /// There are as many flags as elements.
    pub fn heads(mut self, flags: impl Into<Slice<'r, u32>>) -> Self {
        self.heads.flags = Some(Array::new::<u32>(flags.into()));
        self
    }

    /// Begins a new segment at each of these offsets, which can have any order. Offsets behind the last element are
    /// ignored, so that both `n` and `n + 1` offsets describe `n` segments. If [`heads`](Self::heads) are set as well,
    /// segments also begin at these.
    pub fn segments(mut self, offsets: impl Into<Slice<'r, u32>>) -> Self {
        self.heads.offsets = Some(offsets.into());
        self
    }

    /// Begins a new segment at each element whose key differs from the key of the previous element. There are as many
    /// keys as elements.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # use anywarp::ops::Scan;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let (keys, x) = (device.buffer_from(&[7i32, 7, 3, 3, 7])?, device.buffer_from(&[1.0f32; 5])?);
    /// let mut y = device.buffer::<f32>(5)?;
    /// Scan::sum().keys(&keys).run(&x, &mut y)?;
    /// assert_eq!(*y.read()?, [1.0, 2.0, 1.0, 2.0, 1.0]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn keys<K: ScanKey>(mut self, keys: impl Into<Slice<'r, K>>) -> Self {
        let key = ElementType::of(&K::layout());
        self.heads.keys = key.map(|key| (Array::new::<K>(keys.into()), key));
        self
    }

    /// Sets the form in which elements are processed, to compare the speed of forms; see [`ScanForm`]. The bits of
    /// float sums depend on the form.
    pub fn form(mut self, form: ScanForm) -> Self {
        self.form = Some(form);
        self
    }

    /// Appends the scan to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'r mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Scans on `stream`, in place of the device's default stream.
    ///
    /// ```
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open("cpu")?;
    /// # let mut x = device.buffer::<i32>(1000)?;
    /// let stream = device.stream();
    /// anywarp::ops::Scan::sum().on(&stream).run_in_place(&mut x)?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Sets the destination, for operators that are built on a scan.
    pub(crate) fn to(mut self, destination: Destination<'r>) -> Self {
        self.destination = destination;
        self
    }

    /// Scans `x` into `y`, which has the same length.
    ///
    /// On devices without [`Caps::aliased_bindings`](crate::backend::Caps::aliased_bindings), `y` must be in another
    /// buffer than `x` and the heads.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run<'x, 'y, T: ScanElement>(
        self,
        x: impl Into<Slice<'x, T>>,
        y: impl Into<SliceMut<'y, T>>,
    ) -> Result<(), OperationError> {
        let (x, y) = (x.into(), y.into());
        let likes = Likes { x: Some(Like::of(&x)), y: Like::of_mut(&y) };
        self.run_on::<T>(x.len(), Operands { x: Some(Array::new::<T>(x)), y: Array::new::<T>(y) }, likes)
    }

    /// Replaces the elements of `x` by their results.
    ///
    /// # Errors
    /// [`OperationError`]; in that case nothing has run.
    pub fn run_in_place<'x, T: ScanElement>(self, x: impl Into<SliceMut<'x, T>>) -> Result<(), OperationError> {
        let x = x.into();
        let likes = Likes { x: None, y: Like::of_mut(&x) };
        self.run_on::<T>(x.len(), Operands { x: None, y: Array::new::<T>(x) }, likes)
    }

    fn run_on<T: ScanElement>(
        mut self,
        length: usize,
        operands: Operands<'_>,
        likes: Likes<T>,
    ) -> Result<(), OperationError> {
        let shape = self.shape(length)?;
        let mut destination = std::mem::replace(&mut self.destination, Destination::Own);
        let (vectors, window) = (operands.vectors(), operands.window());
        let call = Call { vectors, window, ..self.call::<T>(&shape, operands.x.is_none()) };
        operands.check(&call, &shape, &destination)?;
        let device = Device::of(&operands.y.bound.core.device);
        let planned = self.planned(&call, &device);
        self.offer(&device.context, likes);
        operands.run(&call, &planned, &mut destination)
    }
}

const OPERATOR: Operator = Operator("scan");
