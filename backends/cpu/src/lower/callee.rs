//! Functions that are not inlined: the lowering of the functions and of their calls.
//!
//! WGSL has no recursion, so each function has private memory of its own for its variables and result: no stack is
//! needed. Scalars are passed as values. A pointer is passed as its start and the indices of its path. The function is
//! lowered once for each kind of path, which includes the limits of the path's indices.

use naga::{Expression, Function, Handle};
use rustc_hash::FxHashMap;

use super::checks::Tracking;
use super::error::{LowerError, Result};
use super::kernel::{Frame, Lowering};
use super::pointer::{Pointer, Root};
use super::shape::{Rule, Shape};
use super::value::Data;
use crate::ir::{self, Builder, Class, Count, Index, Space, Stmt, Value};

/// The functions that have been lowered without inlining.
#[derive(Default)]
pub(super) struct Callees {
    /// The functions in the order of lowering, in which callees precede their callers.
    pub(super) functions: Vec<ir::Function>,
    known: FxHashMap<(Handle<Function>, Vec<Given>), Callee>,
}

/// The number of a function in `functions`, and the memory of its result.
type Callee = (u32, Option<Pointer>);

/// The form in which a call passes an argument; a function is lowered once for each combination of forms.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Given {
    /// The scalars of the argument, as values.
    Values,
    /// The start of memory that contains the argument.
    Memory,
    /// The start and the dynamic indices of a pointer.
    Path {
        space: Space,
        /// The pointer's constant offset; 0 in private memory, where the caller passes the start.
        offset: u32,
        indices: Vec<(u32, Count, bool)>,
        tracking: Option<Tracking>,
    },
}

/// The index that adds the start of an argument in bytes to a place. It has no limit.
fn base(value: Value) -> Index {
    Index { value, stride: 1, count: Index::NO_LIMIT, proven: true }
}

impl<'a> Lowering<'a> {
    /// Calls a function that is not inlined; returns its result.
    pub(super) fn call_apart(
        &mut self,
        frame: &Frame<'a>,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        data: &[Data],
    ) -> Result<Option<Data>> {
        let mark = self.private.mark();
        let (mut given, mut values) = (Vec::with_capacity(data.len()), Vec::new());
        for (argument, data) in arguments.iter().zip(data) {
            given.push(self.give(frame, *argument, data, &mut values)?);
        }
        let key = (function, given);
        let (callee, result) = match self.callees.known.get(&key) {
            Some(known) => known.clone(),
            None => {
                let made = self.lower_apart(function, &key.1)?;
                self.callees.known.insert(key, made.clone());
                made
            }
        };
        let site = self.site(self.here, "");
        self.b.push(Stmt::Call { callee, arguments: values, site });
        self.private.release(mark);
        let Some(result) = result else { return Ok(None) };
        // The result is loaded now, because the next call of the function overwrites it.
        self.load(&result).map(Some)
    }

    /// Appends the values that pass an argument, and returns the form of the argument.
    fn give(
        &mut self,
        frame: &Frame<'a>,
        argument: Handle<Expression>,
        data: &Data,
        values: &mut Vec<Value>,
    ) -> Result<Given> {
        match data {
            Data::Scalars(scalars) => {
                values.extend(scalars.iter());
                Ok(Given::Values)
            }
            Data::Pointer(pointer) => self.give_pointer(pointer, values),
            Data::Zero(_) | Data::Memory(_) => {
                let shape = self.types.resolved(&frame.info[argument].ty)?;
                let copy = self.reserve_in(Space::Passed, shape)?;
                self.store(&copy, data)?;
                values.push(self.b.u32(copy.offset));
                Ok(Given::Memory)
            }
            Data::Saved(_) => Err(LowerError::invalid("an argument")),
        }
    }

    fn give_pointer(&mut self, pointer: &Pointer, values: &mut Vec<Value>) -> Result<Given> {
        let space = match pointer.root {
            Root::Memory(space) if space != Space::Private => space,
            _ => return Err(LowerError::invalid("a pointer to memory that is not passed to functions")),
        };
        let mut indices = pointer.indices.as_slice();
        let offset = if space == Space::Passed {
            let mut start = self.b.u32(pointer.offset);
            // If the pointer is an argument of the calling function, its own start is its first index.
            if let [first, rest @ ..] = indices
                && first.is_base()
            {
                start = self.b.binary(ir::BinaryOp::Add, first.value, start);
                indices = rest;
            }
            values.push(start);
            0
        } else {
            pointer.offset
        };
        values.extend(indices.iter().map(|index| index.value));
        let indices = indices.iter().map(|index| (index.stride, index.count, index.proven)).collect();
        let mut tracking = pointer.tracking.clone();
        if let Some(tracking) = tracking.as_mut().filter(|_| space == Space::Passed) {
            // Different calls may pass pointers to different variables, so the path is unknown.
            tracking.path = "".into();
            if pointer.indices.first().is_some_and(Index::is_base) {
                tracking.signed >>= 1;
            }
        }
        Ok(Given::Path { space, offset, indices, tracking })
    }

