//! Calls that are refused, and the errors.

use serde_json::Value;

use crate::arrays::{array, sparse};
use crate::{folder, op};

#[test]
fn refusals_name_what_was_expected() {
    let Some(folder) = folder("op-refused") else { return };
    folder.write("falling.npy", array("u32", "(2,)", &[3.0, 2.0]));
    folder.write("a.mtx", sparse("(2, 2)", &[1.0; 4]));
    folder.write("wide.mtx", sparse("(3, 2)", &[1.0; 6]));
    folder.write("good.mtx", sparse("(2, 2)", &[2.0, 0.0, 0.0, 3.0]));
    folder.write("damaged.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
    folder.write("six.npy", array("f32", "(6,)", &[0.0; 6]));
    folder.write("ones.npy", array("f32", "(2, 2)", &[1.0; 4]));
    let table = [
        ("", 2, "expected NAME or --list, found none: write anywarp op sum x.npy"),
        ("smu x.npy", 2, "smu: expected a command of `anywarp op`, found 'smu': choose one of sum,"),
        ("sum", 2, "expected X.npy, found none: write anywarp op sum x.npy -o y.npy"),
        ("bincount u.npy", 2, "expected --bins N, found none: write anywarp op bincount x.npy --bins 16 -o counts.npy"),
        ("sum none.npy", 1, "none.npy: expected a file, there is none of this name"),
        ("bincount x.npy --bins 4", 1, "x.npy: expected uint32 as 'x' of bincount, found float32"),
        ("dot x.npy double.npy", 1, "double.npy: expected float32 as 'y' of dot, found float64"),
        ("sum x.npy --axis 2", 2, "--axis 2: expected axes below 2, as the shape is (2, 3), found 2"),
        (
            "sum x.npy --axis one",
            2,
            "--axis one: expected whole numbers with commas between, found 'one': write --axis 0,1",
        ),
        ("sum x.npy --exclusive", 2, "--exclusive: expected an option of `anywarp op sum`, found '--exclusive'"),
        ("sum x.npy -o y.txt", 2, "--out y.txt: expected FILE.npy, found 'y.txt'"),
        ("partition u.npy mask.npy -o a.npy a.npy", 2, "--out a.npy: expected a file for each output"),
        ("select u.npy", 2, "expected a file of flags or --condition, found none"),
        ("select u.npy --condition 'x +'", 1, "x +"),
        ("matmul x.npy x.npy", 1, "expected matrices of shapes (m, k) and (k, n), found (2, 3) and (2, 3)"),
        ("histogram x.npy --bins 4", 2, "expected --bins and --range, or --edges alone"),
        ("random_uniform --shape 4 --dtype u32", 2, "--dtype u32: expected one of float32, float64"),
        ("sort x.npy --bits 0..8", 2, "bits"),
        ("sort u.npy --segments falling.npy", 2, "pass offsets in ascending order"),
        ("permute x.npy", 2, "expected --axes N[,N..], found none: write anywarp op permute x.npy --axes 0,1 -o y.npy"),
        ("permute x.npy --axes 0,2", 2, "axis 2 is out of range for"),
        ("roll x.npy --shifts 1", 2, "--shifts 1: expected pairs of whole numbers with : between, found '1': write"),
        ("roll x.npy --shifts -1:1", 2, "--shifts -1:1: expected numbers from 0 on, found '-1:1': write --shifts 0:1"),
        ("copy_part x.npy --parts 1", 2, "--parts 1: expected slices as in Python with commas between, found '1'"),
        ("broadcast x.npy --to 3x2", 1, "'x' of shape [2, 3] cannot be broadcast to the shape [3, 2]"),
        ("pad x.npy --widths 1:1", 2, "use two widths for each of the 2 axes"),
        (
            "pad u.npy --widths 1:1 --value 0.5",
            2,
            "--value 0.5: expected a number of type u32, found '0.5': write --value 1",
        ),
        ("concatenate", 2, "expected PARTS.npy..., found none: write anywarp op concatenate parts.npy -o y.npy"),
        (
            "concatenate x.npy b.npy",
            1,
            "b.npy: expected the shape (2, 3), that of the first part, except for axis 0, found (3, 2)",
        ),
        ("concatenate x.npy u.npy", 1, "u.npy: expected float32 as 'parts' of concatenate, found uint32"),
        ("stack row.npy x.npy", 1, "x.npy: expected the shape (3,) as 'parts', that of the first part, found (2, 3)"),
        ("stack row.npy --axis 2", 2, "--axis 2: expected axes below 2, as the shape is (3, 1), found 2"),
        ("split x.npy --sizes 1,2", 2, "--sizes 1,2: expected sizes whose sum is 2, the size of axis 0, found 3"),
        ("split x.npy --sizes 1,1 -o a.npy", 2, "--out: expected 2 files, one for each output, found 1"),
        ("take x.npy u.npy --axis 2", 2, "--axis 2: expected axes below 2, as the shape is (2, 3), found 2"),
        ("take x.npy row.npy", 1, "row.npy: expected uint32, int32, uint64, int64 as 'indices' of take, found float32"),
        ("gather x.npy u.npy --clip --wrap", 2, "expected one of --fill, --keep, --clip and --wrap, found several"),
        (
            "gather x.npy u.npy --keep row.npy",
            1,
            "row.npy: expected the shape (6,) as 'keep', that of the result, found (3,)",
        ),
        (
            "take_along_axis x.npy u.npy",
            1,
            "u.npy: expected the shape (6, 3) as 'indices', that of x except for the axis",
        ),
        ("scatter row.npy u.npy x.npy", 1, "x"),
        (
            "scatter row.npy u.npy x.npy --axis 0",
            1,
            "row.npy: expected the shape (6, 3) as 'x', that of y with the indices",
        ),
        ("scatter x.npy u.npy x.npy --clip --wrap", 2, "expected one of --clip and --wrap, found both"),
        ("cast x.npy --to bf16", 2, "--to bf16: expected one of f32, f16,"),
        ("arange --shape 4 --start 0.5 --dtype u8", 2, "--start 0.5: expected a number of type u8, found '0.5'"),
        (
            "linspace --shape 4 --start 0 --stop 1 --dtype u8",
            2,
            "--dtype u8: expected one of float32, float16, float64",
        ),
        ("full --shape 4", 2, "expected --value NUMBER, found none"),
        (
            "full --shape 4294967296,4294967296,2 --value 1",
            2,
            "expected a result of fewer than 2^64 elements, found the shape",
        ),
        ("one_hot u.npy --classes 2 --values 1", 2, "--values 1: expected two numbers, found 1: write --values 0,1"),
        ("searchsorted row.npy row.npy --side top", 2, "--side top: expected one of left, right, found 'top'"),
        ("merge row.npy u.npy", 1, "u.npy: expected float32 as 'b' of merge, found uint32"),
        (
            "merge_pairs row.npy row.npy row.npy u.npy",
            1,
            "u.npy: expected the shape (3,) as 'b_values', that of its keys, found (6,)",
        ),
        (
            "merge_pairs u.npy u.npy u.npy six.npy",
            1,
            "six.npy: expected uint32 as 'b_values', as the other files have it, found float32",
        ),
        ("top_k x.npy --k 7", 2, "at most the number of elements of a row, 6"),
        ("top_k x.npy --k 1 --rows 4", 2, "pass a divisor of the number of elements, 6"),
        ("sort_by x.npy --comparison 'x <'", 1, "x <"),
        ("sum x.npy --axis 0 --segments u.npy", 2, "reduce either along axes or in segments"),
        ("reduce_by_key u.npy row.npy", 1, "u.npy: expected the shape (3,) as 'keys', that of x, found (6,)"),
        (
            "reduce_by_key u.npy u.npy --operation norm",
            1,
            "--operation norm: expected float32, float64, float16 as 'x', found uint32",
        ),
        (
            "reduce_by_key u.npy u.npy --combine 'a + b'",
            2,
            "expected --combine and --identity together, found one of the two",
        ),
        ("conv x.npy x.npy", 2, "convolution: weights of shape [2, 3] is not possible"),
        ("conv_backward x.npy x.npy --shape 2x3", 2, "weights of shape [2, 3] is not possible"),
        (
            "conv_backward_weights row.npy row.npy --kernel 2",
            1,
            "x: expected a shape of examples, channels and positions",
        ),
        ("correlate x.npy row.npy", 1, "kernel: expected a shape of rows and columns, found (3,)"),
        ("gaussian_filter x.npy --deviation 1,2,3", 2, "--deviation: expected one or two numbers"),
        ("max_pool x.npy --kernel 2", 2, "pooling: x of shape [2, 3] is not possible"),
        ("col2im x.npy --shape 1x1x3 --kernel 2", 1, "x.npy: expected the shape (1, 2, 2) as 'x', that of the columns"),
        ("histogram x.npy --bins 2 --range 0..1 --channels 0", 2, "use at least one channel"),
        (
            "bincount u.npy --bins 4 --weights row.npy",
            1,
            "row.npy: expected the shape (6,) as 'weights', that of x, found (3,)",
        ),
        ("spmv a.mtx x.npy", 1, "x: expected an array of one axis, found 2"),
        ("spmv a.mtx row.npy", 1, "x: expected 2 elements along the first axis, one for each column of a, found 3"),
        ("spmv damaged.mtx row.npy", 1, "damaged.mtx: line 3: expected a row from 1 to 2, found '3'"),
        (
            "spgemm a.mtx wide.mtx -o c.mtx",
            2,
            "sparse matrix product: a matrix b of 3 rows is not possible; use 2 rows",
        ),
        (
            "sparse_sum a.mtx wide.mtx -o c.mtx",
            2,
            "sparse sum: a matrix b of 3 x 2 is not possible; use the shape of a",
        ),
        ("sddmm a.mtx row.npy row.npy", 1, "x and y: expected arrays of two axes, found others"),
        ("spmv x.npy row.npy", 1, "x.npy: expected a sparse matrix, in a file that ends in .mtx or .npz"),
        ("cg a.mtx half.npy", 1, "conjugate gradients: p . a p is 0e0 in iteration 2, but must be above 0"),
        ("cg good.mtx half.npy --max_iterations 0", 1, "the relative residual is 1.000e0 after 0 iterations, above"),
        ("cg good.mtx half.npy --repeat 2", 2, "--repeat 2: expected 1, as cg runs until it has converged, found 2"),
        ("cg good.mtx half.npy --check_every 0", 2, "conjugate gradients: a check after every 0 iterations"),
        ("gmres good.mtx half.npy --restart 0", 2, "gmres: a restart after every 0 iterations is not possible"),
        ("bicgstab good.mtx half.npy --max_iterations 0", 1, "bicgstab: the relative residual is 1.000e0 after 0"),
        ("bicgstab a.mtx half.npy --preconditioner ilu", 1, "incomplete LU: the pivot of row 1 is 0e0"),
        ("cholesky x.npy", 1, "a: expected a shape whose last two extents are equal, found (2, 3)"),
        ("cholesky ones.npy", 1, "cholesky: matrix 0 has the pivot 0e0 in row 1, but must have pivots above 0"),
        ("lu ones.npy", 1, "lu: matrix 0 has the pivot 0e0 in row 1"),
        (
            "solve_triangular ones.npy row.npy",
            1,
            "b: expected the shape (2,) of the rows of a, or one more axis, found (3,)",
        ),
        ("sum a.mtx", 1, "a.mtx: expected a NumPy file"),
        ("spmv", 2, "expected A.mtx, and X.npy, found none: write anywarp op spmv a.mtx x.npy -o y.npy"),
        ("sparse_matrix a.mtx -o b.npy", 2, "--out b.npy: expected FILE.mtx or FILE.npz, found 'b.npy': write -o"),
    ];
    for (line, code, expected) in table {
        let outcome = op(&folder, line);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:#?}");
        assert!(outcome.stderr.contains(expected), "{line}: {}\nlacks\n{expected}", outcome.stderr);
        let outcome = op(&folder, &format!("--json {line}"));
        let error: Value = serde_json::from_str(&outcome.stderr).unwrap_or_else(|_| panic!("{line}: {outcome:#?}"));
        assert_eq!(error["class"] == "usage", code == 2, "{line}: {error}");
    }
}
