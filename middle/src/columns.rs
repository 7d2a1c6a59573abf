//! Replaces stores to matrices of two rows in structs, which naga's HLSL writer loses.
//!
//! The writer declares such a member as one vector for each column. It stores a matrix, or a column whose index is not
//! constant, by a function that receives the struct by value, so that the store changes a copy. [`by_columns`] stores to
//! columns with constant indices, which the writer assigns directly:
//!
//! ```text
//! state.turn = m;       becomes    whole = m; state.turn[0] = whole[0]; state.turn[1] = whole[1];
//! state.turn[i] = v;    becomes    switch i { case 0: { state.turn[0] = v; } case 1: { state.turn[1] = v; } .. }
//! ```
//!
//! Buffers are written in another way, which has no such fault.

use anywarp_backend::{for_each_block_mut, statements};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, Block, Expression, Function, Handle, LocalVariable, Module, Range, ScalarKind, Span, Statement,
    SwitchCase, SwitchValue, Type, TypeInner, VectorSize,
};

/// Replaces stores to matrices of two rows in structs by stores to their columns. Returns `None` if there are no such
/// stores.
#[must_use]
pub fn by_columns(module: &Module, info: &ModuleInfo) -> Option<Module> {
    let functions = module.functions.iter().map(|(handle, function)| found(module, function, &info[handle]));
    let functions: Vec<Vec<Found>> = functions.collect();
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(at, entry)| found(module, &entry.function, info.get_entry_point(at)));
    let entries: Vec<Vec<Found>> = entries.collect();
    if functions.iter().chain(&entries).all(Vec::is_empty) {
        return None;
    }
    let mut made = module.clone();
    let functions = made.functions.iter_mut().map(|(_, function)| function).zip(&functions);
    let entries = made.entry_points.iter_mut().map(|entry| &mut entry.function).zip(&entries);
    for (function, found) in functions.chain(entries).filter(|(_, found)| !found.is_empty()) {
        let mut body = std::mem::take(&mut function.body);
        rewrite(&mut body, function, found);
        function.body = body;
    }
    Some(made)
}

/// A pointer of stores that the writer loses.
struct Found {
    pointer: Handle<Expression>,
    /// The pointer to the matrix.
    matrix: Handle<Expression>,
    ty: Handle<Type>,
    columns: u32,
    part: Part,
}

/// The part of the matrix to which a pointer refers.
enum Part {
    Whole,
    /// A column whose index is not constant, or one number of it.
    Column {
        column: Index,
        row: Row,
    },
}

/// The numbers of a column to which a pointer refers.
#[derive(Clone, Copy)]
enum Row {
    All,
    At(u32),
    By(Index),
}

/// An index that is not constant.
#[derive(Clone, Copy)]
struct Index {
    value: Handle<Expression>,
    kind: ScalarKind,
}

impl Index {
    /// A `switch` with these statements for each value below `count`.
    fn switch(self, count: u32, mut body: impl FnMut(u32) -> Block) -> Statement {
        let value = |index: u32| match self.kind {
            ScalarKind::Sint => SwitchValue::I32(index.cast_signed()),
            _ => SwitchValue::U32(index),
        };
        let case = |index| SwitchCase { value: value(index), body: body(index), fall_through: false };
        let mut cases: Vec<SwitchCase> = (0..count).map(case).collect();
        cases.push(SwitchCase { value: SwitchValue::Default, body: Block::new(), fall_through: false });
        Statement::Switch { selector: self.value, cases }
    }
}

fn found(module: &Module, function: &Function, info: &FunctionInfo) -> Vec<Found> {
    let pointers = statements(&function.body).filter_map(|(statement, _)| match statement {
        Statement::Store { pointer, .. } => Found::of(module, function, info, *pointer),
        _ => None,
    });
    pointers.collect()
}

