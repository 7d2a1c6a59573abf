//! The types of samples.

use super::super::super::error::OperationError;
use super::super::super::plan::Cost;
use super::super::element::ComplexElement;
use super::super::element::sealed::Complex;
use super::super::plan::half;
use super::super::real::RealFft;
use super::super::tables::FftTables;
use super::super::{Fft, FftNorm};
use crate::buffer::{Slice, SliceMut};
use crate::device::Device;
use crate::element::Element;
use crate::submit::Destination;

/// The samples of signals: `f32` and complex `[f32; 2]` on every device, `f64` and `[f64; 2]` where the device has `f64`
/// ([`Caps::shader`](crate::backend::Caps::shader)).
///
/// ```
/// fn is_signal<T: anywarp::ops::SignalElement>() {}
/// is_signal::<f32>();
/// is_signal::<[f64; 2]>();
/// ```
pub trait SignalElement: Element + sealed::Signal {}

impl<T: Element + sealed::Signal> SignalElement for T {}

/// The transforms of the products of a window and signals: their number, their length, and the tables of roots.
pub struct Transforms<'a, T: sealed::Signal> {
    pub(super) rows: [usize; 2],
    pub(super) tables: &'a FftTables<T::Complex>,
}

pub(crate) mod sealed {
    use super::*;

    /// A sample of a signal.
    pub trait Signal: Element {
        /// The complex numbers of transforms.
        type Complex: ComplexElement + Complex;

        /// Whether samples are complex.
        const PAIRS: bool;

        /// The results of a transform of `length` samples.
        fn frequencies(length: usize) -> usize;

        /// The cost of the transforms.
        fn cost(all: &Transforms<'_, Self>, device: &Device) -> Result<Cost, OperationError>;

        /// Compiles the kernels of the transforms.
        fn prepare(all: &Transforms<'_, Self>, device: &Device, inverse: bool) -> Result<(), OperationError>;

        /// Computes the transforms.
        fn forward(
            all: &Transforms<'_, Self>,
            x: Slice<'_, Self>,
            y: SliceMut<'_, Self::Complex>,
            destination: Destination<'_>,
        ) -> Result<(), OperationError>;

        /// Computes the inverse transforms.
        fn inverse(
            all: &Transforms<'_, Self>,
            x: Slice<'_, Self::Complex>,
            y: SliceMut<'_, Self>,
            destination: Destination<'_>,
        ) -> Result<(), OperationError>;
    }
}

macro_rules! signals {
    ($($real:ty),*) => {$(
        impl sealed::Signal for $real {
            type Complex = [$real; 2];

            const PAIRS: bool = false;

            fn frequencies(length: usize) -> usize {
                half(length as u64) as usize
            }

            fn cost(all: &Transforms<'_, Self>, device: &Device) -> Result<Cost, OperationError> {
                RealFft::new(all.rows).axes([1]).tables(all.tables).cost(device)
            }

            fn prepare(all: &Transforms<'_, Self>, device: &Device, inverse: bool) -> Result<(), OperationError> {
                RealFft::new(all.rows).axes([1]).tables(all.tables).prepare(device, inverse)
            }

            fn forward(
                all: &Transforms<'_, Self>,
                x: Slice<'_, Self>,
                y: SliceMut<'_, Self::Complex>,
                destination: Destination<'_>,
            ) -> Result<(), OperationError> {
                RealFft::new(all.rows).axes([1]).tables(all.tables).to(destination).run(x, y)
            }

            fn inverse(
                all: &Transforms<'_, Self>,
                x: Slice<'_, Self::Complex>,
                y: SliceMut<'_, Self>,
                destination: Destination<'_>,
            ) -> Result<(), OperationError> {
                RealFft::new(all.rows).axes([1]).tables(all.tables).to(destination).inverse(x, y)
            }
        }

        impl sealed::Signal for [$real; 2] {
            type Complex = Self;

            const PAIRS: bool = true;

            fn frequencies(length: usize) -> usize {
                length
            }

            fn cost(all: &Transforms<'_, Self>, device: &Device) -> Result<Cost, OperationError> {
                complex(all, false).cost(device)
            }

            fn prepare(all: &Transforms<'_, Self>, device: &Device, inverse: bool) -> Result<(), OperationError> {
                complex(all, inverse).prepare(device)
            }

            fn forward(
                all: &Transforms<'_, Self>,
                x: Slice<'_, Self>,
                y: SliceMut<'_, Self::Complex>,
                destination: Destination<'_>,
            ) -> Result<(), OperationError> {
                complex(all, false).to(destination).run(x, y)
            }

            fn inverse(
                all: &Transforms<'_, Self>,
                x: Slice<'_, Self::Complex>,
                y: SliceMut<'_, Self>,
                destination: Destination<'_>,
            ) -> Result<(), OperationError> {
                complex(all, true).to(destination).run(x, y)
            }
        }
    )*};
}

signals!(f32, f64);

/// The transform of complex rows.
fn complex<'a, T>(all: &Transforms<'a, T>, inverse: bool) -> Fft<'a, T>
where
    T: sealed::Signal<Complex = T> + ComplexElement,
{
    let fft = Fft::new(all.rows).axes([1]).norm(FftNorm::Backward).tables(all.tables);
    if inverse { fft.inverse() } else { fft }
}
