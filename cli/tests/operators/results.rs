//! The results of the oldest operators, with one element type each.

use serde_json::Value;

use crate::arrays::{floats, parts, sparse, words};
use crate::{folder, op};

#[test]
fn operators_on_floats_write_their_results() {
    let Some(folder) = folder("op-floats") else { return };
    let table: [(&str, &str, &[f32]); 16] = [
        ("sum x.npy --axis 1", "<f4 (2,)", &[4.0, 10.0]),
        ("sum x.npy --axis 0 --keepdims", "<f4 (1, 3)", &[3.0, 4.0, 7.0]),
        ("max x.npy", "<f4 ()", &[5.0]),
        ("dot x.npy x.npy", "<f4 ()", &[64.0]),
        ("cumulative_sum x.npy --axis 1 --exclusive", "<f4 (2, 3)", &[0.0, 3.0, 2.0, 0.0, 0.0, 5.0]),
        ("scan x.npy --operation max --reverse", "<f4 (6,)", &[5.0; 6]),
        ("scan x.npy --keys u.npy", "<f4 (6,)", &[3.0, 2.0, 2.0, 0.0, 5.0, 10.0]),
        ("select x.npy mask.npy", "<f4 (3,)", &[3.0, 0.0, 5.0]),
        ("select x.npy --condition 'x < 3.0'", "<f4 (3,)", &[-1.0, 2.0, 0.0]),
        ("sort x.npy --descending", "<f4 (6,)", &[5.0, 5.0, 3.0, 2.0, 0.0, -1.0]),
        ("matmul x.npy b.npy", "<f4 (2, 2)", &[5.0, 1.0, 5.0, 10.0]),
        ("matmul x.npy x.npy --transpose_b --alpha 2 --method tiles", "<f4 (2, 2)", &[28.0, 10.0, 10.0, 100.0]),
        (
            "matmul x.npy b.npy --bias half.npy --activation relu --residual square.npy",
            "<f4 (2, 2)",
            &[15.0, 0.0, 35.0, 44.0],
        ),
        ("matmul x.npy b.npy --method vector", "<f4 (2, 2)", &[5.0, 1.0, 5.0, 10.0]),
        ("fill_pattern --shape 2x2 --pattern 1,-2.5,3", "<f4 (2, 2)", &[1.0, -2.5, 3.0, 1.0]),
        (
            "elementwise x.npy row.npy -2 --inputs 'x: T, y: T, a: T' --outputs 'z: T' --operation 'z = a * x + y'",
            "<f4 (2, 3)",
            &[-5.0, 4.0, -1.0, 1.0, -8.0, -7.0],
        ),
    ];
    for (line, form, expected) in table {
        op(&folder, &format!("{line} -o out.npy")).ok();
        let (found, data) = parts(&folder.read("out.npy"));
        assert_eq!((found.as_str(), floats(&data).as_slice()), (form, expected), "{line}");
    }
}

#[test]
fn operators_on_integers_write_their_results() {
    let Some(folder) = folder("op-integers") else { return };
    let table: [(&str, &str, &[u32]); 12] = [
        ("argmax x.npy --axis 1", "<u4 (2,)", &[0, 1]),
        ("count x.npy", "<u4 ()", &[5]),
        ("argsort x.npy", "<u4 (6,)", &[1, 3, 2, 0, 4, 5]),
        ("unique u.npy", "<u4 (4,)", &[4, 1, 0, 1]),
        ("nonzero u.npy", "<u4 (5,)", &[0, 1, 2, 4, 5]),
        ("select u.npy mask.npy --indices", "<u4 (3,)", &[0, 3, 4]),
        ("run_length_decode u.npy lengths.npy", "<u4 (4,)", &[4, 1, 1, 1]),
        ("bincount u.npy --bins 5", "<u4 (5,)", &[1, 3, 0, 0, 2]),
        ("histogram x.npy --bins 2 --range -1..5", "<u4 (2,)", &[2, 4]),
        ("histogram x.npy --edges 0,1,3", "<u4 (2,)", &[1, 2]),
        ("random_bits --shape 4 --seed 0", "<u4 (4,)", &[0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ("reduction u.npy --inputs 'x: u32' --output 'y: u32' --combine 'a | b' --identity 0u", "<u4 ()", &[5]),
    ];
    for (line, form, expected) in table {
        op(&folder, &format!("{line} -o out.npy")).ok();
        let (found, data) = parts(&folder.read("out.npy"));
        assert_eq!((found.as_str(), words(&data).as_slice()), (form, expected), "{line}");
    }
}

#[test]
fn operators_with_two_outputs_write_both() {
    let Some(folder) = folder("op-two") else { return };
    let table: [(&str, &[u32], &[u32]); 3] = [
        ("partition u.npy --condition 'x > 1u'", &[4, 4], &[1, 0, 1, 1]),
        ("run_length_encode u.npy", &[4, 1, 0, 1], &[2, 1, 1, 2]),
        ("sort_pairs u.npy lengths.npy", &[0, 1, 1, 1, 4, 4], &[0, 2, 0, 1, 1, 0]),
    ];
    for (line, first, second) in table {
        op(&folder, &format!("{line} -o a.npy b.npy")).ok();
        let read = |name| words(&parts(&folder.read(name)).1);
        assert_eq!((read("a.npy").as_slice(), read("b.npy").as_slice()), (first, second), "{line}");
    }
}

#[test]
fn random_operators_fill_their_shape() {
    let Some(folder) = folder("op-random") else { return };
    let names = ["uniform", "normal", "exponential", "dropout --rate 0.5", "bernoulli --chance 0.5"];
    for name in names.into_iter().chain(["integers --range 3..4 --dtype i32", "choice --n 100"]) {
        op(&folder, &format!("random_{name} --shape 4x5 --seed 3 -o out.npy")).ok();
        let (form, data) = parts(&folder.read("out.npy"));
        assert!(form.ends_with(" (4, 5)") && data.len() == 80 && data.iter().any(|byte| *byte != 0), "{name}");
    }
    for name in ["uniform", "normal", "exponential"] {
        op(&folder, &format!("random_{name} --shape 4x5 --seed 3 --dtype f16 -o out.npy")).ok();
        let (form, data) = parts(&folder.read("out.npy"));
        assert!(form == "<f2 (4, 5)" && data.iter().any(|byte| *byte != 0), "{name}: {form}");
    }
    op(&folder, "random_permutation --n 50 -o out.npy").ok();
    let mut numbers = words(&parts(&folder.read("out.npy")).1);
    assert!(!numbers.is_sorted());
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).collect::<Vec<_>>());
}

