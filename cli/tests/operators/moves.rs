//! Operators that move elements.

use crate::cases::{Case, File, all, of, run};

const X: File = ("x.npy", "T", "(2, 3)", &[1.0, 0.0, 2.0, 0.0, 3.0, 4.0]);
const ROW: File = ("row.npy", "T", "(3,)", &[1.0, 0.0, 2.0]);
/// Indices outside the row: 4, and -1, which counts from the end of the row.
const OUTSIDE: File = ("outside.npy", "i32", "(2,)", &[4.0, -1.0]);
const PLACES: File = ("places.npy", "u32", "(3,)", &[2.0, 0.0, 2.0]);

pub(crate) const REARRANGED: &[Case] = &[
    all("transpose x.npy", &[X], &[("T", "(3, 2)", &[1.0, 0.0, 0.0, 3.0, 2.0, 4.0])]),
    all(
        "permute cube.npy --axes 2,0,1",
        &[("cube.npy", "T", "(1, 2, 3)", X.3)],
        &[("T", "(3, 1, 2)", &[1.0, 0.0, 0.0, 3.0, 2.0, 4.0])],
    ),
    all("flip x.npy", &[X], &[("T", "(2, 3)", &[4.0, 3.0, 0.0, 2.0, 0.0, 1.0])]),
    of(&["u16"], "flip x.npy --axes 1", &[X], &[("T", "(2, 3)", &[2.0, 0.0, 1.0, 4.0, 3.0, 0.0])]),
    all("roll x.npy --shifts 0:1,1:-1", &[X], &[("T", "(2, 3)", &[3.0, 4.0, 0.0, 0.0, 2.0, 1.0])]),
    all("fftshift x.npy", &[X], &[("T", "(2, 3)", &[4.0, 0.0, 3.0, 2.0, 1.0, 0.0])]),
    all("ifftshift x.npy --axes 1", &[X], &[("T", "(2, 3)", &[0.0, 2.0, 1.0, 3.0, 4.0, 0.0])]),
    all(
        "tile x.npy --repeats 2,1",
        &[X],
        &[("T", "(4, 3)", &[1.0, 0.0, 2.0, 0.0, 3.0, 4.0, 1.0, 0.0, 2.0, 0.0, 3.0, 4.0])],
    ),
    all("broadcast row.npy --to 2x3", &[ROW], &[("T", "(2, 3)", &[1.0, 0.0, 2.0, 1.0, 0.0, 2.0])]),
    all("copy_part x.npy --parts :,::-2", &[X], &[("T", "(2, 2)", &[2.0, 1.0, 4.0, 0.0])]),
    of(&["f32"], "copy_part x.npy --parts -1:", &[X], &[("T", "(1, 3)", &[0.0, 3.0, 4.0])]),
    all(
        "pad x.npy --widths 0:1,1:0 --value 7",
        &[X],
        &[("T", "(3, 4)", &[7.0, 1.0, 0.0, 2.0, 7.0, 0.0, 3.0, 4.0, 7.0, 7.0, 7.0, 7.0])],
    ),
    of(&["i16"], "pad row.npy --widths 1:2 --pad edge", &[ROW], &[("T", "(6,)", &[1.0, 1.0, 0.0, 2.0, 2.0, 2.0])]),
    of(&["i16"], "pad row.npy --widths 2:0 --pad reflect", &[ROW], &[("T", "(5,)", &[2.0, 0.0, 1.0, 0.0, 2.0])]),
    of(&["i16"], "pad row.npy --widths 2:0 --pad symmetric", &[ROW], &[("T", "(5,)", &[0.0, 1.0, 1.0, 0.0, 2.0])]),
    of(&["i16"], "pad row.npy --widths 0:2 --pad wrap", &[ROW], &[("T", "(5,)", &[1.0, 0.0, 2.0, 1.0, 0.0])]),
];

