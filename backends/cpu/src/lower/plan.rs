//! Decides, before lowering, which variables are registers.
//!
//! The kernel accesses a variable by paths: through members and elements, and across calls with pointer arguments. If
//! all paths of a variable are constant, each of its scalars can be a register. A dynamic index in a path needs a
//! selection between registers, which is faster than memory for a small number of registers.

use std::rc::Rc;

use anywarp_backend::statements;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{AddressSpace, Block, Expression, Function, Handle, Literal, Statement};
use rustc_hash::FxHashSet;

use super::inlining::Inlining;
use super::memory::MAX_SCALARS;
use super::shape::{Rule, Shape};
use super::types::Types;
use crate::ir::Space;

/// The largest number of registers that a dynamic index may select from.
const MAX_CHOICES: u32 = 4;

/// The largest number of elements of an array value for which a dynamic index becomes selections instead of a load.
pub(super) const MAX_SELECTED: u32 = 8;

/// The decisions about one function.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The location of each local variable.
    pub(super) locals: Vec<Home>,
    /// The composite values that are indexed dynamically, but have too many elements for selections.
    pub(super) spilled: FxHashSet<Handle<Expression>>,
    /// By argument: the use of the variable that a pointer argument points to.
    uses: Vec<Use>,
}

/// The location of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// Each scalar of the variable is a register.
    Registers,
    /// The variable is in private memory: the function's own, or the part that functions share.
    Memory(Space),
}

/// The accesses to a private variable.
#[derive(Clone, Copy, Debug)]
struct Use {
    /// The largest number of scalars that a dynamic path may select from; 1 if all paths are constant.
    choices: u32,
    /// Whether functions that are not inlined access the variable too.
    passed: bool,
}

impl Use {
    /// The use of a variable that is accessed by constant paths only.
    const PLAIN: Self = Self { choices: 1, passed: false };
    /// The use of a variable that a function that is not inlined accesses.
    const PASSED: Self = Self { choices: u32::MAX, passed: true };

    fn choosing(choices: u32) -> Self {
        Self { choices, ..Self::PLAIN }
    }

    fn and(self, other: Self) -> Self {
        Self { choices: self.choices.max(other.choices), passed: self.passed || other.passed }
    }
}

/// The decisions about all functions.
#[derive(Debug)]
pub(super) struct Plans {
    pub(super) functions: Vec<Rc<Plan>>,
    pub(super) entry: Rc<Plan>,
    /// The location of each variable of the module, if it is private.
    pub(super) globals: Vec<Home>,
}

#[derive(Clone, Copy)]
enum Origin {
    Local(usize),
    Global(usize),
    Argument(usize),
}

struct Survey<'a> {
    module: &'a naga::Module,
    types: &'a Types<'a>,
    function: &'a Function,
    info: &'a FunctionInfo,
    inlining: &'a Inlining,
    /// Whether the function's code may be part of a function that is not inlined.
    within: bool,
    callees: &'a [Rc<Plan>],
    /// By expression: for a pointer to private memory, its origin and the number of scalars it may select from.
    paths: Vec<Option<(Origin, u32)>>,
    locals: Vec<Use>,
    arguments: Vec<Use>,
    spilled: FxHashSet<Handle<Expression>>,
}

impl Plans {
    /// Analyses all functions, callees first.
    pub(super) fn new(
        module: &naga::Module,
        info: &ModuleInfo,
        types: &Types<'_>,
        inlining: &Inlining,
        entry: &Function,
        entry_info: &FunctionInfo,
    ) -> Self {
        let mut globals = vec![Use::PLAIN; module.global_variables.len()];
        let mut functions: Vec<Rc<Plan>> = Vec::with_capacity(module.functions.len());
        for (handle, function) in module.functions.iter() {
            let within = inlining.is_within(handle.index());
            let plan = survey(module, types, (inlining, within), function, &info[handle], &functions, &mut globals);
            functions.push(Rc::new(plan));
        }
        let entry = survey(module, types, (inlining, false), entry, entry_info, &functions, &mut globals);
        let entry = Rc::new(entry);
        let globals = module
            .global_variables
            .iter()
            .map(|(handle, variable)| home(types, variable.ty, globals[handle.index()]))
            .collect();
        Self { functions, entry, globals }
    }
}

fn home(types: &Types<'_>, ty: Handle<naga::Type>, uses: Use) -> Home {
    let fits = types.of(ty).is_ok_and(|shape| {
        uses.choices <= MAX_CHOICES && (matches!(shape, Shape::Cooperative { .. }) || types.count(shape) <= MAX_SCALARS)
    });
    match (uses.passed, fits) {
        (true, _) => Home::Memory(Space::Passed),
        (false, true) => Home::Registers,
        (false, false) => Home::Memory(Space::Private),
    }
}

