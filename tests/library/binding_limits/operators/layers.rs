//! Operators on matrices, images and rows: products, convolutions, transforms, norms, attention.

use anywarp::ops::{
    Attention, BatchNorm, Columns, ConjugateGradients, Conv, CrossEntropy, Fft, ImageFilter, IntegerMatmul, Matmul,
    MatmulMethod, Norm, Pool, RealFft, Resize, RotaryEmbedding, Softmax, SparseMatrix, layer_norm, matmul, spmm, spmv,
};
use anywarp::{Device, Error, UnifiedBuffer};

use super::{LENGTH, Operator, case, floats, result, words_of};

/// The height and width of an image, and of matrices.
const SIDE: usize = 1 << 10;

/// A buffer of [`SIDE`] times [`SIDE`] small integers.
fn image(device: &Device) -> Result<UnifiedBuffer<f32>, Error> {
    let elements = floats(device)?.read()?[7..].to_vec();
    Ok(device.buffer_from(&elements)?)
}

/// A diagonal matrix with as many rows as an array has elements.
fn diagonal(device: &Device) -> Result<SparseMatrix<f32>, Error> {
    let offsets: Vec<u32> = (0..=LENGTH as u32).collect();
    Ok(SparseMatrix::from_csr(device, [LENGTH, LENGTH], &offsets, &offsets[..LENGTH], &vec![2.0; LENGTH])?)
}