impl Found {
    fn of(module: &Module, function: &Function, info: &FunctionInfo, pointer: Handle<Expression>) -> Option<Self> {
        let pointee = |at: Handle<Expression>| match *info[at].ty.inner_with(&module.types) {
            TypeInner::Pointer {
                base,
                space: AddressSpace::Function | AddressSpace::Private | AddressSpace::WorkGroup,
            } => Some(base),
            _ => None,
        };
        let base = |at: Handle<Expression>| match function.expressions[at] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => Some(base),
            _ => None,
        };
        // The matrix, and the steps from there to the pointer: none, a column, or a column and a row.
        let mut steps = vec![pointer];
        let (matrix, ty, columns) = loop {
            let at = *steps.last()?;
            let ty = pointee(at);
            if let Some(TypeInner::Matrix { columns, rows: VectorSize::Bi, .. }) = ty.map(|ty| &module.types[ty].inner)
            {
                break (steps.pop()?, ty?, *columns as u32);
            }
            if steps.len() > 2 {
                return None;
            }
            steps.push(base(at)?);
        };
        if !matches!(module.types[pointee(base(matrix)?)?].inner, TypeInner::Struct { .. }) {
            return None;
        }
        let part = match steps.pop() {
            None => Part::Whole,
            Some(column) => {
                let Expression::Access { index, .. } = function.expressions[column] else { return None };
                let by = |value| Some(Index { value, kind: info[value].ty.inner_with(&module.types).scalar_kind()? });
                let row = match steps.pop().map(|row| &function.expressions[row]) {
                    Some(Expression::AccessIndex { index, .. }) => Row::At(*index),
                    Some(Expression::Access { index, .. }) => Row::By(by(*index)?),
                    _ => Row::All,
                };
                Part::Column { column: by(index)?, row }
            }
        };
        Some(Self { pointer, matrix, ty, columns, part })
    }

    /// Writes the stores to the columns.
    fn store(&self, function: &mut Function, value: Handle<Expression>, block: &mut Block, span: Span) {
        match self.part {
            Part::Whole => {
                let variable = LocalVariable { name: Some("whole".to_owned()), ty: self.ty, init: None };
                let variable = function.local_variables.append(variable, Span::UNDEFINED);
                let whole = function.expressions.append(Expression::LocalVariable(variable), span);
                block.push(Statement::Store { pointer: whole, value }, span);
                for index in 0..self.columns {
                    let column = emitted(function, Expression::AccessIndex { base: whole, index }, block, span);
                    let value = emitted(function, Expression::Load { pointer: column }, block, span);
                    let pointer = self.column(function, index, block, span);
                    block.push(Statement::Store { pointer, value }, span);
                }
            }
            Part::Column { column, row } => {
                let by_column = column.switch(self.columns, |index| {
                    let mut body = Block::new();
                    let base = self.column(function, index, &mut body, span);
                    let store = |pointer, body: &mut Block| body.push(Statement::Store { pointer, value }, span);
                    let mut element = |index, body: &mut Block| {
                        let pointer = emitted(function, Expression::AccessIndex { base, index }, body, span);
                        store(pointer, body);
                    };
                    match row {
                        Row::All => store(base, &mut body),
                        Row::At(index) => element(index, &mut body),
                        // FXC aborts at an index of a component in a `switch`.
                        Row::By(row) => {
                            let by_row = row.switch(2, |index| {
                                let mut body = Block::new();
                                element(index, &mut body);
                                body
                            });
                            body.push(by_row, span);
                        }
                    }
                    body
                });
                block.push(by_column, span);
            }
        }
    }

    /// A pointer to a column.
    fn column(&self, function: &mut Function, index: u32, block: &mut Block, span: Span) -> Handle<Expression> {
        emitted(function, Expression::AccessIndex { base: self.matrix, index }, block, span)
    }
}

fn emitted(function: &mut Function, expression: Expression, block: &mut Block, span: Span) -> Handle<Expression> {
    let handle = function.expressions.append(expression, span);
    block.push(Statement::Emit(Range::new_from_bounds(handle, handle)), span);
    handle
}

/// Rewrites a block of `function`, whose body is elsewhere meanwhile.
fn rewrite(block: &mut Block, function: &mut Function, all: &[Found]) {
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        for_each_block_mut(&mut statement, |inner| rewrite(inner, function, all));
        match statement {
            Statement::Store { pointer, value } => match all.iter().find(|found| found.pointer == pointer) {
                Some(found) => found.store(function, value, block, span),
                None => block.push(statement, span),
            },
            _ => block.push(statement, span),
        }
    }
}
