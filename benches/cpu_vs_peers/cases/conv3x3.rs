//! A 3x3 filter over an image.

use rayon::prelude::*;

use super::{Case, Expected, Program, Spmd, on_device, on_host, random_floats, words};

const WIDTH: usize = 2048;
const HEIGHT: usize = 2048;
/// A filter that shades an image as by light from the upper left.
const EMBOSS: [[f32; 3]; 3] = [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]];

pub(super) fn case() -> Case {
    let image = random_floats(WIDTH * HEIGHT, 1);
    let device_image = image.clone();
    Case {
        name: "conv3x3",
        bytes: Some(2 * 4 * (WIDTH * HEIGHT) as u64),
        expected: Expected::Within(reference(&image), 1e-5),
        spmd: Spmd {
            text: include_str!("../spmd/conv3x3.ispc"),
            size: 0,
            inputs: [words(&image), words(EMBOSS.as_flattened())],
            initial: vec![0; WIDTH * HEIGHT],
            units: HEIGHT,
            parallel: true,
        },
        opencl: Program::of(include_str!("../opencl/conv3x3.cl"), [WIDTH, HEIGHT], [16, 16]),
        on_device: Box::new(move |device| {
            let kernel = device.kernel(include_str!("conv3x3.wgsl"))?;
            let source = device.buffer_from(&device_image)?;
            let weights = EMBOSS.map(|[a, b, c]| [a, b, c, 0.0]); // WGSL pads the columns of a mat3x3 to four
            on_device(device, vec![0.0f32; WIDTH * HEIGHT], move |convolved| {
                let launch = kernel.launch().set("params.weights", weights);
                let launch = launch.set("params.width", WIDTH as u32).set("params.height", HEIGHT as u32);
                launch.bind("source", &source).bind("convolved", convolved).threads([WIDTH as u32, HEIGHT as u32])?;
                Ok(())
            })
        }),
        on_host: Box::new(move || {
            let image = image.clone();
            on_host(vec![0.0f32; WIDTH * HEIGHT], move |convolved: &mut [f32]| {
                convolved.par_chunks_exact_mut(WIDTH).enumerate().for_each(|(y, row)| filter_row(&image, y, row));
            })
        }),
    }
}

/// The rows that row `y` depends on.
fn neighbours(image: &[f32], y: usize) -> [&[f32]; 3] {
    [y.saturating_sub(1), y, (y + 1).min(HEIGHT - 1)].map(|row| &image[row * WIDTH..][..WIDTH])
}

fn filter_pixel(rows: [&[f32]; 3], x: usize) -> f32 {
    let columns = [x.saturating_sub(1), x, (x + 1).min(WIDTH - 1)];
    let values = rows.iter().flat_map(|row| columns.map(|column| row[column]));
    values.zip(EMBOSS.as_flattened()).map(|(value, weight)| value * weight).sum()
}

/// Filters the edges pixel by pixel, and the pixels between them in a loop without conditions.
fn filter_row(image: &[f32], y: usize, filtered: &mut [f32]) {
    let rows = neighbours(image, y);
    filtered[0] = filter_pixel(rows, 0);
    filtered[WIDTH - 1] = filter_pixel(rows, WIDTH - 1);
    let [above, middle, below] = rows.map(|row| row.windows(3));
    let inner = &mut filtered[1..WIDTH - 1];
    for (value, ((above, middle), below)) in inner.iter_mut().zip(above.zip(middle).zip(below)) {
        let sum = |row: &[f32], weights: &[f32; 3]| row[0] * weights[0] + row[1] * weights[1] + row[2] * weights[2];
        *value = sum(above, &EMBOSS[0]) + sum(middle, &EMBOSS[1]) + sum(below, &EMBOSS[2]);
    }
}

fn reference(image: &[f32]) -> Vec<f32> {
    (0..HEIGHT)
        .flat_map(|y| {
            let rows = neighbours(image, y);
            (0..WIDTH).map(move |x| filter_pixel(rows, x))
        })
        .collect()
}
