//! Simpler forms of vectors, and of accesses to components and elements.

use naga::{ArraySize, Expression, Handle, Literal, TypeInner};
use smallvec::SmallVec;

use super::super::rewrite::Rewriter;
use super::Simpler;

impl Rewriter<'_> {
    /// Replaces constant vectors among the components of a vector by scalars: naga writes invalid SPIR-V for vectors
    /// that are composed of constant vectors.
    pub(super) fn simpler_vector(
        &mut self,
        ty: Handle<naga::Type>,
        scalar: naga::Scalar,
        components: &[Handle<Expression>],
    ) -> Simpler {
        let mut scalars = Vec::with_capacity(4);
        for component in components {
            let expression = self.writer.function.expressions[*component].clone();
            match expression {
                Expression::Compose { components, .. } => scalars.extend(components),
                Expression::Splat { size, value } => scalars.extend(std::iter::repeat_n(value, size as usize)),
                Expression::ZeroValue(_) | Expression::Constant(_) if self.lanes(*component) > 0 => {
                    for at in 0..self.lanes(*component) {
                        let literal = match expression {
                            Expression::ZeroValue(_) => Literal::zero(scalar),
                            _ => self.constant_component(*component, at).and_then(|found| {
                                match self.module.global_expressions[found] {
                                    Expression::Literal(literal) => Some(literal),
                                    Expression::ZeroValue(_) => Literal::zero(scalar),
                                    _ => None,
                                }
                            }),
                        };
                        let Some(literal) = literal else { return Simpler::No };
                        scalars.push(self.free(Expression::Literal(literal), naga::Span::default()));
                    }
                }
                _ => scalars.push(*component),
            }
        }
        if scalars.len() == components.len() {
            return Simpler::No;
        }
        Simpler::Other(Expression::Compose { ty, components: scalars })
    }

    /// The number of components of an expression of the new function that is a constant vector or a zero value; 0 for
    /// other expressions.
    fn lanes(&self, constant: Handle<Expression>) -> usize {
        let ty = match self.writer.function.expressions[constant] {
            Expression::ZeroValue(ty) => ty,
            Expression::Constant(constant) => self.module.constants[constant].ty,
            _ => return 0,
        };
        match self.module.types[ty].inner {
            TypeInner::Vector { size, .. } => size as usize,
            _ => 0,
        }
    }

    pub(super) fn simpler_access(
        &mut self,
        old: Handle<Expression>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Simpler {
        let Some(literal) = self.literal(index) else { return Simpler::No };
        let Expression::Access { base: old_base, .. } = self.source.expressions[old] else { return Simpler::No };
        let length = |inner: &TypeInner| match *inner {
            TypeInner::Vector { size, .. } | TypeInner::ValuePointer { size: Some(size), .. } => Some(size as u32),
            TypeInner::Matrix { columns, .. } => Some(columns as u32),
            TypeInner::Array { size: ArraySize::Constant(size), .. } => Some(size.get()),
            _ => None,
        };
        let length = match *self.types.get(old_base, &self.module.types) {
            TypeInner::Pointer { base, .. } => length(&self.module.types[base].inner),
            ref inner => length(inner),
        };
        match self.index(literal, length) {
            Some(index) => Simpler::Other(Expression::AccessIndex { base, index }),
            // naga rejects a negative constant index. Its bits as an unsigned number are also out of range.
            None => match literal {
                Literal::I32(number @ ..0) => {
                    let span = self.source.expressions.get_span(old);
                    let index = self.free(Expression::Literal(Literal::U32(number.cast_unsigned())), span);
                    Simpler::Other(Expression::Access { base, index })
                }
                _ => Simpler::No,
            },
        }
    }

    pub(super) fn simpler_component(&self, old: Handle<Expression>, base: Handle<Expression>, index: u32) -> Simpler {
        let at = index as usize;
        match &self.writer.function.expressions[base] {
            Expression::Compose { ty, components } => {
                let whole = match &self.module.types[*ty].inner {
                    TypeInner::Vector { size, .. } => *size as usize,
                    _ => components.len(),
                };
                match components.get(at) {
                    // A vector that is composed of vectors has fewer operands than components.
                    Some(component) if components.len() == whole => Simpler::Same(*component),
                    _ => Simpler::No,
                }
            }
            Expression::Splat { value, .. } => Simpler::Same(*value),
            Expression::Swizzle { vector, pattern, .. } => match pattern.get(at) {
                Some(component) => Simpler::Other(Expression::AccessIndex { base: *vector, index: *component as u32 }),
                None => Simpler::No,
            },
            Expression::ZeroValue(_) => match self.scalar(old).and_then(Literal::zero) {
                Some(literal) => Simpler::Literal(literal),
                None => Simpler::No,
            },
            Expression::Constant(_) | Expression::AccessIndex { .. } => {
                let global = &self.module.global_expressions;
                match self.constant_component(base, at).map(|found| &global[found]) {
                    Some(Expression::Literal(literal)) => Simpler::Literal(*literal),
                    Some(Expression::ZeroValue(_)) => self.scalar(old).and_then(Literal::zero).into(),
                    _ => Simpler::No,
                }
            }
            _ => Simpler::No,
        }
    }

    /// A component of a constant, or of a component of a constant; `None` for other expressions.
    fn constant_component(&self, base: Handle<Expression>, at: usize) -> Option<Handle<Expression>> {
        let global = &self.module.global_expressions;
        let mut path: SmallVec<[usize; 4]> = SmallVec::from_slice(&[at]);
        let mut base = base;
        let mut found = loop {
            match self.writer.function.expressions[base] {
                Expression::AccessIndex { base: outer, index } if path.len() < 8 => {
                    path.push(index as usize);
                    base = outer;
                }
                Expression::Constant(constant) => break self.module.constants[constant].init,
                _ => return None,
            }
        };
        while let Some(at) = path.pop() {
            found = match &global[found] {
                Expression::Compose { ty, components } => match self.module.types[*ty].inner {
                    // A vector that is composed of vectors has fewer operands than components.
                    TypeInner::Vector { size, .. } if size as usize != components.len() => return None,
                    _ => *components.get(at)?,
                },
                Expression::Splat { value, .. } => *value,
                Expression::Constant(constant) => {
                    path.push(at);
                    self.module.constants[*constant].init
                }
                Expression::ZeroValue(_) => return Some(found),
                _ => return None,
            };
        }
        Some(found)
    }
}
