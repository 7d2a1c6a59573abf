//! The rule for checks of indices in loops.

use super::{Numbers, Rules};
use crate::insight::checks::{INSTRUCTIONS, KeptCheck};
use crate::insight::{Problem, Resource, Suspicion};

/// How often an invocation makes a check that is a finding, and the check's share of the kernel's instructions.
const REPEATED: f64 = 4.0;
const NOTABLE: f64 = 0.02;

/// Returns the finding about a check, if it is one of an index in a hot loop.
pub(super) fn finding(rules: &Rules<'_>, check: &KeptCheck) -> Option<Suspicion> {
    if check.is_loop || check.times < REPEATED || check.share < NOTABLE {
        return None;
    }
    let invocations = rules.kernel.workgroups as f64 * rules.kernel.workgroup_size.iter().product::<u32>() as f64;
    let operations = check.times * invocations * INSTRUCTIONS;
    let model = rules.model;
    let wasted = operations / (model.integer * model.cycles());
    let help = check.advice.clone().unwrap_or_else(|| {
        "give the array a fixed length, or limit the index before the loop, as by min(.., arrayLength(&..) - 1u): then \
         the analysis can find the bound"
            .to_owned()
    });
    let value = check.share * 100.0;
    let numbers = Numbers { value, ideal: 0.0, resource: Resource::Integer, wasted, less: Vec::new() };
    let found = rules.found(Problem::Checked, &check.at, &check.text, numbers, help);
    // The estimate does not contain the checks, so the gain is what they add.
    let mut with = rules.estimate.clone();
    with.add(Resource::Integer, wasted);
    with.add(Resource::Instructions, operations / f64::from(model.warp) / (model.instructions * model.cycles()));
    let gain = with.time() - rules.estimate.time();
    Some(Suspicion { gain, share: gain / with.time().max(f64::MIN_POSITIVE), ..found })
}
