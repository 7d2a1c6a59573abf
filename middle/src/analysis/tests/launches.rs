//! Tests of the conditions on a launch under which an access is in range.

use anywarp_backend::ResourceId;

use super::analysed_text;
use crate::Circumstances;
use crate::analysis::{Analysis, Outer};

const HEAD: &str = "
    struct Params { n: u32, width: u32, height: u32, m: i32, columns: i32, rows: i32, at: vec2<u32> }
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @group(0) @binding(1) var<storage, read> y: array<u32>;
    @group(0) @binding(2) var<uniform> params: Params;
    @group(0) @binding(3) var<storage, read> sizes: Params;
    var<workgroup> tile: array<u32, 64>;
    @compute @workgroup_size(8, 8) fn main(
        @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(workgroup_id) group: vec3<u32>,
    ) {";

fn analysed(body: &str) -> Analysis {
    let limits = Circumstances { binding_bytes: 1 << 27, workgroups: [65_535; 3], ..Circumstances::default() };
    analysed_text(&format!("{HEAD} {body} }}"), &limits)
}

/// The conditions of the last access of a kernel as text; `proven` if the access needs no condition, `checked` if no
/// conditions were found.
fn needs(body: &str) -> String {
    let analysis = analysed(body);
    let last = analysis.accesses.last().expect("an access");
    match last.needs {
        Some(0) => "proven".to_owned(),
        Some(bits) => analysis.of_launches.conditions.texts(bits).collect::<Vec<_>>().join(" and "),
        None => "checked".to_owned(),
    }
}

fn check(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(body, expected)| needs(body) != *expected)
        .map(|(body, expected)| format!("{body}\n  expected {expected}\n  found    {}", needs(body)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_index_needs_the_condition_of_its_bound() {
    check(&[
        ("if (id.x >= params.n) { return; } x[id.x] = 1u;", "params.n <= arrayLength(&x)"),
        ("if (id.x < params.n) { x[id.x] = 1u; }", "params.n <= arrayLength(&x)"),
        ("if (id.x <= params.n) { x[id.x] = 1u; }", "params.n < arrayLength(&x)"),
        ("if (id.x < params.n) { x[id.x * 4u + 3u] = 1u; }", "4 * params.n <= arrayLength(&x)"),
        ("if (id.x < arrayLength(&y)) { x[id.x] = y[id.x]; x[id.x] = 2u; }", "arrayLength(&y) <= arrayLength(&x)"),
        ("x[id.x] = 1u;", "8 * num_workgroups.x <= arrayLength(&x)"),
        ("x[group.x * 64u + thread] = 1u;", "64 * num_workgroups.x <= arrayLength(&x)"),
        ("x[params.at.y] = 1u;", "params.at.y < arrayLength(&x)"),
        ("if (id.x < params.n) { tile[id.x] = 1u; }", "params.n <= 64"),
        ("for (var k = 0u; k < params.n; k++) { x[k] = 1u; }", "params.n <= arrayLength(&x)"),
        ("x[id.x % params.n] = 1u;", "8 * num_workgroups.x <= arrayLength(&x)"),
        ("x[min(id.x + 7u, params.n - 1u)] = 1u;", "(params.n - 1) < arrayLength(&x)"),
        ("if (id.x < params.n) { x[params.n - 1u - id.x] = 1u; }", "params.n <= arrayLength(&x)"),
        ("let i = y[id.x]; if (id.x < sizes.n) { x[i] = 1u; }", "checked"),
        ("x[x[0]] = 1u;", "checked"),
        ("if (id.x < params.n / 2u) { x[id.x * 2u + 1u] = 1u; }", "2 * (params.n / 2) <= arrayLength(&x)"),
    ]);
}

#[test]
fn an_index_of_rows_and_columns_needs_the_product() {
    let inside = "if (id.x >= params.width || id.y >= params.height) { return; }";
    let whole = "params.width * params.height <= arrayLength(&x)";
    check(&[
        (&format!("{inside} x[id.y * params.width + id.x] = 1u;"), whole),
        (&format!("{inside} let row = params.width * id.y; x[row + id.x] = 1u;"), whole),
        (
            &format!(
                "{inside} if (id.x == 0u || id.y == 0u) {{ return; }} x[(id.y - 1u) * params.width + id.x - 1u] = 1u;"
            ),
            "params.width * params.height <= params.width + arrayLength(&x) + 1",
        ),
        (
            &format!("{inside} for (var k = 0u; k < params.n; k++) {{ x[id.y * params.n + k] = 1u; }}"),
            "params.height * params.n <= arrayLength(&x)",
        ),
        (
            &format!("{inside} x[(id.y * params.width + id.x) * 4u + 2u] = 1u;"),
            "4 * params.width * params.height <= arrayLength(&x) + 1",
        ),
        (
            "let column = i32(id.x); let row = i32(id.y);
             if (column >= params.columns || row >= params.rows) { return; }
             x[row * params.columns + column] = 1u;",
            "params.columns * params.rows <= arrayLength(&x)",
        ),
    ]);
}

#[test]
fn wrapping_indices_need_more() {
    // Without wrapping, each index would need a weaker condition, under which the index may be out of range.
    check(&[
        // The difference wraps if `id.x` is 0.
        ("if (id.x < params.n) { x[id.x - 1u] = 1u; }", "checked"),
        // `params.n - 1u` wraps if `n` is 0; the host computes the same wrapped value.
        ("if (id.x < params.n - 1u) { x[id.x] = 1u; }", "(params.n - 1) <= arrayLength(&x)"),
        // A product in a comparison wraps on the host, too.
        ("if (id.x < params.n * params.n) { x[id.x] = 1u; }", "(params.n * params.n) <= arrayLength(&x)"),
        // These indices may be negative.
        ("if (i32(id.x) < params.m) { x[i32(id.x) - params.m] = 1u; }", "checked"),
        ("x[params.m] = 1u;", "0 <= params.m and params.m < arrayLength(&x)"),
        ("x[u32(params.m)] = 1u;", "0 <= params.m and params.m < arrayLength(&x)"),
    ]);
}

#[test]
fn indices_must_fit_their_type() {
    let needs = |elements: u64, index: &str| {
        let limits = Circumstances { binding_bytes: 4 * elements, ..Circumstances::default() };
        let analysis = analysed_text(&format!("{HEAD} if (id.x < params.n) {{ x[{index}] = 1u; }} }}"), &limits);
        let bits = analysis.accesses[0].needs.expect("conditions");
        analysis.of_launches.conditions.texts(bits).collect::<Vec<_>>().join(" and ")
    };
    let in_range = "4 * params.n <= arrayLength(&x)";
    // The last index of the longest array is the greatest number of the type.
    assert_eq!(needs(1 << 32, "id.x * 4u + 3u"), in_range);
    assert_eq!(needs(1 << 31, "i32(id.x) * 4 + 3"), in_range);
    // The last index exceeds the greatest number of the type by one, so that the index would be negative.
    assert_eq!(needs((1 << 31) + 1, "i32(id.x) * 4 + 3"), format!("{in_range} and 4 * params.n <= 2147483648"));
}

#[test]
fn the_host_computes_as_the_kernel_does() {
    let params = ResourceId { group: 0, binding: 2 };
    let met = |body: &str, n: u32, m: i32, length: u32| {
        let analysis = analysed(body);
        let bits = analysis.accesses.last().and_then(|access| access.needs).expect("conditions");
        let met = analysis.of_launches.conditions.met(|outer| match outer {
            Outer::Length(_) => Some(length),
            Outer::Word(Some(of), 0) if of == params => Some(n),
            Outer::Word(Some(of), 12) if of == params => Some(m as u32),
            Outer::Groups(0) => Some(n),
            _ => None,
        });
        met & bits == bits
    };
    let table = [
        ("if (id.x < params.n) { x[id.x] = 1u; }", 64, 0, 64, true),
        ("if (id.x < params.n) { x[id.x] = 1u; }", 65, 0, 64, false),
        ("x[id.x] = 1u;", 8, 0, 64, true),
        ("x[id.x] = 1u;", 8, 0, 63, false),
        // These launches are impossible (too many workgroups, an empty array), so they meet no condition.
        ("x[id.x] = 1u;", 70_000, 0, 1 << 25, false),
        ("if (id.x < params.n) { x[id.x] = 1u; }", 0, 0, 0, false),
        ("if (id.x < params.n - 1u) { x[id.x] = 1u; }", 65, 0, 64, true),
        ("if (id.x < params.n - 1u) { x[id.x] = 1u; }", 0, 0, 64, false),
        // 65536 * 65536 wraps to 0, so nothing is accessed.
        ("if (id.x < params.n * params.n) { x[id.x] = 1u; }", 65_536, 0, 64, true),
        // An access whose index is a product is proven only if the product cannot overflow.
        ("if (id.x < params.n) { x[id.x * params.n] = 1u; }", 65_536, 0, 64, false),
        ("if (id.x < params.n) { x[id.x * params.n] = 1u; }", 8, 0, 57, true),
        ("if (id.x < params.n) { x[id.x * params.n] = 1u; }", 8, 0, 56, false),
        ("x[params.m] = 1u;", 0, 63, 64, true),
        ("x[params.m] = 1u;", 0, -1, 64, false),
        ("x[params.m] = 1u;", 0, i32::MIN, 64, false),
    ];
    for (body, n, m, length, expected) in table {
        assert_eq!(met(body, n, m, length), expected, "n {n}, m {m}, {length} elements: {body}");
    }
}

#[test]
fn contents_of_memory_are_unknown_to_the_host() {
    let analysis = analysed("if (id.x < params.n) { x[id.x] = 1u; }");
    assert_eq!(analysis.of_launches.conditions.count(), 1);
    assert_eq!(analysis.of_launches.conditions.met(|_| None), 0, "the host knows no number");
    assert!(!analysis.of_launches.proofs(0).entry.in_range.contains(&true));
    assert_eq!(analysis.of_launches.proofs(1).entry.in_range.iter().filter(|proven| **proven).count(), 1);
    let text = analysed("if (id.x < sizes.n) { x[id.x] = 1u; }").accesses[0].advice.clone();
    assert_eq!(text, Some(crate::analysis::Advice::MemoryBound("sizes.n".to_owned())));
}

#[test]
fn conditions_of_all_calls_are_combined() {
    let text =
        |calls: &str| format!("{} {calls} }}", HEAD.replace("@compute", "fn put(i: u32) { x[i] = 1u; } @compute"));
    let limits = Circumstances { binding_bytes: 1 << 27, ..Circumstances::default() };
    let needs = |calls: &str| {
        let analysis = analysed_text(&text(calls), &limits);
        analysis.accesses[0]
            .needs
            .map(|bits| analysis.of_launches.conditions.texts(bits).collect::<Vec<_>>().join(" and "))
    };
    let (one, two) = ("if (id.x < params.n) { put(id.x); }", "if (id.y < params.width) { put(id.y); }");
    assert_eq!(needs(one).as_deref(), Some("params.n <= arrayLength(&x)"));
    let both = Some("params.n <= arrayLength(&x) and params.width <= arrayLength(&x)");
    assert_eq!(needs(&format!("{one} {two}")).as_deref(), both);
    assert_eq!(needs(&format!("{one} put(x[0]);")), None);
}
