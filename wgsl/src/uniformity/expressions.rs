//! The values of expressions. A value is uniform if all its parts are uniform.

use naga::{Expression, Handle, ImageQuery, SampleLevel};

use super::graph::{Node, Origin};
use super::requirement::Needed;
use super::sources::{argument_is_uniform, is_read_only, is_read_write_texture};
use super::variables::root;
use super::walk::Walk;
use crate::filters::Rule;

impl Walk<'_> {
    /// Evaluates an expression at a point of the function; `at` is the node of control flow at that point.
    pub(super) fn evaluate(&mut self, expression: Handle<Expression>, at: Node) {
        let value = self.fresh(expression, at);
        self.set_value(expression, value, at);
    }

    pub(super) fn set_value(&mut self, expression: Handle<Expression>, value: Node, at: Node) {
        self.values[expression.index()] = Some((value, at));
    }

    /// The value of an expression that is used at a point of the function; `at` is the node of control flow at that
    /// point.
    pub(super) fn value(&mut self, expression: Handle<Expression>, at: Node) -> Node {
        match self.values[expression.index()] {
            // A value already depends on control flow at the point where it was evaluated.
            Some((value, evaluated)) if evaluated == at => value,
            // Some of the invocations that evaluated the expression may not reach this use.
            Some((value, _)) if at != Node::START => {
                let used = self.graph.add(Origin::Inner);
                self.graph.edge(used, at);
                self.graph.edge(used, value);
                used
            }
            Some((value, _)) => value,
            // Literals, variables and similar expressions are not evaluated by a statement.
            None => self.fresh(expression, at),
        }
    }

    fn fresh(&mut self, expression: Handle<Expression>, at: Node) -> Node {
        let mut sources = Sources { at, nodes: Vec::new() };
        match &self.function.expressions[expression] {
            Expression::FunctionArgument(argument) => {
                // At its first use, an argument does not depend on control flow.
                let value = self.argument(expression, *argument as usize);
                self.set_value(expression, value, Node::START);
                return self.value(expression, at);
            }
            Expression::Load { pointer } => {
                sources.add(self.value(*pointer, at));
                if let Some(contents) = self.contents(*pointer) {
                    sources.add(contents);
                    // Control flow is added, because the variable may have been assigned in other control flow.
                    return self.node(Origin::Value(expression), &sources, true);
                }
            }
            Expression::ImageLoad { image, .. } if self.is_read_write_texture(*image) => {
                sources.add(Node::MAY_BE_NON_UNIFORM);
            }
            Expression::ImageSample { gather: None, level: SampleLevel::Auto | SampleLevel::Bias(_), .. }
            | Expression::Derivative { .. } => {
                self.require_derivative(expression, at);
                sources.add(Node::MAY_BE_NON_UNIFORM);
            }
            Expression::RayQueryProceedResult
            | Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryGetIntersection { .. } => sources.add(Node::MAY_BE_NON_UNIFORM),
            _ => {}
        }
        let mut parts = Vec::new();
        each_part(&self.function.expressions[expression], |part| parts.push(part));
        for part in parts {
            let value = self.value(part, at);
            sources.add(value);
        }
        let has_name = self.function.named_expressions.contains_key(&expression);
        match sources.nodes.as_slice() {
            [one] if !has_name && *one != Node::MAY_BE_NON_UNIFORM => *one,
            _ => self.node(Origin::Value(expression), &sources, false),
        }
    }

    /// Returns a node that depends on `sources` and, if `adds_flow` is set, on control flow.
    fn node(&mut self, origin: Origin, sources: &Sources, adds_flow: bool) -> Node {
        if sources.nodes.is_empty() {
            return sources.at;
        }
        let node = self.graph.add(origin);
        if adds_flow && sources.at != Node::START {
            self.graph.edge(node, sources.at);
        }
        for source in &sources.nodes {
            self.graph.edge(node, *source);
        }
        node
    }

    fn argument(&mut self, expression: Handle<Expression>, argument: usize) -> Node {
        let source = match self.subject.stage {
            None => self.nodes.value(argument),
            Some(stage) => {
                let declared = &self.function.arguments[argument];
                if argument_is_uniform(self.module, stage, self.scope, declared) {
                    return Node::START;
                }
                Node::MAY_BE_NON_UNIFORM
            }
        };
        let value = self.graph.add(Origin::Value(expression));
        self.graph.edge(value, source);
        value
    }

    /// The value that a pointer refers to; `None` if that value is always uniform.
    pub(super) fn contents(&self, pointer: Handle<Expression>) -> Option<Node> {
        if let Some((variable, _)) = root(self.function, pointer) {
            return Some(if self.is_shared(variable) {
                Node::MAY_BE_NON_UNIFORM
            } else {
                self.variables.get(variable)
            });
        }
        let mut at = pointer;
        loop {
            match self.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = base,
                Expression::GlobalVariable(variable) => {
                    let space = self.module.global_variables[variable].space;
                    return (!is_read_only(space)).then_some(Node::MAY_BE_NON_UNIFORM);
                }
                _ => return Some(Node::MAY_BE_NON_UNIFORM),
            }
        }
    }

    fn is_read_write_texture(&self, image: Handle<Expression>) -> bool {
        let ty = match self.function.expressions[image] {
            Expression::GlobalVariable(variable) => self.module.global_variables[variable].ty,
            Expression::FunctionArgument(argument) => self.function.arguments[argument as usize].ty,
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                return self.is_read_write_texture(base);
            }
            _ => return false,
        };
        is_read_write_texture(self.module, ty)
    }

    fn require_derivative(&mut self, expression: Handle<Expression>, at: Node) {
        let span = self.function.expressions.get_span(expression);
        if self.scope.has_synchronization() {
            self.require(at, span, Some(Rule::DerivativeUniformity), Needed::Flow);
        }
    }
}

