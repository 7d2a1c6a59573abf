//! Lowers an entry point from naga IR to a scalar program.

use std::rc::Rc;

use anywarp_backend::{Checks, FunctionProofs, Mode, Program, Proofs, loops};
use naga::valid::FunctionInfo;
use naga::{Expression, Handle, Span};
use rustc_hash::FxHashMap;

use super::call::Returns;
use super::callee::Callees;
use super::constants::{Constant, Table};
use super::error::{LowerError, Result};
use super::inlining::{Budget, Inlining};
use super::plan::Plans;
use super::pointer::Pointer;
use super::types::Types;
use super::value::{Collected, Data};
use crate::ir::{Builder, Function, Label, observe};

/// The limit on the number of instructions and statements of a kernel and its functions.
const MAX_STEPS: usize = 400_000;

/// The limit in bytes on the private memory of one invocation.
const MAX_PRIVATE: u32 = 1 << 20;

/// The limit on the depth of nested calls and blocks, which bounds the recursion of lowering.
const MAX_NESTED: usize = 400;

/// The state of lowering a kernel.
pub(super) struct Lowering<'a> {
    pub(super) program: &'a Program,
    pub(super) module: &'a naga::Module,
    pub(super) types: Types<'a>,
    pub(super) plans: Plans,
    pub(super) b: Builder,
    /// Pointers to the module's variables; `None` for variables that the kernel cannot use.
    pub(super) globals: Vec<Option<Pointer>>,
    /// The values of the module's constant expressions; `None` where the backend cannot evaluate them.
    pub(super) constants: Vec<Option<Data>>,
    /// The choice of functions that are not inlined.
    pub(super) inlining: Inlining,
    /// The functions that have been lowered without inlining.
    pub(super) callees: Callees,
    /// The tables of constants in private memory, by their constants. They are filled before all other statements.
    pub(super) tables: FxHashMap<Rc<[Constant]>, Table>,
    pub(super) private: PrivateMemory,
    /// Whether the kernel reports its memory accesses, divisions and loops to `checker`, as for the device `cpu:checked`.
    pub(super) checked: bool,
    /// Whether the kernel reports its memory accesses, branches and loops to `observer`, as for `cpu:observed`.
    pub(super) observed: bool,
    /// The proofs about the module, if they may be used to omit checks.
    pub(super) proofs: Option<&'a Proofs>,
    /// Whether the author has promised that no check is needed.
    pub(super) unchecked: bool,
    /// The position of the expression or statement that is being lowered.
    pub(super) here: Span,
    /// The position of the statement after the current one.
    pub(super) next: Span,
    pub(super) nested: usize,
    pub(super) steps: usize,
}

/// The state of lowering one function, possibly inlined.
pub(super) struct Frame<'a> {
    pub(super) function: &'a naga::Function,
    pub(super) info: &'a FunctionInfo,
    pub(super) proofs: Option<&'a FunctionProofs>,
    /// The proven largest numbers of iterations of loops, by the address of the loop's body.
    pub(super) turns: FxHashMap<*const naga::Block, u32>,
    pub(super) plan: Rc<super::plan::Plan>,
    pub(super) arguments: Vec<Data>,
    pub(super) locals: Vec<Pointer>,
    /// By expression: its value, once the expression has been evaluated.
    pub(super) values: Vec<Option<Data>>,
    /// The nesting depth of blocks around the current statement.
    pub(super) depth: usize,
    pub(super) collected: Option<Collected>,
    /// The targets of `break` and `continue`, innermost last.
    pub(super) breaks: Vec<Label>,
    pub(super) continues: Vec<Label>,
    pub(super) returns: Returns,
}

/// Private memory, allocated as a stack: functions that are not active at the same time share it.
#[derive(Debug, Default)]
pub(super) struct PrivateMemory {
    top: u32,
    floor: u32,
    high: u32,
}

/// Lowers the entry point of a program. Checked and observed kernels report their operations.
///
/// # Errors
/// Features that this backend does not support, and limits that the kernel exceeds.
pub(crate) fn lower(program: &Program, mode: Mode) -> Result<Function> {
    lower_within(program, mode, Budget::USUAL)
}

