//! Kernels in the manner of programs, on the processor and lavapipe: those of the benches `checks` and `real_checks`, with
//! their data and their references in plain Rust.

#[path = "../checks/cases/mod.rs"]
#[allow(dead_code, reason = "the bench `checks` compares two of the kernels")]
mod forms;
#[path = "../real_checks/cases.rs"]
mod sizes;

use std::rc::Rc;
use std::time::Duration;

use anywarp::{Device, Kernel, UnifiedBuffer, Wgsl};

use crate::case::{Case, Scale};
use crate::clock::Clock;
use crate::measure::{self, LANES, PerLane, Samples};
use crate::shared::Outcome;
use crate::side::Side;

/// The samples of one kernel.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) samples: Samples,
}

/// A kernel with its data on a device.
struct OnDevice {
    device: Device,
    kernel: Kernel,
    case: Rc<Case>,
    inputs: Vec<(&'static str, UnifiedBuffer<u8>)>,
    outputs: Vec<(&'static str, UnifiedBuffer<u8>)>,
}

impl OnDevice {
    fn new(device: &Device, case: &Rc<Case>) -> Outcome<Self> {
        let inputs = case.inputs.iter().map(|(name, bytes)| Ok((*name, device.buffer_from(bytes)?)));
        let outputs = case.outputs.iter().map(|(name, bytes)| Ok((*name, device.buffer(*bytes)?)));
        Ok(Self {
            kernel: device.kernel(Wgsl::new(case.source))?,
            inputs: inputs.collect::<Outcome<_>>()?,
            outputs: outputs.collect::<Outcome<_>>()?,
            device: device.clone(),
            case: case.clone(),
        })
    }
}

impl Side for OnDevice {
    fn prepare(&mut self) -> Outcome<()> {
        for (_, output) in &mut self.outputs {
            output.fill(0)?;
        }
        Ok(())
    }

    fn run(&mut self) -> Outcome<()> {
        if self.case.cleared {
            self.prepare()?;
        }
        let mut launch = self.kernel.launch();
        if !self.case.params.is_empty() {
            launch = launch.set_bytes("params", bytemuck::cast_slice(&self.case.params));
        }
        for (name, buffer) in self.inputs.iter_mut().chain(&mut self.outputs) {
            launch = launch.bind(name, buffer);
        }
        launch.groups(self.case.groups)?;
        Ok(self.device.synchronize()?)
    }

    fn result(&self) -> Outcome<Vec<u32>> {
        let Some((_, output)) = self.outputs.first() else { return Ok(Vec::new()) };
        Ok(bytemuck::pod_collect_to_vec(&output.read()?))
    }
}

/// Checks and measures all kernels on the devices that are there. Adds errors to `failed`.
pub(crate) fn measure(
    devices: &[Option<Device>; 2],
    (budget, clock): (Duration, Clock),
    failed: &mut Vec<String>,
) -> Vec<Program> {
    let of_forms = forms::ALL.into_iter();
    let of_sizes = sizes::ALL.into_iter().map(|(name, _, make)| (name, make));
    let mut programs = Vec::new();
    for (name, make) in of_forms.chain(of_sizes) {
        eprintln!("{name} ...");
        match measure_one(devices, Rc::new(make(Scale::Processor)), (budget, clock)) {
            Ok(samples) => programs.push(Program { name, samples }),
            Err(error) => failed.push(format!("{name}, as in programs: {error}")),
        }
        devices.iter().flatten().for_each(Device::trim);
    }
    programs
}

fn measure_one(devices: &[Option<Device>; 2], case: Rc<Case>, (budget, clock): (Duration, Clock)) -> Outcome<Samples> {
    let mut sides: PerLane<Option<OnDevice>> = PerLane::default();
    for (side, device) in sides.iter_mut().zip(devices) {
        let Some(device) = device else { continue };
        *side = Some(OnDevice::new(device, &case)?);
    }
    let check = |sides: &mut PerLane<Option<OnDevice>>| -> Outcome<()> {
        for (side, name) in sides.iter_mut().zip(LANES) {
            let Some(side) = side else { continue };
            side.prepare()?;
            side.run()?;
            case.check(&side.result()?).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    };
    check(&mut sides)?;
    let mut lanes = sides.each_mut().map(|side| side.as_mut().map(|side| || side.run()));
    let samples = measure::interleaved(&mut lanes, budget, clock)?;
    check(&mut sides)?;
    Ok(samples)
}
