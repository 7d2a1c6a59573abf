//! Statements, for all active invocations.

use super::races::Touch;
use super::scalar::binary;
use super::{Machine, Stop};
use crate::random_kernels::ast::{Atomic, Binary, Block, Expr, Place, Stmt, Value};

impl<'p> Machine<'p> {
    /// Runs a statement and returns the lanes that reach the next one.
    pub(super) fn stmt(&mut self, stmt: &'p Stmt, lanes: Vec<usize>) -> Result<Vec<usize>, Stop> {
        match stmt {
            Stmt::Let(slot, value) | Stmt::Var(slot, _, Some(value)) => {
                for &lane in &lanes {
                    let value = self.eval(value, lane)?;
                    self.define(*slot, lane, value);
                }
            }
            Stmt::Var(slot, ty, None) => {
                for &lane in &lanes {
                    self.define(*slot, lane, ty.zero(&self.program.structs));
                }
            }
            Stmt::Assign(place, value) => {
                for &lane in &lanes {
                    let address = self.address(place, lane)?;
                    let value = self.eval(value, lane)?;
                    self.store(&address, lane, value)?;
                }
            }
            Stmt::Compound(place, op, value) => {
                for &lane in &lanes {
                    let address = self.address(place, lane)?;
                    // WGSL reads the left side of a compound assignment before it evaluates the right side.
                    let old = self.load(&address, lane)?;
                    let value = self.eval(value, lane)?;
                    self.store(&address, lane, binary(*op, &old, &value)?)?;
                }
            }
            Stmt::Step(place, up) => {
                for &lane in &lanes {
                    let address = self.address(place, lane)?;
                    let old = self.load(&address, lane)?;
                    let one = if matches!(old, Value::I32(_)) { Value::I32(1) } else { Value::U32(1) };
                    let op = if *up { Binary::Add } else { Binary::Sub };
                    self.store(&address, lane, binary(op, &old, &one)?)?;
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let (yes, no) = self.part(condition, lanes)?;
                let yes = self.block(then, yes)?;
                return Ok(merge(yes, self.block(otherwise, no)?));
            }
            Stmt::Switch(selector, cases, default) => return self.switch(selector, cases, default, lanes),
            Stmt::For(slot, bound, body) => return self.count(*slot, bound, body, lanes),
            Stmt::Count(slot, start, condition, step, body) => {
                return self.count_by_step(*slot, start, condition, step, body, lanes);
            }
            Stmt::While(condition, body) => {
                self.enter();
                let (mut lanes, mut done) = (lanes, Vec::new());
                while !lanes.is_empty() {
                    let (yes, no) = self.part(condition, lanes)?;
                    done = merge(done, no);
                    lanes = self.iterate(body, yes)?;
                }
                return Ok(merge(done, self.leave()));
            }
            Stmt::Loop(body, continuing, until) => {
                self.enter();
                let (mut lanes, mut done) = (lanes, Vec::new());
                while !lanes.is_empty() {
                    lanes = self.iterate(body, lanes)?;
                    lanes = self.block(continuing, lanes)?;
                    if let Some(until) = until {
                        let (yes, no) = self.part(until, lanes)?;
                        done = merge(done, yes);
                        lanes = no;
                    }
                }
                return Ok(merge(done, self.leave()));
            }
            Stmt::Break => return self.jump(0, lanes),
            Stmt::Continue => return self.jump(1, lanes),
            Stmt::Return(value) => {
                for &lane in &lanes {
                    let value = match value {
                        Some(value) => self.eval(value, lane)?,
                        None => Value::Bool(true),
                    };
                    self.frame()?.returned.push((lane, value));
                }
                return Ok(Vec::new());
            }
            Stmt::Call(slot, function, arguments) => {
                let mut all = Vec::new();
                for &lane in &lanes {
                    let values: Result<Vec<Value>, Stop> =
                        arguments.iter().map(|argument| self.eval(argument, lane)).collect();
                    all.push(values?);
                }
                let results = self.call(*function, &lanes, all)?;
                if let Some(slot) = slot {
                    lanes.iter().zip(results).for_each(|(lane, result)| self.define(*slot, *lane, result));
                }
            }
            Stmt::WorkgroupBarrier => self.meet(&lanes)?,
            Stmt::StorageBarrier => {
                let epoch = self.epoch;
                self.meet(&lanes)?;
                self.epoch = epoch;
            }
            Stmt::UniformLoad(slot, place) => {
                self.meet(&lanes)?;
                let mut first = None;
                for &lane in &lanes {
                    let address = self.address(place, lane)?;
                    if first.get_or_insert_with(|| address.clone()) != &address {
                        return Err(Stop("the address of a uniform load is not uniform"));
                    }
                    let value = self.load(&address, lane)?;
                    self.define(*slot, lane, value);
                }
                self.meet(&lanes)?;
            }
            Stmt::Atomic(slot, op, place, operand) => {
                for &lane in &lanes {
                    self.atomic(*slot, *op, place, operand.as_ref(), lane)?;
                }
            }
            Stmt::Block(block) => return self.block(block, lanes),
        }
        Ok(lanes)
    }

    fn define(&mut self, slot: usize, lane: usize, value: Value) {
        if let Some(frame) = self.frames.last_mut() {
            *frame.slot(slot, lane) = value;
        }
    }

    fn frame(&mut self) -> Result<&mut super::Frame, Stop> {
        self.frames.last_mut().ok_or(Stop("a frame is missing"))
    }

    /// Executes a barrier; returns an error if `lanes` are not all invocations of the workgroup.
    fn meet(&mut self, lanes: &[usize]) -> Result<(), Stop> {
        self.epoch += 1;
        if lanes.len() == self.size { Ok(()) } else { Err(Stop("not all invocations reach a barrier")) }
    }

    fn jump(&mut self, kind: usize, lanes: Vec<usize>) -> Result<Vec<usize>, Stop> {
        let frame = self.frame()?;
        // A switch keeps no list for `continue`, which belongs to the enclosing loop.
        let target = frame.left.last_mut().ok_or(Stop("a jump outside loops and switches"))?;
        target[kind].extend(lanes);
        Ok(Vec::new())
    }

    fn enter(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.left.push([Vec::new(), Vec::new()]);
        }
    }

