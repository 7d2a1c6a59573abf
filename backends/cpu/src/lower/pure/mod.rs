//! Pure operations: operators, built-in functions and conversions, one component at a time.
//!
//! Vectors and matrices are passed as their components ([`Operand`]) and returned as a list of values, a matrix column
//! by column. No function here uses memory or control flow: for a condition, both results are computed and one of them
//! is selected, because the condition may differ between the lanes of a vector.
//!
//! Operators round `f16` results after each operation. Built-in functions compute in `f32` and round once, which needs
//! fewer instructions and is never less accurate than WGSL requires.
//!
//! | file | content |
//! |---|---|
//! | `operand` | operands, the class of each scalar type, literals, reduction to a type's range |
//! | `operators` | unary and binary operators, `all`, `any` and similar functions |
//! | `cast` | conversions and bit casts |
//! | `math` | the dispatch of built-in functions |
//! | `float` | component-wise functions of floats |
//! | `exponent` | `modf`, `frexp`, `ldexp` |
//! | `integer` | component-wise functions of integers; bits |
//! | `geometry` | dot product, length, reflection and similar functions |
//! | `matrix` | products, transpose, determinant, inverse |
//! | `packing` | several small numbers packed in one word |

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
