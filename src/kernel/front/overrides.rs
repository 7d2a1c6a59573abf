//! The values of overrides.

use anywarp_backend::Validated;
use anywarp_wgsl::diagnostic;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::PipelineConstantError;
use naga::{Override, Scalar, ScalarKind};

use super::Text;
use super::entry_point::Entry;
use crate::error::KernelError;

/// Sets the value of every override.
pub(super) fn resolve(text: &Text<'_>, entry: &Entry, module: Validated) -> Result<Validated, KernelError> {
    let constants = constants(text, entry, &module)?;
    // The pass keeps a valid module valid.
    let module = module.clone().after_pass(anywarp_middle::odd::from_positive(&module)).unwrap_or(module);
    let typed: Vec<(String, &'static str)> =
        module.overrides.iter().map(|(_, item)| described(&module, item)).collect();
    module.with_overrides(&entry.point, &constants).map_err(|error| {
        let message = match error {
            PipelineConstantError::ValidationError(error) => {
                return diagnostic::of_validator(&text.source, &error).into();
            }
            PipelineConstantError::MissingValue(key) => {
                let kind = typed.iter().find(|(known, _)| *known == key).map_or("a value", |(_, kind)| *kind);
                format!("override '{key}': expected {kind}, found no value; set it, or give it a default in the WGSL")
            }
            PipelineConstantError::NegativeWorkgroupSize => {
                "expected a workgroup size of at least 1 in each dimension, but an override sets one to 0 or less; set \
                 that override to 1 or more"
                    .to_owned()
            }
            other => format!("an override's value or default cannot be computed: {other}; set other values"),
        };
        KernelError::Override { kernel: entry.kernel.to_string(), message }
    })
}

/// Returns the values that the user has set, by naga's keys of the overrides: the `@id` of an override, or else its
/// name.
fn constants(text: &Text<'_>, entry: &Entry, module: &naga::Module) -> Result<PipelineConstants, KernelError> {
    let mut constants = PipelineConstants::default();
    for (name, value) in &text.wgsl.overrides {
        // An override with an @id may also be set by its name.
        let by_name = module.overrides.iter().find(|(_, item)| item.name.as_deref() == Some(name));
        let meant = by_name.or_else(|| module.overrides.iter().find(|(_, item)| key(item) == *name));
        let kernel = entry.kernel.to_string();
        let Some((_, item)) = meant else {
            let candidates = module.overrides.iter().filter_map(|(_, item)| item.name.clone()).collect();
            return Err(KernelError::UnknownOverride { kernel, name: name.to_string(), candidates });
        };
        if !fits(module, item, *value) {
            let (_, expected) = described(module, item);
            let message =
                format!("override '{name}': expected {expected}, found {}; set it to such a value", plain(*value));
            return Err(KernelError::Override { kernel, message });
        }
        constants.insert(key(item), *value);
    }
    Ok(constants)
}

/// A number for an error; from 1e16 on, in scientific notation.
fn plain(value: f64) -> String {
    if value.abs() < 1e16 { value.to_string() } else { format!("{value:e}") }
}

fn key(item: &Override) -> String {
    item.id.map(|id| id.to_string()).or_else(|| item.name.clone()).unwrap_or_default()
}

fn scalar(module: &naga::Module, item: &Override) -> Option<Scalar> {
    module.types[item.ty].inner.scalar()
}

/// Whether the type of the override can represent a value. naga does not check this: it truncates fractions, and
/// accepts any number for `true`.
fn fits(module: &naga::Module, item: &Override, value: f64) -> bool {
    let Some(Scalar { kind, width }) = scalar(module, item) else { return true };
    let bits = i32::from(width) * 8;
    match kind {
        ScalarKind::Bool => value == 0.0 || value == 1.0,
        ScalarKind::Uint => value.fract() == 0.0 && (0.0..2_f64.powi(bits)).contains(&value),
        ScalarKind::Sint => value.fract() == 0.0 && (-2_f64.powi(bits - 1)..2_f64.powi(bits - 1)).contains(&value),
        ScalarKind::Float => match width {
            2 => half::f16::from_f64(value).is_finite(),
            4 => (value as f32).is_finite(),
            _ => value.is_finite(),
        },
        ScalarKind::AbstractInt | ScalarKind::AbstractFloat => true,
    }
}

/// The key of an override, and the values that it accepts.
fn described(module: &naga::Module, item: &Override) -> (String, &'static str) {
    let values = match scalar(module, item) {
        Some(Scalar::BOOL) => "a bool (true or false, 1 or 0)",
        Some(Scalar::U32) => "a u32 (a whole number from 0 to 4294967295)",
        Some(Scalar::I32) => "an i32 (a whole number from -2147483648 to 2147483647)",
        Some(Scalar::U16) => "a u16 (a whole number from 0 to 65535)",
        Some(Scalar::I16) => "an i16 (a whole number from -32768 to 32767)",
        Some(Scalar::F32) => "an f32 (a finite number up to 3.4e38)",
        Some(Scalar::F16) => "an f16 (a finite number up to 65504)",
        _ => "a number of its type",
    };
    (key(item), values)
}
