//! From a text to a valid module with one entry point.

use anywarp_backend::{Caps, Validated};
use anywarp_wgsl::{diagnostic, module};
use naga::Module;
use naga::valid::Capabilities;

use super::Text;
use super::entry_point::Entry;
use crate::error::KernelError;
use crate::kernel::passes::unused;

/// Parses the text.
pub(super) fn parse(text: &Text<'_>) -> Result<Module, KernelError> {
    Ok(module::parse(&text.source)?)
}

/// Validates a module for a device with `caps` or, if the module needs more, for a device with all capabilities. A
/// later step finds the missing feature, and considers only what the entry point uses.
pub(super) fn validate(text: &Text<'_>, module: Module, caps: &Caps) -> Result<Validated, KernelError> {
    Validated::new(module, caps.shader)
        .or_else(|refused| Validated::new(refused.module, Capabilities::all()))
        .map_err(|refused| diagnostic::of_refused(&text.source, &refused).into())
}

/// Removes all that the entry point does not use, and validates the module for a device with `caps` if possible.
pub(super) fn drop_unused(
    text: &Text<'_>,
    entry: &Entry,
    module: Validated,
    caps: &Caps,
) -> Result<Validated, KernelError> {
    match unused::dropped(&module, &entry.point) {
        Some(module) => validate(text, module, caps),
        None => Ok(module.narrowed(caps.shader)),
    }
}
