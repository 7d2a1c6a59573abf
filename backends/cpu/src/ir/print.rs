//! The text of a function, for tests and for debugging the compiler.
//!
//! `parse` reads the text back. It does not include positions of the source and descriptions of checks.

use std::fmt;

use super::{Class, Count, Function, Inst, List, Place, Space, Stmt, Value};

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup_size;
        write!(f, "kernel {x} x {y} x {z}")?;
        function(f, self)?;
        for (number, callee) in self.callees.iter().enumerate() {
            write!(f, "function {number}")?;
            function(f, callee)?;
        }
        Ok(())
    }
}

fn function(f: &mut fmt::Formatter<'_>, function: &Function) -> fmt::Result {
    for class in &function.arguments {
        write!(f, " argument {class:?}")?;
    }
    for (name, bytes) in [("private", function.private_bytes), ("workgroup", function.workgroup_bytes)] {
        if bytes > 0 {
            write!(f, " {name} {bytes}")?;
        }
    }
    for read_only in &function.read_only {
        write!(f, " {}", if *read_only { "read" } else { "write" })?;
    }
    writeln!(f, "{} {{", if function.endless { " endless" } else { "" })?;
    list(f, function, &function.body, 2)?;
    writeln!(f, "}}")
}

fn list(f: &mut fmt::Formatter<'_>, function: &Function, statements: &List, indent: usize) -> fmt::Result {
    let operand = |value: &Value| Operand(function, *value);
    for statement in statements {
        write!(f, "{:indent$}", "")?;
        match statement {
            Stmt::Let(value) => {
                write!(f, "v{}", value.0)?;
                if let Inst::Load(_, _, count) = function.inst(*value) {
                    (1..u32::from(*count)).try_for_each(|part| write!(f, ", v{}", value.0 + part))?;
                }
                writeln!(f, ": {:?} = {}", function.class(*value), Shown(function, function.inst(*value)))?;
            }
            Stmt::Declare(var, value) => writeln!(f, "var r{} = {}", var.0, operand(value))?,
            Stmt::Write(var, value) => writeln!(f, "r{} = {}", var.0, operand(value))?,
            Stmt::Store { place, ty, values } => {
                writeln!(f, "store {ty:?} {} = {}", At(function, place), Operands(function, values))?;
            }
            Stmt::If { condition, accept, reject } => {
                writeln!(f, "if {} {{", operand(condition))?;
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
            Stmt::Loop { body, turns, .. } => {
                match turns {
                    Some(turns) => writeln!(f, "loop to {turns} {{")?,
                    None => writeln!(f, "loop {{")?,
                }
                list(f, function, body, indent + 2)?;
                writeln!(f, "{:indent$}}}", "")?;
            }
            Stmt::Exit(label) => writeln!(f, "exit l{}", label.0)?,
            Stmt::Barrier(_) => writeln!(f, "barrier")?,
            Stmt::Check(check) => writeln!(f, "check {} ({})", check.number, Operands(function, &check.operands))?,
            Stmt::Call { callee, arguments, .. } => writeln!(f, "call {callee} ({})", Operands(function, arguments))?,
        }
    }
    Ok(())
}

/// A value as an operand: a constant is shown by its bits.
struct Operand<'a>(&'a Function, Value);

impl fmt::Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.inst(self.1) {
            Inst::Const(class @ (Class::F32 | Class::F64), bits) => write!(f, "{class:?}({bits:#x})"),
            Inst::Const(class, bits) => write!(f, "{class:?}({bits})"),
            Inst::Input(input) => write!(f, "{input:?}"),
            Inst::Argument(number) => write!(f, "Argument({number})"),
            _ => write!(f, "v{}", self.1.0),
        }
    }
}

struct Operands<'a>(&'a Function, &'a [Value]);

impl fmt::Display for Operands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for value in self.1 {
            write!(f, "{separator}{}", Operand(self.0, *value))?;
            separator = ", ";
        }
        Ok(())
    }
}

/// A place as text: the memory, the offset, and each index with its stride and limit.
struct At<'a>(&'a Function, &'a Place);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.space {
            Space::Binding(slot) => write!(f, "binding {slot}")?,
            Space::Workgroup => write!(f, "workgroup")?,
            Space::Immediate => write!(f, "immediate")?,
            Space::Private => write!(f, "private")?,
            Space::Passed => write!(f, "passed")?,
        }
        write!(f, " + {}", self.1.offset)?;
        for index in &self.1.indices {
            write!(f, " + {} * {}", index.stride, Operand(self.0, index.value))?;
            match index.count {
                Count::Fixed(count) => write!(f, " of {count}")?,
                Count::Runtime => write!(f, " of length")?,
            }
            f.write_str(if index.proven { " proven" } else { "" })?;
        }
        Ok(())
    }
}

struct Shown<'a>(&'a Function, &'a Inst);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (function, operand) = (self.0, |value: &Value| Operand(self.0, *value));
        match self.1 {
            Inst::Unary(op, a) => write!(f, "{op:?} {}", operand(a)),
            Inst::Binary(op, a, b) => write!(f, "{op:?} {}, {}", operand(a), operand(b)),
            Inst::Ternary(op, a, b, c) => write!(f, "{op:?} {}, {}, {}", operand(a), operand(b), operand(c)),
            Inst::Compare(op, a, b) => write!(f, "{op:?} {}, {}", operand(a), operand(b)),
            Inst::Select(c, a, b) => write!(f, "select {}, {}, {}", operand(c), operand(a), operand(b)),
            Inst::Convert(convert, a) => write!(f, "{convert:?} {}", operand(a)),
            Inst::Call(called, a, b) => write!(f, "{called:?} {}, {}", operand(a), operand(b)),
            Inst::Read(var) => write!(f, "r{}", var.0),
            Inst::Load(place, ty, _) => write!(f, "load {ty:?} {}", At(function, place)),
            Inst::Atomic { op, place, ty, value, compare } => {
                write!(f, "atomic {op:?} {ty:?} {} = {}", At(function, place), operand(value))?;
                compare.as_ref().map_or(Ok(()), |compare| write!(f, ", {}", operand(compare)))
            }
            Inst::Subgroup(op, a, lane) => {
                write!(f, "subgroup {op:?} {}", operand(a))?;
                lane.as_ref().map_or(Ok(()), |lane| write!(f, ", {}", operand(lane)))
            }
            // These instructions belong to no list of statements.
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Part { .. } => write!(f, "{:?}", self.1),
        }
    }
}