pub(crate) const JOINED: &[Case] = &[
    all(
        "concatenate x.npy column.npy --axis 1",
        &[X, ("column.npy", "T", "(2, 1)", &[5.0, 6.0])],
        &[("T", "(2, 4)", &[1.0, 0.0, 2.0, 5.0, 0.0, 3.0, 4.0, 6.0])],
    ),
    of(&["f64"], "concatenate row.npy row.npy", &[ROW], &[("T", "(6,)", &[1.0, 0.0, 2.0, 1.0, 0.0, 2.0])]),
    all(
        "stack row.npy other.npy --axis 1",
        &[ROW, ("other.npy", "T", "(3,)", &[5.0, 6.0, 0.0])],
        &[("T", "(3, 2)", &[1.0, 5.0, 0.0, 6.0, 2.0, 0.0])],
    ),
    all(
        "split x.npy --sizes 2,1 --axis 1",
        &[X],
        &[("T", "(2, 2)", &[1.0, 0.0, 0.0, 3.0]), ("T", "(2, 1)", &[2.0, 4.0])],
    ),
    of(&["u8"], "split row.npy --sizes 0,3", &[ROW], &[("T", "(0,)", &[]), ("T", "(3,)", &[1.0, 0.0, 2.0])]),
];

pub(crate) const TAKEN: &[Case] = &[
    all(
        "gather x.npy square.npy",
        &[X, ("square.npy", "u64", "(2, 2)", &[5.0, 0.0, 2.0, 2.0])],
        &[("T", "(2, 2)", &[4.0, 1.0, 2.0, 2.0])],
    ),
    all("take x.npy places.npy --axis 1", &[X, PLACES], &[("T", "(2, 3)", &[2.0, 1.0, 2.0, 4.0, 0.0, 4.0])]),
    all(
        "take_along_axis x.npy along.npy --axis 1",
        &[X, ("along.npy", "i64", "(2, 1)", &[-1.0, 1.0])],
        &[("T", "(2, 1)", &[2.0, 3.0])],
    ),
    of(&["f16", "u8"], "gather row.npy outside.npy --fill 9", &[ROW, OUTSIDE], &[("T", "(2,)", &[9.0, 2.0])]),
    of(&["u32"], "gather row.npy outside.npy", &[ROW, OUTSIDE], &[("T", "(2,)", &[4_294_967_295.0, 2.0])]),
    of(&["u32"], "gather row.npy outside.npy --clip", &[ROW, OUTSIDE], &[("T", "(2,)", &[2.0, 1.0])]),
    of(&["u32"], "gather row.npy outside.npy --wrap", &[ROW, OUTSIDE], &[("T", "(2,)", &[0.0, 2.0])]),
    of(
        &["u32"],
        "take row.npy outside.npy --keep old.npy --repeat 2",
        &[ROW, OUTSIDE, ("old.npy", "T", "(2,)", &[8.0, 7.0])],
        &[("T", "(2,)", &[8.0, 2.0])],
    ),
];

const NEW: File = ("new.npy", "T", "(3,)", &[3.0, 5.0, 1.0]);
const OLD: File = ("old.npy", "T", "(4,)", &[4.0, 4.0, 4.0, 4.0]);

