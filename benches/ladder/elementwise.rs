//! `z = a x + y`: one element per invocation, the one-line kernel, vectors written by hand, and the host.

use anywarp::ops::ElementwiseKernel;
use anywarp::{Recording, UnifiedBuffer, Wgsl};

use crate::rungs::{Ladder, close, is_host, numbers};
use crate::shared::Outcome;

const A: f32 = 0.25;

struct Arrays {
    x: UnifiedBuffer<f32>,
    y: UnifiedBuffer<f32>,
    z: UnifiedBuffer<f32>,
}

pub(crate) fn climb(ladder: &mut Ladder, elements: usize) -> Outcome<()> {
    let (x, y) = (numbers(elements, 1), numbers(elements, 2));
    let wanted: Vec<f32> = x.iter().zip(&y).map(|(x, y)| A * x + y).collect();
    let device = ladder.device.clone();
    let (z, operator) = (device.buffer(elements)?, format!("saxpy, {elements} elements"));
    let mut arrays = Arrays { x: device.buffer_from(&x)?, y: device.buffer_from(&y)?, z };
    let saxpy = ElementwiseKernel::new("x: f32, y: f32, a: f32", "z: f32", "z = a * x + y")?.name("saxpy");
    let cost = saxpy.call(&device).cost((&arrays.x, &arrays.y, A), &mut arrays.z)?;

    let source = include_str!("saxpy.wgsl");
    for (rung, entry, each) in [("naive", "one", 1), ("vectors by hand", "vectors", 4)] {
        let kernel = device.kernel(Wgsl::new(source).file("saxpy.wgsl").entry(entry))?;
        let record = |arrays: &mut Arrays, recording: &mut Recording| {
            let launch = kernel.launch().set("a", A).bind("0.0", &arrays.x).bind("0.1", &arrays.y);
            launch.bind("0.2", &mut arrays.z).record(recording).threads(elements / each)?;
            Ok(())
        };
        arrays.z.fill(0.0)?;
        ladder.rung((&operator, rung), cost, &mut arrays, record, |arrays| close(&arrays.z.read()?, &wanted, 1e-6))?;
    }
    let record = |Arrays { x, y, z }: &mut Arrays, recording: &mut Recording| {
        Ok(saxpy.call(&device).record(recording).run((&*x, &*y, A), z)?)
    };
    arrays.z.fill(0.0)?;
    ladder.rung((&operator, "ElementwiseKernel"), cost, &mut arrays, record, |arrays| {
        close(&arrays.z.read()?, &wanted, 1e-6)
    })?;
    if is_host(&device) {
        let mut z = vec![0.0; elements];
        ladder.host_rung((&operator, "one thread of Rust"), cost, || {
            z.iter_mut().zip(&x).zip(&y).for_each(|((z, x), y)| *z = A * x + y);
            std::hint::black_box(&z);
            Ok(())
        })?;
    }
    Ok(())
}
