//! Liveness across barriers.
//!
//! At a barrier one lane group is suspended and the next one resumes, so registers are lost: values and variables that
//! are live across the barrier are saved in the group's frame.

use super::outline::{Outline, ScopeKind, Touch};
use crate::ir::{Function, Value, Var};

/// The values and variables that each barrier of a function saves.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// The values that any barrier saves.
    pub(crate) values: Vec<Value>,
    /// By barrier, in reading order: the values that this barrier saves, all of them in `values`.
    pub(crate) values_at: Vec<Vec<Value>>,
    /// By barrier, in reading order: the variables that this barrier saves.
    pub(crate) vars_at: Vec<Vec<Var>>,
}

/// Finds the values and variables that are live across the barriers.
pub(crate) fn across_barriers(function: &Function, outline: &Outline) -> Live {
    let mut live = Live {
        values: Vec::new(),
        values_at: vec![Vec::new(); outline.barriers.len()],
        vars_at: vec![Vec::new(); outline.barriers.len()],
    };
    for value in &outline.order {
        if function.inst(*value).is_floating() {
            continue;
        }
        let (start, end) = (outline.defined[value.0 as usize], outline.last_use[value.0 as usize]);
        let mut saved = false;
        for (number, position) in outline.barriers.iter().enumerate() {
            if start < *position && *position < end {
                live.values_at[number].push(*value);
                saved = true;
            }
        }
        if saved {
            live.values.push(*value);
        }
    }
    for (index, accesses) in outline.accesses.iter().enumerate() {
        let Some((start, end)) = interval(outline, accesses) else { continue };
        for (number, position) in outline.barriers.iter().enumerate() {
            if start < *position && *position < end {
                live.vars_at[number].push(Var(index as u32));
            }
        }
    }
    live
}

/// The interval of positions from the first write of a variable to its last read, widened to all loops in which the
/// variable keeps its value from one iteration to the next.
fn interval(outline: &Outline, accesses: &[super::outline::VarAccess]) -> Option<(u32, u32)> {
    let mut start = accesses.iter().find(|access| access.touch != Touch::Read)?.position;
    let mut end = accesses.iter().rev().find(|access| access.touch == Touch::Read)?.position;
    let declared: Vec<u32> = accesses
        .iter()
        .filter(|access| matches!(access.touch, Touch::Declare(_)))
        .map(|access| access.position)
        .collect();
    for access in accesses {
        for scope in outline.around(access.scope) {
            let scope = &outline.scopes[scope];
            let inside = !declared.is_empty() && declared.iter().all(|position| scope.holds(*position));
            if scope.kind == ScopeKind::Loop && !inside {
                start = start.min(scope.start);
                end = end.max(scope.end);
            }
        }
    }
    Some((start, end))
}
