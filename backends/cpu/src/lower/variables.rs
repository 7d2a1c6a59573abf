//! Declarations of variables with their initial values.

use rustc_hash::FxHashSet;

use super::checks::{Tracking, initialised};
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::plan::Home;
use super::pointer::{Pointer, Root};
use super::shape::Shape;
use super::value::Data;
use crate::ir::{Space, Stmt};

impl<'a> Lowering<'a> {
    /// Declares a variable of an invocation, in registers or in private memory, with its initial value.
    pub(super) fn declare(&mut self, shape: Shape, home: Home, init: &Data) -> Result<Pointer> {
        if let Home::Memory(space) = home {
            let pointer = self.reserve_in(space, shape)?;
            self.store(&pointer, init)?;
            return Ok(pointer);
        }
        let Data::Scalars(values) = init else {
            return Err(LowerError::invalid("an initial value that does not have the variable's type"));
        };
        let classes = self.types.classes(shape)?;
        let mut vars = Vec::with_capacity(values.len());
        for (class, value) in classes.into_iter().zip(values.iter()) {
            let var = self.b.var(class);
            self.b.push(Stmt::Declare(var, *value));
            vars.push(var);
        }
        Ok(Pointer::new(Root::Registers(vars.into()), 0, shape))
    }

    /// Declares the local variables of a function that is inlined here.
    pub(super) fn declare_locals(&mut self, frame: &mut Frame<'a>) -> Result<()> {
        let function = frame.function;
        let initialised = if self.checked { initialised(function) } else { FxHashSet::default() };
        for (handle, local) in function.local_variables.iter() {
            let span = function.local_variables.get_span(handle);
            let shape = self.types.of(local.ty).map_err(|error| error.at(span))?;
            let init = match local.init {
                Some(init) => self.operand(frame, init)?,
                None => self.zero_of(shape)?,
            };
            let home = frame.plan.locals.get(handle.index()).copied().unwrap_or(Home::Memory(Space::Private));
            let mut pointer = self.declare(shape, home, &init).map_err(|error| error.at(span))?;
            if self.checked && initialised.contains(&handle) {
                pointer.tracking = Some(Tracking::of(local.name.as_deref()));
            } else if self.checked {
                self.must_be_written(&mut pointer, local.name.as_deref(), span);
            }
            frame.locals.push(pointer);
        }
        Ok(())
    }
}