/// Lowers a kernel like [`lower`], with another budget for inlining.
pub(crate) fn lower_within(program: &Program, mode: Mode, budget: Budget) -> Result<Function> {
    let checked = mode == Mode::Checked;
    let module: &naga::Module = &program.module;
    let position = module
        .entry_points
        .iter()
        .position(|point| point.name == program.entry_point)
        .ok_or_else(|| LowerError::invalid("the entry point is missing"))?;
    let entry = &module.entry_points[position];
    if entry.stage != naga::ShaderStage::Compute {
        return Err(LowerError::unsupported("an entry point that is not @compute"));
    }
    let types = Types::new(module, mode == Mode::Observed)?;
    let info = program.module.info().get_entry_point(position);
    let inlining = Inlining::new(module, program.module.info(), &types, (&entry.function, info), budget);
    let plans = Plans::new(module, program.module.info(), &types, &inlining, &entry.function, info);
    let mut lowering = Lowering {
        program,
        module,
        types,
        plans,
        b: Builder::new(program.workgroup_size).fusing(crate::codegen::has_fma()),
        globals: Vec::new(),
        constants: Vec::new(),
        inlining,
        callees: Callees::default(),
        tables: FxHashMap::default(),
        private: PrivateMemory::default(),
        checked,
        observed: mode == Mode::Observed,
        // A checked kernel needs all reports.
        proofs: program.proofs.as_deref().filter(|_| !checked && program.leave.checks == Checks::Proven),
        unchecked: !checked && matches!(program.leave.checks, Checks::Off(_)),
        here: Span::UNDEFINED,
        next: Span::UNDEFINED,
        nested: 0,
        steps: 0,
    };
    lowering.evaluate_constants()?;
    lowering.place_globals()?;
    let arguments = lowering.inputs(&entry.function)?;
    let plan = Rc::clone(&lowering.plans.entry);
    let proofs = lowering.proofs.map(|proofs| &proofs.entry);
    lowering.inline(&entry.function, info, proofs, plan, arguments)?;
    Ok(lowering.finish())
}

impl<'a> Lowering<'a> {
    fn finish(mut self) -> Function {
        let mut body = self.filled_tables();
        let mut function = self.b.finish();
        body.append(&mut function.body);
        function.body = body;
        function.callees = self.callees.functions;
        let storage = |info: &anywarp_backend::BindingInfo| info.class == anywarp_backend::BindingClass::Storage;
        let read_only: Vec<bool> = self.program.bindings.iter().map(|info| !storage(info)).collect();
        let mut all = std::mem::take(&mut function.callees);
        for function in all.iter_mut().chain([&mut function]) {
            function.endless = self.unchecked;
            function.private_bytes = self.private.high;
            function.read_only.clone_from(&read_only);
        }
        function.callees = all;
        if self.observed {
            observe::segments(&mut function);
        }
        function
    }

    /// Adds to the number of steps, whose limit prevents that a short text becomes a huge program.
    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        self.steps += steps;
        if self.steps + self.b.size() > MAX_STEPS {
            return Err(LowerError::new(format!(
                "the kernel has more than {MAX_STEPS} instructions after inlining: split it into several kernels"
            )));
        }
        Ok(())
    }

    /// Runs `inner` one nesting level deeper.
    pub(super) fn nest<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nested == MAX_NESTED {
            return Err(LowerError::new(format!("calls and blocks are nested more than {MAX_NESTED} deep")));
        }
        self.nested += 1;
        let result = inner(self);
        self.nested -= 1;
        result
    }
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        function: &'a naga::Function,
        info: &'a FunctionInfo,
        proofs: Option<&'a FunctionProofs>,
        plan: Rc<super::plan::Plan>,
        arguments: Vec<Data>,
        returns: Returns,
    ) -> Self {
        let numbered = proofs.map_or_else(Vec::new, |_| loops(function)).into_iter().enumerate();
        let turns = numbered.filter_map(|(number, body)| Some((std::ptr::from_ref(body), proofs?.turns(number)?)));
        Self {
            function,
            info,
            proofs,
            turns: turns.collect(),
            plan,
            arguments,
            locals: Vec::with_capacity(function.local_variables.len()),
            values: vec![None; function.expressions.len()],
            depth: 0,
            collected: None,
            breaks: Vec::new(),
            continues: Vec::new(),
            returns,
        }
    }

    pub(super) fn span(&self, handle: Handle<Expression>) -> Span {
        self.function.expressions.get_span(handle)
    }
}

impl PrivateMemory {
    /// Allocates bytes and returns their offset, which is a multiple of 8.
    pub(super) fn take(&mut self, bytes: u32) -> Result<u32> {
        let offset = self.top.next_multiple_of(8);
        match offset.checked_add(bytes) {
            Some(end) if end <= MAX_PRIVATE => {
                self.top = end;
                self.high = self.high.max(end);
                Ok(offset)
            }
            _ => Err(LowerError::new(format!(
                "the variables of one invocation need more than {MAX_PRIVATE} bytes of memory: use a storage buffer"
            ))),
        }
    }

    /// Allocates bytes that no other allocation overlaps, neither before nor later.
    pub(super) fn take_for_good(&mut self, bytes: u32) -> Result<u32> {
        self.top = self.high;
        let offset = self.take(bytes)?;
        self.floor = self.top;
        Ok(offset)
    }

    /// Begins the memory of a function that is not inlined. It overlaps with no other memory, because the function may
    /// be called at any time.
    pub(super) fn begin_apart(&mut self) {
        self.top = self.high;
    }

    /// Ends the memory of a function that is not inlined. The memory stays allocated.
    pub(super) fn end_apart(&mut self) {
        self.top = self.high;
        self.floor = self.high;
    }

    /// The current size of the stack, for [`release`](Self::release).
    pub(super) fn mark(&self) -> u32 {
        self.top
    }

    /// Frees the memory that was allocated since the mark.
    pub(super) fn release(&mut self, mark: u32) {
        self.top = mark.max(self.floor);
    }
}
