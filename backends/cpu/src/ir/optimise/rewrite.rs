//! One traversal of a function that folds and forwards values, and copies the bodies of loops that are unrolled.
//!
//! Statements are never changed: the traversal creates new lists. Instructions keep their [`Value`] at their first
//! occurrence, and get new values in copies of a loop's body. `map` maps values of the old lists to those of the new.

use rustc_hash::FxHashMap;

use super::fold::{Folded, fold};
use super::knowledge::Knowledge;
use super::operands;
use super::repeats::Repeats;
use crate::ir::{Class, Count, Function, Inst, Label, List, Place, Stmt, Value};

/// Whether control continues after a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Control may continue.
    Open,
    /// Control does not continue: all paths exit.
    Closed,
}

/// The state of the traversal.
pub(super) struct Rewriter<'a> {
    pub(super) function: &'a mut Function,
    pub(super) knowledge: Knowledge,
    pub(super) repeats: Repeats,
    /// Whether the current statements are copied, so that the new ones need their own values and labels.
    pub(super) copying: bool,
    /// The number of steps that unrolling may still add.
    pub(super) growth: usize,
    /// The number of loops around the current point.
    pub(super) loops: usize,
    map: Vec<Value>,
    labels: Vec<Label>,
    /// By label: the number of exits to it in the new lists.
    exits: Vec<u32>,
    constants: FxHashMap<(Class, u64), Value>,
}

impl<'a> Rewriter<'a> {
    /// Returns the state before the traversal of a function, which may add `growth` steps.
    pub(super) fn new(function: &'a mut Function, growth: usize) -> Self {
        let mut constants = FxHashMap::default();
        for (index, inst) in function.insts.iter().enumerate() {
            if let Inst::Const(class, bits) = inst {
                constants.entry((*class, *bits)).or_insert(Value(index as u32));
            }
        }
        Self {
            knowledge: Knowledge::of_nothing(function.vars.len()),
            repeats: Repeats::default(),
            copying: false,
            growth,
            loops: 0,
            map: (0..function.insts.len() as u32).map(Value).collect(),
            labels: (0..function.labels).map(Label).collect(),
            exits: vec![0; function.labels as usize],
            constants,
            function,
        }
    }

    /// Rewrites the function.
    pub(super) fn run(mut self) {
        let body = std::mem::take(&mut self.function.body);
        let mut made = List::with_capacity(body.len());
        self.list(&body, &mut made);
        self.function.body = made;
    }

    /// Rewrites the statements of a nested list, whose results are not available after it.
    pub(super) fn nested(&mut self, statements: &[Stmt]) -> (List, End) {
        let before = self.repeats.mark();
        let mut made = List::new();
        let end = self.list(statements, &mut made);
        self.repeats.leave(before);
        (made, end)
    }

    /// Drops what a barrier would have to save.
    pub(super) fn pass_barrier(&mut self) {
        self.knowledge.pass_barrier();
        self.repeats.pass_barrier();
    }

    /// Rewrites statements until the end of a list, or until control does not continue.
    pub(super) fn list(&mut self, statements: &[Stmt], out: &mut List) -> End {
        for statement in statements {
            if self.statement(statement, out) == End::Closed {
                return End::Closed;
            }
        }
        End::Open
    }

    fn statement(&mut self, statement: &Stmt, out: &mut List) -> End {
        match statement {
            Stmt::If { condition, accept, reject } => {
                return self.branch(self.map[condition.0 as usize], accept, reject, out);
            }
            Stmt::Block { label, body } => return self.block(*label, body, out),
            Stmt::Loop { body, site, turns } => return self.repeat(body, *site, *turns, out),
            Stmt::Exit(label) => {
                let label = self.labels[label.0 as usize];
                self.exits[label.0 as usize] += 1;
                out.push(Stmt::Exit(label));
                return End::Closed;
            }
            Stmt::Let(value) => self.evaluate(*value, out),
            Stmt::Barrier(_) => {
                self.pass_barrier();
                out.push(statement.clone());
            }
            _ => self.simple(statement, out),
        }
        End::Open
    }

