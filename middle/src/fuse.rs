//! Fuses products with sums: `a * b + c` becomes `fma(a, b, c)`, for devices that compute both by one instruction.
//!
//! WGSL permits this (section 15.7.3, "Reassociation and Fusion"), because the fused result is more accurate: it is
//! rounded once. The pass runs on the kernel as its author wrote it, before any optimisation. So all variants of a
//! kernel have the same results, whatever an optimisation finds out about them.
//!
//! A product stays as it is in four cases:
//!
//! - It is used more than once: it would be computed more than once.
//! - The other operand is a product, too: `a * b - b * a` would no longer be zero.
//! - The sum is a scalar that is stored to the variable that is the other operand, as in `sum += a * b`. Each iteration
//!   of such a loop waits for the last sum, and a fused operation takes longer than an addition. The components of a
//!   vector do not wait for each other, so that fewer operations count for more.
//! - Its elements have 16 bits.

use anywarp_backend::statements;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    BinaryOperator, Expression, Function, Handle, MathFunction, Module, Scalar, Statement, TypeInner, UnaryOperator,
};

use crate::operands::{for_each_operand, for_each_statement_operand};
use crate::pointers::root;

/// Fuses products with sums. Returns `None` if the module has no product that can be fused.
#[must_use]
pub fn products_with_sums(module: &Module, info: &ModuleInfo) -> Option<Module> {
    let mut made: Option<Module> = None;
    for (handle, function) in module.functions.iter() {
        if let Some(function) = fused(module, function, &info[handle]) {
            *made.get_or_insert_with(|| module.clone()).functions.get_mut(handle) = function;
        }
    }
    for (at, entry) in module.entry_points.iter().enumerate() {
        if let Some(function) = fused(module, &entry.function, info.get_entry_point(at)) {
            made.get_or_insert_with(|| module.clone()).entry_points[at].function = function;
        }
    }
    made
}

fn fused(module: &Module, function: &Function, info: &FunctionInfo) -> Option<Function> {
    let context = Context { module, function, info, uses: uses(function), growing: growing(function) };
    let fusions = function.expressions.iter().filter_map(|(sum, _)| Some((sum, context.fusion(sum)?)));
    let mut made: Option<Function> = None;
    for (sum, Fusion { product, instead, fma }) in fusions {
        let expressions = &mut made.get_or_insert_with(|| function.clone()).expressions;
        expressions[sum] = fma;
        if let Some(instead) = instead {
            expressions[product] = instead;
        }
    }
    made
}

/// The number of uses of each expression.
fn uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.expressions.len()];
    let mut count = |operand: Handle<Expression>| uses[operand.index()] += 1;
    for (_, expression) in function.expressions.iter() {
        for_each_operand(expression, &mut count);
    }
    for (statement, _) in statements(&function.body) {
        for_each_statement_operand(statement, &mut count);
    }
    uses
}

/// The sums that are stored to the variable that is one of their operands.
fn growing(function: &Function) -> Vec<Handle<Expression>> {
    let reads = |operand, variable| match function.expressions[operand] {
        Expression::Load { pointer } => root(function, pointer) == variable,
        _ => false,
    };
    let growing = |statement: &Statement| {
        let Statement::Store { pointer, value } = *statement else { return None };
        let Expression::Binary { left, right, .. } = function.expressions[value] else { return None };
        let variable = root(function, pointer);
        (reads(left, variable) || reads(right, variable)).then_some(value)
    };
    statements(&function.body).filter_map(|(statement, _)| growing(statement)).collect()
}

struct Context<'a> {
    module: &'a Module,
    function: &'a Function,
    info: &'a FunctionInfo,
    /// The number of uses of each expression.
    uses: Vec<u32>,
    /// The sums that are stored to the variable that is one of their operands.
    growing: Vec<Handle<Expression>>,
}

/// A sum whose product is fused with it.
struct Fusion {
    product: Handle<Expression>,
    /// The expression that takes the place of the product.
    instead: Option<Expression>,
    /// The expression that takes the place of the sum.
    fma: Expression,
}

impl Context<'_> {
    fn fusion(&self, sum: Handle<Expression>) -> Option<Fusion> {
        let Expression::Binary { op, left, right } = self.function.expressions[sum] else { return None };
        let (product, addend) = match (op, self.factors(left), self.factors(right)) {
            (BinaryOperator::Add, Some(_), None) => (left, right),
            (BinaryOperator::Add | BinaryOperator::Subtract, None, Some(_)) => (right, left),
            _ => return None,
        };
        let scalar = matches!(self.inner(sum), TypeInner::Scalar(_));
        if self.uses[product.index()] != 1 || scalar && self.growing.contains(&sum) {
            return None;
        }
        let (a, b) = self.factors(product)?;
        let fma = |arg, arg1| Expression::Math {
            fun: MathFunction::Fma,
            arg,
            arg1: Some(arg1),
            arg2: Some(addend),
            arg3: None,
        };
        let [whole, of_a, of_b] = [product, a, b].map(|operand| self.inner(operand));
        // `x - a * b` is `fma(-a, b, x)`, and a factor that is a scalar is repeated for all components.
        let (instead, fma) = match (op, whole) {
            (BinaryOperator::Subtract, _) if of_a == of_b => {
                (Some(Expression::Unary { op: UnaryOperator::Negate, expr: a }), fma(product, b))
            }
            (BinaryOperator::Add, _) if of_a == of_b => (None, fma(a, b)),
            (BinaryOperator::Add, TypeInner::Vector { size, .. }) => {
                let (vector, value) = if of_a == whole { (a, b) } else { (b, a) };
                (Some(Expression::Splat { size: *size, value }), fma(vector, product))
            }
            _ => return None,
        };
        Some(Fusion { product, instead, fma })
    }

    /// The factors of a product of scalars or vectors with elements of 32 or 64 bits; `None` for any other expression.
    fn factors(&self, product: Handle<Expression>) -> Option<(Handle<Expression>, Handle<Expression>)> {
        let Expression::Binary { op: BinaryOperator::Multiply, left, right } = self.function.expressions[product]
        else {
            return None;
        };
        let is_float = |operand| match *self.inner(operand) {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => {
                matches!(scalar, Scalar::F32 | Scalar::F64)
            }
            _ => false,
        };
        (is_float(left) && is_float(right)).then_some((left, right))
    }

    fn inner(&self, expression: Handle<Expression>) -> &TypeInner {
        self.info[expression].ty.inner_with(&self.module.types)
    }
}
