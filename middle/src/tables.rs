//! Moves arrays that are values to variables, if a computed index accesses them.
//!
//! SPIR-V cannot index an array value at run time. So naga's writer stores the whole array, even if it is constant, to
//! a variable before each access. A table that is read in an unrolled loop is then copied once for each iteration, and
//! drivers take minutes to compile these copies. [`to_variables`] stores each array once:
//!
//! ```text
//! const TABLE = array(..);  TABLE[i]    becomes    var<private> TABLE = array(..);  TABLE[i]
//! let a = f();  a[i] + a[j]             becomes    var array = f();  array[i] + array[j]
//! ```
//!
//! Drivers treat a private variable that nothing writes as constant data.

mod constants;
mod function;
#[cfg(test)]
mod tests;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, Handle, Literal, Module, Type, TypeInner};
use rustc_hash::FxHashMap;

use constants::Constants;

/// Moves to variables those array values that are accessed with a computed index. Returns `None` if there are no such
/// values.
#[must_use]
pub fn to_variables(module: &Module, info: &ModuleInfo) -> Option<Module> {
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

/// The array values of a function that are to be moved to variables.
struct Plan {
    /// The type of each array value that is to be moved, by the expression that is the value.
    arrays: FxHashMap<Handle<Expression>, Handle<Type>>,
    /// By expression: whether the expression is an element of one of `arrays`, or a component of such an element.
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

    /// Plans a variable for an array. If `array` is an element of a constant array, plans a variable for the whole
    /// constant.
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

/// The type of a value that is an array; `None` for other values.
fn array_type(module: &Module, info: &FunctionInfo, value: Handle<Expression>) -> Option<Handle<Type>> {
    info[value].ty.handle().filter(|ty| matches!(module.types[*ty].inner, TypeInner::Array { .. }))
}

/// Whether naga's SPIR-V writer treats an index as constant.
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
