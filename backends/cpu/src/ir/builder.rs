//! The builder of a [`Function`], which folds constants.

mod fold;

use rustc_hash::FxHashMap;

use super::{
    AtomicOp, BinaryOp, Check, CheckKind, CheckSpec, Class, CompareOp, Convert, Function, Input, Inst, Label, List,
    MemType, Place, Site, SiteId, Stmt, SubgroupOp, TernaryOp, UnaryOp, Value, Var,
};
use crate::math::LaneFunction;
use fold::{commutes, fold, neutral};

/// Appends instructions and statements to the innermost open list.
#[derive(Default)]
pub(crate) struct Builder {
    function: Function,
    open: Vec<List>,
    constants: FxHashMap<(Class, u64), Value>,
    inputs: FxHashMap<Input, Value>,
    /// Whether sums of products are fused: for processors that compute a product and a sum by one instruction.
    pub(crate) fused: bool,
}

impl Builder {
    /// Returns a builder for a kernel of this workgroup size. The list that is open first is the kernel's body.
    pub(crate) fn new(workgroup_size: [u32; 3]) -> Self {
        Self {
            function: Function { workgroup_size, ..Function::default() },
            open: vec![List::new()],
            ..Self::default()
        }
    }

    /// Sets whether sums of products are fused.
    pub(crate) fn fusing(self, fused: bool) -> Self {
        Self { fused, ..self }
    }

    /// Closes the body and returns the finished function.
    pub(crate) fn finish(mut self) -> Function {
        self.function.body = self.close();
        debug_assert!(self.open.is_empty(), "a list is still open");
        self.function
    }

    /// The function as built so far.
    pub(crate) fn function(&self) -> &Function {
        &self.function
    }

    /// The function as built so far, for changes of its sizes.
    pub(crate) fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The number of instructions so far, for the limit on a kernel's size.
    pub(crate) fn size(&self) -> usize {
        self.function.insts.len()
    }

    /// Opens a new list of statements within the current list.
    pub(crate) fn open(&mut self) {
        self.open.push(List::new());
    }

    /// Closes the innermost list and returns it; the caller makes it part of a statement.
    pub(crate) fn close(&mut self) -> List {
        self.open.pop().unwrap_or_default()
    }

    /// Whether the innermost open list has ended with an exit, so that no statement may follow.
    pub(crate) fn ended(&self) -> bool {
        matches!(self.open.last().and_then(|list| list.last()), Some(Stmt::Exit(_)))
    }

    /// Appends a statement to the innermost open list, unless an exit has ended the list.
    pub(crate) fn push(&mut self, statement: Stmt) {
        if self.ended() {
            return;
        }
        if matches!(statement, Stmt::Barrier(_)) {
            self.function.has_barrier = true;
        }
        if let Some(list) = self.open.last_mut() {
            list.push(statement);
        }
    }

    /// Creates a label.
    pub(crate) fn label(&mut self) -> Label {
        self.function.labels += 1;
        Label(self.function.labels - 1)
    }

    /// Creates a register variable.
    pub(crate) fn var(&mut self, class: Class) -> Var {
        self.function.vars.push(class);
        Var(u32::try_from(self.function.vars.len() - 1).unwrap_or(u32::MAX))
    }

    /// Adds a position of the source, and returns its id.
    pub(crate) fn site(&mut self, site: Site) -> SiteId {
        self.function.sites.push(site);
        SiteId(u32::try_from(self.function.sites.len() - 1).unwrap_or(u32::MAX))
    }

    /// Replaces this builder's sites and checks by those of another builder, whose numbering this builder continues.
    pub(crate) fn continue_reports(&mut self, other: &mut Self) {
        self.function.sites = std::mem::take(&mut other.function.sites);
        self.function.checks = std::mem::take(&mut other.function.checks);
    }

    /// Appends a statement that reports an operation to the checker.
    pub(crate) fn check(&mut self, kind: CheckKind, site: SiteId, operands: Vec<Value>) {
        let number = u32::try_from(self.function.checks.len()).unwrap_or(u32::MAX);
        self.function.checks.push(CheckSpec { kind, site, within: None });
        let group = self.input(Input::SubgroupId);
        self.push(Stmt::Check(Check { number, group, operands }));
    }

