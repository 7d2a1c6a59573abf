//! Copies of large types, as loops.

use super::error::{LowerError, Result};
use super::kernel::Lowering;
use super::pointer::Pointer;
use super::shape::Shape;
use crate::ir::{BinaryOp, Class, CompareOp, Stmt, Value};

impl Lowering<'_> {
    /// Copies the pointee of one pointer to that of another of the same type.
    pub(super) fn copy(&mut self, from: &Pointer, to: &Pointer) -> Result<()> {
        self.walk(to, Some(from))
    }

    /// Sets the pointee to zero.
    pub(super) fn clear(&mut self, to: &Pointer) -> Result<()> {
        self.walk(to, None)
    }

    /// Stores the pointee of `from`, or zeros without it. Large types are split until the parts are small.
    fn walk(&mut self, to: &Pointer, from: Option<&Pointer>) -> Result<()> {
        self.spend(1)?;
        if !self.is_large(to.shape) {
            let values = match from {
                Some(from) => self.read(from)?,
                None => self.zeros(to.shape)?,
            };
            return self.write(to, &values);
        }
        if matches!(to.shape, Shape::Struct(_)) {
            for index in 0..self.types.member_count(to.shape) {
                let part = self.point_at(to, index, true)?;
                let source = from.map(|from| self.point_at(from, index, true)).transpose()?;
                self.walk(&part, source.as_ref())?;
            }
            return Ok(());
        }
        let elements = self.types.elements(to.shape, to.root.rule());
        let count = elements
            .and_then(|elements| elements.count)
            .ok_or_else(|| LowerError::invalid("a copy of a type without a size"))?;
        self.each(count, |lowering, index| {
            let part = lowering.point_into(to, index, true)?;
            let source = from.map(|from| lowering.point_into(from, index, true)).transpose()?;
            lowering.walk(&part, source.as_ref())
        })
    }

    /// The zero of each scalar of a small shape, in order.
    pub(super) fn zeros(&mut self, shape: Shape) -> Result<Vec<Value>> {
        let classes = self.types.classes(shape)?;
        Ok(classes.into_iter().map(|class| self.b.zero(class)).collect())
    }

    /// Appends a loop over `0..count`, where `count` is not zero. `body` appends the loop's body, given the index.
    fn each(&mut self, count: u32, body: impl FnOnce(&mut Self, Value) -> Result<()>) -> Result<()> {
        let site = self.site(self.here, "");
        let counter = self.b.var(Class::I32);
        let (zero, one, count) = (self.b.u32(0), self.b.u32(1), self.b.u32(count));
        self.b.push(Stmt::Declare(counter, zero));
        let label = self.b.label();
        self.b.open();
        let index = self.b.read(counter);
        body(self, index)?;
        let next = self.b.binary(BinaryOp::Add, index, one);
        self.b.push(Stmt::Write(counter, next));
        let done = self.b.compare(CompareOp::LeU, count, next);
        let accept = vec![Stmt::Exit(label)];
        self.b.push(Stmt::If { condition: done, accept, reject: Vec::new() });
        let list = self.b.close();
        self.b.push(Stmt::Block { label, body: vec![Stmt::Loop { body: list, site, turns: None }] });
        Ok(())
    }
}
