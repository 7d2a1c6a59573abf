//! Results in `f32` of factors of 16 bits, and matrices with gaps between rows: whole numbers, whose sums are exact.

use anywarp::Device;
use anywarp::backend::{DeviceKind, Routine};
use anywarp::ops::{Activation, Matmul, MatmulElement, MatmulMethod, MatmulResult, OperationError, Precision};
use half::{bf16, f16};

use super::element::Number;
use super::forms::METHODS;
use crate::Case;
use crate::outcome::{Context, TestResult, equal, fail, refused, same};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("f16::wide".to_owned(), |device| wide::<f16>(device, Matmul::wide)),
        ("bf16::wide".to_owned(), |device| wide::<bf16>(device, Matmul::wide)),
        ("f32::strides".to_owned(), |device| strides::<f32, f32>(device, Matmul::new)),
        ("f16::strides".to_owned(), |device| strides::<f16, f16>(device, Matmul::new)),
        ("bf16::strides".to_owned(), |device| strides::<bf16, bf16>(device, Matmul::new)),
        ("f16::strides_of_wide_products".to_owned(), |device| strides::<f16, f32>(device, Matmul::wide)),
        ("f32::heads_side_by_side".to_owned(), heads),
        ("f32::batches_of_columns".to_owned(), batches_of_columns),
        ("f32::strides_without_depth".to_owned(), strides_without_depth),
        ("f16::wide_keeps_what_f16_loses".to_owned(), exact_sums),
        ("by_the_library".to_owned(), by_the_library),
        ("strides_refusals".to_owned(), refusals),
    ]
}

type New<'r, T, R> = fn([usize; 3]) -> Matmul<'r, T, R>;

/// The product, and where its matrices lie.
#[derive(Clone, Copy, Debug)]
struct Form {
    sizes: [usize; 3],
    batches: usize,
    transposed: [bool; 2],
    shares_b: bool,
    /// Elements beyond those of a row, and of a matrix.
    gaps: Option<[[usize; 3]; 2]>,
    /// Elements before each array in its buffer.
    before: usize,
}

impl Form {
    /// The stored rows and columns of each array.
    fn stored(self) -> [[usize; 2]; 3] {
        let [m, k, n] = self.sizes;
        let stored =
            |[rows, columns]: [usize; 2], transposed| if transposed { [columns, rows] } else { [rows, columns] };
        [stored([m, k], self.transposed[0]), stored([k, n], self.transposed[1]), [m, n]]
    }

    fn row_strides(self) -> [usize; 3] {
        let [gaps, _] = self.gaps.unwrap_or_default();
        [0, 1, 2].map(|array| self.stored()[array][1] + gaps[array])
    }

    fn batch_strides(self) -> [usize; 3] {
        let [_, gaps] = self.gaps.unwrap_or_default();
        [0, 1, 2].map(|array| self.stored()[array][0] * self.row_strides()[array] + gaps[array])
    }

    /// The place of an element of an array.
    fn place(self, array: usize, batch: usize, [row, column]: [usize; 2]) -> usize {
        let transposed = self.transposed.get(array) == Some(&true);
        let [row, column] = if transposed { [column, row] } else { [row, column] };
        let batch = if array == 1 && self.shares_b { 0 } else { batch };
        self.before + batch * self.batch_strides()[array] + row * self.row_strides()[array] + column
    }

    /// The length of a buffer for an array.
    fn length(self, array: usize) -> usize {
        self.before + self.batches * self.batch_strides()[array]
    }
}

fn whole(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + at / 13 + seed * 5) % 7) as f32 - 3.0).collect()
}

/// The product with the places of its matrices.
fn placed<'r, T: MatmulElement, R: MatmulResult<T>>(mut product: Matmul<'r, T, R>, form: Form) -> Matmul<'r, T, R> {
    if form.transposed[0] {
        product = product.transpose_a();
    }
    if form.transposed[1] {
        product = product.transpose_b();
    }
    if form.shares_b {
        product = product.share_b();
    }
    if form.gaps.is_some() {
        product = product.row_strides(form.row_strides()).batch_strides(form.batch_strides());
    }
    product
}

