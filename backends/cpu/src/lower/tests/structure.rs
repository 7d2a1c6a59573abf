//! Tests of the structure of scalar programs.

use super::{body, lowered};
use crate::ir::{Function, Inst, Space};

fn private_bytes(statements: &str) -> u32 {
    body(statements).private_bytes
}

fn loads(function: &Function) -> usize {
    function.insts.iter().filter(|inst| matches!(inst, Inst::Load(..))).count()
}

#[test]
fn constant_paths_and_short_choices_need_no_memory() {
    assert_eq!(private_bytes("var a: array<vec4u, 8>; a[3].y = i; data[i] = a[3].y + a[2].x;"), 0);
    assert_eq!(private_bytes("var v: vec4u; v[i] = 3; data[i] = v[i + 1];"), 0);
    assert_eq!(private_bytes("let t = array<u32, 4>(1, 2, 3, 4); data[i] = t[i];"), 0);
    assert_eq!(private_bytes("var a: array<u32, 9>; a[i] = 3; data[i] = a[2];"), 36);
    assert_eq!(private_bytes("var a: array<u32, 65>; a[1] = 3; data[i] = a[2];"), 260);
}

#[test]
fn equal_tables_of_constants_are_stored_once() {
    let table = "array<u32, 9>(1, 2, 3, 4, 5, 6, 7, 8, 9)";
    assert_eq!(private_bytes(&format!("data[i] = {table}[i] + {table}[i + 1];")), 36);
}

#[test]
fn functions_that_are_not_active_together_share_memory() {
    let function = lowered(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
        fn f(i: u32) -> u32 { var a: array<u32, 100>; a[i] = 1; return a[i + 1]; }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
            data[i] = f(i) + f(i + 1) + f(i + 2); }",
    );
    assert_eq!(function.map(|function| function.private_bytes).ok(), Some(400));
}

#[test]
fn vectors_are_loaded_in_one_piece() {
    let function = lowered(
        "@group(0) @binding(0) var<storage, read_write> data: array<mat3x3f>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { data[0] = data[i]; }",
    );
    assert_eq!(function.map(|function| loads(&function)).ok(), Some(3));
}

#[test]
fn workgroup_variables_lie_at_multiples_of_16_and_booleans_take_4_bytes() {
    let function = lowered(
        "var<workgroup> a: array<bool, 5>; var<workgroup> b: u32;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { b = u32(a[i]); }",
    );
    assert_eq!(function.map(|function| function.workgroup_bytes).ok(), Some(36));
}

#[test]
fn constant_indices_of_runtime_arrays_are_checked_but_zero() {
    let function = body("data[0] = data[7];");
    let indices = |wanted: usize| {
        function.insts.iter().any(|inst| {
            matches!(inst, Inst::Load(place, ..) if place.indices.len() == wanted && place.space == Space::Binding(0))
        })
    };
    assert!(indices(1) && !indices(0));
}