    fn new_value(&mut self, inst: Inst, class: Class) -> Value {
        let value = Value(u32::try_from(self.function.insts.len()).unwrap_or(u32::MAX));
        self.function.insts.push(inst);
        self.function.classes.push(class);
        value
    }

    fn emit(&mut self, inst: Inst, class: Class) -> Value {
        let value = self.new_value(inst, class);
        self.push(Stmt::Let(value));
        value
    }

    /// Returns a constant, which belongs to no list of statements.
    pub(crate) fn constant(&mut self, class: Class, bits: u64) -> Value {
        let bits = if class.bytes() == 4 { bits & 0xffff_ffff } else { bits };
        if let Some(value) = self.constants.get(&(class, bits)) {
            return *value;
        }
        let value = self.new_value(Inst::Const(class, bits), class);
        self.constants.insert((class, bits), value);
        value
    }

    /// An unsigned constant.
    pub(crate) fn u32(&mut self, value: u32) -> Value {
        self.constant(Class::I32, u64::from(value))
    }

    /// A signed constant.
    pub(crate) fn i32(&mut self, value: i32) -> Value {
        self.u32(value.cast_unsigned())
    }

    /// A float constant.
    pub(crate) fn f32(&mut self, value: f32) -> Value {
        self.constant(Class::F32, u64::from(value.to_bits()))
    }

    /// A double constant.
    pub(crate) fn f64(&mut self, value: f64) -> Value {
        self.constant(Class::F64, value.to_bits())
    }

    /// A constant of a float class; `value` is rounded if the class is `F32`.
    pub(crate) fn float(&mut self, class: Class, value: f64) -> Value {
        if class == Class::F64 { self.f64(value) } else { self.f32(value as f32) }
    }

    /// A boolean constant.
    pub(crate) fn bool(&mut self, value: bool) -> Value {
        self.constant(Class::Bool, u64::from(value))
    }

    /// The constant zero of a class.
    pub(crate) fn zero(&mut self, class: Class) -> Value {
        self.constant(class, 0)
    }

