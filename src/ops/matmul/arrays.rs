//! The arrays of a product as kernels take them.

use std::ops::Range;

use super::super::error::OperationError;
use super::run::Operands;
use super::{MatmulElement, OPERATOR};
use crate::buffer::cells::{cells, cells_mut, words, words_mut};
use crate::buffer::{Slice, SliceMut, UnifiedBuffer};
use crate::element::Element;

/// An array that is read, and the number of its first element.
pub(super) type Read<'a, C> = (Slice<'a, C>, u32);

/// The arrays as a kernel takes them, each with the number of its first element: factors in cells `F`, others in `C`.
pub(super) struct Cells<'a, F, C> {
    pub(super) a: Read<'a, F>,
    pub(super) b: Read<'a, F>,
    pub(super) c: (SliceMut<'a, C>, u32),
    pub(super) bias: Read<'a, C>,
    pub(super) residual: Read<'a, C>,
    /// Whether `c` is the memory of sums, where lines follow each other directly.
    pub(super) holds_sums: bool,
}

/// A function that returns an array in cells.
pub(super) type InCells<'a, T, C> = fn(&'static str, &Slice<'a, T>) -> Result<Read<'a, C>, OperationError>;

impl<'o, T: MatmulElement, R: MatmulElement> Operands<'o, '_, '_, T, R> {
    /// The arrays in cells. The kernel does not read an array that the caller did not give.
    pub(super) fn arrays<F, C>(
        &'o self,
        factor: InCells<'o, T, F>,
        (spare, result): (InCells<'o, T, C>, InCells<'o, R, C>),
        c: (SliceMut<'o, C>, u32),
    ) -> Result<Cells<'o, F, C>, OperationError> {
        let (a, b): (Slice<'o, T>, Slice<'o, T>) = (self.a, self.b);
        let read = |name, array: &Option<Slice<'o, R>>| match array {
            Some(array) => result(name, array),
            None => spare(name, &a),
        };
        Ok(Cells {
            a: factor("a", &a)?,
            b: factor("b", &b)?,
            c,
            bias: read("bias", &self.bias)?,
            residual: read("residual", &self.residual)?,
            holds_sums: false,
        })
    }

    /// [`arrays`](Self::arrays) in cells of 4 bytes, with the memory of sums in place of `c`.
    pub(super) fn arrays_of_sums<F>(
        &'o self,
        factor: InCells<'o, T, F>,
        sums: SliceMut<'o, f32>,
    ) -> Result<Cells<'o, F, f32>, OperationError> {
        let cells = self.arrays(factor, (in_cells, in_cells), (sums, 0))?;
        Ok(Cells { holds_sums: true, ..cells })
    }

    /// The memory of sums, or the result in `f32` where there is none.
    pub(super) fn sums_or_result<F>(
        &'o self,
        factor: InCells<'o, T, F>,
        sums: Option<&'o mut UnifiedBuffer<f32>>,
    ) -> Result<Cells<'o, F, f32>, OperationError> {
        match sums {
            Some(sums) => self.arrays_of_sums(factor, sums.slice_mut(..)),
            None => self.arrays(factor, (in_cells, in_cells), self.result()?),
        }
    }

    /// The result in cells of 4 bytes.
    pub(super) fn result<C: Element>(&'o self) -> Result<(SliceMut<'o, C>, u32), OperationError> {
        cells_mut(&self.c).map_err(OPERATOR.slice("c"))
    }

    /// The result in cells of four elements, at whose multiples it begins.
    pub(super) fn result_in_fours(&'o self) -> Result<(SliceMut<'o, [R; 4]>, u32), OperationError>
    where
        [R; 4]: Element,
    {
        let (c, before) = words_mut(&self.c, in_whole_words(&self.c.as_slice())).map_err(OPERATOR.slice("c"))?;
        Ok((c, before * 4))
    }
}

/// An array in cells of 4 bytes.
pub(super) fn in_cells<'a, T: Element, C: Element>(
    argument: &'static str,
    array: &Slice<'a, T>,
) -> Result<Read<'a, C>, OperationError> {
    cells(array).map_err(OPERATOR.slice(argument))
}

/// An array in cells of four elements, at whose multiples it begins.
pub(super) fn in_fours<'a, T: Element, C: Element>(
    argument: &'static str,
    array: &Slice<'a, T>,
) -> Result<Read<'a, C>, OperationError> {
    let (cells, before) = words(array, in_whole_words(array)).map_err(OPERATOR.slice(argument))?;
    Ok((cells, before * 4))
}

/// The words of an array of whole ones.
fn in_whole_words<T: Element>(array: &Slice<'_, T>) -> Range<u64> {
    0..(array.len() * size_of::<T>()) as u64 / 4
}
