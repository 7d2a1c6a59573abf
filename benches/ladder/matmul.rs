//! Matrix products, square, thin and deep, into wider results, and with gaps between rows: one element per invocation, and
//! each method of `Matmul` that the device has.

use anywarp::ops::{Matmul, MatmulElement, MatmulMethod, MatmulResult};
use anywarp::{Recording, UnifiedBuffer, Wgsl, bf16, f16};

use crate::rungs::{Ladder, close, numbers};
use crate::shared::Outcome;

struct Arrays<T, R> {
    a: UnifiedBuffer<T>,
    b: UnifiedBuffer<T>,
    c: UnifiedBuffer<R>,
    bias: UnifiedBuffer<R>,
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

impl Number for bf16 {
    const NAME: &'static str = "bf16";
    const TOLERANCE: f32 = 1e-2;

    fn of(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn value(self) -> f32 {
        self.to_f32()
    }
}

/// The sizes and the storage of a product.
#[derive(Clone, Copy, Default)]
struct Form {
    sizes: [usize; 3],
    /// Whether `b` is stored transposed.
    is_transposed: bool,
    /// The number of elements between the rows of each matrix.
    gap: usize,
    has_bias: bool,
}

type New<T, R> = fn([usize; 3]) -> Matmul<'static, T, R>;

impl Form {
    fn square(side: usize) -> Self {
        Self { sizes: [side; 3], ..Self::default() }
    }

    fn product<'r, T: MatmulElement, R: MatmulResult<T>>(
        self,
        new: New<T, R>,
        bias: &'r UnifiedBuffer<R>,
    ) -> Matmul<'r, T, R> {
        let mut product: Matmul<'r, T, R> = new(self.sizes);
        if self.is_transposed {
            product = product.transpose_b();
        }
        if self.gap > 0 {
            product = product.row_strides(self.lines());
        }
        if self.has_bias { product.bias(bias) } else { product }
    }

    /// The elements from one row of `a`, `b` and `c` to the next.
    fn lines(self) -> [usize; 3] {
        let [_, k, n] = self.sizes;
        [k, if self.is_transposed { k } else { n }, n].map(|length| length + self.gap)
    }

    /// The lengths of `a`, `b` and `c`.
    fn lengths(self) -> [usize; 3] {
        let ([m, k, n], [of_a, of_b, of_c]) = (self.sizes, self.lines());
        [m * of_a, if self.is_transposed { n } else { k } * of_b, m * of_c]
    }

    /// The element of the product; the host computes only some, because all would take too long.
    fn element(self, a: &[f32], b: &[f32], [row, column]: [usize; 2]) -> f32 {
        let [of_a, of_b, _] = self.lines();
        let of_b = |k| if self.is_transposed { b[column * of_b + k] } else { b[k * of_b + column] };
        (0..self.sizes[1]).map(|k| f64::from(a[row * of_a + k]) * f64::from(of_b(k))).sum::<f64>() as f32
    }

    fn name<T: Number, R: Number>(self) -> String {
        let [m, k, n] = self.sizes;
        let result = if T::NAME == R::NAME { String::new() } else { format!(" into {}", R::NAME) };
        let transposed = if self.is_transposed { " transposed" } else { "" };
        let gap = if self.gap > 0 { format!(", gaps of {}", self.gap) } else { String::new() };
        let bias = if self.has_bias { ", bias" } else { "" };
        format!("matrix product {}{result}, {m} x {k} x {n}{transposed}{gap}{bias}", T::NAME)
    }
}

/// Products of square matrices.
pub(crate) fn climb(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    naive(ladder, side)?;
    products::<f32, f32>(ladder, Form::square(side), Matmul::new, &METHODS)?;
    products::<f16, f16>(ladder, Form::square(side), Matmul::new, &METHODS)
}

/// Measures products of thin matrices with a matrix of `large` rows and columns, and a deep product.
pub(crate) fn climb_thin(ladder: &mut Ladder, large: usize) -> Outcome<()> {
    // The forms: one row, eight rows, a column, a small result of a deep product, and one row with a transposed matrix.
    let thin = [[1, large, large], [8, large, large], [large, large, 1], [64, large, 64]];
    let forms = thin.map(|sizes| (sizes, false)).into_iter().chain([([1, large, large], true)]);
    for (sizes, is_transposed) in forms {
        let form = Form { sizes, is_transposed, ..Form::default() };
        products::<f32, f32>(ladder, form, Matmul::new, &METHODS)?;
        products::<f16, f16>(ladder, form, Matmul::new, &METHODS)?;
    }
    Ok(())
}

/// Measures results in `f32` of factors of 16 bits, and matrices with gaps between rows, beside products without either;
/// and shallow wide products with a bias, which a library adds in a second pass.
pub(crate) fn climb_forms(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let dense = Form::square(side);
    let gaps = Form { gap: 64, ..dense };
    for form in [dense, gaps] {
        products::<f32, f32>(ladder, form, Matmul::new, &FAST)?;
        products::<f16, f16>(ladder, form, Matmul::new, &FAST)?;
        products::<f16, f32>(ladder, form, Matmul::wide, &FAST)?;
        products::<bf16, f32>(ladder, form, Matmul::wide, &[MatmulMethod::Tiles, MatmulMethod::Library])?;
    }
    for depth in [side / 32, side / 16, side / 8, side / 4] {
        let shallow = Form { sizes: [side, depth, side], has_bias: true, ..Form::default() };
        products::<f16, f32>(ladder, shallow, Matmul::wide, &FAST)?;
    }
    Ok(())
}

