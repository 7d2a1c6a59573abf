//! Arrays of different shapes, which are broadcast by the rules of NumPy.

use anywarp::Device;
use anywarp::ops::{ElementwiseKernel, shaped};

use crate::Case;
use crate::outcome::{TestResult, same};
use crate::whole_numbers::{of, whole};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        ("broadcasts::values_and_single_elements".to_owned(), single_elements),
        ("broadcasts::rows_and_columns".to_owned(), rows_and_columns),
        ("broadcasts::three_dimensions".to_owned(), three_dimensions),
        ("broadcasts::equal_shapes_are_contiguous".to_owned(), equal_shapes),
        ("broadcasts::slices".to_owned(), slices),
        ("broadcasts::shaped_outputs".to_owned(), outputs),
        ("broadcasts::nothing".to_owned(), nothing),
    ]
}

fn add() -> TestResult<ElementwiseKernel> {
    Ok(ElementwiseKernel::new("x: T, y: T", "z: T", "z = x + T(100) * y")?.name("add"))
}

/// Each call may pass an array or a value for any parameter; an array with one element is broadcast.
fn single_elements(device: &Device) -> TestResult {
    let add = add()?;
    for length in [7, 20_001] {
        let x = of::<f32>(&whole(length, 1));
        let wanted: Vec<f32> = x.iter().map(|x| x + 500.0).collect();
        let turned: Vec<f32> = x.iter().map(|x| 5.0 + 100.0 * x).collect();
        let (x, five) = (device.buffer_from(&x)?, device.buffer_from(&[9.0f32, 5.0])?);
        same(&add.apply::<f32>(device, (&x, 5.0f32))?.read()?, &wanted, "a value")?;
        same(&add.apply::<f32>(device, (&x, five.slice(1..)))?.read()?, &wanted, "one element")?;
        same(&add.apply::<f32>(device, (five.slice(1..), &x))?.read()?, &turned, "one element before")?;
        same(&add.apply::<f32>(device, (5.0f32, &x))?.read()?, &turned, "a value before")?;
    }
    let one = device.buffer_from(&[5.0f32])?;
    same(&add.apply::<f32>(device, (&one, &one))?.read()?, &[505.0], "one and one")?;
    let mut z = device.buffer::<f32>(3)?;
    add.run(device, (&one, 1.0f32), &mut z)?;
    same(&z.read()?, &[105.0; 3], "as long as the output")?;
    add.run(device, (2.0f32, 1.0f32), &mut z)?;
    same(&z.read()?, &[102.0; 3], "values alone")
}

fn rows_and_columns(device: &Device) -> TestResult {
    let add = add()?;
    for (rows, columns) in [(2, 3), (1, 5), (5, 1), (63, 257), (1000, 33)] {
        let (x, y) = (whole(rows, 1), whole(columns, 2));
        let wanted: Vec<i32> = x.iter().flat_map(|x| y.iter().map(move |y| x + 100 * y)).collect();
        let (column, row) = (device.buffer_from(&x)?, device.buffer_from(&y)?);
        let z = add.apply::<i32>(device, (shaped(&column, [rows, 1]), &row))?;
        same(&z.read()?, &wanted, &format!("a column of {rows} and a row of {columns}"))?;
        let table = device.buffer_from(&wanted)?;
        let z = add.apply::<i32>(device, (shaped(&table, [rows, columns]), shaped(&column, [rows, 1])))?;
        let wanted: Vec<i32> = wanted.iter().enumerate().map(|(at, z)| z + 100 * x[at / columns]).collect();
        same(&z.read()?, &wanted, &format!("a table of {rows} x {columns} and a column"))?;
    }
    Ok(())
}

fn three_dimensions(device: &Device) -> TestResult {
    let add = add()?;
    let (a, b, c) = (4, 5, 6);
    let (x, y) = (whole(a * c, 1), whole(b, 2));
    let wanted: Vec<i32> = (0..a * b * c).map(|at| x[at / (b * c) * c + at % c] + 100 * y[at / c % b]).collect();
    let (x, y) = (device.buffer_from(&x)?, device.buffer_from(&y)?);
    let z = add.apply::<i32>(device, (shaped(&x, [a, 1, c]), shaped(&y, [b, 1])))?;
    same(&z.read()?, &wanted, "4 x 1 x 6 and 5 x 1")
}

fn equal_shapes(device: &Device) -> TestResult {
    let (add, values) = (add()?, whole(60, 3));
    let x = device.buffer_from(&values)?;
    let wanted: Vec<i32> = values.iter().map(|x| 101 * x).collect();
    let z = add.apply::<i32>(device, (shaped(&x, [3, 4, 5]), shaped(&x, [1, 3, 4, 5])))?;
    same(&z.read()?, &wanted, "one shape, with and without a 1")
}

fn slices(device: &Device) -> TestResult {
    let (add, values) = (add()?, whole(100, 4));
    let all = device.buffer_from(&values)?;
    let mut z = device.buffer_from(&[-1i32; 20])?;
    add.run(device, (shaped(all.slice(3..6), [3, 1]), all.slice(17..21)), shaped(z.slice_mut(5..17), [3, 4]))?;
    let mut wanted = [-1; 20];
    for at in 0..12 {
        wanted[5 + at] = values[3 + at / 4] + 100 * values[17 + at % 4];
    }
    same(&z.read()?, &wanted, "slices with shapes")
}

fn outputs(device: &Device) -> TestResult {
    let add = add()?;
    let row = device.buffer_from(&[1i32, 2, 3])?;
    let mut z = device.buffer::<i32>(6)?;
    add.run(device, (&row, 1i32), shaped(&mut z, [2, 3]))?;
    same(&z.read()?, &[101, 102, 103, 101, 102, 103], "stretched to the output's shape")
}

fn nothing(device: &Device) -> TestResult {
    let add = add()?;
    let (none, one) = (device.buffer::<f32>(0)?, device.buffer::<f32>(1)?);
    let none_at_all: &[f32] = &[];
    same(&add.apply::<f32>(device, (&none, 1.0f32))?.read()?, none_at_all, "no elements")?;
    same(&add.apply::<f32>(device, (&none, &one))?.read()?, none_at_all, "no elements and one")?;
    let x = device.buffer::<f32>(3)?;
    let z = add.apply::<f32>(device, (shaped(&none, [0, 3]), &x))?;
    same(&z.read()?, none_at_all, "no rows of three")
}
