//! Kernels of one line: element-wise operations, and reductions.
//!
//! `cargo run --release --example 05_elementwise -- [LENGTH]`

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, ReductionKernel, shaped};

fn main() -> anywarp::Result<()> {
    let length = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1 << 20);
    let device = Device::open_default()?;
    println!("{}, {length} elements", device.caps().name);
    let values: Vec<f32> = (0..length).map(|at| (at % 1000) as f32 / 1000.0).collect();
    let x = device.buffer_from(&values)?;
    let mut y = device.buffer_from(&vec![1.0f32; length])?;

    // `y` is in both lists: it is read and written in place.
    let saxpy = ElementwiseKernel::new("x: T, y: T, a: T", "y: T", "y = a * x + y")?.name("saxpy");
    saxpy.run(&device, (&x, 2.0f32), &mut y)?;
    let at = length / 3;
    let got = y.slice(at..=at).read()?[0];
    println!("2 * {} + 1 = {got}", values[at]);
    assert_eq!(got, 2.0 * values[at] + 1.0);

    let dot = ReductionKernel::new("x: T, y: T", "z: T")?.map("x * y").combine("a + b").identity("0").name("dot");
    let got = f64::from(dot.apply::<f32>(&device, (&x, &y))?.read()?[0]);
    let wanted: f64 = values.iter().map(|x| f64::from(*x) * f64::from(2.0 * x + 1.0)).sum();
    println!("x . y = {got}, in f64 {wanted}");
    assert!((got - wanted).abs() < 1e-5 * wanted.max(1.0));

    // A row and a column are broadcast to a table; then its columns are summed.
    let row = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
    let column = device.buffer_from(&[10.0f32, 20.0])?;
    let product = ElementwiseKernel::new("x: f32, y: f32", "z: f32", "z = x * y")?;
    let table = product.apply::<f32>(&device, (shaped(&column, [2, 1]), &row))?;
    let sum = ReductionKernel::new("x: f32", "y: f32")?.combine("a + b").identity("0").name("sum");
    let sums = sum.call(&device).axis(0).apply::<f32>(shaped(&table, [2, 3]))?;
    println!("{:?}, its columns {:?}", &table.read()?[..], &sums.read()?[..]);
    assert_eq!(*sums.read()?, [30.0, 60.0, 90.0]);

    let text = product.call(&device).wgsl((shaped(&column, [2, 1]), &row), &mut device.buffer::<f32>(6)?)?;
    println!("\n{text}");
    Ok(())
}
