//! Fourier transforms of the lines of an array, which threads share.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use anywarp_backend::{BackendError, Transform};
use anywarp_host::threads::spread_over;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftNum};

use super::plans::Planned;

/// Nanoseconds of an operation on one thread, of the `5 n log2(n)` that a line counts: 10 GFLOP/s.
const STEP: f64 = 0.1;
/// The numbers that pass through the caches together: those of short lines, or of neighbouring columns.
const TOGETHER: usize = 1 << 13;
/// The least number of neighbouring columns that are copied together: two lines of a cache.
const COLUMNS: usize = 16;

/// The transforms of one call.
#[derive(Clone)]
pub(crate) struct Transforms {
    form: Transform,
    plan: Plan,
}

/// The plan of one line.
#[derive(Clone)]
enum Plan {
    Floats(Arc<dyn Fft<f32>>),
    Doubles(Arc<dyn Fft<f64>>),
}

/// The arrays of a call. Threads share the addresses.
struct Arrays<T> {
    x: *const Complex<T>,
    y: *mut Complex<T>,
}

// SAFETY: addresses are only numbers; accesses through them are separate unsafe code.
unsafe impl<T> Sync for Arrays<T> {}

impl<T> Arrays<T> {
    /// The addresses of both arrays from a number on.
    fn from(&self, start: usize) -> (*const Complex<T>, *mut Complex<T>) {
        (self.x.wrapping_add(start), self.y.wrapping_add(start))
    }
}

/// The units of work: `lines` lines or columns at a time, of which there are `of_part` in each part of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Units {
    lines: usize,
    of_part: usize,
    count: usize,
}

impl Transforms {
    pub(crate) fn new(form: Transform) -> Self {
        let (length, inverse) = (form.length as usize, form.inverse);
        let plan = if form.double {
            Plan::Doubles(f64::planned(length, inverse))
        } else {
            Plan::Floats(f32::planned(length, inverse))
        };
        Self { form, plan }
    }

    /// The label of timings.
    pub(crate) fn name(&self) -> &'static Arc<str> {
        static NAME: OnceLock<Arc<str>> = OnceLock::new();
        NAME.get_or_init(|| Arc::from("Fourier transform"))
    }

    /// The expected time on one thread in nanoseconds.
    pub(crate) fn estimate(&self) -> f64 {
        let operations = 5.0 * f64::from(self.form.length).log2().max(1.0);
        self.form.numbers() as f64 * operations * STEP
    }

    /// Computes the transforms on as many of `threads` threads as are worthwhile.
    ///
    /// # Errors
    /// [`BackendError::Rejected`] if a thread panics.
    ///
    /// # Safety
    /// `x` and `y` are aligned to the parts of their numbers, and have as many numbers as the form says. They are the same
    /// or do not overlap. Until the call returns, nothing else writes to them or reads `y`.
    pub(crate) unsafe fn run(&self, threads: usize, [x, y]: [*mut u8; 2]) -> Result<(), BackendError> {
        let scale = self.form.scale.get();
        // SAFETY: as for this function; the form names the type of the numbers.
        unsafe {
            match &self.plan {
                Plan::Floats(plan) => self.run_with(threads, [x, y], &**plan, scale as f32),
                Plan::Doubles(plan) => self.run_with(threads, [x, y], &**plan, scale),
            }
        }
    }

    /// # Safety
    /// As for [`run`](Self::run), with numbers of two `T`.
    unsafe fn run_with<T: FftNum>(
        &self,
        threads: usize,
        [x, y]: [*mut u8; 2],
        plan: &dyn Fft<T>,
        scale: T,
    ) -> Result<(), BackendError> {
        let arrays = Arrays::<T> { x: x.cast_const().cast(), y: y.cast() };
        let units = self.units();
        let (length, inner) = (self.form.length as usize, self.form.inner as usize);
        let work = |range: Range<u64>| {
            let mut scratch = Scratch::new(plan, if inner == 1 { 0 } else { units.lines * length });
            for unit in range {
                let (part, at) = (unit as usize / units.of_part, unit as usize % units.of_part);
                let first = at * units.lines;
                let count = units.lines.min(if inner == 1 { self.form.lines as usize } else { inner } - first);
                // SAFETY: each unit has lines of its own, which are within the arrays.
                unsafe {
                    if inner == 1 {
                        scratch.lines(plan, arrays.from(first * length), count * length, scale);
                    } else {
                        let start = part * length * inner + first;
                        scratch.columns(plan, arrays.from(start), [length, inner, count], scale);
                    }
                }
            }
            Ok(())
        };
        let cost = self.estimate() / units.count as f64;
        spread_over(threads, units.count as u64, Some(cost), &work).map(|_| ())
    }

    fn units(&self) -> Units {
        let [lines, length, inner] = [self.form.lines, self.form.length, self.form.inner].map(|size| size as usize);
        let (least, whole) = if inner == 1 { (1, lines) } else { (COLUMNS, inner) };
        let together = (TOGETHER / length).max(least).min(whole);
        let of_part = whole.div_ceil(together);
        Units { lines: together, of_part, count: of_part * if inner == 1 { 1 } else { lines } }
    }
}

/// The memory of one thread.
struct Scratch<T> {
    own: Vec<Complex<T>>,
    columns: Vec<Complex<T>>,
}

impl<T: FftNum> Scratch<T> {
    fn new(plan: &dyn Fft<T>, columns: usize) -> Self {
        let zeros = |length| vec![Complex::new(T::zero(), T::zero()); length];
        let own = plan.get_inplace_scratch_len().max(plan.get_immutable_scratch_len());
        Self { own: zeros(own), columns: zeros(columns) }
    }