pub(crate) const SCATTERED: &[Case] = &[
    all("scatter new.npy places.npy old.npy", &[NEW, PLACES, OLD], &[("T", "(4,)", &[5.0, 4.0, 1.0, 4.0])]),
    all(
        "scatter_add new.npy places.npy old.npy --repeat 3",
        &[NEW, PLACES, OLD],
        &[("T", "(4,)", &[9.0, 4.0, 8.0, 4.0])],
    ),
    all("scatter_multiply new.npy places.npy old.npy", &[NEW, PLACES, OLD], &[("T", "(4,)", &[20.0, 4.0, 12.0, 4.0])]),
    all("scatter_min new.npy places.npy old.npy", &[NEW, PLACES, OLD], &[("T", "(4,)", &[4.0, 4.0, 1.0, 4.0])]),
    all("scatter_max new.npy places.npy old.npy", &[NEW, PLACES, OLD], &[("T", "(4,)", &[5.0, 4.0, 4.0, 4.0])]),
    of(
        &["f32", "f16"],
        "scatter_add new.npy places.npy old.npy --ordered",
        &[NEW, PLACES, OLD],
        &[("T", "(4,)", &[9.0, 4.0, 8.0, 4.0])],
    ),
    of(
        &["i32"],
        "scatter rows.npy ends.npy x.npy --axis 1 --along",
        &[X, ("rows.npy", "T", "(2, 1)", &[7.0, 8.0]), ("ends.npy", "i32", "(2, 1)", &[-1.0, 0.0])],
        &[("T", "(2, 3)", &[1.0, 0.0, 7.0, 8.0, 3.0, 4.0])],
    ),
    of(
        &["u8"],
        "scatter columns.npy two.npy x.npy --axis 1 --unique",
        &[X, ("columns.npy", "T", "(2, 2)", &[7.0, 8.0, 9.0, 6.0]), ("two.npy", "u64", "(2,)", &[2.0, 0.0])],
        &[("T", "(2, 3)", &[8.0, 0.0, 7.0, 6.0, 3.0, 9.0])],
    ),
    of(
        &["i32"],
        "scatter pair.npy outside.npy row.npy",
        &[ROW, OUTSIDE, ("pair.npy", "T", "(2,)", &[7.0, 8.0])],
        &[("T", "(3,)", &[1.0, 0.0, 8.0])],
    ),
    of(&["i32"], "scatter pair.npy outside.npy row.npy --clip", &[], &[("T", "(3,)", &[8.0, 0.0, 7.0])]),
    of(&["i32"], "scatter pair.npy outside.npy row.npy --wrap", &[], &[("T", "(3,)", &[1.0, 7.0, 8.0])]),
];

const SMALL: &[File] = &[("x.npy", "T", "(2,)", &[0.0, 77.0])];

pub(crate) const CONVERTED: &[Case] = &[
    all("cast x.npy --to f32", SMALL, &[("f32", "(2,)", &[0.0, 77.0])]),
    all("cast x.npy --to u8", SMALL, &[("u8", "(2,)", &[0.0, 77.0])]),
    of(&["f32", "i64"], "cast x.npy --to f16", SMALL, &[("f16", "(2,)", &[0.0, 77.0])]),
    of(&["f64", "i8"], "cast x.npy --to f64", SMALL, &[("f64", "(2,)", &[0.0, 77.0])]),
    of(&["f16", "u64"], "cast x.npy --to i32", SMALL, &[("i32", "(2,)", &[0.0, 77.0])]),
    of(&["f32", "u8"], "cast x.npy --to u32", SMALL, &[("u32", "(2,)", &[0.0, 77.0])]),
    of(&["f32", "u16"], "cast x.npy --to i64", SMALL, &[("i64", "(2,)", &[0.0, 77.0])]),
    of(&["f32", "i16"], "cast x.npy --to u64", SMALL, &[("u64", "(2,)", &[0.0, 77.0])]),
    of(&["f64", "u32"], "cast x.npy --to i16", SMALL, &[("i16", "(2,)", &[0.0, 77.0])]),
    of(&["f32", "i32"], "cast x.npy --to u16", SMALL, &[("u16", "(2,)", &[0.0, 77.0])]),
    of(&["f32"], "cast y.npy --to i8", &[("y.npy", "T", "(2,)", &[-1.9, 300.0])], &[("i8", "(2,)", &[-1.0, 127.0])]),
];

#[test]
fn rearrangements_keep_every_element() {
    run("op-rearranged", REARRANGED);
}

#[test]
fn joins_and_splits_have_all_parts() {
    run("op-joined", JOINED);
}

#[test]
fn elements_are_taken_by_indices() {
    run("op-taken", TAKEN);
}

#[test]
fn elements_are_scattered_by_indices() {
    run("op-scattered", SCATTERED);
}

#[test]
fn numbers_are_converted() {
    run("op-converted", CONVERTED);
}
