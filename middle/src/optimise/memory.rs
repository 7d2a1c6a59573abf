//! Forwarding: what variables hold at the place that is being written, and which memory has changed since.

use anywarp_backend::statements;
use naga::{
    AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Statement, StorageAccess,
    TypeInner,
};
use rustc_hash::FxHashMap;

use super::scope::Scopes;
use crate::rebuild::operands::{for_each_operand, for_each_statement_operand};
use crate::rebuild::prune::local_of;

/// What a pointer leads into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A variable; whether all of it.
    Local(Handle<LocalVariable>, bool),
    /// So many of the variables that an array or a structure became, from the first.
    Part(usize, usize),
    /// Memory that others see.
    Other,
}

/// Variables by index, and what they hold after some statements.
pub(super) type Changes = FxHashMap<usize, Option<Handle<Expression>>>;

/// What is known of memory.
pub(super) struct Memory {
    locals: Vec<Local>,
    /// What was known before, to go back to.
    log: Vec<(usize, Option<Handle<Expression>>)>,
    /// Counts changes of memory that others see.
    others: u32,
    /// By global variable: whether nothing in the kernel writes it.
    constant: Vec<bool>,
}

struct Local {
    value: Option<Handle<Expression>>,
    /// Counts changes.
    version: u32,
    /// Whether its values can stand for loads of it.
    forwards: bool,
    escaped: bool,
}

/// Marks variables whose pointers go elsewhere than into loads and stores.
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
    /// Before a function starts. `escaped` may lack the last variables.
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

    /// Whether values of a variable can stand for loads of it.
    pub(super) fn forwards(&self, local: Handle<LocalVariable>) -> bool {
        self.locals[local.index()].forwards
    }

    /// What a variable holds, if that is known and can be used here.
    pub(super) fn get(&self, local: Handle<LocalVariable>, scopes: &Scopes) -> Option<Handle<Expression>> {
        self.locals[local.index()].value.filter(|value| scopes.visible(*value).is_some())
    }

    /// What a variable holds from now on is this, or not known.
    pub(super) fn set(&mut self, local: Handle<LocalVariable>, value: Option<Handle<Expression>>) {
        self.set_at(local.index(), value);
    }

    fn set_at(&mut self, at: usize, value: Option<Handle<Expression>>) {
        let local = &mut self.locals[at];
        if local.value != value {
            self.log.push((at, std::mem::replace(&mut local.value, value)));
        }
    }

    /// A store, of new expressions.
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
                // Also a variable that holds the same as before has been written.
                self.log.push((at, self.locals[at].value));
                self.locals[at].value = value;
            }
            // Of a function's own memory, none that is known: its pointer was handed in.
            (None, _) => self.others += 1,
        }
    }

    /// Whether a statement changes memory, or lets others change it. Not asked of stores.
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

    /// A statement other than a store has run.
    pub(super) fn after(&mut self, statement: &Statement) {
        if Self::changes(statement) {
            self.others += 1;
        }
    }

    /// A number that stays the same while what a pointer of the new function leads into does; `None` where that cannot
    /// be told.
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

    /// A point to go back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Goes back; returns what variables held that were written since. Versions never go back.
    pub(super) fn undo(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::default();
        for (at, before) in self.log.drain(mark..).rev() {
            let local = &mut self.locals[at];
            changes.entry(at).or_insert(local.value);
            local.value = before;
        }
        changes
    }

    /// What one way here has changed, the only one.
    pub(super) fn take(&mut self, changes: &Changes, scopes: &Scopes) {
        for (at, value) in changes {
            self.merge(*at, value.filter(|value| scopes.visible(*value).is_some()));
        }
    }

    /// What two ways here have changed: what is the same after both is known.
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

    /// Variables may have been written.
    pub(super) fn forget(&mut self, locals: &[usize]) {
        for at in locals {
            self.merge(*at, None);
        }
    }

    /// Memory that others see may have been written.
    pub(super) fn forget_others(&mut self) {
        self.others += 1;
    }

    /// Everything may have been written.
    pub(super) fn forget_all(&mut self) {
        self.others += 1;
        for at in 0..self.locals.len() {
            self.merge(at, None);
        }
    }
}
