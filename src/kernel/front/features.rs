//! The WGSL feature that a device lacks for a kernel, and the line that needs it.

use anywarp_backend::{Caps, Program, Source, Spot};
use naga::Expression;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::Text;
use crate::error::KernelError;

/// A function that returns the WGSL features of each device of the machine, by its selection string; called only for an
/// error.
pub(crate) type Others<'a> = &'a (dyn Fn() -> Vec<(String, Capabilities)> + Sync);

/// Refuses a program that needs a feature which the device lacks.
pub(super) fn check(text: &Text<'_>, program: &Program, caps: &Caps) -> Result<(), KernelError> {
    let (module, kernel) = (&program.module, program.name.to_string());
    if module.fits(caps.shader) && unnoticed(module, caps.shader).is_none() {
        return Ok(());
    }
    let Some((feature, span)) = missing(module, caps.shader) else {
        let what = "a feature that compute devices do not have".to_owned();
        return Err(KernelError::Unsupported { kernel, what, place: None });
    };
    let having: Vec<String> = (text.others)()
        .into_iter()
        .filter(|(_, shader)| missing(module, *shader).is_none())
        .map(|(selector, _)| selector)
        .collect();
    let others = if having.is_empty() {
        "no other device of this machine can run the kernel".to_owned()
    } else {
        format!("devices that can run the kernel: {}", having.join(", "))
    };
    Err(KernelError::MissingFeature {
        kernel,
        feature: feature.to_owned(),
        device: caps.name.clone(),
        place: place(&text.source, span),
        others,
    })
}

/// The first feature that `module` needs and `has` lacks, with the location that needs it.
///
/// naga reports a missing capability only in words. So for each capability that `has` lacks, the module is validated
/// with all capabilities except this one: the module is invalid exactly if it needs this capability.
fn missing(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
    unnoticed(module, has).or_else(|| noticed(module, has))
}

/// [`missing`] for the features that naga's validator checks.
fn noticed(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
    Caps::known_features().iter().filter(|(flag, _)| !has.contains(*flag)).find_map(|(flag, name)| {
        let error = Validator::new(ValidationFlags::all(), Capabilities::all() - *flag).validate(module).err()?;
        // The error of a function lists its span and those of its expressions: the shortest is the most exact location.
        let length = |span: &naga::Span| span.to_range().map_or(usize::MAX, |range| range.len());
        Some((*name, error.spans().map(|(span, _)| *span).min_by_key(length)))
    })
}

/// [`missing`] for the features that naga's validator does not check: cooperative matrices whose type no declaration
/// names.
fn unnoticed(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
    if has.contains(Capabilities::COOPERATIVE_MATRIX) {
        return None;
    }
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    let functions = module.functions.iter().map(|(_, function)| function).chain(entries);
    functions.flat_map(|function| function.expressions.iter().map(move |item| (function, item))).find_map(
        |(function, (handle, expression))| {
            let matrix =
                matches!(expression, Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. });
            matrix.then(|| ("cooperative_matrix", Some(function.expressions.get_span(handle))))
        },
    )
}

/// The location of a span, if known.
pub(super) fn place(source: &Source, span: Option<naga::Span>) -> Option<Spot> {
    span.and_then(|span| source.spot(span.to_range()?))
}
