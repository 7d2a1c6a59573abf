//! The list of operators includes all parts of the public interface of `anywarp::ops`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cases::{Case, list};
use crate::support::Folder;
use crate::{attention, generated, moves, op, orders, rows, windows};

/// The builders, and the operators that call their methods.
const BUILDERS: &[(&str, &[&str])] = &[
    ("Activate", &["activate", "activate_backward"]),
    ("Attention", &["attention", "attention_backward"]),
    ("BatchNorm", &["batch_norm"]),
    ("Bicgstab", &["bicgstab"]),
    ("Cast", &["cast"]),
    ("Cholesky", &["cholesky"]),
    ("Columns", &["im2col", "col2im"]),
    ("ConjugateGradients", &["cg"]),
    ("Conv", &["conv", "conv_transposed"]),
    ("CrossEntropy", &["cross_entropy"]),
    ("Dct", &["dct", "dst"]),
    ("Eigh", &["eigh"]),
    ("ElementwiseCall", &["elementwise"]),
    ("ElementwiseKernel", &["elementwise"]),
    ("Fft", &["fft"]),
    ("FftConvolve", &["fft_convolve"]),
    ("FillPattern", &["fill_pattern"]),
    ("Frequencies", &["fftfreq"]),
    ("Full", &["full"]),
    ("Gmres", &["gmres"]),
    ("Histogram", &["histogram", "bincount"]),
    ("ImageFilter", &["correlate", "convolve"]),
    ("IntegerMatmul", &["integer_matmul"]),
    ("IsSorted", &["is_sorted"]),
    ("Join", &["concatenate", "stack"]),
    ("Lu", &["lu"]),
    ("Matmul", &["matmul", "wide_matmul"]),
    ("Merge", &["merge", "merge_pairs"]),
    ("Multigrid", &["multigrid"]),
    ("Norm", &["layer_norm", "group_norm"]),
    ("OneHot", &["one_hot"]),
    ("Pool", &["max_pool", "average_pool"]),
    ("Qr", &["qr"]),
    ("Random", &["random_bits", "random_uniform"]),
    ("Rearrange", &["transpose"]),
    ("RealFft", &["rfft"]),
    ("ReductionCall", &["reduction", "sum", "reduce_by_key"]),
    ("ReductionKernel", &["reduction"]),
    ("Resize", &["resize"]),
    ("RotaryEmbedding", &["rotary_embedding"]),
    ("RunLengths", &["run_length_encode", "run_length_decode"]),
    ("SampledProduct", &["sddmm"]),
    ("Scan", &["scan", "cumulative_sum"]),
    ("Scatter", &["scatter", "scatter_add"]),
    ("SearchSorted", &["searchsorted"]),
    ("Select", &["select", "select_with_indices"]),
    ("Sequence", &["arange", "linspace"]),
    ("Softmax", &["softmax"]),
    ("SolveTriangular", &["solve_triangular"]),
    ("Sort", &["sort", "sort_pairs", "argsort"]),
    ("SortBy", &["sort_by"]),
    ("SparseProduct", &["spmv", "spmm"]),
    ("SparseTriangularSolve", &["sptrsv"]),
    ("Split", &["split"]),
    ("Stft", &["stft"]),
    ("Svd", &["svd"]),
    ("Take", &["take", "take_along_axis"]),
    ("TopK", &["top_k"]),
];

/// Public types that are parts of calls, but no operators.
const PARTS: &[&str] = &[
    "ACTIVATION_FUNCTIONS",
    "Activation",
    "ActivationFunction",
    "AnyInput",
    "AnyOutputs",
    "Argument",
    "Border",
    "ByteElement",
    "CastElement",
    "ComplexElement",
    "ConvolveMode",
    "Coordinates",
    "Cost",
    "Decision",
    "DctKind",
    "FactorStatus",
    "FftNorm",
    "FftTables",
    "FloatElement",
    "HistogramElement",
    "HistogramWeight",
    "IdentityValue",
    "IncompleteLu",
    "IndexElement",
    "Inputs",
    "Jacobi",
    "MatmulElement",
    "MatmulInput",
    "MatmulResult",
    "MatmulMethod",
    "OperationError",
    "Ordered",
    "Outputs",
    "Pad",
    "PatternElement",
    "Precision",
    "Preconditioner",
    "RandomBits",
    "RandomFloat",
    "RandomInteger",
    "RandomNumber",
    "RandomReal",
    "Reason",
    "RealElement",
    "SignalElement",
    "Results",
    "Rounding",
    "ScanElement",
    "ScanForm",
    "ScanKey",
    "ScatterElement",
    "SequenceElement",
    "SequenceFloat",
    "Shaped",
    "Side",
    "Solution",
    "SolveError",
    "SortKey",
    "SortWay",
    "SparseElement",
    "SparseFormat",
    "SparseEntries",
    "SparseMatrix",
    "SparseTriangle",
    "Steps",
    "SumElement",
    "WindowShape",
];

