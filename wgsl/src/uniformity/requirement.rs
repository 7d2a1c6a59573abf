//! Requirements: a node that must be uniform, and the operation that requires it.

use naga::{Function, Handle, Span};

use super::graph::Node;
use super::walk::Walk;
use crate::filters::{Rule, Severity};

/// A node that must be uniform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requirement {
    pub(super) node: Node,
    pub(super) severity: Severity,
    pub(super) rule: Option<Rule>,
    pub(super) needed: Needed,
    /// The span of the operation, or of the call that contains it.
    pub(super) at: Span,
    pub(super) by: By,
}

/// Whether control flow or an argument must be uniform at an operation or a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// Control flow at the operation.
    Flow,
    /// A value that is passed as an argument.
    Argument,
}

/// The origin of a requirement.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// A call of a built-in function in this function.
    Operation,
    /// A call of a function, because of the requirement of that function with this number.
    Call(Handle<Function>, u32),
}

impl Walk<'_> {
    /// Adds a requirement of a built-in function; filters of `rule` apply to the requirement.
    pub(super) fn require(&mut self, node: Node, at: Span, rule: Option<Rule>, needed: Needed) {
        let start = at.to_range().map_or(0, |range| range.start);
        let severity = rule.map_or(Some(Severity::Error), |rule| self.filters.severity(rule, start));
        if let Some(severity) = severity {
            self.requirements.push(Requirement { node, severity, rule, needed, at, by: By::Operation });
        }
    }

    /// Adds a requirement of a call, for the requirement `number` of the called function.
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
