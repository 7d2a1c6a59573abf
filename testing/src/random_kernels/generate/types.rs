//! Types.

use super::Generator;
use crate::random_kernels::ast::{Scalar, Type};

impl Generator {
    pub(super) fn scalar(&mut self, shareable: bool) -> Scalar {
        match self.random.below(if shareable { 8 } else { 9 }) {
            0..3 => Scalar::U32,
            3..6 => Scalar::I32,
            6..8 => Scalar::F32,
            _ => Scalar::Bool,
        }
    }

    /// A random scalar or vector type; without booleans if `shareable`.
    pub(super) fn numeric(&mut self, shareable: bool) -> Type {
        let scalar = self.scalar(shareable);
        let width = *self.random.pick(&[1, 1, 1, 2, 3, 4]);
        Type::vector(scalar, width)
    }

    /// A random type that a variable can have; one that buffers may contain if `shareable`.
    pub(super) fn any_type(&mut self, shareable: bool, depth: usize) -> Type {
        match self.random.below(if depth == 0 { 10 } else { 16 }) {
            0..9 => self.numeric(shareable),
            9 => Type::Matrix(self.random.between(2, 4) as u8, self.random.between(2, 4) as u8),
            10..13 => {
                let length = *self.random.pick(&[1, 2, 3, 4, 5, 7]);
                Type::Array(Box::new(self.any_type(shareable, depth - 1)), length)
            }
            _ => {
                let known = if shareable { self.shareable } else { self.structs.len() };
                if known == 0 { self.numeric(shareable) } else { Type::Struct(self.random.below(known)) }
            }
        }
    }

    /// Makes the structs of the program, those for buffers first.
    pub(super) fn make_structs(&mut self) {
        let shareable = self.random.between(2, 3);
        let all = shareable + self.random.between(0, 2);
        for index in 0..all {
            let members = self.random.between(1, 5);
            let members: Vec<Type> = (0..members).map(|_| self.any_type(index < shareable, 1)).collect();
            let few = Type::Array(Box::new(Type::U32), 1);
            // Large structs make kernels slow and find no more faults.
            let cut = |members: Vec<Type>| {
                let size: usize = members.iter().map(|member| member.scalars(&self.structs)).sum();
                if size > 48 { vec![few.clone(), Type::vector(Scalar::F32, 3), Type::U32] } else { members }
            };
            let members = cut(members);
            self.structs.push(members);
            if index < shareable {
                self.shareable = index + 1;
            }
        }
    }
}