/// Methods that every entry of the list calls, or that have no meaning for files.
const GENERAL: &[&str] = &[
    "new",
    "run",
    "record",
    "call",
    "cost",
    // The tool runs one operator, so it needs no stream.
    "on",
    // Calls share tables.
    "tables",
    // The input files are never changed.
    "in_place",
    "run_in_place",
    "pairs_in_place",
    // Results are always written to a file, and files have a size.
    "apply",
    "size",
    // The name is for errors, and the text is generated.
    "name",
    "wgsl",
    // Ways of computing the same result, to compare their times.
    "form",
    "way",
];

/// Functions and methods that the list has by another name: the operator, and its parameter or input. The latter is
/// empty if the operator itself stands for the method.
const RENAMED: &[(&str, &str, &str)] = &[
    ("steps", "copy_part", "parts"),
    ("Attention::value_size", "attention", "v"),
    ("Attention::backward", "attention_backward", ""),
    ("Attention::cost_of_backward", "attention_backward", ""),
    ("Histogram::even", "histogram", "range"),
    ("Histogram::numbers", "bincount", ""),
    ("Histogram::run_weighted", "histogram", "weights"),
    ("ImageFilter::separable", "separable_filter", ""),
    ("ImageFilter::gaussian", "gaussian_filter", ""),
    ("ImageFilter::median", "median_filter", ""),
    ("Merge::pairs", "merge_pairs", ""),
    ("Random::bits", "random_bits", ""),
    ("Random::uniform", "random_uniform", ""),
    ("Random::integers", "random_integers", ""),
    ("Random::normal", "random_normal", ""),
    ("Random::exponential", "random_exponential", ""),
    ("Random::bernoulli", "random_bernoulli", ""),
    ("Random::dropout", "random_dropout", ""),
    ("Random::permutation", "random_permutation", ""),
    ("Random::choice", "random_choice", ""),
    ("conjugate_gradients", "cg", ""),
    ("ConjugateGradients::from_x", "cg", "start"),
    ("ConjugateGradients::run_with", "cg", "preconditioner"),
    ("Bicgstab::from_x", "bicgstab", "start"),
    ("Bicgstab::run_with", "bicgstab", "preconditioner"),
    ("Gmres::from_x", "gmres", "start"),
    ("Gmres::run_with", "gmres", "preconditioner"),
    ("Multigrid::from_x", "multigrid", "start"),
    ("Multigrid::levels", "multigrid", ""),
    // The shapes of the files determine how many matrices and right sides there are.
    ("Cholesky::batches", "cholesky", ""),
    ("Cholesky::solve", "cholesky_solve", ""),
    ("Eigh::batches", "eigh", ""),
    ("Qr::batches", "qr", ""),
    ("Svd::batches", "svd", ""),
    ("Lu::batches", "lu", ""),
    ("Lu::solve", "lu_solve", ""),
    ("SolveTriangular::batches", "solve_triangular", ""),
    ("SolveTriangular::columns", "solve_triangular", ""),
    ("Columns::shape", "im2col", ""),
    ("Columns::sum", "col2im", ""),
    ("RealFft::inverse", "irfft", ""),
    ("FftConvolve::correlate", "fft_correlate", ""),
    ("FftConvolve::shape", "fft_convolve", ""),
    ("Frequencies::half", "rfftfreq", ""),
    ("Stft::inverse", "istft", ""),
    ("Stft::shape", "stft", ""),
    ("Conv::transposed", "conv_transposed", ""),
    ("Conv::shape", "conv", ""),
    ("Conv::backward", "conv_backward", ""),
    ("Conv::backward_weights", "conv_backward_weights", ""),
    ("CrossEntropy::backward", "cross_entropy_backward", ""),
    ("Activate::backward", "activate_backward", ""),
    ("Activate::cost_of_backward", "activate_backward", ""),
    ("BatchNorm::running", "batch_norm_train", "momentum"),
    ("BatchNorm::train", "batch_norm_train", ""),
    ("BatchNorm::cost_of_train", "batch_norm_train", ""),
    ("BatchNorm::backward", "batch_norm_backward", ""),
    ("BatchNorm::cost_of_backward", "batch_norm_backward", ""),
    ("Norm::backward", "layer_norm_backward", ""),
    ("Norm::backward_weights", "layer_norm_backward", ""),
    ("Norm::cost_of_backward", "layer_norm_backward", ""),
    ("Norm::layer", "layer_norm", ""),
    ("Norm::rms", "rms_norm", ""),
    ("Norm::group", "group_norm", ""),
    ("Norm::instance", "instance_norm", ""),
    ("Norm::statistics", "layer_norm_with_statistics", ""),
    // The shapes of the files determine how many matrices there are, and which are shared.
    ("IntegerMatmul::batches", "integer_matmul", ""),
    ("IntegerMatmul::share_a", "integer_matmul", ""),
    ("IntegerMatmul::share_b", "integer_matmul", ""),
    ("IntegerMatmul::zeros", "integer_matmul", "zero_of_a"),
    ("Matmul::batches", "matmul", ""),
    ("Matmul::share_a", "matmul", ""),
    ("Matmul::share_b", "matmul", ""),
    ("Matmul::chosen", "matmul", "method"),
    ("Matmul::wide", "wide_matmul", ""),
    // The arrays of files have no gaps.
    ("Matmul::row_strides", "matmul", ""),
    ("Matmul::batch_strides", "matmul", ""),
    ("Pool::max", "max_pool", ""),
    ("Pool::average", "average_pool", ""),
    ("Pool::norm", "norm_pool", ""),
    ("Pool::adaptive_max", "adaptive_max_pool", ""),
    ("Pool::adaptive_average", "adaptive_average_pool", ""),
    ("Pool::indices", "max_pool_with_indices", ""),
    ("Pool::shape", "max_pool", ""),
    ("Rearrange::part", "copy_part", ""),
    ("Rearrange::shape", "transpose", ""),
    ("ReductionCall::axes", "sum", "axis"),
    ("ReductionCall::run_by_key", "reduce_by_key", ""),
    ("Resize::nearest", "resize", "mode"),
    ("Resize::linear", "resize", "mode"),
    ("Resize::cubic", "resize", "mode"),
    ("RunLengths::encode", "run_length_encode", ""),
    ("RunLengths::decode", "run_length_decode", ""),
    ("Scan::sum", "scan", "operation"),
    ("Scan::product", "scan", "operation"),
    ("Scan::min", "scan", "operation"),
    ("Scan::max", "scan", "operation"),
    ("Scatter::set", "scatter", ""),
    ("Scatter::add", "scatter_add", ""),
    ("Scatter::multiply", "scatter_multiply", ""),
    ("Scatter::min", "scatter_min", ""),
    ("Scatter::max", "scatter_max", ""),
    ("Scatter::cost_of_add", "scatter_add", ""),
    ("Select::changes", "unique", ""),
    ("Select::not_zero", "nonzero", ""),
    ("Select::run_with_indices", "select_with_indices", ""),
    ("Softmax::backward", "softmax_backward", ""),
    ("Softmax::cost_of_backward", "softmax_backward", ""),
    ("Softmax::logarithm", "log_softmax", ""),
    ("Sort::device_segments", "sort", "segments"),
    // The shape of the file of x determines the number of columns.
    ("SparseProduct::width", "spmm", ""),
    ("Sort::pairs", "sort_pairs", ""),
    ("Sort::cost_of_pairs", "sort_pairs", ""),
    ("Sort::cost_of_argsort", "argsort", ""),
    ("Take::along", "take_along_axis", ""),
];

