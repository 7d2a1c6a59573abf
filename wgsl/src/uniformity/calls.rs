//! Calls of functions, and of the built-in functions that are statements in naga's module.

use naga::{Barrier, CollectiveOperation, Expression, Function, GatherMode, Handle, Span, Statement};

use super::graph::{Node, Origin};
use super::requirement::Needed;
use super::scope::Scope;
use super::variables::root;
use super::walk::Walk;
use crate::filters::Rule;

impl Walk<'_> {
    /// Adds a call of a function, with the requirements and effects in the function's summary.
    pub(super) fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: Span,
        at: Node,
    ) {
        let summaries = self.summaries;
        let Some(summary) = summaries.get(function.index()) else { return };
        let values: Vec<Node> = arguments.iter().map(|argument| self.value(*argument, at)).collect();
        let contents: Vec<Node> = arguments
            .iter()
            .zip(&values)
            .zip(&summary.parameters)
            .map(|((argument, value), parameter)| {
                if !parameter.is_pointer {
                    return *value;
                }
                let contents = self.graph.add(Origin::Inner);
                self.graph.edge(contents, *value);
                if let Some(pointee) = self.contents(*argument) {
                    self.graph.edge(contents, pointee);
                }
                contents
            })
            .collect();
        if let Some(number) = summary.call {
            self.require_for(function, number, at, span, Needed::Flow);
        }
        let returned = self.graph.add(Origin::Returned { function, at: span });
        self.graph.edge(returned, at);
        if summary.returns_non_uniform {
            self.graph.edge(returned, Node::MAY_BE_NON_UNIFORM);
        }
        for (index, parameter) in summary.parameters.iter().enumerate() {
            for (number, node) in [(parameter.value, values[index]), (parameter.contents, contents[index])] {
                if let Some(number) = number {
                    self.require_for(function, number, node, span, Needed::Argument);
                }
            }
            for (_, node) in [(parameter.returns_value, values[index]), (parameter.returns_contents, contents[index])]
                .into_iter()
                .filter(|(returns, _)| *returns)
            {
                self.graph.edge(returned, node);
            }
        }
        if let Some(result) = result {
            self.set_value(result, returned, at);
        }
        self.write_pointees(function, arguments, [&values, &contents], span, at);
    }

    /// Sets the values that variables have after a call, for the variables to which the call's pointer arguments refer.
    fn write_pointees(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        [values, contents]: [&[Node]; 2],
        at: Span,
        flow: Node,
    ) {
        let summaries = self.summaries;
        let parameters = summaries[function.index()].parameters.iter().zip(arguments).enumerate();
        for (parameter, (summary, argument)) in parameters {
            let Some(output) = &summary.output else { continue };
            let Some((variable, is_whole)) = root(self.function, *argument) else { continue };
            let after = self.graph.add(Origin::Pointee { function, parameter, at });
            self.graph.edge(after, flow);
            if output.is_non_uniform {
                self.graph.edge(after, Node::MAY_BE_NON_UNIFORM);
            }
            if !is_whole {
                // The value after the call also depends on which part of the variable the pointer addresses, and on the
                // value of the other parts.
                self.graph.edge(after, values[parameter]);
                self.graph.edge(after, self.variables.get(variable));
            }
            for index in &output.from_values {
                self.graph.edge(after, values[*index]);
            }
            for index in &output.from_contents {
                self.graph.edge(after, contents[*index]);
            }
            self.variables.set(variable, after);
        }
    }

    /// Adds a statement that is neither control flow nor a call of the author's functions nor a store.
    pub(super) fn operation(&mut self, statement: &Statement, span: Span, at: Node) {
        match statement {
            Statement::ControlBarrier(barrier) if barrier.contains(Barrier::SUB_GROUP) => {
                self.require_subgroup(at, span, Needed::Flow);
            }
            Statement::ControlBarrier(_) => self.require_workgroup(at, span, Needed::Flow),
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let address = self.value(*pointer, at);
                self.require_workgroup(at, span, Needed::Flow);
                if address != at {
                    self.require_workgroup(address, span, Needed::Argument);
                }
                self.set_value(*result, at, at);
            }
            Statement::Atomic { result: Some(result), .. } => self.unknown_result(*result, at),
            Statement::SubgroupBallot { result, predicate } => {
                self.subgroup_result(*result, predicate.as_slice(), span, at);
            }
            Statement::SubgroupCollectiveOperation { collective_op, argument, result, .. } => {
                let of = Some(*argument).filter(|_| *collective_op == CollectiveOperation::Reduce);
                self.subgroup_result(*result, of.as_slice(), span, at);
            }
            Statement::SubgroupGather { mode, argument, result } => {
                match mode {
                    GatherMode::BroadcastFirst => self.subgroup_result(*result, &[*argument], span, at),
                    GatherMode::Broadcast(by) => self.subgroup_result(*result, &[*argument, *by], span, at),
                    _ => self.subgroup_result(*result, &[], span, at),
                }
                if let GatherMode::ShuffleUp(by) | GatherMode::ShuffleDown(by) | GatherMode::ShuffleXor(by) = mode {
                    let by = self.value(*by, at);
                    self.require_subgroup(by, span, Needed::Argument);
                }
            }
            _ => {}
        }
    }

    /// Adds the result of a subgroup operation. For some operations the result is uniform within a subgroup if the
    /// arguments in `of` are uniform; the specification has no rule for this case.
    fn subgroup_result(&mut self, result: Handle<Expression>, of: &[Handle<Expression>], span: Span, at: Node) {
        self.require_subgroup(at, span, Needed::Flow);
        if of.is_empty() || self.scope != Scope::Subgroup {
            return self.unknown_result(result, at);
        }
        let value = self.graph.add(Origin::Value(result));
        self.graph.edge(value, at);
        for argument in of {
            let argument = self.value(*argument, at);
            self.graph.edge(value, argument);
        }
        self.set_value(result, value, at);
    }

    fn unknown_result(&mut self, result: Handle<Expression>, at: Node) {
        let value = self.graph.add(Origin::Value(result));
        self.graph.edge(value, Node::MAY_BE_NON_UNIFORM);
        self.set_value(result, value, at);
    }

    fn require_workgroup(&mut self, node: Node, at: Span, needed: Needed) {
        if self.scope.has_synchronization() {
            self.require(node, at, None, needed);
        }
    }

    fn require_subgroup(&mut self, node: Node, at: Span, needed: Needed) {
        if self.scope.has_subgroups() {
            self.require(node, at, Some(Rule::SubgroupUniformity), needed);
        }
    }
}