pub(super) const OPERATORS: &[Operator] = &[
    case!("softmax", false, f32, LENGTH - 7, |device, y| {
        Softmax::new([1 << 10, 1 << 10], 1).run(floats(device)?.slice(7..), &mut y)?;
    }),
    case!("layer norm", false, f32, LENGTH - 7, |device, y| {
        let ones = device.buffer_from(&vec![1.0f32; 1 << 10])?;
        layer_norm(floats(device)?.slice(7..), &ones, &ones, &mut y, 1e-5)?;
    }),
    case!("matrix product", false, f32, 1 << 20, |device, y| {
        let (a, b) = (device.buffer_from(&vec![1.0f32; 1 << 12])?, device.buffer_from(&vec![2.0f32; 1 << 12])?);
        Matmul::new([1 << 10, 4, 1 << 10]).method(MatmulMethod::Tiles).run(&a, &b, &mut y)?;
    }),
    // A library binds nothing, so it needs no windows.
    case!("matrix product by the library", true, f32, 1 << 20, |device, y| {
        let (a, b) = (device.buffer_from(&vec![1.0f32; 1 << 12])?, device.buffer_from(&vec![2.0f32; 1 << 12])?);
        matmul(&a, &b, &mut y, [1 << 10, 4, 1 << 10])?;
    }),
    case!("product of integers", false, i32, SIDE * SIDE, |device, y| {
        let (a, b) = (device.buffer_from(&vec![2u8; 4 * SIDE])?, device.buffer_from(&vec![3u8; 4 * SIDE])?);
        IntegerMatmul::new([SIDE, 4, SIDE]).run(&a, &b, &mut y)?;
    }),
    case!("sparse product", false, f32, LENGTH, |device, y| spmv(&diagonal(device)?, &floats(device)?, &mut y)?),
    case!("sparse product with a matrix", false, f32, SIDE * SIDE, |device, y| {
        let rows: Vec<u32> = (0..=SIDE as u32).collect();
        let a = SparseMatrix::from_csr(device, [SIDE, SIDE], &rows, &rows[..SIDE], &vec![2.0f32; SIDE])?;
        spmm(&a, &image(device)?, &mut y, SIDE)?;
    }),
    case!("conjugate gradients", false, f32, LENGTH, |device, y| {
        let start = device.buffer_from(&vec![0.0f32; LENGTH])?;
        let mut x = start;
        ConjugateGradients::new().run(&diagonal(device)?, &floats(device)?, &mut x)?;
        y.copy_from(&x)?;
    }),
    case!("transform", false, [f32; 2], LENGTH / 2, |device, y| {
        let x = device.buffer_from(&vec![[1.0f32, 0.5]; LENGTH / 2])?;
        Fft::new([LENGTH / 2]).run(&x, &mut y)?;
    }),
    case!("transform of rows", false, [f32; 2], SIDE * SIDE, |device, y| {
        let x = device.buffer_from(&vec![[1.0f32, 0.5]; SIDE * SIDE])?;
        Fft::new([SIDE, SIDE]).axes([1]).run(&x, &mut y)?;
    }),
    case!("transform of real numbers", false, [f32; 2], SIDE * (SIDE / 2 + 1), |device, y| {
        RealFft::new([SIDE, SIDE]).axes([1]).run(&image(device)?, &mut y)?;
    }),
    case!("convolution", false, f32, SIDE * SIDE, |device, y| {
        let weights = device.buffer_from(&[1.0f32; 9])?;
        Conv::new([1, 1, SIDE, SIDE], [1, 1, 3, 3]).padding(&[[1, 1]; 2]).run(&image(device)?, &weights, &mut y)?;
    }),
    case!("derivative of a convolution", false, f32, SIDE * SIDE, |device, y| {
        let weights = device.buffer_from(&[1.0f32; 9])?;
        let conv = Conv::new([1, 1, SIDE, SIDE], [1, 1, 3, 3]).padding(&[[1, 1]; 2]);
        conv.backward(&image(device)?, &weights, &mut y)?;
    }),
    case!("derivative by weights", false, f32, 9, |device, y| {
        let x = image(device)?;
        Conv::new([1, 1, SIDE, SIDE], [1, 1, 3, 3]).padding(&[[1, 1]; 2]).backward_weights(&x, &x, &mut y)?;
    }),
    case!("columns", false, f32, 4 * 511 * 511, |device, y| {
        Columns::new([1, 1, 512, 512], &[2, 2]).run(image(device)?.slice(..512 * 512), &mut y)?;
    }),
    case!("filter", false, f32, SIDE * SIDE, |device, y| {
        ImageFilter::correlate([SIDE, SIDE], &[1.0; 9], [3, 3]).run(&image(device)?, &mut y)?;
    }),
    case!("median filter", false, f32, SIDE * SIDE, |device, y| {
        ImageFilter::median([SIDE, SIDE]).run(&image(device)?, &mut y)?;
    }),
    case!("pool", false, f32, SIDE * SIDE / 4, |device, y| {
        Pool::max([1, 1, SIDE, SIDE], &[2, 2]).stride(&[2, 2]).run(&image(device)?, &mut y)?;
    }),
    case!("resize", false, f32, SIDE * SIDE, |device, y| {
        Resize::linear([512, 512], [SIDE, SIDE]).run(image(device)?.slice(..512 * 512), &mut y)?;
    }),
    case!("derivative of softmax", false, f32, SIDE * SIDE, |device, y| {
        let x = image(device)?;
        Softmax::new([SIDE, SIDE], 1).backward(&x, &x, &mut y)?;
    }),
    case!("group norm", false, f32, SIDE * SIDE, |device, y| {
        Norm::group([4, 8, SIDE * SIDE / 32], 4).run(&image(device)?, &mut y)?;
    }),
    case!("derivative of a norm", false, f32, SIDE * SIDE, |device, y| {
        let (x, rows) = (image(device)?, device.buffer_from(&[1.0f32; SIDE])?);
        Norm::layer(SIDE).backward(&x, &x, &rows, &rows, &mut y)?;
    }),
    case!("derivative by the weights of a norm", false, f32, SIDE, |device, y, z| {
        let (x, rows) = (image(device)?, device.buffer_from(&[1.0f32; SIDE])?);
        Norm::layer(SIDE).backward_weights(&x, &x, &rows, &rows, &mut y, &mut z)?;
    }),
    case!("batch norm", false, f32, SIDE * SIDE, |device, y| {
        let four = device.buffer_from(&[1.0f32; 4])?;
        BatchNorm::new([SIDE, 4, SIDE / 4]).run(&image(device)?, &four, &four, &mut y)?;
    }),
    case!("derivative of batch norm", false, f32, SIDE * SIDE, |device, y| {
        let (x, four) = (image(device)?, device.buffer_from(&[1.0f32; 4])?);
        let (mut dscale, mut dbias) = (device.buffer::<f32>(4)?, device.buffer::<f32>(4)?);
        let norm = BatchNorm::new([SIDE, 4, SIDE / 4]);
        norm.backward(&x, &x, &four, &four, &mut y, [&mut dscale, &mut dbias])?;
    }),
    case!("cross-entropy", false, f32, 1, |device, y| {
        let targets = device.buffer_from(&[3u32; SIDE])?;
        CrossEntropy::new([SIDE, SIDE], 1).run(&image(device)?, &targets, &mut y)?;
    }),
    case!("derivative of cross-entropy", false, f32, SIDE * SIDE, |device, y| {
        let (targets, loss) = (device.buffer_from(&[3u32; SIDE])?, device.buffer_from(&[1.0f32])?);
        CrossEntropy::new([SIDE, SIDE], 1).backward(&image(device)?, &targets, &loss, &mut y)?;
    }),
    case!("rotary embedding", false, f32, SIDE * SIDE, |device, y| {
        let (cosines, sines) = (device.buffer_from(&[0.5f32; 32])?, device.buffer_from(&[0.25f32; 32])?);
        RotaryEmbedding::new([1, SIDE * SIDE / 64, 1, 64]).run(&image(device)?, &cosines, &sines, &mut y)?;
    }),
    case!("attention", false, f32, SIDE * SIDE, |device, y| {
        let four = device.buffer_from(&[0.5f32; 4 * 64])?;
        Attention::new([1, 1, SIDE * SIDE / 64, 64], [1, 1, 4, 64]).run(&image(device)?, &four, &four, &mut y)?;
    }),
    case!("derivative of attention", false, f32, SIDE * SIDE, |device, y| {
        let four = device.buffer_from(&[0.5f32; 4 * 64])?;
        let (mut dk, mut dv) = (device.buffer::<f32>(4 * 64)?, device.buffer::<f32>(4 * 64)?);
        let (x, shapes) = (image(device)?, ([1, 1, SIDE * SIDE / 64, 64], [1, 1, 4, 64]));
        Attention::new(shapes.0, shapes.1).backward(&x, &four, &four, &x, [&mut y, &mut dk, &mut dv])?;
    }),
];
