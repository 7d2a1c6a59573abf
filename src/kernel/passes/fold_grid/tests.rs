//! Tests of folding that run the new entry points: [`interpreter`] executes their IR.

mod interpreter;
mod kernels;

use naga::back::{spv, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Binding, BuiltIn, Module, ResourceBinding, TypeInner};
use proptest::prelude::*;

use super::{FoldError, fold_grid, physical_grid};
use interpreter::{Value, run};
use kernels::{KERNELS, Kernel};

/// The limit on workgroups per dimension that WebGPU guarantees.
const LIMIT: u32 = 65_535;
const FREE: ResourceBinding = ResourceBinding { group: 3, binding: 7 };

fn parse(source: &str) -> Module {
    naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}", error.emit_to_string(source)))
}

fn validate(module: &Module) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| error.emit_to_string(""))
}

fn total(grid: [u32; 3]) -> u64 {
    grid.iter().map(|&count| u64::from(count)).product()
}

fn groups([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

#[test]
fn grids_that_fit_stay_and_others_take_the_fewest_rows() {
    for (logical, limit, physical) in [
        ([1, 1, 1], 1, [1, 1, 1]),
        ([LIMIT; 3].map(|n| n / 64), LIMIT, [1023; 3]),
        ([LIMIT, LIMIT, 1], LIMIT, [LIMIT, LIMIT, 1]),
        ([1_000_000, 1, 1], LIMIT, [62_500, 16, 1]),
        ([65_536, 1, 1], LIMIT, [32_768, 2, 1]),
        ([70_000, 3, 2], LIMIT, [60_000, 7, 1]),
        ([1, 1, 70_000], LIMIT, [35_000, 2, 1]),
        ([27, 1, 1], 3, [3, 3, 3]),
        ([19, 1, 1], 3, [3, 3, 3]),
    ] {
        assert_eq!(physical_grid(logical, limit), Some(physical), "{logical:?} under {limit}");
    }
}

#[test]
fn grids_without_a_cover_are_refused() {
    for (logical, limit) in [
        ([0, 1, 1], LIMIT),
        ([1, u32::MAX, 0], LIMIT),
        ([1, 1, 1], 0),
        ([2, 1, 1], 1),
        ([28, 1, 1], 3),
        ([65_536, 65_536, 1], u32::MAX),
        ([u32::MAX; 3], u32::MAX),
        // The grid that would cover this one, 65 535 x 32 769 x 2, is beyond `u32::MAX`.
        ([u32::MAX, 1, 1], LIMIT),
    ] {
        assert_eq!(physical_grid(logical, limit), None, "{logical:?} under {limit}");
    }
}

/// Numbers of all magnitudes up to `bits` bits.
fn count(bits: u32) -> impl Strategy<Value = u32> {
    (1..=bits).prop_flat_map(|bits| 1..=u32::MAX >> (32 - bits))
}

proptest! {
    #[test]
    fn physical_grids_cover_and_waste_little(
        logical in [count(32), count(16), count(10)],
        limit in prop_oneof![count(32), Just(LIMIT), 1_u32..100],
    ) {
        let wanted = total(logical);
        let Some(physical) = physical_grid(logical, limit) else {
            // There must be a reason for the refusal.
            let (limit, most) = (u128::from(limit), u128::from(u32::MAX));
            let wanted = u128::from(wanted);
            prop_assert!(wanted > limit.pow(3) || wanted * limit > most * limit.saturating_sub(2));
            return Ok(());
        };
        let [x, y, z] = physical.map(u64::from);
        prop_assert!(physical.iter().all(|&count| (1..=limit).contains(&count)));
        prop_assert!(u32::try_from(x * y * z).is_ok());
        prop_assert!(x * y * z >= wanted);
        if physical != logical {
            prop_assert!(logical.iter().any(|&count| count > limit));
            prop_assert!(x * y * z - wanted < y * z);
            prop_assert!(2 * x > u64::from(limit));
        }
    }

    /// The interpreter panics if an operation wraps, so this test also shows that no step overflows.
    #[test]
    fn ids_of_large_grids_are_right(
        logical in [count(32), count(16), count(10)],
        limit in prop_oneof![Just(LIMIT), 1_000_u32..100_000],
        somewhere in any::<u64>(),
    ) {
        let physical = physical_grid(logical, limit);
        prop_assume!(physical.is_some());
        let physical = physical.unwrap();
        let folded = fold_grid(&parse(IDS), "main", FREE).unwrap();
        for linear in [0, total(logical) - 1, total(logical), total(physical) - 1, somewhere] {
            let linear = linear % total(physical);
            let ids = Ids { workgroup_id: unflatten(linear, physical), num_workgroups: physical };
            let arguments = run(&folded, "main", logical, |built_in| ids.value(built_in));
            let expected = (linear < total(logical)).then(|| {
                vec![Value::Vec3(unflatten(linear, logical)), Value::Vec3(logical)]
            });
            prop_assert_eq!(arguments, expected);
        }
    }
}

const IDS: &str = "
    @compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {}
";

/// The workgroup at `linear`, x fastest.
fn unflatten(linear: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [linear % x, linear / x % y, linear / x / y].map(|id| u32::try_from(id).expect("grids count in u32"))
}

/// The ids of one invocation on the device or in the logical grid.
struct Ids {
    workgroup_id: [u32; 3],
    num_workgroups: [u32; 3],
}

impl Ids {
    const LOCAL: [u32; 3] = [3, 1, 1];

    fn value(&self, built_in: BuiltIn) -> Value {
        match built_in {
            BuiltIn::WorkGroupId => Value::Vec3(self.workgroup_id),
            BuiltIn::NumWorkGroups => Value::Vec3(self.num_workgroups),
            BuiltIn::LocalInvocationId => Value::Vec3(Self::LOCAL),
            // Arbitrary values that must be passed through unchanged.
            BuiltIn::LocalInvocationIndex => Value::U32(101),
            BuiltIn::NumSubgroups => Value::U32(102),
            BuiltIn::SubgroupId => Value::U32(103),
            BuiltIn::SubgroupSize => Value::U32(104),
            BuiltIn::SubgroupInvocationId => Value::U32(105),
            other => panic!("the folded entry point asks for {other:?}"),
        }
    }

    fn logical_value(&self, built_in: BuiltIn, workgroup_size: [u32; 3]) -> Value {
        if built_in != BuiltIn::GlobalInvocationId {
            return self.value(built_in);
        }
        let axis = |axis: usize| self.workgroup_id[axis] * workgroup_size[axis] + Self::LOCAL[axis];
        Value::Vec3([0, 1, 2].map(axis))
    }
}

/// The arguments that the original entry point should receive.
fn wanted(module: &Module, entry: &str, ids: &Ids) -> Vec<Value> {
    let entry = module.entry_points.iter().find(|point| point.name == entry).unwrap();
    let value = |binding: &Option<Binding>| match binding {
        Some(Binding::BuiltIn(built_in)) => ids.logical_value(*built_in, entry.workgroup_size),
        other => panic!("{other:?} in a compute kernel"),
    };
    let arguments = entry.function.arguments.iter();
    arguments
        .map(|argument| match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                Value::Struct(members.iter().map(|member| value(&member.binding)).collect())
            }
            _ => value(&argument.binding),
        })
        .collect()
}

