//! Abstract execution of a kernel: the analysis follows the statements of an invocation, with ranges in place of
//! numbers.
//!
//! A function is executed again at each call with the arguments of the call. An access is proven only if it is proven
//! in each of these executions.

mod branches;
mod contents;

use anywarp_backend::loops;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Block, Expression, Function, GlobalVariable, Handle, Module, Statement};
use rustc_hash::FxHashMap;

use super::bounds::Found;
use super::facts::{Facts, Mark};
use super::state::{Arrival, Value, join_paths};
use super::sums::Sum;
use super::types;
use super::values::{Id, Values};
use super::verdicts::Verdicts;
use crate::Circumstances;
use crate::rebuild::depth::MAX_NESTED;

/// Whether execution reaches the statement after the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Ended,
}

/// The loop or `switch` that a `break` leaves.
pub(super) struct Target {
    pub(super) mark: Mark,
    pub(super) breaks: Vec<Arrival>,
    /// The states at each `continue`; `None` for a `switch`.
    pub(super) continues: Option<Vec<Arrival>>,
}

/// The state of a function that the analysis is executing.
pub(super) struct Frame<'a> {
    pub(super) function: &'a Function,
    pub(super) info: &'a FunctionInfo,
    /// The index of the function's results in [`Verdicts`].
    pub(super) number: usize,
    pub(super) values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    /// The index in `Walker::slots` of the function's first local variable.
    pub(super) first_slot: usize,
    /// The number of each loop of the function, by the address of the loop's body.
    pub(super) loops: FxHashMap<*const Block, usize>,
    pub(super) targets: Vec<Target>,
    mark: Mark,
    returns: Vec<Arrival>,
}

/// The largest depth of nested calls that the analysis follows.
const MAX_CALLS: usize = 64;

/// The largest effort for the whole kernel, as the number of values visited and statements executed.
const MAX_WORK: u64 = 800_000;

/// The largest effort for finding conditions on launches, as the number of values visited.
const MAX_CONDITION_EFFORT: u32 = 40_000;

/// The largest number of symbolic values that the analysis of a kernel creates.
const MAX_VALUES: usize = 200_000;

