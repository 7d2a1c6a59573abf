//! The state of generating one kernel, and the evaluation of instructions.

use cranelift_codegen::ir::{self as cl, InstBuilder, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use smallvec::SmallVec;

use super::analysis::{Facts, Form, Live, known_comparison, known_lanes};
use super::ops::{Calls, Emit, Parts, Target, part_count, scalar_type, vector_type};
use crate::abi::LANES;
use crate::ir::{BinaryOp, Class, Function, Input, Inst, SubgroupOp, Value, Var};

/// The number of vectors of a mask, or of a 32-bit value in all lanes.
pub(super) const MASKS: usize = LANES / 4;

/// A mask of lanes: all ones where a lane is active.
pub(super) type Mask = [cl::Value; MASKS];

/// The location of a value or variable at run time.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// None: it was not evaluated.
    Nowhere,
    /// Lane 0's value, for uniform and linear ones.
    Scalar(cl::Value),
    /// Vectors.
    Lanes(Parts),
    /// Cranelift variables, which survive barriers: one for a scalar, or one per vector.
    Kept(SmallVec<[Variable; 4]>),
}

/// Values that are constant for a whole call of the kernel, defined in its first block.
pub(super) struct Constants {
    /// Start and array length of each slot.
    pub(super) slots: Vec<(cl::Value, cl::Value)>,
    pub(super) frame: cl::Value,
    pub(super) immediates: cl::Value,
    pub(super) workgroup: cl::Value,
    pub(super) nowhere: cl::Value,
    pub(super) groups: [cl::Value; 3],
}

/// The state of generating one kernel.
pub(super) struct Generator<'a, 'f> {
    pub(super) function: &'a Function,
    pub(super) facts: &'a Facts,
    pub(super) live: &'a Live,
    pub(super) target: &'a Target,
    pub(super) b: FunctionBuilder<'f>,
    pub(super) calls: Calls,
    pub(super) constants: Constants,
    pub(super) values: Vec<Held>,
    pub(super) vars: Vec<Held>,
    /// By value: its likely linear form, see [`super::likely`].
    pub(super) likely: Vec<Option<super::likely::Likely>>,
    /// By value: the conditions under which all lanes agree on it, see [`super::agree`].
    pub(super) agreements: Vec<Option<super::agree::Agreement>>,
    /// The indices that were tested before the current code, see [`super::early`].
    pub(super) tested: Vec<super::early::Tested>,
    pub(super) flow: super::flow::Flow,
    pub(super) suspend: super::barrier::Suspend,
    /// The private memory of the current lane group.
    pub(super) private: cl::Value,
    pub(super) scratch: Vec<cl::StackSlot>,
    pub(super) reports: Option<super::checks::Reports>,
    pub(super) calling: super::call::Calling<'a>,
    pub(super) hoist: super::hoist::Hoist,
}

