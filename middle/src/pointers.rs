//! Passes pointers to whole variables where a kernel passes pointers to parts of variables.
//!
//! WGSL permits a pointer to an element or a member as the argument of a call. SPIR-V permits only a whole variable or
//! a parameter, and naga's SPIR-V writer panics at other pointers. [`to_whole_variables`] copies the part to a variable
//! for the call:
//!
//! ```text
//! f(&v[i]);    becomes    var part = v[i]; f(&part); v[i] = part;
//! ```
//!
//! The part is written back only if the function may write to it. WGSL forbids calls in which a function accesses
//! memory through a pointer and in another way, if it writes to the memory. So a copy makes no difference. All such
//! pointers are to variables of one invocation.

use anywarp_backend::{for_each_block_mut, statements};
use naga::{
    AddressSpace, Arena, Block, Expression, Function, GlobalVariable, Handle, LocalVariable, MemoryDecorations, Module,
    Range, Span, Statement, Type, TypeInner,
};

/// Replaces arguments that are pointers to parts of variables by pointers to copies. Returns `None` if there are no
/// such arguments.
#[must_use]
pub fn to_whole_variables(module: &Module) -> Option<Module> {
    let parameters = parameters(module);
    let is_affected = |function: &Function| passes_parts(function, &parameters);
    let mut functions = module.functions.iter().map(|(_, function)| function);
    if !functions.any(is_affected) && !module.entry_points.iter().any(|entry| is_affected(&entry.function)) {
        return None;
    }
    let mut made = module.clone();
    let functions = made.functions.iter_mut().map(|(_, function)| function);
    for function in functions.chain(made.entry_points.iter_mut().map(|entry| &mut entry.function)) {
        let mut body = std::mem::take(&mut function.body);
        rewrite(&mut body, function, &mut made.global_variables, &parameters);
        function.body = body;
    }
    Some(made)
}

/// A parameter that is a pointer.
#[derive(Clone, Copy)]
struct Parameter {
    /// The type of the memory that the pointer refers to.
    pointee: Handle<Type>,
    space: AddressSpace,
    /// Whether the function may write to that memory.
    is_written: bool,
}

/// For each function, its parameters, with `None` for those that are no pointers.
type Parameters = Vec<Vec<Option<Parameter>>>;

fn parameters(module: &Module) -> Parameters {
    let mut all = Parameters::with_capacity(module.functions.len());
    for (_, function) in module.functions.iter() {
        let pointee = |ty: Handle<Type>| match module.types[ty].inner {
            TypeInner::Pointer { base, space } => Some(Parameter { pointee: base, space, is_written: false }),
            _ => None,
        };
        let mut own: Vec<Option<Parameter>> = function.arguments.iter().map(|argument| pointee(argument.ty)).collect();
        // Functions are listed before their callers, so those of all callees are in `all`.
        let written: Vec<u32> = statements(&function.body)
            .flat_map(|(statement, _)| written_by(statement, &all))
            .filter_map(|pointer| match function.expressions[root(function, pointer)] {
                Expression::FunctionArgument(at) => Some(at),
                _ => None,
            })
            .collect();
        for at in written {
            own[at as usize].iter_mut().for_each(|parameter| parameter.is_written = true);
        }
        all.push(own);
    }
    all
}

/// The pointers through which a statement may write.
fn written_by(statement: &Statement, callees: &Parameters) -> Vec<Handle<Expression>> {
    match statement {
        Statement::Store { pointer, .. } | Statement::Atomic { pointer, .. } => vec![*pointer],
        Statement::CooperativeStore { data, .. } => vec![data.pointer],
        Statement::Call { function, arguments, .. } => {
            let parameters = callees[function.index()].iter().zip(arguments);
            let written = parameters.filter(|(parameter, _)| parameter.is_some_and(|parameter| parameter.is_written));
            written.map(|(_, argument)| *argument).collect()
        }
        _ => Vec::new(),
    }
}

/// The variable or the parameter that a pointer refers to, or to a part of which it refers.
pub(crate) fn root(function: &Function, mut pointer: Handle<Expression>) -> Handle<Expression> {
    while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } = function.expressions[pointer] {
        pointer = base;
    }
    pointer
}

/// Whether a pointer refers to a part of a variable or of the memory of a parameter.
fn is_part(function: &Function, pointer: Handle<Expression>) -> bool {
    root(function, pointer) != pointer
}

/// Whether a function passes a pointer to a part of a variable.
fn passes_parts(function: &Function, callees: &Parameters) -> bool {
    statements(&function.body).any(|(statement, _)| match statement {
        Statement::Call { function: callee, arguments, .. } => {
            let mut passed = callees[callee.index()].iter().zip(arguments);
            passed.any(|(parameter, argument)| parameter.is_some() && is_part(function, *argument))
        }
        _ => false,
    })
}

/// Inserts the copies into a block of `function`, whose body is elsewhere meanwhile.
fn rewrite(block: &mut Block, function: &mut Function, globals: &mut Arena<GlobalVariable>, callees: &Parameters) {
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        for_each_block_mut(&mut statement, |inner| rewrite(inner, function, globals, callees));
        let mut after = Block::new();
        if let Statement::Call { function: callee, arguments, .. } = &mut statement {
            for (argument, parameter) in arguments.iter_mut().zip(&callees[callee.index()]) {
                if let Some(parameter) = parameter.filter(|_| is_part(function, *argument)) {
                    let part = *argument;
                    let whole = variable(parameter, function, globals);
                    *argument = function.expressions.append(whole, span);
                    copy(function, part, *argument, block, span);
                    if parameter.is_written {
                        copy(function, *argument, part, &mut after, span);
                    }
                }
            }
        }
        block.push(statement, span);
        block.append(&mut after);
    }
}

/// Returns a pointer to a new variable in the address space of a parameter.
fn variable(parameter: Parameter, function: &mut Function, globals: &mut Arena<GlobalVariable>) -> Expression {
    let Parameter { pointee: ty, space, .. } = parameter;
    let name = Some("part".to_owned());
    if space == AddressSpace::Function {
        let variable = LocalVariable { name, ty, init: None };
        return Expression::LocalVariable(function.local_variables.append(variable, Span::UNDEFINED));
    }
    let memory_decorations = MemoryDecorations::empty();
    let variable = GlobalVariable { name, space, binding: None, ty, init: None, memory_decorations };
    Expression::GlobalVariable(globals.append(variable, Span::UNDEFINED))
}

/// Adds statements to `block` that copy the memory at the pointer `from` to the memory at the pointer `to`.
pub(crate) fn copy(
    function: &mut Function,
    from: Handle<Expression>,
    to: Handle<Expression>,
    block: &mut Block,
    span: Span,
) {
    let value = function.expressions.append(Expression::Load { pointer: from }, span);
    block.push(Statement::Emit(Range::new_from_bounds(value, value)), span);
    block.push(Statement::Store { pointer: to, value }, span);
}
