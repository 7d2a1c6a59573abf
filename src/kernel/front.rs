//! The front end: the steps from composed WGSL to a compiled kernel.
//!
//! | module | step |
//! |---|---|
//! | `validate` | parses, validates, removes what the entry point does not use |
//! | `entry_point` | selects the entry point |
//! | `overrides` | sets the values of overrides |
//! | `uniformity` | finds barriers that browsers would refuse |
//! | `reflect` | reads bindings, values and memory from the module |
//! | `features`, `limits` | finds what the device lacks, and the line that needs it |
//! | `debug` | makes debug functions print |
//! | `grid` | folds grids that the device cannot dispatch directly |
//! | `middle` | optimises, and proves checks unnecessary |

mod debug;
mod entry_point;
mod features;
mod grid;
mod limits;
mod middle;
mod overrides;
mod reflect;
#[cfg(test)]
mod tests;
mod uniformity;
mod validate;

use std::sync::Arc;

use anywarp_backend::{Caps, Program, Source};
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::LaunchProofs;
use anywarp_wgsl::TextError;
use anywarp_wgsl::guard::Room;

use super::passes::reads::Reads;
use super::source::Wgsl;
use crate::debug::Sites;
use crate::error::KernelError;

pub(crate) use debug::Number;
pub(crate) use features::Others;
pub(crate) use middle::spares_work;

/// The text of a kernel, with the callbacks that the steps of the front end need.
pub(crate) struct Text<'a> {
    pub(crate) wgsl: &'a Wgsl<'a>,
    /// The single text into which `wgsl` was composed.
    pub(crate) source: Arc<Source>,
    pub(crate) others: Others<'a>,
    pub(crate) number: Number<'a>,
    /// Whether faults that this device tolerates are logged.
    pub(crate) warns: bool,
}

/// The input of the front end, which determines the steps that run.
pub(crate) enum Start<'a> {
    /// A text: all steps run.
    Text(Text<'a>),
    /// A finished program. The front end derives from it a program for grids that the device cannot dispatch directly.
    LargeGrid(&'a Program),
    /// A finished program. The front end derives from it a program for launches with these circumstances.
    Launches(&'a Program, &'a Circumstances),
    /// A finished program with further proofs: only the last step runs.
    Made(&'a Program),
}

/// The result of the steps.
pub(crate) struct Front {
    pub(crate) program: Program,
    /// The calls of debug functions in the program, if there are any.
    pub(crate) sites: Option<Arc<Sites>>,
    /// The ranges of uniforms that the program reads; empty for a program that was derived from another one.
    pub(crate) reads: Reads,
    /// The proofs that hold in launches that meet some conditions.
    pub(crate) of_launches: LaunchProofs,
}

/// Runs the list of steps for a device with `caps`. The last step is `compile`.
///
/// If the program prints, its last binding is the debug memory; if it is for large grids, its last binding is the
/// logical grid, three `u32`.
pub(crate) fn kernel<T: Send>(
    start: &Start<'_>,
    caps: &Caps,
    compile: impl FnOnce(Front) -> Result<T, KernelError> + Send,
) -> Result<T, KernelError> {
    start.room()?.run(|| {
        let (program, sites, reads) = match start {
            Start::Text(text) => {
                // The module as written.
                let module = validate::parse(text)?;
                let module = validate::validate(text, module, caps)?;
                let marked = debug::marked(&text.source, &module)?;
                let entry = entry_point::choose(text.wgsl, &module)?;
                // The part that the one entry point uses.
                let module = overrides::resolve(text, &entry, module)?;
                let module = validate::drop_unused(text, &entry, module, caps)?;
                uniformity::warn(text, &module);
                let program = reflect::program(text, entry, module)?;
                // Checks against the device.
                features::check(text, &program, caps)?;
                limits::check(&program, caps)?;
                let reads = Reads::of(&program.module);
                // Calls of debug functions.
                let (program, sites) = debug::print(text, program, &marked, caps)?;
                // The optimisations follow.
                (middle::fuse(program, caps)?, sites, reads)
            }
            Start::LargeGrid(program) => (grid::fold(program, caps)?, None, Reads::default()),
            Start::Launches(program, _) | Start::Made(program) => (Program::clone(program), None, Reads::default()),
        };
        let (program, of_launches) = match start {
            Start::Launches(_, known) => (middle::specialise(&program, known, caps)?, LaunchProofs::default()),
            Start::Made(_) => (program, LaunchProofs::default()),
            _ => middle::pass(program, caps),
        };
        compile(Front { program, sites, reads, of_launches })
    })
}

/// The error for a text without a file name, with the location of the text in the Rust program in place of that name.
///
/// The list of steps runs once more, which takes time only when there is an error.
pub(crate) fn with_location(wgsl: &Wgsl<'_>, caps: &Caps, others: Others<'_>, error: KernelError) -> KernelError {
    if matches!(error, KernelError::Compile { .. }) {
        return error;
    }
    let Some(wgsl) = wgsl.with_location() else { return error };
    let again = wgsl.source().and_then(|source| {
        let text = Text { wgsl: &wgsl, source: Arc::new(source), others, number: &|_| 0, warns: false };
        kernel(&Start::Text(text), caps, |_| Ok(()))
    });
    again.err().unwrap_or(error)
}

impl Start<'_> {
    /// Reserves the stack that the size of the text requires.
    fn room(&self) -> Result<Room<'_>, TextError> {
        let source = match self {
            Self::Text(text) => Some(&text.source),
            Self::LargeGrid(program) | Self::Launches(program, _) | Self::Made(program) => program.source.as_ref(),
        };
        source.map_or_else(|| Room::of("", ""), |source| Room::of_source(source))
    }
}
