//! Replaces stores to elements of arrays in structs, which the older compiler of HLSL refuses in loops.
//!
//! FXC cannot address an array that is a member of a variable: if the index is not constant, it unrolls the loops around
//! the store, and fails where a loop has no constant number of turns ("forced to unroll loop, but unrolling failed").
//! [`to_whole_arrays`] stores to a copy of the array, which is a variable of its own:
//!
//! ```text
//! state.next[i] = x;    becomes    var whole = state.next; whole[i] = x; state.next = whole;
//! ```
//!
//! Only variables of one invocation change: buffers and workgroup memory are addressed in another way.

use anywarp_backend::{for_each_block_mut, statements};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, Block, Expression, Function, Handle, LocalVariable, Module, Range, Span, Statement, Type, TypeInner,
};

use crate::pointers::copy;

/// Replaces stores to elements of arrays in structs by stores to copies of the arrays. Returns `None` if there are no
/// such stores.
#[must_use]
pub fn to_whole_arrays(module: &Module, info: &ModuleInfo) -> Option<Module> {
    let functions = module.functions.iter().map(|(handle, function)| Stores::of(module, function, &info[handle]));
    let functions: Vec<Stores> = functions.collect();
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(at, entry)| Stores::of(module, &entry.function, info.get_entry_point(at)));
    let entries: Vec<Stores> = entries.collect();
    if functions.iter().chain(&entries).all(|stores| stores.0.is_empty()) {
        return None;
    }
    let mut made = module.clone();
    for ((_, function), stores) in made.functions.iter_mut().zip(&functions) {
        stores.replace_in(function);
    }
    for (entry, stores) in made.entry_points.iter_mut().zip(&entries) {
        stores.replace_in(&mut entry.function);
    }
    Some(made)
}

/// The pointers of a function's stores that are to be replaced.
struct Stores(Vec<Path>);

/// A pointer, as the expressions from its variable to itself.
struct Path {
    steps: Vec<Handle<Expression>>,
    /// The positions of the arrays to copy, and their types.
    arrays: Vec<(usize, Handle<Type>)>,
}

impl Stores {
    fn of(module: &Module, function: &Function, info: &FunctionInfo) -> Self {
        let pointers = statements(&function.body).filter_map(|(statement, _)| match statement {
            Statement::Store { pointer, .. } => Some(*pointer),
            _ => None,
        });
        Self(pointers.filter_map(|pointer| Path::of(module, function, info, pointer)).collect())
    }

    fn replace_in(&self, function: &mut Function) {
        if !self.0.is_empty() {
            let mut body = std::mem::take(&mut function.body);
            self.rewrite(&mut body, function);
            function.body = body;
        }
    }

    /// Rewrites a block of `function`, whose body is elsewhere meanwhile.
    fn rewrite(&self, block: &mut Block, function: &mut Function) {
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            for_each_block_mut(&mut statement, |inner| self.rewrite(inner, function));
            let path = match &statement {
                Statement::Store { pointer, .. } => self.0.iter().find(|path| path.steps.last() == Some(pointer)),
                _ => None,
            };
            let mut after = Block::new();
            if let (Some(path), Statement::Store { pointer, .. }) = (path, &mut statement) {
                *pointer = path.redirect(function, block, &mut after, span);
            }
            block.push(statement, span);
            block.append(&mut after);
        }
    }
}

impl Path {
    /// The path of a pointer, if it leads to an element of an array in a struct, in a variable of one invocation.
    fn of(module: &Module, function: &Function, info: &FunctionInfo, pointer: Handle<Expression>) -> Option<Self> {
        let pointee = |at: Handle<Expression>| match *info[at].ty.inner_with(&module.types) {
            TypeInner::Pointer { base, space: AddressSpace::Function | AddressSpace::Private } => Some(base),
            _ => None,
        };
        let mut steps = vec![pointer];
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } =
            function.expressions[*steps.last()?]
        {
            steps.push(base);
        }
        steps.reverse();
        let mut arrays = Vec::new();
        let mut is_member = false;
        for (at, pair) in steps.windows(2).enumerate() {
            let ty = pointee(pair[0])?;
            match (&module.types[ty].inner, &function.expressions[pair[1]]) {
                (TypeInner::Struct { .. }, _) => is_member = true,
                (TypeInner::Array { .. }, Expression::Access { .. }) if is_member => {
                    arrays.push((at, ty));
                    // Further steps start from the copy.
                    is_member = false;
                }
                _ => {}
            }
        }
        (!arrays.is_empty()).then_some(Self { steps, arrays })
    }

    /// Copies the arrays before the store, and back `after` it. Returns the pointer to the element of the copy.
    fn redirect(
        &self,
        function: &mut Function,
        before: &mut Block,
        after: &mut Block,
        span: Span,
    ) -> Handle<Expression> {
        let mut back = Vec::new();
        let mut pointer = self.steps[0];
        for (at, pair) in self.steps.windows(2).enumerate() {
            if let Some((_, ty)) = self.arrays.iter().find(|(position, _)| *position == at) {
                let variable = LocalVariable { name: Some("whole".to_owned()), ty: *ty, init: None };
                let variable = function.local_variables.append(variable, Span::UNDEFINED);
                let whole = function.expressions.append(Expression::LocalVariable(variable), span);
                copy(function, pointer, whole, before, span);
                back.push((whole, pointer));
                pointer = whole;
            }
            if back.is_empty() {
                pointer = pair[1];
                continue;
            }
            let mut step = function.expressions[pair[1]].clone();
            if let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } = &mut step {
                *base = pointer;
            }
            pointer = function.expressions.append(step, span);
            before.push(Statement::Emit(Range::new_from_bounds(pointer, pointer)), span);
        }
        for (whole, array) in back.into_iter().rev() {
            copy(function, whole, array, after, span);
        }
        pointer
    }
}
