//! Tests of how often naga's validator runs, and of the validity of compiled modules.

use anywarp_backend::naga::valid::Capabilities;
use anywarp_backend::{Backend, Caps, Checks, Program, Validated};

use super::*;

/// An access that no pass changes and no proof covers.
const PLAIN: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = 1u; }";
/// A loop that is unrolled.
const LOOP: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        for (var i = 0u; i < 3u; i++) { data[id.x + i] = i; }
    }";
const OTHER_ENTRY: &str = "@compute @workgroup_size(1) fn other() { let wide = f64(1); }";
const OVERRIDE: &str = "
    override size: u32 = 64;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] = size; }";
const PRINTS: &str = "
    // anywarp:debug
    fn print(value: u32) {}
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { print(data[id.x]); }";

/// The result of `work`, and the number of validator runs in it.
fn counted<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = Validated::runs();
    let made = work();
    (made, Validated::runs() - before)
}

fn program(text: &str, caps: &Caps, checks: Checks) -> Program {
    Wgsl::new(text).entry("main").checks(checks).program(caps).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_module_is_validated_once_and_again_where_it_was_changed() {
    let caps = Caps::webgpu_baseline();
    let other = format!("{PLAIN}{OTHER_ENTRY}");
    let cases = [
        ("nothing changes it", PLAIN, Checks::Proven, 1),
        ("the middle end changes it", LOOP, Checks::Proven, 2),
        ("the middle end is left out", LOOP, Checks::Driver, 1),
        ("a function is dropped that the device could not run", &other, Checks::Driver, 3),
        ("naga resolves overrides and validates the result", OVERRIDE, Checks::Driver, 2),
        ("it prints", PRINTS, Checks::Driver, 2),
    ];
    for (why, text, checks, wanted) in cases {
        let (program, runs) = counted(|| program(text, &caps, checks));
        assert_eq!(runs, wanted, "{why}");
        assert!(program.module.fits(caps.shader), "{why}: it is valid for the device");
    }
}

#[test]
fn programs_made_from_a_program_are_validated_where_they_were_changed() {
    let caps = Caps::webgpu_baseline();
    let plain = program(PLAIN, &caps, Checks::Proven);
    let make = |start: Start<'_>| counted(|| kernel(&start, &caps, |front| Ok(front.program)).unwrap());
    let (folded, runs) = make(Start::LargeGrid(&plain));
    assert!(runs <= 2, "folded and optimised: {runs}");
    assert_eq!(folded.bindings.len(), 2);

    let known = Circumstances { lengths: vec![(plain.bindings[0].resource, 1 << 30)], ..Circumstances::of(&caps) };
    let (special, runs) = make(Start::Launches(&plain, &known));
    assert_eq!(runs, 0, "more is proven of the same module");
    assert!(spares_work(&special, &plain));
    assert!(!spares_work(&plain, &plain));
}

#[test]
fn a_folded_grid_keeps_the_bindings_that_nothing_uses() {
    const UNUSED: &str = "
        override on: bool = false;
        @group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage> b: array<u32>;
        @group(0) @binding(2) var<storage, read_write> c: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            if on { c[id.x] = b[id.x]; } else { c[id.x] = a[id.x]; }
        }";
    let caps = Caps::webgpu_baseline();
    let plain = program(UNUSED, &caps, Checks::Proven);
    let folded = kernel(&Start::LargeGrid(&plain), &caps, |front| Ok(front.program)).unwrap();
    let names = |program: &Program| program.bindings.iter().map(|info| info.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plain), ["a", "b", "c"]);
    assert_eq!(names(&folded)[..3], ["a", "b", "c"]);
    assert_eq!(folded.bindings.len(), 4, "the grid is added");
}

#[cfg(feature = "cpu")]
#[test]
fn the_processor_compiles_without_validating_again() {
    let device = anywarp_cpu::open(anywarp_cpu::Options::default()).unwrap();
    for text in [PLAIN, LOOP, OVERRIDE] {
        let program = program(text, device.caps(), Checks::Proven);
        let (made, runs) = counted(|| device.compile(&program));
        assert_eq!((made.is_ok(), runs), (true, 0));
    }
}

#[test]
fn missing_features_are_those_of_the_part_that_is_used() {
    let without = Caps::webgpu_baseline();
    assert!(!without.shader.contains(Capabilities::FLOAT64));
    let text = format!("{PLAIN}{OTHER_ENTRY}");
    assert!(Wgsl::new(&*text).entry("main").program(&without).is_ok());
    let error = Wgsl::new(&*text).entry("other").program(&without).unwrap_err();
    assert!(matches!(&error, KernelError::MissingFeature { place: Some(_), .. }), "{error}");
    let mut with = without.clone();
    with.shader |= Capabilities::FLOAT64;
    let (made, runs) = counted(|| Wgsl::new(&*text).entry("other").checks(Checks::Driver).program(&with));
    assert!(made.is_ok_and(|program| program.module.fits(with.shader)));
    assert_eq!(runs, 2, "the whole module, and the part that the entry point uses");
}