#[test]
fn every_logical_workgroup_of_small_grids_runs_once() {
    let module = parse(IDS);
    let folded = fold_grid(&module, "main", FREE).unwrap();
    for logical in groups([4, 4, 4]).map(|grid| grid.map(|n| n + 1)) {
        for physical in groups([6, 4, 3]).map(|grid| grid.map(|n| n + 1)) {
            if total(physical) < total(logical) {
                continue;
            }
            let seen = groups(physical).filter_map(|workgroup_id| {
                let ids = Ids { workgroup_id, num_workgroups: physical };
                run(&folded, "main", logical, |built_in| ids.value(built_in))
            });
            let all = groups(logical).map(|id| vec![Value::Vec3(id), Value::Vec3(logical)]);
            assert!(seen.eq(all), "{logical:?} on {physical:?}");
        }
    }
}

#[test]
fn a_grid_of_zero_runs_nothing() {
    let folded = fold_grid(&parse(IDS), "main", FREE).unwrap();
    let ids = Ids { workgroup_id: [0; 3], num_workgroups: [2, 2, 2] };
    assert_eq!(run(&folded, "main", [0; 3], |built_in| ids.value(built_in)), None);
    assert!(run(&folded, "main", [1; 3], |built_in| ids.value(built_in)).is_some());
}

