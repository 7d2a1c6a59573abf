//! An interpreter that runs a folded entry point up to its call of the kernel, for one invocation.

use std::collections::HashMap;

use naga::{
    AddressSpace, BinaryOperator, Binding, Block, BuiltIn, Expression, Function, Handle, Literal, Module, Statement,
};

/// A value of the few types that entry points of folded kernels use.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Bool(bool),
    U32(u32),
    Vec3([u32; 3]),
    Struct(Vec<Value>),
}

/// The arguments with which the entry point calls the kernel; `None` if it returns before the call.
///
/// Panics if the IR contains anything that folding should not write, or if `u32` arithmetic wraps.
pub(super) fn run(
    module: &Module,
    entry: &str,
    grid: [u32; 3],
    built_in: impl Fn(BuiltIn) -> Value,
) -> Option<Vec<Value>> {
    let entry = module.entry_points.iter().find(|point| point.name == entry).unwrap();
    let mut machine = Machine { module, function: &entry.function, grid, built_in: &built_in, values: HashMap::new() };
    for (handle, expression) in entry.function.expressions.iter() {
        if expression.needs_pre_emit() {
            machine.evaluate(handle);
        }
    }
    match machine.execute(&entry.function.body) {
        Flow::Called(arguments) => Some(arguments),
        Flow::Returned => None,
        Flow::Next => panic!("the entry point ends without a return"),
    }
}

enum Flow {
    Next,
    Returned,
    Called(Vec<Value>),
}

struct Machine<'m> {
    module: &'m Module,
    function: &'m Function,
    grid: [u32; 3],
    built_in: &'m dyn Fn(BuiltIn) -> Value,
    /// The values of the expressions that have been evaluated so far.
    values: HashMap<Handle<Expression>, Value>,
}

impl Machine<'_> {
    fn execute(&mut self, block: &Block) -> Flow {
        for statement in block {
            let flow = match statement {
                Statement::Emit(range) => {
                    range.clone().for_each(|handle| self.evaluate(handle));
                    Flow::Next
                }
                Statement::If { condition, accept, reject } => match self.values[condition] {
                    Value::Bool(true) => self.execute(accept),
                    Value::Bool(false) => self.execute(reject),
                    ref other => panic!("a branch on {other:?}"),
                },
                Statement::Return { value: None } => Flow::Returned,
                Statement::Call { arguments, result: None, .. } => {
                    Flow::Called(arguments.iter().map(|handle| self.values[handle].clone()).collect())
                }
                other => panic!("a folded entry point has {other:?}"),
            };
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn evaluate(&mut self, handle: Handle<Expression>) {
        let value = match &self.function.expressions[handle] {
            Expression::Literal(Literal::U32(value)) => Value::U32(*value),
            Expression::FunctionArgument(index) => match self.function.arguments[*index as usize].binding {
                Some(Binding::BuiltIn(built_in)) => (self.built_in)(built_in),
                ref other => panic!("an argument with {other:?}"),
            },
            // A pointer to the grid is represented by the value of the grid, which a load returns.
            Expression::GlobalVariable(variable) => {
                let variable = &self.module.global_variables[*variable];
                assert_eq!(variable.space, AddressSpace::Uniform);
                Value::Vec3(self.grid)
            }
            Expression::Load { pointer } => self.values[pointer].clone(),
            Expression::AccessIndex { base, index } => match self.values[base] {
                Value::Vec3(vector) => Value::U32(vector[*index as usize]),
                ref other => panic!("component {index} of {other:?}"),
            },
            Expression::Compose { components, .. } => self.compose(components),
            Expression::Binary { op, left, right } => binary(*op, &self.values[left], &self.values[right]),
            other => panic!("a folded entry point has {other:?}"),
        };
        let before = self.values.insert(handle, value);
        assert_eq!(before, None, "{handle:?} is emitted twice");
    }

    fn compose(&self, components: &[Handle<Expression>]) -> Value {
        let components = components.iter().map(|handle| self.values[handle].clone());
        let components: Vec<Value> = components.collect();
        match components[..] {
            // A struct of three `u32` would be read as a vector; no kernel of the tests has one.
            [Value::U32(x), Value::U32(y), Value::U32(z)] => Value::Vec3([x, y, z]),
            _ => Value::Struct(components),
        }
    }
}

fn binary(op: BinaryOperator, left: &Value, right: &Value) -> Value {
    let calculate = |left: u32, right: u32| {
        let result = match op {
            BinaryOperator::Add => left.checked_add(right),
            BinaryOperator::Subtract => left.checked_sub(right),
            BinaryOperator::Multiply => left.checked_mul(right),
            BinaryOperator::Divide => left.checked_div(right),
            other => panic!("a folded entry point has {other:?}"),
        };
        result.unwrap_or_else(|| panic!("{left} {op:?} {right} leaves u32"))
    };
    match (op, left, right) {
        (BinaryOperator::GreaterEqual, Value::U32(left), Value::U32(right)) => Value::Bool(left >= right),
        (_, Value::U32(left), Value::U32(right)) => Value::U32(calculate(*left, *right)),
        (_, Value::Vec3(left), Value::Vec3(right)) => {
            Value::Vec3([0, 1, 2].map(|axis| calculate(left[axis], right[axis])))
        }
        _ => panic!("{left:?} {op:?} {right:?}"),
    }
}
