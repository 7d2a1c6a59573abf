//! The kernels: for each its WGSL, its input and its expected result in plain Rust.

mod bodies;
mod grids;
mod images;
mod learning;
mod matrices;
mod order;
mod search;
mod series;

use crate::case::{Case, Scale};

type Make = fn(Scale) -> Case;

/// The matrix product with loops, and the same product unrolled by hand.
pub(crate) const PAIR: [&str; 2] = ["matmul_loops", "matmul_unrolled"];

/// Every kernel by name.
pub(crate) const ALL: [(&str, Make); 39] = [
    (PAIR[0], matrices::matmul_loops),
    (PAIR[1], matrices::matmul_unrolled),
    ("conv3x3", images::conv3x3),
    ("conv7x7", images::conv7x7),
    ("nbody", bodies::nbody),
    ("scan", order::scan),
    ("histogram", order::histogram),
    ("transpose", matrices::transpose),
    ("mandelbrot", images::mandelbrot),
    ("bitonic_sort", order::bitonic_sort),
    ("saxpy", series::saxpy),
    ("dot", series::dot),
    ("gelu", series::gelu),
    ("fft_stage", series::fft_stage),
    ("matvec", matrices::matvec),
    ("int8_dot", matrices::int8_dot),
    ("spmv_csr", matrices::spmv_csr),
    ("lu_step", matrices::lu_step),
    ("softmax", learning::softmax),
    ("layernorm", learning::layernorm),
    ("attention_scores", learning::attention_scores),
    ("kmeans", learning::kmeans),
    ("knn", learning::knn),
    ("sobel", images::sobel),
    ("box_blur", images::box_blur),
    ("bilinear_resize", images::bilinear_resize),
    ("rgb_to_yuv", images::rgb_to_yuv),
    ("ray_sphere", bodies::ray_sphere),
    ("perlin", bodies::perlin),
    ("heat3d", grids::heat3d),
    ("jacobi", grids::jacobi),
    ("game_of_life", grids::game_of_life),
    ("compaction", order::compaction),
    ("digit_counts", order::digit_counts),
    ("reduce_by_key", order::reduce_by_key),
    ("binary_search", search::binary_search),
    ("string_search", search::string_search),
    ("hash_insert", search::hash_insert),
    ("hash_rounds", search::hash_rounds),
];
