//! The requirements of browsers outside of the entry points: a browser refuses a whole file for a directive, or for a
//! function that is never called.

use anywarp::KernelError;
use anywarp_backend::naga::valid::{Capabilities, ValidationError, ValidationFlags, Validator};
use anywarp_backend::naga::{Module, Span, WithSpan};
use anywarp_backend::{Caps, Source};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::{TextError, diagnostic, directives, module};

/// The errors with which a browser with `caps` refuses `source`, at least one entry point of which passes.
pub(super) fn refusals(source: &Source, caps: &Caps) -> Vec<KernelError> {
    let look = || -> Result<Vec<KernelError>, TextError> {
        let module = module::parse(source)?;
        let mut refusals = unknown_enables(source, caps);
        if refusals.is_empty() {
            refusals.extend(validate(&module, caps.shader).err().map(|error| unused(source, &module, caps, &error)));
            refusals.extend(subgroups(source, &module, caps));
        }
        Ok(refusals)
    };
    // A text that cannot be parsed was reported before.
    Room::of_source(source).and_then(|room| room.run(look)).unwrap_or_default()
}

type Refusal = Box<WithSpan<ValidationError>>;

fn validate(module: &Module, capabilities: Capabilities) -> Result<(), Refusal> {
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map(|_| ()).map_err(Box::new)
}

fn unknown_enables(source: &Source, caps: &Caps) -> Vec<KernelError> {
    let names = caps.feature_names();
    let unknown = directives::enables(source.text()).into_iter().filter(|(name, _)| !names.contains(name));
    unknown
        .map(|(name, at)| KernelError::MissingFeature {
            kernel: source.file().to_owned(),
            feature: name.to_owned(),
            device: caps.name.clone(),
            place: source.spot(at..at + name.len()),
            others: String::new(),
        })
        .collect()
}

/// Returns the error for a feature that code outside of the entry points needs. naga's error does not name the feature,
/// so validation is tried without each feature in turn.
fn unused(source: &Source, module: &Module, caps: &Caps, error: &Refusal) -> KernelError {
    let mut lacked = Caps::known_features().iter().filter(|(flag, _)| !caps.shader.contains(*flag));
    let needed = |(flag, name): &(Capabilities, &'static str)| {
        let error = validate(module, Capabilities::all() - *flag).err()?;
        Some((*name, error.spans().filter_map(|(span, _)| source.spot(span.to_range()?)).min_by_key(|spot| spot.width)))
    };
    lacked.find_map(needed).map_or_else(
        || diagnostic::of_validator(source, error).into(),
        |(feature, place)| KernelError::MissingFeature {
            kernel: source.file().to_owned(),
            feature: feature.to_owned(),
            device: caps.name.clone(),
            place,
            others: String::new(),
        },
    )
}

/// naga needs no directive for subgroups, but browsers do.
fn subgroups(source: &Source, module: &Module, caps: &Caps) -> Option<KernelError> {
    if !caps.shader.contains(Capabilities::SUBGROUP)
        || directives::enables(source.text()).iter().any(|(name, _)| *name == "subgroups")
    {
        return None;
    }
    let error = validate(module, caps.shader - Capabilities::SUBGROUP).err()?;
    let labels: Vec<(Span, String)> = error.spans().map(|(span, _)| (*span, String::new())).take(1).collect();
    let place = labels.first().and_then(|(span, _)| source.spot(span.to_range()?));
    let notes = vec!["browsers require `enable subgroups;` at the beginning of the file".to_owned()];
    let diagnostic = diagnostic::at(source, "subgroups are used, but not enabled", labels, notes);
    Some(KernelError::Invalid { file: source.file().to_owned(), diagnostic, place })
}
