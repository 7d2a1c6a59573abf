//! Positions of the source, and the reports of a checked or observed kernel about its accesses.

use std::rc::Rc;

use anywarp_backend::statements;
use naga::{Expression, Function, Handle, LocalVariable, ScalarKind, Span, Statement, TypeInner};
use rustc_hash::FxHashSet;

use super::error::Result;
use super::kernel::{Frame, Lowering};
use super::pointer::{Pointer, Root};
use super::shape::{Rule, Shape};
use super::value::Data;
use crate::ir::{
    Access, BinaryOp, CheckKind, Class, CompareOp, Count, Index, MAX_INDICES, Range, Reach, Site, SiteId, Space, Stmt,
    Value, Var,
};

/// The properties of a pointer that the checker needs. Pointers have them only in checked kernels, and only if they
/// point to a variable of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tracking {
    /// The name of the variable with the members of the path, such as `params.values`.
    pub(super) path: Rc<str>,
    /// Whether invocations may race for the pointee.
    pub(super) races: bool,
    /// For a variable in memory: whether it must be written before it is read.
    pub(super) starts_unwritten: bool,
    /// For a variable in registers that must be written first: booleans, whether each register has been written.
    pub(super) shadow: Option<Rc<[Var]>>,
    /// A bit for each dynamic index, set if the index is a signed integer.
    pub(super) signed: u32,
    /// The last constant index into an array in the path.
    pub(super) constant: Option<u32>,
}

impl Tracking {
    /// The properties of a pointer to a variable.
    pub(super) fn of(name: Option<&str>) -> Self {
        let path = Rc::from(name.unwrap_or(""));
        Self { path, races: false, starts_unwritten: false, shadow: None, signed: 0, constant: None }
    }

    /// The properties of a pointer to a member.
    pub(super) fn member(&self, name: Option<&str>) -> Self {
        let path = name.map_or_else(|| Rc::clone(&self.path), |name| format!("{}.{name}", self.path).into());
        Self { path, ..self.clone() }
    }

    /// Changes `self` from the properties of a pointer to an array to those of a pointer to its element at the constant
    /// `index`.
    pub(super) fn at(&mut self, index: u64) {
        self.constant = u32::try_from(index).ok();
    }
}

impl<'a> Lowering<'a> {
    /// Adds a position of the source; `variable` is the variable that is accessed there, if any.
    pub(super) fn site(&mut self, span: Span, variable: &str) -> SiteId {
        self.b.site(Site { span, variable: variable.to_owned() })
    }

    /// Adds a report about the expression or statement that is being lowered.
    pub(super) fn report(&mut self, kind: CheckKind, variable: &str, operands: Vec<Value>) {
        if self.wants(&kind) && !self.b.ended() {
            let site = self.site(self.here, variable);
            self.b.check(kind, site, operands);
        }
    }

    /// Whether kernels of this mode make such reports.
    fn wants(&self, kind: &CheckKind) -> bool {
        match kind {
            CheckKind::Bounds(_) | CheckKind::Divisor | CheckKind::Written | CheckKind::Arrival(_) => self.checked,
            CheckKind::Access(_) | CheckKind::Iteration => self.checked || self.observed,
            CheckKind::Branch | CheckKind::Loop | CheckKind::Segment(_) => self.observed,
        }
    }

    /// Marks a variable as one that was declared without an initial value, so that a read before any write is reported.
    pub(super) fn must_be_written(&mut self, pointer: &mut Pointer, name: Option<&str>, span: Span) {
        self.here = span;
        let mut tracking = Tracking::of(name);
        if let Root::Registers(vars) = &pointer.root {
            let shadow: Vec<Var> = vars.iter().map(|_| self.b.var(Class::Bool)).collect();
            tracking.shadow = Some(shadow.into());
        } else {
            tracking.starts_unwritten = true;
        }
        pointer.tracking = Some(tracking);
        self.forget(pointer, true);
    }

