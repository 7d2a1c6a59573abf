//! Removes unused code: unused values, variables that are not read, and writes that another write overwrites before any
//! read. Then removes the gaps that this leaves in the tables of the function.

use rustc_hash::FxHashMap;

use super::operands;
use crate::ir::{Function, Inst, List, Stmt, Value, Var};

/// Removes unused code, and renumbers the values.
pub(super) fn run(function: &mut Function) {
    let body = std::mem::take(&mut function.body);
    let (values, vars) = (function.insts.len(), function.vars.len());
    let mut marking = Marking {
        function,
        used: vec![false; values],
        read: vec![false; vars],
        written: vec![Vec::new(); vars],
        queue: Vec::new(),
    };
    marking.list(&body);
    marking.spread();
    let Marking { used, read, .. } = marking;
    let names = renumber(function, &used);
    function.body = Sweep { function, used, read, names }.list(body);
}

/// Removes unused values from the function's tables; returns the new number of each remaining value.
fn renumber(function: &mut Function, used: &[bool]) -> Vec<Value> {
    let mut names = vec![Value(u32::MAX); used.len()];
    let mut next = 0usize;
    for index in 0..used.len() {
        if used[index] {
            names[index] = Value(next as u32);
            function.insts.swap(next, index);
            function.classes[next] = function.classes[index];
            next += 1;
        }
    }
    function.insts.truncate(next);
    function.classes.truncate(next);
    for inst in &mut function.insts {
        operands::of_inst(inst, &mut |operand| *operand = names[operand.0 as usize]);
    }
    names
}

struct Marking<'a> {
    function: &'a mut Function,
    used: Vec<bool>,
    read: Vec<bool>,
    /// By variable: the values that are written to it.
    written: Vec<Vec<Value>>,
    queue: Vec<Value>,
}

impl Marking<'_> {
    fn list(&mut self, list: &[Stmt]) {
        for statement in list {
            match statement {
                Stmt::Let(value) => {
                    if matches!(self.function.inst(*value), Inst::Atomic { .. }) {
                        self.queue.push(*value);
                    }
                }
                Stmt::Declare(var, value) | Stmt::Write(var, value) => self.written[var.0 as usize].push(*value),
                Stmt::Store { place, values, .. } => {
                    self.queue.extend(place.indices.iter().map(|index| index.value));
                    self.queue.extend(values);
                }
                Stmt::If { condition, accept, reject } => {
                    self.queue.push(*condition);
                    self.list(accept);
                    self.list(reject);
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.list(body),
                Stmt::Call { arguments, .. } => self.queue.extend(arguments),
                Stmt::Exit(_) | Stmt::Barrier(_) | Stmt::Check(_) => {}
            }
        }
    }

    /// Marks the operands of the values in the queue as used.
    fn spread(&mut self) {
        while let Some(value) = self.queue.pop() {
            let at = value.0 as usize;
            if std::mem::replace(&mut self.used[at], true) {
                continue;
            }
            // The parts of a load must follow it, so all of them stay.
            for part in self.function.parts(value) {
                self.used[part.0 as usize] = true;
            }
            let queue = &mut self.queue;
            operands::of_inst(&mut self.function.insts[at], &mut |operand| queue.push(*operand));
            if let Inst::Read(var) = self.function.insts[at] {
                self.read[var.0 as usize] = true;
                self.queue.append(&mut self.written[var.0 as usize]);
            }
        }
    }
}

struct Sweep<'a> {
    function: &'a Function,
    used: Vec<bool>,
    read: Vec<bool>,
    names: Vec<Value>,
}

impl Sweep<'_> {
    fn list(&self, list: List) -> List {
        let mut made = List::with_capacity(list.len());
        // By variable: the position in `made` of its last write, if no read follows so far.
        let mut fresh: FxHashMap<Var, usize> = FxHashMap::default();
        let mut vain: Vec<usize> = Vec::new();
        for mut statement in list {
            let keeps = match &mut statement {
                Stmt::Let(value) => self.used[value.0 as usize],
                Stmt::Declare(var, _) | Stmt::Write(var, _) => self.read[var.0 as usize],
                Stmt::If { accept, reject, .. } => {
                    fresh.clear();
                    *accept = self.list(std::mem::take(accept));
                    *reject = self.list(std::mem::take(reject));
                    !accept.is_empty() || !reject.is_empty()
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => {
                    fresh.clear();
                    *body = self.list(std::mem::take(body));
                    !body.is_empty()
                }
                _ => true,
            };
            if !keeps {
                continue;
            }
            operands::of_stmt(&mut statement, &mut |value| *value = self.names[value.0 as usize]);
            match &mut statement {
                Stmt::Let(value) => {
                    if let Inst::Read(var) = self.function.inst(*value) {
                        fresh.remove(var);
                    }
                }
                Stmt::Declare(var, value) | Stmt::Write(var, value) => {
                    let (var, value) = (*var, *value);
                    if let Some(earlier) = fresh.insert(var, made.len()) {
                        if matches!(made[earlier], Stmt::Declare(..)) {
                            statement = Stmt::Declare(var, value);
                        }
                        vain.push(earlier);
                    }
                }
                _ => {}
            }
            made.push(statement);
        }
        if !vain.is_empty() {
            vain.sort_unstable();
            let (mut position, mut vain) = (0, vain.into_iter().peekable());
            made.retain(|_| {
                let drops = vain.next_if_eq(&position).is_some();
                position += 1;
                !drops
            });
        }
        made
    }
}