/// Public functions that make arguments, which exist in Rust only.
const NO_OPERATORS: &[&str] = &["decisions", "shaped"];

#[test]
fn the_list_names_every_operator_with_its_parts() {
    let folder = Folder::new("op-list");
    let text = op(&folder, "--list").ok();
    for operator in list(&folder) {
        let name = operator["name"].as_str().unwrap();
        assert!(text.lines().any(|line| line.starts_with(&format!("{name}: "))), "{name}");
        let help = op(&folder, &format!("{name} --help")).ok();
        for parameter in operator["parameters"].as_array().unwrap() {
            assert!(help.contains(&format!("--{}", parameter["name"].as_str().unwrap())), "{name}\n{help}");
        }
    }
}

#[test]
fn every_public_function_and_method_has_an_entry() {
    let list = list(&Folder::new("op-public"));
    let mut missing = Vec::new();
    let (types, functions) = exported();
    for function in functions.iter().chain(&public_functions("reduce")) {
        if !has(&list, function) && !is_renamed(&list, function) && !NO_OPERATORS.contains(&function.as_str()) {
            missing.push(format!("{function}: no entry"));
        }
    }
    for name in types.iter().filter(|name| !PARTS.contains(&name.as_str())) {
        let Some((_, operators)) = BUILDERS.iter().find(|(builder, _)| builder == name) else {
            missing.push(format!("{name}: neither a builder nor a part of calls"));
            continue;
        };
        let methods = methods(name);
        assert!(methods.len() > 1, "{name}: its methods were not found");
        for method in methods {
            let full = format!("{name}::{method}");
            let is_part = operators.iter().any(|operator| has_part(&list, operator, &method));
            if !is_part && !has(&list, &method) && !is_renamed(&list, &full) && !GENERAL.contains(&method.as_str()) {
                missing.push(format!("{full}: no entry, parameter or input"));
            }
        }
    }
    assert!(types.len() > 40 && functions.len() > 35, "{types:?}, {functions:?}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_operator_has_a_case() {
    let tables: [&[Case]; 15] = [
        moves::REARRANGED,
        moves::JOINED,
        moves::TAKEN,
        moves::SCATTERED,
        moves::CONVERTED,
        orders::SORTED,
        orders::SEARCHED,
        orders::SELECTED,
        orders::REDUCED,
        orders::SCANNED,
        generated::SEQUENCES,
        generated::COUNTED,
        rows::NORMALISED,
        attention::ATTENTION,
        windows::WINDOWS,
    ];
    let lines = tables.into_iter().flatten().chain(generated::COMPUTED).map(|case| case.line);
    let names: Vec<&str> = lines.map(|line| line.split(' ').next().unwrap()).collect();
    for operator in list(&Folder::new("op-cases")) {
        let name = operator["name"].as_str().unwrap();
        // Random numbers and files of matrices have tests of their own.
        let is_apart = name.starts_with("random_") || ["sparse_matrix", "spgemm", "sparse_sum"].contains(&name);
        assert!(names.contains(&name) || is_apart, "{name}: no case");
    }
}

fn has(list: &[Value], name: &str) -> bool {
    list.iter().any(|operator| operator["name"] == *name)
}

/// Whether the operator has a parameter or an input of this name.
fn has_part(list: &[Value], name: &str, part: &str) -> bool {
    let operator = list.iter().find(|operator| operator["name"] == *name);
    let operator = operator.unwrap_or_else(|| panic!("{name}: no such operator in the list"));
    let parts = ["parameters", "inputs"].into_iter().flat_map(|parts| operator[parts].as_array().unwrap());
    parts.into_iter().any(|known| known["name"] == *part)
}

fn is_renamed(list: &[Value], name: &str) -> bool {
    let renamed = RENAMED.iter().find(|(rust, ..)| *rust == name);
    renamed
        .is_some_and(|(_, operator, part)| has(list, operator) && (part.is_empty() || has_part(list, operator, part)))
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/ops")
}

/// The types and the functions that `anywarp::ops` exports.
fn exported() -> (Vec<String>, Vec<String>) {
    let source = std::fs::read_to_string(sources().join("mod.rs")).unwrap();
    let mut names = Vec::new();
    for line in source.lines().filter_map(|line| line.strip_prefix("pub use ")) {
        let last = line.rsplit("::").next().unwrap();
        let listed = last.trim_matches(['{', '}', ';']).split(',');
        names.extend(listed.map(|name| name.trim_matches([' ', '}', ';']).to_owned()));
    }
    names.into_iter().partition(|name| name.starts_with(char::is_uppercase))
}

/// All files in a folder of the operators, and in its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The public functions in a folder of the operators.
fn public_functions(folder: &str) -> Vec<String> {
    let texts = files(&sources().join(folder)).into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts.flat_map(|text| text.lines().filter_map(|line| name_of(line, "pub fn ")).collect::<Vec<_>>()).collect()
}

/// The public methods of a type.
fn methods(name: &str) -> Vec<String> {
    let mut methods = Vec::new();
    for path in files(&sources()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut is_inside = false;
        for line in text.lines() {
            if line.starts_with("impl") {
                is_inside = line.split([' ', '<']).any(|word| word == name) && !line.contains(" for ");
            } else if is_inside {
                methods.extend(name_of(line, "    pub fn "));
            }
        }
    }
    methods
}

/// The name in the first line of a function.
fn name_of(line: &str, start: &str) -> Option<String> {
    let rest = line.strip_prefix(start)?;
    Some(rest[..rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))?].to_owned())
}
