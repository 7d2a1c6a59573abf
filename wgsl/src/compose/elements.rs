//! Element types: `alias T = f32;` with another scalar in place of `f32`.

use super::failure;
use super::graph::{Graph, Item};
use super::options::SCALARS;
use super::outline::Declared;
use super::tokens::Tokens;
use crate::TextError;

/// The scalar of an alias, and the scalar that replaces it.
pub(super) struct Element {
    pub(super) file: usize,
    /// The token of the scalar in the alias.
    pub(super) at: usize,
    pub(super) scalar: String,
}

impl Element {
    /// The extension that an `enable` directive must name for the new scalar.
    pub(super) fn extension(&self) -> Option<&'static str> {
        match self.scalar.as_str() {
            "f16" => Some("f16"),
            // An extension of naga: WGSL has no such types.
            "i16" | "u16" => Some("wgpu_int16"),
            _ => None,
        }
    }
}

/// The aliases whose scalars the options replace. Each alias is searched in the author's own file first.
///
/// # Errors
/// An alias that is missing, declared in several files, or not an alias of a scalar.
pub(super) fn find(graph: &Graph<'_>) -> Result<Vec<Element>, TextError> {
    let mut elements: Vec<Element> = Vec::new();
    for (name, scalar) in &graph.options().elements {
        let scalar = scalar.to_string();
        let root = &graph.files[0].tokens;
        if !SCALARS.contains(&scalar.as_str()) {
            let message = format!("'{name}' cannot become {scalar}, which WGSL does not have");
            return Err(root.fail(0, &message, "in this file", &[format!("use one of {}", SCALARS.join(", "))]));
        }
        let Some(item) = alias(graph, name)? else {
            let message = format!("no 'alias {name} = ..;' to replace with {scalar}");
            let notes =
                [format!("write 'alias {name} = f32;' outside functions, in this file or in a file that it imports")];
            return Err(root.fail(0, &message, "neither here nor in what this file imports", &notes));
        };
        let Some((file, declaration)) = graph.declaration(item) else { continue };
        let (tokens, at) = (&file.tokens, declaration.name + 2);
        if declaration.kind != Declared::Alias || !is_scalar(tokens, at) {
            let message = format!("'{name}' is not an alias of a scalar, and cannot become {scalar}");
            return Err(tokens.fail(declaration.name, &message, &format!("expected 'alias {name} = f32;'"), &[]));
        }
        // If an alias is replaced twice, only the last replacement counts.
        elements.retain(|element| (element.file, element.at) != (item.file, at));
        elements.push(Element { file: item.file, at, scalar });
    }
    Ok(elements)
}

fn is_scalar(tokens: &Tokens, at: usize) -> bool {
    tokens.is(at - 1, b'=') && SCALARS.contains(&tokens.text(at)) && tokens.is(at + 1, b';')
}

/// The declaration of a name: in the author's own file, or else the alias in the only other file that declares one.
fn alias(graph: &Graph<'_>, name: &str) -> Result<Option<Item>, TextError> {
    let declared = |file: usize| {
        graph.files[file].outline.declared.get(name).map(|declaration| Item { file, declaration: *declaration })
    };
    if let Some(item) = declared(0) {
        return Ok(Some(item));
    }
    let aliases = graph.order().into_iter().filter_map(declared);
    let mut found = aliases.filter(|item| graph.declaration(*item).is_some_and(|(_, it)| it.kind == Declared::Alias));
    let (first, second) = (found.next(), found.next());
    let (Some(one), Some(two)) = (first, second) else { return Ok(first) };
    let places = [one, two].into_iter().filter_map(|item| graph.declaration(item));
    let places: Vec<_> = places
        .map(|(file, it)| (&file.tokens.file, file.tokens.bytes(it.name..it.name + 1), "declared here"))
        .collect();
    let notes = [format!("declare '{name}' in one file, and import it in the other files")];
    Err(failure::between(&places, &format!("two files declare the element type '{name}'"), &notes))
}
