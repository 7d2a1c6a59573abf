//! Tests of built-in inputs, lengths of arrays, and contents of memory.

use anywarp_backend::ResourceId;

use super::{analysed_for, analysed_text, check};
use crate::Circumstances;

const INPUTS: &str = "@builtin(local_invocation_id) local: vec3<u32>, @builtin(local_invocation_index) thread: u32,
    @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>,
    @builtin(global_invocation_id) id: vec3<u32>";

/// The arguments of an entry point that WGSL does not allow with workgroups of several dimensions.
const OF_SUBGROUPS: &str = "@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) lanes: u32,
    @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32";

/// Whether an index into an array of `elements` elements is proven under a condition.
fn proven_of(elements: u32, index: &str, condition: &str) -> bool {
    let subgroups = index.starts_with("lane") || index.starts_with("subgroup");
    let (size, inputs) = if subgroups { ("64", OF_SUBGROUPS) } else { ("8, 4, 2", INPUTS) };
    let text = format!(
        "var<workgroup> data: array<u32, {elements}>;
        @compute @workgroup_size({size}) fn main({inputs}) {{ if ({condition}) {{ data[{index}] = 1u; }} }}"
    );
    let circumstances = Circumstances { workgroups: [10, 100, 1000], ..Circumstances::default() };
    analysed_text(&text, &circumstances).accesses[0].proven
}

#[test]
fn inputs_have_their_exact_range() {
    let table = [
        ("local.x", 8),
        ("local.y", 4),
        ("local.z", 2),
        ("thread", 64),
        ("group.x", 10),
        ("group.y", 100),
        ("group.z", 1000),
        ("count.x", 11),
        ("count.z", 1001),
        ("id.x", 80),
        ("id.y", 400),
        ("id.z", 2000),
        ("lane", 128),
        ("lanes", 129),
        ("subgroup", 64),
        ("subgroups", 65),
    ];
    for (index, values) in table {
        assert!(proven_of(values, index, "true"), "{index} is less than {values}");
        assert!(!proven_of(values - 1, index, "true"), "{index} may be {}", values - 1);
    }
}

#[test]
fn dimensions_are_separate_values() {
    assert!(proven_of(9, "group.z", "group.z < 9u"));
    for condition in ["group.y < 9u", "group.x < 9u", "local.z < 9u", "count.z < 11u"] {
        assert!(!proven_of(9, "group.z", condition), "{condition} is about another value");
    }
    assert!(proven_of(64, "group.y", "count.y <= 64u"), "the index of a workgroup is less than their number");
    assert!(!proven_of(64, "group.y", "count.y <= 65u"));
}

#[test]
fn subgroups_have_the_sizes_of_the_device() {
    let proven = |elements: u32, index: &str, condition: &str, subgroup_size| {
        let text = format!(
            "var<workgroup> data: array<u32, {elements}>;
            @compute @workgroup_size(256) fn main({OF_SUBGROUPS}) {{ if ({condition}) {{ data[{index}] = 1u; }} }}"
        );
        let circumstances = Circumstances { subgroup_size, ..Circumstances::default() };
        analysed_text(&text, &circumstances).accesses[0].proven
    };
    assert!(proven(32, "lane", "true", (8, 32)) && !proven(31, "lane", "true", (8, 32)));
    assert!(proven(33, "lanes", "true", (8, 32)) && !proven(32, "lanes", "true", (8, 32)));
    assert!(proven(8, "lane", "lanes <= 8u", (8, 32)), "the index of a lane is less than their number");
    assert!(!proven(8, "lane", "lanes <= 9u", (8, 32)));
    assert!(proven(25, "lanes - 8u", "true", (8, 32)), "there are at least 8 lanes");
    assert!(!proven(25, "lanes - 8u", "true", (4, 32)));
}

