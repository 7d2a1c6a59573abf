//! Rules of WGSL that naga does not check and browsers do.
//!
//! | rule | section of the specification |
//! |---|---|
//! | a loop can be left | behaviour analysis |
//! | arguments of built-in functions that are known are in range: `clamp`, `smoothstep`, `extractBits`, `insertBits`, `ldexp` | built-in functions |
//! | known values are finite: `bitcast`, `pack2x16float`, `unpack2x16float`, `quantizeToF16` | floating-point evaluation |
//! | entry points of compute shaders take built-in values only | entry points |
//! | `subgroupBarrier` is naga's own | built-in functions |

use naga::{
    Barrier, Binding, Block, Expression, Function, Handle, Literal, MathFunction, Module, ScalarKind, ShaderStage,
    Span, Statement, TypeInner,
};

use crate::uniformity::Behavior;

/// The largest number that rounds to a finite `f16`, and the first that does not.
const F16_OVERFLOW: f64 = 65520.0;

/// A rule that a module breaks.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// Where.
    pub at: Span,
    /// The mistake.
    pub message: String,
    /// Advice.
    pub help: &'static str,
}

/// All breaches of a module.
#[must_use]
pub fn breaches(module: &Module) -> Vec<Breach> {
    let mut found = Vec::new();
    for entry in module.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Compute) {
        arguments(module, &entry.function, &mut found);
    }
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    for function in module.functions.iter().map(|(_, function)| function).chain(entries) {
        block(&function.body, &mut found);
        let values = Values { module, function };
        for (handle, expression) in function.expressions.iter() {
            let at = function.expressions.get_span(handle);
            found.extend(values.breach(expression).map(|(message, help)| Breach { at, message, help }));
        }
    }
    found
}

/// Compute shaders have no stage before them that could give them something.
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
                help: "compute shaders take built-in values only: read other values from buffers",
            });
        }
    }
}

/// Adds loops that nothing leaves.
fn block(statements: &Block, found: &mut Vec<Breach>) -> Behavior {
    let mut behavior = Behavior::NEXT;
    for (statement, span) in statements.span_iter() {
        let next = match statement {
            Statement::Block(inner) => block(inner, found),
            Statement::If { accept, reject, .. } => block(accept, found).or(block(reject, found)),
            Statement::Switch { cases, .. } => {
                let cases = cases.iter().filter(|case| !case.fall_through);
                cases.fold(Behavior::NONE, |all, case| all.or(block(&case.body, found))).of_switch()
            }
            Statement::Loop { body, continuing, break_if } => {
                let inner = block(body, found).or(block(continuing, found));
                let inner = if break_if.is_some() { inner.or(Behavior::BREAK) } else { inner };
                if inner.of_loop() == Behavior::NONE {
                    found.push(Breach {
                        at: *span,
                        message: "this loop is never left".to_owned(),
                        help: "give it a `break` or a `return` that can be reached",
                    });
                    Behavior::NEXT
                } else {
                    inner.of_loop()
                }
            }
            Statement::ControlBarrier(barrier) if barrier.contains(Barrier::SUB_GROUP) => {
                found.push(Breach {
                    at: *span,
                    message: "`subgroupBarrier` is no function of WGSL".to_owned(),
                    help: "`workgroupBarrier` orders memory for subgroups, too",
                });
                Behavior::NEXT
            }
            Statement::Break => Behavior::BREAK,
            Statement::Continue => Behavior::CONTINUE,
            Statement::Return { .. } => Behavior::RETURN,
            _ => Behavior::NEXT,
        };
        if behavior.has(Behavior::NEXT) {
            behavior = behavior.then(next);
        }
    }
    behavior
}

