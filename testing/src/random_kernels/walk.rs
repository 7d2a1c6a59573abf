//! Visits every expression and block of a kernel, in order.

use super::ast::{Block, Expr, Function, Kind, Place, Program, Step, Stmt};

/// Visits the expressions of all functions, callees first, and within a function outer ones first.
pub fn exprs(program: &mut Program, visit: &mut dyn FnMut(&mut Expr)) {
    for Function { body, .. } in &mut program.functions {
        in_block(body, visit);
    }
}

/// Visits all blocks, outer ones and callers first.
pub fn blocks(program: &mut Program, visit: &mut dyn FnMut(&mut Block)) {
    for Function { body, .. } in program.functions.iter_mut().rev() {
        of_block(body, visit);
    }
}

fn of_block(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    visit(block);
    for stmt in block {
        inner(stmt).into_iter().for_each(|block| of_block(block, visit));
    }
}

/// The blocks directly within a statement.
pub fn inner(stmt: &mut Stmt) -> Vec<&mut Block> {
    match stmt {
        Stmt::If(_, one, two) | Stmt::Loop(one, two, _) => vec![one, two],
        Stmt::Switch(_, cases, default) => cases.iter_mut().map(|(_, block)| block).chain([default]).collect(),
        Stmt::For(_, _, body) | Stmt::Count(.., body) | Stmt::While(_, body) | Stmt::Block(body) => vec![body],
        _ => Vec::new(),
    }
}

fn in_block(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    block.iter_mut().for_each(|stmt| in_stmt(stmt, visit));
}

fn in_stmt(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Expr)) {
    match stmt {
        Stmt::Count(_, start, condition, step, _) => {
            in_expr(start, visit);
            in_expr(condition, visit);
            in_stmt(step, visit);
        }
        Stmt::Let(_, value) | Stmt::Return(Some(value)) => in_expr(value, visit),
        Stmt::Var(_, _, value) => value.iter_mut().for_each(|value| in_expr(value, visit)),
        Stmt::Assign(place, value) | Stmt::Compound(place, _, value) => {
            in_place(place, visit);
            in_expr(value, visit);
        }
        Stmt::Step(place, _) | Stmt::UniformLoad(_, place) => in_place(place, visit),
        Stmt::If(value, ..) | Stmt::Switch(value, ..) | Stmt::For(_, value, _) | Stmt::While(value, _) => {
            in_expr(value, visit);
        }
        Stmt::Loop(_, _, until) => until.iter_mut().for_each(|until| in_expr(until, visit)),
        Stmt::Call(_, _, arguments) => arguments.iter_mut().for_each(|argument| in_expr(argument, visit)),
        Stmt::Atomic(_, _, place, operand) => {
            in_place(place, visit);
            operand.iter_mut().for_each(|operand| in_expr(operand, visit));
        }
        _ => {}
    }
    inner(stmt).into_iter().for_each(|block| in_block(block, visit));
}

fn in_place(place: &mut Place, visit: &mut dyn FnMut(&mut Expr)) {
    for step in &mut place.path {
        if let Step::Index(index) = step {
            in_expr(index, visit);
        }
    }
}

fn in_expr(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(expr);
    if let Kind::Load(place) | Kind::AddressOf(place) = &mut expr.kind {
        return in_place(place, visit);
    }
    children(expr).into_iter().for_each(|child| in_expr(child, visit));
}

/// The operands of an expression.
pub fn children(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        Kind::Literal(_) | Kind::Zero | Kind::Load(_) | Kind::AddressOf(_) | Kind::Length(_) => Vec::new(),
        Kind::Compose(parts) | Kind::Builtin(_, parts) | Kind::Call(_, parts) => parts.iter_mut().collect(),
        Kind::Index(one, two) | Kind::Binary(_, one, two) => vec![one, two],
        Kind::Member(one, _)
        | Kind::Swizzle(one, _)
        | Kind::Unary(_, one)
        | Kind::Convert(one)
        | Kind::Bitcast(one) => {
            vec![one]
        }
    }
}
