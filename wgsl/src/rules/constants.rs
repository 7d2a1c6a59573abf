//! Values that must be constant expressions. naga also accepts a `let` that it can evaluate, and any index of an
//! invocation in a subgroup.

use anywarp_backend::statements;
use naga::{Function, GatherMode, Module, Span, Statement};

use super::Breach;
use super::names::{Declared, Names};
use super::values::{Values, number};

/// The maximum number of invocations in a subgroup.
const MAX_SUBGROUP: f64 = 128.0;
/// The number of invocations in a quad.
const QUAD: f64 = 4.0;

/// Adds a mistake for each value of a `case` that is not a constant.
pub(super) fn of_cases(names: &Names<'_>, found: &mut Vec<Breach>) {
    for selector in names.selectors() {
        let Some(unknown) = names.unknown_in(&selector) else { continue };
        let name = names.name(unknown);
        let declared = match unknown.declared {
            Declared::Let | Declared::Const => "declared with `let`",
            Declared::Var => "a variable",
            Declared::Override => "declared with `override`",
            Declared::Parameter => "a parameter",
        };
        found.push(Breach {
            at: Span::new(unknown.start as u32, unknown.end as u32),
            message: format!("the value of a `case` must be a constant, and `{name}` is {declared}"),
            help: "declare it with `const`, or compare with `if`",
        });
    }
}

/// Adds a mistake for each argument of a subgroup function that has to be a constant and is none, or that is out of
/// range for every subgroup.
pub(super) fn of_subgroups(module: &Module, function: &Function, names: &Names<'_>, found: &mut Vec<Breach>) {
    let values = Values { module, arena: &function.expressions, names };
    for (statement, at) in statements(&function.body) {
        let Statement::SubgroupGather { mode, .. } = statement else { continue };
        let (name, index, limit, must_be_known) = match mode {
            GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => continue,
            GatherMode::Broadcast(index) => ("subgroupBroadcast", index, MAX_SUBGROUP, true),
            GatherMode::QuadBroadcast(index) => ("quadBroadcast", index, QUAD, true),
            GatherMode::Shuffle(index) => ("subgroupShuffle", index, MAX_SUBGROUP, false),
            GatherMode::ShuffleUp(by) => ("subgroupShuffleUp", by, MAX_SUBGROUP, false),
            GatherMode::ShuffleDown(by) => ("subgroupShuffleDown", by, MAX_SUBGROUP, false),
            GatherMode::ShuffleXor(by) => ("subgroupShuffleXor", by, MAX_SUBGROUP, false),
        };
        let call = values.call(at);
        let known = values.known(&call, 1, *index).and_then(|literals| number(*literals.first()?));
        let message = match known {
            Some(known) if known < 0.0 || known >= limit => {
                format!("the second argument of `{name}` is {known}; it must be from 0 to {}", limit - 1.0)
            }
            None if must_be_known && call.is_computed(names, 1) => {
                format!("the second argument of `{name}` must be a constant")
            }
            _ => continue,
        };
        let help = match (known, mode) {
            (None, GatherMode::Broadcast(_)) => "use `subgroupShuffle`, which accepts any index",
            (None, _) => "write a number, or a `const`",
            (Some(_), GatherMode::QuadBroadcast(_)) => "a quad has 4 invocations",
            (Some(_), _) => "a subgroup has at most 128 invocations",
        };
        found.push(Breach { at, message, help });
    }
}
