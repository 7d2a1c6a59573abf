//! Whether a handler only reads its state, so that messages to one actor can be handled side by side.

use anywarp_backend::statements;
use naga::{Arena, Expression, Function, Handle, Module, Statement};

/// Whether no call of the function can be observed by another call of it: the state, its first parameter, is only read,
/// and the text has no variable that outlives a call.
pub(super) fn only_reads(module: &Module, function: &Function) -> bool {
    if !module.global_variables.is_empty() {
        return false;
    }
    let is_state = |handle| roots_in_state(&function.expressions, handle);
    statements(&function.body).all(|(statement, _)| match statement {
        Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => !is_state(*pointer),
        // A callee could write through the pointer.
        Statement::Call { arguments, .. } => !arguments.iter().any(|argument| is_state(*argument)),
        _ => true,
    })
}

/// Whether an expression is the pointer to the state, or to a part of it.
fn roots_in_state(expressions: &Arena<Expression>, mut handle: Handle<Expression>) -> bool {
    loop {
        match expressions[handle] {
            Expression::FunctionArgument(0) => return true,
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = base,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer for the function `f` of a text.
    fn reads(text: &str) -> bool {
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let (_, function) = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some("f")).unwrap();
        only_reads(&module, function)
    }

    #[test]
    fn states_that_are_read() {
        for body in [
            "return x;",
            "return *s + x;",
            "let p = s; return *p;",
            "var own = *s; own += x; return own;",
            "var own = x; for (var i = 0u; i < *s; i++) { own += g(&own); } return own;",
        ] {
            let text = format!(
                "fn g(p: ptr<function, u32>) -> u32 {{ *p += 1u; return *p; }}
                fn f(s: ptr<function, u32>, x: u32, lane: u32) -> u32 {{ {body} }}"
            );
            assert!(reads(&text), "{body}");
        }
    }

    #[test]
    fn states_that_are_written() {
        for body in [
            "(*s).a += x; return x;",
            "if x > 3u { (*s).b[x] = 1u; } return x;",
            "let p = &(*s).b; (*p)[0] = x; return x;",
            "return g(s);",
            "loop { if x > 3u { break; } continuing { (*s).a = 1u; } } return x;",
        ] {
            let text = format!(
                "struct S {{ a: u32, b: array<u32, 4> }}
                fn g(s: ptr<function, S>) -> u32 {{ return (*s).a; }}
                fn f(s: ptr<function, S>, x: u32, lane: u32) -> u32 {{ {body} }}"
            );
            assert!(!reads(&text), "{body}");
        }
        let text = "var<private> calls: u32;
            fn f(s: ptr<function, u32>, x: u32, lane: u32) -> u32 { calls++; return calls; }";
        assert!(!reads(text), "a variable of the text");
    }
}
