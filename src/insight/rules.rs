//! The rules by which counts become findings.

mod checked;
mod uniform;

use super::estimate::{SECTOR, cycles_of, scale};
use super::{Compiled, Estimate, KeptChecks, Model, Problem, Resource, Suspicion, root};
use crate::backend::{ObservedAccess, ObservedBranch, ObservedKernel, ObservedSpace, Spot, Touch};

/// A request is scattered, or in conflict, from this multiple of the ideal.
const NOTABLE: f64 = 1.5;
/// The percentage of lane instructions from which a branch is a finding.
const LOST: f64 = 5.0;
/// The instructions that a diverging warp must lose at least: shorter branches need no jump.
const SHORT: f64 = 6.0;
/// The lanes on one word from which an atomic is a finding.
const CROWD: f64 = 4.0;

/// Returns the findings about one kernel.
pub(super) fn findings(kernel: &ObservedKernel, estimate: &Estimate, model: &Model) -> Vec<Suspicion> {
    let rules = Rules { kernel, estimate, model, scale: scale(kernel) };
    let accesses = kernel.accesses.iter().flat_map(|access| {
        let of_access = [
            rules.scattered(access),
            rules.conflict(access),
            rules.contention(access),
            uniform::finding(&rules, access),
        ];
        of_access.into_iter().flatten()
    });
    let branches = kernel.branches.iter().filter_map(|branch| rules.divergence(branch));
    accesses.chain(branches).chain(rules.few_workgroups()).collect()
}

/// Returns the finding about spilled registers of a kernel, if it has any.
pub(super) fn spills(
    kernel: &ObservedKernel,
    estimate: &Estimate,
    model: &Model,
    compiled: &Compiled,
) -> Option<Suspicion> {
    if compiled.spilled_bytes == 0 {
        return None;
    }
    let rules = Rules { kernel, estimate, model, scale: scale(kernel) };
    // Private memory is laid out so that the words of a warp are neighbours: four sectors for a word of each.
    let warps = u64::from(compiled.usage.invocations.div_ceil(model.warp.max(1))) * kernel.workgroups;
    let requests = warps * u64::from(compiled.spilled_bytes.div_ceil(4));
    let wasted = cycles_of(requests, requests * u64::from(model.warp) / 8, model) / model.cycles();
    let registers = compiled.usage.registers;
    let help = format!(
        "{registers} registers are all that an invocation gets, and the estimate assumes that each instruction that \
         stores or loads a spilled one runs once: shorten the lives of values, keep smaller tiles in registers, unroll \
         less, or use smaller workgroups where their size limits the registers"
    );
    let value = f64::from(compiled.spilled_bytes);
    let numbers = Numbers { value, ideal: 0.0, resource: Resource::Sectors, wasted, less: Vec::new() };
    let found = rules.found(Problem::Spilled, &whole(kernel), "", numbers, help);
    // The estimate does not contain the spills, so the gain is what they add.
    let mut with = estimate.clone();
    with.add(Resource::Sectors, wasted);
    let gain = with.time() - estimate.time();
    Some(Suspicion { gain, share: gain / with.time().max(f64::MIN_POSITIVE), ..found })
}

/// Returns the findings about the checks of one kernel.
pub(super) fn checks(
    kernel: &ObservedKernel,
    estimate: &Estimate,
    model: &Model,
    checks: &KeptChecks,
) -> Vec<Suspicion> {
    let rules = Rules { kernel, estimate, model, scale: scale(kernel) };
    checks.kept.iter().filter_map(|check| checked::finding(&rules, check)).collect()
}

/// The place of findings about a whole kernel.
fn whole(kernel: &ObservedKernel) -> Spot {
    Spot { file: kernel.kernel.clone(), line: 0, column: 0, width: 0, text: "".into() }
}

struct Rules<'a> {
    kernel: &'a ObservedKernel,
    estimate: &'a Estimate,
    model: &'a Model,
    scale: f64,
}

/// The numbers of a finding.
struct Numbers {
    value: f64,
    ideal: f64,
    resource: Resource,
    wasted: f64,
    /// The time for which it occupies other resources.
    less: Vec<(Resource, f64)>,
}

