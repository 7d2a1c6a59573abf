//! Checks that an operation assigns each of its outputs, by analysing its module.
//!
//! An output that is not also an input has no initial value. WGSL would initialise it to zero, and a sum `y = y + x`
//! would silently lose the old value of `y`. So such an output must be assigned on every path before it is read or
//! returned. A loop may run zero iterations.

use anywarp_backend::{Source, statements};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::{TextError, diagnostic, module};
use naga::{Block, Expression, Function, Handle, LocalVariable, Module, Span, Statement};

use super::super::error::OperationError;
use super::text::Text;

/// An output of the operation.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) name: String,
    /// The declaration in its list.
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
    /// By index.
    Raw,
    /// By name, without a list that could give it an initial value.
    Result,
}

/// The function that contains the caller's statements, and their name in messages.
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

/// The problem with one output, if there is one.
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
    // The generated declaration is the first one with this name.
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
        Kind::New => format!(", or put `{declared}` in both lists, so that the array keeps its old values"),
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
        Kind::New => format!("put `{declared}` in both lists to change the array in place, or assign it first"),
        _ => "assign it first".to_owned(),
    };
    let said = format!("reads the output `{name}`, which is not an input, before it has a value; {remedy}");
    let Some(span) = span else { return said };
    let labels = vec![(span, "read here".to_owned())];
    let shown = diagnostic::at(source, &format!("`{name}` has no value here"), labels, Vec::new());
    format!("{said}\n{}", shown.trim_end())
}

/// Whether the caller wrote the text at `span`: the first file is the generated one.
fn is_users(source: &Source, span: Span) -> bool {
    span.to_range().and_then(|range| source.place(range.start)).is_some_and(|place| place.index != 0)
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

/// The analysed variable, as seen by a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Local(Handle<LocalVariable>),
    /// A pointer to it.
    Argument(u32),
}

/// The components that certainly have a value; `None` for unreachable code.
type State = Option<u8>;

fn join(one: State, other: State) -> State {
    match (one, other) {
        (Some(one), Some(other)) => Some(one & other),
        (state, None) | (None, state) => state,
    }
}

/// The reads and assignments of one variable in a function.
struct Flow<'m> {
    source: &'m Source,
    module: &'m Module,
    function: &'m Function,
    root: Root,
    all: u8,
    /// The states at the jumps out of, and to the end of, the enclosing loops and switches.
    breaks: Vec<State>,
    continues: Vec<State>,
    /// The joined state at the returns.
    returns: State,
    /// The locations where the caller's text reads it, possibly without a value; `None` for an unknown location.
    reads: Vec<Option<Span>>,
    /// Whether the generated `return` may read it without a value.
    unfinished: bool,
    /// Whether the caller's text assigns it anywhere.
    assigned: bool,
}

impl<'m> Flow<'m> {
    fn of(source: &'m Source, module: &'m Module, function: &'m Function, root: Root, all: u8, begins: State) -> Self {
        let (breaks, continues, reads) = (Vec::new(), Vec::new(), Vec::new());
        let (returns, assigned, unfinished) = (None, false, false);
        let mut flow =
            Self { source, module, function, root, all, breaks, continues, returns, reads, unfinished, assigned };
        let end = flow.block(&function.body, begins);
        flow.returns = join(flow.returns, end);
        flow
    }

