//! The inspector against the counters of a real GPU, and on kernels and programs with planted defects.
//!
//! `counters.csv` has what Nsight Compute counted on a card for each kernel of `micro`; docs/gpu-machine.md tells how it
//! was made. Everything else runs on the CPU.

#[path = "../../benches/checks/case.rs"]
#[allow(dead_code, reason = "results are compared by the bench")]
mod case;
#[path = "../../benches/checks/cases/mod.rs"]
#[allow(dead_code, reason = "the bench has uses for all of it")]
mod cases;
mod micro;
mod overhead;
mod pitfalls;
mod places;
mod planted;
mod real;
#[cfg(feature = "cuda")]
mod registers;
mod slow;
mod steps;
mod truth;

/// The module that the cases of the bench import beside `case`.
mod shared {
    pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
}

use anywarp::Device;
use anywarp::backend::Observations;
use micro::Micro;

/// Runs a kernel once on the device `selector` and returns the counts, which are empty on other devices than
/// `cpu:observed`.
fn run(device: &Device, micro: &Micro) -> Observations {
    let kernel =
        device.kernel(&*micro.source).unwrap_or_else(|error| panic!("{}: {error}\n{}", micro.name, micro.source));
    let x: Vec<u32> = (0..micro.input).map(|i| i as u32).collect();
    let x = device.buffer_from(&x).unwrap();
    let mut y = device.buffer_from(&vec![0u32; micro.output]).unwrap();
    let mut z = device.buffer_from(&[0u32; 8192]).unwrap();
    let mut launch = kernel.launch();
    if micro.source.contains("> x:") {
        launch = launch.bind("x", &x);
    }
    if micro.source.contains("> z:") {
        launch = launch.bind("z", &mut z);
    }
    launch.bind("y", &mut y).groups(micro.groups).unwrap();
    device.synchronize().unwrap();
    device.observations()
}

/// Runs all small kernels on the default device, in order and each once; for a profiler.
#[test]
#[ignore = "the subject of a profiler"]
fn run_all_on_the_default_device() {
    let device = Device::open_default().unwrap();
    for micro in micro::all() {
        run(&device, &micro);
    }
    println!("ran on {}", device.caps().name);
}
