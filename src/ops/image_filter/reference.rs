//! The reference implementation in plain Rust.

/// The elements outside an image.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outside {
    Reflect,
    Mirror,
    Nearest,
    Wrap,
    Constant(f64),
}

/// Returns the index of the element that index `at` reads; `None` outside the image if the border is a constant.
fn place(mut at: i64, size: i64, outside: Outside) -> Option<usize> {
    while at < 0 || at >= size {
        at = match outside {
            Outside::Constant(_) => return None,
            Outside::Nearest => at.clamp(0, size - 1),
            Outside::Wrap => at.rem_euclid(size),
            Outside::Reflect if at < 0 => -1 - at,
            Outside::Reflect => 2 * size - 1 - at,
            Outside::Mirror if size == 1 => 0,
            Outside::Mirror if at < 0 => -at,
            Outside::Mirror => 2 * size - 2 - at,
        };
    }
    Some(at as usize)
}

/// For each element, the elements at these offsets of rows and columns from it: one row of the result for each element.
pub(crate) fn around(x: &[f64], [height, width]: [usize; 2], offsets: &[[i64; 2]], outside: Outside) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for image in x.chunks(height * width) {
        for row in 0..height as i64 {
            for column in 0..width as i64 {
                let element = |[down, along]: &[i64; 2]| {
                    let row = place(row + down, height as i64, outside);
                    let column = place(column + along, width as i64, outside);
                    match (row, column, outside) {
                        (Some(row), Some(column), _) => image[row * width + column],
                        (.., Outside::Constant(value)) => value,
                        _ => f64::NAN,
                    }
                };
                all.push(offsets.iter().map(element).collect());
            }
        }
    }
    all
}

/// The offsets of a kernel's rows and columns from its middle.
fn offsets([rows, columns]: [usize; 2], [row, column]: [usize; 2]) -> Vec<[i64; 2]> {
    let all = (0..rows).flat_map(|down| (0..columns).map(move |along| [down, along]));
    all.map(|[down, along]| [down as i64 - row as i64, along as i64 - column as i64]).collect()
}

/// The correlation with a kernel, whose centre is at half of its sizes.
pub(crate) fn correlate(x: &[f64], shape: [usize; 2], kernel: &[f64], sizes: [usize; 2], outside: Outside) -> Vec<f64> {
    let all = around(x, shape, &offsets(sizes, sizes.map(|size| size / 2)), outside);
    all.iter().map(|elements| elements.iter().zip(kernel).map(|(x, weight)| x * weight).sum()).collect()
}

/// The convolution with a kernel.
pub(crate) fn convolve(x: &[f64], shape: [usize; 2], kernel: &[f64], sizes: [usize; 2], outside: Outside) -> Vec<f64> {
    let opposite: Vec<[i64; 2]> =
        offsets(sizes, sizes.map(|size| size / 2)).into_iter().map(|offset| offset.map(|at| -at)).collect();
    let all = around(x, shape, &opposite, outside);
    all.iter().map(|elements| elements.iter().zip(kernel).map(|(x, weight)| x * weight).sum()).collect()
}

/// The median of 3 x 3 elements.
pub(crate) fn median(x: &[f64], shape: [usize; 2], outside: Outside) -> Vec<f64> {
    let all = around(x, shape, &offsets([3, 3], [1, 1]), outside);
    all.into_iter()
        .map(|mut elements| {
            elements.sort_by(f64::total_cmp);
            elements[4]
        })
        .collect()
}
