//! Loops that count up, down, by any step, past the largest number, or to a distant end that they never reach.

use super::number::literal;
use super::{Around, Maker, Number, value, whole};
use crate::random_kernels::ast::{Binary, Block, Expr, Kind, Root, Scalar, Stmt, Type, Unary};

/// The start, the condition and the step of a counted loop.
struct Counting {
    start: Expr,
    condition: Expr,
    step: Stmt,
    /// Whether the loop may run for very many iterations.
    risky: bool,
}

impl Maker {
    pub(super) fn loop_statement(&mut self, block: &mut Block) {
        let scalar = self.scalar();
        // The counter is mostly a new variable, otherwise an existing one, which functions may change, too.
        let there: Vec<Root> = self
            .numbers
            .iter()
            .filter(|number| number.mutable && number.scalar == scalar)
            .map(|number| number.root)
            .collect();
        let slot = self.slot();
        let own = there.is_empty() || self.random.chance(80);
        let root = if own { Root::Slot(slot) } else { *self.random.pick(&there) };
        let Counting { start, condition, step, risky } = self.counting(root, scalar);
        let fused = self.random.chance(if risky { 60 } else { 5 });
        let fuse = fused.then(|| self.slot());
        if let Some(fuse) = fuse {
            block.push(Stmt::Var(fuse, Type::U32, Some(Expr::u32(0))));
        }
        let form = if own { self.random.below(6) } else { self.random.between(3, 5) };
        let around = Around::Loop { continues: form != 3 };
        // The body may change the counter like any number, but seldom does.
        let mutable = self.random.chance(20);
        let body = self.scoped(|maker| {
            maker.numbers.push(Number { root, scalar, mutable });
            maker.around.push(around);
            let mut body = Vec::new();
            if let Some(fuse) = fuse {
                let most = maker.random.between(2, 12) as u32;
                let stop = Expr::binary(Binary::Greater, Expr::slot(fuse, Type::U32), Expr::u32(most));
                body.push(Stmt::Step(whole(Root::Slot(fuse)), true));
                body.push(Stmt::If(stop, vec![Stmt::Break], Vec::new()));
            }
            let count = maker.random.between(1, 3);
            body.extend(maker.statements(count));
            maker.around.pop();
            body
        });
        let declared = if own {
            Stmt::Var(slot, Type::Scalar(scalar), Some(start.clone()))
        } else {
            Stmt::Assign(whole(root), start.clone())
        };
        let ended = || Expr::new(Type::BOOL, Kind::Unary(Unary::Not, Box::new(condition.clone())));
        match form {
            3 => {
                let mut body = body;
                body.push(step);
                block.extend([declared, Stmt::While(condition, body)]);
            }
            4 => {
                let mut all = vec![Stmt::If(ended(), vec![Stmt::Break], Vec::new())];
                all.extend(body);
                block.extend([declared, Stmt::Loop(all, vec![step], None)]);
            }
            5 => block.extend([declared, Stmt::Loop(body, vec![step], Some(ended()))]),
            _ => return block.push(Stmt::Count(slot, start, condition, Box::new(step), body)),
        }
        // The counter remains visible after the loop, with its last value.
        if own {
            self.numbers.push(Number::local(slot, scalar, true));
        }
    }

