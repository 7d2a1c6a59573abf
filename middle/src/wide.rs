//! Replaces operations on 64-bit integers that naga's SPIR-V writer gets wrong.
//!
//! The writer does not mask the amount of a shift, although WGSL takes the amount modulo the width and SPIR-V leaves
//! larger amounts undefined. The writer also extends a 32-bit integer by the signedness of the result type instead of
//! that of the operand. Drivers mask the amounts of 32-bit shifts, so these shifts stay as they are. [`mend`] moves the
//! other operations into functions:
//!
//! ```text
//! x << n                  becomes a call of    fn(x, n) { return x << (n & 63); }
//! u64(x) for an `i32`     becomes a call of    fn(x)    { return bitcast<u64>(i64(x)); }
//! ```
//!
//! A call replaces an expression in place, so that all other expressions keep their handles.

use naga::{
    Arena, BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal, Module,
    Range, Scalar, ScalarKind, Span, Statement, Type, TypeInner, UniqueArena, VectorSize,
    valid::{FunctionInfo, ModuleInfo},
};

/// An operation on 64-bit integers that naga's SPIR-V writer gets wrong, as WGSL defines the operation.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Meant {
    /// A shift of 64-bit integers by an amount modulo 64.
    Shift(BinaryOperator, Scalar),
    /// The conversion of a 32-bit integer of the first kind to a 64-bit integer of the second kind. The operand's
    /// signedness decides whether its sign bit is repeated.
    Widen(ScalarKind, ScalarKind),
}

/// An expression that is to be replaced by a call.
struct Found {
    at: Handle<Expression>,
    operands: Vec<Handle<Expression>>,
    meant: Meant,
    lanes: Option<VectorSize>,
}

/// Replaces the operations on 64-bit integers that naga's SPIR-V writer gets wrong; `None` if the module has none.
#[must_use]
pub fn mend(module: &Module, info: &ModuleInfo) -> Option<Module> {
    let of_functions: Vec<Vec<Found>> =
        module.functions.iter().map(|(handle, function)| search(module, function, &info[handle])).collect();
    let entries = module.entry_points.iter().enumerate();
    let of_entries: Vec<Vec<Found>> =
        entries.map(|(at, entry)| search(module, &entry.function, info.get_entry_point(at))).collect();

    let mut mended = Module { functions: Arena::new(), ..module.clone() };
    let mut made: Vec<(Meant, Option<VectorSize>, Handle<Function>)> = Vec::new();
    // The new functions are added first, because naga requires functions before their callers.
    for found in of_functions.iter().chain(&of_entries).flatten() {
        if !made.iter().any(|(meant, lanes, _)| (*meant, *lanes) == (found.meant, found.lanes)) {
            let function = write(found.meant, found.lanes, &mut mended.types);
            made.push((found.meant, found.lanes, mended.functions.append(function, Span::default())));
        }
    }
    if made.is_empty() {
        return None;
    }
    let called = |found: &Found| {
        let same = |(meant, lanes, _): &&(Meant, _, _)| (*meant, *lanes) == (found.meant, found.lanes);
        made.iter().find(same).map(|(_, _, function)| *function)
    };
    let mut moved: Vec<Handle<Function>> = Vec::new();
    for ((handle, function), found) in module.functions.iter().zip(&of_functions) {
        let function = rewrite(function, found, &called, &moved);
        moved.push(mended.functions.append(function, module.functions.get_span(handle)));
    }
    for (entry, found) in mended.entry_points.iter_mut().zip(&of_entries) {
        entry.function = rewrite(&entry.function, found, &called, &moved);
    }
    Some(mended)
}

fn search(module: &Module, function: &Function, info: &FunctionInfo) -> Vec<Found> {
    let integer = |handle: Handle<Expression>| match *info[handle].ty.inner_with(&module.types) {
        TypeInner::Scalar(scalar) => Some((scalar, None)),
        TypeInner::Vector { size, scalar } => Some((scalar, Some(size))),
        _ => None,
    };
    let known = |handle: Handle<Expression>| match function.expressions[handle] {
        Expression::Literal(_) => true,
        Expression::Splat { value, .. } => matches!(function.expressions[value], Expression::Literal(_)),
        _ => false,
    };
    let found = |(at, expression): (Handle<Expression>, &Expression)| match *expression {
        Expression::Binary { op: op @ (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight), left, right } => {
            let (scalar, lanes) = integer(left).filter(|(scalar, _)| scalar.width == 8 && !known(right))?;
            Some(Found { at, operands: vec![left, right], meant: Meant::Shift(op, scalar), lanes })
        }
        Expression::As { expr, kind: kind @ (ScalarKind::Sint | ScalarKind::Uint), convert: Some(8) } => {
            let (scalar, lanes) = integer(expr).filter(|(scalar, _)| scalar.width == 4 && scalar.kind != kind)?;
            let is_integer = matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint);
            is_integer.then(|| Found { at, operands: vec![expr], meant: Meant::Widen(scalar.kind, kind), lanes })
        }
        _ => None,
    };
    function.expressions.iter().filter_map(found).collect()
}

