//! The sizes of batches of small matrices. This module is pure.

use super::super::error::OperationError;
use super::super::moving::operands;
use super::super::operator::Operator;
use super::super::rows::plan::Target;
use crate::element::Element;

/// The sizes of square matrices, and of right sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) matrices: usize,
    pub(super) rows: usize,
    /// The number of columns of right sides.
    pub(super) columns: usize,
}

impl Sizes {
    /// The shape of the matrices.
    pub(super) fn of_a(self) -> [usize; 3] {
        [self.matrices, self.rows, self.rows]
    }

    /// The shape of the right sides.
    pub(super) fn of_b(self) -> [usize; 3] {
        [self.matrices, self.rows, self.columns]
    }

    /// Returns an error unless kernels can count all elements, and loops with this number of `steps` for each matrix end
    /// on the device.
    pub(super) fn check<T: Element>(
        self,
        operator: Operator,
        steps: u64,
        target: Target,
    ) -> Result<(), OperationError> {
        operands::counted::<T>(operator, "a", &self.of_a())?;
        operands::counted::<T>(operator, "b", &self.of_b())?;
        limited(operator, self.rows, steps, target)
    }
}

/// The number of sweeps of rotations: each of the last ones squares the rest, so that some ten suffice.
pub(super) const SWEEPS: usize = 16;

/// The distance from 1 to the next number of a type of this size.
pub(super) fn epsilon(size: usize) -> f64 {
    if size == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Returns an error unless loops with this number of `steps` for each matrix of `rows` rows end on the device.
pub(super) fn limited(operator: Operator, rows: usize, steps: u64, target: Target) -> Result<(), OperationError> {
    if steps / u64::from(group(rows, target)) > target.max_iterations() {
        let got = format!("{rows} rows");
        return Err(operator.choice("a matrix of", "this device ends longer loops; use smaller matrices", got));
    }
    Ok(())
}

/// Returns an error unless workgroup memory has a place for each pair of the rows or columns that are rotated.
pub(super) fn rotated(operator: Operator, what: &str, count: usize) -> Result<(), OperationError> {
    if count <= 256 {
        return Ok(());
    }
    Err(operator.choice("a matrix of", format!("use at most 256 {what}"), format!("{count} {what}")))
}

/// The number of invocations of a workgroup, which has one matrix: one on the CPU backend, where barriers are slow.
pub(super) fn group(rows: usize, target: Target) -> u32 {
    if target.strips { 1 } else { (rows as u64 * 4).next_power_of_two().clamp(32, 256) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GPU: Target = Target { software: false, strips: false };
    const CPU: Target = Target { software: true, strips: true };
    const LLVMPIPE: Target = Target { software: true, strips: false };

    #[test]
    fn workgroups_follow_the_size_of_matrices() {
        assert_eq!([0, 1, 8, 9, 17, 64, 65, 1000].map(|rows| group(rows, GPU)), [32, 32, 32, 64, 128, 256, 256, 256]);
        assert_eq!(group(1000, CPU), 1);
    }

    #[test]
    fn sizes_are_limited() {
        let sizes = |rows| Sizes { matrices: 1, rows, columns: 1 };
        let cube = |rows: usize| (rows as u64).pow(3);
        let check = |rows, target| sizes(rows).check::<f32>(Operator("lu"), cube(rows), target);
        assert!(check(248, LLVMPIPE).is_ok() && check(2000, GPU).is_ok() && check(2000, CPU).is_ok());
        let text = check(249, LLVMPIPE).unwrap_err().to_string();
        assert_eq!(
            text,
            "lu: a matrix of 249 rows is not possible; this device ends longer loops; use smaller matrices"
        );
        assert!(check(1 << 16, GPU).unwrap_err().to_string().contains("[1, 65536, 65536]"));
        let columns = Sizes { matrices: 1 << 20, rows: 2, columns: 1 << 12 };
        let text = columns.check::<f32>(Operator("lu"), 8, GPU).unwrap_err().to_string();
        assert!(text.starts_with("lu: b has the shape [1048576, 2, 4096]"), "{text}");
    }
}