#[test]
fn every_kernel_gets_logical_ids() {
    let (logical, physical) = ([3, 2, 4], [5, 5, 1]);
    for Kernel { name, entry, source } in KERNELS {
        let module = parse(source);
        let folded = fold_grid(&module, entry, FREE).unwrap();
        let seen = groups(physical).filter_map(|workgroup_id| {
            let ids = Ids { workgroup_id, num_workgroups: physical };
            run(&folded, entry, logical, |built_in| ids.value(built_in))
        });
        let all = groups(logical).map(|workgroup_id| {
            let ids = Ids { workgroup_id, num_workgroups: logical };
            wanted(&module, entry, &ids)
        });
        assert_eq!(seen.collect::<Vec<_>>(), all.collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn every_folded_kernel_is_valid_and_can_be_written() {
    let spv_options = spv::Options { lang_version: (1, 4), ..Default::default() };
    for Kernel { name, entry, source } in KERNELS {
        let module = parse(source);
        validate(&module).unwrap_or_else(|error| panic!("{name}, before folding: {error}"));
        let mut folded = fold_grid(&module, entry, FREE).unwrap();
        let info = validate(&folded).unwrap_or_else(|error| panic!("{name}: {error}"));

        let words = spv::write_vec(&folded, &info, &spv_options, None);
        assert!(words.is_ok_and(|words| !words.is_empty()), "{name}, as SPIR-V");
        let text = wgsl::write_string(&folded, &info, wgsl::WriterFlags::empty()).unwrap();
        assert!(text.contains(&format!("fn {entry}(")), "{name}: the entry point was renamed\n{text}");
        assert!(text.contains("@group(3) @binding(7)"), "{name}: no grid\n{text}");
        if readable(&module) {
            assert!(naga::front::wgsl::parse_str(&text).is_ok(), "{name}\n{text}");
        }

        naga::compact::compact(&mut folded, naga::compact::KeepUnused::No);
        validate(&folded).unwrap_or_else(|error| panic!("{name}, compacted: {error}"));
    }
}

/// Whether naga can parse its own output: it does not write the directive that enables cooperative matrices.
fn readable(module: &Module) -> bool {
    let info = validate(module).unwrap();
    let text = wgsl::write_string(module, &info, wgsl::WriterFlags::empty()).unwrap();
    naga::front::wgsl::parse_str(&text).is_ok()
}

#[test]
fn the_rest_of_the_module_stays() {
    let source = "
        struct Ids { @builtin(global_invocation_id) global: vec3<u32> }
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn first(ids: Ids) { data[ids.global.x] = 1u; }
        @compute @workgroup_size(32) fn second(ids: Ids) { data[ids.global.x] = 2u; }
    ";
    let module = parse(source);
    let folded = fold_grid(&module, "second", FREE).unwrap();
    let debug = |module: &Module, entry: usize| format!("{:?}", module.entry_points[entry]);
    assert_eq!(debug(&folded, 0), debug(&module, 0));
    assert_ne!(debug(&folded, 1), debug(&module, 1));
    assert_eq!(folded.entry_points[1].workgroup_size, [32, 1, 1]);
    for (handle, variable) in module.global_variables.iter() {
        assert_eq!(folded.global_variables[handle].name, variable.name);
    }
    let grid = folded.global_variables.iter().find(|(_, variable)| variable.binding == Some(FREE));
    assert_eq!(grid.unwrap().1.name.as_deref(), Some("anywarp_grid"));
}

#[test]
fn an_unknown_entry_point_is_an_error_that_lists_the_known() {
    let source = "
        @compute @workgroup_size(1) fn scan() {}
        @fragment fn paint() {}
    ";
    for entry in ["scam", "paint", ""] {
        let error = fold_grid(&parse(source), entry, FREE).unwrap_err();
        assert_eq!(error, FoldError::NoEntryPoint { entry: entry.into(), available: vec!["scan".into()] });
        assert!(error.to_string().contains(r#"["scan"]"#));
    }
}

#[test]
fn a_taken_binding_is_an_error() {
    let source = "
        @group(3) @binding(7) var<uniform> factor: f32;
        @compute @workgroup_size(1) fn main() {}
    ";
    let error = fold_grid(&parse(source), "main", FREE).unwrap_err();
    assert_eq!(error, FoldError::BindingTaken { group: 3, binding: 7, variable: "factor".into() });
    for free in [ResourceBinding { group: 3, binding: 6 }, ResourceBinding { group: 2, binding: 7 }] {
        assert!(fold_grid(&parse(source), "main", free).is_ok());
    }
}

#[test]
fn an_open_workgroup_size_is_an_error() {
    let source = "
        override width: u32 = 64;
        @compute @workgroup_size(width) fn main() {}
    ";
    let error = fold_grid(&parse(source), "main", FREE).unwrap_err();
    assert_eq!(error, FoldError::UnresolvedWorkgroupSize { entry: "main".into() });
}

#[test]
fn inputs_that_are_no_built_ins_are_an_error() {
    let mut module = parse(IDS);
    module.entry_points[0].function.arguments[1].binding = None;
    let error = fold_grid(&module, "main", FREE).unwrap_err();
    assert_eq!(error, FoldError::InvalidInterface { entry: "main".into(), part: "argument 1".into() });

    // The module has a struct with bindings and one without; the type of the argument is changed to the latter.
    let source = "
        struct Plain { a: u32, b: u32 }
        struct Ids { @builtin(workgroup_id) id: vec3<u32> }
        var<private> plain: Plain;
        @compute @workgroup_size(1) fn main(ids: Ids) {}
    ";
    let mut module = parse(source);
    let plain = module.global_variables.iter().next().unwrap().1.ty;
    module.entry_points[0].function.arguments[0].ty = plain;
    let error = fold_grid(&module, "main", FREE).unwrap_err();
    let part = "member 0 of argument 0".into();
    assert_eq!(error, FoldError::InvalidInterface { entry: "main".into(), part });
}
