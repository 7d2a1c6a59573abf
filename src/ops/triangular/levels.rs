//! The order of the rows of a triangle. This module is pure.

/// The rows of a triangle in levels: each row depends on rows of earlier levels only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    /// The rows, level by level, and in each level by their numbers.
    pub(super) order: Vec<u32>,
    /// The positions in the order at which levels begin, and its length.
    pub(super) bounds: Vec<u32>,
}

impl Levels {
    /// Finds the levels of a matrix in CSR, as early as possible for each row.
    pub(super) fn of(offsets: &[u32], columns: &[u32], upper: bool) -> Self {
        let rows = offsets.len() - 1;
        let mut level_of = vec![0u32; rows];
        let mut visit = |row: usize| {
            let entries = &columns[offsets[row] as usize..offsets[row + 1] as usize];
            let before = entries.iter().map(|column| *column as usize);
            let before = before.filter(|column| if upper { *column > row } else { *column < row });
            level_of[row] = before.map(|column| level_of[column] + 1).max().unwrap_or(0);
        };
        if upper {
            (0..rows).rev().for_each(&mut visit);
        } else {
            (0..rows).for_each(&mut visit);
        }
        let count = level_of.iter().max().map_or(0, |last| *last as usize + 1);
        let mut bounds = vec![0u32; count + 1];
        level_of.iter().for_each(|level| bounds[*level as usize + 1] += 1);
        for level in 0..count {
            bounds[level + 1] += bounds[level];
        }
        let (mut next, mut order) = (bounds.clone(), vec![0; rows]);
        for (row, level) in level_of.iter().enumerate() {
            let place = &mut next[*level as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        Self { order, bounds }
    }

    /// The number of levels.
    pub(super) fn count(&self) -> usize {
        self.bounds.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;

    #[test]
    fn rows_follow_those_on_which_they_depend() {
        // Row 2 depends on rows 0 and 1, and row 3 on row 2; upwards, row 1 depends on row 3.
        let (offsets, columns) = ([0, 1, 3, 6, 8], [0, 3, 1, 1, 0, 2, 3, 2]);
        let lower = Levels::of(&offsets, &columns, false);
        assert_eq!(lower, Levels { order: vec![0, 1, 2, 3], bounds: vec![0, 2, 3, 4] });
        let upper = Levels::of(&offsets, &columns, true);
        assert_eq!(upper, Levels { order: vec![0, 2, 3, 1], bounds: vec![0, 3, 4] });
        let none = Levels::of(&[0], &[], false);
        assert_eq!((none.count(), none.bounds), (0, vec![0]));
    }
}
