//! Tables of WGSL statements and the C++ expected for them.

use anywarp_backend::{Checks, Leave, Program};

use crate::translate::tests::unchecked::unchecked;
use crate::translate::{Form, Options, translate};

const DECLARATIONS: &str = "
    struct Item { count: atomic<u32>, place: vec3f, tail: array<vec3f> }
    @group(0) @binding(0) var<storage, read_write> data: array<f32>;
    @group(0) @binding(1) var<storage, read_write> quads: array<vec4f>;
    @group(0) @binding(2) var<storage, read_write> item: Item;
    @group(0) @binding(3) var<storage, read> given: array<vec3f>;
    @group(0) @binding(4) var<uniform> weights: array<vec4f, 8>;
    @group(0) @binding(5) var<storage, read_write> counts: array<atomic<i32>>;
    var<workgroup> tile: array<array<f32, 8>, 8>;
    fn change(p: ptr<function, f32>) { *p = 1.0; }
";

/// Returns the WGSL of a kernel of 8 x 8 invocations with these statements, which may use `i`, `s` (signed) and `lid`.
fn body(statements: &str, checked: bool) -> String {
    let source = format!(
        "{DECLARATIONS}
        @compute @workgroup_size(8, 8)
        fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) lid: vec3u) {{
            let i = id.x; let s = i32(id.y);
            var own: array<f32, 4>; var v: vec4f; var m: mat3x3f;
            {statements}
        }}"
    );
    let options = Options { form: Form::default(), steps: 1000 };
    let translation =
        translate(&program(&source, checked), &options).unwrap_or_else(|error| panic!("{error}\n{source}"));
    translation.text
}

fn program(source: &str, checked: bool) -> Program {
    let checks = if checked { Checks::Driver } else { unchecked() };
    let leave = Leave { checks, fast_math: false };
    // The program has no source, because source lines are copied into comments, which the tests could match.
    Program { source: None, leave, ..crate::translate::tests::program(source) }
}

fn expect(checked: bool, table: &[(&str, &str)]) {
    for (statements, wanted) in table {
        let text = body(statements, checked);
        assert!(text.contains(wanted), "{statements}\nhas no `{wanted}`:\n{text}");
    }
}

#[test]
fn reads_out_of_range_are_of_the_last_element() {
    expect(
        true,
        &[
            ("v.x = data[i];", "= data[aw_at(i, data_count)];"),
            ("v.x = data[3];", "= data[aw_at(3u, data_count)];"),
            ("v.x = data[0];", "= data[0u];"),
            ("v.x = data[s];", "= data[aw_at(s, data_count)];"),
            ("v = quads[i];", "= quads[aw_at(i, quads_count)];"),
            ("v.x = given[i].y;", "= given[aw_at(i, given_count)].value.y;"),
            ("v.x = item.tail[i].x;", "= item->tail[aw_at(i, item_count)].value.x;"),
            ("v.x = quads[i][s];", "= aw_ref_unchecked(quads[aw_at(i, quads_count)], aw_at(s, 4u));"),
            ("v.x = given[1][s];", "= aw_get(given[aw_at(1u, given_count)].value, s);"),
            ("v = weights[i];", "= weights[aw_at(i, 8u)];"),
            ("v.x = own[i];", "= own[aw_at(i, 4u)];"),
            ("v.x = v[i];", "= aw_get(v, i);"),
            ("v.x = m[i].x;", "= m.columns[aw_at(i, 3u)].x;"),
            ("v.x = array(v.x, v.y, v.z)[i];", "[aw_at(i, 3u)];"),
            ("v.x = f32(arrayLength(&item.tail));", "v.x = f32(item_count);"),
            ("v.x = f32(atomicLoad(&counts[i]));", "= aw_in(i, counts_count) ? aw_atomicLoad(&counts[i]) : i32(0);"),
        ],
    );
}

#[test]
fn writes_out_of_range_do_nothing() {
    expect(
        true,
        &[
            ("data[i] = 2.0;", "if (aw_in(i, data_count)) data[i] = 2.0f;"),
            ("data[0] = 2.0;", "    data[0u] = 2.0f;"),
            ("data[i + 1] = 2.0;", "if (aw_in(e"),
            ("quads[i].y = 2.0;", "if (aw_in(i, quads_count)) quads[i].y = 2.0f;"),
            ("quads[i][s] = 2.0;", "if (aw_in(i, quads_count) && aw_in(s, 4u)) aw_ref_unchecked(quads[i], s) = 2.0f;"),
            ("item.tail[s] = item.place;", "if (aw_in(s, item_count)) item->tail[s].value = e"),
            ("item.place.z = 1.0;", "    item->place.z = 1.0f;"),
            ("v[i] = 2.0;", "v.w = i == 3 ? 2.0f : v.w;"),
            ("m[1][s] = 2.0;", "if (aw_in(s, 3u)) aw_ref_unchecked(m.columns[1u], s) = 2.0f;"),
            ("own[s] = 2.0;", "if (aw_in(s, 4u)) own[s] = 2.0f;"),
            ("change(&own[1]);", "change(&own[1u]);"),
            ("change(&own[i]);", "change(aw_in(i, 4u) ? &own[i] : &spare);"),
            ("atomicAdd(&counts[i], 1);", "if (aw_in(i, counts_count)) aw_atomicAdd(&counts[i], 1);"),
            ("let a = atomicAdd(&item.count, 1u); data[a] = 1.0;", "const u32 a = aw_atomicAdd(&item->count, 1u);"),
            ("let a = atomicMax(&counts[i], 1); data[a] = 1.0;", "? aw_atomicMax(&counts[i], 1) : i32(0);"),
            ("atomicStore(&counts[i], 5);", "if (aw_in(i, counts_count)) aw_atomicStore(&counts[i], 5);"),
        ],
    );
}

#[test]
fn indices_that_are_seen_to_be_small_are_not_tested() {
    expect(
        true,
        &[
            ("tile[lid.y][lid.x] = 1.0;", "    tile[lid.y][lid.x] = 1.0f;"),
            ("own[i & 3u] = 1.0;", "    own["),
            ("own[i % 4u] = 1.0;", "    own["),
            ("own[i >> 30u] = 1.0;", "    own["),
            ("own[min(i, 3u)] = 1.0;", "    own["),
            ("own[lid.x / 2u] = 1.0;", "    own["),
            ("own[u32(s & 1) + 2u] = 1.0;", "    own["),
            // The bounds of these indices are one above the greatest valid index.
            ("own[i % 5u] = 1.0;", "if (aw_in(e"),
            ("own[s % 4] = 1.0;", "if (aw_in(e"),
            ("own[lid.x] = 1.0;", "if (aw_in(lid.x, 4u)) own[lid.x]"),
        ],
    );
}

#[test]
fn unchecked_kernels_have_no_tests() {
    expect(
        false,
        &[
            ("v.x = data[i];", "= data[i];"),
            ("data[s] = 2.0;", "    data[s] = 2.0f;"),
            ("quads[i][s] = 2.0;", "    aw_ref_unchecked(quads[i], s) = 2.0f;"),
            ("let a = atomicAdd(&counts[i], 1); data[a] = 1.0;", "const i32 a = aw_atomicAdd(&counts[i], 1);"),
            ("change(&own[i]);", "change(&own[i]);"),
            ("data[i] = f32(i / id.y);", "data[i] = f32(i / id.y);"),
            ("data[i] = f32(u32(v.x));", "f32(aw_cast_unchecked<u32>("),
        ],
    );
}