#[test]
fn without_files_results_are_printed() {
    let Some(folder) = folder("op-printed") else { return };
    let table = op(&folder, "sum x.npy").ok();
    assert!(table.contains("float32 of shape (): 14"), "{table}");
    let report: Value = serde_json::from_str(&op(&folder, "sort x.npy --json --print 2 --repeat 3").ok()).unwrap();
    assert_eq!(report["operator"], "sort");
    assert_eq!(report["outputs"][0]["preview"], "[-1, 0, …]");
    assert_eq!(report["outputs"][0]["shape"], serde_json::json!([6]));
    assert_eq!((&report["repeat"], &report["cost"]["bytes"]), (&3.into(), &48.into()));
    assert!(report["timings_us"]["run"].as_f64().is_some_and(|time| time > 0.0), "{report:#}");
}

#[test]
fn sparse_matrices_are_converted() {
    let Some(folder) = folder("op-sparse") else { return };
    let symmetric = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 0.1\n3 1 2.0\n3 2 -1e30\n";
    let general = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 0.25\n2 1 -4.0\n";
    let transposed = "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 2 -4.0\n3 1 0.25\n";
    for (text, dtype, option, expected) in [
        (symmetric, "f32", "", symmetric),
        (symmetric, "f64", "--transpose", symmetric),
        (general, "f32", "", general),
        (general, "f64", "--transpose", transposed),
    ] {
        folder.write("a.mtx", text);
        op(&folder, &format!("sparse_matrix a.mtx --dtype {dtype} -o a.npz")).ok();
        op(&folder, &format!("sparse_matrix a.npz --dtype {dtype} {option} -o b.mtx")).ok();
        assert_eq!(String::from_utf8(folder.read("b.mtx")).unwrap(), expected, "{dtype} {option}");
    }
    // An archive and a text are the same operand.
    folder.write("a.mtx", general);
    op(&folder, "sparse_matrix a.mtx -o a.npz").ok();
    for file in ["a.mtx", "a.npz"] {
        op(&folder, &format!("spmv {file} row.npy -o out.npy")).ok();
        assert_eq!(floats(&parts(&folder.read("out.npy")).1), [0.75, -4.0], "{file}");
    }
}

#[test]
fn sparse_matrices_are_multiplied_and_added() {
    let Some(folder) = folder("op-spgemm") else { return };
    folder.write("a.mtx", sparse("(2, 3)", &[1.0, 0.0, 2.0, 0.0, 3.0, 0.0]));
    folder.write("b.mtx", sparse("(3, 2)", &[0.0, 4.0, 5.0, 0.0, 0.0, 0.5]));
    for (line, shape, expected) in [
        ("spgemm a.mtx b.mtx", "(2, 2)", &[0.0, 5.0, 15.0, 0.0][..]),
        ("sparse_sum a.mtx a.mtx --alpha 3 --beta -1", "(2, 3)", &[2.0, 0.0, 4.0, 0.0, 6.0, 0.0]),
        ("sparse_sum b.mtx b.mtx --dtype f32", "(3, 2)", &[0.0, 8.0, 10.0, 0.0, 0.0, 1.0]),
    ] {
        op(&folder, &format!("{line} -o c.mtx")).ok();
        assert_eq!(folder.read("c.mtx"), sparse(shape, expected), "{line}");
    }
}

#[test]
fn a_solver_reports_its_iterations() {
    let Some(folder) = folder("op-solution") else { return };
    folder.write("a.mtx", sparse("(2, 2)", &[2.0, -1.0, -1.0, 2.0]));
    let text = op(&folder, "cg a.mtx half.npy").ok();
    assert!(text.contains("2 iterations, relative residual 0"), "{text}");
    let report: Value = serde_json::from_str(&op(&folder, "--json cg a.mtx half.npy").ok()).unwrap();
    assert_eq!((&report["solution"]["iterations"], &report["clock"]), (&2.into(), &"host".into()), "{report}");
    assert!(report["solution"]["relative_residual"].as_f64().unwrap() < 1e-5, "{report}");
}
