//! The module's constant expressions, and tables of constants in private memory.

use std::rc::Rc;

use naga::{Expression, Handle, Type};

use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::pointer::{Pointer, Root};
use super::pure;
use super::shape::{Rule, Shape};
use super::types::Run;
use super::value::Data;
use crate::ir::{Class, List, Place, Space, Stmt, Value};

/// The class and bits of a scalar in a table. All functions of a kernel share tables, but not [`Value`]s.
pub(super) type Constant = (Class, u64);

/// A table of constants in private memory.
#[derive(Debug)]
pub(super) struct Table {
    offset: u32,
    runs: Vec<Run>,
}

impl Lowering<'_> {
    /// Evaluates the module's constant expressions in order: operands precede their users.
    pub(super) fn evaluate_constants(&mut self) -> Result<()> {
        let module = self.module;
        for (handle, expression) in module.global_expressions.iter() {
            // An expression that cannot be evaluated is an error only if the kernel uses the expression.
            let value = self.evaluate_constant(expression);
            if let Err(error) = self.spend(1) {
                return Err(error.at(module.global_expressions.get_span(handle)));
            }
            self.constants.push(value.ok());
        }
        Ok(())
    }

    /// The value of a constant expression of the module.
    pub(super) fn constant(&self, handle: Handle<Expression>) -> Result<Data> {
        self.constants
            .get(handle.index())
            .cloned()
            .flatten()
            .ok_or_else(|| LowerError::unsupported("a constant expression of this kind"))
    }

    fn evaluate_constant(&mut self, expression: &Expression) -> Result<Data> {
        match expression {
            Expression::Literal(literal) => Ok(Data::one(pure::literal(&mut self.b, *literal)?)),
            Expression::Constant(handle) => self.constant(self.module.constants[*handle].init),
            Expression::ZeroValue(ty) => self.zero(*ty),
            Expression::Compose { ty, components } => {
                let parts = components.iter().map(|part| self.constant(*part)).collect::<Result<Vec<_>>>()?;
                self.compose(*ty, &parts)
            }
            Expression::Splat { size, value } => {
                let Data::Scalars(values) = self.constant(*value)? else {
                    return Err(LowerError::invalid("splat"));
                };
                Ok(vec![values[0]; *size as usize].into())
            }
            _ => Err(LowerError::unsupported("a constant expression of this kind")),
        }
    }

    /// The zero value of a type.
    pub(super) fn zero(&mut self, ty: Handle<Type>) -> Result<Data> {
        let shape = self.types.of(ty)?;
        self.zero_of(shape)
    }

    /// The zero value of a shape.
    pub(super) fn zero_of(&mut self, shape: Shape) -> Result<Data> {
        if self.is_large(shape) { Ok(Data::Zero(shape)) } else { Ok(self.zeros(shape)?.into()) }
    }

    /// Returns the composite value that consists of `parts`; for a vector, the parts may be shorter vectors.
    pub(super) fn compose(&mut self, ty: Handle<Type>, parts: &[Data]) -> Result<Data> {
        let shape = self.types.of(ty)?;
        let mut scalars = Vec::new();
        for part in parts {
            match part {
                Data::Scalars(values) => scalars.extend_from_slice(values),
                Data::Zero(part) if self.types.count(*part) <= 1 << 12 => scalars.extend(self.zeros(*part)?),
                _ => return self.compose_in_memory(shape, parts),
            }
        }
        Ok(scalars.into())
    }

    fn compose_in_memory(&mut self, shape: Shape, parts: &[Data]) -> Result<Data> {
        let whole = self.reserve(shape)?;
        for (index, part) in parts.iter().enumerate() {
            let to = self.point_at(&whole, index as u32, true)?;
            self.store(&to, part)?;
        }
        Ok(Data::Memory(whole))
    }

    /// Returns the statements that fill the tables; they must precede all other statements.
    pub(super) fn filled_tables(&mut self) -> List {
        let mut tables: Vec<(Rc<[Constant]>, Table)> = self.tables.drain().collect();
        tables.sort_unstable_by_key(|(_, table)| table.offset);
        let space = self.table_space();
        let mut list = List::new();
        for (constants, table) in tables {
            let values: Vec<Value> = constants.iter().map(|(class, bits)| self.b.constant(*class, *bits)).collect();
            let mut rest = values.as_slice();
            for run in table.runs {
                let (now, later) = rest.split_at(usize::from(run.count));
                rest = later;
                let place = Place { space, offset: table.offset + run.offset, indices: smallvec::SmallVec::new() };
                list.push(Stmt::Store { place, ty: run.ty, values: now.to_vec() });
            }
        }
        list
    }

    fn table_space(&self) -> Space {
        if self.inlining.any() { Space::Passed } else { Space::Private }
    }

    /// Returns a pointer to a table of these constants in private memory, which is filled when the kernel starts.
    pub(super) fn table(&mut self, shape: Shape, values: &Rc<[Value]>) -> Result<Pointer> {
        let constants: Option<Rc<[Constant]>> =
            values.iter().map(|value| Some((self.b.class(*value), self.b.known(*value)?))).collect();
        let constants = constants.ok_or_else(|| LowerError::invalid("a table of values that are not constant"))?;
        let offset = match self.tables.get(&constants) {
            Some(table) => table.offset,
            None => {
                self.spend(values.len())?;
                let offset = self.private.take_for_good(self.types.size(shape, Rule::Private))?;
                let runs = self.types.runs(shape, Rule::Private)?;
                if runs.iter().map(|run| usize::from(run.count)).sum::<usize>() > values.len() {
                    return Err(LowerError::invalid("a constant has fewer scalars than its type"));
                }
                self.tables.insert(constants, Table { offset, runs });
                offset
            }
        };
        Ok(Pointer::new(Root::Memory(self.table_space()), offset, shape))
    }
}
