//! The changed lines of texts: where there are some, and where the text does not show that they are right.

use super::words::Words;
use super::{lines, padding, swap};
use crate::backend::{Mix, ObservedKernel};

fn kernel(workgroup_size: [u32; 3]) -> ObservedKernel {
    ObservedKernel {
        kernel: "k.wgsl:main".into(),
        workgroup_size,
        workgroup_bytes: 0,
        dispatches: 1,
        workgroups: 1,
        observed: 1,
        buffers: Vec::new(),
        accesses: Vec::new(),
        branches: Vec::new(),
        lanes: Default::default(),
        mix: Mix::default(),
    }
}

fn padded(text: &str, stride: u64) -> Vec<(u32, String)> {
    padded_in(0, text, stride)
}

/// The changed lines of a kernel that declares this many bytes of workgroup memory.
fn padded_in(workgroup_bytes: u32, text: &str, stride: u64) -> Vec<(u32, String)> {
    let words = Words::of(text);
    let kernel = ObservedKernel { workgroup_bytes, ..kernel([32, 8, 1]) };
    let edits = padding::edits(&words, &kernel, "tile", stride).unwrap_or_default();
    lines(text, edits).into_iter().map(|change| (change.line, change.text)).collect()
}

fn swapped(text: &str) -> Vec<String> {
    let edits = swap::edits(&Words::of(text)).unwrap_or_default();
    lines(text, edits).into_iter().map(|change| change.text).collect()
}

#[test]
fn words_are_names_numbers_and_signs() {
    let words = Words::of("a1 += /* b /* c */ d */ 2.5f*x.y; // e\n[ü]");
    let all: Vec<&str> = (0..words.len()).map(|index| words.get(index)).collect();
    assert_eq!(all, ["a1", "+", "=", "2.5f", "*", "x", ".", "y", ";", "[", "ü", "]"]);
    assert_eq!((words.closing(9), words.closing(0), words.get(99)), (Some(11), Some(0), ""));
    assert_eq!(Words::of("/* open").len(), 0);
}

#[test]
fn rows_of_two_dimensions_change_where_they_are_declared() {
    let text = "var<workgroup> tile: array<array<f32, 32u>, 16>; // tile\nfn f() { tile[a][b] = tile[c[d]][0]; }";
    assert_eq!(padded(text, 128), [(1, text.lines().next().unwrap().replace("32u", "33u"))]);
    assert_eq!(padded_in(16320, text, 128).len(), 1, "16 more elements are 16,384 bytes");
    assert_eq!(padded_in(16324, text, 128), [], "16 more elements are too many");
    assert_eq!(padded(text, 256), [], "neighbours do not access neighbouring rows");
    for (from, by) in [
        ("tile[c[d]][0]", "tile[c[d]]"),
        ("tile[c[d]][0]", "&tile[c[d]][0]"),
        ("fn f() {", "fn f() { let tile = 1;"),
        ("fn f() {", "fn f(tile: u32) {"),
        ("32u", "N"),
        ("f32", "vec4<f32>"),
        ("workgroup", "private"),
    ] {
        assert!(text.contains(from));
        assert_eq!(padded(&text.replace(from, by), 128), [], "{by} for {from}");
    }
}

#[test]
fn rows_of_one_dimension_change_at_every_use() {
    let text = "var<workgroup> tile: array<u32, 1024>;
@compute @workgroup_size(32, 8) fn main(@builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) t: u32) {
    tile[at.x * 32u + at.y] = 1;
    tile[(t % 32u) * 32 + t / 32u] = tile[t * 32u + 7] + tile[k * 32 + t % 16];
}";
    let lines: Vec<u32> = padded(text, 128).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 4, 5]);
    let found = padded(text, 128);
    assert!(found[0].1.contains("array<u32, 1056>"), "{found:?}");
    assert_eq!(found[1].1.trim(), "tile[at.x * 33u + at.y] = 1;");
    assert_eq!(found[2].1.trim(), "tile[(t % 32u) * 33 + t / 32u] = tile[t * 33u + 7] + tile[k * 33 + t % 16];");
    for (from, by) in [
        ("tile[t * 32u + 7]", "tile[t]"),
        ("tile[t * 32u + 7]", "tile[t * 32u + 32]"),
        ("tile[t * 32u + 7]", "tile[t * 32u + k]"),
        ("tile[t * 32u + 7]", "tile[t + t * 32u + 7]"),
        ("tile[t * 32u + 7]", "tile[t * 16u + 7]"),
        ("tile[t * 32u + 7]", "tile[a + t * 32u]"),
        ("tile[t * 32u + 7]", "tile[2 * t * 32u + 7]"),
        ("t % 16", "t % 33"),
        ("t % 16", "k % 16"),
        ("t / 32u]", "t / 4u]"),
        ("at.x * 32u + at.y", "at.y * 32u + t"),
        ("1024", "1000"),
        ("fn main(", "fn other(at: vec3<u32>) {} fn main("),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(padded(&text.replace(from, by), 128), [], "{by} for {from}");
    }
}

#[test]
fn indices_are_swapped_where_nothing_else_tells_the_invocations_apart() {
    let text = "@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n || id.y >= n) { return; }
    y[id.x * n + id.y] = 2 * x[n * id.x + id.y];
}";
    assert_eq!(swapped(text), ["    y[id.y * n + id.x] = 2 * x[n * id.y + id.x];"]);
    for (from, by) in [
        ("x[n * id.x + id.y]", "x[id.x]"),
        ("x[n * id.x + id.y]", "x[id.y * n + id.x]"),
        ("x[n * id.x + id.y]", "x[id.x * m + id.y]"),
        ("x[n * id.x + id.y]", "x[k * n * id.x + id.y]"),
        ("x[n * id.x + id.y]", "x[n * id.x + id.y * 2]"),
        ("x[n * id.x + id.y]", "f(id)"),
        ("id.y >= n", "id.y >= m"),
        ("id.y >= n", "id.y > n"),
        ("vec3<u32>)", "vec3<u32>, @builtin(local_invocation_index) t: u32)"),
        ("@compute", "var<workgroup> sum: u32; @compute"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(swapped(&text.replace(from, by)).is_empty(), "{by} for {from}");
    }
}
