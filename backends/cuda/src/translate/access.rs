//! Access to memory: pointers as lvalues, with the checks that keep every access inside its variable.
//!
//! A pointer is never a value in the CUDA C++: each use writes the pointer's access chain again, with the values that
//! the indices had when the pointer was made.

mod bounds;
mod place;
#[cfg(test)]
mod tests;

use naga::{AddressSpace, Expression, Handle, Scalar, Type, TypeInner, VectorSize};

use super::error::{Result, TranslateError};
use super::expr::{Text, bare, is_cheap};
use super::writer::FunctionWriter;
use place::is_own;
pub(super) use place::{Place, Purpose};

/// The type that a pointer points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pointee {
    Type(Handle<Type>),
    /// A vector or one of its components, for which the module may have no type.
    Part(Option<VectorSize>, Scalar),
}

impl<'a> FunctionWriter<'a, '_> {
    /// Writes a store. The value is evaluated first, and stored if all indices are in range.
    pub(super) fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<()> {
        if self.store_component(pointer, value)? {
            return Ok(());
        }
        let value = self.value(value)?;
        let place = self.place(pointer, Purpose::Change)?;
        let action = if self.atomic_scalar(pointer)?.is_some() {
            format!("aw_atomicStore({}, {})", place.address(), bare(&value))
        } else if self.in_words(pointer, &place)? {
            format!("aw_put({}, {})", bare(&place.text), bare(&value))
        } else {
            format!("{} = {}", bare(&place.text), bare(&value))
        };
        self.line(&place.guarded(&action));
        Ok(())
    }

    /// Writes a store to a component, chosen at run time, of a vector in a private or local variable. Each component is
    /// replaced conditionally, so that no component needs an address. Returns whether `pointer` is such a component; if
    /// not, nothing is written.
    fn store_component(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<bool> {
        let Expression::Access { base, index } = self.function.expressions[pointer] else { return Ok(false) };
        let Pointee::Type(ty) = self.pointee(base)? else { return Ok(false) };
        let TypeInner::Vector { size, .. } = self.m.module.types[ty].inner else { return Ok(false) };
        let vector = self.place(base, Purpose::Change)?;
        if !is_own(vector.space) || !is_cheap(&vector.text) {
            return Ok(false);
        }
        self.name(value);
        let (index, value) = (self.value(index)?, self.value(value)?);
        for component in 0..size as u32 {
            let place = format!("{}.{}", vector.text, component_name(component)?);
            self.line(&format!("{place} = {index} == {component} ? {value} : {place};"));
        }
        Ok(true)
    }

    /// Returns the value that a pointer refers to.
    pub(super) fn load(&mut self, pointer: Handle<Expression>) -> Result<Text> {
        if let Some(scalar) = self.atomic_scalar(pointer)? {
            let place = self.place(pointer, Purpose::Change)?;
            let call = format!("aw_atomicLoad({})", place.address());
            let zero = format!("{}(0)", self.m.inner_name(&TypeInner::Scalar(scalar)));
            return Ok(either(place.test(), call, &zero));
        }
        let place = self.place(pointer, Purpose::Read)?;
        let zero = match self.pointee(pointer)? {
            Pointee::Type(ty) => self.m.type_name(ty),
            Pointee::Part(Some(size), scalar) => self.m.inner_name(&TypeInner::Vector { size, scalar }),
            Pointee::Part(None, scalar) => self.m.inner_name(&TypeInner::Scalar(scalar)),
        };
        let value = if self.in_words(pointer, &place)? {
            format!("aw_fetch({})", bare(&place.text))
        } else {
            place.text.clone()
        };
        Ok(either(place.test(), value, &format!("{zero}{{}}")))
    }

    /// Returns whether a vector is loaded and stored in whole words: a vector of two or four `f16` in memory. Otherwise
    /// the compiler would move each `f16` alone, and pack the values again.
    fn in_words(&self, pointer: Handle<Expression>, place: &Place) -> Result<bool> {
        let (size, scalar) = match self.pointee(pointer)? {
            Pointee::Type(ty) => match self.m.module.types[ty].inner {
                TypeInner::Vector { size, scalar } => (size, scalar),
                _ => return Ok(false),
            },
            Pointee::Part(Some(size), scalar) => (size, scalar),
            Pointee::Part(None, _) => return Ok(false),
        };
        let is_memory = matches!(place.space, AddressSpace::WorkGroup | AddressSpace::Storage { .. });
        Ok(is_memory && scalar == Scalar::F16 && size != VectorSize::Tri)
    }

    /// Writes a `workgroupUniformLoad`: a load by all invocations of the workgroup, between two barriers.
    pub(super) fn workgroup_uniform_load(
        &mut self,
        pointer: Handle<Expression>,
        result: Handle<Expression>,
    ) -> Result<()> {
        self.line("__syncthreads();");
        let value = self.load(pointer)?;
        self.declare(result, &value.text);
        self.line("__syncthreads();");
        Ok(())
    }

    /// Returns a pointer as the argument of a call: its address, and the number of elements if its type is or ends in
    /// an unsized array.
    ///
    /// If an index is out of range, the argument points to a copy of the last element, so that changes are lost. For a
    /// type with atomics, which cannot be copied, the argument is null.
    pub(super) fn pointer_argument(&mut self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer, Purpose::Change)?;
        let Pointee::Type(ty) = self.pointee(pointer)? else {
            return Err(TranslateError::unsupported("a pointer to a component of a vector as an argument"));
        };
        if let Some(count) = &place.count
            && self.m.unsized_tail(ty).is_some()
        {
            let is_array = matches!(self.m.module.types[ty].inner, TypeInner::Array { .. });
            return Ok(if is_array {
                format!("{}, {count}", place.text)
            } else {
                format!("{}, {count}", place.address())
            });
        }
        let Some(test) = place.test() else { return Ok(place.address()) };
        if self.has_atomics(ty) {
            return Ok(format!("{test} ? {} : nullptr", place.address()));
        }
        let copy = self.place(pointer, Purpose::Read)?;
        let name = self.m.names.fresh("spare", &mut self.scope);
        let line = format!("{} {name} = {};", self.m.type_name(ty), copy.text);
        self.line(&line);
        Ok(format!("{test} ? {} : &{name}", place.address()))
    }

    /// Returns the number of elements of an unsized array.
    pub(super) fn array_length(&mut self, pointer: Handle<Expression>) -> Result<String> {
        let place = self.place(pointer, Purpose::Read)?;
        place.count.ok_or_else(|| TranslateError::invalid("the length of an expression that is not an unsized array"))
    }

    /// Returns the type that a pointer points to.
    pub(super) fn pointee(&self, pointer: Handle<Expression>) -> Result<Pointee> {
        match *self.type_of(pointer) {
            TypeInner::Pointer { base, .. } => Ok(Pointee::Type(base)),
            TypeInner::ValuePointer { size, scalar, .. } => Ok(Pointee::Part(size, scalar)),
            _ => Err(TranslateError::unsupported("a value of this type where a pointer is expected")),
        }
    }

    /// Returns the scalar type of an atomic that a pointer refers to; `None` for other pointers.
    pub(super) fn atomic_scalar(&self, pointer: Handle<Expression>) -> Result<Option<Scalar>> {
        Ok(match self.pointee(pointer)? {
            Pointee::Type(ty) => match self.m.module.types[ty].inner {
                TypeInner::Atomic(scalar) => Some(scalar),
                _ => None,
            },
            Pointee::Part(..) => None,
        })
    }

    /// Returns whether values of a type contain an atomic.
    fn has_atomics(&self, ty: Handle<Type>) -> bool {
        match &self.m.module.types[ty].inner {
            TypeInner::Atomic(_) => true,
            TypeInner::Array { base, .. } => self.has_atomics(*base),
            TypeInner::Struct { members, .. } => members.iter().any(|member| self.has_atomics(member.ty)),
            _ => false,
        }
    }

    /// Returns the type of an expression.
    pub(super) fn type_of(&self, handle: Handle<Expression>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.m.module.types)
    }
}

/// Returns the name of a component of a vector.
pub(super) fn component_name(index: u32) -> Result<char> {
    ['x', 'y', 'z', 'w']
        .get(index as usize)
        .copied()
        .ok_or_else(|| TranslateError::invalid("a component that a vector does not have"))
}

/// Returns an expression with the given value if the test holds, otherwise with the value `zero`.
pub(super) fn either(test: Option<String>, value: String, zero: &str) -> Text {
    match test {
        Some(test) => Text::loose(format!("{test} ? {value} : {zero}")),
        None => Text::tight(value),
    }
}