/// Compares a product with plain loops; nothing between its rows may change.
fn check<'r, T: Number, R: Number + MatmulResult<T>>(
    device: &Device,
    form: Form,
    product: Matmul<'r, T, R>,
    with_epilogue: bool,
) -> TestResult {
    let Form { sizes: [m, k, n], batches, .. } = form;
    let numbers = [0, 1, 2].map(|array| whole(form.length(array), array));
    let upload = |numbers: &[f32]| device.buffer_from(&numbers.iter().map(|x| T::of(*x)).collect::<Vec<_>>());
    let (a, b) = (upload(&numbers[0])?, upload(&numbers[1])?);
    let results = |numbers: &[f32]| numbers.iter().map(|x| R::of(*x)).collect::<Vec<_>>();
    let mut c = device.buffer_from(&results(&numbers[2]))?;
    let (of_bias, of_residual) = (whole(n, 3), whole(form.length(2), 4));
    let (bias, residual) = (device.buffer_from(&results(&of_bias))?, device.buffer_from(&results(&of_residual))?);
    let mut product = placed(product.batches(batches), form);
    let (mut beta, mut alpha) = (0.0, 1.0);
    let start = form.before;
    let end_of_b = if form.shares_b { start + form.batch_strides()[1] } else { form.length(1) };
    if with_epilogue {
        (alpha, beta) = (2.0, 3.0);
        product =
            product.alpha(alpha).beta(beta).bias(&bias).activation(Activation::Relu).residual(residual.slice(start..));
    }
    product.run(a.slice(start..), b.slice(start..end_of_b), c.slice_mut(start..))?;
    let mut wanted = numbers[2].clone();
    for batch in 0..batches {
        for (row, column) in (0..m).flat_map(|row| (0..n).map(move |column| (row, column))) {
            // The first of the factors, and the distance of the next one.
            let line = |array: usize, places: [[usize; 2]; 2]| {
                let [first, second] = places.map(|place| form.place(array, batch, place));
                (first, second - first)
            };
            let (of_a, of_b) = (line(0, [[row, 0], [row, 1]]), line(1, [[0, column], [1, column]]));
            let product = |at: usize| numbers[0][of_a.0 + at * of_a.1] * numbers[1][of_b.0 + at * of_b.1];
            let sum: f32 = (0..k).map(product).sum();
            let at = form.place(2, batch, [row, column]);
            wanted[at] = alpha * sum + beta * wanted[at];
            if with_epilogue {
                wanted[at] = (wanted[at] + of_bias[column]).max(0.0) + of_residual[at];
            }
        }
    }
    same(&c.read()?, &results(&wanted), "the product and what lies between its rows")
}

/// Rows, depth and columns: small, around tiles, aligned, thin, deep.
const SHAPES: [[usize; 3]; 9] = [
    [3, 5, 7],
    [65, 33, 70],
    [132, 36, 136],
    [1, 40, 68],
    [67, 40, 1],
    [4, 264, 36],
    [20, 1090, 13],
    [3, 1060, 68],
    [2, 0, 3],
];

/// Checks a product by each method that the device has for it, and by the default.
fn check_each<T: Number, R: Number + MatmulResult<T>>(
    device: &Device,
    form: Form,
    new: New<'_, T, R>,
    with_epilogue: bool,
) -> TestResult {
    let is_software = device.caps().kind == DeviceKind::Software;
    for method in METHODS.map(Some).into_iter().chain([None]) {
        let chosen = |method| {
            let product = placed(new(form.sizes).batches(form.batches), form);
            // A library may lack the epilogue of a product.
            let product = if with_epilogue { product.activation(Activation::Relu) } else { product };
            product.method(method).chosen(device).is_ok()
        };
        // Cooperative matrices need arrays that begin at multiples of four elements.
        let aligned = form.before.is_multiple_of(4) || method != Some(MatmulMethod::Cooperative);
        // A processor compiles each kernel of tiles for seconds: one of wide tiles, and the default once.
        let slow = match method {
            Some(MatmulMethod::WideTiles) if is_software => form.sizes != SHAPES[1] || with_epilogue,
            Some(MatmulMethod::WideTiles) => form.transposed != [true, false] || form.sizes[0] < 60,
            None => is_software && form.sizes != SHAPES[0],
            _ => false,
        };
        if aligned && !slow && method.is_none_or(chosen) {
            let product = new(form.sizes);
            let product = if let Some(method) = method { product.method(method) } else { product };
            check(device, form, product, with_epilogue).context(|| format!("{form:?} {method:?}"))?;
        }
    }
    Ok(())
}

