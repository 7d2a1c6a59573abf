//! Debug printing: calls of empty functions become records in a storage buffer.
//!
//! All launches of a device write to the variable that the pass adds, one after the other; `debug::record` describes
//! its contents.

mod body;
mod signature;
#[cfg(test)]
mod tests;

use std::mem;

use anywarp_backend::{for_each_block_mut, statements};
use naga::{
    AddressSpace, ArraySize, Binding, Block, BuiltIn, EntryPoint, Expression, Function, FunctionArgument,
    GlobalVariable, Handle, Literal, MemoryDecorations, Module, Range, ResourceBinding, Scalar, Span, Statement,
    StorageAccess, StructMember, Type, TypeInner, VectorSize,
};

use crate::debug::record::Signature;
pub(crate) use signature::{Misfit, signature};

/// One call of a debug function.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    /// The span of the call.
    pub(crate) span: Span,
    /// The index of the debug function.
    pub(crate) function: usize,
}

/// A module whose debug functions print.
pub(crate) struct Printing {
    /// The changed module.
    pub(crate) module: Module,
    /// The module's calls of debug functions, in the order of their numbers.
    pub(crate) sites: Vec<CallSite>,
    /// The debug functions, which [`CallSite::function`] indexes.
    pub(crate) functions: Vec<Signature>,
}

/// Makes the functions in `names` print, in the only entry point of `module`. `None` if none of them is called: then
/// there is nothing to change.
///
/// The module must be valid, without overrides, and compact. The result has one more variable,
/// `var<storage, read_write> anywarp_debug` at `at`, which must be free. `number` is called once, with the number of
/// sites, and returns the number of the first one.
///
/// # Errors
/// [`Misfit`] if one of the functions cannot be a debug function.
pub(crate) fn debug_print(
    module: &Module,
    names: &[String],
    at: ResourceBinding,
    number: impl FnOnce(u32) -> u32,
) -> Result<Option<Printing>, Misfit> {
    let marked = |function: &Function| function.name.as_ref().is_some_and(|name| names.contains(name));
    let handles: Vec<Handle<Function>> =
        module.functions.iter().filter(|(_, function)| marked(function)).map(|(handle, _)| handle).collect();
    let mut sites = Vec::new();
    let bodies = module.functions.iter().map(|(_, function)| function);
    for function in bodies.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        sites.extend(calls(&function.body, &handles));
    }
    if sites.is_empty() {
        return Ok(None);
    }
    let functions =
        handles.iter().map(|handle| signature(module, &module.functions[*handle])).collect::<Result<Vec<_>, _>>()?;

    let mut module = module.clone();
    let globals = add_globals(&mut module, at);
    let mut numbering = Numbering { functions: &handles, next: number(sites.len() as u32) };
    for (_, function) in module.functions.iter_mut() {
        numbering.function(function);
    }
    for entry in &mut module.entry_points {
        numbering.function(&mut entry.function);
        remember_invocation(&module.types, entry, &globals);
    }
    for (handle, signature) in handles.iter().zip(&functions) {
        body::write(&mut module.functions[*handle], signature, &globals);
    }
    Ok(Some(Printing { module, sites, functions }))
}

/// The items that the pass adds to the module.
struct Globals {
    u32: Handle<Type>,
    vec3_u32: Handle<Type>,
    /// The storage buffer for the records.
    buffer: Handle<GlobalVariable>,
    /// A private variable with the id of the invocation, for functions that do not receive this id.
    invocation: Handle<GlobalVariable>,
}

