//! Cooperative matrices: loads, stores and products.

use naga::proc::index::GuardedIndex;
use naga::{AddressSpace, CooperativeData, Expression, Handle, TypeInner, VectorSize};

use super::access::{Place, Pointee, Purpose};
use super::error::{Result, TranslateError};
use super::expr::bare;
use super::writer::FunctionWriter;

/// The array in memory that contains a matrix.
struct Tile {
    array: Place,
    /// The number of scalars in an element of the array.
    width: u32,
    /// Whether the array is a whole workgroup variable.
    shared: bool,
    /// The arguments of the load or store: address, number of elements, first element, stride, and whether the stride
    /// is between rows.
    arguments: String,
}

impl FunctionWriter<'_, '_> {
    /// Returns a matrix loaded from memory.
    pub(super) fn cooperative_load(&mut self, handle: Handle<Expression>, data: &CooperativeData) -> Result<String> {
        let tile = self.tile(data, Purpose::Read)?;
        let ty = self.m.resolved_name(&self.info[handle].ty);
        Ok(format!("aw_coopLoad<{ty}, {}, {}>({})", tile.shared, tile.width, tile.arguments))
    }

    /// Writes a store of a matrix to memory.
    pub(super) fn cooperative_store(&mut self, target: Handle<Expression>, data: &CooperativeData) -> Result<()> {
        let value = self.value(target)?;
        let tile = self.tile(data, Purpose::Change)?;
        let line = tile.array.guarded(&format!("aw_coopStore<{}>({}, {})", tile.width, bare(&value), tile.arguments));
        self.line(&line);
        Ok(())
    }

    /// Returns `a * b + c`.
    pub(super) fn multiply_add(
        &mut self,
        a: Handle<Expression>,
        b: Handle<Expression>,
        c: Handle<Expression>,
    ) -> Result<String> {
        let (a, b, c) = (self.value(a)?, self.value(b)?, self.value(c)?);
        Ok(format!("aw_coopMultiplyAdd({}, {}, {})", bare(&a), bare(&b), bare(&c)))
    }

    fn tile(&mut self, data: &CooperativeData, purpose: Purpose) -> Result<Tile> {
        let not_an_array = || TranslateError::unsupported("a cooperative matrix that is not in an array of numbers");
        let (base, index) = match self.function.expressions[data.pointer] {
            Expression::Access { base, index } => (base, GuardedIndex::Expression(index)),
            Expression::AccessIndex { base, index } => (base, GuardedIndex::Known(index)),
            _ => return Err(not_an_array()),
        };
        let Pointee::Type(ty) = self.pointee(base)? else { return Err(not_an_array()) };
        let TypeInner::Array { size, .. } = self.m.module.types[ty].inner else { return Err(not_an_array()) };
        let Pointee::Type(element) = self.pointee(data.pointer)? else { return Err(not_an_array()) };
        let width = match self.m.module.types[element].inner {
            TypeInner::Scalar(_) => 1,
            // Vectors of three have a gap after each element.
            TypeInner::Vector { size, .. } if size != VectorSize::Tri => size as u32,
            _ => return Err(not_an_array()),
        };
        let array = self.place(base, purpose)?;
        let length = self.m.length(size);
        let is_within = length.is_some_and(|length| self.is_within(data, index, length, width));
        let count = match (self.m.checked && !is_within, length, &array.count) {
            (false, ..) => "0xffffffffu".to_owned(),
            (true, Some(length), _) => format!("{length}u"),
            (true, None, Some(count)) => count.clone(),
            (true, None, None) => return Err(TranslateError::invalid("an unsized array outside of a binding")),
        };
        let (first, _) = self.index(data.pointer, index, None)?;
        let stride = self.value(data.stride)?;
        let shared = array.space == AddressSpace::WorkGroup
            && matches!(self.function.expressions[base], Expression::GlobalVariable(_));
        let arguments = format!("&{}[0], {count}, {}, {}, {}", array.text, bare(&first), bare(&stride), data.row_major);
        Ok(Tile { array, width, shared, arguments })
    }

    /// Returns whether the bounds of index and stride show that the whole matrix is within an array of constant length.
    fn is_within(&self, data: &CooperativeData, index: GuardedIndex, length: u32, width: u32) -> bool {
        let first = match index {
            GuardedIndex::Known(index) => Some(index),
            GuardedIndex::Expression(index) => self.greatest(index),
        };
        let bound = |first: u32, stride: u32| {
            // A matrix has at most sixteen lines of sixteen scalars.
            let last = (u64::from(first) + 15 * u64::from(stride)) * u64::from(width) + 15;
            last < u64::from(length) * u64::from(width)
        };
        first.zip(self.greatest(data.stride)).is_some_and(|(first, stride)| bound(first, stride))
    }
}
