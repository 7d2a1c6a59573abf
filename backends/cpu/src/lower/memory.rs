//! Loads and stores of values that are small enough to be split into scalars.

use std::rc::Rc;

use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::pointer::{Pointer, Root};
use super::shape::{Rule, Shape, mem_type};
use super::value::Data;
use crate::ir::{Access, AtomicOp, CompareOp, Count, Index, Space, Stmt, Value, Var};

/// The largest number of scalars of a value that is kept as a list of scalars; larger values are kept in memory.
pub(super) const MAX_SCALARS: u32 = 64;

impl Lowering<'_> {
    /// Whether values of a type are kept in memory rather than as scalars.
    pub(super) fn is_large(&self, shape: Shape) -> bool {
        !matches!(shape, Shape::Cooperative { .. }) && self.types.count(shape) > MAX_SCALARS
    }

    /// Loads the current value of a pointee.
    pub(super) fn load(&mut self, from: &Pointer) -> Result<Data> {
        if let (Shape::Atomic(scalar), Root::Memory(space)) = (from.shape, &from.root) {
            let ty = mem_type(scalar)?;
            let zero = self.b.zero(ty.class());
            let place = from.place(*space, 0);
            self.tell_access(from, Access::AtomicRead)?;
            return Ok(Data::one(self.b.atomic(AtomicOp::Load, place, ty, zero, None)));
        }
        if self.is_large(from.shape) {
            let copy = self.reserve(from.shape)?;
            self.copy(from, &copy)?;
            return Ok(Data::Memory(copy));
        }
        Ok(self.read(from)?.into())
    }

    /// Stores a value to a pointee.
    pub(super) fn store(&mut self, to: &Pointer, data: &Data) -> Result<()> {
        match data {
            Data::Scalars(values) => {
                if let (Shape::Atomic(scalar), Root::Memory(space), [value]) = (to.shape, &to.root, &**values) {
                    let place = to.place(*space, 0);
                    self.tell_access(to, Access::AtomicWrite)?;
                    self.b.atomic(AtomicOp::Store, place, mem_type(scalar)?, *value, None);
                    return Ok(());
                }
                self.write(to, values)
            }
            Data::Zero(_) => self.clear(to),
            Data::Memory(from) => self.copy(from, to),
            Data::Pointer(_) | Data::Saved(_) => Err(LowerError::invalid("a pointer is stored")),
        }
    }

    /// Loads the scalars of a pointee.
    pub(super) fn read(&mut self, from: &Pointer) -> Result<Vec<Value>> {
        self.tell_access(from, Access::Read)?;
        match &from.root {
            Root::Registers(vars) => self.read_registers(&Rc::clone(vars), from),
            Root::Memory(space) => {
                let mut values = Vec::new();
                for run in self.types.runs(from.shape, from.root.rule())? {
                    values.extend(self.b.load(from.place(*space, run.offset), run.ty, run.count));
                }
                Ok(values)
            }
        }
    }

    /// Stores all scalars of a pointee.
    pub(super) fn write(&mut self, to: &Pointer, values: &[Value]) -> Result<()> {
        if values.len() != self.types.count(to.shape) as usize {
            return Err(LowerError::invalid("a stored value is not of the variable's type"));
        }
        self.tell_access(to, Access::Write)?;
        match &to.root {
            Root::Registers(vars) => {
                self.write_registers(&Rc::clone(vars), to, values);
            }
            Root::Memory(space) => {
                let mut rest = values;
                for run in self.types.runs(to.shape, to.root.rule())? {
                    let (now, later) = rest.split_at(usize::from(run.count));
                    rest = later;
                    let place = to.place(*space, run.offset);
                    self.b.push(Stmt::Store { place, ty: run.ty, values: now.to_vec() });
                }
            }
        }
        Ok(())
    }

    /// Copies a value to memory that is not changed later, so that dynamic indices can select its elements.
    pub(super) fn spill(&mut self, shape: Shape, data: &Data) -> Result<Pointer> {
        match data {
            Data::Memory(pointer) => Ok(pointer.clone()),
            Data::Scalars(values) if values.iter().all(|value| self.b.known(*value).is_some()) => {
                self.table(shape, values)
            }
            other => {
                let copy = self.reserve(shape)?;
                self.store(&copy, other)?;
                Ok(copy)
            }
        }
    }

    pub(super) fn read_registers(&mut self, vars: &[Var], from: &Pointer) -> Result<Vec<Value>> {
        let count = self.types.size(from.shape, Rule::Registers);
        let conditions: Vec<Vec<Value>> = from.indices.iter().map(|index| self.conditions(index)).collect();
        (0..count)
            .map(|scalar| self.read_register(vars, from.offset + scalar, &from.indices, &conditions))
            .collect::<Option<Vec<Value>>>()
            .ok_or_else(|| LowerError::invalid("a path leaves its variable"))
    }

    fn read_register(
        &mut self,
        vars: &[Var],
        offset: u32,
        indices: &[Index],
        conditions: &[Vec<Value>],
    ) -> Option<Value> {
        let ([index, indices @ ..], [equal, conditions @ ..]) = (indices, conditions) else {
            return vars.get(offset as usize).map(|var| self.b.read(*var));
        };
        let last = equal.len() as u32 - 1;
        let mut value = self.read_register(vars, offset + last * index.stride, indices, conditions)?;
        for position in (0..last).rev() {
            let other = self.read_register(vars, offset + position * index.stride, indices, conditions)?;
            value = self.b.select(equal[position as usize], other, value);
        }
        Some(value)
    }

    pub(super) fn write_registers(&mut self, vars: &[Var], to: &Pointer, values: &[Value]) {
        let conditions: Vec<Vec<Value>> = to.indices.iter().map(|index| self.conditions(index)).collect();
        for (scalar, value) in values.iter().enumerate() {
            self.write_register(vars, to.offset + scalar as u32, &to.indices, &conditions, &mut Vec::new(), *value);
        }
    }

    fn write_register(
        &mut self,
        vars: &[Var],
        offset: u32,
        indices: &[Index],
        conditions: &[Vec<Value>],
        chosen: &mut Vec<Value>,
        value: Value,
    ) {
        let ([index, indices @ ..], [equal, conditions @ ..]) = (indices, conditions) else {
            let Some(var) = vars.get(offset as usize) else { return };
            let mut value = value;
            if !chosen.is_empty() {
                let old = self.b.read(*var);
                for condition in chosen.iter() {
                    value = self.b.select(*condition, value, old);
                }
            }
            self.b.push(Stmt::Write(*var, value));
            return;
        };
        for (position, condition) in equal.iter().enumerate() {
            chosen.push(*condition);
            self.write_register(vars, offset + position as u32 * index.stride, indices, conditions, chosen, value);
            chosen.pop();
        }
    }

    /// By element: whether the index selects this element.
    pub(super) fn conditions(&mut self, index: &Index) -> Vec<Value> {
        let count = if let Count::Fixed(count) = index.count { count } else { 1 };
        (0..count)
            .map(|position| {
                let position = self.b.u32(position);
                self.b.compare(CompareOp::Eq, index.value, position)
            })
            .collect()
    }

    /// Reserves private memory for a value, until the function that is being lowered returns.
    pub(super) fn reserve(&mut self, shape: Shape) -> Result<Pointer> {
        self.reserve_in(Space::Private, shape)
    }
}
