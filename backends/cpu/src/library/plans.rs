//! Plans of Fourier transforms, which later calls of the same length use again.

use std::sync::{Arc, Mutex, PoisonError};

use rustfft::{Fft, FftDirection, FftNum, FftPlanner};

/// The numbers of all lines for which plans are kept. A plan has about as many roots as its line has numbers.
const KEPT: usize = 1 << 22;

/// A type of numbers with plans.
pub(super) trait Planned: FftNum {
    /// The plan of a line.
    fn planned(length: usize, inverse: bool) -> Arc<dyn Fft<Self>>;
}

/// The plans of one type, the last used one at the end.
struct Plans<T: FftNum>(Mutex<Vec<Arc<dyn Fft<T>>>>);

impl<T: FftNum> Plans<T> {
    const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn get(&self, length: usize, inverse: bool) -> Arc<dyn Fft<T>> {
        let direction = if inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = plans.iter().position(|plan| plan.len() == length && plan.fft_direction() == direction);
        let plan = match known {
            Some(at) => plans.remove(at),
            None => FftPlanner::new().plan_fft(length, direction),
        };
        plans.push(Arc::clone(&plan));
        // The newest plan stays, however long its line is.
        while plans.len() > 1 && plans.iter().map(|plan| plan.len()).sum::<usize>() > KEPT {
            plans.remove(0);
        }
        plan
    }
}

impl Planned for f32 {
    fn planned(length: usize, inverse: bool) -> Arc<dyn Fft<Self>> {
        static PLANS: Plans<f32> = Plans::new();
        PLANS.get(length, inverse)
    }
}

impl Planned for f64 {
    fn planned(length: usize, inverse: bool) -> Arc<dyn Fft<Self>> {
        static PLANS: Plans<f64> = Plans::new();
        PLANS.get(length, inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_until_their_lines_are_long() {
        let plans = Plans::<f32>::new();
        let first = plans.get(1 << 20, false);
        assert!(Arc::ptr_eq(&first, &plans.get(1 << 20, false)));
        assert!(!Arc::ptr_eq(&first, &plans.get(1 << 20, true)));
        assert_eq!(plans.get(12, true).fft_direction(), FftDirection::Inverse);
        let long = plans.get(1 << 22, false);
        assert!(Arc::ptr_eq(&long, &plans.get(1 << 22, false)));
        assert!(!Arc::ptr_eq(&first, &plans.get(1 << 20, false)), "the long plan has displaced it");
    }
}
