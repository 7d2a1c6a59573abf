//! Transposed matrices, batches, factors, and every method that the device has.

use anywarp::Device;
use anywarp::ops::{Matmul, MatmulMethod};
use half::{bf16, f16};

use super::element::{Number, numbers};
use super::reference::{self, Exact};
use crate::Case;
use crate::outcome::{Context, TestResult, equal, fail, same};

pub(super) const METHODS: [MatmulMethod; 5] = [
    MatmulMethod::Tiles,
    MatmulMethod::WideTiles,
    MatmulMethod::Cooperative,
    MatmulMethod::Library,
    MatmulMethod::Vector,
];

/// Rows, depth and columns: below, at and above the tiles of all kernels; the last two of the first line have aligned
/// lines. Then thin products, also with aligned lines, and deep products.
const SHAPES: [[usize; 3]; 13] = [
    [3, 5, 7],
    [65, 33, 70],
    [131, 9, 129],
    [132, 36, 136],
    [64, 132, 260],
    [1, 71, 131],
    [1, 300, 260],
    [8, 132, 268],
    [261, 300, 1],
    [129, 36, 7],
    [20, 1090, 13],
    [5, 2100, 3],
    [2, 1060, 132],
];

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("f32::forms".to_owned(), forms::<f32>),
        ("f16::forms".to_owned(), forms::<f16>),
        ("bf16::forms".to_owned(), forms::<bf16>),
        ("old_values_are_read_only_if_they_count".to_owned(), old_values),
        ("no_depth_scales_the_old_values".to_owned(), no_depth),
        ("empty_batches_change_nothing".to_owned(), empty_batches),
        ("methods_are_named".to_owned(), methods),
        ("f32::same_bits".to_owned(), same_bits::<f32>),
        ("f16::same_bits".to_owned(), same_bits::<f16>),
        ("thin_products_keep_infinities".to_owned(), infinities),
    ]
}

/// A product with one set of options.
#[derive(Clone, Copy, Debug)]
struct Form {
    sizes: [usize; 3],
    batches: usize,
    transposed: [bool; 2],
    shared: [bool; 2],
    factors: [f32; 2],
    method: Option<MatmulMethod>,
}

impl Form {
    fn product<T: Number>(self) -> Matmul<'static, T> {
        let [alpha, beta] = self.factors;
        let mut product = Matmul::new(self.sizes).batches(self.batches).alpha(alpha).beta(beta);
        if self.transposed[0] {
            product = product.transpose_a();
        }
        if self.transposed[1] {
            product = product.transpose_b();
        }
        if self.shared[0] {
            product = product.share_a();
        }
        if self.shared[1] {
            product = product.share_b();
        }
        match self.method {
            Some(method) => product.method(method),
            None => product,
        }
    }
}

/// The rows of a matrix with `rows` rows and `columns` columns that is stored transposed.
fn upright(stored: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|at| stored[at % columns * rows + at / columns]).collect()
}

fn forms<T: Number>(device: &Device) -> TestResult {
    let flags = [[false, false], [true, false], [false, true], [true, true]];
    for (at, sizes) in SHAPES.into_iter().enumerate() {
        for (transposed, shared) in flags.into_iter().zip([[false, true], [false, false], [true, false], [true, true]])
        {
            let batches = if at % 2 == 0 { 1 } else { 3 };
            let factors = if transposed[0] { [1.0, 0.0] } else { [0.5, -2.0] };
            let form = Form { sizes, batches, transposed, shared, factors, method: None };
            let products = products::<T>(form);
            for method in METHODS.map(Some).into_iter().chain([None]) {
                let form = Form { method, ..form };
                if method.is_none() || form.product::<T>().chosen(device).is_ok() {
                    check::<T>(device, form, &products).context(|| format!("{form:?}"))?;
                }
            }
        }
    }
    Ok(())
}

/// The factors of all batches.
fn factors<T: Number>(Form { sizes: [m, k, n], batches, shared, .. }: Form) -> [Vec<T>; 2] {
    let count = |shared: bool| if shared { 1 } else { batches };
    [numbers::<T>(m * k * count(shared[0]), 1), numbers::<T>(k * n * count(shared[1]), 2)]
}

/// The product of each batch, which no method changes.
fn products<T: Number>(form: Form) -> Vec<Vec<Exact>> {
    let Form { sizes: [m, k, n], batches, transposed, shared, .. } = form;
    let [of_a, of_b] = factors::<T>(form);
    let one = |batch: usize| {
        let part = |all: &[T], shared: bool, size: usize| -> Vec<f64> {
            let first = if shared { 0 } else { batch * size };
            all[first..first + size].iter().map(|element| element.exact()).collect()
        };
        let (mut left, mut right) = (part(&of_a, shared[0], m * k), part(&of_b, shared[1], k * n));
        if transposed[0] {
            left = upright(&left, m, k);
        }
        if transposed[1] {
            right = upright(&right, k, n);
        }
        reference::matmul(&left, &right, [m, k, n])
    };
    (0..batches).map(one).collect()
}

