//! The reports on accesses and loops, by their positions in the source.

use anywarp_backend::statements;
use naga::{Expression, Function, Handle, Module, Span, Statement, TypeInner};
use rustc_hash::FxHashMap;

use super::verdicts::{Advice, Count, FunctionVerdicts, LoopAdvice, Seen, Verdicts};
use crate::rebuild::operands::{for_each_operand, is_result};

/// The report on one access of the source. The report covers all calls of the function and all copies of the access
/// that unrolling makes.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessNote {
    /// The position of the access.
    pub span: Span,
    /// The position of the index.
    pub index: Span,
    /// The name of the index in the source, if it has one.
    pub index_name: Option<String>,
    /// Whether the index has side effects, such as an atomic or a call, so that a check must not evaluate the index a
    /// second time.
    pub index_acts: bool,
    /// The name of the accessed variable or value, such as `weights` or `params.table`; empty if it has no name.
    pub variable: String,
    /// Whether the index is in range whenever the access is reached.
    pub proven: bool,
    /// The conditions on a launch under which the index is in range, as one bit per condition: 0 if the index is always
    /// in range, `None` if no conditions were found.
    pub needs: Option<u64>,
    /// Whether any invocation can reach the access.
    pub reached: bool,
    /// The least possible value of the index.
    pub low: i64,
    /// The greatest possible value of the index.
    pub high: i64,
    /// The number of elements of the indexed array, vector or matrix; `None` if that number differs between calls.
    pub count: Option<Count>,
    /// A change of the kernel that would let the analysis prove that the index is in range.
    pub advice: Option<Advice>,
}

/// The report on one loop of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopNote {
    /// The position of the loop.
    pub span: Span,
    /// Whether the loop is proven to end.
    pub ends: bool,
    /// The variable that proves that the loop ends; for a loop without this proof, the loop's counter.
    pub counter: Option<String>,
    /// The least and the greatest value of `counter`.
    pub range: Option<(i64, i64)>,
    /// The reason why the loop is not proven to end; `None` if the loop is proven to end.
    pub advice: Option<LoopAdvice>,
}

/// The reports on all functions, in the order of the source.
pub(super) fn notes(module: &Module, verdicts: &Verdicts) -> (Vec<AccessNote>, Vec<LoopNote>) {
    let mut accesses: FxHashMap<Option<std::ops::Range<usize>>, AccessNote> = FxHashMap::default();
    let mut loops: FxHashMap<Option<std::ops::Range<usize>>, LoopNote> = FxHashMap::default();
    let functions = module.functions.iter().map(|(_, function)| function);
    let all = functions.chain(module.entry_points.first().map(|entry| &entry.function));
    for (function, found) in all.zip(&verdicts.functions) {
        of_function(module, function, found, &mut accesses);
        of_loops(function, found, &mut loops);
    }
    let start = |span: Span| span.to_range().map_or(0, |range| range.start);
    let mut accesses: Vec<AccessNote> = accesses.into_values().collect();
    accesses.sort_by_key(|note| (start(note.span), start(note.index)));
    let mut loops: Vec<LoopNote> = loops.into_values().collect();
    loops.sort_by_key(|note| start(note.span));
    (accesses, loops)
}

fn of_function(
    module: &Module,
    function: &Function,
    found: &FunctionVerdicts,
    notes: &mut FxHashMap<Option<std::ops::Range<usize>>, AccessNote>,
) {
    for (handle, expression) in function.expressions.iter() {
        let Expression::Access { base, index } = *expression else { continue };
        let seen = found.accesses.get(handle.index()).and_then(Option::as_ref);
        let (span, at) = (function.expressions.get_span(handle), function.expressions.get_span(index));
        let variable = name_of(module, function, base, 0);
        let mut note = note_of(span, at, variable, seen);
        note.index_name = function.named_expressions.get(&index).cloned();
        note.index_acts = acts(function, index);
        notes.entry(span.to_range()).and_modify(|other| *other = both(other, &note)).or_insert(note);
    }
}

