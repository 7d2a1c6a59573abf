//! Checks of the arrays of a sparse matrix, on the host, and the errors of these checks. This module is pure.

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

/// Returns an error unless the lengths of row indices, column indices and values suit a matrix of this shape.
pub(super) fn coordinates(
    operator: Operator,
    shape: [usize; 2],
    [rows, columns, values]: [usize; 3],
) -> Result<(), OperationError> {
    sizes(operator, shape, values)?;
    length(operator, "row indices", values, rows)?;
    length(operator, "column indices", values, columns)
}

/// Returns the number of entries of the longest row; an error unless offsets begin at 0, rise, and end at the number of
/// entries.
pub(super) fn offsets(operator: Operator, offsets: &[u32], entries: usize) -> Result<u32, OperationError> {
    let last = offsets.len() - 1;
    let mut longest = 0;
    for (row, offset) in offsets.iter().enumerate() {
        let before = offsets[row.saturating_sub(1)];
        let is_wrong = (row == 0 && *offset != 0) || before > *offset || (row == last && *offset as usize != entries);
        if is_wrong {
            return Err(wrong_offset(operator, row, (before, *offset), entries));
        }
        longest = longest.max(offset - before);
    }
    Ok(longest)
}

/// The error of an offset that is not 0 at the beginning, less than the one before it, or not `entries` at the end.
pub(super) fn wrong_offset(
    operator: Operator,
    row: usize,
    (before, offset): (u32, u32),
    entries: usize,
) -> OperationError {
    let expected = if row == 0 && offset != 0 {
        "begin offsets with 0".to_owned()
    } else if before > offset {
        format!("use at least {before}, the offset before it")
    } else {
        format!("end offsets with {entries}, the number of entries")
    };
    operator.choice("an offset of", expected, format!("{offset} at row {row}"))
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
    Err(wrong_column(operator, (indices[position], position), Some(row), columns))
}

/// The error of a column index that is out of range.
pub(super) fn wrong_column(
    operator: Operator,
    (index, position): (u32, usize),
    row: Option<usize>,
    columns: usize,
) -> OperationError {
    let row = row.map(|row| format!(" (row {row})")).unwrap_or_default();
    let expected = format!("use indices below {columns}, the number of columns");
    operator.choice("a column index of", expected, format!("{index} at position {position}{row}"))
}

/// The error of a row index that is out of range.
pub(super) fn wrong_row(operator: Operator, (index, position): (u32, usize), rows: usize) -> OperationError {
    let expected = format!("use indices below {rows}, the number of rows");
    operator.choice("a row index of", expected, format!("{index} at position {position}"))
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