/// The distinct nodes that a value depends on, without control flow at the point of evaluation.
struct Sources {
    at: Node,
    nodes: Vec<Node>,
}

impl Sources {
    fn add(&mut self, node: Node) {
        if node != self.at && node != Node::START && !self.nodes.contains(&node) {
            self.nodes.push(node);
        }
    }
}

/// Calls `each` with every operand of an expression.
fn each_part(expression: &Expression, mut each: impl FnMut(Handle<Expression>)) {
    match expression {
        Expression::Compose { components, .. } => components.iter().copied().for_each(each),
        Expression::Access { base, index } => [*base, *index].into_iter().for_each(each),
        Expression::AccessIndex { base, .. } => each(*base),
        Expression::Splat { value, .. } => each(*value),
        Expression::Swizzle { vector, .. } => each(*vector),
        Expression::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            [*image, *sampler, *coordinate].into_iter().for_each(&mut each);
            [*array_index, *offset, *depth_ref].into_iter().flatten().for_each(&mut each);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => each(*level),
                SampleLevel::Gradient { x, y } => [*x, *y].into_iter().for_each(each),
            }
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            [*image, *coordinate].into_iter().for_each(&mut each);
            [*array_index, *sample, *level].into_iter().flatten().for_each(each);
        }
        Expression::ImageQuery { image, query } => {
            each(*image);
            if let ImageQuery::Size { level: Some(level) } = query {
                each(*level);
            }
        }
        Expression::Unary { expr, .. } | Expression::Derivative { expr, .. } | Expression::As { expr, .. } => {
            each(*expr);
        }
        Expression::Binary { left, right, .. } => [*left, *right].into_iter().for_each(each),
        Expression::Select { condition, accept, reject } => {
            [*condition, *accept, *reject].into_iter().for_each(each);
        }
        Expression::Relational { argument, .. } => each(*argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            each(*arg);
            [*arg1, *arg2, *arg3].into_iter().flatten().for_each(each);
        }
        // The length of an array does not depend on its elements.
        Expression::ArrayLength(array) => each(*array),
        Expression::CooperativeLoad { data, .. } => [data.pointer, data.stride].into_iter().for_each(each),
        Expression::CooperativeMultiplyAdd { a, b, c } => [*a, *b, *c].into_iter().for_each(each),
        // `fresh` handles `Load`, whose dependencies change with assignments.
        Expression::Load { .. }
        | Expression::Literal(_)
        | Expression::Constant(_)
        | Expression::Override(_)
        | Expression::ZeroValue(_)
        | Expression::FunctionArgument(_)
        | Expression::GlobalVariable(_)
        | Expression::LocalVariable(_)
        | Expression::CallResult(_)
        | Expression::AtomicResult { .. }
        | Expression::WorkGroupUniformLoadResult { .. }
        | Expression::RayQueryVertexPositions { .. }
        | Expression::RayQueryProceedResult
        | Expression::RayQueryGetIntersection { .. }
        | Expression::SubgroupBallotResult
        | Expression::SubgroupOperationResult { .. } => {}
    }
}