    /// Lowers a function for arguments of these forms; returns its number and the memory of its result.
    fn lower_apart(&mut self, function: Handle<Function>, given: &[Given]) -> Result<(u32, Option<Pointer>)> {
        let (module, info) = (self.module, &self.program.module.info()[function]);
        let callee = &module.functions[function];
        let plan = self.plans.functions.get(function.index()).cloned();
        let plan = plan.ok_or_else(|| LowerError::invalid("a call of a function that comes later"))?;
        let mut builder = Builder::new(self.program.workgroup_size).fusing(self.b.fused);
        builder.continue_reports(&mut self.b);
        let caller = std::mem::replace(&mut self.b, builder);
        let constants = std::mem::take(&mut self.constants);
        let (here, next) = (self.here, self.next);
        self.steps += caller.size();
        // The function's memory overlaps with that of no caller, and of no function that is lowered later.
        self.private.begin_apart();

        self.evaluate_constants()?;
        let result = match &callee.result {
            Some(result) => {
                let shape = self.types.of(result.ty)?;
                Some(self.reserve_in(Space::Passed, shape)?)
            }
            None => None,
        };
        let mut arguments = Vec::with_capacity(given.len());
        for (argument, given) in callee.arguments.iter().zip(given) {
            arguments.push(self.take(argument, given)?);
        }
        let proofs = self.proofs.map(|proofs| proofs.function(function));
        let value = self.inline(callee, info, proofs, plan, arguments)?;
        if let (Some(result), Some(value)) = (&result, value) {
            self.store(result, &value)?;
        }

        self.private.end_apart();
        (self.here, self.next, self.constants) = (here, next, constants);
        self.steps -= caller.size();
        let mut builder = std::mem::replace(&mut self.b, caller);
        self.steps += builder.size();
        self.b.continue_reports(&mut builder);
        self.callees.functions.push(builder.finish());
        Ok((self.callees.functions.len() as u32 - 1, result))
    }

    /// The data of an argument in the function that is being lowered.
    fn take(&mut self, argument: &naga::FunctionArgument, given: &Given) -> Result<Data> {
        match given {
            Given::Values => {
                let shape = self.types.of(argument.ty)?;
                let classes = self.types.classes(shape)?;
                Ok(classes.into_iter().map(|class| self.b.argument(class)).collect::<Vec<_>>().into())
            }
            Given::Memory => {
                let shape = self.types.of(argument.ty)?;
                Ok(Data::Memory(self.passed(shape)))
            }
            Given::Path { space, offset, indices, tracking } => {
                let shape = self.pointee_of(argument.ty)?;
                let mut pointer = match space {
                    Space::Passed => self.passed(shape),
                    _ => Pointer::new(Root::Memory(*space), *offset, shape),
                };
                for (stride, count, proven) in indices {
                    let value = self.b.argument(Class::I32);
                    pointer.indices.push(Index { value, stride: *stride, count: *count, proven: *proven });
                }
                pointer.tracking = tracking.clone();
                if let Some(tracking) = pointer.tracking.as_mut().filter(|_| *space == Space::Passed) {
                    tracking.path = argument.name.as_deref().unwrap_or("").into();
                    tracking.signed <<= 1;
                }
                Ok(Data::Pointer(pointer))
            }
        }
    }

    /// A pointer to private memory whose start is a new argument of the function.
    fn passed(&mut self, shape: Shape) -> Pointer {
        let mut pointer = Pointer::new(Root::Memory(Space::Passed), 0, shape);
        pointer.indices.push(base(self.b.argument(Class::I32)));
        pointer
    }

    fn pointee_of(&self, ty: Handle<naga::Type>) -> Result<Shape> {
        let resolution = naga::proc::TypeResolution::Handle(ty);
        self.types.pointee(&resolution).ok_or_else(|| LowerError::invalid("an argument that should be a pointer"))
    }

    /// Reserves private memory for a value, until the function that is being lowered returns.
    pub(super) fn reserve_in(&mut self, space: Space, shape: Shape) -> Result<Pointer> {
        let bytes = self.types.size(shape, Rule::Private);
        let offset = self.private.take(bytes)?;
        Ok(Pointer::new(Root::Memory(space), offset, shape))
    }
}
