//! Adds private variables to the module for constant arrays.

use naga::{AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, MemoryDecorations, Module, Span, Type};
use rustc_hash::FxHashMap;

use crate::rebuild::operands::{for_each_operand, map_operands};

/// The private variables that were added.
#[derive(Default)]
pub(super) struct Constants {
    /// The added variables, by the expression that is their initial value.
    made: FxHashMap<Handle<Expression>, Handle<GlobalVariable>>,
    zeros: FxHashMap<Handle<Type>, Handle<GlobalVariable>>,
}

impl Constants {
    /// The private variable that contains a constant array of a function; `None` if the array is not constant.
    pub(super) fn variable(
        &mut self,
        function: &Function,
        array: Handle<Expression>,
        ty: Handle<Type>,
        module: &mut Module,
    ) -> Option<Handle<GlobalVariable>> {
        let declare = |module: &mut Module, name: Option<&String>, init| {
            let variable = GlobalVariable {
                name: Some(name.map_or("table", String::as_str).to_owned()),
                space: AddressSpace::Private,
                binding: None,
                ty,
                init,
                memory_decorations: MemoryDecorations::empty(),
            };
            module.global_variables.append(variable, function.expressions.get_span(array))
        };
        match function.expressions[array] {
            Expression::Constant(constant) => {
                let (name, init) = (module.constants[constant].name.clone(), module.constants[constant].init);
                Some(*self.made.entry(init).or_insert_with(|| declare(module, name.as_ref(), Some(init))))
            }
            // A private variable without an initial value is zero.
            Expression::ZeroValue(_) => Some(*self.zeros.entry(ty).or_insert_with(|| declare(module, None, None))),
            Expression::Compose { .. } if is_constant(&function.expressions, array) => {
                let init = copy(&function.expressions, array, &mut module.global_expressions);
                Some(declare(module, function.named_expressions.get(&array), Some(init)))
            }
            _ => None,
        }
    }
}

/// Whether an expression consists of constants that can be an initial value in a module.
fn is_constant(expressions: &Arena<Expression>, root: Handle<Expression>) -> bool {
    let mut waiting = vec![root];
    while let Some(next) = waiting.pop() {
        match expressions[next] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => {}
            Expression::Compose { .. } | Expression::Splat { .. } => {
                for_each_operand(&expressions[next], |operand| waiting.push(operand));
            }
            _ => return false,
        }
    }
    true
}

/// Copies a constant expression. The recursion is no deeper than the nesting of types.
fn copy(from: &Arena<Expression>, root: Handle<Expression>, to: &mut Arena<Expression>) -> Handle<Expression> {
    let mut expression = from[root].clone();
    map_operands(&mut expression, |operand| copy(from, operand, to));
    to.append(expression, Span::UNDEFINED)
}
