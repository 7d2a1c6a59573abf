//! Which accesses stay in range and which loops end.
//!
//! | module | concept |
//! |---|---|
//! | `walk` | goes through a kernel, with what is known instead of what is |
//! | `evaluate`, `types` | expressions; which types are followed |
//! | `loops` | what holds in each turn, and whether there is a last one |
//! | `state` | what variables hold, and where several ways meet |
//! | `values` | values, known by how they are made |
//! | `facts` | what holds on the way to a point: ranges, distances |
//! | `order` | whether one value is at most another |
//! | `bounds`, `sums` | what a launch must be like for an index to be in range |
//! | `conditions` | how its host finds out |
//! | `access`, `verdicts`, `notes` | what was found |

mod access;
mod bounds;
mod conditions;
mod evaluate;
mod facts;
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

pub use conditions::{Conditions, Outer};
pub use notes::{AccessNote, LoopNote};
pub use verdicts::{Advice, Count, LoopAdvice};

use anywarp_backend::Proofs;
use naga::Module;
use naga::valid::ModuleInfo;

use crate::Circumstances;
use crate::rebuild::depth::nests_too_deeply;

/// What is proven of a module, and what is not and why.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// For backends.
    pub proofs: Proofs,
    /// What some launches show that others do not.
    pub of_launches: LaunchProofs,
    /// For people: each access with an index that is computed, in the order of the text.
    pub accesses: Vec<AccessNote>,
    /// Each loop.
    pub loops: Vec<LoopNote>,
    /// Why nothing is proven, if it was given up.
    pub gave_up: Option<&'static str>,
}

/// What is proven of launches that meet some conditions.
#[derive(Clone, Debug, Default)]
pub struct LaunchProofs {
    /// What they may meet.
    pub conditions: Conditions,
    verdicts: verdicts::Verdicts,
}

impl LaunchProofs {
    /// For backends: what is proven of launches that meet the conditions of these bits.
    #[must_use]
    pub fn proofs(&self, met: u64) -> Proofs {
        self.verdicts.proofs(met)
    }
}

/// Finds out which accesses of a valid module with one entry point stay in range, and which of its loops end.
///
/// What a backend leaves out because of it must hold for every launch that `circumstances` describe.
#[must_use]
pub fn prove(module: &Module, info: &ModuleInfo, circumstances: &Circumstances) -> Analysis {
    if module.entry_points.len() != 1 {
        return Analysis { gave_up: Some("it has not exactly one entry point"), ..Analysis::default() };
    }
    let entry = module.entry_points.iter().map(|entry| &entry.function);
    let mut functions = module.functions.iter().map(|(_, function)| function).chain(entry);
    if functions.any(|function| nests_too_deeply(&function.body)) {
        return Analysis { gave_up: Some("its blocks nest too deeply"), ..Analysis::default() };
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
