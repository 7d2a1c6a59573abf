//! Softmax, norms, cross-entropy, and their derivatives.

use crate::cases::{Case, File, all, of, run};

const X: File = ("x.npy", "T", "(2, 2)", &[1.0, 1.0, f64::NEG_INFINITY, 7.0]);
const PAIRS: File = ("pairs.npy", "T", "(2, 2)", &[1.0, 3.0, -4.0, 4.0]);
const EVEN: File = ("even.npy", "T", "(2, 2)", &[2.0, -2.0, 4.0, 4.0]);
const SCALE: File = ("scale.npy", "T", "(2,)", &[2.0, 4.0]);
const BIAS: File = ("bias.npy", "T", "(2,)", &[0.0, 0.5]);
/// Elements of two channels with two elements each.
const CHANNELS: File = ("channels.npy", "T", "(1, 2, 2)", &[1.0, 3.0, 3.0, 1.0]);

pub(crate) const NORMALISED: &[Case] = &[
    all(
        "activate x.npy --function leaky_relu --parameter 0.25",
        &[("x.npy", "T", "(2, 2)", &[-2.0, 0.0, 0.5, 8.0])],
        &[("T", "(2, 2)", &[-0.5, 0.0, 0.5, 8.0])],
    ),
    all(
        "activate x.npy --function hardswish",
        &[("x.npy", "T", "(3,)", &[-4.0, 0.0, 6.0])],
        &[("T", "(3,)", &[0.0, 0.0, 6.0])],
    ),
    all(
        "activate_backward x.npy dy.npy --function relu",
        &[("x.npy", "T", "(3,)", &[-4.0, 0.0, 6.0]), ("dy.npy", "T", "(3,)", &[1.0, 2.0, 3.0])],
        &[("T", "(3,)", &[0.0, 0.0, 3.0])],
    ),
    all("softmax x.npy", &[X], &[("T", "(2, 2)", &[0.5, 0.5, 0.0, 1.0])]),
    of(
        &["f32"],
        "softmax even.npy --axis 0",
        &[("even.npy", "T", "(2, 1)", &[9.0, 9.0])],
        &[("T", "(2, 1)", &[0.5, 0.5])],
    ),
    all(
        "log_softmax x.npy",
        &[("x.npy", "T", "(2, 2)", &[200.0, 0.0, f64::NEG_INFINITY, 7.0])],
        &[("T", "(2, 2)", &[0.0, -200.0, f64::NEG_INFINITY, 0.0])],
    ),
    all(
        "layer_norm pairs.npy scale.npy bias.npy --epsilon 0",
        &[PAIRS, SCALE, BIAS],
        &[("T", "(2, 2)", &[-2.0, 4.5, -2.0, 4.5])],
    ),
    of(&["f16"], "layer_norm pairs.npy --axis 1 --epsilon 0", &[PAIRS], &[("T", "(2, 2)", &[-1.0, 1.0, -1.0, 1.0])]),
    all(
        "layer_norm_with_statistics pairs.npy --epsilon 0",
        &[PAIRS],
        &[("T", "(2, 2)", &[-1.0, 1.0, -1.0, 1.0]), ("f32", "(2,)", &[2.0, 0.0]), ("f32", "(2,)", &[1.0, 0.25])],
    ),
    all("rms_norm even.npy scale.npy --epsilon 0", &[EVEN, SCALE], &[("T", "(2, 2)", &[2.0, -4.0, 2.0, 4.0])]),
    all(
        "group_norm channels.npy scale.npy bias.npy --groups 1 --epsilon 0",
        &[CHANNELS, SCALE, BIAS],
        &[("T", "(1, 2, 2)", &[-2.0, 2.0, 4.5, -3.5])],
    ),
    all(
        "instance_norm channels.npy scale.npy bias.npy --epsilon 0",
        &[CHANNELS, SCALE, BIAS],
        &[("T", "(1, 2, 2)", &[-2.0, 2.0, 4.5, -3.5])],
    ),
    all(
        "batch_norm channels.npy means.npy variances.npy scale.npy bias.npy --epsilon 0",
        &[
            CHANNELS,
            SCALE,
            BIAS,
            ("means.npy", "f32", "(2,)", &[1.0, 2.0]),
            ("variances.npy", "f32", "(2,)", &[4.0, 1.0]),
        ],
        &[("T", "(1, 2, 2)", &[0.0, 2.0, 4.5, -3.5])],
    ),
    all(
        "batch_norm_train pairs.npy means.npy variances.npy --epsilon 0 --momentum 0.5",
        &[
            ("pairs.npy", "T", "(2, 2)", &[1.0, 3.0, 3.0, -5.0]),
            ("means.npy", "f32", "(2,)", &[0.0, 1.0]),
            ("variances.npy", "f32", "(2,)", &[4.0, 0.0]),
        ],
        &[
            ("T", "(2, 2)", &[-1.0, 1.0, 1.0, -1.0]),
            ("f32", "(2,)", &[2.0, -1.0]),
            ("f32", "(2,)", &[1.0, 0.25]),
            ("f32", "(2,)", &[1.0, 0.0]),
            ("f32", "(2,)", &[3.0, 16.0]),
        ],
    ),
    all(
        "batch_norm_backward x.npy dy.npy means.npy inverses.npy scale.npy",
        &[
            ("x.npy", "T", "(2, 1)", &[0.0, 4.0]),
            ("dy.npy", "T", "(2, 1)", &[1.0, 5.0]),
            ("means.npy", "f32", "(1,)", &[2.0]),
            ("inverses.npy", "f32", "(1,)", &[0.5]),
            ("scale.npy", "T", "(1,)", &[3.0]),
        ],
        &[("T", "(2, 1)", &[0.0; 2]), ("f32", "(1,)", &[4.0]), ("f32", "(1,)", &[6.0])],
    ),
    all(
        "softmax_backward y.npy dy.npy",
        &[("y.npy", "T", "(2,)", &[0.5, 0.5]), ("dy.npy", "T", "(2,)", &[1.0, 3.0])],
        &[("T", "(2,)", &[-0.5, 0.5])],
    ),
    all(
        "log_softmax_backward y.npy dy.npy",
        &[("y.npy", "T", "(2,)", &[0.0, f64::NEG_INFINITY]), ("dy.npy", "T", "(2,)", &[1.0, 3.0])],
        &[("T", "(2,)", &[-3.0, 3.0])],
    ),
    all(
        "layer_norm_backward x.npy dy.npy means.npy inverses.npy scale.npy",
        &[
            ("x.npy", "T", "(2, 2)", &[1.0, 3.0, 9.0, 5.0]),
            ("dy.npy", "T", "(2, 2)", &[1.0, 2.0, 3.0, 4.0]),
            ("means.npy", "f32", "(2,)", &[2.0, 7.0]),
            ("inverses.npy", "f32", "(2,)", &[1.0, 0.5]),
            ("scale.npy", "T", "(2,)", &[1.0, 1.0]),
        ],
        &[("T", "(2, 2)", &[0.0; 4]), ("f32", "(2,)", &[2.0, -2.0]), ("f32", "(2,)", &[4.0, 6.0])],
    ),
    all(
        "rms_norm_backward x.npy dy.npy means.npy inverses.npy",
        &[
            ("x.npy", "T", "(1, 2)", &[2.0, 0.0]),
            ("dy.npy", "T", "(1, 2)", &[1.0, 2.0]),
            ("means.npy", "f32", "(1,)", &[0.0]),
            ("inverses.npy", "f32", "(1,)", &[0.5]),
        ],
        &[("T", "(1, 2)", &[0.25, 1.0]), ("f32", "(2,)", &[1.0, 0.0]), ("f32", "(2,)", &[1.0, 2.0])],
    ),
    all(
        "cross_entropy x.npy targets.npy",
        &[("x.npy", "T", "(2, 2)", &[200.0, 0.0, 0.0, 200.0]), ("targets.npy", "i64", "(2,)", &[1.0, 1.0])],
        &[("f32", "()", &[100.0])],
    ),
    all(
        "cross_entropy x.npy targets.npy --weights weights.npy --each --ignore -1 --logarithms --axis 0",
        &[
            ("x.npy", "T", "(2, 3)", &[-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]),
            ("targets.npy", "i32", "(3,)", &[1.0, -1.0, 0.0]),
            ("weights.npy", "f32", "(2,)", &[1.0, 0.5]),
        ],
        &[("f32", "(3,)", &[2.0, 0.0, 3.0])],
    ),
    all(
        "cross_entropy_backward x.npy targets.npy dloss.npy --sum",
        &[
            ("x.npy", "T", "(1, 2)", &[3.0, 3.0]),
            ("targets.npy", "u32", "(1,)", &[1.0]),
            ("dloss.npy", "f32", "()", &[4.0]),
        ],
        &[("T", "(1, 2)", &[2.0, -2.0])],
    ),
];

#[test]
fn rows_are_normalised() {
    run("op-rows", NORMALISED);
}
