//! Operators on order: sorts, searches, selections, reductions and scans.

use crate::cases::{Case, File, all, of, run};

const X: File = ("x.npy", "T", "(6,)", &[4.0, 9.0, 1.0, 9.0, 0.0, 3.0]);
/// The offsets of two segments: one of two keys, and one of the other four.
const SEGMENTS: File = ("segments.npy", "u32", "(3,)", &[0.0, 2.0, 6.0]);
const VALUES: File = ("values.npy", "u32", "(6,)", &[10.0, 11.0, 12.0, 13.0, 14.0, 15.0]);
const A: File = ("a.npy", "T", "(2,)", &[1.0, 4.0]);
const B: File = ("b.npy", "T", "(3,)", &[0.0, 1.0, 5.0]);
const KEYS: File = ("keys.npy", "T", "(4,)", &[0.0, 1.0, 1.0, 5.0]);
const FALLING: File = ("falling.npy", "T", "(4,)", &[5.0, 1.0, 1.0, 0.0]);
const FOUND: File = ("found.npy", "T", "(2, 2)", &[1.0, 2.0, 0.0, 6.0]);

pub(crate) const SORTED: &[Case] = &[
    all("sort x.npy", &[X], &[("T", "(6,)", &[0.0, 1.0, 3.0, 4.0, 9.0, 9.0])]),
    of(&["f32", "u8"], "sort x.npy --descending", &[X], &[("T", "(6,)", &[9.0, 9.0, 4.0, 3.0, 1.0, 0.0])]),
    of(
        &["u32", "f64"],
        "sort x.npy --segments segments.npy",
        &[X, SEGMENTS],
        &[("T", "(6,)", &[4.0, 9.0, 0.0, 1.0, 3.0, 9.0])],
    ),
    all("argsort x.npy", &[X], &[("u32", "(6,)", &[4.0, 2.0, 5.0, 0.0, 1.0, 3.0])]),
    of(
        &["i16"],
        "argsort x.npy --segments segments.npy",
        &[X, SEGMENTS],
        &[("u32", "(6,)", &[0.0, 1.0, 4.0, 2.0, 5.0, 3.0])],
    ),
    all(
        "sort_pairs x.npy values.npy",
        &[X, VALUES],
        &[("T", "(6,)", &[0.0, 1.0, 3.0, 4.0, 9.0, 9.0]), ("u32", "(6,)", &[14.0, 12.0, 15.0, 10.0, 11.0, 13.0])],
    ),
    of(
        &["u32"],
        "sort_pairs x.npy values.npy --segments segments.npy --descending",
        &[X, VALUES, SEGMENTS],
        &[("T", "(6,)", &[9.0, 4.0, 9.0, 3.0, 1.0, 0.0]), ("u32", "(6,)", &[11.0, 10.0, 13.0, 15.0, 12.0, 14.0])],
    ),
    all("sort_by x.npy --comparison 'x > y'", &[X], &[("T", "(6,)", &[9.0, 9.0, 4.0, 3.0, 1.0, 0.0])]),
    of(
        &["u32"],
        "sort_by x.npy --comparison 'odd(x) < odd(y)' --preamble 'fn odd(x: u32) -> u32 { return x % 2u; }'",
        &[X],
        &[("T", "(6,)", &[4.0, 0.0, 9.0, 1.0, 9.0, 3.0])],
    ),
    all("top_k x.npy --k 3", &[X], &[("T", "(3,)", &[9.0, 9.0, 4.0]), ("u32", "(3,)", &[1.0, 3.0, 0.0])]),
    of(
        &["f16"],
        "top_k x.npy --k 1 --rows 2 --largest false",
        &[X],
        &[("T", "(2, 1)", &[1.0, 0.0]), ("u32", "(2, 1)", &[2.0, 1.0])],
    ),
    of(
        &["f32"],
        "top_k nan.npy --k 1 --nan_last",
        &[("nan.npy", "T", "(2,)", &[f64::NAN, 1.0])],
        &[("T", "(1,)", &[1.0]), ("u32", "(1,)", &[1.0])],
    ),
];

