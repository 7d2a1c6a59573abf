//! `anywarp op`: operators on files.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, bytes_of, npy};

/// The header's shape and type, and the data, of a written file.
fn parts(file: &[u8]) -> (String, Vec<u8>) {
    let start = 10 + usize::from(file[8]) + 256 * usize::from(file[9]);
    let header = std::str::from_utf8(&file[10..start]).unwrap();
    let part = |key: &str| header.split_once(key).unwrap().1.split_once(['\'', ')']).unwrap().0.to_owned();
    (format!("{} ({})", part("'descr': '"), part("'shape': (")), file[start..].to_vec())
}

fn floats(data: &[u8]) -> Vec<f32> {
    data.chunks_exact(4).map(|chunk| f32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn words(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap())).collect()
}

fn ints(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A folder with arrays for all operators.
fn folder(test: &str) -> Option<Folder> {
    let folder = Folder::with_device(test)?;
    folder.write("x.npy", npy("<f4", "(2, 3)", &bytes_of(&[3.0, -1.0, 2.0, 0.0, 5.0, 5.0])));
    folder.write("u.npy", npy("<u4", "(6,)", &ints(&[4, 4, 1, 0, 1, 1])));
    folder.write("lengths.npy", npy("<u4", "(6,)", &ints(&[1, 0, 2, 0, 0, 1])));
    folder.write("mask.npy", npy("|b1", "(6,)", &[1, 0, 0, 1, 1, 0]));
    folder.write("b.npy", npy("<f4", "(3, 2)", &bytes_of(&[1.0, 0.0, 0.0, 1.0, 1.0, 1.0])));
    folder.write("row.npy", npy("<f4", "(3,)", &bytes_of(&[1.0, 2.0, 3.0])));
    folder.write("double.npy", npy("<f8", "(2,)", &[0; 16]));
    Some(folder)
}

/// Runs an operator on the processor.
fn op(folder: &Folder, line: &str) -> support::Outcome {
    // Words in quotes are one argument.
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_anywarp"));
    let words = line.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    command.current_dir(folder.path()).env("ANYWARP_LOG", "error").env("ANYWARP_DEVICE", "cpu").arg("op").args(words);
    let output = command.output().unwrap();
    support::Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn operators_on_floats_write_their_results() {
    let Some(folder) = folder("op-floats") else { return };
    let table: [(&str, &str, &[f32]); 13] = [
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

/// Functions of the library that have no entry yet.
const WITHOUT_ENTRY: &[&str] = &[
    "arange",
    "broadcast",
    "concatenate",
    "copy_part",
    "gather",
    "is_sorted",
    "linspace",
    "merge",
    "one_hot",
    "permute",
    "scatter",
    "scatter_add",
    "searchsorted",
    "split",
    "stack",
    "steps",
    "take_along_axis",
    "top_k",
    "transpose",
];

#[test]
fn the_list_names_every_operator_with_its_parts() {
    let folder = Folder::new("op-list");
    let list: Value = serde_json::from_str(&op(&folder, "--list --json").ok()).unwrap();
    let operators = list["operators"].as_array().unwrap();
    let text = op(&folder, "--list").ok();
    for operator in operators {
        let name = operator["name"].as_str().unwrap();
        assert!(text.lines().any(|line| line.starts_with(&format!("{name}: "))), "{name}");
        let help = op(&folder, &format!("{name} --help")).ok();
        for parameter in operator["parameters"].as_array().unwrap() {
            assert!(help.contains(&format!("--{}", parameter["name"].as_str().unwrap())), "{name}\n{help}");
        }
    }
    // A public function of the library that has no entry here is missing in the tool.
    let source = include_str!("../../src/ops/mod.rs");
    let uses = source.lines().filter(|line| line.starts_with("pub use") && !line.contains("error"));
    let words = uses.flat_map(|line| line.split(|letter: char| !(letter.is_ascii_lowercase() || letter == '_')));
    let modules = ["pub", "use", "operation", "arguments", "shape", "shaped", "anywarp_backend", "plan", "random"];
    let modules = [&modules[..], &["elementwise", "reduction", "scan", "rgument"]].concat();
    for function in words.filter(|word| word.len() > 4 && !modules.contains(word)) {
        let is_part = uses_of(source, function) && !WITHOUT_ENTRY.contains(&function);
        assert!(!is_part || operators.iter().any(|operator| operator["name"] == *function), "{function} has no entry");
    }
}

/// Whether the word is a whole name in the list of exports.
fn uses_of(source: &str, word: &str) -> bool {
    let listed = [format!(" {word},"), format!(" {word}}}"), format!("{{{word},"), format!("::{word};")];
    source.lines().filter(|line| line.starts_with("pub use")).any(|line| listed.iter().any(|form| line.contains(form)))
}

#[test]
fn refusals_name_what_was_expected() {
    let Some(folder) = folder("op-refused") else { return };
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

#[test]
fn benches_check_and_measure_every_case() {
    let Some(folder) = folder("bench") else { return };
    let bench = |line: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_anywarp"));
        command.current_dir(folder.path()).env("ANYWARP_LOG", "error").arg("bench").args(line.split_whitespace());
        command.output().unwrap()
    };
    let output = bench("--device cpu --quick --n 2^12 --budget 0.2 --json --svg plot.svg");
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.len() >= 9, "{report:#}");
    for row in rows {
        assert!(row["seconds"].as_f64() > Some(0.0) && row["share"].as_f64() > Some(0.0), "{row:#}");
    }
    assert!(rows.iter().any(|row| row["peer"]["name"] == "one thread of Rust"), "{report:#}");
    let plot = String::from_utf8(folder.read("plot.svg")).unwrap();
    assert!(plot.contains("<polyline") && plot.ends_with("</svg>\n"), "{plot}");

    let table = String::from_utf8(bench("sum --device cpu --n 4096 --budget 0.1").stdout).unwrap();
    assert!(table.contains("ceilings of this run") && table.contains("sum"), "{table}");
    let output = bench("wave --device cpu");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("wave: expected an operator with a bench, found 'wave': choose one of sum,"), "{text}");
}