    /// The lanes that left the current loop by `break`.
    fn leave(&mut self) -> Vec<usize> {
        let left = self.frames.last_mut().and_then(|frame| frame.left.pop());
        left.map_or_else(Vec::new, |[broken, _]| broken)
    }

    /// Runs a loop's body once, and returns the lanes that reach its end or `continue`.
    fn iterate(&mut self, body: &'p Block, lanes: Vec<usize>) -> Result<Vec<usize>, Stop> {
        self.spend(1 + lanes.len())?;
        let through = self.block(body, lanes)?;
        let continued = self.frame()?.left.last_mut().map(|left| std::mem::take(&mut left[1])).unwrap_or_default();
        Ok(merge(through, continued))
    }

    fn count(
        &mut self,
        slot: usize,
        bound: &'p Expr,
        body: &'p Block,
        mut lanes: Vec<usize>,
    ) -> Result<Vec<usize>, Stop> {
        self.enter();
        let mut done = Vec::new();
        lanes.iter().for_each(|lane| self.define(slot, *lane, Value::U32(0)));
        let mut counter = 0u32;
        while !lanes.is_empty() {
            let mut staying = Vec::new();
            for lane in lanes {
                let bound = self.eval(bound, lane)?;
                if binary(Binary::Less, &Value::U32(counter), &bound)? == Value::Bool(true) {
                    staying.push(lane);
                } else {
                    done.push(lane);
                }
            }
            lanes = self.iterate(body, staying)?;
            counter += 1;
            lanes.iter().for_each(|lane| self.define(slot, *lane, Value::U32(counter)));
        }
        Ok(merge(done, self.leave()))
    }

