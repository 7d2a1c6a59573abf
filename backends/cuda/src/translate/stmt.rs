//! Translation of statements.

use naga::{Barrier, Block, Expression, Handle, Statement, SwitchCase, SwitchValue};

use super::error::{Result, TranslateError};
use super::writer::FunctionWriter;

impl<'a> FunctionWriter<'a, '_> {
    /// Writes the statements of a function.
    pub(super) fn body(&mut self, body: &'a Block) -> Result<()> {
        self.statements(body, true)
    }

    /// Writes the statements of a block.
    pub(super) fn block(&mut self, block: &'a Block) -> Result<()> {
        self.statements(block, false)
    }

    /// Writes the statements of a block. `at_end` is whether the block ends its function; a final `return` is then
    /// omitted.
    fn statements(&mut self, block: &'a Block, at_end: bool) -> Result<()> {
        for (index, (statement, span)) in block.span_iter().enumerate() {
            if let Some(line) = self.m.lines.of(*span) {
                self.here = Some(line);
            }
            let here = self.here;
            let at_end = at_end && index + 1 == block.len();
            self.statement(statement, at_end).map_err(|error| error.at(here))?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement, at_end: bool) -> Result<()> {
        match statement {
            Statement::Emit(range) => self.emit(range)?,
            // No braces are needed: all names of a function are unique.
            Statement::Block(inner) => self.deeper(|writer| writer.statements(inner, at_end))?,
            Statement::If { condition, accept, reject } => self.choice(*condition, accept, reject, at_end)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop { body, continuing, break_if } => self.repeat(body, continuing, *break_if)?,
            Statement::Break => self.line("break;"),
            Statement::Continue => match self.continues.last() {
                Some(Some(label)) => {
                    let text = format!("goto {label};");
                    self.line(&text);
                }
                _ => self.line("continue;"),
            },
            Statement::Return { value: Some(value) } => {
                let value = self.value(*value)?;
                self.line(&format!("return {value};"));
            }
            Statement::Return { value: None } if at_end => {}
            Statement::Return { value: None } => self.line("return;"),
            Statement::ControlBarrier(barrier) => {
                let wide = barrier.intersects(Barrier::STORAGE | Barrier::WORK_GROUP | Barrier::TEXTURE);
                self.line(if wide { "__syncthreads();" } else { "__syncwarp();" });
            }
            Statement::MemoryBarrier(barrier) => {
                let device = barrier.intersects(Barrier::STORAGE | Barrier::TEXTURE);
                self.line(if device { "__threadfence();" } else { "__threadfence_block();" });
            }
            Statement::Store { pointer, value } => self.store(*pointer, *value)?,
            Statement::Atomic { pointer, fun, value, result } => self.atomic(*pointer, fun, *value, *result)?,
            Statement::WorkGroupUniformLoad { pointer, result } => self.workgroup_uniform_load(*pointer, *result)?,
            Statement::Call { function, arguments, result } => self.call(*function, arguments, *result)?,
            Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. } => self.subgroup_statement(statement)?,
            Statement::CooperativeStore { target, data } => self.cooperative_store(*target, data)?,
            Statement::Kill => return Err(TranslateError::unsupported("discard")),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                return Err(TranslateError::unsupported("a texture"));
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                return Err(TranslateError::unsupported("a ray query"));
            }
        }
        Ok(())
    }

    fn choice(
        &mut self,
        condition: Handle<Expression>,
        accept: &'a Block,
        reject: &'a Block,
        at_end: bool,
    ) -> Result<()> {
        let condition = self.value(condition)?;
        let nothing = |block: &Block| {
            at_end && matches!(block.last(), Some(Statement::Return { value: None })) && block.len() == 1
                || block.is_empty()
        };
        if nothing(accept) {
            self.line(&format!("if (!{condition}) {{"));
            self.nest(|writer| writer.statements(reject, at_end))?;
            self.bare("}");
            return Ok(());
        }
        self.line(&format!("if ({}) {{", unwrapped(&condition)));
        self.nest(|writer| writer.statements(accept, at_end))?;
        if !nothing(reject) {
            self.bare("} else {");
            self.nest(|writer| writer.statements(reject, at_end))?;
        }
        self.bare("}");
        Ok(())
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Result<()> {
        let selector = self.value(selector)?;
        self.line(&format!("switch ({}) {{", unwrapped(&selector)));
        let mut labels = String::new();
        for case in cases {
            labels.push_str(&match case.value {
                SwitchValue::I32(i32::MIN) => "case (-2147483647 - 1): ".to_owned(),
                SwitchValue::I32(value) => format!("case {value}: "),
                SwitchValue::U32(value) => format!("case {value}u: "),
                SwitchValue::Default => "default: ".to_owned(),
            });
            if case.fall_through {
                if !case.body.is_empty() {
                    return Err(TranslateError::invalid("a case with statements that falls through"));
                }
                continue;
            }
            self.bare(&format!("{labels}{{"));
            labels.clear();
            self.nest(|writer| writer.block(&case.body))?;
            if !matches!(case.body.last(), Some(Statement::Break | Statement::Continue | Statement::Return { .. })) {
                self.nest(|writer| {
                    writer.bare("break;");
                    Ok(())
                })?;
            }
            self.bare("}");
        }
        self.bare("}");
        Ok(())
    }
}

/// Returns the text without the parentheses that enclose it as a whole, because the statement adds its own.
pub(super) fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    for character in inner.chars() {
        depth += i32::from(character == '(') - i32::from(character == ')');
        if depth < 0 {
            return text;
        }
    }
    inner
}