    /// If a pointer points into the variable: the components that it certainly refers to, and those that it may refer
    /// to.
    fn components(&self, pointer: Handle<Expression>) -> Option<(u8, u8)> {
        match self.function.expressions[pointer] {
            Expression::LocalVariable(local) if self.root == Root::Local(local) => Some((self.all, self.all)),
            Expression::FunctionArgument(index) if self.root == Root::Argument(index) => Some((self.all, self.all)),
            Expression::AccessIndex { base, index } => self.components(base).map(|_| (1 << index, 1 << index)),
            Expression::Access { base, .. } => self.components(base).map(|_| (0, self.all)),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block, mut state: State) -> State {
        // A read without a value, kept until the next statement, as the span of a load itself is that of the
        // declaration.
        let mut before: Option<Option<Span>> = None;
        for (statement, span) in block.span_iter() {
            let own = is_users(self.source, *span);
            match (before.take(), statement) {
                (Some(_), Statement::Return { .. }) if !own => self.unfinished = true,
                (Some(_), other) if own && !matches!(other, Statement::Emit(_)) => self.reads.push(Some(*span)),
                (Some(read), _) => self.reads.push(read),
                (None, _) => {}
            }
            if let Statement::Emit(range) = statement {
                let read = range.clone().any(|expression| self.lacks(expression, state));
                let spans = || range.clone().map(|expression| self.function.expressions.get_span(expression));
                before = read.then(|| spans().find(|span| is_users(self.source, *span)));
            } else {
                state = self.statement(statement, own, state);
            }
        }
        self.reads.extend(before);
        state
    }

    /// Follows a statement. `own`: the caller wrote it.
    fn statement(&mut self, statement: &Statement, own: bool, state: State) -> State {
        match statement {
            Statement::Store { pointer, .. } => match self.components(*pointer) {
                Some((surely, _)) if own => {
                    self.assigned = true;
                    state.map(|state| state | surely)
                }
                _ => state,
            },
            Statement::Call { function, arguments, .. } => self.call(*function, arguments, state),
            Statement::Block(inner) => self.block(inner, state),
            Statement::If { accept, reject, .. } => {
                let accepted = self.block(accept, state);
                join(accepted, self.block(reject, state))
            }
            Statement::Switch { cases, .. } => {
                self.breaks.push(None);
                let mut before = None;
                for case in cases {
                    let end = self.block(&case.body, join(state, before));
                    before = end;
                    if !case.fall_through {
                        self.leave(end);
                        before = None;
                    }
                }
                self.breaks.pop().flatten()
            }
            Statement::Loop { body, continuing, break_if } => {
                // The first iteration has the fewest values.
                self.breaks.push(None);
                self.continues.push(None);
                let end = self.block(body, state);
                let end = join(end, self.continues.pop().flatten());
                let end = self.block(continuing, end);
                if break_if.is_some() {
                    self.leave(end);
                }
                self.breaks.pop().flatten()
            }
            Statement::Break => {
                self.leave(state);
                None
            }
            Statement::Continue => {
                if let Some(continues) = self.continues.last_mut() {
                    *continues = join(*continues, state);
                }
                None
            }
            Statement::Return { .. } => {
                self.returns = join(self.returns, state);
                None
            }
            Statement::Kill => None,
            _ => state,
        }
    }

    /// Jumps out of the innermost loop or switch.
    fn leave(&mut self, state: State) {
        if let Some(breaks) = self.breaks.last_mut() {
            *breaks = join(*breaks, state);
        }
    }

    /// Whether it reads components that may have no value.
    fn lacks(&self, expression: Handle<Expression>, state: State) -> bool {
        let Expression::Load { pointer } = self.function.expressions[expression] else { return false };
        match (self.components(pointer), state) {
            (Some((_, wanted)), Some(known)) => known & wanted != wanted,
            _ => false,
        }
    }

    /// Follows a call: a function that receives a pointer reads and assigns as if it were inlined.
    fn call(&mut self, function: Handle<Function>, arguments: &[Handle<Expression>], mut state: State) -> State {
        let function = &self.module.functions[function];
        for (index, argument) in arguments.iter().enumerate() {
            // WGSL has no pointers to components.
            if self.components(*argument).is_none() {
                continue;
            }
            let root = Root::Argument(index as u32);
            let inner = Flow::of(self.source, self.module, function, root, self.all, state);
            self.reads.extend(inner.reads);
            self.assigned |= inner.assigned;
            state = inner.returns;
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error about the output `z: vec2<f32>` of the operation `statements`, if there is one.
    fn said(kind: Kind, statements: &str) -> Option<String> {
        let mut text = Text::new();
        text.user(
            "preamble",
            "fn put(p: ptr<function, vec2<f32>>) { *p = vec2f(1); }\nfn add(p: ptr<function, vec2<f32>>) { *p += vec2f(1); }",
        );
        text.line("fn operation(x: f32, before: vec2<f32>) -> vec2<f32> {");
        text.line(if kind == Kind::InPlace { "var z: vec2<f32> = before;" } else { "var z: vec2<f32>;" });
        text.statements("", statements);
        text.line("return z;\n}");
        let output = Output { name: "z".to_owned(), declared: "z: vec2<f32>".to_owned(), lanes: 2, kind };
        let statements = Statements { function: "operation", said: "the operation" };
        check(&text, "k", statements, &[output]).err().map(|error| error.to_string())
    }

    #[test]
    fn an_output_assigned_on_every_path_is_accepted() {
        for statements in [
            "z = vec2f(x)",
            "z.x = x; z.y = z.x",
            "if x > 0 { z = vec2f(x); } else { z = vec2f(); z += vec2f(1); }",
            "switch u32(x) { case 0u, 1u: { z = vec2f(x); } default: { z = vec2f(1); } }",
            "z = vec2f(); for (var k = 0; k < 3; k++) { z += vec2f(x); }",
            "loop { z = vec2f(x); if x > 1 { break; } }",
            "loop { if x > 1 { z = vec2f(x); break; } }",
            "for (var k = 0; ; k++) { if k > 3 { z = vec2f(2); break; } if x < 0 { continue; } }",
            "if x < 0 { return vec2f(); } z = vec2f(x)",
            "put(&z); add(&z)",
            "let p = &z; *p = vec2f(x); (*p).x += 1.0",
            "{ let y = x; { z = vec2f(y); } }",
        ] {
            assert_eq!(said(Kind::New, statements), None, "{statements}");
        }
        for statements in ["z += vec2f(x)", "if x > 0 { z.x = x; }", "add(&z)"] {
            assert_eq!(said(Kind::InPlace, statements), None, "{statements}");
        }
    }

    #[test]
    fn an_output_without_a_value_is_named() {
        for (statements, words) in [
            (
                "z = z + vec2f(x)",
                "reads the output `z`, which is not an input, before it has a value; put `z: vec2<f32>` in",
            ),
            ("z += vec2f(x)", "k:1:1"),
            ("let y = x;\n  z.x = x; z.x = z.y", "k:2:12"),
            ("for (var k = 0; k < 3; k++) { z += vec2f(x); }", "reads the output `z`"),
            ("let y = z.x", "reads the output `z`"),
            ("add(&z)", "k, preamble:2"),
            ("let y = x", "never assigns the output `z`; write `z = ..`"),
            ("{ var z = 1.0; z = x; }", "never assigns the output `z`"),
            ("if x > 0 { z = vec2f(x); }", "assigns the output `z` on some paths only"),
            ("z.x = x", "on some paths only"),
            ("for (var k = 0; k < 3; k++) { z = vec2f(x); }", "a loop may run zero iterations"),
            ("for (var k = 0u; k < 2u; k++) { z[k] = x; }", "on some paths only"),
            ("switch u32(x) { case 0u: { z = vec2f(x); } default: { } }", "on some paths only"),
            ("loop { if x > 1 { break; } z = vec2f(x); }", "on some paths only"),
        ] {
            let said = said(Kind::New, statements).unwrap_or_default();
            assert!(said.contains(words), "{statements}: {said}");
        }
        assert!(said(Kind::InPlace, "let y = z").unwrap_or_default().contains("never assigns"));
        assert!(!said(Kind::Result, "z += vec2f(x)").unwrap_or_default().contains("both lists"));
    }

    #[test]
    fn an_indexed_output_must_be_written_somewhere() {
        let said = |statements: &str| {
            let mut text = Text::new();
            text.line("@group(0) @binding(0) var<storage, read_write> z: array<f32>;");
            text.user("preamble", "fn put(p: ptr<storage, array<f32>, read_write>) { (*p)[0] = 1; }");
            text.line("fn operation(i: u32) {");
            text.statements("", statements);
            text.line("}");
            let output = Output { name: "z".to_owned(), declared: "raw z: f32".to_owned(), lanes: 1, kind: Kind::Raw };
            let statements = Statements { function: "operation", said: "the operation" };
            check(&text, "k", statements, &[output]).err().map(|error| error.to_string())
        };
        assert_eq!(said("if i > 2u { z[i] = 1; }"), None);
        assert_eq!(said("put(&z)"), None);
        let error = said("let y = z[i]").unwrap_or_default();
        assert_eq!(
            error,
            "k: the operation never assigns the output `z`; write `z[i] = ..`, or remove `raw z: f32` from the list of outputs"
        );
    }
}
