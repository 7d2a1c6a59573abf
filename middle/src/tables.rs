//! Arrays that are values and are indexed at run time, as variables.
//!
//! SPIR-V has no such index: naga's writer stores the whole array into a variable before each access, constants
//! included. A table that is looked up in an unrolled loop is then copied as often as the loop turns, and drivers take
//! minutes over it. [`place`] stores each array once:
//!
//! ```text
//! const TABLE = array(..);  TABLE[i]    var<private> TABLE = array(..);  TABLE[i]
//! let a = f();  a[i] + a[j]             var array = f();  array[i] + array[j]
//! ```
//!
//! A private variable that nothing writes is constant data to a driver.

mod constants;
mod function;
#[cfg(test)]
mod tests;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, Handle, Literal, Module, Type, TypeInner};
use rustc_hash::FxHashMap;

use constants::Constants;

/// The module with its arrays that are indexed in variables; `None` where it has none.
#[must_use]
pub fn place(module: &Module, info: &ModuleInfo) -> Option<Module> {
    let mut placed: Option<Module> = None;
    let mut constants = Constants::default();
    for (handle, function) in module.functions.iter() {
        if let Some(plan) = Plan::new(module, function, &info[handle]) {
            let made = placed.get_or_insert_with(|| module.clone());
            let function = function::write(function, &plan, &mut constants, made);
            *made.functions.get_mut(handle) = function;
        }
    }
    for (at, entry) in module.entry_points.iter().enumerate() {
        if let Some(plan) = Plan::new(module, &entry.function, info.get_entry_point(at)) {
            let made = placed.get_or_insert_with(|| module.clone());
            let function = function::write(&entry.function, &plan, &mut constants, made);
            made.entry_points[at].function = function;
        }
    }
    placed
}

/// Which arrays of a function need a variable.
struct Plan {
    /// Their types, by the expression that the array is.
    arrays: FxHashMap<Handle<Expression>, Handle<Type>>,
    /// By expression: whether it is an element of one of them, or a part of an element.
    inside: Vec<bool>,
}

impl Plan {
    fn new(module: &Module, function: &Function, info: &FunctionInfo) -> Option<Self> {
        let mut plan = Self { arrays: FxHashMap::default(), inside: vec![false; function.expressions.len()] };
        for (handle, expression) in function.expressions.iter() {
            let (Expression::Access { base, .. } | Expression::AccessIndex { base, .. }) = *expression else {
                continue;
            };
            let indexed = || match *expression {
                Expression::Access { index, .. } => !is_constant(module, function, index),
                _ => false,
            };
            if plan.inside[base.index()] {
                plan.inside[handle.index()] = true;
            } else if array_type(module, info, base).is_some() && indexed() {
                plan.inside[handle.index()] = true;
                plan.place(module, function, info, base);
            }
        }
        (!plan.arrays.is_empty()).then_some(plan)
    }

    /// Gives an array a variable; or, if it is a part of a constant one, all of that.
    fn place(&mut self, module: &Module, function: &Function, info: &FunctionInfo, array: Handle<Expression>) {
        let mut whole = array;
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } = function.expressions[whole] {
            whole = base;
        }
        let constant = matches!(function.expressions[whole], Expression::Constant(_) | Expression::ZeroValue(_));
        let whole = if constant && array_type(module, info, whole).is_some() { whole } else { array };
        self.arrays.extend(array_type(module, info, whole).map(|ty| (whole, ty)));
        let mut part = array;
        while part != whole {
            let (Expression::Access { base, .. } | Expression::AccessIndex { base, .. }) = function.expressions[part]
            else {
                return;
            };
            self.inside[part.index()] = true;
            part = base;
        }
    }
}

/// The type of an array that is a value.
fn array_type(module: &Module, info: &FunctionInfo, value: Handle<Expression>) -> Option<Handle<Type>> {
    info[value].ty.handle().filter(|ty| matches!(module.types[*ty].inner, TypeInner::Array { .. }))
}

/// Whether an index is a number that the writer knows.
fn is_constant(module: &Module, function: &Function, index: Handle<Expression>) -> bool {
    let is_number = |expression: &Expression| match expression {
        Expression::Literal(literal) => !matches!(literal, Literal::Bool(_)),
        Expression::ZeroValue(_) => true,
        _ => false,
    };
    match function.expressions[index] {
        Expression::Constant(constant) => is_number(&module.global_expressions[module.constants[constant].init]),
        ref expression => is_number(expression),
    }
}