    /// Rewrites a statement without nested statements.
    fn simple(&mut self, statement: &Stmt, out: &mut List) {
        let mut made = statement.clone();
        operands::of_stmt(&mut made, &mut |value| *value = self.map[value.0 as usize]);
        match &mut made {
            Stmt::Write(var, value) if self.knowledge.get(*var) == Some(*value) => return,
            Stmt::Declare(var, value) | Stmt::Write(var, value) => {
                let constant = self.is_floating(*value);
                self.knowledge.set(*var, *value, constant);
            }
            Stmt::Store { place, .. } => {
                let inside = self.resolve(place, Beyond::Keep);
                if !inside {
                    return;
                }
            }
            _ => {}
        }
        out.push(made);
    }

    fn branch(&mut self, condition: Value, accept: &[Stmt], reject: &[Stmt], out: &mut List) -> End {
        if let Some(bits) = self.known(condition) {
            return self.list(if bits == 0 { reject } else { accept }, out);
        }
        let before = self.knowledge.mark();
        let (accepted, accept) = self.nested(accept);
        self.knowledge.restore(before);
        let between = self.knowledge.mark();
        let (rejected, reject) = self.nested(reject);
        self.knowledge.restore(between);
        if accept == End::Open && reject == End::Open && self.choose(condition, &accepted, &rejected, out) {
            return End::Open;
        }
        let after = self.knowledge.mark();
        if accept == End::Open {
            self.knowledge.forget_between(before, between);
        }
        if reject == End::Open {
            self.knowledge.forget_between(between, after);
        }
        if !accepted.is_empty() || !rejected.is_empty() {
            out.push(Stmt::If { condition, accept: accepted, reject: rejected });
        }
        if accept == End::Open || reject == End::Open { End::Open } else { End::Closed }
    }

    fn block(&mut self, label: Label, body: &[Stmt], out: &mut List) -> End {
        let name = if self.copying { self.new_label() } else { label };
        let around = std::mem::replace(&mut self.labels[label.0 as usize], name);
        let before = self.knowledge.mark();
        let (mut made, mut end) = self.nested(body);
        self.labels[label.0 as usize] = around;
        if matches!(made.last(), Some(Stmt::Exit(to)) if *to == name) {
            made.pop();
            self.exits[name.0 as usize] -= 1;
            end = End::Open;
        }
        if self.exits[name.0 as usize] == 0 {
            out.append(&mut made);
            return end;
        }
        let after = self.knowledge.mark();
        self.knowledge.forget_between(before, after);
        out.push(Stmt::Block { label: name, body: made });
        End::Open
    }

    fn new_label(&mut self) -> Label {
        let label = Label(self.function.labels);
        self.function.labels += 1;
        self.labels.push(label);
        self.exits.push(0);
        label
    }

    /// Subtracts the exits in `list`, a new list that is not used, from the counts in `exits`.
    pub(super) fn discard(&mut self, list: &[Stmt]) {
        for statement in list {
            match statement {
                Stmt::Exit(label) => self.exits[label.0 as usize] -= 1,
                Stmt::If { accept, reject, .. } => {
                    self.discard(accept);
                    self.discard(reject);
                }
                Stmt::Block { body, .. } | Stmt::Loop { body, .. } => self.discard(body),
                _ => {}
            }
        }
    }

    fn evaluate(&mut self, value: Value, out: &mut List) {
        let at = value.0 as usize;
        if let Inst::Read(var) = self.function.insts[at]
            && let Some(known) = self.knowledge.get(var)
        {
            self.map[at] = known;
            return;
        }
        let mut inst = self.function.insts[at].clone();
        operands::of_inst(&mut inst, &mut |operand| *operand = self.map[operand.0 as usize]);
        let folded = fold(self.function, &inst, |operand| self.known(operand));
        match folded {
            Some(Folded::Same(other)) => self.map[at] = other,
            Some(Folded::Bits(bits)) => self.map[at] = self.constant(self.function.classes[at], bits),
            None => self.emit(value, inst, out),
        }
    }

