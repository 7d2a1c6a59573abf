//! The checks of indices and loops that a kernel keeps, and what they cost.

use std::fmt;
use std::sync::Arc;

use super::{Model, root};
use crate::backend::{ObservedAccess, ObservedBranch, ObservedKernel, Spot};
use crate::kernel::{AccessCounts, AccessVerdict, ExplainedAccess, Explanation};

/// The instructions of a check: a comparison with the length and the choice of an index, or a count of iterations and
/// its comparison.
pub(super) const INSTRUCTIONS: f64 = 2.0;

/// The checks that a kernel keeps in every launch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeptChecks {
    /// The kernel: file and entry point.
    pub kernel: Arc<str>,
    /// The accesses with a computed index: proven, checked by the host at the launch, and checked by the device.
    pub accesses: AccessCounts,
    /// The loops that are proven to end, and those whose iterations are counted.
    pub loops: [usize; 2],
    /// The checks of the device, those that run most often first.
    pub kept: Vec<KeptCheck>,
}

/// A check that the device makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeptCheck {
    /// The position in the source.
    pub at: Spot,
    /// The access as written, such as `x[index[i]]`; `loop` for the count of iterations.
    pub text: String,
    /// Whether it counts the iterations of a loop.
    pub is_loop: bool,
    /// How often an invocation makes the check, on average over all observed ones.
    pub times: f64,
    /// The estimated share of the check in the kernel's instructions, from 0 to 1.
    pub share: f64,
    /// A change to the kernel with which the check is not needed.
    pub advice: Option<String>,
}

impl KeptChecks {
    /// Joins the proofs about a kernel with the counts of its runs.
    pub(super) fn of(kernel: &ObservedKernel, explanation: &Explanation, model: &Model) -> Self {
        let runs = Runs { kernel, model };
        let checked = explanation.accesses.iter().filter(|access| access.verdict() == AccessVerdict::Checked);
        let mut kept: Vec<KeptCheck> = checked.filter_map(|access| runs.access(access)).collect();
        let loops = explanation.loops.iter().filter(|one| !one.proven);
        kept.extend(loops.filter_map(|one| runs.one_loop(&one.place, one.advice.clone())));
        kept.sort_by(|one, other| other.times.total_cmp(&one.times));
        // The observed counts are those of the kernel's own instructions.
        let executed = kernel.lanes[model.column()].executed as f64;
        let invocations = runs.invocations();
        let of_checks = kept.iter().fold(0.0, |sum, check| sum + check.times * invocations * INSTRUCTIONS);
        let all = executed + of_checks;
        for check in &mut kept {
            check.share = check.times * invocations * INSTRUCTIONS / all.max(1.0);
        }
        let proven = explanation.loops.iter().filter(|one| one.proven).count();
        Self {
            kernel: Arc::clone(&kernel.kernel),
            accesses: explanation.counts(),
            loops: [proven, explanation.loops.len() - proven],
            kept,
        }
    }

    /// The estimated share of the device's checks in the kernel's instructions, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.kept.iter().fold(0.0, |sum, check| sum + check.share)
    }
}

struct Runs<'a> {
    kernel: &'a ObservedKernel,
    model: &'a Model,
}

impl Runs<'_> {
    fn access(&self, access: &ExplainedAccess) -> Option<KeptCheck> {
        let (file, line, column) = parts_of_place(&access.place)?;
        let of_line = self.kernel.accesses.iter().filter(|site| site.at.line == line && *site.at.file == *file);
        // An assignment begins where its left side begins; an atomic begins before it.
        let here = |site: &&ObservedAccess| site.at.column == column || is_of(site, &access.text);
        let site = of_line.filter(here).max_by_key(|site| (site.at.column == column, site.invocations))?;
        Some(self.kept(&site.at, access.text.clone(), false, site.invocations as f64, access.advice.clone()))
    }

    fn one_loop(&self, place: &str, advice: Option<String>) -> Option<KeptCheck> {
        let (file, line, _) = parts_of_place(place)?;
        let here = |branch: &&ObservedBranch| branch.is_loop && branch.at.line == line && *branch.at.file == *file;
        let found = self.kernel.branches.iter().find(here)?;
        let warps = found.counts[self.model.column()].warps as f64;
        Some(self.kept(&found.at, "loop".to_owned(), true, warps * f64::from(self.model.warp), advice))
    }

    fn kept(&self, at: &Spot, text: String, is_loop: bool, runs: f64, advice: Option<String>) -> KeptCheck {
        // The analysis has no words for an index without a place in the text.
        let advice = advice
            .map(|advice| index_of(&text).map_or_else(|| advice.clone(), |index| advice.replace("the index", index)));
        KeptCheck { at: at.clone(), text, is_loop, times: runs / self.invocations().max(1.0), share: 0.0, advice }
    }

    /// The observed invocations.
    fn invocations(&self) -> f64 {
        self.kernel.observed as f64 * f64::from(self.kernel.workgroup_size.iter().product::<u32>())
    }
}

/// The index of an access as written: `i + 1` of `x[a[j]][i + 1]`.
fn index_of(text: &str) -> Option<&str> {
    let inside = text.strip_suffix(']')?;
    let mut depth = 0_usize;
    let open = inside.char_indices().rev().find(|(_, letter)| {
        match letter {
            ']' => depth += 1,
            '[' if depth == 0 => return true,
            '[' => depth -= 1,
            _ => {}
        }
        false
    });
    Some(inside[open?.0 + 1..].trim())
}

/// The file, the line and the column of `FILE:LINE:COLUMN`.
fn parts_of_place(place: &str) -> Option<(&str, u32, u32)> {
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

/// Whether a site accesses the variable that an access as written begins with.
fn is_of(site: &ObservedAccess, text: &str) -> bool {
    root(&site.variable) == root(text)
}

/// A line with the numbers, and a line for each check of the device.
impl fmt::Display for KeptChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessCounts { proven, at_launch, checked } = self.accesses;
        let [ending, counted] = self.loops;
        write!(
            f,
            "checks: {proven} of {} accesses and {ending} of {} loops need none",
            proven + at_launch + checked,
            ending + counted
        )?;
        if at_launch > 0 {
            write!(f, ", {at_launch} need none in launches that meet their conditions")?;
        }
        if checked + counted > 0 {
            write!(f, "; {} remain, about {:.1} % of the instructions", checked + counted, self.share() * 100.0)?;
        }
        self.kept.iter().try_for_each(|check| {
            write!(f, "\n    line {}: {}, {:.1} times an invocation", check.at.line, check.text, check.times)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{index_of, parts_of_place};

    #[test]
    fn places_and_indices_are_read_from_text() {
        assert_eq!(parts_of_place("C:\\k.wgsl:12:7"), Some(("C:\\k.wgsl", 12, 7)));
        assert_eq!(parts_of_place(""), None);
        assert_eq!(
            [index_of("x[at]"), index_of("x[a[j]][ i + 1 ]"), index_of("x[a[j]]")],
            [Some("at"), Some("i + 1"), Some("a[j]")]
        );
        assert_eq!([index_of("x.y"), index_of("]"), index_of("")], [None; 3]);
    }
}
