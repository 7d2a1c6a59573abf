//! The amount of code that a driver receives: instructions of SPIR-V, which no machine and no load changes.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::compiler::Given;
use crate::shared::Outcome;

/// The number of words before the first instruction of a module.
const HEADER: usize = 5;

/// The opcode of `OpFunction`; names, types and constants come before the first function.
const FUNCTION: u32 = 54;

/// Counts the instructions of a kernel's functions, as wgpu writes them for a driver that checks buffer accesses
/// itself, as hardware drivers do.
///
/// # Errors
/// The kernel cannot be written; the error has the reason.
pub(crate) fn instructions(given: &Given) -> Outcome<usize> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&given.module)?;
    let index = if given.checks.bounds_checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies { index, ..BoundsCheckPolicies::default() },
        force_loop_bounding: given.checks.force_loop_bounding,
        emit_int_div_checks: given.checks.int_div_checks,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        fake_missing_bindings: true,
        ..spv::Options::default()
    };
    let words = spv::write_vec(&given.module, &info, &options, None)?;
    let (mut at, mut count, mut inside) = (HEADER, 0, false);
    while let Some(first) = words.get(at) {
        // The high half is the number of words in the instruction.
        let (length, operation) = (*first >> 16, *first & 0xFFFF);
        inside |= operation == FUNCTION;
        count += usize::from(inside);
        at += (length as usize).max(1);
    }
    Ok(count)
}
