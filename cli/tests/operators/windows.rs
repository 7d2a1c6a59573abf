//! Convolutions, pooling, filters and resizes.

use crate::cases::{Case, File, all, of, run};

const X: File = ("x.npy", "T", "(1, 1, 3)", &[1.0, 2.0, 3.0]);
const WEIGHTS: File = ("weights.npy", "T", "(1, 1, 2)", &[1.0, 10.0]);
const DY: File = ("dy.npy", "T", "(1, 1, 2)", &[1.0, 2.0]);

const ROW: File = ("row.npy", "T", "(1, 1, 5)", &[1.0, 5.0, 2.0, 3.0, 4.0]);
const IMAGE: File = ("image.npy", "T", "(1, 3)", &[1.0, 2.0, 4.0]);
const LINE: File = ("line.npy", "T", "(1, 3)", &[-1.0, 0.0, 1.0]);

pub(crate) const WINDOWS: &[Case] = &[
    all("conv x.npy weights.npy", &[X, WEIGHTS], &[("T", "(1, 1, 2)", &[21.0, 32.0])]),
    all(
        "conv x.npy weights.npy bias.npy --stride 2 --padding 1:0 --dilation 1 --groups 1 --activation relu",
        &[X, WEIGHTS, ("bias.npy", "T", "(1,)", &[-20.0])],
        &[("T", "(1, 1, 2)", &[0.0, 12.0])],
    ),
    all(
        "conv last.npy twos.npy --channels_last",
        &[("last.npy", "T", "(1, 2, 2)", &[1.0, 2.0, 3.0, 4.0]), ("twos.npy", "T", "(1, 1, 2)", &[2.0, -1.0])],
        &[("T", "(1, 2, 1)", &[0.0, 2.0])],
    ),
    of(
        &["f32"],
        "conv square.npy square.npy --winograd",
        &[("square.npy", "T", "(1, 1, 3, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])],
        &[("T", "(1, 1, 1, 1)", &[285.0])],
    ),
    all(
        "conv_transposed x.npy weights.npy --stride 3 --output_padding 1",
        &[X, WEIGHTS],
        &[("T", "(1, 1, 9)", &[1.0, 10.0, 0.0, 2.0, 20.0, 0.0, 3.0, 30.0, 0.0])],
    ),
    all("conv_backward dy.npy weights.npy --shape 1x1x3", &[DY, WEIGHTS], &[("T", "(1, 1, 3)", &[1.0, 12.0, 20.0])]),
    all("conv_backward_weights x.npy dy.npy --kernel 2", &[X, DY], &[("f32", "(1, 1, 2)", &[5.0, 8.0])]),
    all(
        "max_pool row.npy --kernel 2 --stride 2 --padding 0:1 --dilation 1 --ceil",
        &[ROW],
        &[("T", "(1, 1, 3)", &[5.0, 3.0, 4.0])],
    ),
    all(
        "max_pool_with_indices row.npy --kernel 3 --stride 3",
        &[ROW],
        &[("T", "(1, 1, 1)", &[5.0]), ("u32", "(1, 1, 1)", &[1.0])],
    ),
    all(
        "average_pool row.npy --kernel 3 --stride 3 --padding 1:0 --count_padding",
        &[ROW],
        &[("T", "(1, 1, 2)", &[2.0, 3.0])],
    ),
    all("norm_pool row.npy --kernel 2 --power 1", &[ROW], &[("T", "(1, 1, 4)", &[6.0, 7.0, 5.0, 7.0])]),
    all("adaptive_max_pool row.npy --output 1", &[ROW], &[("T", "(1, 1, 1)", &[5.0])]),
    all(
        "adaptive_average_pool last.npy --output 1 --channels_last",
        &[("last.npy", "T", "(1, 2, 2)", &[1.0, 2.0, 3.0, 4.0])],
        &[("T", "(1, 1, 2)", &[2.0, 3.0])],
    ),
    all("correlate image.npy line.npy", &[IMAGE, LINE], &[("T", "(1, 3)", &[1.0, 3.0, 2.0])]),
    all(
        "convolve image.npy line.npy --border constant --value 10",
        &[IMAGE, LINE],
        &[("T", "(1, 3)", &[8.0, -3.0, -8.0])],
    ),
    all(
        "separable_filter image.npy down.npy along.npy --border nearest",
        &[IMAGE, ("down.npy", "T", "(1,)", &[2.0]), ("along.npy", "T", "(2,)", &[1.0, 0.0])],
        &[("T", "(1, 3)", &[2.0, 2.0, 4.0])],
    ),
    all("gaussian_filter image.npy --deviation 0,0", &[IMAGE], &[("T", "(1, 3)", &[1.0, 2.0, 4.0])]),
    all("sobel image.npy", &[IMAGE], &[("T", "(1, 3)", &[4.0, 12.0, 8.0])]),
    all("median_filter image.npy --border wrap", &[IMAGE], &[("T", "(1, 3)", &[2.0; 3])]),
    all(
        "resize image.npy --to 1x6 --mode nearest --coordinates asymmetric --rounding down",
        &[IMAGE],
        &[("T", "(1, 6)", &[1.0, 1.0, 2.0, 2.0, 4.0, 4.0])],
    ),
    all("resize image.npy --to 1x2 --regions 0,1,0.5,1.5 --outside 9", &[IMAGE], &[("T", "(1, 2)", &[2.0, 9.0])]),
    all("im2col x.npy --kernel 2 --padding 1:0 --stride 2", &[X], &[("T", "(1, 2, 2)", &[0.0, 2.0, 1.0, 3.0])]),
    all(
        "col2im last.npy --shape 1x1x3 --kernel 2",
        &[("last.npy", "T", "(1, 2, 2)", &[1.0, 2.0, 3.0, 4.0])],
        &[("T", "(1, 1, 3)", &[1.0, 5.0, 4.0])],
    ),
];

#[test]
fn windows_are_computed() {
    run("op-windows", WINDOWS);
}
