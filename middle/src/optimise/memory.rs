//! The known contents of variables at the current statement, and versions of memory.

use anywarp_backend::statements;
use naga::{
    AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement, StorageAccess,
    TypeInner,
};
use rustc_hash::FxHashMap;

use super::scope::Scopes;
use crate::rebuild::operands::{for_each_operand, for_each_statement_operand};
use crate::rebuild::prune::local_of;

/// The variable or memory that a pointer points into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A variable; the boolean is true if the pointer points to the whole variable, false if it points to a component
    /// or element.
    Local(Handle<LocalVariable>, bool),
    /// Several of the variables that replace an array or a struct: the index of the first one, and their number.
    Part(usize, usize),
    /// Memory that other invocations or functions can access.
    Other,
}

/// The variables that some statements stored to, by index, each with its content after these statements; `None` if the
/// content is unknown.
pub(super) type Changes = FxHashMap<usize, Option<Handle<Expression>>>;

/// The known contents of variables at the current statement, and the versions of memory.
pub(super) struct Memory {
    locals: Vec<Local>,
    /// The index of each changed variable, with its content before the change, for [`undo`](Self::undo).
    log: Vec<(usize, Option<Handle<Expression>>)>,
    /// The number of changes so far of memory that other invocations or functions can access.
    others: u32,
    /// By index of a global variable: whether the kernel never writes the variable.
    constant: Vec<bool>,
}

struct Local {
    value: Option<Handle<Expression>>,
    /// The number of changes of the variable so far.
    version: u32,
    /// Whether loads of the variable can be replaced by its known content.
    forwards: bool,
    /// Whether anything other than loads and stores uses a pointer to the variable.
    escaped: bool,
}

/// By variable: whether anything other than loads and stores uses a pointer to the variable.
pub(super) fn escaped(function: &Function) -> Vec<bool> {
    let mut escaped = vec![false; function.local_variables.len()];
    let mut escape = |pointer: Handle<Expression>| {
        if let Some(local) = local_of(&function.expressions, pointer) {
            escaped[local.index()] = true;
        }
    };
    for (_, expression) in function.expressions.iter() {
        match *expression {
            Expression::Access { index, .. } => escape(index),
            Expression::AccessIndex { .. } | Expression::Load { .. } => {}
            _ => for_each_operand(expression, &mut escape),
        }
    }
    for (statement, _) in statements(&function.body) {
        match statement {
            Statement::Store { value, .. } => escape(*value),
            _ => for_each_statement_operand(statement, &mut escape),
        }
    }
    escaped
}

