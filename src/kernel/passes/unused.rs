//! The removal of all that an entry point does not use.

use naga::compact::{KeepUnused, compact};
use naga::{Function, Module, ShaderStage};

/// Returns the module reduced to the compute entry point `entry` and what it uses; `None` if the module contains
/// nothing else.
///
/// The module must be valid.
pub(crate) fn dropped(module: &Module, entry: &str) -> Option<Module> {
    let mut less = module.clone();
    less.entry_points.retain(|point| point.stage == ShaderStage::Compute && point.name == entry);
    compact(&mut less, KeepUnused::No);
    // Compacting preserves the order, so with equal counts every item has the same handle.
    (counts(&less) != counts(module)).then_some(less)
}

/// The counts of all items that compacting may remove.
fn counts(module: &Module) -> Vec<usize> {
    let Module { types, constants, overrides, global_variables, global_expressions, functions, entry_points, .. } =
        module;
    let entries = entry_points.iter().map(|point| &point.function);
    let expressions = functions.iter().map(|(_, function)| function).chain(entries);
    [types.len(), constants.len(), overrides.len(), global_variables.len(), global_expressions.len()]
        .into_iter()
        .chain([functions.len(), entry_points.len()])
        .chain(expressions.flat_map(|Function { expressions, named_expressions, local_variables, .. }| {
            [expressions.len(), named_expressions.len(), local_variables.len()]
        }))
        .collect()
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;

    use super::*;

    #[test]
    fn an_entry_point_keeps_what_it_uses() {
        let text = "
            var<private> seen: u32;
            fn used() { seen += 1u; }
            fn unused() -> f32 { return 1.0; }
            @compute @workgroup_size(1) fn a() { used(); }
            @compute @workgroup_size(1) fn b() { seen = u32(unused()); }";
        let module = parse_str(text).unwrap();
        let less = dropped(&module, "a").expect("the module has other items");
        assert_eq!((less.functions.len(), less.entry_points.len()), (1, 1));
        assert!(dropped(&less, "a").is_none(), "nothing is left to drop");
    }

    /// If a changed module had equal counts, the facts about one module would be applied to the other.
    #[test]
    fn equal_counts_mean_an_unchanged_module() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut same = 0;
        for folder in ["shaders", "benches/checks/kernels", "benches/cpu_vs_peers/cases"] {
            for file in std::fs::read_dir(root.join(folder)).unwrap() {
                let Ok(text) = std::fs::read_to_string(file.unwrap().path()) else { continue };
                // Files with imports do not parse by themselves, and are skipped.
                let Ok(module) = parse_str(&text) else { continue };
                let [entry] = module.entry_points.as_slice() else { continue };
                if dropped(&module, &entry.name).is_none() {
                    let mut compacted = module.clone();
                    compact(&mut compacted, KeepUnused::No);
                    assert_eq!(format!("{compacted:?}"), format!("{module:?}"), "{text}");
                    same += 1;
                }
            }
        }
        assert!(same > 5, "only {same} kernels use all their items");
    }
}
