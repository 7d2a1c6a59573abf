//! Writes a program as WGSL and reads it again.

use anywarp_backend::{BindingInfo, Field, Layout, Program, Shape, Source};
use anywarp_wgpu::translate::{Target, translate};
use anywarp_wgsl::module::{parse, validate};
use anywarp_wgsl::reflect::{Reflection, reflect};

/// Writes a program as WGSL; returns the program with the module that this text parses to.
///
/// # Errors
///
/// The text lists the differences, with the whole WGSL.
pub(crate) fn again(program: &Program) -> Result<Program, String> {
    let text = translate(program, Target::Wgsl).map_err(|error| error.to_string())?;
    let of_text = |problem: String| format!("{}: {problem}\n{text}", program.name);
    let source = Source::new("again.wgsl", text.as_str());
    let module = parse(&source).map_err(|error| of_text(error.to_string()))?;
    let module = validate(module).map_err(|refused| of_text(format!("{:?}", refused.error)))?;
    let [entry] = &module.entry_points[..] else {
        return Err(of_text(format!("it has {} entry points", module.entry_points.len())));
    };
    let found = reflect(&module, 0);
    let mut differences = Vec::new();
    let mut compare = |what: &str, before: String, after: String| {
        if before != after {
            differences.push(format!("{what} was\n  {before}\nand is\n  {after}"));
        }
    };
    compare("its size", format!("{:?}", program.workgroup_size), format!("{:?}", entry.workgroup_size));
    compare("its stage", "Compute".to_owned(), format!("{:?}", entry.stage));
    compare("the number of its overrides", 0.to_string(), module.overrides.len().to_string());
    // A pass may have removed all uses of a binding; the text may then lack the binding.
    let before = reflect(&program.module, 0);
    compare("its bindings", bindings(&before), bindings(&found));
    let immediate = |of: &Reflection| format!("{:?}", of.immediate.as_ref().map(|(_, layout)| nameless(layout)));
    compare("its immediates", immediate(&before), immediate(&found));
    let workgroup = |of: &Reflection| of.workgroup_storage.to_string();
    compare("its workgroup memory", workgroup(&before), workgroup(&found));
    if !differences.is_empty() {
        return Err(of_text(differences.join("\n")));
    }
    // The proofs are dropped, because they refer to expressions of the earlier module.
    let entry_point = entry.name.clone();
    Ok(Program { module, entry_point, proofs: None, ..program.clone() })
}

fn bindings(of: &Reflection) -> String {
    let one = |info: &BindingInfo| format!("{:?} {:?} {:?}", info.resource, info.class, nameless(&info.layout));
    of.bindings.iter().map(one).collect::<Vec<_>>().join("\n  ")
}

/// A layout without the names of its parts, some of which naga changes.
fn nameless(layout: &Layout) -> Layout {
    let shape = match &layout.shape {
        Shape::Struct { fields } => {
            let field =
                |field: &Field| Field { name: String::new(), offset: field.offset, layout: nameless(&field.layout) };
            Shape::Struct { fields: fields.iter().map(field).collect() }
        }
        Shape::Array { element, count, stride } => {
            Shape::Array { element: Box::new(nameless(element)), count: *count, stride: *stride }
        }
        other => other.clone(),
    };
    Layout { name: String::new(), shape, ..layout.clone() }
}