fn add_globals(module: &mut Module, at: ResourceBinding) -> Globals {
    let mut add = |name: Option<&str>, inner: TypeInner| {
        module.types.insert(Type { name: name.map(str::to_owned), inner }, Span::UNDEFINED)
    };
    let u32 = add(None, TypeInner::Scalar(Scalar::U32));
    let vec3_u32 = add(None, TypeInner::Vector { size: VectorSize::Tri, scalar: Scalar::U32 });
    let counter = add(None, TypeInner::Atomic(Scalar::U32));
    let words = add(None, TypeInner::Array { base: u32, size: ArraySize::Dynamic, stride: 4 });
    let members = [("reserved", counter, 0), ("dropped", counter, 4), ("words", words, 8)]
        .map(|(name, ty, offset)| StructMember { name: Some(name.to_owned()), ty, binding: None, offset });
    let buffer = add(Some("AnywarpDebug"), TypeInner::Struct { members: members.to_vec(), span: 12 });
    let mut variable = |name: &str, space, binding, ty| {
        let name = Some(name.to_owned());
        let memory_decorations = MemoryDecorations::empty();
        let variable = GlobalVariable { name, space, binding, ty, init: None, memory_decorations };
        module.global_variables.append(variable, Span::UNDEFINED)
    };
    let access = StorageAccess::LOAD | StorageAccess::STORE;
    let buffer = variable("anywarp_debug", AddressSpace::Storage { access }, Some(at), buffer);
    let invocation = variable("anywarp_invocation", AddressSpace::Private, None, vec3_u32);
    Globals { u32, vec3_u32, buffer, invocation }
}

/// The calls of the marked functions, in the order of the text.
fn calls<'a>(block: &'a Block, marked: &'a [Handle<Function>]) -> impl Iterator<Item = CallSite> + 'a {
    statements(block).filter_map(|(statement, span)| {
        let Statement::Call { function, .. } = statement else { return None };
        Some(CallSite { span, function: marked.iter().position(|marked| marked == function)? })
    })
}

/// The part of the pass that appends to each call of a debug function its number, as an argument.
struct Numbering<'a> {
    functions: &'a [Handle<Function>],
    next: u32,
}

impl Numbering<'_> {
    fn function(&mut self, function: &mut Function) {
        let mut body = mem::take(&mut function.body);
        self.block(&mut body, function);
        function.body = body;
    }

    /// Visits calls in the order of [`calls`].
    fn block(&mut self, block: &mut Block, within: &mut Function) {
        for statement in block.iter_mut() {
            if let Statement::Call { function, arguments, .. } = statement
                && self.functions.contains(function)
            {
                let number = Expression::Literal(Literal::U32(self.next));
                arguments.push(within.expressions.append(number, Span::UNDEFINED));
                self.next = self.next.wrapping_add(1);
            }
            for_each_block_mut(statement, |inner| self.block(inner, within));
        }
    }
}

/// Inserts a copy of `global_invocation_id` to the private variable at the start of the entry point.
fn remember_invocation(types: &naga::UniqueArena<Type>, entry: &mut EntryPoint, globals: &Globals) {
    let is_id = |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId));
    let function = &mut entry.function;
    // naga allows each built-in only once, so an argument that the user declared is used.
    let declared = function.arguments.iter().enumerate().find_map(|(index, argument)| {
        let member = match &types[argument.ty].inner {
            TypeInner::Struct { members, .. } => Some(members.iter().position(|member| is_id(&member.binding))?),
            _ if is_id(&argument.binding) => None,
            _ => return None,
        };
        Some((index, member))
    });
    let (index, member) = declared.unwrap_or_else(|| {
        let binding = Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId));
        function.arguments.push(FunctionArgument { name: None, ty: globals.vec3_u32, binding });
        (function.arguments.len() - 1, None)
    });

    let mut body = Block::new();
    let mut value = function.expressions.append(Expression::FunctionArgument(index as u32), Span::UNDEFINED);
    if let Some(member) = member {
        let member = Expression::AccessIndex { base: value, index: member as u32 };
        value = function.expressions.append(member, Span::UNDEFINED);
        body.push(Statement::Emit(Range::new_from_bounds(value, value)), Span::UNDEFINED);
    }
    let pointer = function.expressions.append(Expression::GlobalVariable(globals.invocation), Span::UNDEFINED);
    body.push(Statement::Store { pointer, value }, Span::UNDEFINED);
    body.append(&mut function.body);
    function.body = body;
}
