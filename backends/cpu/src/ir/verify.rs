//! Checks that a function follows the rules of the scalar program.

use super::{BinaryOp, Class, CompareOp, Function, Inst, Label, Place, Stmt, Value};

/// Returns the first rule that a kernel breaks.
pub(crate) fn verify(kernel: &Function) -> Result<(), String> {
    for (number, callee) in kernel.callees.iter().enumerate() {
        verify_one(callee, &kernel.callees[..number]).map_err(|broken| format!("function {number}: {broken}"))?;
    }
    verify_one(kernel, &kernel.callees)
}

/// Returns the first rule that a function breaks; `callees` are the functions that it may call.
fn verify_one(function: &Function, callees: &[Function]) -> Result<(), String> {
    let mut verifier = Verifier { function, callees, visible: vec![false; function.insts.len()], labels: Vec::new() };
    for (index, inst) in function.insts.iter().enumerate() {
        if inst.is_floating() {
            verifier.visible[index] = true;
        }
    }
    verifier.list(&function.body)
}

struct Verifier<'a> {
    function: &'a Function,
    callees: &'a [Function],
    visible: Vec<bool>,
    labels: Vec<Label>,
}

impl Verifier<'_> {
    fn list(&mut self, statements: &[Stmt]) -> Result<(), String> {
        let mut defined = Vec::new();
        for (position, statement) in statements.iter().enumerate() {
            match statement {
                Stmt::Let(value) => {
                    self.inst(*value)?;
                    let mut result = *value;
                    loop {
                        self.visible[result.0 as usize] = true;
                        defined.push(result);
                        result = Value(result.0 + 1);
                        let part = self.function.insts.get(result.0 as usize);
                        if !matches!(part, Some(Inst::Part { of, .. }) if of == value) {
                            break;
                        }
                    }
                }
                Stmt::Declare(var, value) | Stmt::Write(var, value) => {
                    self.operand(*value, Some(self.function.vars[var.0 as usize]))?;
                }
                Stmt::Store { place, ty, values } => {
                    self.place(place)?;
                    for value in values {
                        self.operand(*value, Some(ty.class()))?;
                    }
                }
                Stmt::If { condition, accept, reject } => {
                    self.operand(*condition, Some(Class::Bool))?;
                    self.list(accept)?;
                    self.list(reject)?;
                }
                Stmt::Block { label, body } => {
                    self.labels.push(*label);
                    self.list(body)?;
                    self.labels.pop();
                }
                Stmt::Loop { body, .. } => self.list(body)?,
                Stmt::Exit(label) => {
                    if !self.labels.contains(label) {
                        return Err(format!("exit to {label:?}, which does not enclose it"));
                    }
                    if position + 1 != statements.len() {
                        return Err(format!("statements after an exit to {label:?}"));
                    }
                }
                Stmt::Barrier(_) => {}
                Stmt::Call { callee, arguments, .. } => {
                    let classes = self.callees.get(*callee as usize).map(|callee| &callee.arguments);
                    let Some(classes) = classes.filter(|classes| classes.len() == arguments.len()) else {
                        return Err(format!("a call of function {callee} with {} arguments", arguments.len()));
                    };
                    for (value, class) in arguments.iter().zip(classes) {
                        self.operand(*value, Some(*class))?;
                    }
                }
                Stmt::Check(check) => {
                    self.operand(check.group, Some(Class::I32))?;
                    for value in &check.operands {
                        self.operand(*value, None)?;
                        if !matches!(self.function.class(*value), Class::I32 | Class::Bool) {
                            return Err(format!("v{} is reported, but does not have 32 bits", value.0));
                        }
                    }
                }
            }
        }
        for value in defined {
            self.visible[value.0 as usize] = false;
        }
        Ok(())
    }

    fn operand(&self, value: Value, class: Option<Class>) -> Result<(), String> {
        if !self.visible[value.0 as usize] {
            return Err(format!("v{} is used outside of its scope", value.0));
        }
        match class {
            Some(class) if class != self.function.class(value) => {
                Err(format!("v{} is {:?}, expected {class:?}", value.0, self.function.class(value)))
            }
            _ => Ok(()),
        }
    }

    fn place(&self, place: &Place) -> Result<(), String> {
        place.indices.iter().try_for_each(|index| self.operand(index.value, Some(Class::I32)))
    }

    fn inst(&self, value: Value) -> Result<(), String> {
        let class = Some(self.function.class(value));
        match self.function.inst(value) {
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Read(_) => Ok(()),
            Inst::Unary(_, a) => self.operand(*a, class),
            Inst::Binary(op, a, b) => {
                let float = matches!(class, Some(Class::F32 | Class::F64));
                let of_integers = !matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Min | BinaryOp::Max
                );
                if float && of_integers {
                    return Err(format!("v{}: {op:?} on floats", value.0));
                }
                self.operand(*a, class)?;
                self.operand(*b, class)
            }
            Inst::Ternary(_, a, b, c) => [a, b, c].into_iter().try_for_each(|operand| self.operand(*operand, class)),
            Inst::Compare(op, a, b) => {
                let class = self.function.class(*a);
                let float = matches!(class, Class::F32 | Class::F64);
                let fits = match op {
                    CompareOp::Eq | CompareOp::Ne => true,
                    CompareOp::Lt | CompareOp::Le => float,
                    _ => matches!(class, Class::I32 | Class::I64),
                };
                if !fits {
                    return Err(format!("v{}: {op:?} on {class:?}", value.0));
                }
                self.operand(*a, None)?;
                self.operand(*b, Some(class))
            }
            Inst::Select(c, a, b) => {
                self.operand(*c, Some(Class::Bool))?;
                self.operand(*a, class)?;
                self.operand(*b, class)
            }
            Inst::Convert(convert, a) => self.operand(*a, Some(convert.classes().0)),
            Inst::Call(_, a, b) => {
                self.operand(*a, class)?;
                self.operand(*b, class)
            }
            Inst::Load(place, ..) => self.place(place),
            Inst::Atomic { place, value, compare, ty, .. } => {
                self.place(place)?;
                self.operand(*value, Some(ty.class()))?;
                compare.map_or(Ok(()), |compare| self.operand(compare, Some(ty.class())))
            }
            Inst::Subgroup(_, a, lane) => {
                self.operand(*a, None)?;
                lane.map_or(Ok(()), |lane| self.operand(lane, Some(Class::I32)))
            }
            Inst::Part { .. } => Err(format!("v{}: a part is in a list", value.0)),
        }
    }
}
