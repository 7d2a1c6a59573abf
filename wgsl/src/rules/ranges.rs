//! Constant arguments of built-in functions that are out of range. naga checks few of these functions.

use std::collections::HashSet;

use anywarp_backend::statements;
use naga::{Block, Expression, Function, Handle, Literal, MathFunction, Module, ScalarKind, Statement};

use super::Breach;
use super::finite::{self, F16_MAX, Width, short};
use super::names::Names;
use super::values::{Values, number};

/// The description of a mistake in a call, and the remedy.
type Wrong = (String, &'static str);

/// A rule about the arguments of a built-in function. The rule is checked if the arguments with the numbers in `needs`
/// are constants.
struct Rule {
    of: MathFunction,
    needs: &'static [usize],
    broken: fn(&Known) -> Option<Wrong>,
}

/// The values of the constant arguments that a rule needs.
struct Known {
    width: Width,
    values: Vec<Vec<f64>>,
}

const RULES: &[Rule] = &[
    Rule { of: MathFunction::Clamp, needs: &[1, 2], broken: clamp },
    Rule { of: MathFunction::SmoothStep, needs: &[0, 1], broken: limits },
    Rule {
        of: MathFunction::SmoothStep,
        needs: &[0, 1, 2],
        broken: |known| known.each(|width, at| finite::smooth(width, at(0), at(1), Some(at(2)))),
    },
    Rule { of: MathFunction::ExtractBits, needs: &[1, 2], broken: bits },
    Rule { of: MathFunction::InsertBits, needs: &[2, 3], broken: bits },
    Rule { of: MathFunction::Ldexp, needs: &[1], broken: exponent },
    Rule {
        of: MathFunction::Ldexp,
        needs: &[0, 1],
        broken: |known| known.each(|width, at| finite::ldexp(width, at(0), at(1))),
    },
    Rule {
        of: MathFunction::Mix,
        needs: &[0, 1, 2],
        broken: |known| known.each(|width, at| width.result(finite::mix(width, at(0), at(1), at(2))?)),
    },
    Rule {
        of: MathFunction::FaceForward,
        needs: &[0, 1, 2],
        broken: |known| known.whole(|width, of| width.dot(of(1), of(2))),
    },
    Rule {
        of: MathFunction::Reflect,
        needs: &[0, 1],
        broken: |known| known.whole(|width, of| finite::reflect(width, of(0), of(1))),
    },
    Rule {
        of: MathFunction::Refract,
        needs: &[0, 1, 2],
        broken: |known| {
            known.whole(|width, of| finite::refract(width, of(0), of(1), of(2).first().copied().unwrap_or_default()))
        },
    },
    Rule {
        of: MathFunction::Determinant,
        needs: &[0],
        broken: |known| known.whole(|width, of| finite::determinant(width, of(0))),
    },
    Rule { of: MathFunction::QuantizeToF16, needs: &[0], broken: half },
    Rule { of: MathFunction::Pack2x16float, needs: &[0], broken: half },
    Rule { of: MathFunction::Unpack2x16float, needs: &[0], broken: two_halves },
];

/// Adds a mistake for each call in a function with a constant argument or a result that is out of range.
pub(super) fn of_function(module: &Module, function: &Function, names: &Names<'_>, found: &mut Vec<Breach>) {
    let values = Values { module, arena: &function.expressions, names };
    let mut skipped = HashSet::new();
    add_skipped(function, &function.body, &mut skipped);
    check(values, |expression| !skipped.contains(&expression), found);
}

/// Adds a mistake for each call in a declaration outside functions with a constant argument or a result that is out of
/// range.
pub(super) fn of_module(module: &Module, names: &Names<'_>, found: &mut Vec<Breach>) {
    check(Values { module, arena: &module.global_expressions, names }, |_| true, found);
}

fn check(values: Values<'_>, is_computed: impl Fn(Handle<Expression>) -> bool, found: &mut Vec<Breach>) {
    for (handle, expression) in values.arena.iter().filter(|(handle, _)| is_computed(*handle)) {
        let at = values.arena.get_span(handle);
        let wrong = match expression {
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let rules = RULES.iter().filter(|rule| rule.of == *fun);
                let arguments = [Some(*arg), *arg1, *arg2, *arg3];
                let mut rules = rules.filter_map(|rule| {
                    let call = values.call(at);
                    let argument = |number: &usize| values.known(&call, *number, (*arguments.get(*number)?)?);
                    let literals = rule.needs.iter().map(argument).collect::<Option<Vec<_>>>()?;
                    let numbers = |list: &Vec<Literal>| list.iter().map(|literal| number(*literal)).collect();
                    let numbers = literals.iter().map(numbers).collect::<Option<Vec<Vec<f64>>>>()?;
                    (rule.broken)(&Known { width: call.width(&literals), values: numbers })
                });
                rules.next()
            }
            Expression::As { expr, kind: ScalarKind::Float, convert: None } => {
                values.known(&values.call(at), 0, *expr).and_then(|literals| float_bits(&literals))
            }
            _ => None,
        };
        found.extend(wrong.map(|(message, help)| Breach { at, message, help }));
    }
}