#[test]
fn lengths_are_limited_by_the_size_of_bindings() {
    let sized = |bytes: u64| Circumstances { binding_bytes: bytes, ..Circumstances::default() };
    let last = "tile[arrayLength(&tail.rows) - 1u] = 1u;";
    // The array begins 64 bytes after the start of the buffer, and each element has 4 bytes.
    assert!(analysed_for(last, &sized(64 + 256)).accesses[0].proven, "at most 64 elements");
    assert!(!analysed_for(last, &sized(64 + 260)).accesses[0].proven, "at most 65 elements");
    let last = "tile[arrayLength(&x) - 1u] = 1u;";
    assert!(analysed_for(last, &sized(256)).accesses[0].proven, "at most 64 elements");
    assert!(!analysed_for(last, &sized(260)).accesses[0].proven, "at most 65 elements");
    check(&[
        ("x[thread * 0u] = 1u;", &[true]),
        ("x[thread & 1u] = 1u;", &[false]),
        ("if (thread < arrayLength(&tail.rows)) { tail.rows[thread] = 1u; }", &[true]),
        ("if (thread < arrayLength(&x)) { tail.rows[thread] = 1u; }", &[false]),
        ("tail.head[thread & 15u] = 1u; tail.head[thread & 31u] = 1u;", &[true, false]),
    ]);
}

#[test]
fn each_array_has_its_known_length() {
    let resource = |binding| ResourceId { group: 0, binding };
    let lengths = vec![(resource(0), 64), (resource(1), 1000)];
    let known = Circumstances { lengths, ..Circumstances::default() };
    let proven = |body: &str| analysed_for(body, &known).accesses[0].proven;
    assert!(proven("x[thread] = 1u;"));
    assert!(!proven("x[thread + 1u] = 1u;"), "only the other array is longer");
    assert!(proven("own = y[thread + 936u];"));
    assert!(!proven("own = y[thread + 937u];"));
    let other = Circumstances { lengths: vec![(ResourceId { group: 1, binding: 0 }, 64)], ..known };
    assert!(!analysed_for("x[thread] = 1u;", &other).accesses[0].proven, "the length is for another group");
}

#[test]
fn contents_of_memory_are_values_if_nothing_writes_it() {
    check(&[
        ("if (tile[0] < 64u) { tile[tile[0]] = 1u; }", &[false]),
        ("if (params.at.x < 64u) { tile[params.at.x] = 1u; }", &[true]),
        ("if (params.at.x < 64u) { tile[params.at.y] = 1u; }", &[false]),
        ("let v = params.at; if (v.x < 64u) { tile[v.y] = 1u; }", &[false]),
        ("let v = params.at; if (v.y < 64u) { tile[params.at.y] = 1u; }", &[true]),
        ("if (y[thread] < 64u) { tile[y[thread]] = 1u; }", &[false, true, false]),
        ("if (y[params.n] < 64u) { tile[y[params.at.x]] = 1u; }", &[false, false, false]),
        ("tile[started] = 1u;", &[false]),
        ("tile[own] = 1u;", &[true]),
        ("var i = 100u; tile[i] = 1u;", &[false]),
        ("var m = mat2x4<f32>(); own = u32(m[thread & 1u].x); own = u32(m[thread & 3u].x);", &[true, false]),
        ("var m = mat4x2<f32>(); own = u32(m[thread & 3u][thread & 3u]);", &[true, false]),
        ("var v = vec2<u32>(); v[thread & 1u] = 1u; v[thread & 3u] = 1u;", &[true, false]),
        ("var v = vec3<u32>(); v[thread % 3u] = 1u; v[thread & 3u] = 1u;", &[true, false]),
        ("var a = array<u32, 2>(1u, params.n); tile[a[thread & 1u]] = 1u;", &[false, true]),
        ("var a = array<u32, 2>(1u, 1u); a[thread & 1u] = params.n; tile[a[1]] = 1u;", &[true, false]),
        ("var a = array<u32, 2>(1u, 1u); a[thread & 1u] = params.n; tile[a[0]] = 1u;", &[true, false]),
        ("var a: array<vec2<u32>, 2>; a[1].y = params.n; tile[a[1].x] = 1u; tile[a[1].y] = 1u;", &[true, false]),
    ]);
}
