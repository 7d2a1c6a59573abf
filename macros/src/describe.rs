//! The parts of a WGSL text that Rust needs, as plain data: structs, overrides, entry points.

use std::collections::BTreeSet;

use anywarp_backend::naga::{self, Handle, Module, ShaderStage, Span, Type};
use anywarp_backend::{Access, BindingClass, BindingInfo, Layout, Shape, Source};
use anywarp_wgsl::guard::Room;
use anywarp_wgsl::reflect::{Reflection, reflect};
use anywarp_wgsl::{diagnostic, module};

use crate::docs::docs;
use crate::overrides::{Override, overrides};
use crate::refusal::Refusal;

/// The items of a WGSL text that the host uses.
pub(crate) struct Description {
    /// The comments that begin with `//!`.
    pub(crate) docs: Vec<String>,
    /// The structs that the host shares; each follows the structs that it contains.
    pub(crate) structs: Vec<Struct>,
    pub(crate) overrides: Vec<Override>,
    /// The compute entry points, in the order of the text.
    pub(crate) entries: Vec<Entry>,
}

pub(crate) struct Struct {
    pub(crate) docs: Vec<String>,
    pub(crate) name: String,
    pub(crate) size: u32,
    pub(crate) members: Vec<Member>,
}

pub(crate) struct Member {
    pub(crate) docs: Vec<String>,
    pub(crate) name: String,
    pub(crate) offset: u32,
    pub(crate) layout: Layout,
}

pub(crate) struct Entry {
    pub(crate) docs: Vec<String>,
    pub(crate) name: String,
    /// The arguments, ordered by group and binding; the immediate is last.
    pub(crate) arguments: Vec<Argument>,
}

/// The argument of a launch that is passed to one variable of the WGSL.
pub(crate) struct Argument {
    pub(crate) docs: Vec<String>,
    pub(crate) name: String,
    pub(crate) kind: ArgumentKind,
    pub(crate) layout: Layout,
}

/// The kind of an argument, with the number of its binding slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    Uniform(usize),
    Immediate,
    Reads(usize),
    Writes(usize),
}

/// Parses and validates a text, and describes the items that Rust needs.
///
/// # Errors
/// An error in the text, with the author's line if the error has one.
pub(crate) fn describe(source: &Source) -> Result<Description, Refusal> {
    Room::of_source(source)?.run(|| described(source))
}

fn described(source: &Source) -> Result<Description, Refusal> {
    // If a doc comment is in an unexpected position, the comments are ignored, because the text is still valid.
    let module = module::parse_documented(source).or_else(|_| module::parse(source))?;
    let module = module::validate(module).map_err(|refused| diagnostic::of_refused(source, &refused))?;
    let compute: Vec<usize> = (0..module.entry_points.len())
        .filter(|index| module.entry_points[*index].stage == ShaderStage::Compute)
        .collect();
    if compute.is_empty() {
        let file = source.file();
        return Err(Refusal::new(format!(
            "{file} has no compute entry point: it needs a function with @compute @workgroup_size(..)"
        )));
    }
    let mut shared = BTreeSet::new();
    let mut entries = Vec::new();
    for index in compute {
        let reflection = reflect(&module, index);
        check(source, &module, &reflection)?;
        for layout in reflection.bindings.iter().map(|info| &info.layout) {
            collect_structs(layout, &mut shared);
        }
        if let Some((_, layout)) = &reflection.immediate {
            collect_structs(layout, &mut shared);
        }
        entries.push(entry(&module, index, reflection));
    }
    Ok(Description {
        docs: docs(module.doc_comments.as_ref().map(|comments| &comments.module)),
        structs: structs(&module, &shared),
        overrides: overrides(&module)?,
        entries,
    })
}

/// Checks that every variable has a counterpart in Rust.
fn check(source: &Source, module: &Module, reflection: &Reflection) -> Result<(), Refusal> {
    if let Some((name, span)) = &reflection.foreign {
        let message = format!("'{name}' has no counterpart in Rust");
        let note = "kernels take uniform and storage buffers and immediates; textures, samplers and \
                    arrays of bindings are not supported";
        return Err(Refusal::at(source, &message, *span, "neither a buffer nor a value", note));
    }
    let endless =
        |info: &&BindingInfo| matches!(info.layout.shape, Shape::Struct { .. }) && info.layout.unsized_tail().is_some();
    if let Some(info) = reflection.bindings.iter().find(endless) {
        let (name, layout) = (&info.name, &info.layout.name);
        let named = |global: &naga::GlobalVariable| global.name.as_ref() == Some(name);
        let found = module.global_variables.iter().find(|(_, global)| named(global));
        let span = found.map_or(Span::UNDEFINED, |(handle, _)| module.global_variables.get_span(handle));
        let message = format!("'{layout}' ends in a runtime-sized array, which has no Rust type");
        let note = "split it into two bindings, one for the first members and one for the array; or make the \
                    kernel with `Device::kernel`, and bind a buffer of bytes to it";
        return Err(Refusal::at(source, &message, span, "bound here", note));
    }
    Ok(())
}

fn entry(module: &Module, index: usize, reflection: Reflection) -> Entry {
    let comments = module.doc_comments.as_ref();
    let variable_docs = |name: &str| {
        let handle = module.global_variables.iter().find(|(_, global)| global.name.as_deref() == Some(name));
        docs(handle.and_then(|(handle, _)| comments?.global_variables.get(&handle)))
    };
    let mut arguments: Vec<Argument> = reflection
        .bindings
        .into_iter()
        .enumerate()
        .map(|(slot, info)| {
            let kind = match (info.class, info.access) {
                (BindingClass::Uniform, _) => ArgumentKind::Uniform(slot),
                (_, Access::Read) => ArgumentKind::Reads(slot),
                (_, Access::Write) => ArgumentKind::Writes(slot),
            };
            Argument { docs: variable_docs(&info.name), name: info.name, kind, layout: info.layout }
        })
        .collect();
    if let Some((name, layout)) = reflection.immediate {
        arguments.push(Argument { docs: variable_docs(&name), name, kind: ArgumentKind::Immediate, layout });
    }
    Entry {
        docs: docs(comments.and_then(|comments| comments.entry_points.get(&index))),
        name: module.entry_points[index].name.clone(),
        arguments,
    }
}

/// Adds the names of all structs in a type.
fn collect_structs(layout: &Layout, names: &mut BTreeSet<String>) {
    match &layout.shape {
        Shape::Array { element, .. } => collect_structs(element, names),
        Shape::Struct { fields } if names.insert(layout.name.clone()) => {
            for field in fields {
                collect_structs(&field.layout, names);
            }
        }
        _ => {}
    }
}

/// The structs of the module that `names` lists, in the order of the module.
fn structs(module: &Module, names: &BTreeSet<String>) -> Vec<Struct> {
    let of = |(handle, ty): (Handle<Type>, &Type)| {
        let name = ty.name.clone().filter(|name| names.contains(name))?;
        let layout = anywarp_wgsl::reflect::layout_of(module, handle)?;
        let Shape::Struct { fields } = layout.shape else { return None };
        let comments = module.doc_comments.as_ref();
        let members = fields.into_iter().enumerate().map(|(index, field)| Member {
            docs: docs(comments.and_then(|comments| comments.struct_members.get(&(handle, index)))),
            name: field.name,
            offset: field.offset,
            layout: field.layout,
        });
        let docs = docs(comments.and_then(|comments| comments.types.get(&handle)));
        Some(Struct { docs, name, size: layout.size, members: members.collect() })
    };
    module.types.iter().filter_map(of).collect()
}
