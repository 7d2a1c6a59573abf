//! Kernels of the benches, which were not written for the inspector, against the counters of a card.
//!
//! Compilers join, move and repeat loads, so requests and sectors need not be equal. `real.csv` has the card's counters
//! and, for each kernel whose prediction is outside the tolerance, docs/results/2026-11-27-inspector.md has the cause.

use anywarp::Device;
use anywarp::backend::Observations;

use super::case::{Case, Scale};
use super::cases;
use super::truth::predicted;

fn run(device: &Device, case: &Case) -> Observations {
    let kernel = device.kernel(case.source).unwrap();
    let inputs: Vec<_> = case.inputs.iter().map(|(name, bytes)| (*name, device.buffer_from(bytes).unwrap())).collect();
    let mut outputs: Vec<_> =
        case.outputs.iter().map(|(name, bytes)| (*name, device.buffer_from(&vec![0u8; *bytes]).unwrap())).collect();
    let mut launch = kernel.launch();
    if !case.params.is_empty() {
        launch = launch.set_bytes("params", bytemuck::cast_slice(&case.params));
    }
    for (name, buffer) in &inputs {
        launch = launch.bind(name, buffer);
    }
    for (name, buffer) in &mut outputs {
        launch = launch.bind(name, buffer);
    }
    launch.groups(case.groups).unwrap();
    device.synchronize().unwrap();
    device.observations()
}

/// The kernels whose launch is small enough that a card and the processor run all of it at once.
fn all() -> impl Iterator<Item = (&'static str, Case)> {
    cases::ALL.iter().map(|(name, make)| (*name, make(Scale::Quick)))
}

#[test]
#[ignore = "the subject of a profiler"]
fn run_real_kernels_on_the_default_device() {
    let device = Device::open_default().unwrap();
    for (name, case) in all() {
        run(&device, &case);
        println!("{name}");
    }
}

#[test]
#[ignore = "prints predictions"]
fn print_predictions() {
    let device = Device::open("cpu:observed").unwrap();
    for (name, case) in all() {
        let observations = run(&device, &case);
        let kernel = observations.iter().next().unwrap();
        println!("{name},{},{},{:?}", kernel.workgroups, kernel.observed, predicted(kernel));
    }
}
