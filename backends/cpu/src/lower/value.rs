//! The results of expressions, and where they can be used.

use std::cell::Cell;
use std::rc::Rc;

use naga::{Expression, Handle};

use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::Pointer;
use super::shape::Shape;
use crate::ir::{Stmt, Value, Var};

/// The result of an expression.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// The scalars of the value, in the order of its components, columns, elements or members.
    Scalars(Rc<[Value]>),
    /// The zero of a type with too many scalars for a list.
    Zero(Shape),
    /// A value with too many scalars for a list: an immutable copy in private memory.
    Memory(Pointer),
    /// A pointer.
    Pointer(Pointer),
    /// A value of a loop's body that is used after the block that `continue` leaves.
    Saved(Rc<Saved>),
}

/// A value that may be used outside of the list that computes it, so that its scalars are copied to variables.
#[derive(Debug)]
pub(super) struct Saved {
    data: Data,
    vars: Vec<(Value, Var)>,
    used: Cell<bool>,
}

/// The values that the body of a loop with `continue` computes at its own nesting level.
#[derive(Debug)]
pub(super) struct Collected {
    /// The nesting depth of the body.
    pub(super) depth: usize,
    pub(super) saved: Vec<(Handle<Expression>, Rc<Saved>)>,
}

impl Data {
    pub(super) fn one(value: Value) -> Self {
        Self::Scalars(Rc::from([value].as_slice()))
    }

    fn map(&self, change: &mut dyn FnMut(Value) -> Value) -> Self {
        match self {
            Self::Scalars(values) => Self::Scalars(values.iter().map(|value| change(*value)).collect()),
            Self::Memory(pointer) => Self::Memory(pointer.map(change)),
            Self::Pointer(pointer) => Self::Pointer(pointer.map(change)),
            Self::Zero(_) | Self::Saved(_) => self.clone(),
        }
    }
}

impl From<Vec<Value>> for Data {
    fn from(values: Vec<Value>) -> Self {
        Self::Scalars(values.into())
    }
}

impl<'a> Lowering<'a> {
    /// Records `data` as the value of an expression.
    pub(super) fn bind(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>, data: Data) {
        let depth = frame.depth;
        if frame.collected.as_ref().is_some_and(|collected| collected.depth == depth) {
            let saved = self.save(data.clone());
            if let (Some(saved), Some(collected)) = (saved, &mut frame.collected) {
                collected.saved.push((handle, saved));
            }
        }
        frame.values[handle.index()] = Some(data);
    }

    /// Copies the scalars of a value to variables; `None` if all of them are available everywhere.
    fn save(&mut self, data: Data) -> Option<Rc<Saved>> {
        let mut vars: Vec<(Value, Var)> = Vec::new();
        data.map(&mut |value| {
            let floating = self.b.function().inst(value).is_floating();
            if !floating && !vars.iter().any(|(saved, _)| *saved == value) {
                let class = self.b.class(value);
                let var = self.b.var(class);
                self.b.push(Stmt::Write(var, value));
                vars.push((value, var));
            }
            value
        });
        (!vars.is_empty()).then(|| Rc::new(Saved { data, vars, used: Cell::new(false) }))
    }

    /// The value of an expression at the current position.
    pub(super) fn operand(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Data> {
        match &frame.values[handle.index()] {
            Some(Data::Saved(saved)) => {
                let saved = Rc::clone(saved);
                saved.used.set(true);
                let mut read: Vec<(Value, Value)> = Vec::with_capacity(saved.vars.len());
                for (value, var) in &saved.vars {
                    read.push((*value, self.b.read(*var)));
                }
                Ok(saved
                    .data
                    .map(&mut |value| read.iter().find(|(saved, _)| *saved == value).map_or(value, |(_, read)| *read)))
            }
            Some(data) => Ok(data.clone()),
            None => self.unemitted(frame, handle),
        }
    }

    /// The scalars of an expression; an error if it is a pointer or too large for a list of scalars.
    pub(super) fn scalars(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Rc<[Value]>> {
        match self.operand(frame, handle)? {
            Data::Scalars(values) => Ok(values),
            _ => Err(LowerError::invalid("an operand is not a scalar, vector or matrix")),
        }
    }

    /// The scalar that an expression evaluates to; an error if it has several.
    pub(super) fn scalar(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Value> {
        match *self.scalars(frame, handle)? {
            [value] => Ok(value),
            _ => Err(LowerError::invalid("an operand is not a scalar")),
        }
    }

    /// The pointer that a pointer expression evaluates to.
    pub(super) fn pointer(&mut self, frame: &mut Frame<'a>, handle: Handle<Expression>) -> Result<Pointer> {
        match self.operand(frame, handle)? {
            Data::Pointer(pointer) => Ok(pointer),
            _ => Err(LowerError::invalid("an operand is not a pointer")),
        }
    }
}

impl Saved {
    /// Whether the saved value was used, and the variables that contain its scalars.
    pub(super) fn vars(&self) -> (bool, impl Iterator<Item = Var>) {
        (self.used.get(), self.vars.iter().map(|(_, var)| *var))
    }
}
