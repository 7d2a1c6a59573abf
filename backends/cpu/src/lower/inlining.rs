//! Decides, before lowering, which functions are not inlined.
//!
//! Inlined code is faster, because its arguments are known, and whether they are uniform. But nested functions with
//! many calls each make a huge program of a short text. If a kernel would become too long, the functions that save most
//! code are therefore not inlined.

use anywarp_backend::statements;
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Barrier, Block, Expression, Function, Handle, Statement, TypeInner};

use super::shape::Shape;
use super::types::Types;

/// The estimated lengths of code that decide about inlining.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The number of estimated instructions of a kernel up to which everything is inlined.
    pub(crate) kernel: u64,
    /// The number of estimated instructions of a function below which it is always inlined, because a call would cost
    /// more than it saves.
    pub(crate) function: u64,
}

impl Budget {
    /// The budget of kernels that are run.
    pub(crate) const USUAL: Self = Self { kernel: 30_000, function: 100 };

    /// The budget with which no function is inlined, unless it must be.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { kernel: 0, function: 0 };
}

/// The size of a function, and the calls that add to it.
struct Size {
    /// The number of estimated instructions without those of callees.
    own: u64,
    /// The functions that it calls, one entry per call.
    calls: Vec<usize>,
    /// Whether it must be inlined.
    whole: bool,
}

/// The functions of a module that are not inlined.
#[derive(Debug)]
pub(super) struct Inlining {
    /// By function: whether it is not inlined.
    apart: Vec<bool>,
    /// By function: whether it is not inlined, or is called by a function that is not inlined.
    within: Vec<bool>,
}

impl Inlining {
    /// Decides which functions are not inlined into an entry point.
    pub(super) fn new(
        module: &naga::Module,
        info: &ModuleInfo,
        types: &Types<'_>,
        entry: (&Function, &FunctionInfo),
        budget: Budget,
    ) -> Self {
        let mut sizes: Vec<Size> = Vec::with_capacity(module.functions.len() + 1);
        for (handle, function) in module.functions.iter() {
            let size = Size::of(module, types, function, &info[handle], &sizes);
            sizes.push(size);
        }
        sizes.push(Size::of(module, types, entry.0, entry.1, &sizes));
        let mut apart = vec![false; sizes.len()];
        loop {
            let totals = totals(&sizes, &apart);
            let copies = copies(&sizes, &apart);
            let whole = (0..sizes.len())
                .filter(|at| apart[*at] && copies[*at] > 0 || at + 1 == sizes.len())
                .fold(0u64, |sum, at| sum.saturating_add(totals[at]));
            if whole <= budget.kernel {
                break;
            }
            let saved = |at: usize| totals[at].saturating_mul(copies[at].saturating_sub(1));
            let candidates = (0..sizes.len() - 1).filter(|at| {
                let worthwhile = totals[*at] >= budget.function && saved(*at) > 0 || budget.function == 0;
                worthwhile && !apart[*at] && !sizes[*at].whole
            });
            let Some(best) = candidates.max_by_key(|at| (saved(*at), totals[*at])) else { break };
            apart[best] = true;
        }
        let mut within = apart.clone();
        for (at, size) in sizes.iter().enumerate().rev() {
            if within[at] {
                size.calls.iter().for_each(|callee| within[*callee] = true);
            }
        }
        Self { apart, within }
    }

    /// Whether a function is not inlined.
    pub(super) fn is_apart(&self, function: Handle<Function>) -> bool {
        self.apart.get(function.index()).copied().unwrap_or(false)
    }

    /// Whether the code of a function may be part of a function that is not inlined, or is one itself.
    pub(super) fn is_within(&self, function: usize) -> bool {
        self.within.get(function).copied().unwrap_or(false)
    }

    /// Whether any function is not inlined.
    pub(super) fn any(&self) -> bool {
        self.apart.contains(&true)
    }
}

/// The size of each function, including the functions inlined into it; callees precede callers.
fn totals(sizes: &[Size], apart: &[bool]) -> Vec<u64> {
    let mut totals: Vec<u64> = Vec::with_capacity(sizes.len());
    for size in sizes {
        let calls = size.calls.iter().filter(|callee| !apart[**callee]);
        totals.push(calls.fold(size.own, |sum, callee| sum.saturating_add(totals[*callee])));
    }
    totals
}

/// The number of copies of each function's code in the kernel. For a function that is not inlined, the function itself
/// counts too. The last entry is the entry point.
fn copies(sizes: &[Size], apart: &[bool]) -> Vec<u64> {
    let mut copies = vec![0u64; sizes.len()];
    copies[sizes.len() - 1] = 1;
    for (at, size) in sizes.iter().enumerate().rev() {
        if apart[at] {
            copies[at] = copies[at].min(1);
        }
        for callee in &size.calls {
            copies[*callee] = copies[*callee].saturating_add(copies[at]);
        }
    }
    copies
}

impl Size {
    fn of(module: &naga::Module, types: &Types<'_>, function: &Function, info: &FunctionInfo, known: &[Self]) -> Self {
        let mut size = Self { own: 1, calls: Vec::new(), whole: false };
        for (handle, expression) in function.expressions.iter() {
            let scalars = || {
                let shape = types.resolved(&info[handle].ty);
                shape.map_or(1, |shape| u64::from(types.count(shape).clamp(1, super::memory::MAX_SCALARS)))
            };
            size.own += match expression {
                Expression::Literal(_)
                | Expression::Constant(_)
                | Expression::ZeroValue(_)
                | Expression::FunctionArgument(_)
                | Expression::GlobalVariable(_)
                | Expression::LocalVariable(_)
                | Expression::AccessIndex { .. }
                | Expression::Compose { .. }
                | Expression::Splat { .. }
                | Expression::Swizzle { .. } => 0,
                Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                    size.whole = true;
                    1
                }
                Expression::Math { .. } => 4 * scalars(),
                _ => scalars(),
            };
        }
        let cooperative = |ty: Handle<naga::Type>| matches!(types.of(ty), Ok(Shape::Cooperative { .. }));
        size.whole |= function.arguments.iter().any(|argument| match module.types[argument.ty].inner {
            TypeInner::Pointer { base, .. } => cooperative(base),
            _ => cooperative(argument.ty),
        });
        size.whole |= function.result.as_ref().is_some_and(|result| cooperative(result.ty));
        size.statements(&function.body);
        size.whole |= size.calls.iter().any(|callee| known.get(*callee).is_some_and(|callee| callee.whole));
        size
    }

    fn statements(&mut self, body: &Block) {
        for (statement, _) in statements(body) {
            self.own += 2;
            match statement {
                Statement::Call { function, arguments, .. } => {
                    self.own += 2 * arguments.len() as u64;
                    self.calls.push(function.index());
                }
                // At a barrier a lane group leaves the code and resumes later, which is not possible inside a machine
                // call.
                Statement::ControlBarrier(barrier) => self.whole |= *barrier != Barrier::SUB_GROUP,
                Statement::WorkGroupUniformLoad { .. } | Statement::CooperativeStore { .. } => self.whole = true,
                _ => {}
            }
        }
    }
}
