//! The chain of a failure: the steps from the operation to the cause, as text.

use std::ops::Range;

use anywarp_backend::Source;
use naga::{AddressSpace, Binding, BuiltIn, Expression, Function, Handle, Span, TypeInner};

use super::failure::{Analysis, Link};
use super::graph::{Decision, Node, Origin, Paths};
use super::requirement::{Needed, Requirement};

/// The steps from an operation to the cause of its failure, and the remedies.
#[derive(Debug, Default)]
pub(super) struct Chain {
    pub(super) links: Vec<Link>,
    pub(super) help: Vec<String>,
}

/// Returns the chain from a requirement of the function `number` to the cause. `calls` are the calls from that function
/// to the operation.
pub(super) fn of(
    analysis: &Analysis<'_>,
    source: &Source,
    number: usize,
    causes: &Paths,
    requirement: &Requirement,
    calls: &[Requirement],
) -> Chain {
    let mut chain = Chain::default();
    for call in calls {
        let name = called(source, call.at);
        let text = match call.needed {
            Needed::Flow => format!("the operation is in this call of `{name}`"),
            Needed::Argument => format!("the operation depends on an argument of this call of `{name}`"),
        };
        chain.links.push(Link { at: head(source, call.at), text });
    }
    let mut steps = Vec::new();
    follow(analysis, source, number, causes, requirement.node, &mut steps);
    for (index, step) in steps.iter().enumerate() {
        let next = steps.get(index + 1).and_then(|next| next.subject.as_deref());
        let text = step.said.text(step.subject.as_deref(), next, index + 1 == steps.len());
        // Code that naga generates has no span.
        let is_new = !chain.links.iter().any(|link| link.at == step.at && link.text == text);
        if is_new && step.at.is_defined() {
            chain.links.push(Link { at: step.at, text });
        }
    }
    let decides = steps.iter().any(|step| matches!(step.said, Said::Decides(_)));
    chain.help = steps.last().map(|last| help(source, last, decides)).unwrap_or_default();
    chain
}

/// One step of a chain from an operation to the cause of its failure.
struct Step {
    at: Span,
    /// The name of the value at this span, if the value has one.
    subject: Option<String>,
    said: Said,
}

