//! Machine instructions for the pure operations of the scalar program, in two forms.
//!
//! A *scalar* is one machine value for all lanes, if they are uniform. *Lanes* are eight or sixteen values in vectors
//! ([`Parts`]). With vectors of 128 bits, a 32-bit class takes two and a 64-bit class four; with 256 bits, one and two, or
//! twice as many for groups of 16 lanes; with 512 bits, one and two. A boolean is 0 or 1 in an `I8` as a scalar, and in
//! lanes a mask like a 32-bit class: 0 or all ones.
//!
//! These instructions cannot trap and need no library routine of Cranelift: an operation without a machine instruction
//! is composed of others, or calls a function of [`crate::math`].
//!
//! | file | content |
//! |---|---|
//! | `target` | the capabilities of the machine; signatures and stack memory of calls |
//! | `lanes` | conversions between scalars, lanes and memory; constants |
//! | `halves` | permutations, and the pieces of 128 bits of longer vectors |
//! | `masks` | booleans of lanes: any, all, bits, widening, selection |
//! | `unary`, `round`, `bits` | one operand; rounding to integers; counting and reversing bits |
//! | `binary`, `shift`, `divide`, `magic` | two operands; division with and without a known divisor |
//! | `compare` | comparisons, minimum and maximum |
//! | `whole` | the operations on integers that vectors of more than 128 bits have in another form |
//! | `convert`, `half` | conversions; those of `f16` |
//! | `call`, `inline` | functions, called in [`crate::math`] or as instructions |
//! | `subgroup` | operations over the subgroup |

mod binary;
mod bits;
mod call;
mod compare;
mod convert;
mod divide;
mod half;
mod halves;
mod inline;
mod lanes;
mod magic;
mod masks;
mod round;
mod shift;
mod subgroup;
mod target;
#[cfg(test)]
mod tests;
mod unary;
mod whole;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use smallvec::SmallVec;

pub(super) use halves::{EVEN, HIGH_HALVES, LOW_HALVES, ODD, ZIP_HIGH, ZIP_LOW};
pub(crate) use target::call_conv;
pub(super) use target::{Calls, Target};

pub(super) use subgroup::subgroup_helper;
pub(crate) use whole::Stand;

use crate::ir::Class;

/// The vectors that contain a value in all lanes, lane 0 first.
pub(super) type Parts = SmallVec<[Value; 4]>;

/// Emits instructions at the builder's position.
pub(super) struct Emit<'a, 'f> {
    /// The builder.
    pub(super) b: &'a mut FunctionBuilder<'f>,
    /// The capabilities of the machine.
    pub(super) target: &'a Target,
    /// The signatures and stack memory of this function's calls so far.
    pub(super) calls: &'a mut Calls,
}

/// The machine type of a scalar.
pub(super) fn scalar_type(class: Class) -> Type {
    match class {
        Class::Bool => types::I8,
        Class::I32 => types::I32,
        Class::I64 => types::I64,
        Class::F32 => types::F32,
        Class::F64 => types::F64,
    }
}

/// Whether values of the class are floats.
fn is_float(class: Class) -> bool {
    matches!(class, Class::F32 | Class::F64)
}

/// The width of a register of the class, in bits.
fn width(class: Class) -> u32 {
    class.bytes() * 8
}

impl Emit<'_, '_> {
    /// The type of a vector of 32-bit integers.
    fn integers(&self) -> Type {
        self.target.vector(Class::I32)
    }

    /// The type of a vector of `f32`.
    fn floats(&self) -> Type {
        self.target.vector(Class::F32)
    }

    /// Reinterprets the bits of a value as a type of the same size.
    fn cast(&mut self, ty: Type, value: Value) -> Value {
        if self.b.func.dfg.value_type(value) == ty {
            return value;
        }
        let order = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        self.b.ins().bitcast(ty, order, value)
    }

    /// Applies `f` to each part.
    fn each(&mut self, a: &[Value], mut f: impl FnMut(&mut Self, Value) -> Value) -> Parts {
        a.iter().map(|&a| f(self, a)).collect()
    }

    /// Applies `f` to each pair of parts.
    fn each_pair(&mut self, a: &[Value], b: &[Value], mut f: impl FnMut(&mut Self, Value, Value) -> Value) -> Parts {
        a.iter().zip(b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// Applies `f` to each lane as a scalar: for operations without a vector instruction.
    fn each_lane(
        &mut self,
        from: Class,
        to: Class,
        a: &[Value],
        mut f: impl FnMut(&mut Self, Value) -> Value,
    ) -> Parts {
        let mut out: SmallVec<[Value; 8]> = SmallVec::new();
        for lane in 0..self.target.lanes {
            let scalar = self.lane(from, a, lane);
            out.push(f(self, scalar));
        }
        self.from_lanes(to, &out)
    }

    /// Applies `f`, which works on vectors, to a scalar.
    fn through_vector(&mut self, from: Class, to: Class, a: Value, f: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let vector = self.b.ins().scalar_to_vector(self.target.vector(from), a);
        let out = f(self, vector);
        let out = self.cast(self.target.vector(to), out);
        self.b.ins().extractlane(out, 0)
    }
}
