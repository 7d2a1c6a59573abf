//! Checks of the arrays of a sparse matrix, on the host. This module is pure.

use super::super::error::OperationError;
use super::super::moving::MAX_ELEMENTS;
use super::super::operator::Operator;

/// Returns an error unless kernels can count the rows, the columns, and the entries together with the rows.
pub(super) fn sizes(operator: Operator, [rows, columns]: [usize; 2], entries: usize) -> Result<(), OperationError> {
    let all = (rows as u64).saturating_add(entries as u64);
    if all >= MAX_ELEMENTS || columns as u64 > MAX_ELEMENTS {
        return Err(operator.too_large("the matrix", vec![rows, columns], MAX_ELEMENTS));
    }
    Ok(())
}

/// Returns an error unless an array has this length.
pub(super) fn length(operator: Operator, argument: &str, expected: usize, got: usize) -> Result<(), OperationError> {
    if got == expected {
        return Ok(());
    }
    let (operator, argument) = (operator.name(), argument.to_owned());
    Err(OperationError::Length { operator, argument, shape: vec![expected], expected, got })
}

/// Returns the number of entries of the longest row; an error unless offsets begin at 0, rise, and end at the number of
/// entries.
pub(super) fn offsets(operator: Operator, offsets: &[u32], entries: usize) -> Result<u32, OperationError> {
    let wrong = |row: usize, expected: String| {
        let got = format!("{} at row {row}", offsets[row]);
        Err(operator.choice("an offset of", expected, got))
    };
    let last = offsets.len() - 1;
    if offsets[0] != 0 {
        return wrong(0, "begin offsets with 0".to_owned());
    }
    let mut longest = 0;
    for (row, pair) in offsets.windows(2).enumerate() {
        let Some(length) = pair[1].checked_sub(pair[0]) else {
            return wrong(row + 1, format!("use at least {}, the offset before it", pair[0]));
        };
        longest = longest.max(length);
    }
    if offsets[last] as usize != entries {
        return wrong(last, format!("end offsets with {entries}, the number of entries"));
    }
    Ok(longest)
}

/// Returns an error unless all column indices are less than the number of columns.
pub(super) fn column_indices(
    operator: Operator,
    offsets: &[u32],
    indices: &[u32],
    columns: usize,
) -> Result<(), OperationError> {
    let Some(position) = indices.iter().position(|index| *index as usize >= columns) else { return Ok(()) };
    let row = offsets.partition_point(|offset| *offset as usize <= position) - 1;
    let got = format!("{} at position {position} (row {row})", indices[position]);
    Err(operator.choice("a column index of", format!("use indices below {columns}, the number of columns"), got))
}

/// Returns an error unless all row indices are less than the number of rows.
pub(super) fn row_indices(operator: Operator, indices: &[u32], rows: usize) -> Result<(), OperationError> {
    let Some(position) = indices.iter().position(|index| *index as usize >= rows) else { return Ok(()) };
    let got = format!("{} at position {position}", indices[position]);
    Err(operator.choice("a row index of", format!("use indices below {rows}, the number of rows"), got))
}

/// Returns the number of elements of a dense matrix; an error for too many of them.
pub(super) fn dense(operator: Operator, [rows, columns]: [usize; 2]) -> Result<usize, OperationError> {
    let count = rows.checked_mul(columns).filter(|count| *count as u64 <= MAX_ELEMENTS);
    count.ok_or_else(|| operator.too_large("the dense matrix", vec![rows, columns], MAX_ELEMENTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: Operator = Operator("matrix");

    #[test]
    fn wrong_arrays_are_refused_with_their_position() {
        let text = |error: OperationError| error.to_string();
        assert_eq!(offsets(MATRIX, &[0, 2, 2, 7], 7).unwrap(), 5);
        assert_eq!(offsets(MATRIX, &[0], 0).unwrap(), 0);
        let begin = text(offsets(MATRIX, &[1, 2], 2).unwrap_err());
        assert_eq!(begin, "matrix: an offset of 1 at row 0 is not possible; begin offsets with 0");
        let falls = text(offsets(MATRIX, &[0, 3, 2], 2).unwrap_err());
        assert_eq!(falls, "matrix: an offset of 2 at row 2 is not possible; use at least 3, the offset before it");
        let end = text(offsets(MATRIX, &[0, 3, 4], 5).unwrap_err());
        assert_eq!(end, "matrix: an offset of 4 at row 2 is not possible; end offsets with 5, the number of entries");
        assert!(column_indices(MATRIX, &[0, 2], &[0, 3], 4).is_ok());
        let index = text(column_indices(MATRIX, &[0, 1, 1, 3], &[0, 1, 4], 4).unwrap_err());
        let expected = "matrix: a column index of 4 at position 2 (row 2) is not possible; use indices below 4, the number \
                        of columns";
        assert_eq!(index, expected);
        assert!(sizes(MATRIX, [1 << 30, 5], 1 << 30).is_err() && sizes(MATRIX, [5, usize::MAX], 2).is_err());
    }
}
