//! Data sets in memory.

use super::{Dataset, Fields, Lengths, LoaderError, ReadError, Slots};
use crate::element::Element;

/// Samples in memory: one `Vec` for each field, with the samples one after the other.
///
/// ```
/// use anywarp::loader::{InMemory, Loader};
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open("cpu")?;
/// let points = vec![0.0f32, 0.1, 1.0, 1.1, 2.0, 2.1]; // x and y of three points
/// let classes = vec![7u32, 8, 9];
/// let mut loader = Loader::builder(&device, InMemory::new((points, classes), [2, 1])?).batch_size(2).build()?;
/// for batch in loader.epoch(0) {
///     let batch = batch?;
///     let (points, classes) = batch.fields();
///     assert_eq!((points.len(), classes.len()), (2 * batch.len(), batch.len()));
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
///
/// [`csv`](Self::csv) reads the columns of a file, [`split_at`](Self::split_at) makes two data sets of one.
#[derive(Clone, Debug)]
pub struct InMemory<A: Arrays> {
    arrays: A,
    lengths: Lengths<A::Fields>,
    samples: usize,
}

impl<A: Arrays> InMemory<A> {
    /// Creates samples from these arrays, with `lengths` elements in each field: `InMemory::new(values, 3)` for one
    /// field, `InMemory::new((points, classes), [2, 1])` for two.
    ///
    /// # Errors
    /// [`LoaderError::Arrays`] for a sample of no elements, an array that ends within a sample, or arrays with
    /// different numbers of samples.
    pub fn new(arrays: A, lengths: Lengths<A::Fields>) -> Result<Self, LoaderError> {
        let samples = arrays.samples(lengths)?;
        Ok(Self { arrays, lengths, samples })
    }

    /// Splits the data set into its first `samples` samples and the others, for example to train and to test.
    ///
    /// ```
    /// use anywarp::loader::{Dataset, InMemory};
    ///
    /// # fn main() -> anywarp::Result<()> {
    /// let samples = InMemory::new((vec![0.0f32, 0.1, 1.0, 1.1, 2.0, 2.1], vec![7u32, 8, 9]), [2, 1])?;
    /// let (train, test) = samples.split_at(2)?;
    /// assert_eq!((train.len(), test.arrays().1.as_slice()), (2, &[9][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LoaderError::Arrays`] if there are fewer samples.
    pub fn split_at(mut self, samples: usize) -> Result<(Self, Self), LoaderError> {
        if samples > self.samples {
            let problem = format!("has {} samples, so it cannot be split at {samples}", self.samples);
            return Err(LoaderError::Arrays { field: 0, problem });
        }
        let (arrays, lengths) = (self.arrays.split_off(samples, self.lengths), self.lengths);
        let others = Self { arrays, lengths, samples: self.samples - samples };
        self.samples = samples;
        Ok((self, others))
    }

    /// The arrays of the fields, each with the samples one after the other.
    #[must_use]
    pub fn arrays(&self) -> &A {
        &self.arrays
    }

    /// Returns the arrays, for example to change them and create a data set again.
    #[must_use]
    pub fn into_arrays(self) -> A {
        self.arrays
    }
}

impl<A: Arrays> Dataset for InMemory<A> {
    type Fields = A::Fields;

    fn len(&self) -> usize {
        self.samples
    }

    fn lengths(&self) -> Lengths<A::Fields> {
        self.lengths
    }

    fn read(&self, index: usize, slots: Slots<'_, A::Fields>) -> Result<(), ReadError> {
        self.arrays.read(index, self.lengths, slots).ok_or_else(|| format!("there are {} samples", self.samples).into())
    }
}

