//! The rule for loads of a storage buffer that give every invocation the same values.

use super::{Numbers, Rules};
use crate::backend::{ObservedAccess, ObservedSpace, Touch};
use crate::insight::estimate::cycles_of;
use crate::insight::{Problem, Resource, Suspicion, root};

/// The loads of an invocation from which they are a finding.
const REPEATED: f64 = 4.0;
/// The bytes that a uniform buffer may have on every device.
const MOST: u64 = 64 << 10;
/// The requests of a place that are observed in a workgroup, and the invocations of such a request; later requests are
/// only counted.
const OBSERVED: f64 = 1024.0;
const INVOCATIONS: f64 = 64.0;

/// Returns the finding about a load, if all invocations read the same places by it.
pub(super) fn finding(rules: &Rules<'_>, access: &ObservedAccess) -> Option<Suspicion> {
    let name = root(&access.variable);
    if access.space != ObservedSpace::Storage {
        return None;
    }
    let buffer = rules.kernel.buffers.iter().find(|buffer| *buffer.name == *name)?;
    let value = loads(rules, access);
    if value < REPEATED || buffer.written > 0 || !is_same_for_all(rules, name, buffer.bytes) {
        return None;
    }
    let counts = &access.counts[rules.model.column()];
    let [first, end] = access.extent;
    let is_one = is_complete(rules, access) && end - first == u64::from(access.bytes);
    // The load of one element remains, once for each invocation; loads of constants take no sectors at all.
    let remain = if is_one { 1.0 / value } else { 0.0 };
    let cycles = cycles_of(counts.requests, counts.sectors, rules.model) * (1.0 - remain) * rules.scale;
    let help = if is_one {
        format!(
            "it is the same element each time: load it into a 'let' before the loop, or bind '{name}' as var<uniform>"
        )
    } else {
        format!(
            "bind '{name}' as var<uniform>, with a fixed length and elements of 16 bytes (array<vec4<..>, N>): \
             constants have a cache and a path of their own"
        )
    };
    let numbers = Numbers {
        value,
        ideal: value * remain,
        resource: Resource::Sectors,
        wasted: cycles / rules.model.cycles(),
        less: Vec::new(),
    };
    Some(rules.found(Problem::UniformLoad, &access.at, &access.variable, numbers, help))
}

/// Whether all accesses of a variable are loads by which all invocations read the same bytes, and the bytes fit into a
/// uniform buffer. The buffer has `bytes` bytes.
fn is_same_for_all(rules: &Rules<'_>, name: &str, bytes: u64) -> bool {
    let of_buffer = |site: &&ObservedAccess| site.space == ObservedSpace::Storage && root(&site.variable) == name;
    rules.kernel.accesses.iter().filter(of_buffer).all(|site| {
        let counts = &site.counts[rules.model.column()];
        // A kernel of single lanes has nothing that they could share.
        let is_shared = counts.uniform > 0 && counts.uniform * 2 >= counts.requests;
        let is_small = site.extent[1] <= MOST && (bytes <= MOST || is_complete(rules, site));
        site.touch == Touch::Read && site.common && is_shared && is_small
    })
}

/// The loads of an invocation at a place, on average over all observed ones.
fn loads(rules: &Rules<'_>, access: &ObservedAccess) -> f64 {
    access.invocations as f64 / (rules.kernel.observed as f64 * of_workgroup(rules)).max(1.0)
}

/// Whether the places of all loads were observed, and not only those of the first iterations of a long loop.
fn is_complete(rules: &Rules<'_>, access: &ObservedAccess) -> bool {
    loads(rules, access) * (of_workgroup(rules) / INVOCATIONS).ceil() <= OBSERVED
}

/// The invocations of a workgroup.
fn of_workgroup(rules: &Rules<'_>) -> f64 {
    f64::from(rules.kernel.workgroup_size.iter().product::<u32>())
}