    /// Marks a variable as unwritten at its declaration; `first` is false if the declaration runs again in a loop.
    pub(super) fn forget(&mut self, pointer: &Pointer, first: bool) {
        let Some(tracking) = &pointer.tracking else { return };
        if let Some(shadow) = tracking.shadow.clone() {
            let no = self.b.bool(false);
            for var in shadow.iter() {
                self.b.push(if first { Stmt::Declare(*var, no) } else { Stmt::Write(*var, no) });
            }
        } else if tracking.starts_unwritten {
            let bytes = self.types.size(pointer.shape, Rule::Private);
            self.report_access(&tracking.clone(), Space::Private, &[], vec![(pointer.offset, bytes)], Access::Forget);
        }
    }

    /// Reports an access to the whole pointee; must be called before the read or write is appended.
    pub(super) fn tell_access(&mut self, to: &Pointer, access: Access) -> Result<()> {
        let Some(tracking) = to.tracking.clone() else { return Ok(()) };
        match &to.root {
            Root::Registers(_) => {
                for (position, index) in to.indices.iter().enumerate() {
                    self.report_index(index.value, index.count, tracking.signed >> position & 1 == 1, &tracking.path);
                }
                let Some(shadow) = tracking.shadow else { return Ok(()) };
                if access.writes() {
                    let yes = vec![self.b.bool(true); self.types.count(to.shape) as usize];
                    self.write_registers(&shadow, to, &yes);
                    return Ok(());
                }
                let written = self.read_registers(&shadow, to)?;
                if let Some(all) = written.into_iter().reduce(|a, b| self.b.binary(BinaryOp::And, a, b)) {
                    self.report(CheckKind::Written, &tracking.path, vec![all]);
                }
            }
            Root::Memory(space) => {
                let rule = to.root.rule();
                let mut pieces: Vec<(u32, u32)> = Vec::new();
                for run in self.types.runs(to.shape, rule)? {
                    let scalar = if rule == Rule::Private { run.ty.class().bytes() } else { run.ty.bytes() };
                    let (start, bytes) = (to.offset + run.offset, u32::from(run.count) * scalar);
                    match pieces.last_mut().filter(|last| last.0 + last.1 == start) {
                        Some(last) => last.1 += bytes,
                        None => pieces.push((start, bytes)),
                    }
                }
                self.report_access(&tracking, *space, &to.indices, pieces, access);
            }
        }
        Ok(())
    }

    /// Reports an access to pieces of memory, each given by its offset and length in bytes.
    pub(super) fn report_access(
        &mut self,
        tracking: &Tracking,
        space: Space,
        indices: &[Index],
        pieces: Vec<(u32, u32)>,
        access: Access,
    ) {
        let based = indices.first().is_some_and(Index::is_base);
        let idle = indices.len() == usize::from(based) && !tracking.races && !tracking.starts_unwritten;
        if idle && self.checked || indices.len() > MAX_INDICES {
            return;
        }
        let ranges = indices.iter().enumerate().map(|(position, index)| {
            (index.stride, Range { count: index.count, signed: tracking.signed >> position & 1 == 1 })
        });
        let reach = Reach {
            space,
            pieces,
            indices: ranges.collect(),
            based,
            constant: tracking.constant,
            access,
            races: tracking.races,
            // Atomics may use the initial zero, because WGSL has no other way to initialise an atomic.
            starts_unwritten: tracking.starts_unwritten && !access.is_atomic(),
        };
        let values = indices.iter().map(|index| index.value).collect();
        self.report(CheckKind::Access(reach), &tracking.path, values);
    }

    fn report_index(&mut self, index: Value, count: Count, signed: bool, variable: &str) {
        if !matches!((self.b.known(index), count), (Some(known), Count::Fixed(count)) if known < u64::from(count)) {
            self.report(CheckKind::Bounds(Range { count, signed }), variable, vec![index]);
        }
    }

    /// Reports the dynamic index of an element of a value that is not in memory.
    pub(super) fn tell_choice(
        &mut self,
        frame: &Frame<'a>,
        base: Handle<Expression>,
        index: Handle<Expression>,
        shape: Shape,
        value: Value,
    ) {
        if !self.checked {
            return;
        }
        let count = self.types.elements(shape, Rule::Registers).and_then(|elements| elements.count).unwrap_or(1);
        let (signed, name) = (self.is_signed(frame, index), self.name_of(frame, base));
        let value = self.index_value(value);
        self.report_index(value, Count::Fixed(count), signed, &name);
    }

