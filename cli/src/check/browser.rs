//! What a browser looks at beside the entry points: it refuses a whole file for a directive, or for
//! a function that nobody calls.

use anywarp::KernelError;
use anywarp_backend::naga::valid::{Capabilities, ValidationError, ValidationFlags, Validator};
use anywarp_backend::naga::{Module, Span, WithSpan};
use anywarp_backend::{Caps, Source};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::{TextError, diagnostic, directives, module};

/// What is wrong with a text of which an entry point passes, for a browser with `caps`.
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
    // What cannot be read has been told by then.
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

/// The feature that something outside of the entry points needs. naga names it in words of its own, so
/// each is taken away by itself.
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

/// naga needs no directive for subgroups, browsers do.
fn subgroups(source: &Source, module: &Module, caps: &Caps) -> Option<KernelError> {
    if !caps.shader.contains(Capabilities::SUBGROUP)
        || directives::enables(source.text()).iter().any(|(name, _)| *name == "subgroups")
    {
        return None;
    }
    let error = validate(module, caps.shader - Capabilities::SUBGROUP).err()?;
    let labels: Vec<(Span, String)> = error.spans().map(|(span, _)| (*span, String::new())).take(1).collect();
    let place = labels.first().and_then(|(span, _)| source.spot(span.to_range()?));
    let notes = vec!["browsers want `enable subgroups;` at the beginning of the file".to_owned()];
    let diagnostic = diagnostic::at(source, "subgroups are used and not enabled", labels, notes);
    Some(KernelError::Invalid { file: source.file().to_owned(), diagnostic, place })
}
