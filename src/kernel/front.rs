//! The front end: from composed WGSL to a compiled kernel, one step a line.
//!
//! | module | step |
//! |---|---|
//! | `validate` | parse, validate, drop what the entry point does not use |
//! | `entry_point` | choose the entry point |
//! | `overrides` | give overrides their values |
//! | `uniformity` | barriers that browsers would refuse |
//! | `reflect` | bindings, values and memory, read from the module |
//! | `features`, `limits` | what the device lacks, and the line that needs it |
//! | `debug` | functions that print |
//! | `grid` | grids that the device cannot dispatch as they are |
//! | `middle` | made faster, and what is proven of it |

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
use anywarp_wgsl::TextError;
use anywarp_wgsl::guard::Room;

use super::passes::reads::Reads;
use super::source::Wgsl;
use crate::debug::Sites;
use crate::error::KernelError;

pub(crate) use debug::Number;
pub(crate) use features::Others;
pub(crate) use middle::spares_work;

/// A text, and what its steps ask of others.
pub(crate) struct Text<'a> {
    pub(crate) wgsl: &'a Wgsl<'a>,
    /// The one text that `wgsl` is composed to.
    pub(crate) source: Arc<Source>,
    pub(crate) others: Others<'a>,
    pub(crate) number: Number<'a>,
    /// Whether mistakes that this device forgives are logged.
    pub(crate) warns: bool,
}

/// Where the list begins.
pub(crate) enum Start<'a> {
    /// At the top.
    Text(Text<'a>),
    /// With a program, for grids that the device cannot dispatch as they are.
    LargeGrid(&'a Program),
    /// With a program, for launches of which this is known.
    Launches(&'a Program, &'a Circumstances),
}

/// Goes through the list, for a device with `caps`. The last step is `compile`, which takes the program, the calls in it
/// that print, and what it reads of its uniforms: of a program that was made from another, nothing is said.
///
/// The last binding of a program that prints is what it prints into; that of one for large grids is the logical grid,
/// three `u32`.
pub(crate) fn kernel<T: Send>(
    start: &Start<'_>,
    caps: &Caps,
    compile: impl FnOnce(Program, Option<Arc<Sites>>, Reads) -> Result<T, KernelError> + Send,
) -> Result<T, KernelError> {
    start.room()?.run(|| {
        let (program, sites, reads) = match start {
            Start::Text(text) => {
                // The module as its author wrote it.
                let module = validate::parse(text)?;
                let module = validate::validate(text, module, caps)?;
                let marked = debug::marked(&text.source, &module)?;
                let entry = entry_point::choose(text.wgsl, &module)?;
                // The part that one entry point uses.
                let module = overrides::resolve(text, &entry, module)?;
                let module = validate::drop_unused(text, &entry, module, caps)?;
                uniformity::warn(text, &module);
                let program = reflect::program(text, entry, module)?;
                // Whether the device can run that.
                features::check(text, &program, caps)?;
                limits::check(&program, caps)?;
                let reads = Reads::of(&program.module);
                // Its calls that print.
                let (program, sites) = debug::print(text, program, &marked, caps)?;
                (program, sites, reads)
            }
            Start::LargeGrid(program) => (grid::fold(program, caps)?, None, Reads::default()),
            Start::Launches(program, _) => (Program::clone(program), None, Reads::default()),
        };
        let program = match start {
            Start::Launches(_, known) => middle::specialise(&program, known, caps)?,
            _ => middle::pass(program, caps),
        };
        compile(program, sites, reads)
    })
}

/// An error of the list as it is said of a text that stands in the program: with the line of it.
///
/// The list is gone through once more, which only costs time where there is an error.
pub(crate) fn placed(wgsl: &Wgsl<'_>, caps: &Caps, others: Others<'_>, error: KernelError) -> KernelError {
    if matches!(error, KernelError::Compile { .. }) {
        return error;
    }
    let Some(wgsl) = wgsl.placed() else { return error };
    let again = wgsl.source().and_then(|source| {
        let text = Text { wgsl: &wgsl, source: Arc::new(source), others, number: &|_| 0, warns: false };
        kernel(&Start::Text(text), caps, |_, _, _| Ok(()))
    });
    again.err().unwrap_or(error)
}

impl Start<'_> {
    /// Room for what the size of the text asks for.
    fn room(&self) -> Result<Room<'_>, TextError> {
        let source = match self {
            Self::Text(text) => Some(&text.source),
            Self::LargeGrid(program) | Self::Launches(program, _) => program.source.as_ref(),
        };
        source.map_or_else(|| Room::of("", ""), |source| Room::of_source(source))
    }
}
