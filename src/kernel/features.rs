//! Which feature of WGSL a device lacks for a kernel, and the line that needs it.

use anywarp_backend::Caps;
use naga::Expression;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The first feature that `module` needs and `has` lacks, with the place that needs it.
///
/// naga tells which capability is missing only in words, so each is taken away by itself: the
/// module then fails to validate just when it needs that one.
pub(crate) fn missing(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
    unnoticed(module, has).or_else(|| noticed(module, has))
}

/// What naga's validator notices.
fn noticed(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
    Caps::known_features().iter().filter(|(flag, _)| !has.contains(*flag)).find_map(|(flag, name)| {
        let error = Validator::new(ValidationFlags::all(), Capabilities::all() - *flag).validate(module).err()?;
        Some((*name, error.spans().map(|(span, _)| *span).next()))
    })
}

/// What it does not: cooperative matrices that no declaration names the type of.
pub(crate) fn unnoticed(module: &naga::Module, has: Capabilities) -> Option<(&'static str, Option<naga::Span>)> {
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

/// ` (file:line)` with the line's text, for the end of a sentence.
pub(crate) fn place(file: &str, text: &str, span: Option<naga::Span>) -> String {
    span.filter(naga::Span::is_defined).map_or_else(String::new, |span| {
        let line = span.location(text).line_number as usize;
        let content = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        format!("\n  {file}:{line}: {}", content.trim())
    })
}
