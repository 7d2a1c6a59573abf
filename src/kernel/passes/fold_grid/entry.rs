//! The new entry point: computes logical ids from physical ones, then calls the kernel.

use naga::{
    BinaryOperator, Binding, Block, BuiltIn, Expression, Function, FunctionArgument, Handle, Literal, Range, Span,
    Statement, Type,
};

use super::{Input, Plan};

/// Writes the function of the new entry point.
pub(super) fn write(plan: &Plan) -> Function {
    let mut writer = Writer { plan, function: Function::default(), built_ins: Vec::new() };
    let ids = writer.logical_ids();
    let inputs = plan.inputs.iter();
    let arguments = inputs.map(|input| writer.argument(&ids, input)).collect();
    let call = Statement::Call { function: plan.body, arguments, result: None };
    writer.push(call);
    writer.push(Statement::Return { value: None });
    writer.function
}

struct LogicalIds {
    workgroup_id: Handle<Expression>,
    num_workgroups: Handle<Expression>,
}

struct Writer<'p> {
    plan: &'p Plan,
    function: Function,
    /// The built-in arguments that were added so far, in order: naga allows each built-in only once.
    built_ins: Vec<(BuiltIn, Handle<Expression>)>,
}

impl Writer<'_> {
    /// Computes the logical ids, and adds a return for workgroups beyond the logical grid.
    fn logical_ids(&mut self) -> LogicalIds {
        use BinaryOperator::{Add, Divide, GreaterEqual, Multiply, Subtract};

        let workgroup_id = self.built_in(BuiltIn::WorkGroupId, self.plan.vec3_u32);
        let [x, y, z] = self.components(workgroup_id);
        let physical = self.built_in(BuiltIn::NumWorkGroups, self.plan.vec3_u32);
        let [nx, ny, _] = self.components(physical);
        let pointer = self.add(Expression::GlobalVariable(self.plan.grid));
        let logical = self.add(Expression::Load { pointer });
        let [gx, gy, gz] = self.components(logical);

        let layers = self.binary(Multiply, ny, z);
        let rows = self.binary(Add, y, layers);
        let before = self.binary(Multiply, nx, rows);
        let linear = self.binary(Add, x, before);

        let layer = self.binary(Multiply, gx, gy);
        let total = self.binary(Multiply, layer, gz);
        let beyond = self.binary(GreaterEqual, linear, total);
        self.return_if(beyond);

        let row = self.binary(Divide, linear, gx);
        let row_start = self.binary(Multiply, row, gx);
        let x = self.binary(Subtract, linear, row_start);
        let z = self.binary(Divide, row, gy);
        let layer_start = self.binary(Multiply, z, gy);
        let y = self.binary(Subtract, row, layer_start);
        let workgroup_id = self.compose(self.plan.vec3_u32, vec![x, y, z]);

        // Names for readers of the code that naga's backends write.
        let names = [(logical, "logical_grid"), (linear, "linear"), (workgroup_id, "logical_id")];
        for (id, name) in names {
            self.function.named_expressions.insert(id, name.into());
        }
        LogicalIds { workgroup_id, num_workgroups: logical }
    }

    /// Returns the value that the kernel receives for one of its arguments.
    fn argument(&mut self, ids: &LogicalIds, input: &Input) -> Handle<Expression> {
        match input {
            Input::BuiltIn(built_in, ty) => self.logical(ids, *built_in, *ty),
            Input::Struct(ty, members) => {
                let members = members.iter();
                let members = members.map(|&(built_in, ty)| self.logical(ids, built_in, ty));
                let members = members.collect();
                self.compose(*ty, members)
            }
        }
    }

    fn logical(&mut self, ids: &LogicalIds, id: BuiltIn, ty: Handle<Type>) -> Handle<Expression> {
        match id {
            BuiltIn::WorkGroupId => ids.workgroup_id,
            BuiltIn::NumWorkGroups => ids.num_workgroups,
            BuiltIn::GlobalInvocationId => {
                let size = self.plan.workgroup_size;
                let size = size.map(|n| self.add(Expression::Literal(Literal::U32(n))));
                let size = self.compose(self.plan.vec3_u32, size.to_vec());
                let first = self.binary(BinaryOperator::Multiply, ids.workgroup_id, size);
                let local = self.built_in(BuiltIn::LocalInvocationId, self.plan.vec3_u32);
                self.binary(BinaryOperator::Add, first, local)
            }
            other => self.built_in(other, ty),
        }
    }

    /// The entry point's own argument for `built_in`, added on first use.
    fn built_in(&mut self, built_in: BuiltIn, ty: Handle<Type>) -> Handle<Expression> {
        if let Some(&(_, known)) = self.built_ins.iter().find(|(other, _)| *other == built_in) {
            return known;
        }
        let position = self.function.arguments.len();
        self.function.arguments.push(FunctionArgument { name: None, ty, binding: Some(Binding::BuiltIn(built_in)) });
        let argument = self.add(Expression::FunctionArgument(position as u32));
        self.built_ins.push((built_in, argument));
        argument
    }

    fn components(&mut self, base: Handle<Expression>) -> [Handle<Expression>; 3] {
        [0, 1, 2].map(|index| self.add(Expression::AccessIndex { base, index }))
    }

    fn compose(&mut self, ty: Handle<Type>, components: Vec<Handle<Expression>>) -> Handle<Expression> {
        self.add(Expression::Compose { ty, components })
    }

    fn binary(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Handle<Expression> {
        self.add(Expression::Binary { op, left, right })
    }

    fn return_if(&mut self, condition: Handle<Expression>) {
        let accept = Block::from_vec(vec![Statement::Return { value: None }]);
        self.push(Statement::If { condition, accept, reject: Block::new() });
    }

    /// Adds an expression and evaluates it at this point.
    fn add(&mut self, expression: Expression) -> Handle<Expression> {
        // Literals, arguments and variables are not evaluated: naga refuses to emit them.
        let emitted = !expression.needs_pre_emit();
        let handle = self.function.expressions.append(expression, Span::UNDEFINED);
        if emitted {
            self.push(Statement::Emit(Range::new_from_bounds(handle, handle)));
        }
        handle
    }

    fn push(&mut self, statement: Statement) {
        self.function.body.push(statement, Span::UNDEFINED);
    }
}
