//! The accesses and loops of a function that need a check.

use anywarp_backend::{FunctionProofs, loops, statements};
use naga::proc::IndexableLength;
use naga::valid::FunctionInfo;
use naga::{
    ArraySize, Block, Expression, Function, GlobalVariable, Handle, Literal, Module, Scalar, Statement, TypeInner,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The accesses and loops of a function that need a check.
pub(super) struct Plan {
    /// The accesses that may be out of range, by expression.
    accesses: Vec<Option<Access>>,
    /// The runtime-sized arrays whose last index the function has to compute.
    pub(super) places: Vec<Place>,
    /// By number of the loop: whether the loop is not proven to end.
    pub(super) endless: Vec<bool>,
    /// The results of those atomic operations whose index may be out of range.
    pub(super) results: FxHashSet<Handle<Expression>>,
    /// The atomic loads whose index may be out of range, each with the type of the loaded value.
    pub(super) loads: FxHashMap<Handle<Expression>, Scalar>,
}

/// An access that may be out of range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) base: Handle<Expression>,
    pub(super) index: Index,
    pub(super) last: Last,
}

/// The index of an access.
#[derive(Clone, Copy, Debug)]
pub(super) enum Index {
    /// A constant index.
    Known(u32),
    Value(Handle<Expression>, Scalar),
}

/// The last index that is in range for an access.
#[derive(Clone, Copy, Debug)]
pub(super) enum Last {
    Known(u32),
    /// The last index of the runtime-sized array with this index in [`Plan::places`].
    Of(usize),
}

/// The location of a runtime-sized array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) root: Root,
    /// The members on the path from the root to the array, the outermost first.
    pub(super) members: SmallVec<[u32; 2]>,
}

/// The variable or argument that contains a runtime-sized array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Global(Handle<GlobalVariable>),
    Argument(u32),
}

impl Plan {
    pub(super) fn new(module: &Module, function: &Function, info: &FunctionInfo, proofs: &FunctionProofs) -> Self {
        let mut places = Vec::new();
        let look = |(handle, expression)| {
            if proofs.in_range(handle) { None } else { doubtful(module, function, info, expression, &mut places) }
        };
        let mut plan = Self {
            accesses: function.expressions.iter().map(look).collect(),
            places,
            endless: (0..loops(function).len()).map(|number| !proofs.ends(number)).collect(),
            results: FxHashSet::default(),
            loads: FxHashMap::default(),
        };
        for (handle, expression) in function.expressions.iter() {
            if let Expression::Load { pointer } = *expression
                && let Some(scalar) = atomic(module, info, pointer)
                && !plan.unproven_in(function, pointer).is_empty()
            {
                plan.loads.insert(handle, scalar);
            }
        }
        for (pointer, result) in results(&function.body) {
            if !plan.unproven_in(function, pointer).is_empty() {
                plan.results.insert(result);
            }
        }
        plan
    }

    /// Whether the function needs no check.
    pub(super) fn is_empty(&self) -> bool {
        !self.endless.contains(&true) && self.accesses.iter().all(Option::is_none)
    }

    /// The access that an expression makes, if the access may be out of range.
    pub(super) fn access(&self, handle: Handle<Expression>) -> Option<&Access> {
        self.accesses[handle.index()].as_ref()
    }

    /// The accesses that compute a pointer and may be out of range, the last step of the pointer's path first.
    pub(super) fn unproven_in(
        &self,
        function: &Function,
        pointer: Handle<Expression>,
    ) -> SmallVec<[Handle<Expression>; 2]> {
        let mut found = SmallVec::new();
        let mut here = pointer;
        while let Expression::Access { base, .. } | Expression::AccessIndex { base, .. } = function.expressions[here] {
            if self.access(here).is_some() {
                found.push(here);
            }
            here = base;
        }
        found
    }
}

