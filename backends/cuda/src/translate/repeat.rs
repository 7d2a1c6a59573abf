//! Translation of loops.

use anywarp_backend::statements;
use anywarp_middle::operands::{for_each_operand, for_each_statement_operand};
use naga::{Block, Expression, Handle};
use rustc_hash::FxHashSet;

use super::error::Result;
use super::flow;
use super::writer::FunctionWriter;

impl<'a> FunctionWriter<'a, '_> {
    /// Writes a loop. If the loop has a `continuing` block, `continue` jumps to that block. Values of the body that the
    /// block reads are then declared before the loop, because C++ does not allow a jump over an initialiser.
    pub(super) fn repeat(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        let limited = self.m.checked && !self.proven.ends(body);
        let jumps = (!continuing.is_empty() || break_if.is_some()) && flow::continues(body);
        if !jumps {
            self.line("while (true) {");
            self.continues.push(None);
            self.nest(|writer| {
                writer.limit(limited);
                writer.block(body)?;
                writer.rest(continuing, break_if)
            })?;
            self.continues.pop();
            self.bare("}");
            return Ok(());
        }

        self.labels += 1;
        let label = format!("aw_continue_{}", self.labels);
        let read = self.read_of_body(body, continuing, break_if);
        let added: Vec<_> = read.into_iter().filter(|handle| self.hoisted.insert(*handle)).collect();
        let outer_hoists = std::mem::take(&mut self.hoists);
        let outer_text = std::mem::take(&mut self.out);
        // Declarations will be inserted before the loop, which shifts the compiler's line count.
        self.counted = None;
        self.line("while (true) {");
        self.continues.push(Some(label.clone()));
        self.nest(|writer| {
            writer.limit(limited);
            writer.bare("{");
            writer.nest(|writer| writer.block(body))?;
            writer.bare("}");
            writer.bare(&format!("{label}:;"));
            writer.rest(continuing, break_if)
        })?;
        self.continues.pop();
        self.bare("}");
        let text = std::mem::replace(&mut self.out, outer_text);
        let hoists = std::mem::replace(&mut self.hoists, outer_hoists);
        for declaration in hoists {
            self.bare(&declaration);
        }
        self.out.push_str(&text);
        for handle in added {
            self.hoisted.remove(&handle);
        }
        Ok(())
    }

    fn limit(&mut self, limited: bool) {
        if limited {
            let (budget, line) = (self.limit_arguments(), self.here.unwrap_or(0));
            self.line(&format!("if (aw_spent({budget}, {line}u)) {{ break; }}"));
        }
    }

    fn rest(&mut self, continuing: &'a Block, break_if: Option<Handle<Expression>>) -> Result<()> {
        self.block(continuing)?;
        if let Some(condition) = break_if {
            let condition = self.value(condition)?;
            self.line(&format!("if ({}) {{ break; }}", super::stmt::unwrapped(&condition)));
        }
        Ok(())
    }

    /// Returns the values that the body evaluates and the `continuing` block reads.
    fn read_of_body(
        &self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> FxHashSet<Handle<Expression>> {
        let made = flow::evaluated(body);
        let mut read = FxHashSet::default();
        let mut left: Vec<_> = flow::evaluated(continuing).into_iter().chain(break_if).collect();
        for (statement, _) in statements(continuing) {
            for_each_statement_operand(statement, |operand| left.push(operand));
        }
        let mut seen = FxHashSet::default();
        while let Some(handle) = left.pop() {
            if seen.insert(handle) {
                if made.contains(&handle) {
                    read.insert(handle);
                }
                for_each_operand(&self.function.expressions[handle], |operand| left.push(operand));
            }
        }
        read
    }
}
