//! A matrix product: one element per invocation, and each method of `Matmul` that the device has.

use anywarp::ops::{Matmul, MatmulElement, MatmulMethod};
use anywarp::{Recording, UnifiedBuffer, Wgsl, f16};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

struct Arrays<T> {
    a: UnifiedBuffer<T>,
    b: UnifiedBuffer<T>,
    c: UnifiedBuffer<T>,
}

/// Some elements of the product, row-major; computing all of them would take the host too long.
fn sampled(a: &[f32], b: &[f32], side: usize, at: usize) -> f32 {
    let (row, column) = (at / side, at % side);
    (0..side).map(|k| f64::from(a[row * side + k]) * f64::from(b[k * side + column])).sum::<f64>() as f32
}

/// An element type of the bench.
trait Number: MatmulElement {
    const NAME: &'static str;
    /// The allowed error of an element, relative to the largest.
    const TOLERANCE: f32;

    fn of(value: f32) -> Self;
    fn value(self) -> f32;
}

impl Number for f32 {
    const NAME: &'static str = "f32";
    const TOLERANCE: f32 = 1e-3;

    fn of(value: f32) -> Self {
        value
    }

    fn value(self) -> f32 {
        self
    }
}

impl Number for f16 {
    const NAME: &'static str = "f16";
    const TOLERANCE: f32 = 1e-2;

    fn of(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn value(self) -> f32 {
        self.to_f32()
    }
}

pub(crate) fn climb(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    products::<f32>(ladder, side)?;
    products::<f16>(ladder, side)
}

fn products<T: Number>(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let rounded = |seed| numbers(side * side, seed).into_iter().map(T::of).collect::<Vec<T>>();
    let (a, b) = (rounded(1), rounded(2));
    let samples: Vec<usize> = (0..997).map(|at| at * 7919 % (side * side)).collect();
    let values = |elements: &[T]| elements.iter().map(|element| element.value()).collect::<Vec<f32>>();
    let (of_a, of_b) = (values(&a), values(&b));
    let wanted: Vec<f32> = samples.iter().map(|at| sampled(&of_a, &of_b, side, *at)).collect();
    let device = ladder.device.clone();
    let c = device.buffer(side * side)?;
    let mut arrays = Arrays { a: device.buffer_from(&a)?, b: device.buffer_from(&b)?, c };
    let cost = Matmul::<T>::new([side; 3]).cost(&device)?;
    let operator = format!("matrix product {}, {side} x {side}", T::NAME);
    let check = |arrays: &Arrays<T>| {
        let c = arrays.c.read()?;
        let got: Vec<f32> = samples.iter().map(|at| c[*at].value()).collect();
        close(&got, &wanted, T::TOLERANCE)
    };

    if T::NAME == "f32" {
        let kernel = device.kernel(Wgsl::new(include_str!("product.wgsl")).file("product.wgsl"))?;
        let naive = |Arrays { a, b, c }: &mut Arrays<T>, recording: &mut Recording| {
            let launch = kernel.launch().set("side", side as u32).bind("a", &*a).bind("b", &*b).bind("c", c);
            launch.record(recording).threads([side, side])?;
            Ok(())
        };
        ladder.rung((&operator, "naive"), cost, &mut arrays, naive, check)?;
    }
    let methods = [
        (MatmulMethod::Tiles, "tiles"),
        (MatmulMethod::WideTiles, "wide tiles"),
        (MatmulMethod::Cooperative, "cooperative"),
        (MatmulMethod::Library, "library"),
    ];
    for (method, name) in methods {
        // A method that the device or the type lacks.
        if Matmul::<T>::new([side; 3]).method(method).chosen(&device).is_err() {
            continue;
        }
        arrays.c.fill(T::of(0.0))?;
        let product = |Arrays { a, b, c }: &mut Arrays<T>, recording: &mut Recording| {
            Ok(Matmul::new([side; 3]).method(method).record(recording).run(&*a, &*b, c)?)
        };
        ladder.rung((&operator, name), cost, &mut arrays, product, check)?;
    }
    Ok(())
}
