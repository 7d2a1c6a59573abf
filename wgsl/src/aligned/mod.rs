//! Alignments that naga forgets: those of structs with `@align` at a member.
//!
//! The alignment of a struct is the largest of its members, an `@align` included. naga (version 30) uses it for the size
//! of the struct, but computes the alignment of the struct, wherever it is a member or an element, from the members'
//! types alone. So the offsets of types are computed again here, from the attributes in the text. No other part of a
//! module depends on offsets, because expressions refer to members by their index.

mod attributes;
mod layout;

use anywarp_backend::Source;
use naga::front::wgsl::Frontend;
use naga::{Expression, Literal, Module};

use crate::words::Finding;
use crate::{TextError, diagnostic};
use attributes::{Attributes, Number, read};

/// Lays the structs of a module out as WGSL defines; `text` is the text that naga parsed.
///
/// # Errors
/// [`TextError::Invalid`] for an `@align` or `@size` that is too small for the member's type, or has no known value, and
/// for a type above 2 GiB.
pub(crate) fn lay_out(source: &Source, text: &str, module: &mut Module) -> Result<(), TextError> {
    // The search for the name comes first, because few texts contain one.
    if !text.contains("align") {
        return Ok(());
    }
    let Some(mut attributes) = read(text) else { return Ok(()) };
    evaluate(text, &mut attributes).map_err(|finding| diagnostic::invalid(source, finding))?;
    layout::correct(module, &attributes).map_err(|finding| diagnostic::invalid(source, finding))
}

/// Replaces the expressions among the values of attributes by numbers.
///
/// naga evaluates them: as constants of a second module, so that the first one does not change.
fn evaluate(text: &str, attributes: &mut Attributes) -> Result<(), Finding> {
    let mut expressions: Vec<&mut Number> = attributes.numbers().filter(|number| number.value.is_none()).collect();
    if expressions.is_empty() {
        return Ok(());
    }
    let prefix = unused(text);
    let mut longer = text.to_owned();
    for (index, number) in expressions.iter().enumerate() {
        longer += &format!("\nconst {prefix}{index}: u32 = u32({});", &text[number.start..number.end]);
    }
    let module = Frontend::new().parse(&longer);
    let value = |index: usize| {
        let module = module.as_ref().ok()?;
        let name = format!("{prefix}{index}");
        let (_, constant) = module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(&name))?;
        match module.global_expressions[constant.init] {
            Expression::Literal(Literal::U32(value)) => Some(value),
            _ => None,
        }
    };
    for (index, number) in expressions.iter_mut().enumerate() {
        number.value = value(index);
        if number.value.is_none() {
            let mut finding = number.finding("the value of this attribute cannot be computed", "not a known number");
            finding.help.push("write the value as a number".to_owned());
            return Err(finding);
        }
    }
    Ok(())
}

/// A name that no name of the text begins with.
fn unused(text: &str) -> String {
    let mut name = "value_of_attribute_".to_owned();
    while text.contains(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests;