    fn counting(&mut self, root: Root, scalar: Scalar) -> Counting {
        let counter = || value(root, scalar);
        let near = self.random.between(1, 9) as u32;
        let by = self.random.between(1, 3) as u32;
        let compare = |op, right| Expr::binary(op, counter(), right);
        let change = |op, amount| Stmt::Compound(whole(root), op, literal(scalar, amount));
        let up = if by == 1 { Stmt::Step(whole(root), true) } else { change(Binary::Add, by) };
        let down = if by == 1 { Stmt::Step(whole(root), false) } else { change(Binary::Sub, by) };
        match self.random.below(12) {
            // The counter goes up, to an end that is constant or known only at run time.
            0..4 => {
                let first = self.random.below(3) as u32;
                let start = if self.random.chance(70) { literal(scalar, first) } else { self.small(scalar) };
                let op = *self.random.pick(&[Binary::Less, Binary::Less, Binary::LessEqual, Binary::NotEqual]);
                let end = match self.random.below(4) {
                    0..2 => literal(scalar, near),
                    2 => self.small(scalar),
                    _ => self.atom(scalar),
                };
                Counting { start, condition: compare(op, end), step: up, risky: op == Binary::NotEqual || by > 1 }
            }
            // The counter goes down to 0 and, if it is unsigned, perhaps wraps below 0.
            4..7 => {
                let start = if self.random.chance(50) { literal(scalar, near) } else { self.small(scalar) };
                let ops = [Binary::Greater, Binary::GreaterEqual, Binary::NotEqual];
                let op = *self.random.pick(&ops);
                let end = literal(scalar, self.random.below(2) as u32);
                Counting { start, condition: compare(op, end), step: down, risky: true }
            }
            // The counter starts near the largest number and goes up, so that it wraps.
            7 => {
                let largest = if scalar == Scalar::U32 || self.random.chance(50) { u32::MAX } else { 0x7fff_ffff };
                let start = literal(scalar, largest - near);
                let ops = [Binary::Less, Binary::GreaterEqual, Binary::Greater, Binary::NotEqual, Binary::LessEqual];
                let op = *self.random.pick(&ops);
                let end = match self.random.below(3) {
                    0 => literal(scalar, largest),
                    1 => literal(scalar, largest - near / 2),
                    _ => literal(scalar, near),
                };
                Counting { start, condition: compare(op, end), step: up, risky: true }
            }
            // The counter is multiplied or divided by a factor in each iteration.
            8 => {
                let (op, amount) = *self.random.pick(&[(Binary::Mul, 2), (Binary::Mul, 3), (Binary::Div, 2)]);
                let shift = self.random.chance(30);
                let growing = op == Binary::Mul;
                let step = match (shift, growing) {
                    (true, true) => Stmt::Compound(whole(root), Binary::Add, counter()),
                    (true, false) => {
                        let halved = Expr::binary(Binary::Shr, counter(), Expr::u32(1));
                        Stmt::Assign(whole(root), halved)
                    }
                    _ => change(op, amount),
                };
                let start = if growing { literal(scalar, self.random.below(2) as u32) } else { self.small(scalar) };
                let condition = if growing {
                    compare(*self.random.pick(&[Binary::Less, Binary::LessEqual]), literal(scalar, near * 4))
                } else {
                    compare(*self.random.pick(&[Binary::Greater, Binary::NotEqual]), literal(scalar, 0))
                };
                Counting { start, condition, step, risky: true }
            }
            // The end is so distant that only an exit in the body ends the loop in time.
            9..11 => {
                let end = *self.random.pick(&[u32::MAX, 0x7fff_ffff, 0xffff_fff0, 0x8000_0000, 1 << 20]);
                let op = *self.random.pick(&[Binary::Less, Binary::LessEqual, Binary::NotEqual]);
                let condition = compare(op, literal(scalar, end));
                Counting { start: literal(scalar, 0), condition, step: up, risky: true }
            }
            // The counter goes up by a step that is known only at run time.
            _ => {
                let amount = Expr::binary(Binary::And, self.atom(scalar), literal(scalar, 3));
                let step = Stmt::Compound(whole(root), Binary::Add, amount);
                let condition = compare(Binary::Less, literal(scalar, near));
                Counting { start: literal(scalar, 0), condition, step, risky: true }
            }
        }
    }

    /// A small number that is only known at run time.
    fn small(&mut self, scalar: Scalar) -> Expr {
        let atom = self.atom(scalar);
        let limit = *self.random.pick(&[3, 7, 15]);
        Expr::binary(Binary::And, atom, literal(scalar, limit))
    }
}