    fn emit(&mut self, value: Value, mut inst: Inst, out: &mut List) {
        match &mut inst {
            Inst::Load(place, ..) => {
                self.resolve(place, Beyond::Clamp);
            }
            // An index out of range stays, because it prevents the atomic at run time.
            Inst::Atomic { place, .. } => {
                self.resolve(place, Beyond::Keep);
            }
            _ => {}
        }
        let at = value.0 as usize;
        let available = self.repeats.get(&inst);
        let read = if let Inst::Read(var) = inst { Some(var) } else { None };
        let later = &self.function.insts[at + 1..];
        let parts = later.iter().take_while(|part| matches!(part, Inst::Part { of, .. } if *of == value)).count();
        let made = if let Some(made) = available {
            made
        } else if self.copying {
            let made = self.new_value(inst, self.function.classes[at]);
            for index in 1..=parts {
                self.new_value(Inst::Part { of: made, index: index as u8 }, self.function.classes[at + index]);
            }
            made
        } else {
            self.function.insts[at] = inst;
            value
        };
        for index in 0..=parts {
            self.map[at + index] = Value(made.0 + index as u32);
        }
        if available.is_some() {
            return;
        }
        if let Some(var) = read {
            self.knowledge.set(var, made, false);
        }
        self.repeats.add(self.function, made);
        out.push(Stmt::Let(made));
    }

    /// Appends a new instruction to a list, and returns its value.
    pub(super) fn append(&mut self, inst: Inst, class: Class, out: &mut List) -> Value {
        let value = self.new_value(inst, class);
        out.push(Stmt::Let(value));
        value
    }

    fn new_value(&mut self, inst: Inst, class: Class) -> Value {
        let value = Value(self.function.insts.len() as u32);
        self.function.insts.push(inst);
        self.function.classes.push(class);
        self.map.push(value);
        value
    }

    fn constant(&mut self, class: Class, bits: u64) -> Value {
        if let Some(value) = self.constants.get(&(class, bits)) {
            return *value;
        }
        let value = self.new_value(Inst::Const(class, bits), class);
        self.constants.insert((class, bits), value);
        value
    }

    /// The bits of a value that is a constant; `None` for other values.
    pub(super) fn known(&self, value: Value) -> Option<u64> {
        match self.function.inst(value) {
            Inst::Const(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// Whether a value belongs to no list: a constant, input or argument.
    fn is_floating(&self, value: Value) -> bool {
        self.function.inst(value).is_floating()
    }

    /// Moves the constant indices of a place into its offset. Returns false if an index is certain to be out of range.
    fn resolve(&self, place: &mut Place, beyond: Beyond) -> bool {
        let (mut offset, mut inside) = (place.offset, true);
        place.indices.retain(|index| {
            let Some(bits) = self.known(index.value) else { return true };
            let position = match index.count {
                Count::Fixed(count) if bits < u64::from(count) => bits as u32,
                // A runtime-sized array has at least one element.
                Count::Runtime if bits == 0 => 0,
                Count::Fixed(count) => {
                    inside = false;
                    if beyond == Beyond::Keep {
                        return true;
                    }
                    count - 1
                }
                Count::Runtime => return true,
            };
            match position.checked_mul(index.stride).and_then(|bytes| offset.checked_add(bytes)) {
                Some(sum) => {
                    offset = sum;
                    false
                }
                None => true,
            }
        });
        place.offset = offset;
        inside
    }
}

/// The treatment of a constant index that is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// The index becomes that of the last element.
    Clamp,
    /// The index is not changed.
    Keep,
}
