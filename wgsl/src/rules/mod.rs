//! Rules of WGSL that browsers check and naga does not.
//!
//! | file | rule | section of the specification |
//! |---|---|---|
//! | `flow` | a loop can end; `subgroupBarrier`, and `subgroupBallot` without a condition, exist only in naga | behaviour analysis, built-in functions |
//! | `alias` | a function has only one name for memory that it writes through a pointer | alias analysis |
//! | `ranges`, `finite` | constant arguments are in range, and results computed from them are finite | built-in functions, floating-point evaluation |
//! | `constants` | values of `case`, and some arguments of subgroup functions, are constants | switch statement, built-in functions |
//! | here | entry points of compute shaders take built-in values only | entry points |
//!
//! `names` finds the names in the text whose values are not constants, and `values` evaluates arguments that consist of
//! constants.

mod alias;
mod constants;
mod finite;
mod flow;
mod names;
mod ranges;
mod values;

use anywarp_backend::Source;
use naga::{Binding, Function, Module, ShaderStage, Span, TypeInner};

use crate::diagnostic;
use names::Names;

/// A position in a text that breaks a rule of WGSL.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// The span of the mistake.
    pub at: Span,
    /// A sentence that describes the mistake.
    pub message: String,
    /// The remedy, as an instruction to the author.
    pub help: &'static str,
}

impl Breach {
    /// Formats the whole message: the mistake, its line, and the remedy.
    #[must_use]
    pub fn diagnostic(&self, source: &Source) -> String {
        diagnostic::at(source, &self.message, vec![(self.at, String::new())], vec![format!("help: {}", self.help)])
    }
}

/// Returns all breaches of the rules in a module that was parsed from `source`.
///
/// ```
/// use anywarp_backend::Source;
/// use anywarp_wgsl::rules::breaches;
///
/// let source = Source::new("example.wgsl", "fn f(x: f32) -> f32 { return clamp(x, 2.0, 1.0); }");
/// let module = anywarp_wgsl::module::parse(&source)?;
/// assert_eq!(breaches(&source, &module)[0].message, "clamp: expected low <= high, got low = 2 and high = 1");
/// # Ok::<(), anywarp_wgsl::TextError>(())
/// ```
#[must_use]
pub fn breaches(source: &Source, module: &Module) -> Vec<Breach> {
    let names = Names::of(source.text());
    let mut found = Vec::new();
    for entry in module.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Compute) {
        arguments(module, &entry.function, &mut found);
    }
    constants::of_cases(&names, &mut found);
    alias::check(module, &mut found);
    ranges::of_module(module, &names, &mut found);
    for function in functions(module) {
        flow::block(&function.body, &mut found);
        ranges::of_function(module, function, &names, &mut found);
        constants::of_subgroups(module, function, &names, &mut found);
    }
    found
}

/// The functions, each after the functions that it calls, followed by the entry points.
fn functions(module: &Module) -> impl Iterator<Item = &Function> {
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    module.functions.iter().map(|(_, function)| function).chain(entries)
}

/// Adds a mistake for each argument with a location, because compute shaders have no earlier stage that could provide
/// its value.
fn arguments(module: &Module, function: &Function, found: &mut Vec<Breach>) {
    let is_location = |binding: &Option<Binding>| matches!(binding, Some(Binding::Location { .. }));
    for argument in &function.arguments {
        let members = match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => members.as_slice(),
            _ => &[],
        };
        if is_location(&argument.binding) || members.iter().any(|member| is_location(&member.binding)) {
            let name = argument.name.as_deref().unwrap_or_default();
            found.push(Breach {
                at: module.types.get_span(argument.ty),
                message: format!("the argument '{name}' of a compute shader has a @location"),
                help: "compute shaders accept only built-in values: read other values from buffers",
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Source;

    use super::*;
    use crate::module::parse;

    fn messages(text: &str) -> Vec<String> {
        let source = Source::new("rules.wgsl", text);
        let module = parse(&source).unwrap_or_else(|error| panic!("{error}"));
        breaches(&source, &module).into_iter().map(|breach| breach.message).collect()
    }

    #[test]
    fn endless_loops_and_subgroup_functions_of_naga_are_refused() {
        for (body, count) in [
            ("loop {}", 1),
            ("loop { continue; }", 1),
            ("for (;;) { loop {} }", 2),
            ("loop { switch 1 { default: { break; } } }", 1),
            ("loop { if true { continue; } else { continue; } break; }", 1),
            ("loop { break; }", 0),
            ("loop { return; }", 0),
            ("loop { continuing { break if true; } }", 0),
            ("while true {}", 0),
            ("loop { if true { return; } }", 0),
            ("subgroupBarrier();", 1),
            ("workgroupBarrier();", 0),
        ] {
            assert_eq!(messages(&format!("fn f() {{ {body} }}")).len(), count, "{body}");
        }
    }

    #[test]
    fn constant_arguments_must_be_in_range() {
        for (call, said) in [
            ("clamp(x, 5u, 3u)", "low = 5 and high = 3"),
            ("clamp(vec2(x), vec2(1u, 5u), vec2(2u, 3u))", "low = 5 and high = 3"),
            ("smoothstep(1.0, 1.0, f32(x))", "low = 1"),
            ("extractBits(x, 20u, LIMIT)", "bits 20 to 40"),
            ("insertBits(x, 1u, 30u, 5u)", "bits 30 to 35"),
            ("ldexp(f32(x), 200)", "200"),
            ("bitcast<f32>(0x7fc00000u)", "0x7fc00000"),
            ("quantizeToF16(70000.0)", "70000"),
            ("unpack2x16float(0x7c00u)", "0x7c00"),
            ("clamp(x, 3u, 3u)", ""),
            ("clamp(x, x, 3u)", ""),
            ("smoothstep(1.0, 2.0, f32(x))", ""),
            ("extractBits(x, 12u, LIMIT)", ""),
            ("quantizeToF16(65504.0)", ""),
            ("bitcast<f32>(1u)", ""),
        ] {
            let found = messages(&format!("const LIMIT = 20u; fn f(x: u32) {{ let y = {call}; }}"));
            assert_eq!(found.len(), usize::from(!said.is_empty()), "{call}: {found:?}");
            assert!(found.iter().all(|message| message.contains(said)), "{call}: {found:?}");
        }
    }

    #[test]
    fn compute_shaders_accept_only_built_in_values() {
        let text =
            |argument| format!("struct A {{ @location(0) a: u32 }} @compute @workgroup_size(1) fn f({argument}) {{}}");
        assert_eq!(messages(&text("@location(1) b: u32")).len(), 1);
        assert_eq!(messages(&text("b: A")).len(), 1);
        assert!(messages(&text("@builtin(local_invocation_index) b: u32")).is_empty());
    }
}