impl Memory {
    /// The state at the start of a function. `escaped` has an entry for each variable to which pointers may have other
    /// uses than loads and stores; variables beyond its end have no such pointers.
    pub(super) fn new(module: &Module, function: &Function, escaped: &[bool]) -> Self {
        let locals = function.local_variables.iter().map(|(handle, local)| {
            let escaped = escaped.get(handle.index()).copied().unwrap_or(false);
            let plain = matches!(
                module.types[local.ty].inner,
                TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. }
            );
            Local { value: None, version: 0, forwards: plain && !escaped, escaped }
        });
        let constant = |variable: &GlobalVariable| match variable.space {
            AddressSpace::Uniform | AddressSpace::Immediate => true,
            AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
            _ => false,
        };
        Self {
            locals: locals.collect(),
            log: Vec::new(),
            others: 0,
            constant: module.global_variables.iter().map(|(_, variable)| constant(variable)).collect(),
        }
    }

    /// Whether loads of a variable can be replaced by its known content.
    pub(super) fn forwards(&self, local: Handle<LocalVariable>) -> bool {
        self.locals[local.index()].forwards
    }

    /// The content of a variable, if the content is known and can be used in the current scope.
    pub(super) fn get(&self, local: Handle<LocalVariable>, scopes: &Scopes) -> Option<Handle<Expression>> {
        self.locals[local.index()].value.filter(|value| scopes.visible(*value).is_some())
    }

    /// Sets the content of a variable; `None` stands for unknown content.
    pub(super) fn set(&mut self, local: Handle<LocalVariable>, value: Option<Handle<Expression>>) {
        self.set_at(local.index(), value);
    }

    fn set_at(&mut self, at: usize, value: Option<Handle<Expression>>) {
        let local = &mut self.locals[at];
        if local.value != value {
            self.log.push((at, std::mem::replace(&mut local.value, value)));
        }
    }

    /// Records a store; `pointer` and `value` are expressions of the new function.
    pub(super) fn store(
        &mut self,
        expressions: &Arena<Expression>,
        pointer: Handle<Expression>,
        value: Handle<Expression>,
    ) {
        match (local_of(expressions, pointer), &expressions[pointer]) {
            (Some(local), whole) => {
                let whole = matches!(whole, Expression::LocalVariable(_));
                let at = local.index();
                self.locals[at].version += 1;
                let value = (whole && self.locals[at].forwards).then_some(value);
                // The log gets an entry even if the content stays the same, because the variable counts as written.
                self.log.push((at, self.locals[at].value));
                self.locals[at].value = value;
            }
            // The store is to a global variable or through an argument, never to a variable whose content is known.
            (None, _) => self.others += 1,
        }
    }

    /// Whether a statement other than a store changes memory, or lets other invocations change memory.
    pub(super) fn changes(statement: &Statement) -> bool {
        match statement {
            Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::ImageStore { .. }
            | Statement::Atomic { .. }
            | Statement::ImageAtomic { .. }
            | Statement::WorkGroupUniformLoad { .. }
            | Statement::Call { .. }
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::CooperativeStore { .. } => true,
            Statement::Emit(_)
            | Statement::Block(_)
            | Statement::If { .. }
            | Statement::Switch { .. }
            | Statement::Loop { .. }
            | Statement::Break
            | Statement::Continue
            | Statement::Return { .. }
            | Statement::Kill
            | Statement::Store { .. }
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => false,
        }
    }

    /// Records the effects on memory of a statement other than a store.
    pub(super) fn after(&mut self, statement: &Statement) {
        if Self::changes(statement) {
            self.others += 1;
        }
    }

    /// The version of the variable or memory that a pointer starts from, which changes with the content; `None` if the
    /// content may change unnoticed.
    pub(super) fn version(&self, root: &Expression) -> Option<u32> {
        match *root {
            Expression::LocalVariable(local) => {
                let local = &self.locals[local.index()];
                (!local.escaped).then_some(local.version)
            }
            Expression::GlobalVariable(variable) => {
                Some(if self.constant[variable.index()] { 0 } else { self.others + 1 })
            }
            _ => None,
        }
    }

    /// The current point, for [`undo`](Self::undo).
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Restores the contents that variables had at a mark. Returns the variables written since the mark, with their
    /// last contents. Versions do not go back.
    pub(super) fn undo(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::default();
        for (at, before) in self.log.drain(mark..).rev() {
            let local = &mut self.locals[at];
            changes.entry(at).or_insert(local.value);
            local.value = before;
        }
        changes
    }

    /// Applies the changes of the only path that leads to the current point.
    pub(super) fn take(&mut self, changes: &Changes, scopes: &Scopes) {
        for (at, value) in changes {
            self.merge(*at, value.filter(|value| scopes.visible(*value).is_some()));
        }
    }

    /// Applies the changes of two paths: contents that are the same on both stay known.
    pub(super) fn join(&mut self, left: &Changes, right: &Changes, scopes: &Scopes) {
        for (changed, others) in [(left, right), (right, left)] {
            for (at, value) in changed {
                let other = others.get(at).copied().unwrap_or(self.locals[*at].value);
                let same = value.filter(|value| other == Some(*value) && scopes.visible(*value).is_some());
                self.merge(*at, same);
            }
        }
    }

    fn merge(&mut self, at: usize, value: Option<Handle<Expression>>) {
        self.locals[at].version += 1;
        self.log.push((at, self.locals[at].value));
        self.locals[at].value = value;
    }

    /// Records that variables may have been written.
    pub(super) fn forget(&mut self, locals: &[usize]) {
        for at in locals {
            self.merge(*at, None);
        }
    }

    /// Records that shared memory may have been written.
    pub(super) fn forget_others(&mut self) {
        self.others += 1;
    }

    /// Records that any memory may have been written.
    pub(super) fn forget_all(&mut self) {
        self.others += 1;
        for at in 0..self.locals.len() {
            self.merge(at, None);
        }
    }
}
