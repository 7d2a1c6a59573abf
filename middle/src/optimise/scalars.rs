//! Scalar replacement: arrays and structs of a function that are accessed only with constant indices are replaced by
//! variables, one for each element.

use anywarp_backend::statements;
use naga::{Arena, ArraySize, Expression, Function, Handle, LocalVariable, Module, Span, Statement, Type, TypeInner};
use rustc_hash::FxHashMap;

use super::memory::escaped;
use super::rewrite::Rewriter;
use crate::rebuild::prune::local_of;
use crate::rebuild::writer::Writer;

/// The largest number of elements of a variable that is replaced by one new variable for each element.
const MAX_PARTS: usize = 256;

/// The largest number of new variables that replace the split variables of a function.
const MAX_PARTS_OF_FUNCTION: usize = 1_024;

/// The largest number of elements of a variable that is split although the function loads or stores it as a whole.
const MAX_PARTS_LOADED: usize = 16;

/// The part of a split variable that a pointer of the old function points to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// An element that one new variable replaces, with the number of that variable.
    Leaf(usize),
    /// An array or a struct, which is replaced by `count` variables.
    Part { first: usize, count: usize, ty: Handle<Type> },
}

/// The variables of a function that are replaced by one new variable for each element.
#[derive(Default)]
pub(super) struct Splits {
    /// By expression of the old function: the part of a split variable that the expression points to, if it is such a
    /// pointer.
    places: Vec<Option<Place>>,
    leaves: Vec<Leaf>,
}

struct Leaf {
    name: Option<String>,
    ty: Handle<Type>,
    /// The initial value, as an expression of the old function.
    init: Option<Handle<Expression>>,
    span: Span,
}

impl Splits {
    /// The part of a split variable that a pointer of the old function points to; `None` if the pointer points
    /// elsewhere.
    pub(super) fn place(&self, pointer: Handle<Expression>) -> Option<Place> {
        self.places.get(pointer.index()).copied().flatten()
    }

    /// Whether no variable of the function is split.
    pub(super) fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// Declares the new variables that replace the split variables.
    pub(super) fn declare(&self, source: &Function, writer: &mut Writer) -> Vec<Handle<LocalVariable>> {
        let mut copied = FxHashMap::default();
        let mut declare = |leaf: &Leaf| {
            let init = leaf.init.map(|init| writer.constant(source, init, &mut copied));
            let local = LocalVariable { name: leaf.name.clone(), ty: leaf.ty, init };
            writer.function.local_variables.append(local, leaf.span)
        };
        self.leaves.iter().map(&mut declare).collect()
    }
}

/// Finds the variables that can be split.
pub(super) fn find(module: &Module, function: &Function) -> Splits {
    let mut sizes: Vec<Option<usize>> = function
        .local_variables
        .iter()
        .map(|(_, local)| {
            let initial = |init| is_composed(module, &function.expressions, init);
            let possible = aggregate(module, local.ty) && local.init.is_none_or(initial);
            if possible { leaves_of(module, local.ty, MAX_PARTS) } else { None }
        })
        .collect();
    if sizes.iter().all(Option::is_none) {
        return Splits::default();
    }
    for (size, escaped) in sizes.iter_mut().zip(escaped(function)) {
        *size = size.filter(|_| !escaped);
    }
    // The first pass over the expressions finds the variables that can be split. It numbers the new variables of each
    // split variable from 0.
    let mut places: Vec<Option<Place>> = Vec::with_capacity(function.expressions.len());
    for (handle, expression) in function.expressions.iter() {
        let place = place(module, function, &sizes, &places, expression);
        if place.is_none() {
            let beyond = match *expression {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => part(&places, base).is_some(),
                Expression::Load { pointer } => part(&places, pointer).is_some_and(|count| count > MAX_PARTS_LOADED),
                _ => false,
            };
            if beyond && let Some(local) = root(function, handle) {
                sizes[local.index()] = None;
            }
        }
        places.push(place);
    }
    for (statement, _) in statements(&function.body) {
        if let Statement::Store { pointer, value } = *statement
            && let Some(count) = part(&places, pointer)
            && count > MAX_PARTS_LOADED
            && !is_composed(module, &function.expressions, value)
            && let Some(local) = root(function, pointer)
        {
            sizes[local.index()] = None;
        }
    }
    let mut splits = Splits::default();
    let mut starts = vec![None; sizes.len()];
    for (handle, local) in function.local_variables.iter() {
        if let Some(count) = sizes[handle.index()]
            && splits.leaves.len() + count <= MAX_PARTS_OF_FUNCTION
        {
            starts[handle.index()] = Some(splits.leaves.len());
            let name = local.name.clone().unwrap_or_default();
            let span = function.local_variables.get_span(handle);
            describe(module, function, local.ty, local.init, &name, span, &mut splits.leaves);
        }
    }
    if splits.is_empty() {
        return splits;
    }
    splits.places = places
        .into_iter()
        .zip(function.expressions.iter())
        .map(|(place, (handle, _))| {
            let start = starts[root(function, handle)?.index()]?;
            Some(match place? {
                Place::Leaf(leaf) => Place::Leaf(start + leaf),
                Place::Part { first, count, ty } => Place::Part { first: start + first, count, ty },
            })
        })
        .collect();
    splits
}