fn wide<T: Number>(device: &Device, new: New<'_, T, f32>) -> TestResult
where
    f32: MatmulResult<T>,
{
    for (at, sizes) in SHAPES.into_iter().enumerate() {
        let transposed = [at % 2 == 1, at % 3 == 1];
        let form =
            Form { sizes, batches: 1 + at % 2, transposed, shares_b: at % 4 == 1, gaps: None, before: at % 3 * 4 };
        // Where kernels compile slowly, each shape has one of the two.
        let both = device.caps().kind != DeviceKind::Software || at == 0;
        for with_epilogue in [false, true].into_iter().filter(|with| both || *with == (at % 2 == 0)) {
            check_each(device, form, new, with_epilogue)?;
        }
    }
    Ok(())
}

fn strides<T: Number, R: Number + MatmulResult<T>>(device: &Device, new: New<'_, T, R>) -> TestResult {
    for (at, sizes) in SHAPES.into_iter().enumerate() {
        // Sums of deep products in 16 bits would be rounded.
        if sizes[1] > 300 && size_of::<R>() == 2 || sizes[1] > 20 && R::ROUNDING > 1e-3 {
            continue;
        }
        let gaps = [[[0, 0, 1], [0, 0, 0]], [[1, 2, 3], [5, 1, 2]], [[4, 8, 4], [0, 4, 8]]][at % 3];
        let places = [([false, false], 0), ([true, false], 4), ([false, true], 1), ([true, true], 3)];
        // One place for each shape, and all of them for the aligned one, as each form is a kernel of its own.
        let has_all = at == 2 && (device.caps().kind != DeviceKind::Software || size_of::<R>() == size_of::<T>());
        for (transposed, before) in if has_all { &places[..] } else { &places[at % 4..][..1] } {
            let (transposed, before) = (*transposed, *before);
            let form = Form { sizes, batches: 1 + at % 3, transposed, shares_b: at % 4 == 1, gaps: Some(gaps), before };
            check_each(device, form, new, at % 2 == 0)?;
        }
    }
    Ok(())
}

/// The queries and keys of heads lie side by side in common rows, and so do the results.
fn heads(device: &Device) -> TestResult {
    let [positions, heads, size] = [5, 3, 4];
    let (of_q, of_k) = (whole(positions * heads * size, 1), whole(positions * heads * size, 2));
    let (q, k) = (device.buffer_from(&of_q)?, device.buffer_from(&of_k)?);
    let mut scores = device.buffer_from(&vec![9.0f32; positions * heads * positions])?;
    let row = heads * size;
    Matmul::new([positions, size, positions])
        .transpose_b()
        .batches(heads)
        .row_strides([row, row, heads * positions])
        .batch_strides([size, size, positions])
        .run(&q, &k, &mut scores)?;
    let got = scores.read()?;
    for head in 0..heads {
        for (from, to) in (0..positions).flat_map(|from| (0..positions).map(move |to| (from, to))) {
            let of = |numbers: &[f32], position: usize, at: usize| numbers[position * row + head * size + at];
            let wanted: f32 = (0..size).map(|at| of(&of_q, from, at) * of(&of_k, to, at)).sum();
            let got = got[from * heads * positions + head * positions + to];
            if got != wanted {
                return fail(format!("head {head}, {from} to {to}: {wanted}, got {got}"));
            }
        }
    }
    Ok(())
}

/// Products with single columns, whose matrices follow each other directly.
fn batches_of_columns(device: &Device) -> TestResult {
    let a = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
    let b = device.buffer_from(&[1.0f32, 10.0, 100.0, 1000.0])?;
    let mut c = device.buffer_from(&[9.0f32; 8])?;
    Matmul::new([2, 2, 1]).batches(2).row_strides([2, 1, 2]).run(&a, &b, &mut c)?;
    same(&c.read()?, &[21.0, 9.0, 43.0, 9.0, 6500.0, 9.0, 8700.0, 9.0], "columns")?;
    // The column is a single row of a transposed factor.
    let mut c = device.buffer_from(&[9.0f32; 8])?;
    Matmul::new([1, 2, 2]).transpose_a().batches(2).row_strides([1, 2, 3]).run(&b, &a, c.slice_mut(..6))?;
    same(&c.read()?, &[31.0, 42.0, 9.0, 7500.0, 8600.0, 9.0, 9.0, 9.0], "rows of transposed columns")
}

/// A sum of no products is zero, and nothing between the rows of zeros changes.
fn strides_without_depth(device: &Device) -> TestResult {
    let none = device.buffer::<f32>(4)?;
    let mut c = device.buffer_from(&[9.0f32; 4])?;
    Matmul::new([2, 0, 1]).row_strides([1, 1, 2]).run(&none, &none, &mut c)?;
    same(&c.read()?, &[0.0, 9.0, 0.0, 9.0], "zeros and what lies between them")
}

/// A sum of many ones, which `f16` cannot represent.
fn exact_sums(device: &Device) -> TestResult {
    let depth = 4099;
    let ones = device.buffer_from(&vec![f16::ONE; depth])?;
    let mut c = device.buffer::<f32>(1)?;
    Matmul::wide([1, depth, 1]).run(&ones, &ones, &mut c)?;
    same(&c.read()?, &[depth as f32], "a sum of ones")
}

/// The library computes what the device lists, by default and on request, and refuses other products.
fn by_the_library(device: &Device) -> TestResult {
    let sizes = [3, 5, 7];
    let strides = [8, 9, 10];
    forced(device, Matmul::<f32>::new(sizes).row_strides([5, 7, 7]), Routine::MatrixProduct(Precision::F32))?;
    forced(device, Matmul::<f32>::new(sizes).row_strides(strides), Routine::StridedProduct(Precision::F32))?;
    forced(device, Matmul::<f16>::new(sizes).row_strides(strides), Routine::StridedProduct(Precision::F16))?;
    forced(device, Matmul::<f16, f32>::wide(sizes), Routine::WideProduct(Precision::F16))?;
    forced(device, Matmul::<bf16, f32>::wide(sizes), Routine::WideProduct(Precision::Bf16))?;
    let product = Matmul::<bf16, f32>::wide(sizes).row_strides(strides);
    forced(device, product, Routine::StridedWideProduct(Precision::Bf16))?;
    // The pass with the epilogue writes no halves with gaps between them.
    let product = Matmul::<f16>::new(sizes).row_strides(strides).activation(Activation::Relu);
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    refused(product.method(MatmulMethod::Library).chosen(device).map(drop), choice, &["a `c` without gaps"])
}

fn forced<T: MatmulElement, R: MatmulResult<T>>(
    device: &Device,
    product: Matmul<'_, T, R>,
    routine: Routine,
) -> TestResult {
    let has_library = device.caps().library.contains(&routine);
    let by_default = product.chosen(device)? == MatmulMethod::Library;
    let on_request = product.method(MatmulMethod::Library).chosen(device).is_ok();
    equal((by_default, on_request), (has_library, has_library), &format!("by {routine:?}, by default and on request"))
}

fn refusals(device: &Device) -> TestResult {
    let (a, b) = (device.buffer::<f32>(12)?, device.buffer::<f32>(12)?);
    let mut c = device.buffer_from(&[5.0f32; 12])?;
    let view = |error: &OperationError| matches!(error, OperationError::View { .. });
    let product = |lines| Matmul::new([2, 3, 4]).row_strides(lines);
    let text = "matrix product: 'c' of shape [1, 2, 4] and strides [6, 3, 1] writes one element twice";
    refused(product([3, 4, 3]).run(&a, &b, &mut c), view, &[text])?;
    let text = "matrix product: 'a' of shape [2, 3] and strides [20, 10, 1] needs 13 elements, but the array has 12";
    refused(product([10, 4, 4]).run(&a, &b, &mut c), view, &[text])?;
    let text = "'c' of shape [2, 4] and strides [18, 9, 1] needs 13 elements, but the array has 12";
    refused(product([3, 4, 9]).run(&a, &b, &mut c), view, &[text])?;
    let choice = |error: &OperationError| matches!(error, OperationError::Choice { .. });
    let text = "a row stride of 4294967296 is not possible; use at most 4294967295 elements";
    refused(product([1 << 32, 4, 4]).run(&a, &b, &mut c), choice, &[text])?;
    let library = product([2, 4, 4]).method(MatmulMethod::Library).run(&a, &b, &mut c);
    refused(library, choice, &["the method the library is not possible", "rows that do not overlap"])?;
    same(&c.read()?, &[5.0; 12], "nothing has run")
}
