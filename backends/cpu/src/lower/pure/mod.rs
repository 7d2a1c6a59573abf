//! Values from values: operators, built-in functions and conversions, one component at a time.
//!
//! Vectors and matrices arrive as their components ([`Operand`]) and leave as a list of values, a
//! matrix as its columns one after the other. No function here touches memory or control flow;
//! what depends on a condition is computed both ways and selected, since lanes of one vector differ.
//!
//! Operators round `f16` results after each operation. Built-in functions compute in `f32` and
//! round once: fewer instructions, and never less accurate than WGSL asks for.
//!
//! | file | what |
//! |---|---|
//! | `operand` | operands, the class of each scalar type, literals, the return into a type's range |
//! | `operators` | unary and binary operators, `all`, `any` and the like |
//! | `cast` | conversions and bit casts |
//! | `math` | which function is where |
//! | `float` | functions of floats, component by component |
//! | `exponent` | `modf`, `frexp`, `ldexp` |
//! | `integer` | functions of integers, component by component; bits |
//! | `geometry` | dot product, length, reflection and the like |
//! | `matrix` | products, transpose, determinant, inverse |
//! | `packing` | several small numbers in one word |

mod cast;
mod exponent;
mod float;
mod geometry;
mod integer;
mod math;
mod matrix;
mod operand;
mod operators;
mod packing;
#[cfg(test)]
mod tests;

pub(crate) use cast::cast;
pub(crate) use math::math;
pub(crate) use operand::{Operand, literal, mem_type};
pub(crate) use operators::{binary, relational, unary};