/// The type of the atomic that a pointer points to.
fn atomic(module: &Module, info: &FunctionInfo, pointer: Handle<Expression>) -> Option<Scalar> {
    let TypeInner::Pointer { base, .. } = *info[pointer].ty.inner_with(&module.types) else { return None };
    if let TypeInner::Atomic(scalar) = module.types[base].inner { Some(scalar) } else { None }
}

/// The access that an expression makes; `None` if the expression is no access, or its index is a constant in range.
fn doubtful(
    module: &Module,
    function: &Function,
    info: &FunctionInfo,
    expression: &Expression,
    places: &mut Vec<Place>,
) -> Option<Access> {
    let (base, index) = match *expression {
        Expression::Access { base, index } => {
            let index = match known(module, function, index) {
                Some(known) => Index::Known(known),
                None => Index::Value(index, info[index].ty.inner_with(&module.types).scalar()?),
            };
            (base, index)
        }
        Expression::AccessIndex { base, index } => (base, Index::Known(index)),
        _ => return None,
    };
    let count = count(module, info, base)?;
    let certain = match (index, count) {
        (Index::Known(index), Some(count)) => index < count,
        // A runtime-sized array has at least one element.
        (Index::Known(index), None) => index == 0,
        (Index::Value(..), _) => false,
    };
    if certain {
        return None;
    }
    let last = match count {
        Some(count) => Last::Known(count - 1),
        None => {
            let place = place(function, base)?;
            let known = places.iter().position(|known| *known == place);
            Last::Of(known.unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            }))
        }
    };
    Some(Access { base, index, last })
}

/// The value of a constant index.
fn known(module: &Module, function: &Function, index: Handle<Expression>) -> Option<u32> {
    let literal = match function.expressions[index] {
        Expression::Literal(literal) => literal,
        Expression::Constant(constant) => match module.global_expressions[module.constants[constant].init] {
            Expression::Literal(literal) => literal,
            _ => return None,
        },
        _ => return None,
    };
    match literal {
        Literal::U32(value) => Some(value),
        Literal::I32(value) => u32::try_from(value).ok(),
        Literal::U64(value) => u32::try_from(value).ok(),
        Literal::I64(value) => u32::try_from(value).ok(),
        _ => None,
    }
}

/// The number of elements of an indexed value: `Some(None)` for a runtime-sized array, `None` for a struct.
fn count(module: &Module, info: &FunctionInfo, base: Handle<Expression>) -> Option<Option<u32>> {
    let mut inner = info[base].ty.inner_with(&module.types);
    if let TypeInner::Pointer { base, .. } = *inner {
        inner = &module.types[base].inner;
    }
    match *inner {
        // No kernel contains a binding array, because reflection refuses variables of this type.
        TypeInner::BindingArray { .. } => return None,
        // An array whose length is an override has at least one element.
        TypeInner::Array { size: ArraySize::Pending(_), .. } if inner.indexable_length_resolved(module).is_err() => {
            return Some(Some(1));
        }
        _ => {}
    }
    match inner.indexable_length_resolved(module) {
        Ok(IndexableLength::Known(count)) => Some(Some(count)),
        Ok(IndexableLength::Dynamic) => Some(None),
        Err(_) => None,
    }
}

/// The location of the runtime-sized array that a pointer points to.
fn place(function: &Function, pointer: Handle<Expression>) -> Option<Place> {
    let mut members = SmallVec::new();
    let mut here = pointer;
    let root = loop {
        match function.expressions[here] {
            Expression::GlobalVariable(variable) => break Root::Global(variable),
            Expression::FunctionArgument(number) => break Root::Argument(number),
            Expression::AccessIndex { base, index } => {
                members.insert(0, index);
                here = base;
            }
            _ => return None,
        }
    };
    Some(Place { root, members })
}

/// The pointer and the result of each atomic that has a result.
fn results(block: &Block) -> impl Iterator<Item = (Handle<Expression>, Handle<Expression>)> {
    statements(block).filter_map(|(statement, _)| match *statement {
        Statement::Atomic { pointer, result: Some(result), .. } => Some((pointer, result)),
        _ => None,
    })
}