const METHODS: [MatmulMethod; 5] = [
    MatmulMethod::Tiles,
    MatmulMethod::WideTiles,
    MatmulMethod::Cooperative,
    MatmulMethod::Vector,
    MatmulMethod::Library,
];

/// The methods for large matrices, in `f32` or by tensor cores.
const FAST: [MatmulMethod; 3] = [MatmulMethod::WideTiles, MatmulMethod::Cooperative, MatmulMethod::Library];

fn label(method: MatmulMethod) -> &'static str {
    match method {
        MatmulMethod::Tiles => "tiles",
        MatmulMethod::WideTiles => "wide tiles",
        MatmulMethod::Cooperative => "cooperative",
        MatmulMethod::Vector => "vectors",
        _ => "library",
    }
}

/// A product of square matrices by one invocation for each element.
fn naive(ladder: &mut Ladder, side: usize) -> Outcome<()> {
    let kernel = ladder.device.kernel(Wgsl::new(include_str!("product.wgsl")).file("product.wgsl"))?;
    let launch = |Arrays { a, b, c, .. }: &mut Arrays<f32, f32>, recording: &mut Recording| {
        let launch = kernel.launch().set("side", side as u32).bind("a", &*a).bind("b", &*b).bind("c", c);
        launch.record(recording).threads([side, side])?;
        Ok(())
    };
    rungs(ladder, Form::square(side), Matmul::new, &[("naive", &launch)])
}

fn products<T: Number, R: Number + MatmulResult<T>>(
    ladder: &mut Ladder,
    form: Form,
    new: New<T, R>,
    methods: &[MatmulMethod],
) -> Outcome<()> {
    let device = ladder.device.clone();
    let none = device.buffer::<R>(form.sizes[2])?;
    // The device, the type or the sizes do not support some methods.
    let possible = |method: &&MatmulMethod| form.product(new, &none).method(**method).chosen(&device).is_ok();
    let launches: Vec<_> = methods
        .iter()
        .filter(possible)
        .map(|method| {
            let method = *method;
            let launch = move |Arrays { a, b, c, bias }: &mut Arrays<T, R>, recording: &mut Recording| {
                Ok(form.product(new, bias).method(method).record(recording).run(&*a, &*b, c)?)
            };
            (label(method), launch)
        })
        .collect();
    let launches: Vec<(&'static str, &Launch<'_, T, R>)> =
        launches.iter().map(|(name, launch)| (*name, launch as &Launch<'_, T, R>)).collect();
    rungs(ladder, form, new, &launches)
}

type Launch<'l, T, R> = dyn Fn(&mut Arrays<T, R>, &mut Recording) -> Outcome<()> + 'l;

/// Measures implementations of one product with the same arrays.
fn rungs<T: Number, R: Number + MatmulResult<T>>(
    ladder: &mut Ladder,
    form: Form,
    new: New<T, R>,
    launches: &[(&'static str, &Launch<'_, T, R>)],
) -> Outcome<()> {
    let ([m, _, n], [.., line_of_c]) = (form.sizes, form.lines());
    let [of_a, of_b, of_c] = form.lengths();
    let rounded = |count, seed| numbers(count, seed).into_iter().map(T::of).collect::<Vec<T>>();
    let (a, b) = (rounded(of_a, 1), rounded(of_b, 2));
    let bias: Vec<R> = numbers(n, 3).into_iter().map(R::of).collect();
    let samples: Vec<[usize; 2]> = (0..997).map(|at| at * 7919 % (m * n)).map(|at: usize| [at / n, at % n]).collect();
    let wanted: Vec<f32> = {
        let values = |elements: &[T]| elements.iter().map(|element| element.value()).collect::<Vec<f32>>();
        let (of_a, of_b) = (values(&a), values(&b));
        let added = |column: usize| if form.has_bias { bias[column].value() } else { 0.0 };
        samples.iter().map(|at| form.element(&of_a, &of_b, *at) + added(at[1])).collect()
    };
    let device = ladder.device.clone();
    let (c, bias) = (device.buffer(of_c)?, device.buffer_from(&bias)?);
    let mut arrays = Arrays { a: device.buffer_from(&a)?, b: device.buffer_from(&b)?, c, bias };
    let cost = form.product(new, &arrays.bias).cost(&device)?;
    let operator = form.name::<T, R>();
    for (name, launch) in launches {
        arrays.c.fill(R::of(0.0))?;
        let check = |arrays: &Arrays<T, R>| {
            let c = arrays.c.read()?;
            let got: Vec<f32> = samples.iter().map(|[row, column]| c[row * line_of_c + column].value()).collect();
            close(&got, &wanted, T::TOLERANCE)
        };
        ladder.rung((&operator, name), cost, &mut arrays, launch, check)?;
    }
    Ok(())
}
