//! Control flow, barriers, memory and ids.

mod barriers;
mod flow;
mod ids;
mod memory;
mod overrides;
mod uniform_loads;

use anywarp::Device;

use crate::operator_suite::program::Program;
use crate::operator_suite::table::Case;
use anywarp_testing_devices::outcome::{TestResult, fail};

pub(crate) fn cases() -> Vec<Case> {
    [barriers::cases(), uniform_loads::cases(), flow::cases(), memory::cases(), ids::cases(), overrides::cases()]
        .into_iter()
        .flatten()
        .collect()
}

/// A function of one word, computed by each invocation on its own.
struct PerInvocation {
    name: &'static str,
    /// WGSL that sets `r` from `x`, the invocation's word, and `i`, the invocation's index.
    body: &'static str,
    /// Functions, types and variables that the body uses.
    declarations: &'static str,
    reference: fn(u32, u32) -> u32,
}

impl PerInvocation {
    fn case(&'static self, group: &str) -> Case {
        Case::new(format!("control::{group}::{}", self.name), |device| self.run(device))
    }

    fn run(&self, device: &Device) -> TestResult {
        let input: Vec<u32> = (0..300u32).map(|at| if at < 40 { at } else { at.wrapping_mul(2_654_435_761) }).collect();
        let source = format!(
            "@group(0) @binding(0) var<storage, read> in_x: array<u32>;
             @group(0) @binding(1) var<storage, read_write> result: array<u32>;
             {}
             @compute @workgroup_size(64)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                 let i = id.x;
                 if i >= arrayLength(&in_x) {{ return; }}
                 let x = in_x[i];
                 var r = 0u;
                 {}
                 result[i] = r;
             }}",
            self.declarations, self.body
        );
        let got = Program::new(source).input("in_x", &input).run(device, input.len(), input.len().div_ceil(64))?;
        for (at, (x, got)) in input.iter().zip(&got).enumerate() {
            let wanted = (self.reference)(*x, at as u32);
            if wanted != *got {
                let name = self.name;
                return fail(format!("{name} of {x:#x} in invocation {at}: expected {wanted:#x}, got {got:#x}"));
            }
        }
        Ok(())
    }
}
