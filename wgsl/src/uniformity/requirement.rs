//! Requirements: a node that has to be uniform, and the operation that asks for it.

use naga::{Function, Handle, Span};

use super::graph::Node;
use super::walk::Walk;
use crate::filters::{Rule, Severity};

/// A node that has to be uniform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirement {
    pub(super) node: Node,
    pub(super) severity: Severity,
    pub(super) rule: Option<Rule>,
    pub(super) needed: Needed,
    /// The operation, or the call that leads to it.
    pub(super) at: Span,
    pub(super) by: By,
}

/// The part of an operation or a call that has to be uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// Control flow there.
    Flow,
    /// An argument.
    Argument,
}

/// The reason.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// A built-in function.
    Operation,
    /// A function that is called, by its requirement of this number.
    Call(Handle<Function>, u32),
}

impl Walk<'_> {
    /// A built-in function needs `node`. `rule` is what filters that, if anything can.
    pub(super) fn require(&mut self, node: Node, at: Span, rule: Option<Rule>, needed: Needed) {
        let start = at.to_range().map_or(0, |range| range.start);
        let severity = rule.map_or(Some(Severity::Error), |rule| self.filters.severity(rule, start));
        if let Some(severity) = severity {
            self.requirements.push(Requirement { node, severity, rule, needed, at, by: By::Operation });
        }
    }

    /// A function that is called needs `node`, by its requirement `number`.
    pub(super) fn require_for(
        &mut self,
        function: Handle<Function>,
        number: u32,
        node: Node,
        at: Span,
        needed: Needed,
    ) {
        let inner = self.summaries[function.index()].requirements[number as usize];
        let by = By::Call(function, number);
        self.requirements.push(Requirement { node, needed, at, by, ..inner });
    }
}
