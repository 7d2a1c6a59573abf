//! Cooperative matrices: loads, stores and products.

use naga::proc::index::GuardedIndex;
use naga::{CooperativeData, Expression, Handle, TypeInner};

use super::access::{Place, Pointee, Purpose};
use super::error::{Result, TranslateError};
use super::expr::bare;
use super::writer::FunctionWriter;

/// The array that contains a matrix.
struct Tile {
    array: Place,
    /// Address, number of elements, first element, stride, and whether the stride is between rows.
    arguments: String,
}

impl FunctionWriter<'_, '_> {
    /// Returns a matrix loaded from memory.
    pub(super) fn cooperative_load(&mut self, handle: Handle<Expression>, data: &CooperativeData) -> Result<String> {
        let tile = self.tile(data, Purpose::Read)?;
        let ty = self.m.resolved_name(&self.info[handle].ty);
        Ok(format!("aw_coopLoad<{ty}>({})", tile.arguments))
    }

    /// Writes the store of a matrix.
    pub(super) fn cooperative_store(&mut self, target: Handle<Expression>, data: &CooperativeData) -> Result<()> {
        let value = self.value(target)?;
        let tile = self.tile(data, Purpose::Change)?;
        let line = tile.array.guarded(&format!("aw_coopStore({}, {})", bare(&value), tile.arguments));
        self.line(&line);
        Ok(())
    }

    /// `a * b + c`
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
        let not_an_array = || TranslateError::unsupported("a cooperative matrix that is not in an array of scalars");
        let (base, index) = match self.function.expressions[data.pointer] {
            Expression::Access { base, index } => (base, GuardedIndex::Expression(index)),
            Expression::AccessIndex { base, index } => (base, GuardedIndex::Known(index)),
            _ => return Err(not_an_array()),
        };
        let Pointee::Type(ty) = self.pointee(base)? else { return Err(not_an_array()) };
        let TypeInner::Array { size, .. } = self.m.module.types[ty].inner else { return Err(not_an_array()) };
        if !matches!(self.pointee(data.pointer)?, Pointee::Type(element)
            if matches!(self.m.module.types[element].inner, TypeInner::Scalar(_)))
        {
            return Err(not_an_array());
        }
        let array = self.place(base, purpose)?;
        let count = match (self.m.checked, self.m.length(size), &array.count) {
            (false, ..) => "0xffffffffu".to_owned(),
            (true, Some(length), _) => format!("{length}u"),
            (true, None, Some(count)) => count.clone(),
            (true, None, None) => return Err(TranslateError::invalid("an unsized array outside of a binding")),
        };
        let (first, _) = self.index(data.pointer, index, None)?;
        let stride = self.value(data.stride)?;
        let arguments = format!("&{}[0], {count}, {}, {}, {}", array.text, bare(&first), bare(&stride), data.row_major);
        Ok(Tile { array, arguments })
    }
}