enum Said {
    Decides(&'static str),
    Depends,
    Returns,
    Begins(Begin),
}

/// The reason why a value is not uniform, as the last step of a chain.
enum Begin {
    /// A built-in value with its name, or an argument that contains such values.
    Argument(Option<String>),
    Memory(&'static str, Option<String>),
    Atomic,
    Subgroup,
    Other,
}

impl Said {
    fn text(&self, subject: Option<&str>, next: Option<&str>, is_last: bool) -> String {
        let subject = subject.unwrap_or("this");
        match (self, next) {
            (Self::Decides(what), Some(next)) => format!("this {what} depends on {next}"),
            (Self::Decides(what), None) => format!("only some invocations reach this {what}"),
            (Self::Depends, Some(next)) => format!("{subject} depends on {next}"),
            (Self::Depends, None) if is_last => format!("{subject} may differ between invocations"),
            (Self::Depends, None) => format!("only some invocations set {subject} here"),
            (Self::Returns, Some(next)) => format!("the result of {subject} depends on {next}"),
            (Self::Returns, None) => format!("the result of {subject} depends on the invocations that call it"),
            (Self::Begins(begin), _) => begin.text(subject),
        }
    }
}

impl Begin {
    fn text(&self, subject: &str) -> String {
        match self {
            Self::Argument(Some(name)) => format!("{subject} is `{name}`, which differs between invocations"),
            Self::Argument(None) => format!("{subject} has a part that differs between invocations"),
            Self::Memory(kind, Some(name)) => format!("{subject} is read from the {kind} `{name}`"),
            Self::Memory(kind, None) => format!("{subject} is read from {kind}"),
            Self::Atomic => format!("{subject} is the result of an atomic operation"),
            Self::Subgroup => format!("{subject} is the result of a subgroup operation"),
            Self::Other => format!("{subject} may differ between invocations"),
        }
    }
}

/// Adds the steps from a node of a function to the cause. Steps within called functions are included.
fn follow(analysis: &Analysis<'_>, source: &Source, number: usize, causes: &Paths, node: Node, steps: &mut Vec<Step>) {
    let summary = &analysis.summaries[number];
    let function = analysis.function(number);
    let mut path = causes.from(node).peekable();
    while let Some(node) = path.next() {
        let is_last = path.peek().is_none();
        match summary.graph.origin(node) {
            Origin::Inner => {}
            Origin::Decision { at, by } => {
                let (at, what) = decision(source, at, by);
                steps.push(Step { at, subject: None, said: Said::Decides(what) });
            }
            Origin::Assigned { variable, at } => {
                if let Some(name) = variable_name(function, variable) {
                    steps.push(Step { at: head(source, at), subject: Some(format!("`{name}`")), said: Said::Depends });
                }
            }
            Origin::Value(expression) => {
                let at = head(source, function.expressions.get_span(expression));
                let subject = subject(source, function, expression);
                if is_last {
                    let said = Said::Begins(begin(analysis, function, expression));
                    steps.push(Step { at, subject, said });
                } else if subject.is_some() {
                    steps.push(Step { at, subject, said: Said::Depends });
                }
            }
            Origin::Returned { function, at } => {
                let subject = Some(format!("`{}`", called(source, at)));
                steps.push(Step { at: head(source, at), subject, said: Said::Returns });
                if is_last {
                    let callee = &analysis.summaries[function.index()];
                    follow(analysis, source, function.index(), &callee.graph.causes(), Node::RETURN, steps);
                }
            }
            Origin::Pointee { function, parameter, at } => {
                let subject = Some(format!("the value stored by `{}`", called(source, at)));
                steps.push(Step { at: head(source, at), subject, said: Said::Depends });
                let callee = &analysis.summaries[function.index()];
                if let Some(output) = callee.nodes.output(parameter).filter(|_| is_last) {
                    follow(analysis, source, function.index(), &callee.graph.causes(), output, steps);
                }
            }
        }
    }
}

/// The origin of a value that differs between invocations.
fn begin(analysis: &Analysis<'_>, function: &Function, expression: Handle<Expression>) -> Begin {
    match &function.expressions[expression] {
        Expression::FunctionArgument(argument) => {
            let argument = &function.arguments[*argument as usize];
            Begin::Argument(match &argument.binding {
                Some(Binding::BuiltIn(built_in)) => built_in_name(*built_in).map(str::to_owned),
                _ => None,
            })
        }
        Expression::Load { pointer } => memory(analysis, function, *pointer),
        Expression::ImageLoad { image, .. } => match memory(analysis, function, *image) {
            Begin::Memory(_, name) => Begin::Memory("read_write texture", name),
            other => other,
        },
        Expression::AtomicResult { .. } => Begin::Atomic,
        Expression::SubgroupBallotResult | Expression::SubgroupOperationResult { .. } => Begin::Subgroup,
        _ => Begin::Other,
    }
}

fn memory(analysis: &Analysis<'_>, function: &Function, pointer: Handle<Expression>) -> Begin {
    let mut at = pointer;
    loop {
        match &function.expressions[at] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => at = *base,
            Expression::GlobalVariable(variable) => {
                let variable = &analysis.module.global_variables[*variable];
                let is_atomic = matches!(analysis.module.types[variable.ty].inner, TypeInner::Atomic(_));
                let kind = match variable.space {
                    AddressSpace::Storage { .. } if is_atomic => "atomic",
                    AddressSpace::Storage { .. } => "read_write buffer",
                    AddressSpace::WorkGroup => "workgroup variable",
                    AddressSpace::Private => "private variable",
                    _ => "variable",
                };
                return Begin::Memory(kind, variable.name.clone());
            }
            Expression::FunctionArgument(argument) => {
                let name = function.arguments[*argument as usize].name.clone();
                return Begin::Memory("memory that the parameter points to:", name);
            }
            _ => return Begin::Other,
        }
    }
}

fn built_in_name(built_in: BuiltIn) -> Option<&'static str> {
    Some(match built_in {
        BuiltIn::GlobalInvocationId => "global_invocation_id",
        BuiltIn::LocalInvocationId => "local_invocation_id",
        BuiltIn::LocalInvocationIndex => "local_invocation_index",
        BuiltIn::SubgroupId => "subgroup_id",
        BuiltIn::SubgroupInvocationId => "subgroup_invocation_id",
        BuiltIn::SubgroupSize => "subgroup_size",
        BuiltIn::Position { .. } => "position",
        BuiltIn::FrontFacing => "front_facing",
        BuiltIn::SampleIndex => "sample_index",
        BuiltIn::SampleMask => "sample_mask",
        BuiltIn::PrimitiveIndex => "primitive_index",
        BuiltIn::VertexIndex => "vertex_index",
        BuiltIn::InstanceIndex => "instance_index",
        _ => return None,
    })
}

