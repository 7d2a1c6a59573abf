//! Finds where lanes of a group diverge, which variables then differ between them, and which writes need a mask.
//!
//! A scope is *divergent* if lanes that entered it together may not all run all of it: a branch on a varying condition,
//! and a block that some lanes leave earlier than others. A write in a divergent scope may be executed by some lanes
//! only. The write needs a mask only if lanes that did not execute it read the variable: outside of the scope, or when
//! the scope is entered again before the variable is written.

use super::outline::{Outline, ScopeKind, Touch, VarAccess};
use super::shape::{Form, Shape, of_inst};
use crate::ir::{Function, Inst, Value};

/// The facts for code generation.
#[derive(Debug)]
pub(crate) struct Facts {
    /// How each value varies across the lanes of a group, by the value's number.
    pub(crate) shapes: Vec<Shape>,
    /// How each variable varies across the lanes of a group, by the variable's number.
    pub(crate) vars: Vec<Shape>,
    /// By label: whether lanes may leave its block at different times.
    pub(crate) parting: Vec<bool>,
    /// By write, in reading order: whether it needs a mask, so that inactive lanes keep the old value.
    pub(crate) masked: Vec<bool>,
    /// By variable: whether the variable's initial value is always overwritten before any read.
    pub(crate) declared_in_vain: Vec<bool>,
}

/// Finds the facts: assumes at first that every value is uniform, and drops only assumptions that are refuted.
/// `arguments` are the shapes of the function's arguments, `lanes` is the number of lanes of a group.
pub(crate) fn analyse(function: &Function, outline: &Outline, arguments: &[Shape], lanes: usize) -> Facts {
    let mut facts = Facts {
        shapes: vec![Shape::UNKNOWN; function.insts.len()],
        vars: vec![Shape::UNKNOWN; function.vars.len()],
        parting: vec![false; function.labels as usize],
        masked: vec![false; outline.writes as usize],
        declared_in_vain: outline.accesses.iter().map(|accesses| in_vain(accesses)).collect(),
    };
    for (index, inst) in function.insts.iter().enumerate() {
        if let Inst::Argument(number) = inst {
            facts.shapes[index] = arguments[*number as usize];
        } else if inst.is_floating() {
            facts.shapes[index] = of_inst(function, Value(index as u32), &facts.shapes, &facts.vars, lanes);
        }
    }
    let mut divergent = vec![false; outline.scopes.len()];
    loop {
        for value in &outline.order {
            facts.shapes[value.0 as usize] = of_inst(function, *value, &facts.shapes, &facts.vars, lanes);
        }
        find_divergence(outline, &mut facts, &mut divergent);
        if !refute(outline, &mut facts, &divergent) {
            return facts;
        }
    }
}

/// Whether a variable's first access after its declaration is a write in the same scope.
fn in_vain(accesses: &[VarAccess]) -> bool {
    let declarations = accesses.iter().filter(|access| matches!(access.touch, Touch::Declare(_))).count();
    match accesses {
        [first, second, ..] if declarations == 1 && matches!(first.touch, Touch::Declare(_)) => {
            matches!(second.touch, Touch::Write(..)) && second.scope == first.scope
        }
        _ => false,
    }
}

fn find_divergence(outline: &Outline, facts: &mut Facts, divergent: &mut [bool]) {
    for (index, scope) in outline.scopes.iter().enumerate() {
        if let ScopeKind::Branch(condition) = scope.kind {
            divergent[index] = !facts.shapes[condition.0 as usize].is_uniform();
        }
    }
    // An exit within a divergent scope makes lanes leave its block at different times, so that the block is divergent
    // for the exits within it.
    loop {
        let mut changed = false;
        for exit in &outline.exits {
            let block = outline.blocks[exit.label.0 as usize];
            let parts = outline.around(exit.scope).take_while(|scope| *scope != block).any(|scope| divergent[scope]);
            if parts && !facts.parting[exit.label.0 as usize] {
                facts.parting[exit.label.0 as usize] = true;
                divergent[block] = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Updates the shapes of variables; returns whether any shape changed.
fn refute(outline: &Outline, facts: &mut Facts, divergent: &[bool]) -> bool {
    let mut changed = false;
    for (var, accesses) in outline.accesses.iter().enumerate() {
        let mut shape = Shape::UNKNOWN;
        for access in accesses {
            match access.touch {
                Touch::Declare(value) if !facts.declared_in_vain[var] => {
                    shape = shape.or(facts.shapes[value.0 as usize]);
                }
                Touch::Write(value, number) => {
                    shape = shape.or(facts.shapes[value.0 as usize]);
                    if shows(outline, divergent, accesses, access) {
                        facts.masked[number as usize] = true;
                        shape.form = Form::Varying;
                    }
                }
                _ => {}
            }
        }
        // A variable has no bound: the bound of a loop's counter would grow by one in each round of this analysis.
        shape.bound = u32::MAX;
        if shape.form == Form::Varying {
            shape.align = 0;
        }
        if shape != facts.vars[var] {
            changed = true;
            facts.vars[var] = shape;
        }
    }
    changed
}

/// Whether lanes that do not take part in a write may read the variable afterwards.
fn shows(outline: &Outline, divergent: &[bool], accesses: &[VarAccess], write: &VarAccess) -> bool {
    outline.around(write.scope).filter(|scope| divergent[*scope]).any(|index| {
        let scope = &outline.scopes[index];
        let outside = accesses.iter().any(|access| access.touch == Touch::Read && !scope.holds(access.position));
        outside || (entered_again(outline, accesses, index) && !written_first(accesses, index, scope.start, scope.end))
    })
}

/// Whether a scope may be entered several times during the life of the variable.
fn entered_again(outline: &Outline, accesses: &[VarAccess], scope: usize) -> bool {
    let declared = accesses.iter().filter(|access| matches!(access.touch, Touch::Declare(_)));
    outline.around(scope).skip(1).filter(|around| outline.scopes[*around].kind == ScopeKind::Loop).any(|around| {
        let mut declared = declared.clone().peekable();
        declared.peek().is_none() || declared.any(|access| !outline.scopes[around].holds(access.position))
    })
}

/// Whether the first access within a scope is a write on every entry.
fn written_first(accesses: &[VarAccess], scope: usize, start: u32, end: u32) -> bool {
    accesses
        .iter()
        .find(|access| start <= access.position && access.position < end)
        .is_some_and(|first| first.touch != Touch::Read && first.scope == scope)
}