/// Adds the right operands of `false &&` and `true ||` to `skipped`, because browsers do not evaluate them.
fn add_skipped(function: &Function, block: &Block, skipped: &mut HashSet<Handle<Expression>>) {
    for (statement, _) in statements(block) {
        let Statement::If { condition, accept, reject } = statement else { continue };
        let Expression::Literal(Literal::Bool(decided)) = function.expressions[*condition] else { continue };
        // naga turns the operator into an `if` that assigns to an unnamed variable.
        let is_operator = accept.last().is_some_and(|last| match last {
            Statement::Store { pointer, .. } => match function.expressions[*pointer] {
                Expression::LocalVariable(variable) => function.local_variables[variable].name.is_none(),
                _ => false,
            },
            _ => false,
        });
        if is_operator {
            for (statement, _) in statements(if decided { reject } else { accept }) {
                if let Statement::Emit(range) = statement {
                    skipped.extend(range.clone());
                }
            }
        }
    }
}

impl Known {
    /// Returns the first result of `of` over the components; the value of a scalar argument is used for every
    /// component.
    fn find<T>(&self, mut of: impl FnMut(&dyn Fn(usize) -> f64) -> Option<T>) -> Option<T> {
        let count = self.values.iter().map(Vec::len).max().unwrap_or_default();
        (0..count).find_map(|component| {
            of(&|number| {
                let list = self.values.get(number).map_or(&[][..], Vec::as_slice);
                list.get(component).or(list.first()).copied().unwrap_or_default()
            })
        })
    }

    /// Returns the mistake for the first step that is not finite, for a function that computes each component
    /// separately.
    fn each(&self, compute: impl Fn(Width, &dyn Fn(usize) -> f64) -> finite::Checked) -> Option<Wrong> {
        self.find(|at| compute(self.width, at).err()).map(overflow)
    }

    /// Returns the mistake for the first step that is not finite, for a function of whole vectors or matrices.
    fn whole<'a, T>(
        &'a self,
        compute: impl FnOnce(Width, &dyn Fn(usize) -> &'a [f64]) -> finite::Checked<T>,
    ) -> Option<Wrong> {
        compute(self.width, &|number| self.values.get(number).map_or(&[][..], Vec::as_slice)).err().map(overflow)
    }
}

fn overflow(step: String) -> Wrong {
    (step, "constant expressions must be finite at every step: use smaller numbers")
}

fn clamp(known: &Known) -> Option<Wrong> {
    let (low, high) = known.find(|at| Some((at(0), at(1))).filter(|(low, high)| low > high))?;
    Some((
        format!("clamp: expected low <= high, got low = {} and high = {}", short(low), short(high)),
        "pass the lower limit first",
    ))
}

fn limits(known: &Known) -> Option<Wrong> {
    if let Some(low) = known.find(|at| Some(at(0)).filter(|low| *low == at(1))) {
        let low = short(low);
        return Some((
            format!("smoothstep: expected different limits, got low = {low} and high = {low}"),
            "the limits must differ",
        ));
    }
    known.each(|width, at| finite::smooth(width, at(0), at(1), None))
}

fn bits(known: &Known) -> Option<Wrong> {
    let (offset, count) = known.find(|at| Some((at(0), at(1))).filter(|(offset, count)| offset + count > 32.0))?;
    let message = format!("bits {offset} to {} are beyond the 32 bits of the value", offset + count);
    Some((message, "the sum of offset and count must not exceed 32"))
}

fn exponent(known: &Known) -> Option<Wrong> {
    let (limit, help) = match known.width {
        Width::F16 | Width::F32 => (128.0, "the exponent must not exceed 128"),
        Width::Abstract => (1024.0, "the exponent must not exceed 1024"),
    };
    let exponent = known.find(|at| Some(at(0)).filter(|exponent| *exponent > limit))?;
    Some((format!("ldexp: the exponent {exponent} is too large"), help))
}

fn half(known: &Known) -> Option<Wrong> {
    let value = known.find(|at| Some(at(0)).filter(|value| value.abs() > F16_MAX))?;
    Some((format!("{} is out of range for f16", short(value)), "the largest f16 is 65504"))
}

fn two_halves(known: &Known) -> Option<Wrong> {
    let is_finite = |half: u32| half & 0x7c00 != 0x7c00;
    let bits = known.find(|at| Some(at(0) as u32).filter(|bits| !is_finite(*bits) || !is_finite(bits >> 16)))?;
    let message = format!("the bits {bits:#x} are not those of two finite f16");
    Some((message, "WGSL does not allow infinities and NaN in constant expressions"))
}

fn float_bits(literals: &[Literal]) -> Option<Wrong> {
    let bits = literals.iter().find_map(|literal| {
        let bits = match literal {
            Literal::U32(bits) => *bits,
            Literal::I32(bits) => bits.cast_unsigned(),
            _ => return None,
        };
        (!f32::from_bits(bits).is_finite()).then_some(bits)
    })?;
    let message = format!("the bits {bits:#x} are not those of a finite f32");
    Some((
        message,
        "WGSL does not allow infinities and NaN in constant expressions: compare with a large number instead",
    ))
}