/// The name of a value in the author's text, if the value has one.
fn subject(source: &Source, function: &Function, expression: Handle<Expression>) -> Option<String> {
    let of_variable = |pointer: Handle<Expression>| match function.expressions[pointer] {
        Expression::LocalVariable(variable) => function.local_variables[variable].name.clone(),
        Expression::GlobalVariable(_) | Expression::Access { .. } | Expression::AccessIndex { .. } => {
            let range = head(source, function.expressions.get_span(expression)).to_range()?;
            source.text().get(range).map(str::to_owned)
        }
        _ => None,
    };
    let named = function.named_expressions.get(&expression).filter(|name| *name != "phony").cloned();
    let name = named.or_else(|| match function.expressions[expression] {
        Expression::Load { pointer } => of_variable(pointer),
        Expression::FunctionArgument(argument) => function.arguments[argument as usize].name.clone(),
        _ => None,
    });
    name.map(|name| format!("`{name}`"))
}

fn variable_name(function: &Function, variable: usize) -> Option<&str> {
    match variable.checked_sub(function.local_variables.len()) {
        Some(parameter) => function.arguments[parameter].name.as_deref(),
        None => {
            let (_, found) = function.local_variables.iter().nth(variable)?;
            found.name.as_deref()
        }
    }
}

/// The span of a statement or operator that decides which invocations continue, without its body, and its name in
/// messages.
fn decision(source: &Source, at: Span, by: Decision) -> (Span, &'static str) {
    let place = head(source, at);
    let text = place.to_range().and_then(|range| source.text().get(range)).unwrap_or_default();
    let what = match by {
        Decision::If if text.starts_with("if") => "`if`",
        Decision::If if text.starts_with("else") => "`else if`",
        Decision::If => "condition of a loop",
        Decision::ShortCircuit => "operator",
        Decision::Switch => "`switch`",
        Decision::BreakIf => "`break if`",
    };
    (place, what)
}

/// The part of a span before the body of the statement, up to the end of the line.
fn head(source: &Source, at: Span) -> Span {
    let Some(range) = at.to_range() else { return at };
    let text = source.text().get(range.clone()).unwrap_or_default();
    let skipped = text.len() - text.trim_start().len();
    let text = &text[skipped..];
    let text = &text[..text.find(['{', '\n', ';']).unwrap_or(text.len())];
    let start = range.start + skipped;
    let Range { start, end } = start..start + text.trim_end().len();
    Span::new(start as u32, end as u32)
}

/// The name of a function that is called at a span.
fn called(source: &Source, at: Span) -> &str {
    super::failure::word_at(source, at)
}

/// The remedies for a chain whose last step is `begin`. `decides` is whether a step of the chain is a statement or
/// operator that decides which invocations continue.
fn help(source: &Source, begin: &Step, decides: bool) -> Vec<String> {
    let mut help = Vec::new();
    match &begin.said {
        Said::Begins(Begin::Memory("workgroup variable", Some(name))) => {
            let read = begin.at.to_range().and_then(|range| source.text().get(range)).unwrap_or(name);
            let read = if read.starts_with(name.as_str()) { read } else { name };
            help.push(format!("use `workgroupUniformLoad(&{read})`, whose result is the same for all invocations"));
        }
        Said::Begins(Begin::Memory("read_write buffer", Some(name))) => help.push(format!(
            "if the kernel does not write `{name}`, declare it as `var<storage, read>`; otherwise let one invocation copy \
             the value to a workgroup variable, and read that with `workgroupUniformLoad`"
        )),
        Said::Begins(Begin::Argument(None)) => {
            let subject = begin.subject.as_deref().unwrap_or("the argument");
            help.push(format!("pass the uniform parts of {subject} as separate arguments"));
        }
        _ => {}
    }
    if decides {
        let text =
            "make all invocations reach the operation: end the branch or loop before it, and begin a new one after it";
        help.push(format!("{text}; replace an early `return` with a branch around the work"));
    }
    help
}