fn survey(
    module: &naga::Module,
    types: &Types<'_>,
    (inlining, within): (&Inlining, bool),
    function: &Function,
    info: &FunctionInfo,
    callees: &[Rc<Plan>],
    globals: &mut [Use],
) -> Plan {
    let mut survey = Survey {
        module,
        types,
        function,
        info,
        inlining,
        within,
        callees,
        paths: Vec::with_capacity(function.expressions.len()),
        locals: vec![Use::PLAIN; function.local_variables.len()],
        arguments: vec![Use::PLAIN; function.arguments.len()],
        spilled: FxHashSet::default(),
    };
    for (handle, expression) in function.expressions.iter() {
        let path = survey.path(handle, expression, globals);
        survey.paths.push(path);
    }
    survey.block(&function.body, globals);
    let locals = function
        .local_variables
        .iter()
        .map(|(handle, local)| home(types, local.ty, survey.locals[handle.index()]))
        .collect();
    Plan { locals, spilled: survey.spilled, uses: survey.arguments }
}

impl Survey<'_> {
    fn note(&mut self, origin: Origin, uses: Use, globals: &mut [Use]) {
        let noted = match origin {
            Origin::Local(index) => self.locals.get_mut(index),
            Origin::Global(index) => globals.get_mut(index),
            Origin::Argument(index) => self.arguments.get_mut(index),
        };
        if let Some(noted) = noted {
            *noted = noted.and(uses);
        }
    }

    fn path(
        &mut self,
        handle: Handle<Expression>,
        expression: &Expression,
        globals: &mut [Use],
    ) -> Option<(Origin, u32)> {
        match *expression {
            Expression::LocalVariable(local) => Some((Origin::Local(local.index()), 1)),
            Expression::GlobalVariable(global) => {
                let private = self.module.global_variables[global].space == AddressSpace::Private;
                if private && self.within {
                    self.note(Origin::Global(global.index()), Use::PASSED, globals);
                }
                private.then_some((Origin::Global(global.index()), 1))
            }
            Expression::FunctionArgument(index) => {
                self.types.pointee(&self.info[handle].ty)?;
                Some((Origin::Argument(index as usize), 1))
            }
            Expression::AccessIndex { base, .. } => self.paths.get(base.index()).copied().flatten(),
            Expression::Access { base, index } => {
                let Some(pointee) = self.types.pointee(&self.info[base].ty) else {
                    self.access_value(base, index);
                    return None;
                };
                let (origin, choices) = self.paths.get(base.index()).copied().flatten()?;
                let count = self.types.elements(pointee, Rule::Registers).and_then(|elements| elements.count);
                let constant = self.constant(index).is_some_and(|known| count.is_some_and(|count| known < count));
                let here = if constant { 1 } else { count.unwrap_or(u32::MAX) };
                let choices = choices.saturating_mul(here);
                self.note(origin, Use::choosing(choices), globals);
                Some((origin, choices))
            }
            Expression::CooperativeLoad { ref data, .. } => {
                if let Some((origin, _)) = self.paths.get(data.pointer.index()).copied().flatten() {
                    self.note(origin, Use::choosing(u32::MAX), globals);
                }
                None
            }
            _ => None,
        }
    }

    fn access_value(&mut self, base: Handle<Expression>, index: Handle<Expression>) {
        let Ok(shape) = self.types.resolved(&self.info[base].ty) else { return };
        let count = self.types.elements(shape, Rule::Registers).and_then(|elements| elements.count);
        if self.constant(index).is_none() && count.is_some_and(|count| count > MAX_SELECTED) {
            self.spilled.insert(base);
        }
    }

    fn constant(&self, index: Handle<Expression>) -> Option<u32> {
        let literal = match self.function.expressions[index] {
            Expression::Literal(literal) => literal,
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                match self.module.global_expressions[init] {
                    Expression::Literal(literal) => literal,
                    _ => return None,
                }
            }
            _ => return None,
        };
        match literal {
            Literal::U32(value) => Some(value),
            Literal::I32(value) => u32::try_from(value).ok(),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block, globals: &mut [Use]) {
        for (statement, _) in statements(block) {
            match statement {
                Statement::Call { function, arguments, .. } => self.call(*function, arguments, globals),
                Statement::CooperativeStore { data, .. } => {
                    if let Some((origin, _)) = self.paths[data.pointer.index()] {
                        self.note(origin, Use::choosing(u32::MAX), globals);
                    }
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, function: Handle<Function>, arguments: &[Handle<Expression>], globals: &mut [Use]) {
        for (position, argument) in arguments.iter().enumerate() {
            let Some((origin, choices)) = self.paths[argument.index()] else { continue };
            if self.inlining.is_apart(function) {
                self.note(origin, Use::PASSED, globals);
                continue;
            }
            let callee = self.callees.get(function.index());
            let within = callee.and_then(|callee| callee.uses.get(position).copied());
            let within = within.unwrap_or(Use::choosing(u32::MAX));
            self.note(origin, Use { choices: choices.saturating_mul(within.choices), ..within }, globals);
        }
    }
}
