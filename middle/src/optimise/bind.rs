//! Moves the evaluation of the operands of `coopStore` before the statement.
//!
//! For `coopStore(c, &data[row * n], n)`, naga's WGSL front end evaluates some operands only after the statement that
//! uses them: those that follow the last constant. The validator accepts this, but the SPIR-V writer panics:
//! `Expression [n] is not cached`. This pass evaluates such operands before the statement. `coopLoad` is an expression
//! and needs no such order.

use anywarp_backend::statements;
use naga::{Arena, Block, Expression, Function, Handle, Range, Span, Statement};

use crate::rebuild::operands::{for_each_statement_operand, needs_emit, statement_result};

/// Emits the operands of cooperative stores before the stores; `None` if all operands are emitted before the stores
/// already.
pub(super) fn bind(function: &Function) -> Option<Function> {
    if !stores(&function.body) {
        return None;
    }
    let mut binding = Binding {
        expressions: &function.expressions,
        emitted: vec![false; function.expressions.len()],
        order: Vec::new(),
        changed: false,
    };
    let body = binding.block(&function.body);
    binding.changed.then(|| Function { body, ..function.clone() })
}

fn stores(block: &Block) -> bool {
    statements(block).any(|(statement, _)| matches!(statement, Statement::CooperativeStore { .. }))
}

struct Binding<'a> {
    expressions: &'a Arena<Expression>,
    /// By expression: whether the expression was emitted before the current statement and can be used by it.
    emitted: Vec<bool>,
    /// The emitted expressions, in order.
    order: Vec<usize>,
    changed: bool,
}

impl Binding<'_> {
    /// Rewrites a block, which has its own scope.
    fn block(&mut self, block: &Block) -> Block {
        let start = self.order.len();
        let made = self.open_block(block);
        for at in self.order.drain(start..) {
            self.emitted[at] = false;
        }
        made
    }

    fn open_block(&mut self, block: &Block) -> Block {
        let mut waiting: Vec<(Statement, Span)> =
            block.span_iter().map(|(statement, span)| (statement.clone(), *span)).collect();
        waiting.reverse();
        let mut made = Block::with_capacity(block.len());
        while let Some((mut statement, span)) = waiting.pop() {
            match &mut statement {
                Statement::Emit(range) => range.clone().for_each(|handle| self.emit(handle)),
                Statement::CooperativeStore { .. } => {
                    if let Some(late) = self.late(&statement)
                        && let Some(early) = take_emitted(&mut waiting, late, self.expressions)
                    {
                        early.0.clone().for_each(|handle| self.emit(handle));
                        made.push(Statement::Emit(early.0), early.1);
                        self.changed = true;
                    }
                }
                Statement::Block(inner) => *inner = self.block(inner),
                Statement::If { accept, reject, .. } => {
                    *accept = self.block(accept);
                    *reject = self.block(reject);
                }
                Statement::Switch { cases, .. } => cases.iter_mut().for_each(|case| case.body = self.block(&case.body)),
                Statement::Loop { body, continuing, .. } => {
                    let start = self.order.len();
                    *body = self.open_block(body);
                    *continuing = self.open_block(continuing);
                    for at in self.order.drain(start..) {
                        self.emitted[at] = false;
                    }
                }
                _ => {}
            }
            statement_result(&statement).into_iter().for_each(|result| self.emit(result));
            made.push(statement, span);
        }
        made
    }

    fn emit(&mut self, handle: Handle<Expression>) {
        if !std::mem::replace(&mut self.emitted[handle.index()], true) {
            self.order.push(handle.index());
        }
    }

    /// The last of those operands of a statement that have not been emitted yet.
    fn late(&self, statement: &Statement) -> Option<Handle<Expression>> {
        let mut late = None;
        for_each_statement_operand(statement, |operand| {
            if needs_emit(&self.expressions[operand]) && !self.emitted[operand.index()] {
                late = late.max(Some(operand));
            }
        });
        late
    }
}

/// Removes the expressions up to `last` from the statement in `waiting` that emits `last`. Returns these expressions,
/// and the span of the statement.
fn take_emitted(
    waiting: &mut [(Statement, Span)],
    last: Handle<Expression>,
    expressions: &Arena<Expression>,
) -> Option<(Range<Expression>, Span)> {
    for (statement, span) in waiting.iter_mut().rev() {
        match statement {
            Statement::Emit(range) => {
                let indices = range.index_range();
                let end = u32::try_from(last.index()).ok()? + 1;
                if indices.contains(&(end - 1)) {
                    let early = Range::from_index_range(indices.start..end, expressions);
                    *range = Range::from_index_range(end..indices.end, expressions);
                    return Some((early, *span));
                }
            }
            // Several stores may share operands that are emitted after the last of these stores.
            Statement::CooperativeStore { .. } => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use naga::back::spv;

    use super::super::tests::{parse, validate};
    use crate::Circumstances;

    const HEAD: &str = "enable wgpu_cooperative_matrix;
        @group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @group(0) @binding(1) var<uniform> n: u32;
        @compute @workgroup_size(64)
        fn main(@builtin(workgroup_id) group: vec3<u32>) {";

    #[test]
    fn operands_of_cooperative_stores_are_emitted_first() {
        let bodies = [
            "let c = coopLoad<coop_mat8x8<f32, C>>(&data[group.x * n], n);
             coopStore(c, &data[group.x * n], n);",
            "let c = coopLoad<coop_mat8x8<f32, C>>(&data[group.x * 64u], 8u);
             coopStore(c, &data[group.x * n], n);
             coopStoreT(c, &data[group.y * n], n + group.z);",
            "if group.z == 0u { coopStore(coopLoad<coop_mat8x8<f32, C>>(&data[group.x], n), &data[group.y], n); }",
            "for (var i = 0u; i < 3u; i++) {
                 let c = coopLoad<coop_mat8x8<f32, C>>(&data[group.x * 64u + i], n);
                 coopStore(c, &data[group.x * n + i], n);
             }",
        ];
        for body in bodies {
            let text = format!("{HEAD}{body}}}");
            let (module, info) = parse(&text);
            let write = |module: &naga::Module, info: &naga::valid::ModuleInfo| {
                let options = spv::Options { lang_version: (1, 6), ..Default::default() };
                let written = || spv::write_vec(module, info, &options, None).is_ok();
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(written)).unwrap_or(false)
            };
            assert!(!write(&module, &info), "naga writes this without the pass: is the pass still needed?\n{body}");
            let made =
                super::super::optimise(&module, &info, &Circumstances::default()).expect("the pass changes the module");
            let info = validate(&made).unwrap_or_else(|error| panic!("{error}\n{body}"));
            assert!(write(&made, &info), "no SPIR-V can be written for\n{body}");
        }
    }
}