/// Returns a function that computes the operation `meant` as WGSL defines the operation.
fn write(meant: Meant, lanes: Option<VectorSize>, types: &mut UniqueArena<Type>) -> Function {
    let mut of = |scalar| {
        let inner = lanes.map_or(TypeInner::Scalar(scalar), |size| TypeInner::Vector { size, scalar });
        types.insert(Type { name: None, inner }, Span::default())
    };
    let mut expressions = Arena::new();
    let mut add = |expression| expressions.append(expression, Span::default());
    let first = add(Expression::FunctionArgument(0));
    let (arguments, result, from, to) = match meant {
        Meant::Shift(op, scalar) => {
            let amount = add(Expression::FunctionArgument(1));
            let mask = add(Expression::Literal(Literal::U32(63)));
            let splat = lanes.map(|size| add(Expression::Splat { size, value: mask }));
            let mask = splat.unwrap_or(mask);
            let masked = add(Expression::Binary { op: BinaryOperator::And, left: amount, right: mask });
            let shifted = add(Expression::Binary { op, left: first, right: masked });
            (vec![of(scalar), of(Scalar::U32)], of(scalar), splat.unwrap_or(masked), shifted)
        }
        Meant::Widen(kind, other) => {
            let wide = add(Expression::As { expr: first, kind, convert: Some(8) });
            let cast = add(Expression::As { expr: wide, kind: other, convert: None });
            (vec![of(Scalar { kind, width: 4 })], of(Scalar { kind: other, width: 8 }), wide, cast)
        }
    };
    let mut body = Block::new();
    body.push(Statement::Emit(Range::new_from_bounds(from, to)), Span::default());
    body.push(Statement::Return { value: Some(to) }, Span::default());
    Function {
        name: Some(if matches!(meant, Meant::Shift(..)) { "shift" } else { "widen" }.to_owned()),
        arguments: arguments.into_iter().map(|ty| FunctionArgument { name: None, ty, binding: None }).collect(),
        result: Some(FunctionResult { ty: result, binding: None }),
        expressions,
        body,
        ..Function::default()
    }
}

/// Replaces the expressions in `found` by calls. `moved` has, by old handle, the new handle of each function.
fn rewrite(
    function: &Function,
    found: &[Found],
    called: &dyn Fn(&Found) -> Option<Handle<Function>>,
    moved: &[Handle<Function>],
) -> Function {
    let mut function = function.clone();
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::CallResult(callee) = expression {
            *callee = moved[callee.index()];
        }
    }
    for found in found {
        if let Some(callee) = called(found) {
            function.expressions[found.at] = Expression::CallResult(callee);
        }
    }
    function.body = rewrite_block(&function.body, &Calls { found, called, moved });
    function
}

struct Calls<'a> {
    found: &'a [Found],
    called: &'a dyn Fn(&Found) -> Option<Handle<Function>>,
    moved: &'a [Handle<Function>],
}

fn rewrite_block(block: &Block, calls: &Calls<'_>) -> Block {
    let mut new = Block::with_capacity(block.len());
    for (statement, span) in block.span_iter() {
        let inner = |block: &Block| rewrite_block(block, calls);
        let statement = match statement {
            Statement::Emit(range) => {
                emit(range, *span, calls, &mut new);
                continue;
            }
            Statement::Block(block) => Statement::Block(inner(block)),
            Statement::If { condition, accept, reject } => {
                Statement::If { condition: *condition, accept: inner(accept), reject: inner(reject) }
            }
            Statement::Switch { selector, cases } => {
                let mut cases = cases.clone();
                cases.iter_mut().for_each(|case| case.body = inner(&case.body));
                Statement::Switch { selector: *selector, cases }
            }
            Statement::Loop { body, continuing, break_if } => {
                Statement::Loop { body: inner(body), continuing: inner(continuing), break_if: *break_if }
            }
            Statement::Call { function, arguments, result } => {
                let function = calls.moved[function.index()];
                Statement::Call { function, arguments: arguments.clone(), result: *result }
            }
            other => other.clone(),
        };
        new.push(statement, *span);
    }
    new
}

/// Emits the expressions of a range, with calls in place of the expressions that are to be replaced.
fn emit(range: &Range<Expression>, span: Span, calls: &Calls<'_>, block: &mut Block) {
    let mut waiting: Option<(Handle<Expression>, Handle<Expression>)> = None;
    let flush = |waiting: &mut Option<(Handle<Expression>, Handle<Expression>)>, block: &mut Block| {
        if let Some((first, last)) = waiting.take() {
            block.push(Statement::Emit(Range::new_from_bounds(first, last)), span);
        }
    };
    for handle in range.clone() {
        let found = calls.found.iter().find(|found| found.at == handle);
        match found.and_then(|found| Some((found, (calls.called)(found)?))) {
            None => waiting = Some((waiting.map_or(handle, |(first, _)| first), handle)),
            Some((found, function)) => {
                flush(&mut waiting, block);
                let arguments = found.operands.clone();
                block.push(Statement::Call { function, arguments, result: Some(handle) }, span);
            }
        }
    }
    flush(&mut waiting, block);
}
