//! Tests that translate a table of kernels, and compile them if there is an NVRTC.

mod kernels;
mod loops;
mod text;
pub(in crate::translate) mod unchecked;

use std::sync::Arc;

use anywarp_backend::{
    Access, BindingClass, BindingInfo, Layout, Leave, Program, Proofs, ResourceId, Shape, Source as Wgsl, Validated,
};
use anywarp_middle::Circumstances;
use anywarp_middle::analysis::prove;
use naga::valid::{Capabilities, ModuleInfo};
use naga::{AddressSpace, Module, StorageAccess};

use super::{Form, Options, Translation, translate};
use crate::nvrtc::{self, Output, Source};
use unchecked::unchecked;

/// Returns the program of a WGSL text with one entry point and no overrides.
pub(crate) fn program(text: &str) -> Program {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let module =
        Validated::new(module, Capabilities::all()).unwrap_or_else(|refused| panic!("{:?}\n{text}", refused.error));
    let mut bindings: Vec<BindingInfo> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| {
            let at = variable.binding.as_ref()?;
            let (class, access) = match variable.space {
                AddressSpace::Uniform => (BindingClass::Uniform, Access::Read),
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    (BindingClass::Storage, Access::Write)
                }
                _ => (BindingClass::ReadOnlyStorage, Access::Read),
            };
            Some(BindingInfo {
                name: variable.name.clone().unwrap_or_default(),
                resource: ResourceId { group: at.group, binding: at.binding },
                class,
                access,
                layout: Layout { name: String::new(), size: 4, align: 4, shape: Shape::Struct { fields: Vec::new() } },
            })
        })
        .collect();
    bindings.sort_by_key(|info| info.resource);
    let entry = &module.entry_points[0];
    let proofs = of_loops(&module, module.info());
    Program {
        name: "test".into(),
        workgroup_size: entry.workgroup_size,
        entry_point: entry.name.clone(),
        module,
        bindings,
        immediate: None,
        workgroup_storage: 0,
        source: Some(Arc::new(Wgsl::new("test.wgsl", text))),
        leave: Leave::default(),
        proofs: Some(Arc::new(proofs)),
    }
}

/// Returns proofs for loops that end. No index is proven, so that the texts show all checks.
fn of_loops(module: &Module, info: &ModuleInfo) -> Proofs {
    let mut proofs = prove(module, info, &Circumstances::default()).proofs;
    proofs.functions.iter_mut().chain([&mut proofs.entry]).for_each(|function| function.in_range.clear());
    proofs
}

/// Returns the options of a plain launch.
pub(super) fn options() -> Options {
    Options { form: Form::default(), steps: 1000 }
}

/// Translates a WGSL text for a plain launch.
pub(super) fn translated(text: &str) -> Translation {
    translate(&program(text), &options()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Same as `translated`, for the body of a kernel with `data: array<u32>` and the index `i`.
pub(super) fn body(statements: &str) -> Translation {
    translated(&format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
    let i = id.x;
    {statements}
}}"
    ))
}

#[test]
fn every_form_of_every_kernel_is_translated() {
    for (name, text) in kernels::KERNELS {
        for translation in forms(text) {
            assert!(translation.text.contains(&format!(" {}(", translation.entry)), "{name}");
        }
    }
}

/// Compares the text after the prelude with a snapshot, so that every change of the translation is detected.
#[test]
fn the_text_of_every_kernel_stays() {
    for (name, text) in kernels::KERNELS {
        let translated = translated(text).text;
        let own = translated.split_once(super::lines::OWN_LINES).map_or("", |(_, own)| own);
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, own);
        });
    }
}

#[test]
fn every_form_of_every_kernel_compiles() {
    if std::env::var_os("ANYWARP_NVRTC").is_none() {
        println!("skipped: ANYWARP_NVRTC is not set");
        return;
    }
    let nvrtc = nvrtc::library().unwrap_or_else(|error| panic!("{error}"));
    for (name, text) in kernels::KERNELS {
        for translation in forms(text) {
            let source = Source { name, text: &translation.text, architecture: 90, fast_math: false, defines: &[] };
            if let Err(error) = nvrtc.compile(&source, Output::Cubin) {
                panic!("{name}: {error}\n{}", translation.text);
            }
        }
    }
}

fn forms(text: &str) -> Vec<Translation> {
    let mut program = program(text);
    let mut found = Vec::new();
    for without_checks in [false, true] {
        if without_checks {
            program.leave.checks = unchecked();
        }
        for form in [Form::default(), Form { addressed: u64::MAX, looped: true }] {
            let options = Options { form, ..options() };
            found.push(translate(&program, &options).unwrap_or_else(|error| panic!("{error}\n{text}")));
        }
    }
    found
}
