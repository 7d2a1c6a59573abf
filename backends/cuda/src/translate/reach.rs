//! The variables and limits that functions and their callees use.

use anywarp_backend::{Program, statements};
use naga::{AddressSpace, Function, GlobalVariable, Handle, Statement};
use rustc_hash::FxHashSet;

use super::names::FunctionKey;
use super::proven::{Proven, proofs};

/// The variables and limits that the functions of a program use.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// For each function, whether a loop in it or in a callee is limited.
    limited: Vec<bool>,
    entry_limited: bool,
    /// The variables that the entry point's callees use, without workgroup variables.
    shared: FxHashSet<Handle<GlobalVariable>>,
    /// For each function, whether it takes the context struct.
    contexts: Vec<bool>,
}

impl Reach {
    /// Determines the uses by visiting all functions; callees come before callers in a module.
    pub(super) fn new(program: &Program, entry: &Function, checked: bool) -> Self {
        let module = &program.module;
        let proofs = proofs(program);
        let mut reach = Self::default();
        for (handle, function) in module.functions.iter() {
            let proven = Proven::of(proofs, FunctionKey::Function(handle), function);
            let limited = checked && reach.limits(function, &proven);
            reach.limited.push(limited);
            let info = &program.module.info()[handle];
            let mut context = limited;
            for (variable, global) in module.global_variables.iter() {
                if global.space != AddressSpace::WorkGroup && !info[variable].is_empty() {
                    reach.shared.insert(variable);
                    context = true;
                }
            }
            reach.contexts.push(context);
        }
        reach.entry_limited = checked && reach.limits(entry, &Proven::of(proofs, FunctionKey::Entry, entry));
        reach
    }

    fn limits(&self, function: &Function, proven: &Proven<'_>) -> bool {
        statements(&function.body).any(|(statement, _)| match statement {
            Statement::Loop { body, .. } => !proven.ends(body),
            Statement::Call { function, .. } => self.limited.get(function.index()).copied().unwrap_or(false),
            _ => false,
        })
    }

    /// Returns whether any loop of the kernel is limited.
    pub(super) fn limited(&self) -> bool {
        self.entry_limited || self.limits_are_shared()
    }

    /// Returns whether functions other than the entry point limit loops, so that the context contains the budget.
    pub(super) fn limits_are_shared(&self) -> bool {
        self.limited.contains(&true)
    }

    /// Returns whether any function takes the context struct.
    pub(super) fn has_context(&self) -> bool {
        self.contexts.contains(&true)
    }

    /// Returns whether a function takes the context struct.
    pub(super) fn takes_context(&self, key: FunctionKey) -> bool {
        match key {
            FunctionKey::Entry => false,
            FunctionKey::Function(handle) => self.contexts.get(handle.index()).copied().unwrap_or(false),
        }
    }

    /// Returns whether a variable is a member of the context struct.
    pub(super) fn is_shared(&self, variable: Handle<GlobalVariable>) -> bool {
        self.shared.contains(&variable)
    }
}