    fn count_by_step(
        &mut self,
        slot: usize,
        start: &'p Expr,
        condition: &'p Expr,
        step: &'p Stmt,
        body: &'p Block,
        mut lanes: Vec<usize>,
    ) -> Result<Vec<usize>, Stop> {
        for &lane in &lanes {
            let start = self.eval(start, lane)?;
            self.define(slot, lane, start);
        }
        self.enter();
        let mut done = Vec::new();
        while !lanes.is_empty() {
            let (yes, no) = self.part(condition, lanes)?;
            done = merge(done, no);
            lanes = self.iterate(body, yes)?;
            lanes = self.stmt(step, lanes)?;
        }
        Ok(merge(done, self.leave()))
    }

    fn switch(
        &mut self,
        selector: &'p Expr,
        cases: &'p [(Vec<i64>, Block)],
        default: &'p Block,
        lanes: Vec<usize>,
    ) -> Result<Vec<usize>, Stop> {
        let mut chosen: Vec<Vec<usize>> = vec![Vec::new(); cases.len() + 1];
        for lane in lanes {
            let value = match self.eval(selector, lane)? {
                Value::U32(value) => i64::from(value),
                Value::I32(value) => i64::from(value),
                _ => return Err(Stop("a selector's type")),
            };
            let case = cases.iter().position(|(selectors, _)| selectors.contains(&value));
            chosen[case.unwrap_or(cases.len())].push(lane);
        }
        self.enter();
        let mut through = Vec::new();
        let blocks = cases.iter().map(|(_, block)| block).chain([default]);
        for (block, lanes) in blocks.zip(chosen) {
            let lanes = self.block(block, lanes)?;
            through = merge(through, lanes);
        }
        let left = self.frame()?.left.pop().unwrap_or_default();
        let [broken, continued] = left;
        if !continued.is_empty() {
            self.jump(1, continued)?;
        }
        Ok(merge(through, broken))
    }

    fn atomic(
        &mut self,
        slot: Option<usize>,
        op: Atomic,
        place: &'p Place,
        operand: Option<&'p Expr>,
        lane: usize,
    ) -> Result<(), Stop> {
        let address = self.address(place, lane)?;
        let operand = operand.map(|operand| self.eval(operand, lane)).transpose()?;
        let touch = match op {
            Atomic::Load => Touch::Read,
            Atomic::Store | Atomic::Exchange => Touch::Write,
            op if slot.is_none() => Touch::Accumulate(op),
            _ => Touch::Write,
        };
        let (address, inside) = self.settle(&address, lane)?;
        if !inside {
            if let Some(slot) = slot {
                let zero =
                    if matches!(self.find(&address, lane)?, Value::I32(_)) { Value::I32(0) } else { Value::U32(0) };
                self.define(slot, lane, zero);
            }
            return Ok(());
        }
        self.note(&address, lane, touch)?;
        let old = self.find(&address, lane)?.clone();
        if let Some(operand) = operand {
            *self.find(&address, lane)? = updated(op, &old, &operand)?;
        }
        if let Some(slot) = slot {
            self.define(slot, lane, old);
        }
        Ok(())
    }
}

fn updated(op: Atomic, old: &Value, operand: &Value) -> Result<Value, Stop> {
    let op = match op {
        Atomic::Add => Binary::Add,
        Atomic::Sub => Binary::Sub,
        Atomic::And => Binary::And,
        Atomic::Or => Binary::Or,
        Atomic::Xor => Binary::Xor,
        Atomic::Min | Atomic::Max => {
            let less = binary(Binary::Less, operand, old)? == Value::Bool(true);
            return Ok(if less == (op == Atomic::Min) { operand.clone() } else { old.clone() });
        }
        Atomic::Exchange | Atomic::Store => return Ok(operand.clone()),
        Atomic::Load => return Ok(old.clone()),
    };
    binary(op, old, operand)
}

fn merge(mut one: Vec<usize>, other: Vec<usize>) -> Vec<usize> {
    if !other.is_empty() {
        one.extend(other);
        one.sort_unstable();
    }
    one
}
