//! The values of overrides.

use anywarp_backend::Validated;
use anywarp_wgsl::diagnostic;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::PipelineConstantError;

use super::Text;
use super::entry_point::Entry;
use crate::error::KernelError;

/// Gives every override its value.
pub(super) fn resolve(text: &Text<'_>, entry: &Entry, module: Validated) -> Result<Validated, KernelError> {
    let constants = constants(text, entry, &module)?;
    module.with_overrides(&entry.point, &constants).map_err(|error| match error {
        PipelineConstantError::ValidationError(error) => diagnostic::of_validator(&text.source, &error).into(),
        other => KernelError::Override { kernel: entry.kernel.to_string(), message: other.to_string() },
    })
}

/// The values that are given, by the keys that naga knows overrides by: `@id`, or else the name.
fn constants(text: &Text<'_>, entry: &Entry, module: &naga::Module) -> Result<PipelineConstants, KernelError> {
    let known: Vec<String> = module
        .overrides
        .iter()
        .filter_map(|(_, item)| item.id.map(|id| id.to_string()).or_else(|| item.name.clone()))
        .collect();
    let mut constants = PipelineConstants::default();
    for (name, value) in &text.wgsl.overrides {
        // An override with an @id may also be set by its name.
        let id = module.overrides.iter().find_map(|(_, item)| {
            (item.name.as_deref() == Some(name)).then(|| item.id.map_or_else(|| name.to_string(), |id| id.to_string()))
        });
        let key = id.unwrap_or_else(|| name.to_string());
        if !known.contains(&key) {
            let candidates = module.overrides.iter().filter_map(|(_, item)| item.name.clone()).collect();
            let kernel = entry.kernel.to_string();
            return Err(KernelError::UnknownOverride { kernel, name: name.to_string(), candidates });
        }
        constants.insert(key, *value);
    }
    Ok(constants)
}
