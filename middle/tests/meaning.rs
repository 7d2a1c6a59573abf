//! Kernels come to the same before and after each pass: random ones, run on the processor against a reference.
//!
//! What passes make faster runs with every check, and with none but those that the analysis asks for. What gets its
//! checks in the module itself runs on a device that would tell of any access out of range.

#[allow(dead_code, reason = "there is more in it than is used here")]
#[path = "meaning/differential.rs"]
mod differential;
#[path = "meaning/machine.rs"]
mod machine;

use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use anywarp_middle::explicit::explicit;
use anywarp_middle::optimise::optimise;
use naga::Module;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use differential::ast::{Program, Space};
use differential::evaluate::{canonical, evaluate};
use differential::print::wgsl;
use differential::{generate, hostile};
use machine::Machine;

fn validated(module: &Module) -> Result<ModuleInfo, String> {
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|error| format!("not valid: {error:?}"))
}

/// Runs a kernel in each of its forms; the first that differs from the reference.
fn differs(machines: &[Machine; 2], program: &Program) -> Option<String> {
    let expected = evaluate(program).expect("the generator makes kernels with a defined result").buffers;
    let text = wgsl(program);
    let [plain, checked] = machines;
    let ran = |form: &str, machine: &Machine, module: (&Module, &ModuleInfo), proofs| {
        let mut found = match machine.run(module, proofs, &program.buffers, program.groups) {
            Ok(found) => found,
            Err(problem) => return Some(format!("{form}: {problem}\n{text}")),
        };
        let written = program.globals.iter().filter(|global| global.space == Space::Output);
        let wrong = written.filter_map(|global| Some((global, global.binding? as usize))).find(|(global, at)| {
            canonical(&global.ty, &program.structs, &mut found[*at]);
            found[*at] != expected[*at]
        });
        wrong.map(|(global, _)| format!("{form}: '{}' is another\n{text}", global.name))
    };
    let forms = || -> Result<Option<String>, String> {
        let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
        let info = validated(&module)?;
        let circumstances = Circumstances::default();
        let faster = optimise(&module, &info, &circumstances).unwrap_or_else(|| module.clone());
        let faster_info = validated(&faster)?;
        let proofs = prove(&faster, &faster_info, &circumstances).proofs;
        let safe = explicit(&faster, &faster_info, &proofs);
        let safe_info = validated(&safe)?;
        let plainly_safe = explicit(&module, &info, &prove(&module, &info, &circumstances).proofs);
        let plainly_safe_info = validated(&plainly_safe)?;
        Ok(ran("optimised", plain, (&faster, &faster_info), None)
            .or_else(|| ran("proven", plain, (&faster, &faster_info), Some(proofs)))
            .or_else(|| ran("with explicit checks", checked, (&safe, &safe_info), None))
            .or_else(|| ran("with explicit checks alone", checked, (&plainly_safe, &plainly_safe_info), None)))
    };
    forms().unwrap_or_else(|problem| Some(format!("{problem}\n{text}")))
}

fn check(seeds: std::ops::Range<u64>, make: fn(u64, usize) -> Program) {
    let machines = [Machine::new(false), Machine::new(true)];
    for seed in seeds {
        if let Some(wrong) = differs(&machines, &make(seed, 4)) {
            panic!("seed {seed}, {wrong}");
        }
    }
}

#[test]
fn random_kernels_come_to_the_same() {
    check(0..60, generate::generate);
}

#[test]
fn hostile_kernels_come_to_the_same() {
    check(0..150, hostile::generate);
}
