//! The tool where something is wrong: exit codes and what it says.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, SAXPY, bytes_of, npy};

const X: &str = "--bind x=rand:1:f32:64";
const Y: &str = "--bind y=zeros:256";
const PARAMS: &str = "--set params.a=1 --set params.n=64";

/// A folder with everything that the cases below name.
fn folder(test: &str) -> Option<Folder> {
    let folder = Folder::with_device(test)?;
    folder.write("saxpy.wgsl", SAXPY);
    folder.write("broken.wgsl", "@compute @workgroup_size(1)\nfn main() {\n    let a = undefined;\n}\n");
    folder.write("drawing.wgsl", "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }");
    let two = "override N: u32; @compute @workgroup_size(1) fn a() {} @compute @workgroup_size(N) fn b() {}";
    folder.write("two.wgsl", two);
    folder.write("double.npy", npy("<f8", "(64,)", &[0; 512]));
    folder.write("big.npy", npy(">f4", "(64,)", &[0; 256]));
    folder.write("short.npy", npy("<f4", "(64,)", &bytes_of(&[1.0; 63])));
    folder.write("text.npy", "not an array");
    Some(folder)
}

/// Runs each line, with and without `--json`, and looks for the code, the class and the fragments.
fn check(folder: &Folder, code: i32, class: &str, cases: &[(String, &[&str])]) {
    for (line, fragments) in cases {
        let text = folder.run(line);
        assert_eq!(text.code, Some(code), "{line}\n{text:#?}");
        assert!(text.stderr.starts_with("error: "), "{line}\n{}", text.stderr);
        for fragment in *fragments {
            assert!(text.stderr.contains(fragment), "{line}\n'{fragment}' is not in\n{}", text.stderr);
        }

        let json = folder.run(&format!("{line} --json"));
        assert_eq!(json.code, Some(code), "{line} --json\n{json:#?}");
        let error: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|_| panic!("{line}\n{}", json.stderr));
        assert_eq!(error["class"], class, "{line}\n{error}");
        let message = error["error"].as_str().unwrap();
        assert!(fragments.iter().all(|fragment| message.contains(fragment)), "{line}\n{message}");
    }
}

#[test]
fn a_wrong_command_line_is_two() {
    let Some(folder) = folder("usage") else { return };
    let with = |rest: &str| format!("saxpy.wgsl --threads 64 {rest}");
    let full = |rest: &str| format!("saxpy.wgsl --threads 64 {X} {Y} {PARAMS} {rest}");
    check(
        &folder,
        2,
        "usage",
        &[
            (format!("saxpy.wgsl {X} {Y} {PARAMS}"), &["--groups", "--threads"]),
            (full("--groups 1"), &["--groups", "--threads"]),
            (full("--groups 1,2,3,4"), &["at most three"]),
            (full("--frobnicate"), &["--frobnicate"]),
            (full("--repeat 0"), &["--repeat"]),
            (full("--bind z=zeros:4"), &["--bind z", "x (0.0), y (0.1), params (0.2)"]),
            (full("--bind 3.0=zeros:4"), &["--bind 3.0"]),
            (full("--bind 0.1=zeros:4"), &["y (0.1) is bound twice"]),
            (full("--bind x"), &["NAME=VALUE"]),
            (full("--bind x=numbers.csv"), &["FILE.npy", "numbers.csv"]),
            (full("--bind x=zeros:many"), &["BYTES", "many"]),
            (full("--bind x=rand:1:f64:4"), &["DTYPE", "f64"]),
            (full("--bind params=zeros:8"), &["params"]),
            (full("--out z=out.npy"), &["--out z", "x (0.0)"]),
            (full("--out y=out.txt"), &["FILE.npy", "out.txt"]),
            (full("--out y=out.npy --out x=out.npy"), &["out.npy"]),
            (full("--out params=out.npy"), &["params", "--set"]),
            (full("--override N=64"), &["'N'"]),
            (full("--override N=many"), &["many"]),
            (full("--entry main"), &["'main'", "saxpy"]),
            (full("--set params.b=1"), &["params.b", "params.a (f32), params.n (u32)"]),
            (full("--set x=1"), &["x", "--bind"]),
            (with(&format!("{X} {Y} --set params.a=1 --set params.n=-1")), &["params.n", "u32", "-1"]),
            (with(&format!("{X} {Y} --set params.a=1 --set params.n=1.5")), &["params.n", "u32", "1.5"]),
            (with(&format!("{X} {Y} --set params.n=1 --set params.a=1e40")), &["params.a", "f32", "1e40"]),
            (with(&format!("{X} {Y} --set params.n=1 --set params.a=1,2")), &["params.a", "f32", "found 2"]),
            (with(&format!("{X} {Y} --set params.n=1")), &["--set params.a=0"]),
            (format!("saxpy.wgsl --threads 0 {X} {Y} {PARAMS}"), &["0"]),
            ("two.wgsl --groups 1".to_owned(), &["--entry", "a, b"]),
            ("two.wgsl --groups 1 --entry b".to_owned(), &["N"]),
        ],
    );
}

