//! Operators that create arrays, count elements, multiply matrices, or evaluate WGSL.

use crate::cases::{Case, File, all, of, run};

const INDICES: File = ("indices.npy", "i64", "(2,)", &[2.0, -3.0]);

pub(crate) const SEQUENCES: &[Case] = &[
    all("arange --shape 2x2 --start 2 --step 3 --dtype T", &[], &[("T", "(2, 2)", &[2.0, 5.0, 8.0, 11.0])]),
    of(&["i8", "f32"], "arange --shape 3 --step -1 --dtype T", &[], &[("T", "(3,)", &[0.0, -1.0, -2.0])]),
    all("linspace --shape 5 --start -1 --stop 1 --dtype T", &[], &[("T", "(5,)", &[-1.0, -0.5, 0.0, 0.5, 1.0])]),
    all("full --shape 2x2 --value 7 --dtype T", &[], &[("T", "(2, 2)", &[7.0; 4])]),
    all("one_hot indices.npy --classes 3 --dtype T", &[INDICES], &[("T", "(2, 3)", &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0])]),
    of(
        &["f16"],
        "one_hot indices.npy --classes 3 --values -2,9 --dtype T",
        &[INDICES],
        &[("T", "(2, 3)", &[-2.0, -2.0, 9.0, 9.0, -2.0, -2.0])],
    ),
    all("fill_pattern --shape 4 --pattern 1,2,3 --offset 1 --dtype T", &[], &[("T", "(4,)", &[2.0, 3.0, 1.0, 2.0])]),
];

const X: File = ("x.npy", "T", "(6,)", &[0.0, 1.0, 3.0, 3.0, 2.0, 9.0]);
const WEIGHTS: File = ("weights.npy", "i32", "(6,)", &[1.0, 2.0, 3.0, 4.0, -5.0, 6.0]);

pub(crate) const COUNTED: &[Case] = &[
    all("histogram x.npy --bins 2 --range 0..4", &[X], &[("u32", "(2,)", &[2.0, 3.0])]),
    all("histogram x.npy --bins 2 --range 0..4 --channels 2", &[X], &[("u32", "(2, 2)", &[1.0, 2.0, 1.0, 1.0])]),
    all("histogram x.npy --edges 0,2,4 --weights weights.npy", &[X, WEIGHTS], &[("i32", "(2,)", &[3.0, 2.0])]),
    of(
        &["u32"],
        "histogram x.npy --edges 0,2,4 --weights shares.npy",
        &[X, ("shares.npy", "f32", "(6,)", &[0.5, 0.25, 1.0, 1.0, 1.0, 1.0])],
        &[("f32", "(2,)", &[0.75, 3.0])],
    ),
    all("bincount x.npy --bins 4", &[X], &[("u32", "(4,)", &[1.0, 1.0, 1.0, 2.0])]),
    all("bincount x.npy --bins 4 --weights weights.npy", &[X, WEIGHTS], &[("i32", "(4,)", &[1.0, 2.0, -5.0, 7.0])]),
    all("bincount x.npy --bins 2 --channels 2", &[X], &[("u32", "(2, 2)", &[1.0, 0.0, 0.0, 1.0])]),
];

const MATRIX: File = ("matrix.npy", "T", "(2, 2)", &[1.0, 2.0, 3.0, 4.0]);

const A: File = ("a.mtx", "T", "(3, 2)", &[0.0, 2.0, 0.0, 0.0, 3.0, 5.0]);

const TRIANGLE: File = ("a.mtx", "T", "(2, 2)", &[2.0, 0.0, 1.0, 4.0]);

