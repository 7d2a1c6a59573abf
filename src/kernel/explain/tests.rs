//! Tests of explanations: conditions, constants and lines.

use super::*;

const TEXT: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<uniform> n: u32;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    if (id.x < n) { x[id.x] = 1u; }
    tile[i] = 2u;
    for (var k = 0u; k < 4u; k++) { tile[k] += x[i + k]; }
    for (var k = 0u; k < n; k += 2u) { x[0] += 1u; }
}";

#[test]
fn an_index_with_side_effects_is_never_to_be_repeated() {
    let text = "
@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn main() {
    x[atomicAdd(&next, 1u)] = 1u;
    let at = atomicAdd(&next, 1u);
    x[at] = 2u;
    if (at < arrayLength(&x)) { x[at] = 3u; }
}";
    let explanation = Wgsl::new(text).file("next.wgsl").explain(&Caps::webgpu_baseline()).unwrap();
    let found: Vec<_> = explanation
        .accesses
        .iter()
        .map(|access| (access.proven, access.advice.as_deref().unwrap_or_default()))
        .collect();
    let expected = [
        (
            false,
            "assign the index to a 'let' first, as computing it has side effects; put the access into \
             'if (the index < arrayLength(&x))': then no check is needed",
        ),
        (false, "put the access into 'if (at < arrayLength(&x))': then no check is needed"),
        (true, ""),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_length_that_is_an_override_proves_what_a_number_does() {
    let text = |length: &str| {
        format!(
            "{length} var<workgroup> t: array<u32, n>;
                 @group(0) @binding(0) var<storage, read_write> x: array<u32, 64>;
                 @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {{
                     t[l] = x[l];
                     workgroupBarrier();
                     x[l] = t[63 - l] + t[n - 1u - l] + t[l + 1u];
                 }}"
        )
    };
    let explained = |length| Wgsl::new(text(length)).explain(&Caps::webgpu_baseline()).unwrap().accesses;
    let of_number = explained("const n = 64u;");
    let of_override = explained("override n = 64u;");
    let seen = |accesses: &[ExplainedAccess]| -> Vec<_> {
        accesses.iter().map(|access| (access.proven, access.range, access.count.clone())).collect()
    };
    assert_eq!(seen(&of_override), seen(&of_number));
    let proven: Vec<_> = of_override.iter().map(|access| access.proven).collect();
    assert_eq!(proven, [true, true, true, true, true, false]);
    assert_eq!(of_override[5].count.as_deref(), Some("64"));
}

#[test]
fn each_access_and_loop_has_its_line() {
    let explanation = Wgsl::new(TEXT).file("small.wgsl").explain(&Caps::webgpu_baseline()).unwrap();
    let expected = "\
small.wgsl:main: 2 of 4 accesses and 1 of 2 loops need no check; 2 need none in launches that meet their conditions, 0 are checked
  small.wgsl:6:21: x[id.x]: at launch: 0 to 4194239, of arrayLength(&x); no check in launches with n <= arrayLength(&x)
  small.wgsl:7:5: tile[i]: proven: 0 to 63, of 64
  small.wgsl:8:37: tile[k]: proven: 0 to 3, of 64
  small.wgsl:8:48: x[i + k]: at launch: 0 to 66, of arrayLength(&x); no check in launches with 67 <= arrayLength(&x)
  small.wgsl:8:5: loop: proven: k from 0 to 4
  small.wgsl:9:5: loop: checked: k from 0 to 4294967295; k may overflow; limit the end of the loop, as by min(): then no check is needed";
    assert_eq!(explanation.to_string(), expected);
}