pub(crate) const SEARCHED: &[Case] = &[
    all("is_sorted keys.npy", &[KEYS], &[("u32", "()", &[1.0])]),
    of(&["i8"], "is_sorted keys.npy --descending", &[KEYS], &[("u32", "()", &[0.0])]),
    all("searchsorted keys.npy found.npy", &[KEYS, FOUND], &[("u32", "(2, 2)", &[1.0, 3.0, 0.0, 4.0])]),
    of(
        &["u64"],
        "searchsorted keys.npy found.npy --side right",
        &[KEYS, FOUND],
        &[("u32", "(2, 2)", &[3.0, 3.0, 1.0, 4.0])],
    ),
    of(
        &["f32"],
        "searchsorted falling.npy found.npy --descending",
        &[FALLING, FOUND],
        &[("u32", "(2, 2)", &[1.0, 1.0, 3.0, 0.0])],
    ),
    all("merge a.npy b.npy", &[A, B], &[("T", "(5,)", &[0.0, 1.0, 1.0, 4.0, 5.0])]),
    of(
        &["i32"],
        "merge falling.npy falling.npy --descending",
        &[FALLING],
        &[("T", "(8,)", &[5.0, 5.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0])],
    ),
    all(
        "merge_pairs a.npy of_a.npy b.npy of_b.npy",
        &[A, B, ("of_a.npy", "f64", "(2,)", &[10.0, 11.0]), ("of_b.npy", "f64", "(3,)", &[20.0, 21.0, 22.0])],
        &[("T", "(5,)", &[0.0, 1.0, 1.0, 4.0, 5.0]), ("f64", "(5,)", &[20.0, 10.0, 21.0, 11.0, 22.0])],
    ),
];

