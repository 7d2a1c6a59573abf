//! The analysis that proves which accesses stay in range and which loops end.
//!
//! | module | concept |
//! |---|---|
//! | `walk` | abstract execution of a kernel |
//! | `inputs` | values that a kernel begins with |
//! | `evaluate`, `types` | values of expressions; the types whose values are tracked |
//! | `loops` | facts that hold in every iteration, and whether the loop ends |
//! | `state` | contents of variables, and their union where paths join |
//! | `values` | symbolic values, identified by the operation that computes them |
//! | `facts` | facts that hold at a point: ranges of values, distances between two values |
//! | `order` | whether one value is at most another |
//! | `bounds`, `sums` | conditions on a launch under which an index is in range |
//! | `conditions` | the check of these conditions on the host |
//! | `access`, `verdicts`, `notes` | results |

mod access;
mod bounds;
mod conditions;
mod evaluate;
mod facts;
mod inputs;
mod loops;
mod notes;
mod order;
mod state;
mod sums;
#[cfg(test)]
mod tests;
mod types;
mod values;
mod verdicts;
mod walk;

use anywarp_backend::Proofs;
use naga::Module;
use naga::valid::ModuleInfo;

use crate::Circumstances;
use crate::rebuild::depth::nests_too_deeply;
pub use conditions::{Conditions, Outer};
pub use notes::{AccessNote, LoopNote};
pub use verdicts::{Advice, Count, LoopAdvice};

/// The proofs about a module, and reports on what is not proven.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The proofs that hold for every launch, for backends.
    pub proofs: Proofs,
    /// The proofs that hold only for launches that meet conditions.
    pub of_launches: LaunchProofs,
    /// A report on each access with a computed index, in the order of the source.
    pub accesses: Vec<AccessNote>,
    /// A report on each loop, in the order of the source.
    pub loops: Vec<LoopNote>,
    /// The reason why nothing is proven, if the analysis gave up.
    pub gave_up: Option<&'static str>,
}

/// The proofs that hold for launches which meet some conditions.
#[derive(Clone, Debug, Default)]
pub struct LaunchProofs {
    /// The conditions, which the host checks before a launch.
    pub conditions: Conditions,
    verdicts: verdicts::Verdicts,
}

impl LaunchProofs {
    /// The proofs, for backends, that hold for launches which meet the conditions whose bits are set in `met`.
    #[must_use]
    pub fn proofs(&self, met: u64) -> Proofs {
        self.verdicts.proofs(met)
    }
}

/// Proves which accesses of a valid module with one entry point stay in range, and which of its loops end.
///
/// The proofs hold for every launch that `circumstances` describe.
#[must_use]
pub fn prove(module: &Module, info: &ModuleInfo, circumstances: &Circumstances) -> Analysis {
    if module.entry_points.len() != 1 {
        return Analysis { gave_up: Some("the module does not have exactly one entry point"), ..Analysis::default() };
    }
    let entry = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entry);
    if functions.any(|function| nests_too_deeply(&function.body)) {
        return Analysis { gave_up: Some("the blocks of the kernel nest too deeply"), ..Analysis::default() };
    }
    let mut walker = walk::Walker::new(module, info, circumstances);
    walker.run();
    let (accesses, loops) = notes::notes(module, &walker.verdicts);
    if let Some(why) = walker.gave_up {
        return Analysis { gave_up: Some(why), ..Analysis::default() };
    }
    let proofs = walker.verdicts.proofs(0);
    let name = |id| walker.name_of_bound(id);
    let conditions = Conditions::new(module, &walker.values, &walker.conditions, &name);
    let of_launches = conditions.map(|conditions| LaunchProofs { conditions, verdicts: walker.verdicts });
    Analysis { proofs, of_launches: of_launches.unwrap_or_default(), accesses, loops, gave_up: None }
}
