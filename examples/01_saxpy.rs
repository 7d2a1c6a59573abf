//! The first launch: two buffers, one parameter, one kernel.

use anywarp::Device;

fn main() -> anywarp::Result<()> {
    let device = Device::open_default()?;
    let saxpy = device.kernel(include_str!("shaders/saxpy.wgsl"))?;
    let x = device.buffer_from(&vec![1.0f32; 1 << 20])?;
    let mut y = device.buffer_from(&vec![2.0f32; 1 << 20])?;
    saxpy.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(1 << 20)?;
    assert!(y.read()?.iter().all(|value| *value == 5.0));
    println!("{}: 3 * 1 + 2 = {}, {} times", device.caps().name, y.read()?[0], y.len());
    Ok(())
}