pub(super) struct Walker<'a> {
    pub(super) module: &'a Module,
    pub(super) info: &'a ModuleInfo,
    pub(super) circumstances: &'a Circumstances,
    pub(super) values: Values,
    pub(super) facts: Facts,
    pub(super) slots: Vec<Value>,
    /// The index in `slots` of each private variable of the module.
    pub(super) private: FxHashMap<Handle<GlobalVariable>, usize>,
    pub(super) verdicts: Verdicts,
    /// The sums that must not be negative for accesses that are proven for some launches only.
    pub(super) conditions: Vec<Sum>,
    /// The bounds that the search for conditions has found at this point of the kernel.
    pub(super) found: Found,
    /// The number of values that the search for conditions may still visit.
    pub(super) condition_effort: u32,
    /// Whether results are recorded. No results are recorded while the assumptions about a loop are still being
    /// checked.
    pub(super) recording: bool,
    pub(super) work: u64,
    /// The current depth of nested calls.
    depth: usize,
    /// The current depth of nested blocks, including the blocks of the calling functions.
    nested: usize,
    /// The reason why the analysis gave up.
    pub(super) gave_up: Option<&'static str>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(module: &'a Module, info: &'a ModuleInfo, circumstances: &'a Circumstances) -> Self {
        Self {
            module,
            info,
            circumstances,
            values: Values::default(),
            facts: Facts::default(),
            slots: Vec::new(),
            private: FxHashMap::default(),
            verdicts: Verdicts::of(module),
            conditions: Vec::new(),
            found: Found::default(),
            condition_effort: MAX_CONDITION_EFFORT,
            recording: true,
            work: 0,
            depth: 0,
            nested: 0,
            gave_up: None,
        }
    }

    /// Executes the entry point.
    pub(super) fn run(&mut self) {
        let Some(entry) = self.module.entry_points.first() else { return };
        for (handle, variable) in self.module.global_variables.iter() {
            if variable.space == AddressSpace::Private {
                let ty = &self.module.types[variable.ty].inner;
                let first = match variable.init {
                    Some(init) => self.constant(init, 0),
                    None => types::zero(self.module, &mut self.values, ty),
                };
                self.private.insert(handle, self.slots.len());
                self.slots.push(first);
            }
        }
        let arguments = self.inputs(entry);
        let info = self.info.get_entry_point(0);
        self.function(&entry.function, info, self.module.functions.len(), arguments);
    }

    /// Whether the analysis may go on. If the effort so far is above a limit, the analysis gives up.
    pub(super) fn within_budget(&mut self) -> bool {
        if self.gave_up.is_none() {
            if self.work + self.facts.work > MAX_WORK {
                self.gave_up = Some("the kernel is too large to be analysed");
            } else if self.values.count() > MAX_VALUES {
                self.gave_up = Some("the kernel computes too many values to be analysed");
            }
        }
        self.gave_up.is_none()
    }

    /// Executes a function abstractly; returns its result, or `None` if the function never returns.
    fn function(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        number: usize,
        arguments: Vec<Value>,
    ) -> Option<Value> {
        if self.depth >= MAX_CALLS {
            self.gave_up.get_or_insert("functions call each other too deeply");
            return None;
        }
        self.depth += 1;
        let first_slot = self.slots.len();
        let mut frame = Frame {
            function,
            info,
            number,
            values: vec![None; function.expressions.len()],
            arguments,
            first_slot,
            loops: loops(function)
                .into_iter()
                .enumerate()
                .map(|(number, body)| (std::ptr::from_ref(body), number))
                .collect(),
            targets: Vec::new(),
            mark: self.facts.mark(),
            returns: Vec::new(),
        };
        for (_, local) in function.local_variables.iter() {
            let ty = &self.module.types[local.ty].inner;
            let first = match local.init {
                Some(init) => self.value(&mut frame, init),
                None => types::zero(self.module, &mut self.values, ty),
            };
            self.slots.push(first);
        }
        if self.block(&mut frame, &function.body) == Flow::Next {
            self.arrive(&mut frame, None);
        }
        self.depth -= 1;
        self.facts.undo(frame.mark);
        let returns = std::mem::take(&mut frame.returns);
        let slots = join_paths(&mut self.values, &mut self.facts, returns, None);
        self.slots = slots?;
        let returned = self.slots.pop();
        self.slots.truncate(first_slot);
        returned
    }

    /// Records the state and the result at a return.
    fn arrive(&mut self, frame: &mut Frame<'a>, value: Option<Value>) {
        let mut arrival = self.arrival(frame.mark);
        arrival.slots.push(value.unwrap_or(Value::Opaque));
        frame.returns.push(arrival);
    }

    /// The current state, as that of one of several paths that join, with the facts that were added since a mark.
    pub(super) fn arrival(&mut self, mark: Mark) -> Arrival {
        let arrival = Arrival { slots: self.slots.clone(), gained: self.facts.gained(mark) };
        // The contents and the facts are copied here, and visited again where the paths join. Both count as effort.
        self.work += ((arrival.slots.len() + arrival.gained.count()) / 4) as u64;
        arrival
    }

    /// Sets the state to the join of several paths.
    pub(super) fn resume(&mut self, arrivals: Vec<Arrival>, condition: Option<Id>) -> Flow {
        match join_paths(&mut self.values, &mut self.facts, arrivals, condition) {
            Some(slots) => {
                self.slots = slots;
                Flow::Next
            }
            None => Flow::Ended,
        }
    }

    pub(super) fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Flow {
        if self.nested == MAX_NESTED {
            self.gave_up.get_or_insert("blocks and calls nest too deeply");
            return Flow::Ended;
        }
        self.nested += 1;
        let mut flow = Flow::Next;
        for statement in block {
            self.work += 1;
            flow = if self.within_budget() { self.statement(frame, statement) } else { Flow::Ended };
            if flow == Flow::Ended {
                break;
            }
        }
        self.nested -= 1;
        flow
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement) -> Flow {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    let value = self.evaluate(frame, handle);
                    frame.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(block) => return self.block(frame, block),
            Statement::If { condition, accept, reject } => return self.branch(frame, *condition, accept, reject),
            Statement::Switch { selector, cases } => return self.switch(frame, *selector, cases),
            Statement::Loop { body, continuing, break_if } => {
                return self.repeat(frame, body, continuing, *break_if);
            }
            Statement::Break => {
                self.leave(frame, false);
                return Flow::Ended;
            }
            Statement::Continue => {
                self.leave(frame, true);
                return Flow::Ended;
            }
            Statement::Return { value } => {
                let value = value.map(|value| self.value(frame, value));
                self.arrive(frame, value);
                return Flow::Ended;
            }
            Statement::Kill => return Flow::Ended,
            Statement::Store { pointer, value } => {
                let value = self.value(frame, *value);
                if let Value::Pointer(place) = self.value(frame, *pointer) {
                    self.store(&place, value);
                }
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|argument| self.value(frame, *argument)).collect();
                let callee = &self.module.functions[*function];
                let Some(value) = self.function(callee, &self.info[*function], function.index(), arguments) else {
                    return Flow::Ended;
                };
                if let Some(result) = result {
                    frame.values[result.index()] = Some(self.typed(frame, *result, value));
                }
            }
            // Every execution of one of these statements has a new, unknown result.
            Statement::Atomic { result, .. } => {
                if let Some(result) = result {
                    self.forget(frame, *result);
                }
            }
            Statement::ImageAtomic { .. } | Statement::RayQuery { .. } => {}
            Statement::WorkGroupUniformLoad { result, .. }
            | Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => self.forget(frame, *result),
            Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::ImageStore { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::CooperativeStore { .. } => {}
        }
        Flow::Next
    }

    fn forget(&mut self, frame: &mut Frame<'a>, result: Handle<Expression>) {
        frame.values[result.index()] = Some(self.typed(frame, result, Value::Opaque));
    }

    fn leave(&mut self, frame: &mut Frame<'a>, continues: bool) {
        let wanted = |target: &&mut Target| !continues || target.continues.is_some();
        let Some(target) = frame.targets.iter_mut().rev().find(wanted) else { return };
        let arrival = self.arrival(target.mark);
        match &mut target.continues {
            Some(list) if continues => list.push(arrival),
            _ => target.breaks.push(arrival),
        }
    }

    pub(super) fn argument(&self, frame: &Frame<'a>, index: u32) -> Value {
        frame.arguments.get(index as usize).cloned().unwrap_or(Value::Opaque)
    }
}