/// The number of variables that replace a value of a type; `None` if there are more than `most`.
fn leaves_of(module: &Module, ty: Handle<Type>, most: usize) -> Option<usize> {
    let count = match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(size), .. } => {
            leaves_of(module, *base, most)?.checked_mul(usize::try_from(size.get()).ok()?)?
        }
        TypeInner::Struct { members, .. } => {
            members.iter().try_fold(0usize, |sum, member| Some(sum + leaves_of(module, member.ty, most)?))?
        }
        TypeInner::Scalar(_)
        | TypeInner::Vector { .. }
        | TypeInner::Matrix { .. }
        | TypeInner::CooperativeMatrix { .. } => 1,
        _ => return None,
    };
    (count > 0 && count <= most).then_some(count)
}

/// Whether a type is an array or a struct.
fn aggregate(module: &Module, ty: Handle<Type>) -> bool {
    matches!(module.types[ty].inner, TypeInner::Array { .. } | TypeInner::Struct { .. })
}

/// The element of an array or a struct at an index: the number of new variables that replace the elements before it,
/// and its type.
fn element(module: &Module, ty: Handle<Type>, index: u32) -> Option<(usize, Handle<Type>)> {
    let at = usize::try_from(index).ok()?;
    match &module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(size), .. } if index < size.get() => {
            Some((at * leaves_of(module, *base, MAX_PARTS)?, *base))
        }
        TypeInner::Struct { members, .. } => {
            let before = members.get(..at)?.iter().map(|member| leaves_of(module, member.ty, MAX_PARTS));
            Some((before.sum::<Option<usize>>()?, members.get(at)?.ty))
        }
        _ => None,
    }
}

/// The number of elements of an array or a struct.
fn elements(module: &Module, ty: Handle<Type>) -> u32 {
    match &module.types[ty].inner {
        TypeInner::Array { size: ArraySize::Constant(size), .. } => size.get(),
        TypeInner::Struct { members, .. } => u32::try_from(members.len()).unwrap_or(0),
        _ => 0,
    }
}

fn place(
    module: &Module,
    function: &Function,
    sizes: &[Option<usize>],
    places: &[Option<Place>],
    expression: &Expression,
) -> Option<Place> {
    match *expression {
        Expression::LocalVariable(local) => {
            let count = sizes[local.index()]?;
            Some(Place::Part { first: 0, count, ty: function.local_variables[local].ty })
        }
        Expression::AccessIndex { base, index } => {
            let Some(Place::Part { first, ty, .. }) = places[base.index()] else { return None };
            let (before, ty) = element(module, ty, index)?;
            let first = first + before;
            if aggregate(module, ty) {
                Some(Place::Part { first, count: leaves_of(module, ty, MAX_PARTS)?, ty })
            } else {
                Some(Place::Leaf(first))
            }
        }
        _ => None,
    }
}

fn part(places: &[Option<Place>], pointer: Handle<Expression>) -> Option<usize> {
    match places[pointer.index()] {
        Some(Place::Part { count, .. }) => Some(count),
        _ => None,
    }
}

fn root(function: &Function, handle: Handle<Expression>) -> Option<Handle<LocalVariable>> {
    match function.expressions[handle] {
        Expression::Load { pointer } => local_of(&function.expressions, pointer),
        _ => local_of(&function.expressions, handle),
    }
}

