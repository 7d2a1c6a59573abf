//! A function as text, for tests and for debugging the compiler.

use std::fmt;

use super::{Function, Inst, List, Stmt, Value};

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self, &self.body, 0)?;
        for (number, callee) in self.callees.iter().enumerate() {
            writeln!(f, "function {number} of {:?} {{", callee.arguments)?;
            list(f, callee, &callee.body, 2)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

fn list(f: &mut fmt::Formatter<'_>, function: &Function, statements: &List, indent: usize) -> fmt::Result {
    for statement in statements {
        write!(f, "{:indent$}", "")?;
        match statement {
            Stmt::Let(value) => {
                writeln!(f, "v{}: {:?} = {}", value.0, function.class(*value), Shown(function, function.inst(*value)))?;
            }
            Stmt::Declare(var, value) => writeln!(f, "var r{} = {}", var.0, Operand(function, *value))?,
            Stmt::Write(var, value) => writeln!(f, "r{} = {}", var.0, Operand(function, *value))?,
            Stmt::Store { place, ty, values } => {
                write!(f, "store {ty:?} {place:?} <-")?;
                for value in values {
                    write!(f, " {}", Operand(function, *value))?;
                }
                writeln!(f)?;
            }
            Stmt::If { condition, accept, reject } => {
                writeln!(f, "if {} {{", Operand(function, *condition))?;
                list(f, function, accept, indent + 2)?;
                if !reject.is_empty() {
                    writeln!(f, "{:indent$}}} else {{", "")?;
                    list(f, function, reject, indent + 2)?;
                }
                writeln!(f, "{:indent$}}}", "")?;
            }
            Stmt::Block { label, body } => {
                writeln!(f, "block l{} {{", label.0)?;
                list(f, function, body, indent + 2)?;
                writeln!(f, "{:indent$}}}", "")?;
            }
            Stmt::Loop { body, .. } => {
                writeln!(f, "loop {{")?;
                list(f, function, body, indent + 2)?;
                writeln!(f, "{:indent$}}}", "")?;
            }
            Stmt::Exit(label) => writeln!(f, "exit l{}", label.0)?,
            Stmt::Barrier(_) => writeln!(f, "barrier")?,
            Stmt::Check(check) => writeln!(f, "check {} {:?}", check.number, check.operands)?,
            Stmt::Call { callee, arguments, .. } => {
                write!(f, "call {callee}")?;
                for value in arguments {
                    write!(f, " {}", Operand(function, *value))?;
                }
                writeln!(f)?;
            }
        }
    }
    Ok(())
}

/// A value as an operand: a constant is shown by its bits.
struct Operand<'a>(&'a Function, Value);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.inst(self.1) {
            Inst::Const(class, bits) => write!(f, "{class:?}({bits:#x})"),
            Inst::Input(input) => write!(f, "{input:?}"),
            Inst::Argument(number) => write!(f, "argument {number}"),
            _ => write!(f, "v{}", self.1.0),
        }
    }
}

struct Shown<'a>(&'a Function, &'a Inst);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operand = |value: &Value| Operand(self.0, *value);
        match self.1 {
            Inst::Unary(op, a) => write!(f, "{op:?} {}", operand(a)),
            Inst::Binary(op, a, b) => write!(f, "{op:?} {} {}", operand(a), operand(b)),
            Inst::Ternary(op, a, b, c) => write!(f, "{op:?} {} {} {}", operand(a), operand(b), operand(c)),
            Inst::Compare(op, a, b) => write!(f, "{op:?} {} {}", operand(a), operand(b)),
            Inst::Select(c, a, b) => write!(f, "select {} {} {}", operand(c), operand(a), operand(b)),
            Inst::Convert(convert, a) => write!(f, "{convert:?} {}", operand(a)),
            Inst::Call(function, a, b) => write!(f, "{function:?} {} {}", operand(a), operand(b)),
            Inst::Read(var) => write!(f, "r{}", var.0),
            other => write!(f, "{other:?}"),
        }
    }
}