const RUNS: File = ("runs.npy", "T", "(6,)", &[4.0, 4.0, 1.0, 0.0, 1.0, 1.0]);
const MASK: File = ("mask.npy", "bool", "(6,)", &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
const LENGTHS: File = ("lengths.npy", "u32", "(6,)", &[1.0, 0.0, 2.0, 0.0, 0.0, 1.0]);

pub(crate) const SELECTED: &[Case] = &[
    all("select x.npy mask.npy", &[X, MASK], &[("T", "(3,)", &[4.0, 9.0, 0.0])]),
    all(
        "select_with_indices x.npy mask.npy",
        &[X, MASK],
        &[("T", "(3,)", &[4.0, 9.0, 0.0]), ("u32", "(3,)", &[0.0, 3.0, 4.0])],
    ),
    of(
        &["i32"],
        "select_with_indices x.npy --condition 'x > limit' --preamble 'const limit = 3;'",
        &[X],
        &[("T", "(3,)", &[4.0, 9.0, 9.0]), ("u32", "(3,)", &[0.0, 1.0, 3.0])],
    ),
    all("partition x.npy mask.npy", &[X, MASK], &[("T", "(3,)", &[4.0, 9.0, 0.0]), ("T", "(3,)", &[9.0, 1.0, 3.0])]),
    all("unique runs.npy", &[RUNS], &[("T", "(4,)", &[4.0, 1.0, 0.0, 1.0])]),
    all(
        "unique_with_indices runs.npy",
        &[RUNS],
        &[("T", "(4,)", &[4.0, 1.0, 0.0, 1.0]), ("u32", "(4,)", &[0.0, 2.0, 3.0, 4.0])],
    ),
    all("nonzero runs.npy", &[RUNS], &[("u32", "(5,)", &[0.0, 1.0, 2.0, 4.0, 5.0])]),
    all(
        "run_length_encode runs.npy",
        &[RUNS],
        &[("T", "(4,)", &[4.0, 1.0, 0.0, 1.0]), ("u32", "(4,)", &[2.0, 1.0, 1.0, 2.0])],
    ),
    all("run_length_decode runs.npy lengths.npy", &[RUNS, LENGTHS], &[("T", "(4,)", &[4.0, 1.0, 1.0, 1.0])]),
];

const SIX: File = ("six.npy", "T", "(6,)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
const PARTS: File = ("parts.npy", "u32", "(4,)", &[0.0, 3.0, 3.0, 6.0]);
const BY: File = ("by.npy", "i64", "(6,)", &[7.0, 7.0, 3.0, 3.0, 3.0, -7.0]);
const GAP: File = ("gap.npy", "T", "(3,)", &[1.0, f64::NAN, 3.0]);
const SMALL: File = ("small.npy", "T", "(2, 2)", &[3.0, 4.0, 0.0, 2.0]);

pub(crate) const REDUCED: &[Case] = &[
    all("sum six.npy --segments parts.npy", &[SIX, PARTS], &[("T", "(3,)", &[6.0, 0.0, 15.0])]),
    all("product small.npy --axis 1", &[SMALL], &[("T", "(2,)", &[12.0, 0.0])]),
    all("dot six.npy six.npy --segments parts.npy", &[SIX, PARTS], &[("T", "(3,)", &[14.0, 0.0, 77.0])]),
    all("norm small.npy --axis 1", &[SMALL], &[("T", "(2,)", &[5.0, 2.0])]),
    all("min small.npy --axis 0", &[SMALL], &[("T", "(2,)", &[0.0, 2.0])]),
    all("max small.npy --axis 0", &[SMALL], &[("T", "(2,)", &[3.0, 4.0])]),
    all("argmin small.npy", &[SMALL], &[("u32", "()", &[2.0])]),
    all("argmax six.npy --segments parts.npy", &[SIX, PARTS], &[("u32", "(3,)", &[2.0, 4_294_967_295.0, 2.0])]),
    all("mean six.npy --segments two.npy", &[SIX, ("two.npy", "u32", "(2,)", &[0.0, 3.0])], &[("T", "(1,)", &[2.0])]),
    all("variance small.npy --axis 1 --keepdims", &[SMALL], &[("T", "(2, 1)", &[0.25, 1.0])]),
    all("logsumexp one.npy", &[("one.npy", "T", "(1,)", &[7.0])], &[("T", "()", &[7.0])]),
    all("count small.npy --axis 1", &[SMALL], &[("u32", "(2,)", &[2.0, 1.0])]),
    all("any small.npy --axis 1", &[SMALL], &[("u32", "(2,)", &[1.0, 1.0])]),
    all("all small.npy --axis 1", &[SMALL], &[("u32", "(2,)", &[1.0, 0.0])]),
    all("nan_sum gap.npy", &[GAP], &[("T", "()", &[4.0])]),
    all("nan_min gap.npy", &[GAP], &[("T", "()", &[1.0])]),
    all("nan_max gap.npy", &[GAP], &[("T", "()", &[3.0])]),
    all("nan_mean gap.npy", &[GAP], &[("T", "()", &[2.0])]),
    all("nan_argmin gap.npy", &[GAP], &[("u32", "()", &[0.0])]),
    all("nan_argmax gap.npy", &[GAP], &[("u32", "()", &[2.0])]),
    of(
        &["u32"],
        "reduction six.npy --inputs 'x: u32' --output 'y: u32' --combine 'a | b' --identity 0u --segments parts.npy",
        &[SIX, PARTS],
        &[("T", "(3,)", &[3.0, 0.0, 7.0])],
    ),
    all(
        "reduce_by_key by.npy six.npy",
        &[BY, SIX],
        &[("i64", "(3,)", &[7.0, 3.0, -7.0]), ("T", "(3,)", &[3.0, 12.0, 6.0])],
    ),
    of(
        &["f32", "u32"],
        "reduce_by_key by.npy six.npy --combine 'max(a, b)' --identity 0",
        &[BY, SIX],
        &[("i64", "(3,)", &[7.0, 3.0, -7.0]), ("T", "(3,)", &[2.0, 5.0, 6.0])],
    ),
];

/// The named reductions, each with the type of its results and the results for the runs `1 3` and `2 2 4`.
const OPERATIONS: &[(&str, &str, [f64; 2])] = &[
    ("sum", "f32", [4.0, 8.0]),
    ("product", "f32", [3.0, 16.0]),
    ("norm", "f32", [10.0, 24.0]),
    ("min", "f32", [1.0, 2.0]),
    ("max", "f32", [3.0, 4.0]),
    ("argmin", "u32", [0.0, 0.0]),
    ("argmax", "u32", [1.0, 2.0]),
    ("mean", "f32", [2.0, 8.0 / 3.0]),
    ("variance", "f32", [1.0, 8.0 / 9.0]),
    ("logsumexp", "f32", [3.126_928, 4.239_545]),
    ("count", "u32", [2.0, 3.0]),
    ("any", "u32", [1.0, 1.0]),
    ("all", "u32", [1.0, 1.0]),
    ("nan_sum", "f32", [4.0, 8.0]),
    ("nan_min", "f32", [1.0, 2.0]),
    ("nan_max", "f32", [3.0, 4.0]),
    ("nan_mean", "f32", [2.0, 8.0 / 3.0]),
    ("nan_argmin", "u32", [0.0, 0.0]),
    ("nan_argmax", "u32", [1.0, 2.0]),
];

pub(crate) const SCANNED: &[Case] = &[
    all("cumulative_sum six.npy --exclusive", &[SIX], &[("T", "(6,)", &[0.0, 1.0, 3.0, 6.0, 10.0, 15.0])]),
    all("scan runs.npy --operation max --reverse", &[RUNS], &[("T", "(6,)", &[4.0, 4.0, 1.0, 1.0, 1.0, 1.0])]),
    of(
        &["f32"],
        "scan six.npy --segments parts.npy",
        &[SIX, PARTS],
        &[("T", "(6,)", &[1.0, 3.0, 6.0, 4.0, 9.0, 15.0])],
    ),
];

#[test]
fn sorts_have_the_order_of_their_keys() {
    run("op-sorted", SORTED);
}

#[test]
fn searches_use_sorted_keys() {
    run("op-searched", SEARCHED);
}

#[test]
fn selections_keep_the_order() {
    run("op-selected", SELECTED);
}

#[test]
fn reductions_have_one_result_for_each_part() {
    run("op-reduced", REDUCED);
}

#[test]
fn scans_have_a_result_for_each_element() {
    run("op-scanned", SCANNED);
}

#[test]
fn every_reduction_by_name_takes_keys() {
    let Some(folder) = crate::support::Folder::with_device("op-by-key") else { return };
    folder.write("keys.npy", crate::arrays::array("f32", "(5,)", &[0.5, 0.5, 2.0, 2.0, 2.0]));
    folder.write("x.npy", crate::arrays::array("f32", "(5,)", &[1.0, 3.0, 2.0, 2.0, 4.0]));
    for (name, word, expected) in OPERATIONS {
        crate::op(&folder, &format!("reduce_by_key keys.npy x.npy --operation {name} -o unique.npy y.npy")).ok();
        let (form, data) = crate::arrays::parts(&folder.read("y.npy"));
        assert_eq!(form, format!("{} (2,)", crate::arrays::descr(word)), "{name}");
        if *word == "u32" {
            assert_eq!(data, crate::arrays::bytes(word, expected), "{name}");
            continue;
        }
        for (found, expected) in crate::arrays::floats(&data).into_iter().zip(expected) {
            // The table has the squares of the norms.
            let found = if *name == "norm" { found * found } else { found };
            assert!((f64::from(found) - expected).abs() < 1e-5 * expected.abs(), "{name}: {found}, {expected}");
        }
    }
}
