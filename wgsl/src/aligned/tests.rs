use anywarp_backend::{Source, naga};
use naga::TypeInner;

use crate::module;

/// The offsets of the last struct's members, and its size.
fn last(text: &str) -> (Vec<u32>, u32) {
    let text = format!("{text} @group(0) @binding(0) var<storage, read_write> v: Last;");
    let parsed = module::parse(&Source::new("test.wgsl", &text)).unwrap_or_else(|error| panic!("{error}"));
    let found = parsed.types.iter().find_map(|(_, ty)| match &ty.inner {
        TypeInner::Struct { members, span } if ty.name.as_deref() == Some("Last") => {
            Some((members.iter().map(|member| member.offset).collect(), *span))
        }
        _ => None,
    });
    module::validate(parsed).unwrap_or_else(|refused| panic!("{text}: {}", refused.error));
    found.unwrap()
}

#[test]
fn an_align_reaches_every_type_that_contains_the_struct() {
    let inner = "struct Inner { @align(32) value: u32 }";
    for (members, offsets, size) in [
        ("first: u32, inner: Inner", &[0, 32][..], 64),
        ("first: u32, list: array<Inner, 2>, after: u32", &[0, 32, 96], 128),
        ("first: u32, inner: Middle, after: u32", &[0, 32, 96], 128),
        ("first: u32, @align(64) inner: Inner, after: u32", &[0, 64, 96], 128),
        ("first: u32, @size(40) inner: Inner, after: u32", &[0, 32, 72], 96),
        ("first: u32, other: Alias", &[0, 32], 64),
        ("first: u32, tail: array<Middle>", &[0, 32], 96),
    ] {
        let text = format!(
            "struct Last {{ {members} }} alias Alias = Inner; {inner} struct Middle {{ a: u32, b: array<Inner, 1>, }}"
        );
        assert_eq!(last(&text), (offsets.to_vec(), size), "{members}");
    }
}

#[test]
fn values_are_literals_or_any_constant_expression() {
    for value in
        ["32", "32u", "0x20i", "N", "N * 1u", "(16 + 16)", "16 /* a */ << 1,", "max(N, 4)", "select(8, 32, N > (3))"]
    {
        let text = format!(
            "const N = 32u; struct Inner {{ @align({value}) @size(8) value: array<u32, select(1, 2, 1 > 0)>, last: u32 }}
             struct Last {{ first: u32, inner: Inner }}"
        );
        assert_eq!(last(&text), (vec![0, 32], 64), "{value}");
    }
}

#[test]
fn structs_without_align_are_as_naga_has_them() {
    assert_eq!(last("struct Last { a: u32, b: vec3<f32>, @size(8) c: u32, d: u32 }"), (vec![0, 16, 28, 36], 48));
    assert_eq!(last("struct Last { @align(16) a: u32, b: vec2<f32>, @align(8) c: u32 }"), (vec![0, 8, 16], 32));
}

#[test]
fn attributes_that_are_too_small_for_the_right_layout_are_refused() {
    for (members, wanted) in [
        ("@align(16) inner: Inner", "`@align(16)` of 'inner' is below the alignment of its type"),
        ("@size(40) outer: Outer", "`@size(40)` of 'outer' is below the size of its type"),
    ] {
        let text = format!(
            "struct Inner {{ @align(32) value: u32 }} struct Outer {{ first: u32, inner: Inner }}
             struct Last {{ {members} }} @group(0) @binding(0) var<storage> v: Last;"
        );
        let error = module::parse(&Source::new("test.wgsl", &text)).expect_err(members).to_string();
        assert!(error.contains(wanted) && error.contains("test.wgsl:2:"), "{error}");
    }
}

#[test]
fn a_type_that_becomes_too_large_is_refused() {
    let text = "struct Inner { @align(536870912) value: u32 }
        struct Last { a: u32, b: Inner, c: u32, d: Inner } var<private> v: Last;";
    let error = module::parse(&Source::new("test.wgsl", text)).expect_err("the size").to_string();
    assert!(error.contains("type is too large") && error.contains("Last has 2147483648 bytes"), "{error}");
}
