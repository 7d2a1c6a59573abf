//! Traversals of the statements of naga's functions, shared by the front end, the middle end and the backends.

use std::iter;

use naga::{Block, Span, Statement};

/// Calls `visit` with each block that is directly in a statement, in the order of the text.
///
/// ```
/// use anywarp_backend::for_each_block;
///
/// let module = naga::front::wgsl::parse_str("fn f(x: u32) { if x > 1u { return; } }")?;
/// let (_, function) = module.functions.iter().next().expect("a function");
/// let mut blocks = 0;
/// function.body.iter().for_each(|statement| for_each_block(statement, |_| blocks += 1));
/// assert_eq!(blocks, 2, "the branches of `if`");
/// # Ok::<(), naga::front::wgsl::ParseError>(())
/// ```
pub fn for_each_block<'a>(statement: &'a Statement, mut visit: impl FnMut(&'a Block)) {
    match statement {
        Statement::Block(inner) => visit(inner),
        Statement::If { accept, reject, .. } => {
            visit(accept);
            visit(reject);
        }
        Statement::Switch { cases, .. } => cases.iter().for_each(|case| visit(&case.body)),
        Statement::Loop { body, continuing, .. } => {
            visit(body);
            visit(continuing);
        }
        _ => {}
    }
}

/// Calls `visit` with each block that is directly in a statement, as [`for_each_block`] does, to change the blocks.
///
/// ```
/// use anywarp_backend::for_each_block_mut;
///
/// let mut module = naga::front::wgsl::parse_str("fn f(x: u32) { if x > 1u { return; } }")?;
/// let (_, function) = module.functions.iter_mut().next().expect("a function");
/// for (statement, _) in function.body.span_iter_mut() {
///     for_each_block_mut(statement, |block| *block = naga::Block::new());
/// }
/// # Ok::<(), naga::front::wgsl::ParseError>(())
/// ```
pub fn for_each_block_mut<'a>(statement: &'a mut Statement, mut visit: impl FnMut(&'a mut Block)) {
    match statement {
        Statement::Block(inner) => visit(inner),
        Statement::If { accept, reject, .. } => {
            visit(accept);
            visit(reject);
        }
        Statement::Switch { cases, .. } => cases.iter_mut().for_each(|case| visit(&mut case.body)),
        Statement::Loop { body, continuing, .. } => {
            visit(body);
            visit(continuing);
        }
        _ => {}
    }
}

/// An iterator over the statements of a block and of all nested blocks, in the order of the text, each with its span.
///
/// ```
/// use anywarp_backend::statements;
///
/// let module = naga::front::wgsl::parse_str("fn f() { loop { workgroupBarrier(); break; } }")?;
/// let (_, function) = module.functions.iter().next().expect("a function");
/// let is_barrier = |statement: &naga::Statement| matches!(statement, naga::Statement::ControlBarrier(_));
/// assert!(statements(&function.body).any(|(statement, _)| is_barrier(statement)));
/// # Ok::<(), naga::front::wgsl::ParseError>(())
/// ```
pub fn statements(block: &Block) -> impl Iterator<Item = (&Statement, Span)> {
    // A work list replaces recursion, because a chain of `else if` is as many blocks deep as it has branches. The next
    // statement is at the end of the list.
    let mut left: Vec<(&Statement, &Span)> = block.span_iter().collect();
    left.reverse();
    iter::from_fn(move || {
        let (statement, span) = left.pop()?;
        let outer = left.len();
        for_each_block(statement, |inner| left.extend(inner.span_iter()));
        left[outer..].reverse();
        Some((statement, *span))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_come_in_the_order_of_the_text() {
        let module = naga::front::wgsl::parse_str(
            "fn f(x: u32) {
                 var y = 0u;
                 if x == 1u { y = 1u; { y = 2u; } } else { y = 3u; }
                 switch x { case 1u: { y = 4u; } default: { y = 5u; } }
                 loop { y = 6u; continuing { y = 7u; break if y > 3u; } }
                 y = 8u;
             }",
        );
        let module = module.expect("valid WGSL");
        let (_, function) = module.functions.iter().next().expect("a function");
        let value_of = |statement: &Statement| match statement {
            Statement::Store { value, .. } => match function.expressions[*value] {
                naga::Expression::Literal(naga::Literal::U32(value)) => Some(value),
                _ => None,
            },
            _ => None,
        };
        let stored: Vec<u32> = statements(&function.body).filter_map(|(statement, _)| value_of(statement)).collect();
        assert_eq!(stored, [1, 2, 3, 4, 5, 6, 7, 8]);
        let spans = statements(&function.body).filter(|(statement, _)| value_of(statement).is_some());
        assert!(spans.map(|(_, span)| span.to_range().map(|range| range.start)).is_sorted());
    }
}
