//! Alias analysis: memory that a function writes through a pointer must have only one name in the function.
//!
//! naga's modules list a function after the functions that it calls. The reads and writes of a callee are therefore
//! known when a call is checked.

use std::collections::HashSet;

use anywarp_backend::statements;
use naga::{Expression, Function, GlobalVariable, Handle, LocalVariable, Module, Span, Statement, TypeInner};

use super::{Breach, functions};

/// The variable or parameter that a pointer refers to, wholly or in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Root {
    Global(Handle<GlobalVariable>),
    Parameter(usize),
    Local(Handle<LocalVariable>),
}

/// The memory that a function reads and writes, directly or through the functions that it calls.
#[derive(Default)]
struct Accesses {
    reads: HashSet<Root>,
    writes: HashSet<Root>,
}

impl Accesses {
    fn touches(&self, root: Root) -> bool {
        self.reads.contains(&root) || self.writes.contains(&root)
    }

    /// Whether the function writes the memory of one of two variables or parameters, and reads or writes the memory of
    /// the other.
    fn clash(&self, one: Root, other: Root) -> bool {
        self.writes.contains(&one) && self.touches(other) || self.writes.contains(&other) && self.touches(one)
    }
}

/// Adds the calls that pass a second name for memory that the callee writes.
pub(super) fn check(module: &Module, found: &mut Vec<Breach>) {
    let mut known: Vec<Accesses> = Vec::with_capacity(module.functions.len());
    for function in functions(module) {
        let accesses = of_function(module, function, &known, found);
        known.push(accesses);
    }
}

fn of_function(module: &Module, function: &Function, known: &[Accesses], found: &mut Vec<Breach>) -> Accesses {
    let mut accesses = Accesses::default();
    let loads = function.expressions.iter().filter_map(|(_, expression)| match expression {
        Expression::Load { pointer } => root(function, *pointer),
        _ => None,
    });
    accesses.reads.extend(loads);
    for (statement, span) in statements(&function.body) {
        match statement {
            Statement::Store { pointer, .. } => accesses.writes.extend(root(function, *pointer)),
            Statement::Atomic { pointer, .. } => {
                accesses.reads.extend(root(function, *pointer));
                accesses.writes.extend(root(function, *pointer));
            }
            Statement::WorkGroupUniformLoad { pointer, .. } => accesses.reads.extend(root(function, *pointer)),
            Statement::CooperativeStore { data, .. } => accesses.writes.extend(root(function, data.pointer)),
            Statement::Call { function: callee, arguments, .. } => {
                let Some(inner) = known.get(callee.index()) else { continue };
                let callee = &module.functions[*callee];
                let pointers =
                    callee.arguments.iter().zip(arguments).enumerate().filter_map(|(number, (parameter, argument))| {
                        let ty = &module.types[parameter.ty].inner;
                        let is_pointer = matches!(ty, TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. });
                        Some((number, root(function, *argument).filter(|_| is_pointer)?))
                    });
                let pointers: Vec<(usize, Root)> = pointers.collect();
                found.extend(breach(module, function, callee, inner, &pointers, span));
                for (number, root) in pointers {
                    let parameter = Root::Parameter(number);
                    accesses.reads.extend(inner.reads.contains(&parameter).then_some(root));
                    accesses.writes.extend(inner.writes.contains(&parameter).then_some(root));
                }
                let is_global = |root: &&Root| matches!(root, Root::Global(_));
                accesses.reads.extend(inner.reads.iter().filter(is_global));
                accesses.writes.extend(inner.writes.iter().filter(is_global));
            }
            _ => {}
        }
    }
    accesses
}

/// The mistake in a call, for the first pair of names that refer to the same memory; `None` if there is no such pair.
fn breach(
    module: &Module,
    function: &Function,
    callee: &Function,
    accesses: &Accesses,
    pointers: &[(usize, Root)],
    at: Span,
) -> Option<Breach> {
    let callee = callee.name.as_deref().unwrap_or_default();
    for (index, (number, root)) in pointers.iter().enumerate() {
        let parameter = Root::Parameter(*number);
        let same = pointers[index + 1..].iter().filter(|(_, other)| other == root);
        if same.map(|(other, _)| Root::Parameter(*other)).any(|other| accesses.clash(parameter, other)) {
            let name = name(module, function, *root);
            let message =
                format!("two arguments of `{callee}` point into `{name}`, and `{callee}` writes through one of them");
            let help = "pass a pointer to a copy in place of one of them: `var copy = ..;` and `&copy`";
            return Some(Breach { at, message, help });
        }
        if matches!(root, Root::Global(_)) && accesses.clash(parameter, *root) {
            let name = name(module, function, *root);
            let message = format!(
                "`{callee}` receives a pointer into `{name}`, also uses `{name}` by its name, and writes to it"
            );
            return Some(Breach { at, message, help: "use only the pointer, or only the variable's name" });
        }
    }
    None
}

fn name<'a>(module: &'a Module, function: &'a Function, root: Root) -> &'a str {
    let name = match root {
        Root::Global(variable) => &module.global_variables[variable].name,
        Root::Parameter(number) => &function.arguments[number].name,
        Root::Local(variable) => &function.local_variables[variable].name,
    };
    name.as_deref().unwrap_or_default()
}

fn root(function: &Function, pointer: Handle<Expression>) -> Option<Root> {
    match function.expressions[pointer] {
        Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => root(function, base),
        Expression::GlobalVariable(variable) => Some(Root::Global(variable)),
        Expression::FunctionArgument(number) => Some(Root::Parameter(number as usize)),
        Expression::LocalVariable(variable) => Some(Root::Local(variable)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Source;

    use super::*;
    use crate::module::parse;

    #[test]
    fn written_memory_has_one_name() {
        const COPY: &str = "fn g(a: ptr<function, u32>, b: ptr<function, u32>) { *a = *b; }";
        const READ: &str = "fn g(a: ptr<function, u32>, b: ptr<function, u32>) -> u32 { return *a + *b; }";
        for (functions, body, said) in [
            (COPY, "var x = 1u; g(&x, &x);", "two arguments of `g` point into `x`"),
            (COPY, "var x = array<u32, 2>(); g(&x[0], &x[1]);", "point into `x`"),
            (COPY, "var x = 1u; var y = 2u; g(&x, &y);", ""),
            (READ, "var x = 1u; let y = g(&x, &x);", ""),
            ("fn g(a: ptr<private, u32>) { *a = own; }", "g(&own);", "a pointer into `own`"),
            ("fn g(a: ptr<private, u32>) -> u32 { own = 1u; return *a; }", "let y = g(&own);", "a pointer into `own`"),
            ("fn g(a: ptr<private, u32>) -> u32 { return *a + own; }", "let y = g(&own);", ""),
            ("fn g(a: ptr<private, u32>) { *a = other; }", "g(&own);", ""),
            ("fn h() { own = 1u; } fn g(a: ptr<private, u32>) { let b = *a; h(); }", "g(&own);", "into `own`"),
        ] {
            let text = format!("var<private> own: u32; var<private> other: u32; {functions} fn f() {{ {body} }}");
            let module = parse(&Source::new("alias.wgsl", text)).unwrap_or_else(|error| panic!("{error}"));
            let mut found = Vec::new();
            check(&module, &mut found);
            assert_eq!(found.len(), usize::from(!said.is_empty()), "{functions} {body}: {found:?}");
            assert!(found.iter().all(|breach| breach.message.contains(said)), "{functions} {body}: {found:?}");
        }
    }
}
