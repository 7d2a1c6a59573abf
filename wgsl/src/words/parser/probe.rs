//! Another parse of the text with the reported part replaced. If the parser reports the type of a declaration, the
//! mistake may be in the value instead.

use std::ops::Range;

use anywarp_backend::Validated;
use naga::Module;
use naga::front::wgsl::Frontend;
use naga::valid::Capabilities;

use super::super::{Finding, of_validator};
use super::Said;

/// The first mistake in the text after `with` has replaced the range `instead`; `None` if that mistake is not within
/// `value`.
pub(super) fn mistake_in(said: Said<'_>, value: Range<usize>, instead: Range<usize>, with: &str) -> Option<Finding> {
    let module = parsed(said, instead, with)?;
    let refused = Validated::new(module, Capabilities::all()).err()?;
    let finding = of_validator(said.text, Some(&refused.module), &refused.error);
    let (place, _) = finding.marks.first()?;
    let place = place.to_range()?;
    (value.start <= place.start && place.end <= value.end).then_some(finding)
}

/// Whether the text parses with `with` in place of the range `instead`.
pub(super) fn is_right(said: Said<'_>, instead: Range<usize>, with: &str) -> bool {
    parsed(said, instead, with).is_some()
}

fn parsed(said: Said<'_>, instead: Range<usize>, with: &str) -> Option<Module> {
    let text = said.text.all();
    let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
    let mut changed = String::with_capacity(text.len());
    changed.push_str(text.get(..instead.start)?);
    changed.push_str(with);
    // The replacement is filled up with blanks, so that all other bytes keep their offsets.
    changed.extend(text.get(instead.clone())?.bytes().skip(with.len()).map(blank));
    changed.push_str(text.get(instead.end..)?);
    if changed.len() != text.len() {
        return None;
    }
    Frontend::new().parse(&crate::directives::blank_known_enables(&changed)).ok()
}