pub(crate) const COMPUTED: &[Case] = &[
    all("integer_matmul matrix.npy matrix.npy", &[MATRIX], &[("i32", "(2, 2)", &[7.0, 10.0, 15.0, 22.0])]),
    of(
        &["u8"],
        "integer_matmul a.npy b.npy --zero_of_a 128 --zero_of_b -1 --transpose_b",
        &[("a.npy", "u8", "(2, 1, 2)", &[128.0, 129.0, 0.0, 255.0]), ("b.npy", "i8", "(1, 2)", &[-128.0, 126.0])],
        &[("i32", "(2, 1, 1)", &[127.0, 32385.0])],
    ),
    all("matmul matrix.npy matrix.npy", &[MATRIX], &[("T", "(2, 2)", &[7.0, 10.0, 15.0, 22.0])]),
    all("wide_matmul matrix.npy matrix.npy", &[MATRIX], &[("f32", "(2, 2)", &[7.0, 10.0, 15.0, 22.0])]),
    of(
        &["f32", "f64"],
        "spmv a.mtx x.npy",
        &[A, ("x.npy", "T", "(2,)", &[1.0, 10.0])],
        &[("T", "(3,)", &[20.0, 0.0, 53.0])],
    ),
    of(
        &["f32", "f64"],
        "spmm a.mtx matrix.npy old.npy --alpha 2 --beta -1",
        &[A, MATRIX, ("old.npy", "T", "(3, 2)", &[1.0; 6])],
        &[("T", "(3, 2)", &[11.0, 15.0, -1.0, -1.0, 35.0, 51.0])],
    ),
    of(
        &["f32", "f64"],
        "sddmm a.mtx x.npy matrix.npy --alpha 2 --beta -1",
        &[A, MATRIX, ("x.npy", "T", "(3, 2)", &[1.0, -1.0, 7.0, 7.0, 2.0, 0.5])],
        &[("T", "(3,)", &[-4.0, 3.0, 11.0])],
    ),
    // One iteration solves equations whose matrix is a multiple of the identity, exactly.
    of(
        &["f32", "f64"],
        "cg a.mtx b.npy --jacobi --tolerance 0 --max_iterations 3 --check_every 1",
        &[("a.mtx", "T", "(2, 2)", &[4.0, 0.0, 0.0, 4.0]), ("b.npy", "T", "(2,)", &[2.0, -6.0])],
        &[("T", "(2,)", &[0.5, -1.5])],
    ),
    of(
        &["f32", "f64"],
        "cg a.mtx b.npy start.npy",
        &[
            ("a.mtx", "T", "(2, 2)", &[2.0, -1.0, -1.0, 2.0]),
            ("b.npy", "T", "(2,)", &[0.0, 3.0]),
            ("start.npy", "T", "(2,)", &[1.0, 2.0]),
        ],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    // The factors of a triangle are exact, so that one step is enough.
    of(
        &["f32"],
        "cg a.mtx b.npy --preconditioner ilu",
        &[("a.mtx", "T", "(2, 2)", &[4.0, 0.0, 0.0, 2.0]), ("b.npy", "T", "(2,)", &[2.0, -8.0])],
        &[("T", "(2,)", &[0.5, -4.0])],
    ),
    of(
        &["f64"],
        "bicgstab a.mtx b.npy --preconditioner ilu --tolerance 0.001 --max_iterations 9",
        &[TRIANGLE, ("b.npy", "T", "(2,)", &[2.0, 8.0])],
        &[("T", "(2,)", &[1.0, 1.75])],
    ),
    of(
        &["f32"],
        "bicgstab a.mtx b.npy start.npy --check_every 3",
        &[TRIANGLE, ("b.npy", "T", "(2,)", &[2.0, 9.0]), ("start.npy", "T", "(2,)", &[1.0, 2.0])],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    of(
        &["f64"],
        "gmres a.mtx b.npy start.npy --restart 5 --preconditioner jacobi",
        &[TRIANGLE, ("b.npy", "T", "(2,)", &[2.0, 9.0]), ("start.npy", "T", "(2,)", &[1.0, 2.0])],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    of(&["f32"], "sptrsv a.mtx b.npy", &[TRIANGLE, ("b.npy", "T", "(2,)", &[2.0, 9.0])], &[("T", "(2,)", &[1.0, 2.0])]),
    of(
        &["f64"],
        "sptrsv a.mtx b.npy --upper --unit",
        &[("a.mtx", "T", "(2, 2)", &[2.0, 5.0, 1.0, 4.0]), ("b.npy", "T", "(2,)", &[11.0, 2.0])],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    of(&["f32"], "multigrid b.npy --cycles 2", &[("b.npy", "T", "(1,)", &[3.0])], &[("T", "(1,)", &[1.5])]),
    of(
        &["f64"],
        "multigrid b.npy start.npy --sweeps 2 --cycles 1",
        &[("b.npy", "T", "(1, 3)", &[5.0, 0.0, 9.0]), ("start.npy", "T", "(1, 3)", &[1.5, 1.0, 2.5])],
        &[("T", "(1, 3)", &[1.5, 1.0, 2.5])],
    ),
    of(
        &["f32"],
        "cholesky a.npy",
        &[("a.npy", "T", "(2, 2, 2)", &[4.0, 2.0, 2.0, 10.0, 9.0, 0.0, 0.0, 1.0])],
        &[("T", "(2, 2, 2)", &[2.0, 0.0, 1.0, 3.0, 3.0, 0.0, 0.0, 1.0])],
    ),
    of(
        &["f64"],
        "cholesky_solve l.npy b.npy",
        &[("l.npy", "T", "(2, 2)", &[2.0, 0.0, 1.0, 3.0]), ("b.npy", "T", "(2,)", &[8.0, 22.0])],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    of(
        &["f64"],
        "lu a.npy",
        &[("a.npy", "T", "(2, 2)", &[1.0, 4.0, 2.0, 6.0])],
        &[("T", "(2, 2)", &[2.0, 6.0, 0.5, 1.0]), ("u32", "(2,)", &[1.0, 1.0])],
    ),
    of(
        &["f32"],
        "lu_solve lu.npy exchanges.npy b.npy",
        &[
            ("lu.npy", "T", "(2, 2)", &[2.0, 6.0, 0.5, 1.0]),
            ("exchanges.npy", "u32", "(2,)", &[1.0, 1.0]),
            ("b.npy", "T", "(2, 1)", &[9.0, 14.0]),
        ],
        &[("T", "(2, 1)", &[1.0, 2.0])],
    ),
    // A reflection turns the sign of the first row.
    of(
        &["f32"],
        "qr a.npy",
        &[("a.npy", "T", "(2, 1)", &[4.0, 0.0])],
        &[("T", "(2, 1)", &[-1.0, 0.0]), ("T", "(1, 1)", &[-4.0])],
    ),
    of(
        &["f64"],
        "eigh a.npy",
        &[("a.npy", "T", "(2, 2)", &[5.0, 0.0, 0.0, -1.0])],
        &[("T", "(2,)", &[-1.0, 5.0]), ("T", "(2, 2)", &[0.0, 1.0, 1.0, 0.0])],
    ),
    of(
        &["f32"],
        "svd a.npy",
        &[("a.npy", "T", "(3, 2)", &[0.0, 2.0, -4.0, 0.0, 0.0, 0.0])],
        &[
            ("T", "(3, 2)", &[0.0, 1.0, -1.0, 0.0, 0.0, 0.0]),
            ("T", "(2,)", &[4.0, 2.0]),
            ("T", "(2, 2)", &[1.0, 0.0, 0.0, 1.0]),
        ],
    ),
    of(
        &["f64"],
        "solve_triangular a.npy b.npy",
        &[("a.npy", "T", "(2, 2)", &[2.0, 7.0, 3.0, 4.0]), ("b.npy", "T", "(2,)", &[2.0, 11.0])],
        &[("T", "(2,)", &[1.0, 2.0])],
    ),
    of(
        &["f32"],
        "solve_triangular a.npy b.npy --upper --unit --transposed",
        &[("a.npy", "T", "(2, 2)", &[2.0, 7.0, 3.0, 4.0]), ("b.npy", "T", "(2, 2)", &[2.0, 1.0, 11.0, 9.0])],
        &[("T", "(2, 2)", &[2.0, 1.0, -3.0, 2.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "fft x.npy --norm forward --inverse",
        &[("x.npy", "T", "(2, 2)", &[1.0, 0.0, 3.0, 5.0])],
        &[("T", "(2, 2)", &[4.0, 5.0, -2.0, -5.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "fft x.npy --axes 0",
        &[("x.npy", "T", "(2, 2, 2)", &[1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 4.0])],
        &[("T", "(2, 2, 2)", &[4.0, 0.0, 2.0, 4.0, -2.0, 0.0, 2.0, -4.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "ifft x.npy",
        &[("x.npy", "T", "(2, 2)", &[4.0, 5.0, -2.0, -5.0])],
        &[("T", "(2, 2)", &[1.0, 0.0, 3.0, 5.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "rfft x.npy --axes 1",
        &[("x.npy", "T", "(1, 4)", &[1.0, 2.0, 3.0, 4.0])],
        &[("T", "(1, 3, 2)", &[10.0, 0.0, -2.0, 2.0, -2.0, 0.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "irfft x.npy",
        &[("x.npy", "T", "(3, 2)", &[10.0, 0.0, -2.0, 2.0, -2.0, 0.0])],
        &[("T", "(4,)", &[1.0, 2.0, 3.0, 4.0])],
    ),
    of(
        &["f16", "f32", "f64"],
        "irfft x.npy --length 1",
        &[("x.npy", "T", "(1, 2)", &[7.0, 0.0])],
        &[("T", "(1,)", &[7.0])],
    ),
    of(
        &["f32", "f64"],
        "dct x.npy --type 1",
        &[("x.npy", "T", "(3,)", &[1.0, 2.0, 3.0])],
        &[("T", "(3,)", &[8.0, -2.0, 0.0])],
    ),
    of(
        &["f32", "f64"],
        "idct x.npy --type 1 --axes 0",
        &[("x.npy", "T", "(3,)", &[8.0, -2.0, 0.0])],
        &[("T", "(3,)", &[1.0, 2.0, 3.0])],
    ),
    of(&["f32", "f64"], "dst x.npy --type 1", &[("x.npy", "T", "(1,)", &[3.0])], &[("T", "(1,)", &[6.0])]),
    of(&["f32", "f64"], "idst x.npy --type 1", &[("x.npy", "T", "(1,)", &[6.0])], &[("T", "(1,)", &[3.0])]),
    of(
        &["f32", "f64"],
        "fft_convolve x.npy w.npy",
        &[("x.npy", "T", "(3,)", &[1.0, 2.0, 3.0]), ("w.npy", "T", "(2,)", &[1.0, 0.0])],
        &[("T", "(4,)", &[1.0, 2.0, 3.0, 0.0])],
    ),
    of(
        &["f32", "f64"],
        "fft_correlate x.npy w.npy --mode valid --axes 1",
        &[("x.npy", "T", "(1, 4)", &[1.0, 2.0, 3.0, 4.0]), ("w.npy", "T", "(1, 2)", &[1.0, 2.0])],
        &[("T", "(1, 3)", &[5.0, 8.0, 11.0])],
    ),
    of(
        &["f32", "f64"],
        "stft x.npy --hop 2 --window window.npy",
        &[("x.npy", "T", "(4,)", &[1.0, 2.0, 3.0, 4.0]), ("window.npy", "f64", "(2,)", &[1.0, 2.0])],
        &[("T", "(2, 2, 2)", &[5.0, 0.0, -3.0, 0.0, 11.0, 0.0, -5.0, 0.0])],
    ),
    of(
        &["f32", "f64"],
        "istft x.npy --hop 2 --window window.npy --length 4",
        &[
            ("x.npy", "T", "(2, 2, 2)", &[5.0, 0.0, -3.0, 0.0, 11.0, 0.0, -5.0, 0.0]),
            ("window.npy", "f64", "(2,)", &[1.0, 2.0]),
        ],
        &[("T", "(4,)", &[1.0, 2.0, 3.0, 4.0])],
    ),
    of(
        &["f32"],
        "stft x.npy --hop 2 --shape hann --window_length 2 --centred --transform_length 2",
        &[("x.npy", "T", "(2,)", &[1.0, 2.0])],
        &[("T", "(2, 2, 2)", &[1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])],
    ),
    of(
        &["f32"],
        "stft x.npy --hop 2 --window_length 2 --centred --trimmed",
        &[("x.npy", "T", "(2,)", &[1.0, 2.0])],
        &[("T", "(1, 2, 2)", &[1.0, 0.0, 1.0, 0.0])],
    ),
    of(
        &["f32", "f64"],
        "stft x.npy --hop 2 --window window.npy --complex",
        &[("x.npy", "T", "(2, 2)", &[1.0, 2.0, 3.0, 4.0]), ("window.npy", "f64", "(2,)", &[1.0, 2.0])],
        &[("T", "(1, 2, 2)", &[7.0, 10.0, -5.0, -6.0])],
    ),
    of(
        &["f32", "f64"],
        "istft x.npy --hop 2 --window window.npy --complex --length 2",
        &[("x.npy", "T", "(1, 2, 2)", &[7.0, 10.0, -5.0, -6.0]), ("window.npy", "f64", "(2,)", &[1.0, 2.0])],
        &[("T", "(2, 2)", &[1.0, 2.0, 3.0, 4.0])],
    ),
    of(&["f32", "f64"], "fftfreq --length 4 --spacing 0.5 --dtype T", &[], &[("T", "(4,)", &[0.0, 0.5, -1.0, -0.5])]),
    of(&["f32", "f64"], "rfftfreq --length 4 --dtype T", &[], &[("T", "(3,)", &[0.0, 0.25, 0.5])]),
    all(
        "elementwise matrix.npy 3 --inputs 'x: T, a: T' --outputs 'z: T' --operation 'z = a * x'",
        &[MATRIX],
        &[("T", "(2, 2)", &[3.0, 6.0, 9.0, 12.0])],
    ),
];

#[test]
fn sequences_have_their_shape() {
    run("op-sequences", SEQUENCES);
}

#[test]
fn histograms_count_or_sum_weights() {
    run("op-counted", COUNTED);
}

#[test]
fn products_and_texts_take_every_type() {
    run("op-computed", COMPUTED);
}
