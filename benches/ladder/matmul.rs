//! Matrix products, square, thin and deep: one element per invocation, and each method of `Matmul` that the device has.

use anywarp::ops::{Matmul, MatmulElement, MatmulMethod};
use anywarp::{Recording, UnifiedBuffer, Wgsl, f16};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

struct Arrays<T> {
    a: UnifiedBuffer<T>,
    b: UnifiedBuffer<T>,
    c: UnifiedBuffer<T>,
}

/// The element `at` of the product, row-major; the host computes only some elements, because all would take too long.
fn sampled(a: &[f32], b: &[f32], [_, depth, columns]: [usize; 3], is_transposed: bool, at: usize) -> f32 {
    let (row, column) = (at / columns, at % columns);
    let of_b = |k| if is_transposed { b[column * depth + k] } else { b[k * columns + column] };
    (0..depth).map(|k| f64::from(a[row * depth + k]) * f64::from(of_b(k))).sum::<f64>() as f32
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

/// The sizes of a product, and whether `b` is stored transposed.
#[derive(Clone, Copy)]
struct Form {
    sizes: [usize; 3],
    is_transposed: bool,
}

impl Form {
    fn product<T: MatmulElement>(self) -> Matmul<'static, T> {
        let product = Matmul::new(self.sizes);
        if self.is_transposed { product.transpose_b() } else { product }
    }
}

/// Products of square matrices.
pub(crate) fn climb(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let square = Form { sizes: [side; 3], is_transposed: false };
    products::<f32>(ladder, square)?;
    products::<f16>(ladder, square)
}

/// Measures products of thin matrices with a matrix of `large` rows and columns, and a deep product.
pub(crate) fn climb_thin(ladder: &mut Ladder, large: usize) -> Outcome<()> {
    // The forms: one row, eight rows, a column, a small result of a deep product, and one row with a transposed matrix.
    let thin = [[1, large, large], [8, large, large], [large, large, 1], [64, large, 64]];
    let forms = thin.map(|sizes| (sizes, false)).into_iter().chain([([1, large, large], true)]);
    for (sizes, is_transposed) in forms {
        products::<f32>(ladder, Form { sizes, is_transposed })?;
        products::<f16>(ladder, Form { sizes, is_transposed })?;
    }
    Ok(())
}

fn products<T: Number>(ladder: &mut Ladder, form: Form) -> Outcome<()> {
    let Form { sizes: [m, k, n], is_transposed } = form;
    let rounded = |count, seed| numbers(count, seed).into_iter().map(T::of).collect::<Vec<T>>();
    let (a, b) = (rounded(m * k, 1), rounded(k * n, 2));
    let samples: Vec<usize> = (0..997).map(|at| at * 7919 % (m * n)).collect();
    let values = |elements: &[T]| elements.iter().map(|element| element.value()).collect::<Vec<f32>>();
    let (of_a, of_b) = (values(&a), values(&b));
    let wanted: Vec<f32> = samples.iter().map(|at| sampled(&of_a, &of_b, form.sizes, is_transposed, *at)).collect();
    let device = ladder.device.clone();
    let c = device.buffer(m * n)?;
    let mut arrays = Arrays { a: device.buffer_from(&a)?, b: device.buffer_from(&b)?, c };
    let cost = form.product::<T>().cost(&device)?;
    let transposed = if is_transposed { " transposed" } else { "" };
    let operator = format!("matrix product {}, {m} x {k} x {n}{transposed}", T::NAME);
    let check = |arrays: &Arrays<T>| {
        let c = arrays.c.read()?;
        let got: Vec<f32> = samples.iter().map(|at| c[*at].value()).collect();
        close(&got, &wanted, T::TOLERANCE)
    };

    if T::NAME == "f32" && m == n && k == n {
        let kernel = device.kernel(Wgsl::new(include_str!("product.wgsl")).file("product.wgsl"))?;
        let naive = |Arrays { a, b, c }: &mut Arrays<T>, recording: &mut Recording| {
            let launch = kernel.launch().set("side", m as u32).bind("a", &*a).bind("b", &*b).bind("c", c);
            launch.record(recording).threads([m, m])?;
            Ok(())
        };
        ladder.rung((&operator, "naive"), cost, &mut arrays, naive, check)?;
    }
    let methods = [
        (MatmulMethod::Tiles, "tiles"),
        (MatmulMethod::WideTiles, "wide tiles"),
        (MatmulMethod::Cooperative, "cooperative"),
        (MatmulMethod::Vector, "vectors"),
        (MatmulMethod::Library, "library"),
    ];
    for (method, name) in methods {
        // The device, the type or the sizes do not support this method.
        if form.product::<T>().method(method).chosen(&device).is_err() {
            continue;
        }
        arrays.c.fill(T::of(0.0))?;
        let product = |Arrays { a, b, c }: &mut Arrays<T>, recording: &mut Recording| {
            Ok(form.product().method(method).record(recording).run(&*a, &*b, c)?)
        };
        ladder.rung((&operator, name), cost, &mut arrays, product, check)?;
    }
    Ok(())
}
