//! The state of code generation for one function, and the evaluation of instructions.

mod evaluate;

use cranelift_codegen::ir::{self as cl, InstBuilder, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use smallvec::SmallVec;

use super::analysis::{Facts, Form, Live};
use super::masks::Masks;
use super::ops::{Calls, Emit, Parts, Target, scalar_type};
use crate::ir::{BinaryOp, Class, Function, Input, Inst, Value, Var};

/// A mask of lanes: all ones where a lane is active.
pub(super) type Mask = Masks<cl::Value>;

/// The location of a value or variable at run time.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// No location: the value was not evaluated.
    Nowhere,
    /// Lane 0's value, if the value is uniform or linear.
    Scalar(cl::Value),
    /// Vectors with the value in all lanes.
    Lanes(Parts),
    /// Cranelift variables, which survive barriers: one for a scalar, or one per vector.
    Kept(SmallVec<[Variable; 4]>),
}

/// Values that are constant during one call of the machine function, defined in its first block.
pub(super) struct Constants {
    /// The start address and array length of each slot.
    pub(super) slots: Vec<(cl::Value, cl::Value)>,
    pub(super) frame: cl::Value,
    pub(super) immediates: cl::Value,
    pub(super) workgroup: cl::Value,
    pub(super) nowhere: cl::Value,
    pub(super) groups: [cl::Value; 3],
}

/// The state of code generation for a kernel or one of its callees.
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
    /// By value: the value's likely linear form, see [`super::likely`].
    pub(super) likely: Vec<Option<super::likely::Likely>>,
    /// By boolean value: the conditions under which it is the same in all lanes, see [`super::agree`].
    pub(super) agreements: Vec<Option<super::agree::Agreement>>,
    /// The indices that were tested before the current code, see [`super::early`].
    pub(super) tested: Vec<super::early::Tested>,
    pub(super) flow: super::flow::Flow,
    pub(super) suspend: super::barrier::Suspend,
    /// The row of the current lane group, and its number in the row, where rows run in turn; see [`super::kernel`].
    pub(super) row: Option<[cl::Value; 2]>,
    /// The private memory of the current lane group.
    pub(super) private: cl::Value,
    pub(super) scratch: Vec<cl::StackSlot>,
    pub(super) reports: Option<super::checks::Reports>,
    pub(super) calling: super::call::Calling<'a>,
    pub(super) hoist: super::hoist::Hoist,
    /// The control flow that workgroups take together, while it is generated.
    pub(super) joint: Option<super::joint::Joint>,
}

impl<'f> Generator<'_, 'f> {
    /// The emitter of pure operations.
    pub(super) fn emit(&mut self) -> Emit<'_, 'f> {
        Emit { b: &mut self.b, target: self.target, calls: &mut self.calls }
    }

    /// The form of a value across lanes, where an unknown form counts as uniform.
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

    /// The bits of a value that is a constant; `None` for any other value.
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

    /// The vectors with a value in all lanes.
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

    /// The vectors with a uniform or linear value in all lanes, from lane 0's value.
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
        let lanes = 0..self.target.lanes as i32;
        self.emit().lanes_of(lanes.map(|lane| stride.wrapping_mul(lane).cast_unsigned()))
    }

    /// Stores the location of a value; copies a value that is kept across barriers to its variables.
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

    /// Stores lane 0's value as the result `value`, for uniform and linear values; or the same scalar in all lanes.
    pub(super) fn hold_scalar(&mut self, value: Value, scalar: cl::Value) {
        if self.form(value) == Form::Varying {
            let class = self.function.class(value);
            let parts = self.emit().splat(class, scalar);
            self.hold(value, Held::Lanes(parts));
        } else {
            self.hold(value, Held::Scalar(scalar));
        }
    }

    /// Stores vectors as the result `value`; only lane 0 if the value is uniform or linear.
    pub(super) fn hold_lanes(&mut self, value: Value, parts: Parts) {
        if self.form(value) == Form::Varying {
            self.hold(value, Held::Lanes(parts));
        } else {
            let class = self.function.class(value);
            let scalar = self.emit().lane(class, &parts, 0);
            self.hold(value, Held::Scalar(scalar));
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

    /// Writes a value to a variable in the active lanes, or in all lanes if `masked` is false.
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

    /// Creates the Cranelift variables for a value of this form: one for a scalar, or one for each vector.
    pub(super) fn new_variables(&mut self, class: Class, form: Form) -> SmallVec<[Variable; 4]> {
        if form == Form::Varying {
            (0..self.target.parts(class)).map(|_| self.b.declare_var(self.target.vector(class))).collect()
        } else {
            SmallVec::from_slice(&[self.b.declare_var(scalar_type(class))])
        }
    }

    /// The inputs that the function uses, each with the value that is defined as this input.
    pub(super) fn used_inputs(&self) -> Vec<(Value, Input)> {
        let inputs = self.function.insts.iter().enumerate();
        inputs
            .filter_map(|(index, inst)| match inst {
                Inst::Input(input) => Some((Value(index as u32), *input)),
                _ => None,
            })
            .collect()
    }

    /// The lane of the lowest set bit in `bits`, a mask of one bit per lane.
    pub(super) fn first_lane(&mut self, bits: cl::Value) -> cl::Value {
        let lane = self.b.ins().ctz(bits);
        // Without a set bit, any lane may be returned; the minimum keeps the index in range.
        let last = self.b.ins().iconst(types::I32, self.target.lanes as i64 - 1);
        self.b.ins().umin(lane, last)
    }
}