/// The arrays of an [`InMemory`] data set: a `Vec`, or a tuple of up to six `Vec`s.
///
/// This trait is sealed.
pub trait Arrays: sealed::Sealed + Send + Sync + 'static {
    /// The element types of the arrays.
    type Fields: Fields;

    /// The number of samples.
    #[doc(hidden)]
    fn samples(&self, lengths: Lengths<Self::Fields>) -> Result<usize, LoaderError>;
    /// Removes the samples from number `at` on, and returns them. The arrays have at least `at` samples.
    #[doc(hidden)]
    #[must_use]
    fn split_off(&mut self, at: usize, lengths: Lengths<Self::Fields>) -> Self;
    /// Copies a sample; `None` if there is no such sample.
    #[doc(hidden)]
    fn read(&self, index: usize, lengths: Lengths<Self::Fields>, slots: Slots<'_, Self::Fields>) -> Option<()>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Element> sealed::Sealed for Vec<T> {}

impl<T: Element> Arrays for Vec<T> {
    type Fields = T;

    fn samples(&self, length: usize) -> Result<usize, LoaderError> {
        counted(0, self.len(), length, None)
    }

    fn split_off(&mut self, at: usize, length: usize) -> Self {
        // `Vec::split_off` counts elements, not samples.
        Vec::split_off(self, at * length)
    }

    fn read(&self, index: usize, length: usize, slot: &mut [T]) -> Option<()> {
        copy(self, index, length, slot)
    }
}

/// The number of samples of the array of one field; `before` is the number of samples of the fields before it.
fn counted(field: usize, elements: usize, length: usize, before: Option<usize>) -> Result<usize, LoaderError> {
    let wrong = |problem: String| LoaderError::Arrays { field, problem };
    let (Some(samples), Some(rest)) = (elements.checked_div(length), elements.checked_rem(length)) else {
        return Err(wrong("has 0 elements per sample; a sample needs at least one in each field".to_owned()));
    };
    if rest != 0 {
        return Err(wrong(format!("has {elements} elements, not a whole number of samples of {length} elements")));
    }
    match before {
        Some(before) if before != samples => {
            Err(wrong(format!("has {samples} samples ({elements} elements, {length} each), field 0 has {before}")))
        }
        _ => Ok(samples),
    }
}

fn copy<T: Element>(array: &[T], index: usize, length: usize, slot: &mut [T]) -> Option<()> {
    let start = index.checked_mul(length)?;
    let sample = array.get(start..start.checked_add(length)?)?;
    slot.get_mut(..length)?.copy_from_slice(sample);
    Some(())
}

macro_rules! tuples {
    ($($($field:ident $at:tt),+;)*) => {$(
        impl<$($field: Element),+> sealed::Sealed for ($(Vec<$field>,)+) {}

        impl<$($field: Element),+> Arrays for ($(Vec<$field>,)+) {
            type Fields = ($($field,)+);

            fn samples(&self, lengths: Lengths<Self::Fields>) -> Result<usize, LoaderError> {
                let mut samples = None;
                $(samples = samples.or(Some(counted($at, self.$at.len(), lengths[$at], samples)?));
                counted($at, self.$at.len(), lengths[$at], samples)?;)+
                Ok(samples.unwrap_or_default())
            }

            fn split_off(&mut self, at: usize, lengths: Lengths<Self::Fields>) -> Self {
                ($(Vec::split_off(&mut self.$at, at * lengths[$at]),)+)
            }

            fn read(
                &self,
                index: usize,
                lengths: Lengths<Self::Fields>,
                slots: Slots<'_, Self::Fields>,
            ) -> Option<()> {
                $(copy(&self.$at, index, lengths[$at], slots.$at)?;)+
                Some(())
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, G 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_do_not_fit_are_named() {
        let error = |result: Result<usize, LoaderError>| result.unwrap_err().to_string();
        assert_eq!(vec![1.0f32; 6].samples(3).unwrap(), 2);
        assert_eq!(Vec::<u32>::new().samples(3).unwrap(), 0);
        assert_eq!(
            error(vec![1.0f32; 7].samples(3)),
            "field 0 has 7 elements, not a whole number of samples of 3 elements"
        );
        assert!(error(vec![1.0f32; 7].samples(0)).contains("at least one"));
        let pair = (vec![1.0f32; 6], vec![1u32; 4]);
        assert_eq!(pair.samples([3, 2]).unwrap(), 2);
        assert_eq!(error(pair.samples([3, 1])), "field 1 has 4 samples (4 elements, 1 each), field 0 has 2");
    }

    #[test]
    fn samples_are_copied() {
        let data = InMemory::new((vec![1.0f32, 2.0, 3.0, 4.0], vec![7u32, 8]), [2, 1]).unwrap();
        let (mut point, mut class) = ([0.0f32; 2], [0u32]);
        data.read(1, (&mut point, &mut class)).unwrap();
        assert_eq!((point, class), ([3.0, 4.0], [8]));
        for index in [2, usize::MAX] {
            let error = data.read(index, (&mut point, &mut class)).unwrap_err().to_string();
            assert_eq!(error, "there are 2 samples");
        }
        assert_eq!(data.into_arrays().1, [7, 8]);
    }

    #[test]
    fn both_parts_have_their_samples() {
        let data = || InMemory::new((vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], vec![7u32, 8, 9]), [2, 1]).unwrap();
        for at in 0..=3 {
            let (first, second) = data().split_at(at).unwrap();
            assert_eq!((first.len(), second.len()), (at, 3 - at));
            assert_eq!([&first.arrays().0[..], &second.arrays().0[..]].concat(), data().arrays().0);
            assert_eq!(first.arrays().1, &data().arrays().1[..at]);
        }
        let error = data().split_at(4).unwrap_err().to_string();
        assert_eq!(error, "field 0 has 3 samples, so it cannot be split at 4");
        assert_eq!(InMemory::new(vec![1u32; 4], 2).unwrap().split_at(1).unwrap().1.arrays(), &[1, 1]);
    }
}
