//! The kernels of programs that the benches `checks` and `real_checks` have, on the processor, with each choice of variants.
//! A variant knows the numbers of its launches, so that accesses have proofs that they lack otherwise.

#[path = "../../benches/checks/case.rs"]
#[allow(dead_code, reason = "tests have one size, and no device that decides it")]
mod case;
#[path = "../../benches/checks/cases/mod.rs"]
#[allow(dead_code, reason = "a bench compares two of the kernels")]
mod forms;
#[path = "../../benches/real_checks/cases.rs"]
mod sizes;

/// The name by which cases know the type of results.
mod shared {
    pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
}

use anywarp::{Device, DeviceOptions, UnifiedBuffer, Variants, Wgsl};
use case::{Case, Scale};
use shared::Outcome;

/// The number of launches of each kernel: a variant is made after the first one.
const LAUNCHES: usize = 3;

fn check(device: &Device, case: &Case) -> Outcome<()> {
    let kernel = device.kernel(Wgsl::new(case.source))?;
    let inputs = case.inputs.iter().map(|(name, bytes)| Ok((*name, device.buffer_from(bytes)?)));
    let outputs = case.outputs.iter().map(|(name, bytes)| Ok((*name, device.buffer(*bytes)?)));
    let mut inputs: Vec<(&str, UnifiedBuffer<u8>)> = inputs.collect::<Outcome<_>>()?;
    let mut outputs: Vec<(&str, UnifiedBuffer<u8>)> = outputs.collect::<Outcome<_>>()?;
    for _ in 0..LAUNCHES {
        for (_, output) in &mut outputs {
            output.fill(0)?;
        }
        let mut launch = kernel.launch();
        if !case.params.is_empty() {
            launch = launch.set_bytes("params", bytemuck::cast_slice(&case.params));
        }
        for (name, buffer) in inputs.iter_mut().chain(&mut outputs) {
            launch = launch.bind(name, buffer);
        }
        launch.groups(case.groups)?;
        let Some((_, output)) = outputs.first() else { continue };
        case.check(&bytemuck::pod_collect_to_vec::<u8, u32>(&output.read()?))?;
    }
    Ok(())
}

fn check_all(variants: Variants) {
    let device = Device::open_with(&DeviceOptions::default().selector("cpu").variants(variants)).unwrap();
    let of_sizes = sizes::ALL.into_iter().map(|(name, _, make)| (name, make));
    for (name, make) in forms::ALL.into_iter().chain(of_sizes) {
        if let Err(error) = check(&device, &make(Scale::Quick)) {
            panic!("{name} with {variants:?}: {error}");
        }
    }
}

#[test]
fn without_variants() {
    check_all(Variants::Never);
}

#[test]
fn with_variants_for_the_numbers_of_a_launch() {
    check_all(Variants::AtOnce);
}

#[test]
fn with_variants_for_the_conditions_of_a_launch() {
    check_all(Variants::AtOnceByConditions);
}
