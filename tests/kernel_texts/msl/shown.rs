//! Snapshots with the whole text of a few kernels, which cover most features of kernels.

use libtest_mimic::{Failed, Trial};

use super::gather::{Outcome, kernels};

/// The name of the snapshot, the case that contains the kernel, and a part of the kernel's name.
const SHOWN: &[(&str, &str, &str)] = &[
    ("saxpy", "shaders::saxpy.wgsl", ""),
    ("conv3x3", "shaders::conv3x3.wgsl", ""),
    ("tiled", "shaders::tiled.wgsl", ":tiled"),
    ("barriers", "conformance::kernel::barriers_in_a_loop", ""),
    ("cooperative_matrix", "conformance::kernel::cooperative_matrix", ""),
    ("f16", "conformance::kernel::f16", ""),
    ("folded", "conformance::kernel::folded_x_70000", ""),
    ("histogram", "conformance::kernel::histogram_in_workgroup_memory", ""),
    ("i64", "conformance::kernel::i64", ""),
    ("immediates_and_uniforms", "conformance::kernel::immediates_and_uniforms", ""),
    ("nested_structs", "conformance::kernel::nested_structs_and_arrays", ""),
    ("subgroups", "conformance::kernel::subgroups", ""),
    ("unchecked", "conformance::kernel::unchecked", ""),
    ("workgroup_uniform_load", "conformance::kernel::workgroup_uniform_load", ""),
    ("broadcast", "ops::broadcast", ""),
];

/// One trial for each snapshot.
pub(crate) fn trials() -> Vec<Trial> {
    let trial = |&(name, from, part)| Trial::test(format!("msl::shown::{name}"), move || show(name, from, part));
    SHOWN.iter().map(trial).collect()
}

fn show(name: &str, from: &str, part: &str) -> Result<(), Failed> {
    let mut candidates = kernels()?.iter().filter(|kernel| kernel.from == from && kernel.name.contains(part));
    let Some(kernel) = candidates.next() else {
        return Err(Failed::from(format!(
            "no case '{from}' compiles a kernel '{part}': choose another kernel in this file"
        )));
    };
    let Outcome::Written(text) = &kernel.outcome else {
        return Err(Failed::from(format!("{from} {} cannot be written as MSL: case `all` reports why", kernel.name)));
    };
    let description = format!("{} of {from}", kernel.name);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => description }, {
        insta::assert_snapshot!(name, text);
    });
    Ok(())
}