#[test]
fn all_missing_bindings_are_listed_with_types_and_remedies() {
    let Some(folder) = folder("missing") else { return };
    let cases: [(String, &[&str]); 1] = [(
        "saxpy.wgsl --threads 64".to_owned(),
        &[
            "x (0.0), var<storage, read> array<f32>: --bind x=rand:1:f32:64",
            "y (0.1), var<storage, read_write> array<f32>: --bind y=zeros:256",
            "params (0.2), var<uniform> Params: --set params.a=0 --set params.n=0, or --bind params=zeros:8",
        ],
    )];
    check(&folder, 2, "usage", &cases);
    let suggested = "--bind x=rand:1:f32:64 --bind y=zeros:256 --set params.a=0 --set params.n=0";
    folder.run(&format!("saxpy.wgsl --threads 64 {suggested}")).ok();
}

#[test]
fn files_that_cannot_be_used_are_one() {
    let Some(folder) = folder("files") else { return };
    let x = |source: &str| format!("saxpy.wgsl --threads 64 --bind x={source} {Y} {PARAMS}");
    check(
        &folder,
        1,
        "file",
        &[
            ("absent.wgsl --threads 64".to_owned(), &["absent.wgsl"]),
            (x("absent.npy"), &["absent.npy", "'x'"]),
            (x("absent.bin"), &["absent.bin", "'x'"]),
            (x("double.npy"), &["double.npy", "'x'", "f4", "f8", "array<f32>"]),
            (x("big.npy"), &["big.npy", "big-endian"]),
            (x("short.npy"), &["short.npy", "'x'", "truncated", "256", "252"]),
            (x("text.npy"), &["text.npy", "not a NumPy file"]),
            (x("rand:1:f32:1000000000000000000"), &["'x'", "largest buffer"]),
            (x("zeros:18446744073709551615"), &["'x'", "largest buffer"]),
        ],
    );
}

#[test]
fn kernels_and_devices_that_fail_are_one() {
    let Some(folder) = folder("kernels") else { return };
    check(
        &folder,
        1,
        "programmer",
        &[
            ("broken.wgsl --groups 1".to_owned(), &["broken.wgsl", "undefined", "3"]),
            ("drawing.wgsl --groups 1".to_owned(), &["drawing.wgsl", "compute"]),
            (format!("saxpy.wgsl --threads 64 {X} {Y} {PARAMS} --device nowhere:9"), &["nowhere:9"]),
            (format!("saxpy.wgsl --threads 64 {X} {Y} --bind params=zeros:4"), &["params", "4 bytes"]),
        ],
    );
    let stdin = folder.run_with_stdin("- --groups 1", "fn");
    assert_eq!(stdin.code, Some(1));
    assert!(stdin.stderr.contains("stdin.wgsl"), "{}", stdin.stderr);
}

#[test]
fn an_output_that_cannot_be_written_does_not_stop_the_others() {
    let Some(folder) = folder("unwritable") else { return };
    let outputs = "--out y=absent/y.npy --out x=x.npy --out y=elsewhere/y.bin";
    let line = format!("saxpy.wgsl --threads 64 {X} {Y} {PARAMS} {outputs}");
    check(&folder, 1, "file", &[(line, &["absent/y.npy", "elsewhere/y.bin", "'y'"])]);
    assert_eq!(folder.read("x.npy").len(), 128 + 256);
}

#[test]
fn help_and_version_are_no_failures() {
    let Some(folder) = folder("help") else { return };
    let help = folder.run("--help").ok();
    for word in ["SplitMix64", "zeros:BYTES", "Exit codes", "--override", "not reset"] {
        assert!(help.contains(word), "{word}");
    }
}