/// Whether each element of a value exists as an expression.
fn is_composed(module: &Module, expressions: &Arena<Expression>, value: Handle<Expression>) -> bool {
    match &expressions[value] {
        Expression::ZeroValue(_) => true,
        Expression::Compose { ty, components } => {
            !aggregate(module, *ty)
                || components.iter().all(|component| match &expressions[*component] {
                    Expression::Compose { .. } => is_composed(module, expressions, *component),
                    // Any other expression has no expressions for its elements, so it must be neither an array nor a
                    // struct.
                    _ => match &module.types[*ty].inner {
                        TypeInner::Array { base, .. } => {
                            !aggregate(module, *base) || matches!(expressions[*component], Expression::ZeroValue(_))
                        }
                        TypeInner::Struct { members, .. } => {
                            members.iter().all(|member| !aggregate(module, member.ty))
                                || matches!(expressions[*component], Expression::ZeroValue(_))
                        }
                        _ => true,
                    },
                })
        }
        _ => false,
    }
}

/// Appends the variables that replace a variable of a type.
fn describe(
    module: &Module,
    function: &Function,
    ty: Handle<Type>,
    init: Option<Handle<Expression>>,
    name: &str,
    span: Span,
    leaves: &mut Vec<Leaf>,
) {
    if !aggregate(module, ty) {
        leaves.push(Leaf { name: (!name.is_empty()).then(|| name.to_owned()), ty, init, span });
        return;
    }
    for index in 0..elements(module, ty) {
        let Some((_, element)) = element(module, ty, index) else { continue };
        let init = match init.map(|init| &function.expressions[init]) {
            Some(Expression::Compose { components, .. }) => components.get(index as usize).copied(),
            _ => None,
        };
        let part = match &module.types[ty].inner {
            TypeInner::Struct { members, .. } => members[index as usize].name.clone(),
            _ => None,
        };
        let part = part.unwrap_or_else(|| index.to_string());
        describe(module, function, element, init, &format!("{name}_{part}"), span, leaves);
    }
}

impl Rewriter<'_> {
    /// Appends the elements of a value of the old function, in the order of the variables that replace a variable of
    /// its type. `None` stands for an element that is zero.
    pub(super) fn take_apart(
        &mut self,
        value: Handle<Expression>,
        ty: Handle<Type>,
        values: &mut Vec<Option<Handle<Expression>>>,
    ) {
        match &self.source.expressions[value] {
            Expression::ZeroValue(_) => {
                let count = leaves_of(self.module, ty, MAX_PARTS).unwrap_or(0);
                values.extend(std::iter::repeat_n(None, count));
            }
            Expression::Compose { components, .. } if aggregate(self.module, ty) => {
                for (index, component) in (0..).zip(components) {
                    let Some((_, ty)) = element(self.module, ty, index) else { continue };
                    self.take_apart(*component, ty, values);
                }
            }
            _ => {
                let span = self.source.expressions.get_span(value);
                let value = self.value(value);
                self.elements_of(value, ty, span, values);
            }
        }
    }

    /// Appends the elements of a value of the new function, in the order of the variables that replace a variable of
    /// its type.
    fn elements_of(
        &mut self,
        value: Handle<Expression>,
        ty: Handle<Type>,
        span: Span,
        values: &mut Vec<Option<Handle<Expression>>>,
    ) {
        if !aggregate(self.module, ty) {
            values.push(Some(value));
            return;
        }
        for index in 0..elements(self.module, ty) {
            let Some((_, ty)) = element(self.module, ty, index) else { continue };
            let element = self.component(value, index, span);
            self.elements_of(element, ty, span, values);
        }
    }

    /// The whole value of an array or a struct that was split.
    pub(super) fn put_together(&mut self, first: usize, ty: Handle<Type>, span: Span) -> Handle<Expression> {
        if !aggregate(self.module, ty) {
            let local = self.leaves[first];
            if let Some(value) = self.memory.get(local, &self.scopes) {
                return value;
            }
            let pointer = self.free(Expression::LocalVariable(local), span);
            let value = self.evaluate(Expression::Load { pointer }, span);
            self.memory.set(local, Some(value));
            return value;
        }
        let mut components = Vec::new();
        for index in 0..elements(self.module, ty) {
            if let Some((before, ty)) = element(self.module, ty, index) {
                components.push(self.put_together(first + before, ty, span));
            }
        }
        self.evaluate(Expression::Compose { ty, components }, span)
    }
}