impl Rules<'_> {
    fn found(&self, problem: Problem, at: &Spot, variable: &str, numbers: Numbers, help: String) -> Suspicion {
        let Numbers { value, ideal, resource, wasted, mut less } = numbers;
        less.push((resource, wasted));
        if resource == Resource::Instructions {
            // Lanes that wait occupy the units of arithmetic as well.
            let share = wasted / self.estimate.of_resource(resource).max(f64::MIN_POSITIVE);
            for unit in [Resource::Float, Resource::Integer, Resource::Special] {
                less.push((unit, share * self.estimate.of_resource(unit)));
            }
        }
        let gain = self.estimate.saved(&less);
        Suspicion {
            problem,
            kernel: self.kernel.kernel.clone(),
            at: at.clone(),
            variable: variable.into(),
            value,
            ideal,
            resource,
            wasted,
            gain,
            share: gain / self.estimate.time().max(f64::MIN_POSITIVE),
            help,
            changes: Vec::new(),
        }
    }

    fn scattered(&self, access: &ObservedAccess) -> Option<Suspicion> {
        let counts = &access.counts[self.model.column()];
        let (value, ideal) = (counts.sectors_per_request(), counts.ideal_per_request());
        // A row that begins in the middle of a sector touches one sector more.
        let is_notable = value > NOTABLE * ideal && value > ideal + 1.0;
        if access.space != ObservedSpace::Storage || !is_notable {
            return None;
        }
        let now = cycles_of(counts.requests, counts.sectors, self.model);
        let wasted = (now - cycles_of(counts.requests, counts.ideal_sectors, self.model)) * self.scale;
        let wasted = wasted / self.model.cycles();
        let help = match access.stride {
            Some(stride) => format!(
                "neighbouring invocations are {} bytes apart: let neighbours access neighbouring elements, by another \
                 order of indices or of the data, or pass the data through workgroup memory",
                stride.unsigned_abs()
            ),
            None => "neighbouring invocations access places far apart: sort the indices, or gather through workgroup \
                     memory"
                .to_owned(),
        };
        let numbers = Numbers { value, ideal, resource: Resource::Sectors, wasted, less: self.beyond_sectors(access) };
        Some(self.found(Problem::Scattered, &access.at, &access.variable, numbers, help))
    }

    /// The time for which a scattered access occupies the shared cache and the memory without need.
    fn beyond_sectors(&self, access: &ObservedAccess) -> Vec<(Resource, f64)> {
        let column = self.model.column();
        let writes = |one: &ObservedAccess| one.touch != Touch::Read;
        let name = root(&access.variable);
        let Some(buffer) = self.kernel.buffers.iter().find(|buffer| *buffer.name == *name) else { return Vec::new() };
        let touched = if writes(access) { buffer.written } else { buffer.read } as f64;
        let same = |one: &&ObservedAccess| {
            one.space == ObservedSpace::Storage && writes(one) == writes(access) && root(&one.variable) == name
        };
        let sites = || self.kernel.accesses.iter().filter(same).map(|one| &one.counts[column]);
        let needed: u64 = sites().map(|counts| counts.ideal_sectors).sum();
        let excess: u64 = sites().map(|counts| counts.sectors - counts.ideal_sectors).sum();
        let own = access.counts[column].sectors - access.counts[column].ideal_sectors;
        let part = own as f64 / (excess as f64).max(1.0);
        // Some of the sectors that workgroups touch hold bytes that nothing needs.
        let unused = (1.0 - needed as f64 / touched.max(1.0)).max(0.0) * part;
        let bytes = touched * SECTOR * self.scale;
        let size = buffer.bytes as f64 * self.kernel.dispatches as f64;
        let through_cache = if writes(access) { own as f64 * SECTOR * self.scale } else { bytes * unused };
        vec![
            (Resource::Cache, through_cache / self.model.cache),
            (Resource::Memory, bytes.min(size.max(SECTOR)) * unused / self.model.memory),
        ]
    }

    fn conflict(&self, access: &ObservedAccess) -> Option<Suspicion> {
        let counts = &access.counts[self.model.column()];
        let value = counts.wavefronts_per_request();
        let ideal = counts.ideal_wavefronts as f64 / (counts.requests as f64).max(1.0);
        let is_crowd = access.touch == Touch::Atomic && counts.contention > counts.ideal_wavefronts;
        if access.space != ObservedSpace::Workgroup || is_crowd || value < NOTABLE * ideal {
            return None;
        }
        let excess = counts.wavefronts.saturating_sub(counts.ideal_wavefronts);
        let wasted = excess as f64 * self.scale / self.model.cycles();
        let help = match access.stride {
            Some(stride) => format!(
                "neighbouring invocations are {} words apart, and words whose distance is a multiple of 32 share a \
                 bank: make the rows of the array one word longer",
                stride.unsigned_abs() / 4
            ),
            None => "make the rows of the array one word longer, or let the index of the invocation choose the word"
                .to_owned(),
        };
        let numbers = Numbers { value, ideal, resource: Resource::Banks, wasted, less: Vec::new() };
        Some(self.found(Problem::BankConflict, &access.at, &access.variable, numbers, help))
    }

    fn contention(&self, access: &ObservedAccess) -> Option<Suspicion> {
        let counts = &access.counts[self.model.column()];
        let value = counts.contention as f64 / (counts.requests as f64).max(1.0);
        if access.touch != Touch::Atomic || value < CROWD {
            return None;
        }
        let waiting = counts.contention.saturating_sub(counts.requests) as f64 * self.scale;
        let (resource, wasted, help) = match access.space {
            ObservedSpace::Workgroup => (
                Resource::Banks,
                waiting / self.model.cycles(),
                "add up in registers or by subgroup operations first, and use one atomic for each warp",
            ),
            _ => (
                Resource::Atomics,
                waiting / self.model.clock,
                "add up in the workgroup first, by subgroup operations or workgroup memory, and use one atomic for \
                 each workgroup",
            ),
        };
        let numbers = Numbers { value, ideal: 1.0, resource, wasted, less: Vec::new() };
        Some(self.found(Problem::Contention, &access.at, &access.variable, numbers, help.to_owned()))
    }

    fn divergence(&self, branch: &ObservedBranch) -> Option<Suspicion> {
        let counts = &branch.counts[self.model.column()];
        let lanes = &self.kernel.lanes[self.model.column()];
        let share = counts.lost as f64 / (lanes.issued as f64).max(1.0);
        let of_warp = counts.lost as f64 / (counts.diverged as f64).max(1.0) / f64::from(self.model.warp);
        if share * 100.0 < LOST || !branch.is_loop && of_warp < SHORT {
            return None;
        }
        let wasted = share * self.estimate.of_resource(Resource::Instructions);
        let numbers =
            Numbers { value: share * 100.0, ideal: 0.0, resource: Resource::Instructions, wasted, less: Vec::new() };
        let warps = format!("{} of {} warps diverge here", counts.diverged, counts.warps);
        let (problem, help) = if branch.is_loop {
            (
                Problem::UnevenLoop,
                format!(
                    "{warps}: give the invocations of a warp loops of equal length, by sorting the work or by dividing \
                     each run among the invocations of a warp"
                ),
            )
        } else {
            (
                Problem::DivergentBranch,
                format!(
                    "{warps}: let all invocations of a warp take the same side, by another assignment of work to \
                     invocations, or compute both sides and select()"
                ),
            )
        };
        Some(self.found(problem, &branch.at, "", numbers, help))
    }

    fn few_workgroups(&self) -> Option<Suspicion> {
        let each = self.kernel.workgroups as f64 / (self.kernel.dispatches as f64).max(1.0);
        let all = f64::from(self.model.multiprocessors);
        // The estimate assumes that all multiprocessors work. Shared resources take as long anyway.
        let shared = [Resource::Memory, Resource::Cache, Resource::Atomics];
        let own = Resource::ALL.iter().filter(|resource| !shared.contains(resource));
        let busy = own.map(|resource| self.estimate.of_resource(*resource)).fold(0.0, f64::max);
        let now = self.estimate.time() - self.estimate.launches;
        let wasted = busy * all / each - now;
        // A dispatch that is short anyway gains nothing.
        if each * 2.0 >= all || wasted < self.estimate.launches {
            return None;
        }
        let numbers = Numbers { value: each, ideal: all, resource: Resource::Instructions, wasted, less: Vec::new() };
        let help = "use more workgroups: smaller ones, or a loop divided among several".to_owned();
        let found = self.found(Problem::FewWorkgroups, &whole(self.kernel), "", numbers, help);
        Some(Suspicion { gain: wasted, share: wasted / (self.estimate.time() + wasted), ..found })
    }
}