fn check<T: Number>(device: &Device, form: Form, products: &[Vec<Exact>]) -> TestResult {
    let Form { sizes: [m, k, n], batches, factors: [alpha, beta], .. } = form;
    let ([of_a, of_b], old) = (factors::<T>(form), numbers::<T>(m * n * batches, 3));
    let (a, b, mut c) = (device.buffer_from(&of_a)?, device.buffer_from(&of_b)?, device.buffer_from(&old)?);
    form.product().run(&a, &b, &mut c)?;
    let got = c.read()?;
    for (batch, products) in products.iter().enumerate() {
        for (at, Exact { sum, magnitude }) in products.iter().copied().enumerate() {
            let place = batch * m * n + at;
            let (alpha, added) = (f64::from(alpha), f64::from(beta) * old[place].exact());
            let wanted = alpha * sum + added;
            // The tolerance has a rounding for each step, one for each factor, and that of the result.
            let rounding = (k + 4) as f64 / f64::from(1 << 24) * (alpha.abs() * magnitude + added.abs());
            let most = rounding + T::ROUNDING * (wanted.abs() + rounding) + T::SMALLEST;
            let got = got[place].exact();
            // The comparison is negated, so that NaN counts as an error.
            let within = (got - wanted).abs() <= most;
            if !within {
                return fail(format!(
                    "c[{batch}, {}, {}]: expected {wanted} within {most:e}, got {got}",
                    at / n,
                    at % n
                ));
            }
        }
    }
    Ok(())
}

/// With a factor of 0, a NaN among the old values does not appear in the product.
fn old_values(device: &Device) -> TestResult {
    let sizes @ [m, k, n] = [5, 3, 9];
    let (a, b) = (device.buffer_from(&vec![1.0f32; m * k])?, device.buffer_from(&vec![1.0f32; k * n])?);
    for (beta, wanted) in [(0.0, true), (1.0, false)] {
        let mut c = device.buffer_from(&vec![f32::NAN; m * n])?;
        Matmul::new(sizes).beta(beta).run(&a, &b, &mut c)?;
        if c.read()?.iter().all(|value| *value == 3.0) != wanted {
            return fail(format!("beta {beta}: {:?}", &c.read()?[..4]));
        }
    }
    Ok(())
}

fn no_depth(device: &Device) -> TestResult {
    let empty = device.buffer::<f32>(0)?;
    let mut c = device.buffer_from(&[1.0f32, -2.0, 3.0, 4.0, 5.0, 6.0])?;
    Matmul::new([2, 0, 3]).beta(0.5).run(&empty, &empty, &mut c)?;
    match *c.read()? == [0.5, -1.0, 1.5, 2.0, 2.5, 3.0] {
        true => Ok(()),
        false => fail(format!("{:?}", &c.read()?[..])),
    }
}

fn empty_batches(device: &Device) -> TestResult {
    let (empty, b) = (device.buffer::<f32>(0)?, device.buffer_from(&[1.0f32; 4])?);
    let mut c = device.buffer::<f32>(0)?;
    Ok(Matmul::new([2, 2, 2]).batches(0).share_b().run(&empty, &b, &mut c)?)
}

/// The default method can be chosen by name; the error of a method that the device lacks says what the method needs.
fn methods(device: &Device) -> TestResult {
    let thin = Matmul::<f32>::new([1, 256, 256]).method(MatmulMethod::Vector).chosen(device)?;
    equal(thin, MatmulMethod::Vector, "a thin product")?;
    let chosen = Matmul::<f32>::new([256; 3]).chosen(device)?;
    for method in METHODS {
        match Matmul::<f32>::new([256; 3]).method(method).chosen(device) {
            Ok(named) if named == method => {}
            Ok(named) => return fail(format!("asked for {method}, got {named}")),
            Err(error) if method == chosen => return fail(format!("{method} is the default, but: {error}")),
            Err(error) if error.to_string().contains("it needs") => {}
            Err(error) => return fail(error.to_string()),
        }
    }
    Ok(())
}

/// Results have the same bits at each call, because the sums of parts are added in the same order.
fn same_bits<T: Number>(device: &Device) -> TestResult {
    for sizes @ [m, k, n] in [[33, 3000, 20], [1, 2000, 300], [300, 4100, 1], [3, 40, 70]] {
        let (a, b) = (device.buffer_from(&numbers::<T>(m * k, 1))?, device.buffer_from(&numbers::<T>(k * n, 2))?);
        let mut first = device.buffer::<T>(m * n)?;
        Matmul::new(sizes).run(&a, &b, &mut first)?;
        for _ in 0..3 {
            let mut again = device.buffer_from(&vec![T::of(9.0); m * n])?;
            Matmul::new(sizes).run(&a, &b, &mut again)?;
            same(&again.read()?, &first.read()?, &format!("{sizes:?}"))?;
        }
    }
    Ok(())
}

/// Elements after the last depth, row or column are not added to a sum.
fn infinities(device: &Device) -> TestResult {
    // The factors are in one buffer, each between infinities.
    for [m, k, n] in [[1, 33, 70], [2, 1057, 67], [67, 35, 1], [70, 1057, 3]] {
        let (of_a, of_b) = (numbers::<f32>(m * k, 1), numbers::<f32>(k * n, 2));
        let infinite = [f32::INFINITY; 8];
        let all = [&infinite[..], &of_a, &infinite, &of_b, &infinite].concat();
        let all = device.buffer_from(&all)?;
        let mut c = device.buffer::<f32>(m * n)?;
        let (a, b) = (all.slice(8..8 + m * k), all.slice(16 + m * k..16 + m * k + k * n));
        Matmul::new([m, k, n]).method(MatmulMethod::Vector).run(a, b, &mut c)?;
        if let Some(at) = c.read()?.iter().position(|value| !value.is_finite()) {
            return fail(format!("{m}x{k}x{n}: element {at} is not finite"));
        }
    }
    Ok(())
}