    /// Transforms neighbouring lines of `count` numbers together.
    ///
    /// # Safety
    /// Both arrays have `count` numbers, are the same or do not overlap, and nothing else writes them or reads `y`.
    unsafe fn lines(
        &mut self,
        plan: &dyn Fft<T>,
        (x, y): (*const Complex<T>, *mut Complex<T>),
        count: usize,
        scale: T,
    ) {
        // SAFETY: as for this function. Memory of a buffer is initialised, and all bits are numbers.
        let results = unsafe { std::slice::from_raw_parts_mut(y, count) };
        if std::ptr::eq(x, y) {
            plan.process_with_scratch(results, &mut self.own);
        } else {
            // SAFETY: as above; the inputs do not overlap the results.
            let inputs = unsafe { std::slice::from_raw_parts(x, count) };
            plan.process_immutable_with_scratch(inputs, results, &mut self.own);
        }
        if scale != T::one() {
            for number in results {
                *number = *number * scale;
            }
        }
    }

    /// Transforms `count` neighbouring columns of `length` numbers, which are `inner` apart.
    ///
    /// # Safety
    /// The numbers of the columns are valid, both arrays are the same or do not overlap, and nothing else writes these
    /// columns or reads those of `y`.
    unsafe fn columns(
        &mut self,
        plan: &dyn Fft<T>,
        (x, y): (*const Complex<T>, *mut Complex<T>),
        [length, inner, count]: [usize; 3],
        scale: T,
    ) {
        let columns = &mut self.columns[..count * length];
        for row in 0..length {
            for column in 0..count {
                // SAFETY: as for this function.
                columns[column * length + row] = unsafe { *x.add(row * inner + column) };
            }
        }
        plan.process_with_scratch(columns, &mut self.own);
        for row in 0..length {
            for column in 0..count {
                // SAFETY: as for this function.
                unsafe { *y.add(row * inner + column) = columns[column * length + row] * scale };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_backend::Scale;

    /// Sums of products with roots, in `f64`.
    fn reference(form: &Transform, x: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let [length, inner] = [form.length as usize, form.inner as usize];
        let sign = if form.inverse { 1.0 } else { -1.0 };
        let mut y = vec![Complex::new(0.0, 0.0); x.len()];
        for (at, result) in y.iter_mut().enumerate() {
            let (part, k, column) = (at / (length * inner), at / inner % length, at % inner);
            for j in 0..length {
                let angle = sign * std::f64::consts::TAU * ((j * k) % length) as f64 / length as f64;
                *result += x[(part * length + j) * inner + column] * Complex::from_polar(form.scale.get(), angle);
            }
        }
        y
    }

    fn check<T: FftNum>(form: Transform, from: fn(f64) -> T, to: fn(T) -> f64, bound: f64) {
        let number = |at: usize| Complex::new(((at * 7) % 11) as f64 - 5.0, ((at * 5) % 13) as f64 - 6.0);
        let x: Vec<Complex<f64>> = (0..form.numbers() as usize).map(number).collect();
        let wanted = reference(&form, &x);
        let mut inputs: Vec<Complex<T>> = x.iter().map(|x| Complex::new(from(x.re), from(x.im))).collect();
        let before = inputs.clone();
        let mut y = vec![Complex::new(from(f64::NAN), from(f64::NAN)); x.len()];
        let transforms = Transforms::new(form);
        let start = inputs.as_mut_ptr().cast();
        let judge = |y: &[Complex<T>]| {
            let size: f64 = wanted.iter().map(Complex::norm_sqr).sum();
            let pairs = y.iter().zip(&wanted);
            let error: f64 = pairs.map(|(y, wanted)| (Complex::new(to(y.re), to(y.im)) - wanted).norm_sqr()).sum();
            assert!(error <= bound * bound * size, "{form}: {}", (error / size).sqrt());
        };
        // SAFETY: both arrays have as many numbers as the form says, and nothing else uses them.
        unsafe { transforms.run(2, [start, y.as_mut_ptr().cast()]).unwrap() };
        judge(&y);
        assert!(inputs == before, "inputs are only read");
        // SAFETY: as above.
        unsafe { transforms.run(2, [start, start]).unwrap() };
        judge(&inputs);
    }

    #[test]
    fn transforms_of_each_form_match_sums() {
        for [lines, length, inner] in
            [[1, 1, 1], [3, 2, 1], [5, 97, 1], [200, 64, 1], [2, 30, 3], [1, 64, 40], [3, 17, 16], [1, 1031, 1]]
        {
            for (inverse, scale) in [(false, 1.0), (true, 1.0 / f64::from(length))] {
                let form = Transform { lines, length, inner, inverse, double: false, scale: Scale::new(scale) };
                check::<f32>(form, |value| value as f32, f64::from, 1e-6);
                check::<f64>(Transform { double: true, ..form }, |value| value, |value| value, 1e-14);
            }
        }
    }

    #[test]
    fn short_lines_and_neighbouring_columns_are_units() {
        let units = |lines, length, inner| {
            let form = Transform { lines, length, inner, inverse: false, double: false, scale: Scale::ONE };
            Transforms::new(form).units()
        };
        assert_eq!(units(1000, 64, 1), Units { lines: 128, of_part: 8, count: 8 });
        assert_eq!(units(3, 1 << 14, 1), Units { lines: 1, of_part: 3, count: 3 });
        assert_eq!(units(2, 1 << 14, 100), Units { lines: 16, of_part: 7, count: 14 });
        assert_eq!(units(2, 64, 1000), Units { lines: 128, of_part: 8, count: 16 });
        assert_eq!(units(2, 64, 5), Units { lines: 5, of_part: 1, count: 2 });
    }
}
