//! Reads statements, instructions and places from the text of a function.

use smallvec::SmallVec;

use super::Parser;
use super::names::Named;
use crate::ir::{
    BinaryOp, Check, Class, CompareOp, Convert, Count, Index, Input, Inst, Label, List, MemType, Place, SiteId, Space,
    Stmt, TernaryOp, UnaryOp, Value, Var,
};
use crate::math::LaneFunction;

impl Parser<'_> {
    /// Reads statements up to the closing brace.
    pub(super) fn list(&mut self) -> Result<List, String> {
        let mut list = List::new();
        while !self.eat("}") {
            let statement = self.statement()?;
            list.push(statement);
        }
        Ok(list)
    }

    fn braced(&mut self) -> Result<List, String> {
        self.expect("{")?;
        self.list()
    }

    fn label(&mut self) -> Result<Label, String> {
        let number = self.numbered('l')?;
        self.made.labels = self.made.labels.max(number.saturating_add(1));
        Ok(Label(number))
    }

    fn statement(&mut self) -> Result<Stmt, String> {
        let site = SiteId(0);
        Ok(match self.peek() {
            "store" => {
                self.at += 1;
                let ty = self.named("a type of memory")?;
                let place = self.place()?;
                self.expect("=")?;
                Stmt::Store { place, ty, values: self.operands()? }
            }
            "if" => {
                self.at += 1;
                let (condition, accept) = (self.operand()?, self.braced()?);
                let reject = if self.eat("else") { self.braced()? } else { List::new() };
                Stmt::If { condition, accept, reject }
            }
            "block" => {
                self.at += 1;
                Stmt::Block { label: self.label()?, body: self.braced()? }
            }
            "loop" => {
                self.at += 1;
                let turns = if self.eat("to") { Some(self.number()?) } else { None };
                Stmt::Loop { body: self.braced()?, site, turns }
            }
            "exit" => {
                self.at += 1;
                Stmt::Exit(self.label()?)
            }
            "barrier" => {
                self.at += 1;
                self.made.has_barrier = true;
                Stmt::Barrier(site)
            }
            "check" => {
                self.at += 1;
                let (number, operands) = (self.number()?, self.arguments()?);
                self.check_spec(number)?;
                let group = self.floating(Inst::Input(Input::SubgroupId), Class::I32);
                Stmt::Check(Check { number, group, operands })
            }
            "call" => {
                self.at += 1;
                Stmt::Call { callee: self.number()?, arguments: self.arguments()?, site }
            }
            "var" => {
                self.at += 1;
                let (var, value) = self.assignment()?;
                Stmt::Declare(var, value)
            }
            name if name.starts_with('r') => {
                let (var, value) = self.assignment()?;
                Stmt::Write(var, value)
            }
            name if name.starts_with('v') => Stmt::Let(self.definition()?),
            _ => return Err(self.wrong("a statement")),
        })
    }

    fn assignment(&mut self) -> Result<(Var, Value), String> {
        let number = self.numbered('r')?;
        self.expect("=")?;
        let value = self.operand()?;
        Ok((self.var(number, self.made.class(value))?, value))
    }

    /// Reads the definition of a value, such as `v1, v2: I32 = load ..`.
    fn definition(&mut self) -> Result<Value, String> {
        let first = self.numbered('v')?;
        let mut count = 1u8;
        while self.eat(",") {
            if self.peek() != format!("v{}", first + u32::from(count)) || count == 4 {
                return Err(self.wrong("the next value of at most four in a row"));
            }
            (self.at, count) = (self.at + 1, count + 1);
        }
        self.expect(":")?;
        let class = self.named("a class")?;
        self.expect("=")?;
        let start = self.at;
        let inst = self.inst(class, count)?;
        if count > 1 && !matches!(inst, Inst::Load(..)) {
            self.at = start;
            return Err(self.wrong("`load`, the only instruction with several results"));
        }
        for part in 0..count {
            let at = first as usize + usize::from(part);
            if std::mem::replace(&mut self.defined[at], true) {
                self.at = start;
                return Err(self.wrong(&format!("a value other than v{at}, which is defined above, before")));
            }
            self.made.classes[at] = class;
            self.made.insts[at] = if part == 0 { inst.clone() } else { Inst::Part { of: Value(first), index: part } };
        }
        Ok(Value(first))
    }

    fn inst(&mut self, class: Class, count: u8) -> Result<Inst, String> {
        let word = self.peek();
        if let Some(number) = word.strip_prefix('r').and_then(|number| number.parse().ok()) {
            let var = self.var(number, class)?;
            self.at += 1;
            return Ok(Inst::Read(var));
        }
        self.at += 1;
        match word {
            "load" => {
                let ty = self.named("a type of memory")?;
                return Ok(Inst::Load(self.place()?, ty, count));
            }
            "atomic" => {
                let (op, ty): (_, MemType) = (self.named("an atomic operation")?, self.named("a type of memory")?);
                let place = self.place()?;
                self.expect("=")?;
                let value = self.operand()?;
                let compare = if self.eat(",") { Some(self.operand()?) } else { None };
                return Ok(Inst::Atomic { op, place, ty, value, compare });
            }
            "subgroup" => {
                let (op, value) = (self.named("an operation of a subgroup")?, self.operand()?);
                let lane = if self.eat(",") { Some(self.operand()?) } else { None };
                return Ok(Inst::Subgroup(op, value, lane));
            }
            _ => {}
        }
        let start = self.at - 1;
        let known = word == "select"
            || UnaryOp::named(word).is_some()
            || Convert::named(word).is_some()
            || BinaryOp::named(word).is_some()
            || CompareOp::named(word).is_some()
            || TernaryOp::named(word).is_some()
            || LaneFunction::named(word).is_some();
        if !known {
            self.at = start;
            return Err(self.wrong("an instruction"));
        }
        let found = match self.operands()?[..] {
            [a] => {
                let unary = UnaryOp::named(word).map(|op| Inst::Unary(op, a));
                unary.or_else(|| Convert::named(word).map(|convert| Inst::Convert(convert, a)))
            }
            [a, b] => {
                let binary = BinaryOp::named(word).map(|op| Inst::Binary(op, a, b));
                let compare = || CompareOp::named(word).map(|op| Inst::Compare(op, a, b));
                let call = || LaneFunction::named(word).map(|function| Inst::Call(function, a, b));
                binary.or_else(compare).or_else(call)
            }
            [a, b, c] if word == "select" => Some(Inst::Select(a, b, c)),
            [a, b, c] => TernaryOp::named(word).map(|op| Inst::Ternary(op, a, b, c)),
            _ => None,
        };
        found.ok_or_else(|| {
            self.at = start;
            self.wrong("an instruction with another number of operands")
        })
    }

    /// Reads a place, such as `binding 0 + 8 + 4 * v1 of length proven`.
    fn place(&mut self) -> Result<Place, String> {
        let space = match self.peek() {
            "binding" => {
                self.at += 1;
                Space::Binding(self.number()?)
            }
            word => {
                let all = [
                    ("workgroup", Space::Workgroup),
                    ("immediate", Space::Immediate),
                    ("private", Space::Private),
                    ("passed", Space::Passed),
                ];
                let found = all.iter().find(|(name, _)| *name == word);
                let (_, space) = *found.ok_or_else(|| self.wrong("a memory"))?;
                self.at += 1;
                space
            }
        };
        self.expect("+")?;
        let offset = self.number()?;
        let mut indices = SmallVec::new();
        while self.eat("+") {
            let stride = self.number()?;
            self.expect("*")?;
            let value = self.operand()?;
            self.expect("of")?;
            let count = if self.eat("length") { Count::Runtime } else { Count::Fixed(self.number()?) };
            indices.push(Index { value, stride, count, proven: self.eat("proven") });
        }
        Ok(Place { space, offset, indices })
    }
}
