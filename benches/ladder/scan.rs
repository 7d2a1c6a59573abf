//! Cumulative sums: an invocation for each part of the elements, tiles in three passes, tiles in one pass, and the
//! host.

use anywarp::ops::{Scan, ScanElement, ScanForm};
use anywarp::{Recording, UnifiedBuffer};
use rayon::prelude::*;

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

const FORMS: [(&str, Option<ScanForm>); 6] = [
    ("naive: lines", Some(ScanForm::Lines { parts: 4096 })),
    ("tiles", Some(ScanForm::Tiles)),
    ("chained", Some(ScanForm::Chained)),
    ("vectors", Some(ScanForm::Vectors { each: 8, chained: false })),
    ("vectors, chained", Some(ScanForm::Vectors { each: 8, chained: true })),
    ("Scan", None),
];

struct Arrays<T> {
    x: UnifiedBuffer<T>,
    y: UnifiedBuffer<T>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let small: Vec<u32> = (0..elements as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 20).collect();
    let wanted: Vec<u32> = small
        .iter()
        .scan(0u32, |sum, x| {
            *sum = sum.wrapping_add(*x);
            Some(*sum)
        })
        .collect();
    let exact = |got: &[u32]| match got.iter().zip(&wanted).position(|(got, wanted)| got != wanted) {
        Some(at) => Err(format!("element {at} is {}, not {}", got[at], wanted[at]).into()),
        None => Ok(()),
    };
    rungs(ladder, &format!("scan u32, {elements} elements"), &small, exact)?;
    if is_host(&ladder.device) {
        host(ladder, &format!("scan u32, {elements} elements"), &small)?;
    }
    let x: Vec<f32> = numbers(elements, 1).into_iter().map(|x| x + 2.0).collect();
    let wanted: Vec<f32> = x
        .iter()
        .scan(0.0f64, |sum, x| {
            *sum += f64::from(*x);
            Some(*sum as f32)
        })
        .collect();
    // The expected sums are computed in `f64`, because a sequential sum in `f32` has a rounding for each element; the
    // measured sums have some hundred roundings.
    rungs(ladder, &format!("scan f32, {elements} elements"), &x, |got| close(got, &wanted, 1e-3))?;
    if is_host(&ladder.device) {
        host(ladder, &format!("scan f32, {elements} elements"), &x)?;
    }
    Ok(())
}

fn rungs<T: ScanElement>(
    ladder: &mut Ladder,
    operator: &str,
    x: &[T],
    check: impl Fn(&[T]) -> Outcome<()>,
) -> Outcome<()> {
    let device = ladder.device.clone();
    let cost = Scan::sum().cost::<T>(&device, x.len())?;
    let mut arrays = Arrays { x: device.buffer_from(x)?, y: device.buffer(x.len())? };
    for (what, form) in FORMS {
        arrays.y.fill(T::zeroed())?;
        let record = |Arrays { x, y }: &mut Arrays<T>, recording: &mut Recording| {
            let scan = Scan::sum().record(recording);
            let scan = if let Some(form) = form { scan.form(form) } else { scan };
            Ok(scan.run(&*x, y)?)
        };
        ladder.rung((operator, what), cost, &mut arrays, record, |arrays| check(&arrays.y.read()?))?;
    }
    Ok(())
}

/// A number that the host can add.
trait Number: Copy + Send + Sync + Default {
    fn plus(self, other: Self) -> Self;
}

impl Number for u32 {
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Number for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

fn scanned<T: Number>(x: &[T], y: &mut [T], mut sum: T) {
    for (x, y) in x.iter().zip(y) {
        sum = sum.plus(*x);
        *y = sum;
    }
}

/// Measures a plain loop on the host, and one loop for each thread.
fn host<T: Number + ScanElement>(ladder: &mut Ladder, operator: &str, x: &[T]) -> Outcome<()> {
    let cost = Scan::sum().cost::<T>(&ladder.device, x.len())?;
    let mut y = vec![T::default(); x.len()];
    ladder.host_rung((operator, "one thread of Rust"), cost, || {
        scanned(x, &mut y, T::default());
        std::hint::black_box(&mut y);
        Ok(())
    })?;
    let part = x.len().div_ceil(rayon::current_num_threads()).max(1);
    ladder.host_rung((operator, "rayon"), cost, || {
        let sums: Vec<T> = x.par_chunks(part).map(|x| x.iter().fold(T::default(), |sum, x| sum.plus(*x))).collect();
        let mut before = vec![T::default(); sums.len()];
        for at in 1..sums.len() {
            before[at] = before[at - 1].plus(sums[at - 1]);
        }
        let parts = x.par_chunks(part).zip(y.par_chunks_mut(part)).zip(before);
        parts.for_each(|((x, y), before)| scanned(x, y, before));
        std::hint::black_box(&mut y);
        Ok(())
    })
}