impl<'f> Generator<'_, 'f> {
    /// The emitter of pure operations.
    pub(super) fn emit(&mut self) -> Emit<'_, 'f> {
        Emit { b: &mut self.b, target: self.target, calls: &mut self.calls }
    }

    /// The form of a value.
    pub(super) fn form(&self, value: Value) -> Form {
        match self.facts.shapes[value.0 as usize].form {
            Form::Unknown => Form::Uniform,
            form => form,
        }
    }

    /// Whether a value is the same in all lanes.
    pub(super) fn is_uniform(&self, value: Value) -> bool {
        self.form(value) == Form::Uniform
    }

    /// The value of a constant, as bits.
    pub(super) fn known(&self, value: Value) -> Option<u64> {
        match self.function.inst(value) {
            Inst::Const(_, bits) => Some(*bits),
            _ => None,
        }
    }

    /// Lane 0's value of a uniform or linear value.
    pub(super) fn scalar(&mut self, value: Value) -> cl::Value {
        let class = self.function.class(value);
        if let Inst::Const(_, bits) = *self.function.inst(value) {
            return self.emit().constant_scalar(class, bits);
        }
        match self.values[value.0 as usize].clone() {
            Held::Scalar(scalar) => scalar,
            Held::Kept(variables) if self.form(value) != Form::Varying => self.b.use_var(variables[0]),
            _ => {
                let parts = self.lanes(value);
                self.emit().lane(class, &parts, 0)
            }
        }
    }

    /// A value in all lanes.
    pub(super) fn lanes(&mut self, value: Value) -> Parts {
        let class = self.function.class(value);
        if let Inst::Const(_, bits) = *self.function.inst(value) {
            return self.emit().constant(class, bits);
        }
        let form = self.form(value);
        match self.values[value.0 as usize].clone() {
            Held::Lanes(parts) => parts,
            Held::Kept(variables) if form == Form::Varying => {
                variables.iter().map(|variable| self.b.use_var(*variable)).collect()
            }
            Held::Nowhere => self.emit().constant(class, 0),
            Held::Scalar(_) | Held::Kept(_) => {
                let scalar = self.scalar(value);
                self.spread(class, form, scalar)
            }
        }
    }

    /// All lanes of a uniform or linear value.
    pub(super) fn spread(&mut self, class: Class, form: Form, scalar: cl::Value) -> Parts {
        let base = self.emit().splat(class, scalar);
        match form {
            Form::Linear(stride) => {
                let steps = self.steps(stride);
                self.emit().binary(BinaryOp::Add, class, &base, &steps)
            }
            _ => base,
        }
    }

    /// The vectors `0, stride, 2 * stride, ...`.
    pub(super) fn steps(&mut self, stride: i32) -> Parts {
        let mut emit = self.emit();
        (0..MASKS as i32)
            .map(|part| {
                let lane = |lane: usize| stride.wrapping_mul(part * 4 + lane as i32).to_le_bytes();
                emit.vector_of_bytes(types::I32X4, std::array::from_fn(|byte| lane(byte / 4)[byte % 4]))
            })
            .collect()
    }

    /// Stores a result.
    fn hold(&mut self, value: Value, held: Held) {
        let slot = &mut self.values[value.0 as usize];
        let Held::Kept(variables) = slot else {
            *slot = held;
            return;
        };
        let variables = variables.clone();
        match held {
            Held::Scalar(scalar) => self.b.def_var(variables[0], scalar),
            Held::Lanes(parts) => {
                for (variable, part) in variables.iter().zip(parts) {
                    self.b.def_var(*variable, part);
                }
            }
            Held::Nowhere | Held::Kept(_) => {}
        }
    }

    /// Stores a scalar result, of a uniform or linear value.
    pub(super) fn hold_scalar(&mut self, value: Value, scalar: cl::Value) {
        if self.form(value) == Form::Varying {
            let class = self.function.class(value);
            let parts = self.emit().splat(class, scalar);
            self.hold(value, Held::Lanes(parts));
        } else {
            self.hold(value, Held::Scalar(scalar));
        }
    }

    /// Stores the result in all lanes.
    pub(super) fn hold_lanes(&mut self, value: Value, parts: Parts) {
        if self.form(value) == Form::Varying {
            self.hold(value, Held::Lanes(parts));
        } else {
            let class = self.function.class(value);
            let scalar = self.emit().lane(class, &parts, 0);
            self.hold(value, Held::Scalar(scalar));
        }
    }

    /// Evaluates the instruction of a value.
    pub(super) fn evaluate(&mut self, value: Value) {
        let function = self.function;
        let class = function.class(value);
        let uniform = self.form(value) != Form::Varying;
        match function.inst(value) {
            Inst::Const(..) | Inst::Input(_) | Inst::Argument(_) | Inst::Part { .. } => {}
            Inst::Read(var) => self.read(value, *var),
            Inst::Load(place, ty, count) => self.load(value, place, *ty, *count),
            Inst::Atomic { op, place, ty, value: operand, compare } => {
                self.atomic(value, *op, place, *ty, *operand, *compare);
            }
            Inst::Subgroup(op, operand, lane) => self.subgroup(value, *op, *operand, *lane),
            inst if uniform => {
                let result = self.evaluate_scalar(class, inst);
                self.hold_scalar(value, result);
            }
            inst => {
                let result = self.evaluate_lanes(class, inst);
                self.hold_lanes(value, result);
                self.hold_likely(value, inst);
                self.hold_agreement(value, inst);
            }
        }
    }

    fn evaluate_scalar(&mut self, class: Class, inst: &Inst) -> cl::Value {
        match *inst {
            Inst::Unary(op, a) => {
                let a = self.scalar(a);
                self.emit().unary_scalar(op, class, a)
            }
            Inst::Binary(op, a, b) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().binary_scalar(op, class, a, b)
            }
            Inst::Ternary(op, a, b, c) => {
                let (a, b, c) = (self.scalar(a), self.scalar(b), self.scalar(c));
                self.emit().ternary_scalar(op, class, a, b, c)
            }
            Inst::Compare(op, a, b) => {
                let of = self.function.class(a);
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().compare_scalar(op, of, a, b)
            }
            Inst::Select(c, a, b) => {
                let (c, a, b) = (self.scalar(c), self.scalar(a), self.scalar(b));
                self.emit().select_scalar(c, a, b)
            }
            Inst::Convert(convert, a) => {
                let a = self.scalar(a);
                self.emit().convert_scalar(convert, a)
            }
            Inst::Call(function, a, b) => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                self.emit().call_scalar(function, class, a, b)
            }
            _ => self.emit().constant_scalar(class, 0),
        }
    }

    fn evaluate_lanes(&mut self, class: Class, inst: &Inst) -> Parts {
        match *inst {
            Inst::Unary(op, a) => {
                let a = self.lanes(a);
                self.emit().unary(op, class, &a)
            }
            Inst::Binary(op @ (BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU), a, b) if self.is_uniform(b) => {
                let (a, by) = (self.lanes(a), self.scalar(b));
                self.emit().shift_by_scalar(op, class, &a, by)
            }
            Inst::Binary(op @ (BinaryOp::DivU | BinaryOp::RemU), a, b)
                if class == Class::I32 && self.known(b).is_some_and(u64::is_power_of_two) =>
            {
                let (a, by) = (self.lanes(a), self.known(b).unwrap_or(1));
                if op == BinaryOp::RemU {
                    let mask = self.emit().constant(class, by - 1);
                    return self.emit().binary(BinaryOp::And, class, &a, &mask);
                }
                let by = self.emit().constant_scalar(class, u64::from(by.trailing_zeros()));
                self.emit().shift_by_scalar(BinaryOp::ShrU, class, &a, by)
            }
            Inst::Binary(op, a, b) => {
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().binary(op, class, &a, &b)
            }
            Inst::Ternary(op, a, b, c) => {
                let (a, b, c) = (self.lanes(a), self.lanes(b), self.lanes(c));
                self.emit().ternary(op, class, &a, &b, &c)
            }
            Inst::Compare(op, a, b) => {
                if let Some(known) = known_comparison(self.function, op, a, b) {
                    return self.emit().known_mask(known);
                }
                let of = self.function.class(a);
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().compare(op, of, &a, &b)
            }
            Inst::Select(c, a, b) => {
                let (c, a, b) = (self.lanes(c), self.lanes(a), self.lanes(b));
                self.emit().select(class, &c, &a, &b)
            }
            Inst::Convert(convert, a) => {
                let a = self.lanes(a);
                self.emit().convert(convert, &a)
            }
            Inst::Call(function, a, b) => {
                let (a, b) = (self.lanes(a), self.lanes(b));
                self.emit().call(function, class, &a, &b)
            }
            _ => self.emit().constant(class, 0),
        }
    }

    fn subgroup(&mut self, value: Value, op: SubgroupOp, operand: Value, lane: Option<Value>) {
        let class = self.function.class(operand);
        let parts = self.lanes(operand);
        if let Some(lanes) = lane.and_then(|lane| known_lanes(self.function, lane)) {
            if self.form(value) != Form::Varying {
                let scalar = self.emit().lane(class, &parts, usize::from(lanes[0]));
                return self.hold_scalar(value, scalar);
            }
            if let Some(result) = self.emit().rearranged(class, lanes, &parts) {
                return self.hold_lanes(value, result);
            }
        }
        let lane = lane.map(|lane| self.lanes(lane));
        let mask = self.mask();
        let result = self.emit().subgroup(op, class, &parts, lane.as_deref(), &mask);
        // A uniform result is that of any active lane; inactive lanes have arbitrary values.
        if self.form(value) == Form::Varying || !self.is_masked() {
            self.hold_lanes(value, result);
        } else {
            let class = self.function.class(value);
            let bits = self.emit().bits(&mask);
            let first = self.first_lane(bits);
            let scalar = self.lane_at(class, &result, first);
            self.hold_scalar(value, scalar);
        }
    }

    fn read(&mut self, value: Value, var: Var) {
        match self.vars[var.0 as usize].clone() {
            Held::Kept(variables) if self.form(value) == Form::Varying => {
                let parts = variables.iter().map(|variable| self.b.use_var(*variable)).collect();
                self.hold_lanes(value, parts);
            }
            Held::Kept(variables) => {
                let scalar = self.b.use_var(variables[0]);
                self.hold_scalar(value, scalar);
            }
            _ => {}
        }
    }

    /// Writes a variable in the active lanes, or in all lanes if `masked` is not set.
    pub(super) fn write(&mut self, var: Var, value: Value, masked: bool) {
        let class = self.function.vars[var.0 as usize];
        let Held::Kept(variables) = self.vars[var.0 as usize].clone() else { return };
        if self.facts.vars[var.0 as usize].form != Form::Varying {
            let scalar = self.scalar(value);
            self.b.def_var(variables[0], scalar);
            return;
        }
        let mut parts = self.lanes(value);
        if masked && self.is_masked() {
            let old: Parts = variables.iter().map(|variable| self.b.use_var(*variable)).collect();
            let mask = self.mask();
            parts = self.emit().select(class, &mask, &parts, &old);
        }
        for (variable, part) in variables.iter().zip(parts) {
            self.b.def_var(*variable, part);
        }
    }

    /// Creates the Cranelift variables for a scalar or lanes.
    pub(super) fn new_variables(&mut self, class: Class, form: Form) -> SmallVec<[Variable; 4]> {
        if form == Form::Varying {
            (0..part_count(class)).map(|_| self.b.declare_var(vector_type(class))).collect()
        } else {
            SmallVec::from_slice(&[self.b.declare_var(scalar_type(class))])
        }
    }

    /// The inputs that the function uses, with their values.
    pub(super) fn used_inputs(&self) -> Vec<(Value, Input)> {
        let inputs = self.function.insts.iter().enumerate();
        inputs
            .filter_map(|(index, inst)| match inst {
                Inst::Input(input) => Some((Value(index as u32), *input)),
                _ => None,
            })
            .collect()
    }

    /// The index of the lowest set bit.
    pub(super) fn first_lane(&mut self, bits: cl::Value) -> cl::Value {
        let lane = self.b.ins().ctz(bits);
        // Without a set bit, any lane may be returned.
        let last = self.b.ins().iconst(types::I32, LANES as i64 - 1);
        self.b.ins().umin(lane, last)
    }
}