    /// Marks the last dynamic index of a pointer as signed if `index` is a signed integer. `before` is the number of
    /// dynamic indices before it.
    pub(super) fn sign_index(&self, frame: &Frame<'a>, index: Handle<Expression>, before: usize, to: &mut Pointer) {
        if before < 32
            && to.indices.len() > before
            && self.is_signed(frame, index)
            && let Some(tracking) = &mut to.tracking
        {
            tracking.signed |= 1 << before;
        }
    }

    /// Reports a divisor, if the operands are integers.
    pub(super) fn tell_divisor(&mut self, inner: &TypeInner, divisor: &[Value]) {
        let integer = inner.scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint));
        if !self.checked || !integer {
            return;
        }
        let mut any = None;
        for value in divisor
            .iter()
            .filter(|value| self.b.known(**value).is_none_or(|bits| bits == 0))
            .copied()
            .collect::<Vec<_>>()
        {
            let zero = self.b.zero(self.b.class(value));
            let equal = self.b.compare(CompareOp::Eq, value, zero);
            any = Some(any.map_or(equal, |any| self.b.binary(BinaryOp::Or, any, equal)));
        }
        if let Some(any) = any {
            self.report(CheckKind::Divisor, "", vec![any]);
        }
    }

    fn is_signed(&self, frame: &Frame<'a>, index: Handle<Expression>) -> bool {
        let scalar = frame.info[index].ty.inner_with(&self.module.types).scalar();
        scalar.is_some_and(|scalar| scalar.kind == ScalarKind::Sint)
    }

    /// The name of a value in the source, or of the variable that the value was read from; empty if there is none.
    fn name_of(&self, frame: &Frame<'a>, of: Handle<Expression>) -> String {
        if let Some(name) = frame.function.named_expressions.get(&of) {
            return name.clone();
        }
        match frame.function.expressions[of] {
            Expression::Constant(constant) => self.module.constants[constant].name.clone().unwrap_or_default(),
            Expression::FunctionArgument(index) => frame
                .function
                .arguments
                .get(index as usize)
                .and_then(|argument| argument.name.clone())
                .unwrap_or_default(),
            Expression::CallResult(function) => self.module.functions[function].name.clone().unwrap_or_default(),
            Expression::Access { base, .. } => self.name_of(frame, base),
            Expression::AccessIndex { base, index } => {
                let name = self.name_of(frame, base);
                let member = match frame.info[base].ty.inner_with(&self.module.types) {
                    TypeInner::Struct { members, .. } => members.get(index as usize).and_then(|m| m.name.as_deref()),
                    _ => None,
                };
                member.map_or_else(|| name.clone(), |member| format!("{name}.{member}"))
            }
            Expression::Load { pointer } => match &frame.values[pointer.index()] {
                Some(Data::Pointer(pointer)) => {
                    pointer.tracking.as_ref().map_or_else(String::new, |tracking| tracking.path.to_string())
                }
                _ => String::new(),
            },
            _ => String::new(),
        }
    }
}

/// The local variables with an initial value, in their declaration or in a store that naga's front end made of it.
pub(super) fn initialised(function: &Function) -> FxHashSet<Handle<LocalVariable>> {
    let mut found: FxHashSet<_> =
        function.local_variables.iter().filter(|(_, local)| local.init.is_some()).map(|(handle, _)| handle).collect();
    for (statement, span) in statements(&function.body) {
        if let Statement::Store { pointer, value } = statement
            && let Some(local) = declared(function, *pointer, span)
            && !without_value(function, *value, span)
        {
            found.insert(local);
        }
    }
    found
}

/// The local variable whose declaration a store at `span` is part of; `None` if the store is an assignment.
pub(super) fn declared(function: &Function, pointer: Handle<Expression>, span: Span) -> Option<Handle<LocalVariable>> {
    match function.expressions[pointer] {
        Expression::LocalVariable(local) => {
            let declaration = function.local_variables.get_span(local);
            (declaration.is_defined() && declaration == span).then_some(local)
        }
        _ => None,
    }
}

/// Whether the value of a store that is part of a declaration is the zero that stands for a missing initial value.
pub(super) fn without_value(function: &Function, value: Handle<Expression>, span: Span) -> bool {
    matches!(function.expressions[value], Expression::ZeroValue(_)) && function.expressions.get_span(value) == span
}
