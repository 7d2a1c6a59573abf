//! The grids of a V-cycle, from fine to coarse. This module is pure.

/// The number of points of the shortest axis at which grids are not made coarser: sweeps alone solve such equations.
const SMALLEST: usize = 3;

/// An axis of a grid: its points have distances of 1, with a zero at a distance of 1 before the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) points: usize,
    /// Whether points have neighbours along the axis. Other axes have one point.
    pub(super) used: bool,
    /// The distance of the last point from the zero after it, from 0.5 to 1.5.
    pub(super) gap: f64,
}

impl Axis {
    /// The axis with every second point, whose distances are the new unit.
    fn coarser(self) -> Self {
        if !self.used {
            return self;
        }
        let points = self.points / 2;
        let gap = (self.points as f64 + self.gap) / 2.0 - points as f64;
        // A last point that is close to the zero is left out.
        if gap < 0.5 { Self { points: points - 1, gap: gap + 1.0, ..self } } else { Self { points, gap, ..self } }
    }
}

/// A grid, with the factor of its matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) axes: [Axis; 3],
    pub(super) factor: f64,
}

impl Level {
    pub(super) fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.points).product()
    }
}

/// Returns all grids. Those of one or two axes have unused axes before them.
pub(super) fn levels(grid: &[usize]) -> Vec<Level> {
    let mut axes = [Axis { points: 1, used: false, gap: 1.0 }; 3];
    for (axis, points) in axes[3 - grid.len()..].iter_mut().zip(grid) {
        *axis = Axis { points: *points, used: true, gap: 1.0 };
    }
    // Matrices are integrals over the surroundings of points: areas times differences, divided by distances.
    let growth = 2.0f64.powi(grid.len() as i32 - 2);
    let mut levels = vec![Level { axes, factor: 1.0 }];
    while let Some(last) = levels.last()
        && grid.iter().all(|points| *points > 0)
        && last.axes.iter().all(|axis| !axis.used || axis.points > SMALLEST)
    {
        let next = Level { axes: last.axes.map(Axis::coarser), factor: last.factor * growth };
        levels.push(next);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_half_of_the_points() {
        let points = |grid: &[usize]| -> Vec<usize> { levels(grid).iter().map(|level| level.axes[2].points).collect() };
        assert_eq!(points(&[31]), [31, 15, 7, 3]);
        assert_eq!(points(&[3]), [3]);
        assert_eq!(points(&[0]), [0]);
        assert_eq!(points(&[2, 100]), [100]);
        assert_eq!(points(&[9, 9, 256]), [256, 128, 63]);
        assert_eq!(levels(&[7, 7, 7])[1].factor, 2.0);
        assert_eq!(levels(&[7])[1].factor, 0.5);
        assert_eq!(levels(&[7, 7])[1].axes[0], Axis { points: 1, used: false, gap: 1.0 });
    }

    #[test]
    fn gaps_stay_within_bounds() {
        for points in 1..2000 {
            for level in levels(&[points]) {
                let Axis { points, gap, .. } = level.axes[2];
                assert!(points > 0 && (0.5..=1.5).contains(&gap), "{points} points, a gap of {gap}");
            }
        }
        // 256 points end at 257: 128 points at distances of 2 end at 256, half of a distance before.
        assert_eq!(levels(&[256])[1].axes[2], Axis { points: 128, used: true, gap: 0.5 });
        assert_eq!(levels(&[256])[2].axes[2], Axis { points: 63, used: true, gap: 1.25 });
    }
}
