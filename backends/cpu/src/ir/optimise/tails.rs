//! The ends of branches. Exits that lead to the next statement anyway are left out, so that lanes do not leave a branch
//! at its ends; naga writes a `return` at each end of a function. Stores to one place at the ends of both sides become
//! one store after the branch: lanes that take different sides then store together, without a mask.

use crate::ir::{Class, Function, Inst, Label, List, MemType, Place, Stmt, Value, Var};

/// Leaves out exits at the ends of blocks, and moves stores behind branches, inner branches first.
pub(super) fn run(function: &mut Function) {
    let mut body = std::mem::take(&mut function.body);
    shorten(function, &mut body);
    function.body = body;
}

fn shorten(function: &mut Function, list: &mut List) {
    let mut made = List::with_capacity(list.len());
    for mut statement in list.drain(..) {
        match &mut statement {
            Stmt::If { accept, reject, .. } => {
                shorten(function, accept);
                shorten(function, reject);
                let mut stores = Vec::new();
                while let Some(store) = last_of_both(accept, reject) {
                    stores.push(store);
                }
                let mut after = List::new();
                for Both { place, ty, accepted, rejected } in stores.into_iter().rev() {
                    let values = accepted.into_iter().zip(rejected);
                    let values = values.map(|pair| {
                        if pair.0 == pair.1 {
                            return pair.0;
                        }
                        let (var, initial) = variable(function, function.class(pair.0));
                        made.push(Stmt::Declare(var, initial));
                        accept.push(Stmt::Write(var, pair.0));
                        reject.push(Stmt::Write(var, pair.1));
                        let read = append(function, Inst::Read(var), function.vars[var.0 as usize]);
                        after.push(Stmt::Let(read));
                        read
                    });
                    let values = values.collect();
                    after.push(Stmt::Store { place, ty, values });
                }
                made.push(statement);
                made.append(&mut after);
                continue;
            }
            Stmt::Block { label, body } => {
                leave_out_exits(body, &mut vec![*label]);
                shorten(function, body);
            }
            Stmt::Loop { body, .. } => shorten(function, body),
            _ => {}
        }
        made.push(statement);
    }
    *list = made;
}

/// Removes exits at the end of a list that ends where the blocks `labels` end.
fn leave_out_exits(list: &mut List, labels: &mut Vec<Label>) {
    if matches!(list.last(), Some(Stmt::Exit(label)) if labels.contains(label)) {
        list.pop();
    }
    match list.last_mut() {
        Some(Stmt::If { accept, reject, .. }) => {
            leave_out_exits(accept, labels);
            leave_out_exits(reject, labels);
            if accept.is_empty() && reject.is_empty() {
                list.pop();
            }
        }
        Some(Stmt::Block { label, body }) => {
            labels.push(*label);
            leave_out_exits(body, labels);
            labels.pop();
        }
        _ => {}
    }
}

/// Two stores to one place, with the values of both sides.
struct Both {
    place: Place,
    ty: MemType,
    accepted: Vec<Value>,
    rejected: Vec<Value>,
}

/// Removes the last statements of two lists, if they are stores to one place. Its indices are then values from before
/// the branch, because no value of one side can be used on the other.
fn last_of_both(accept: &mut List, reject: &mut List) -> Option<Both> {
    let (Stmt::Store { place, ty, values }, Stmt::Store { place: other, ty: of_other, values: others }) =
        (accept.last()?, reject.last()?)
    else {
        return None;
    };
    if place != other || ty != of_other || values.len() != others.len() {
        return None;
    }
    let both = Both { place: place.clone(), ty: *ty, accepted: values.clone(), rejected: others.clone() };
    accept.pop();
    reject.pop();
    Some(both)
}

/// Creates a variable, with its initial value.
fn variable(function: &mut Function, class: Class) -> (Var, Value) {
    let var = Var(function.vars.len() as u32);
    function.vars.push(class);
    (var, append(function, Inst::Const(class, 0), class))
}

fn append(function: &mut Function, inst: Inst, class: Class) -> Value {
    let value = Value(function.insts.len() as u32);
    function.insts.push(inst);
    function.classes.push(class);
    value
}