    /// The bits of a value that is a constant; `None` for other values.
    pub(crate) fn known(&self, value: Value) -> Option<u64> {
        match self.function.inst(value) {
            Inst::Const(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// The class of a value.
    pub(crate) fn class(&self, value: Value) -> Class {
        self.function.class(value)
    }

    /// Returns an input, which belongs to no list of statements.
    pub(crate) fn input(&mut self, input: Input) -> Value {
        if let Some(value) = self.inputs.get(&input) {
            return *value;
        }
        let value = self.new_value(Inst::Input(input), Class::I32);
        self.inputs.insert(input, value);
        value
    }

    /// Adds an argument to the function.
    pub(crate) fn argument(&mut self, class: Class) -> Value {
        let number = u32::try_from(self.function.arguments.len()).unwrap_or(u32::MAX);
        self.function.arguments.push(class);
        self.new_value(Inst::Argument(number), class)
    }

    /// Reads a variable.
    pub(crate) fn read(&mut self, var: Var) -> Value {
        let class = self.function.vars[var.0 as usize];
        self.emit(Inst::Read(var), class)
    }

    /// Appends an operation on one operand, and returns its result.
    pub(crate) fn unary(&mut self, op: UnaryOp, a: Value) -> Value {
        let class = self.class(a);
        if let Some(bits) = self.known(a) {
            match (op, class) {
                (UnaryOp::Not, Class::Bool) => return self.constant(class, bits ^ 1),
                (UnaryOp::Not, Class::I32 | Class::I64) => return self.constant(class, !bits),
                (UnaryOp::Neg, Class::I32 | Class::I64) => return self.constant(class, bits.wrapping_neg()),
                _ => {}
            }
        }
        self.emit(Inst::Unary(op, a), class)
    }

    /// Appends an operation on two operands of one class, and returns its result.
    pub(crate) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let class = self.class(a);
        debug_assert_eq!(class, self.class(b), "{op:?}");
        let folded = match (self.known(a), self.known(b)) {
            (Some(x), Some(y)) => fold(op, class, x, y),
            (None, Some(y)) if neutral(op, class, y) => return a,
            (Some(x), None) if commutes(op) && neutral(op, class, x) => return b,
            _ => None,
        };
        match folded {
            Some(bits) => self.constant(class, bits),
            None => self.emit(Inst::Binary(op, a, b), class),
        }
    }

    /// Appends an operation on three operands of one class, and returns its result.
    pub(crate) fn ternary(&mut self, op: TernaryOp, a: Value, b: Value, c: Value) -> Value {
        let class = self.class(a);
        self.emit(Inst::Ternary(op, a, b, c), class)
    }

    /// Appends a comparison of two values of one class, and returns its result.
    pub(crate) fn compare(&mut self, op: CompareOp, a: Value, b: Value) -> Value {
        debug_assert_eq!(self.class(a), self.class(b), "{op:?}");
        self.emit(Inst::Compare(op, a, b), Class::Bool)
    }

    /// Selects `accept` where `condition` is true, otherwise `reject`.
    pub(crate) fn select(&mut self, condition: Value, accept: Value, reject: Value) -> Value {
        debug_assert_eq!(self.class(accept), self.class(reject));
        match self.known(condition) {
            Some(0) => reject,
            Some(_) => accept,
            None if accept == reject => accept,
            None => {
                let class = self.class(accept);
                self.emit(Inst::Select(condition, accept, reject), class)
            }
        }
    }

    /// Appends a conversion, and returns its result.
    pub(crate) fn convert(&mut self, convert: Convert, a: Value) -> Value {
        let (from, to) = convert.classes();
        debug_assert_eq!(from, self.class(a), "{convert:?}");
        match (convert, self.known(a)) {
            (
                Convert::BoolToI32
                | Convert::I32ToI64U
                | Convert::I64ToI32
                | Convert::BitsI32ToF32
                | Convert::BitsF32ToI32
                | Convert::BitsI64ToF64
                | Convert::BitsF64ToI64,
                Some(bits),
            ) => self.constant(to, bits),
            (Convert::I32ToI64S, Some(bits)) => {
                self.constant(to, i64::from((bits as u32).cast_signed()).cast_unsigned())
            }
            _ => self.emit(Inst::Convert(convert, a), to),
        }
    }

    /// Appends a call of a function of [`crate::math`], and returns its result. Unary functions ignore `b`.
    pub(crate) fn call2(&mut self, function: LaneFunction, a: Value, b: Value) -> Value {
        let class = self.class(a);
        self.emit(Inst::Call(function, a, b), class)
    }

    /// Appends a load of `count` (1 to 4) consecutive scalars, and returns their values.
    pub(crate) fn load(&mut self, place: Place, ty: MemType, count: u8) -> Vec<Value> {
        let first = self.new_value(Inst::Load(place, ty, count), ty.class());
        let mut values = vec![first];
        for index in 1..count {
            values.push(self.new_value(Inst::Part { of: first, index }, ty.class()));
        }
        self.push(Stmt::Let(first));
        values
    }

    /// Appends an atomic operation, and returns the old value of the memory.
    pub(crate) fn atomic(
        &mut self,
        op: AtomicOp,
        place: Place,
        ty: MemType,
        value: Value,
        compare: Option<Value>,
    ) -> Value {
        self.emit(Inst::Atomic { op, place, ty, value, compare }, ty.class())
    }

    /// Appends an operation over the subgroup, and returns its result. `lane` is the second operand of a shuffle.
    pub(crate) fn subgroup(&mut self, op: SubgroupOp, value: Value, lane: Option<Value>) -> Value {
        let class = if op == SubgroupOp::Ballot { Class::I32 } else { self.class(value) };
        self.emit(Inst::Subgroup(op, value, lane), class)
    }
}
