//! Checks that an operation assigns each of its outputs, by analysing its module.
//!
//! An output that is not also an input has no initial value. WGSL would initialise it to zero, and a sum `y = y + x`
//! would silently lose the old value of `y`. So such an output must be assigned on every path before it is read or
//! returned. A loop may run zero iterations.

mod flow;

use anywarp_backend::{Source, statements};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::{TextError, diagnostic, module};
use naga::{Expression, Function, Handle, LocalVariable, Module, Span, Statement};

use super::super::error::OperationError;
use super::text::Text;
use flow::Flow;

/// An output of the operation.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) name: String,
    /// The declaration in the caller's list of outputs, such as `z: f32`.
    pub(crate) declared: String,
    pub(crate) lanes: u32,
    pub(crate) kind: Kind,
}

impl Output {
    /// The result of statements that have no list of outputs.
    pub(crate) fn result(name: &str, lanes: u32) -> Self {
        Self { name: name.to_owned(), declared: String::new(), lanes, kind: Kind::Result }
    }
}

/// The way in which an operation assigns an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By name, without an initial value.
    New,
    /// By name; the initial value is that of the array.
    InPlace,
    /// By index, as in `z[i] = ..`.
    Raw,
    /// By name; the statements have no list of outputs, so that the output cannot have an initial value.
    Result,
}

/// The WGSL function that contains the caller's statements, and the name of these statements in errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements {
    pub(crate) function: &'static str,
    pub(crate) said: &'static str,
}

/// Returns an error for the first output that is read or returned without a value, or never assigned.
///
/// The text must already have been compiled.
pub(crate) fn check(
    text: &Text,
    kernel: &str,
    statements: Statements,
    outputs: &[Output],
) -> Result<(), OperationError> {
    let source = text.source(kernel);
    let invalid = |error: TextError| OperationError::Kernel(error.into());
    let problem = Room::of_source(&source).map_err(invalid)?.run(|| {
        let module = module::parse(&source)?;
        Ok::<_, TextError>(outputs.iter().find_map(|output| problem(&source, &module, statements.function, output)))
    });
    match problem.map_err(invalid)? {
        None => Ok(()),
        Some(problem) => Err(OperationError::Text { operator: kernel.to_owned(), what: statements.said, problem }),
    }
}

/// Returns the problem with one output, or `None`.
fn problem(source: &Source, module: &Module, function: &str, output: &Output) -> Option<String> {
    let Output { name, declared, lanes, kind } = output;
    let never = || {
        let assignment = match kind {
            Kind::Raw if declared.contains("atomic<") => format!("atomicAdd(&{name}[i], ..)"),
            Kind::Raw => format!("{name}[i] = .."),
            _ => format!("{name} = .."),
        };
        let remedy = match kind {
            Kind::Result => String::new(),
            _ => format!(", or remove `{declared}` from the list of outputs"),
        };
        Some(format!("never assigns the output `{name}`; write `{assignment}`{remedy}"))
    };
    if *kind == Kind::Raw {
        let is_written = module.functions.iter().any(|(_, function)| writes(module, function, name));
        return if is_written { None } else { never() };
    }
    let function = module.functions.iter().find(|(_, known)| known.name.as_deref() == Some(function))?.1;
    // The generated declaration is the first one with this name; the caller's statements may declare others.
    let (local, _) = function.local_variables.iter().find(|(_, local)| local.name.as_deref() == Some(name))?;
    let all = ((1u32 << lanes) - 1) as u8;
    let begins = if *kind == Kind::InPlace { all } else { 0 };
    let seen = Flow::of(source, module, function, Root::Local(local), all, Some(begins));
    if let Some(span) = seen.reads.first() {
        return Some(read_first(source, output, *span));
    }
    if !seen.assigned {
        return never();
    }
    if !seen.unfinished {
        return None;
    }
    let remedy = match kind {
        Kind::New => {
            format!(", or put `{declared}` in both lists, inputs and outputs, so that the array keeps its old values")
        }
        _ => String::new(),
    };
    Some(format!(
        "assigns the output `{name}` on some paths only (a loop may run zero iterations); assign it on every path{remedy}"
    ))
}

/// The message for an output that is read at `span` before it has a value.
fn read_first(source: &Source, output: &Output, span: Option<Span>) -> String {
    let Output { name, declared, kind, .. } = output;
    let remedy = match kind {
        Kind::New => format!(
            "put `{declared}` in both lists, inputs and outputs, to change the array in place, or assign it first"
        ),
        _ => "assign it first".to_owned(),
    };
    let said = format!("reads the output `{name}`, which is not an input, before it has a value; {remedy}");
    let Some(span) = span else { return said };
    let labels = vec![(span, "read here".to_owned())];
    let shown = diagnostic::at(source, &format!("`{name}` has no value here"), labels, Vec::new());
    format!("{said}\n{}", shown.trim_end())
}

/// Whether the caller wrote the text at `span`. File 0 of the source is the generated text, all others are the
/// caller's.
fn is_users(source: &Source, span: Span) -> bool {
    span.to_range().and_then(|range| source.position(range.start)).is_some_and(|place| place.index != 0)
}

/// Whether a function may write the global variable of this name.
fn writes(module: &Module, function: &Function, name: &str) -> bool {
    let is_it = |pointer: &Handle<Expression>| match function.expressions[root_of(function, *pointer)] {
        Expression::GlobalVariable(global) => module.global_variables[global].name.as_deref() == Some(name),
        _ => false,
    };
    statements(&function.body).any(|(statement, _)| match statement {
        Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => is_it(pointer),
        Statement::Call { arguments, .. } => arguments.iter().any(is_it),
        _ => false,
    })
}

/// The variable or argument that a pointer points into.
fn root_of(function: &Function, pointer: Handle<Expression>) -> Handle<Expression> {
    match function.expressions[pointer] {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => root_of(function, base),
        _ => pointer,
    }
}

/// The analysed variable, as a function refers to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Local(Handle<LocalVariable>),
    /// The argument with this index, which points to the variable.
    Argument(u32),
}

#[cfg(test)]
mod tests;
