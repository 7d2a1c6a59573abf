//! Makes a failing kernel smaller while it fails in the same way.
//!
//! A step removes a part without checking whether the rest is valid: the reference refuses kernels without a defined
//! result, and naga refuses invalid WGSL.

use std::time::Instant;

use anywarp_testing::random_kernels::ast::{Block, Expr, Kind, Program, Scalar, Stmt, Type, Value};
use anywarp_testing::random_kernels::walk::{blocks, children, exprs, inner};

/// Makes `program` smaller until `deadline`, as long as `fails` holds.
pub(crate) fn shrink(program: &Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.clone();
        for step in [statements as Step, unwrapped, expressions, operands, groups] {
            step(&mut best, deadline, fails);
        }
        if best == before || Instant::now() > deadline {
            return best;
        }
    }
}

type Step = fn(&mut Program, Instant, &mut dyn FnMut(&Program) -> bool);

/// Applies a change to `best`, and keeps the result if the kernel still fails.
fn attempt(
    best: &mut Program,
    deadline: Instant,
    fails: &mut dyn FnMut(&Program) -> bool,
    change: impl FnOnce(&mut Program),
) -> bool {
    if Instant::now() > deadline {
        return false;
    }
    let mut candidate = best.clone();
    change(&mut candidate);
    let better = candidate != *best && fails(&candidate);
    if better {
        *best = candidate;
    }
    better
}

/// Runs `change` on block number `at`.
fn at_block(program: &mut Program, at: usize, change: &mut dyn FnMut(&mut Block)) {
    let mut number = 0;
    blocks(program, &mut |block| {
        if number == at {
            change(block);
        }
        number += 1;
    });
}

fn at_expr(program: &mut Program, at: usize, change: &mut dyn FnMut(&mut Expr)) {
    let mut number = 0;
    exprs(program, &mut |expr| {
        if number == at {
            change(expr);
        }
        number += 1;
    });
}

/// Removes runs of statements, starting with long runs.
fn statements(best: &mut Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) {
    let mut at = 0;
    while at < count_blocks(best) {
        let mut length = 0;
        at_block(best, at, &mut |block| length = block.len());
        let mut run = length;
        while run > 0 {
            let mut start = length.saturating_sub(run);
            loop {
                let end = (start + run).min(length);
                if attempt(best, deadline, fails, |program| {
                    at_block(program, at, &mut |block| drop(block.drain(start..end.min(block.len()))));
                }) {
                    length -= end - start;
                }
                if start == 0 {
                    break;
                }
                start = start.saturating_sub(run);
            }
            run /= 2;
        }
        at += 1;
    }
}

fn count_blocks(program: &mut Program) -> usize {
    let mut count = 0;
    blocks(program, &mut |_| count += 1);
    count
}

/// Replaces statements by the blocks within them.
fn unwrapped(best: &mut Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) {
    for at in (0..count_blocks(best)).rev() {
        let mut length = 0;
        at_block(best, at, &mut |block| length = block.len());
        for stmt in (0..length).rev() {
            for which in 0..2 {
                attempt(best, deadline, fails, |program| {
                    at_block(program, at, &mut |block| unwrap(block, stmt, which));
                });
            }
        }
    }
}

fn unwrap(block: &mut Block, at: usize, which: usize) {
    let Some(stmt) = block.get_mut(at) else { return };
    // The body may use the loop's variable, so its declaration stays.
    let start = match stmt {
        Stmt::For(slot, ..) => Some(Stmt::Var(*slot, Type::U32, Some(Expr::u32(0)))),
        Stmt::Count(slot, start, ..) => Some(Stmt::Var(*slot, start.ty.clone(), Some(start.clone()))),
        _ => None,
    };
    let Some(content) = inner(stmt).into_iter().nth(which).map(std::mem::take) else { return };
    block.splice(at..=at, start.into_iter().chain(content));
}

/// Replaces expressions by constants.
fn expressions(best: &mut Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) {
    replace(best, deadline, fails, &|expr| constants(&expr.ty));
}

fn constants(ty: &Type) -> Vec<Expr> {
    let literal = |value: Value| Expr::new(ty.clone(), Kind::Literal(value));
    match ty {
        Type::Scalar(Scalar::U32) => vec![Expr::u32(0), Expr::u32(1)],
        Type::Scalar(Scalar::I32) => vec![Expr::i32(0), Expr::i32(1)],
        Type::Scalar(Scalar::F32) => vec![Expr::f32(0.0), Expr::f32(1.0)],
        Type::Scalar(Scalar::Bool) => vec![literal(Value::Bool(false)), literal(Value::Bool(true))],
        Type::Pointer(..) => Vec::new(),
        _ => vec![Expr::new(ty.clone(), Kind::Zero)],
    }
}

/// Replaces expressions by their operands of the same type.
fn operands(best: &mut Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) {
    replace(best, deadline, fails, &|expr| {
        let mut expr = expr.clone();
        let ty = expr.ty.clone();
        children(&mut expr).into_iter().filter(|child| child.ty == ty).map(|child| child.clone()).collect()
    });
}

fn replace(
    best: &mut Program,
    deadline: Instant,
    fails: &mut dyn FnMut(&Program) -> bool,
    choices: &dyn Fn(&Expr) -> Vec<Expr>,
) {
    let mut at = 0;
    loop {
        let mut found = None;
        at_expr(best, at, &mut |expr| found = Some(expr.clone()));
        let Some(expr) = found else { return };
        let simple = matches!(expr.kind, Kind::Literal(_) | Kind::Zero);
        let mut changed = false;
        for choice in if simple { Vec::new() } else { choices(&expr) } {
            changed = attempt(best, deadline, fails, |program| {
                at_expr(program, at, &mut |expr| *expr = choice.clone());
            });
            if changed {
                break;
            }
        }
        if Instant::now() > deadline {
            return;
        }
        // The replacement may shrink further where it is an operand.
        at += usize::from(!changed || constants(&expr.ty).iter().any(|constant| constant.ty == expr.ty));
    }
}

/// Reduces the kernel to one workgroup and removes initial values of private variables.
fn groups(best: &mut Program, deadline: Instant, fails: &mut dyn FnMut(&Program) -> bool) {
    attempt(best, deadline, fails, |program| program.groups = [1; 3]);
    for at in 0..best.globals.len() {
        attempt(best, deadline, fails, |program| program.globals[at].init = None);
    }
    for axis in 0..3 {
        attempt(best, deadline, fails, |program| program.workgroup_size[axis] = 1);
    }
}
