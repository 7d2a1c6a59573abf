//! Functions of matrices, whose components are a flat list, column by column.

use naga::TypeInner;
use rustc_hash::FxHashMap;

use super::Operand;
use super::geometry::sum_of_products;
use super::operand::{fit, float_like};
use crate::ir::{BinaryOp, Builder, UnaryOp, Value};

/// Lowers a product of two matrices, or of a matrix and a vector; `None` for all other products.
///
/// A vector on the left of a matrix is a row vector, a vector on the right a column vector.
pub(super) fn product(b: &mut Builder, left: Operand<'_>, right: Operand<'_>) -> Result<Option<Vec<Value>>, String> {
    let (rows, columns) = match (left.inner, right.inner) {
        (TypeInner::Matrix { rows, .. }, TypeInner::Matrix { columns, .. }) => (*rows as usize, *columns as usize),
        (TypeInner::Matrix { rows, .. }, TypeInner::Vector { .. }) => (*rows as usize, 1),
        (TypeInner::Vector { .. }, TypeInner::Matrix { columns, .. }) => (1, *columns as usize),
        _ => return Ok(None),
    };
    let inner = left.values.len() / rows;
    if right.values.len() != inner * columns {
        return Err(format!("the product of {:?} and {:?} is not valid", left.inner, right.inner));
    }
    let scalar = left.scalar()?;
    let mut result = Vec::with_capacity(rows * columns);
    for column in right.values.chunks(inner) {
        for row in 0..rows {
            let entries: Vec<_> = left.values.iter().skip(row).step_by(rows).copied().collect();
            let entry = sum_of_products(b, &entries, column);
            result.push(fit(b, scalar, entry));
        }
    }
    Ok(Some(result))
}

/// The matrix of all products of a component of `left` and a component of `right`. Column `c` contains the products
/// with `right[c]`, as in SPIR-V's `OpOuterProduct`.
pub(super) fn outer(b: &mut Builder, left: Operand<'_>, right: Operand<'_>) -> Result<Vec<Value>, String> {
    let scalar = left.scalar()?;
    let mut result = Vec::with_capacity(left.values.len() * right.values.len());
    for y in right.values {
        for x in left.values {
            let entry = b.binary(BinaryOp::Mul, *x, *y);
            result.push(fit(b, scalar, entry));
        }
    }
    Ok(result)
}

/// Transposes a matrix.
pub(super) fn transpose(a: Operand<'_>) -> Result<Vec<Value>, String> {
    let TypeInner::Matrix { rows, .. } = *a.inner else {
        return Err(format!("the transpose of {:?} is not valid", a.inner));
    };
    let rows = rows as usize;
    Ok((0..rows).flat_map(|row| a.values.iter().skip(row).step_by(rows).copied()).collect())
}

/// The determinant of a matrix, before rounding to `f16`.
pub(super) fn determinant(b: &mut Builder, a: Operand<'_>) -> Result<Value, String> {
    let mut minors = Minors::new(a)?;
    let all = minors.all();
    Ok(minors.determinant(b, all, all))
}

/// The inverse of a matrix: the adjugate, divided by the determinant.
pub(super) fn inverse(b: &mut Builder, a: Operand<'_>) -> Result<Vec<Value>, String> {
    let scalar = a.scalar()?;
    let mut minors = Minors::new(a)?;
    let (size, all) = (minors.size, minors.all());
    let determinant = minors.determinant(b, all, all);
    let mut result = Vec::with_capacity(a.values.len());
    for column in 0..size {
        for row in 0..size {
            // The adjugate is a transposed matrix: this entry's minor omits column `row` and row `column`.
            let minor = minors.determinant(b, all & !(1 << row), all & !(1 << column));
            let cofactor = if (row + column) % 2 == 0 { minor } else { b.unary(UnaryOp::Neg, minor) };
            let entry = b.binary(BinaryOp::Div, cofactor, determinant);
            result.push(fit(b, scalar, entry));
        }
    }
    Ok(result)
}

/// The determinants of submatrices, each computed once. Bit masks give the columns and the rows of a submatrix.
struct Minors<'a> {
    size: usize,
    values: &'a [Value],
    known: FxHashMap<(u8, u8), Value>,
}

impl<'a> Minors<'a> {
    fn new(a: Operand<'a>) -> Result<Self, String> {
        match *a.inner {
            TypeInner::Matrix { columns, rows, .. } if columns == rows => {
                Ok(Self { size: columns as usize, values: a.values, known: FxHashMap::default() })
            }
            ref other => Err(format!("the determinant of {other:?} is not valid")),
        }
    }

    fn all(&self) -> u8 {
        (1 << self.size) - 1
    }

    /// The determinant of a submatrix, by expansion along its first column.
    fn determinant(&mut self, b: &mut Builder, columns: u8, rows: u8) -> Value {
        if let Some(value) = self.known.get(&(columns, rows)) {
            return *value;
        }
        let column = columns.trailing_zeros() as usize;
        let mut sum = None;
        for (position, row) in (0..self.size).filter(|row| rows & (1 << row) != 0).enumerate() {
            let entry = self.values[column * self.size + row];
            let rest = columns & !(1 << column);
            let term = if rest == 0 {
                entry
            } else {
                let minor = self.determinant(b, rest, rows & !(1 << row));
                b.binary(BinaryOp::Mul, entry, minor)
            };
            let op = if position % 2 == 0 { BinaryOp::Add } else { BinaryOp::Sub };
            sum = Some(sum.map_or(term, |sum| b.binary(op, sum, term)));
        }
        // The default is never used: only a 1x1 matrix, which does not exist, has an empty submatrix.
        let value = sum.unwrap_or_else(|| float_like(b, self.values[0], 1.0));
        self.known.insert((columns, rows), value);
        value
    }
}