fn note_of(span: Span, index: Span, variable: String, seen: Option<&Seen>) -> AccessNote {
    AccessNote {
        span,
        index,
        index_name: None,
        index_acts: false,
        variable,
        proven: seen.is_some_and(|seen| seen.needs == Some(0)),
        needs: seen.and_then(|seen| seen.needs),
        reached: seen.is_some(),
        low: seen.map_or(0, |seen| seen.low),
        high: seen.map_or(0, |seen| seen.high),
        count: seen.and_then(|seen| seen.count.clone()),
        advice: seen.and_then(|seen| seen.advice.clone()),
    }
}

/// Whether a value depends on the result of a statement, such as a call. Results with a name do not count, because they
/// can be used again by that name.
fn acts(function: &Function, value: Handle<Expression>) -> bool {
    let mut waiting = vec![value];
    while let Some(next) = waiting.pop() {
        if function.named_expressions.contains_key(&next) {
            continue;
        }
        if is_result(&function.expressions[next]) {
            return true;
        }
        for_each_operand(&function.expressions[next], |operand| waiting.push(operand));
    }
    false
}

/// The report that covers two copies of an access, which unrolling or several calls made.
fn both(one: &AccessNote, other: &AccessNote) -> AccessNote {
    match (one.reached, other.reached) {
        (false, _) => other.clone(),
        (_, false) => one.clone(),
        _ => AccessNote {
            proven: one.proven && other.proven,
            needs: one.needs.zip(other.needs).map(|(one, other)| one | other),
            low: one.low.min(other.low),
            high: one.high.max(other.high),
            count: one.count.clone().filter(|count| Some(count) == other.count.as_ref()),
            advice: one.advice.clone().or_else(|| other.advice.clone()),
            ..one.clone()
        },
    }
}

fn of_loops(
    function: &Function,
    found: &FunctionVerdicts,
    notes: &mut FxHashMap<Option<std::ops::Range<usize>>, LoopNote>,
) {
    let loops = statements(&function.body).filter(|(statement, _)| matches!(statement, Statement::Loop { .. }));
    for ((_, span), seen) in loops.zip(&found.loops) {
        let note = match seen {
            Some(seen) => LoopNote {
                span,
                ends: seen.ends,
                counter: seen.counter.clone(),
                range: seen.known,
                advice: seen.advice.clone(),
            },
            None => LoopNote { span, ends: false, counter: None, range: None, advice: None },
        };
        let entry = notes.entry(span.to_range()).or_insert_with(|| note.clone());
        if !note.ends {
            *entry = note;
        }
    }
}

/// The name of a value in the source; empty if the value has none.
fn name_of(module: &Module, function: &Function, handle: Handle<Expression>, depth: u32) -> String {
    if depth > 16 {
        return String::new();
    }
    if let Some(name) = function.named_expressions.get(&handle) {
        return name.clone();
    }
    let inner = |base| name_of(module, function, base, depth + 1);
    match function.expressions[handle] {
        Expression::GlobalVariable(global) => module.global_variables[global].name.clone().unwrap_or_default(),
        Expression::LocalVariable(local) => function.local_variables[local].name.clone().unwrap_or_default(),
        Expression::FunctionArgument(index) => {
            function.arguments.get(index as usize).and_then(|argument| argument.name.clone()).unwrap_or_default()
        }
        Expression::Constant(constant) => module.constants[constant].name.clone().unwrap_or_default(),
        Expression::Load { pointer } => inner(pointer),
        Expression::Access { base, .. } => format!("{}[..]", inner(base)),
        Expression::AccessIndex { base, index } => match member(module, function, base, index) {
            Some(member) => format!("{}.{member}", inner(base)),
            None => format!("{}[{index}]", inner(base)),
        },
        _ => String::new(),
    }
}

/// The name of a struct's member; `None` unless `base` is a variable of a struct type.
fn member(module: &Module, function: &Function, base: Handle<Expression>, index: u32) -> Option<String> {
    let ty = match function.expressions[base] {
        Expression::GlobalVariable(global) => module.global_variables[global].ty,
        Expression::LocalVariable(local) => function.local_variables[local].ty,
        _ => return None,
    };
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => members.get(index as usize)?.name.clone(),
        _ => None,
    }
}