type Wrong = (String, &'static str);

/// The values of a function that are known.
#[derive(Clone, Copy)]
struct Values<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl Values<'_> {
    fn breach(self, expression: &Expression) -> Option<Wrong> {
        match expression {
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                self.math(*fun, [Some(*arg), *arg1, *arg2, *arg3].map(|argument| self.known(argument)))
            }
            Expression::As { expr, kind: ScalarKind::Float, convert: None } => {
                let bits = self.literals(&self.function.expressions, *expr)?.into_iter().find_map(|literal| {
                    let bits = match literal {
                        Literal::U32(bits) => bits,
                        Literal::I32(bits) => bits.cast_unsigned(),
                        _ => return None,
                    };
                    (!f32::from_bits(bits).is_finite()).then_some(bits)
                })?;
                let message = format!("the bits {bits:#x} are not those of a finite f32");
                Some((message, "infinities and NaN have no place in WGSL: compare with a large number instead"))
            }
            _ => None,
        }
    }

    fn math(self, fun: MathFunction, [a, b, c, d]: [Option<Vec<f64>>; 4]) -> Option<Wrong> {
        match fun {
            MathFunction::Clamp => {
                let (low, high) = pairs(b?, c?).find(|(low, high)| low > high)?;
                Some((format!("clamp to low = {low} and high = {high}"), "the lower limit comes first"))
            }
            MathFunction::SmoothStep => {
                let (low, _) = pairs(a?, b?).find(|(low, high)| low == high)?;
                Some((format!("smoothstep from low = {low} to high = {low}"), "the limits must differ"))
            }
            MathFunction::ExtractBits | MathFunction::InsertBits => {
                let (offset, count) = if fun == MathFunction::ExtractBits { (b?, c?) } else { (c?, d?) };
                let (offset, count) = pairs(offset, count).find(|(offset, count)| offset + count > 32.0)?;
                let message = format!("bits {offset} to {} of 32", offset + count);
                Some((message, "the offset and the count together must not exceed 32"))
            }
            MathFunction::Ldexp => {
                let exponent = b?.into_iter().find(|exponent| *exponent > 128.0)?;
                Some((format!("ldexp by {exponent}"), "the exponent must not exceed 128"))
            }
            MathFunction::QuantizeToF16 | MathFunction::Pack2x16float => {
                let value = a?.into_iter().find(|value| value.abs() >= F16_OVERFLOW)?;
                Some((format!("{value} is not within f16"), "the largest f16 is 65504"))
            }
            MathFunction::Unpack2x16float => {
                let is_finite = |half: u32| half & 0x7c00 != 0x7c00;
                let bits =
                    a?.into_iter().map(|bits| bits as u32).find(|bits| !is_finite(*bits) || !is_finite(bits >> 16))?;
                let message = format!("the bits {bits:#x} are not those of two finite f16");
                Some((message, "infinities and NaN have no place in WGSL"))
            }
            _ => None,
        }
    }

    /// The components of an argument as numbers, if all are known.
    fn known(self, argument: Option<Handle<Expression>>) -> Option<Vec<f64>> {
        let literals = self.literals(&self.function.expressions, argument?)?;
        literals.into_iter().map(number).collect()
    }

    fn literals(self, arena: &naga::Arena<Expression>, expression: Handle<Expression>) -> Option<Vec<Literal>> {
        match &arena[expression] {
            Expression::Literal(literal) => Some(vec![*literal]),
            Expression::Splat { value, .. } => self.literals(arena, *value),
            Expression::Compose { components, .. } => {
                let parts = components.iter().map(|component| self.literals(arena, *component));
                Some(parts.collect::<Option<Vec<_>>>()?.concat())
            }
            Expression::Constant(constant) => {
                self.literals(&self.module.global_expressions, self.module.constants[*constant].init)
            }
            _ => None,
        }
    }
}

fn number(literal: Literal) -> Option<f64> {
    Some(match literal {
        Literal::F64(value) => value,
        Literal::F32(value) => f64::from(value),
        Literal::F16(value) => f64::from(value),
        Literal::U32(value) => f64::from(value),
        Literal::I32(value) => f64::from(value),
        _ => return None,
    })
}

/// Components of two vectors; a scalar goes with each.
fn pairs(one: Vec<f64>, other: Vec<f64>) -> impl Iterator<Item = (f64, f64)> {
    let count = one.len().max(other.len());
    let at = |list: &[f64], index: usize| list.get(index).or(list.first()).copied().unwrap_or_default();
    (0..count).map(move |index| (at(&one, index), at(&other, index)))
}

#[cfg(test)]
mod tests {
    use anywarp_backend::Source;

    use super::*;
    use crate::module::parse;

    fn messages(text: &str) -> Vec<String> {
        let source = Source::new("rules.wgsl", text);
        let module = parse(&source).unwrap_or_else(|error| panic!("{error}"));
        breaches(&module).into_iter().map(|breach| breach.message).collect()
    }

    #[test]
    fn loops_must_have_an_end_and_barriers_be_known() {
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
    fn known_arguments_are_in_range() {
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
    fn compute_shaders_take_built_in_values() {
        let text =
            |argument| format!("struct A {{ @location(0) a: u32 }} @compute @workgroup_size(1) fn f({argument}) {{}}");
        assert_eq!(messages(&text("@location(1) b: u32")).len(), 1);
        assert_eq!(messages(&text("b: A")).len(), 1);
        assert!(messages(&text("@builtin(local_invocation_index) b: u32")).is_empty());
    }
}
