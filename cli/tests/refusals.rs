//! The tool's errors: their full text, and the exit codes.
//!
//! `refusals/*.txt` contain the calls. A case begins with `$ anywarp` and the arguments, followed by everything that
//! the tool printed and its exit code. The line below judges the message: four of its parts, separated by bars, which
//! give the argument, what was expected, what came instead, and what to do. If a test finds another text, it fails and
//! leaves the actual text in the build folder; `ANYWARP_UPDATE=1` writes it to the file, where the judgements are kept.
#![cfg(unix)] // the system's error texts for files differ elsewhere

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{Folder, SAXPY, bytes_of, npy};

/// A kernel file with several entry points, and overrides of each type.
const TWO: &str = "
override TILE: u32 = 4;
override SCALE: f32 = 1.0;
override N: u32;
@id(7) override ON: bool = true;
override DEPTH: i32 = 1;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn a() { out[0] = TILE + u32(SCALE); if ON { out[1] = u32(DEPTH); } }
@compute @workgroup_size(N) fn b() { out[0] = 1; }
";

const PICTURE: &str = "
@group(0) @binding(0) var<storage, read> image: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> points: array<vec3<f32>>;
@compute @workgroup_size(1) fn gray(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.x] = image[id.x].r;
    points[id.x] = image[id.x].rgb;
}
";

const CELLS: &str = "
struct Cell { count: u32, mean: f32 }
@group(0) @binding(0) var<storage, read_write> cells: array<Cell>;
@compute @workgroup_size(1) fn main() { cells[0].count = 1; }
";

/// Creates a folder with all files that the cases use; returns `None` on a machine without a device.
fn folder(test: &str) -> Option<Folder> {
    let folder = Folder::with_device(test)?;
    folder.write("saxpy.wgsl", SAXPY);
    folder.write("two.wgsl", TWO);
    folder.write("picture.wgsl", PICTURE);
    folder.write("cells.wgsl", CELLS);
    folder.write("broken.wgsl", "@compute @workgroup_size(1)\nfn main() {\n    let a = undefined;\n}\n");
    folder.write("drawing.wgsl", "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }");
    folder.write("vertex.wgsl", "@vertex fn vs() -> @builtin(position) vec4<f32> { return vec4<f32>(); }");
    folder.write("large.wgsl", "@compute @workgroup_size(4096) fn large() {}");
    folder.write("imports.wgsl", "import package::nowhere::thing;\n@compute @workgroup_size(1) fn main() { thing(); }");
    folder.write("latin.wgsl", b"// gr\xfcn\n@compute @workgroup_size(1) fn main() {}");
    folder.write("empty.wgsl", "");
    folder.write("empty.npy", "");
    folder.write("empty.bin", "");
    folder.write("empty.png", "");
    folder.write("text.png", "not a picture");
    folder.write("floats.npy", npy("<f4", "(64,)", &bytes_of(&[1.0; 64])));
    folder.write("double.npy", npy("<f8", "(64,)", &[0; 512]));
    folder.write("big.npy", npy(">f4", "(64,)", &[0; 256]));
    folder.write("complex.npy", npy("<c8", "(32,)", &[0; 256]));
    folder.write("fortran.npy", npy("<f4", "(8, 8)", &[0; 256]).map_header("False", "True "));
    folder.write("short.npy", npy("<f4", "(64,)", &bytes_of(&[1.0; 63])));
    folder.write("odd.bin", [0; 7]);
    folder.write("text.npy", "not an array");
    folder.write("archive.npy", "PK\u{3}\u{4}");
    folder.write("foreign.json", "{\"traceEvents\":[]}");
    folder.make("folder");
    folder.make("folder.npy");
    Some(folder)
}

trait MapHeader {
    fn map_header(self, from: &str, to: &str) -> Self;
}

impl MapHeader for Vec<u8> {
    /// Replaces words in the header of the file by other words of equal length.
    fn map_header(mut self, from: &str, to: &str) -> Self {
        let at = self.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
        self[at..at + to.len()].copy_from_slice(to.as_bytes());
        self
    }
}

/// A call, its expected output, and the judgement of the message.
struct Case {
    line: String,
    output: String,
    judged: String,
}

impl Case {
    fn all(text: &str) -> Vec<Self> {
        let cases = text.split("$ anywarp").skip(1);
        let case = |case: &str| {
            let (line, rest) = case.split_once('\n').unwrap_or((case, ""));
            let (output, judged) = rest.rsplit_once("\njudged: ").unwrap_or((rest, ""));
            Self { line: line.trim().to_owned(), output: output.trim().to_owned(), judged: judged.trim().to_owned() }
        };
        cases.map(case).collect()
    }

    fn write(&self, text: &mut String) {
        let _ = writeln!(text, "$ anywarp {}\n{}\njudged: {}\n", self.line, self.output, self.judged);
    }
}

/// Runs all calls of a file, with and without `--json`.
fn check(name: &str) -> usize {
    let Some(folder) = folder(&format!("refusals-{name}")) else { return 0 };
    let processor = processor(&folder);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/refusals/{name}.txt"));
    let written = fs::read_to_string(&file).unwrap();
    let (mut found, mut wrong) = (String::new(), Vec::new());
    let cases = Case::all(&written);
    for case in &cases {
        let line = &case.line;
        let outcome = anywarp(&folder, line);
        let code = outcome.code.expect("it ends by itself");
        let output = format!("{}{}\nexit code {code}", outcome.stdout, outcome.stderr.trim_end());
        let output = of_any_machine(&output, &processor);
        Case { line: line.clone(), output: output.clone(), judged: case.judged.clone() }.write(&mut found);
        if output != case.output {
            wrong.push(format!("{line}\nexpected\n{}\nfound\n{output}", case.output));
        }
        let judged: Vec<&str> = case.judged.split(" | ").collect();
        if judged.len() != 4 || judged.iter().any(|part| part.is_empty() || !output.contains(part)) {
            wrong.push(format!("{line}\n{output}\nlacks a part of the judgement: {}", case.judged));
        }
        if !(1..=2).contains(&code) || outcome.stderr.lines().any(|line| line.trim_start().starts_with("Usage:")) {
            wrong.push(format!("{line}\nends with {code}:\n{}", outcome.stderr));
        }
        if let Some(class) = class_in_json(&folder, line, code) {
            wrong.push(class);
        }
    }
    if std::env::var_os("ANYWARP_UPDATE").is_some() {
        fs::write(&file, found).unwrap();
    }
    assert!(wrong.is_empty(), "{} of {}:\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    cases.len()
}

/// Runs the tool on the CPU device, which every machine has.
fn anywarp(folder: &Folder, line: &str) -> support::Outcome {
    let (verb, arguments) = line.split_once(' ').unwrap_or((line, ""));
    folder.start(verb, arguments, "", &[("ANYWARP_DEVICE", "cpu")])
}

/// Replaces the parts of the text that depend on the machine.
fn of_any_machine(text: &str, processor: &str) -> String {
    let others = ["  vulkan", "  metal", "  dx12", "  cuda"];
    let lines = text.lines().filter(|line| !others.iter().any(|other| line.starts_with(other)));
    let listed = "a part of a device's name; choose one of";
    let lines = lines.map(|line| match line.split_once(listed) {
        Some((before, _)) => format!("{before}{listed} DEVICES"),
        None => line.replace(processor, "PROCESSOR"),
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The error class in the output of the same call with `--json`, if there is one.
fn class_in_json(folder: &Folder, line: &str, code: i32) -> Option<String> {
    // `check` prints the result of a file to stdout.
    if line.starts_with("check") || line.is_empty() || line.contains("--json") {
        return None;
    }
    let outcome = anywarp(folder, &format!("--json {line}"));
    let error: Result<Value, _> = serde_json::from_str(&outcome.stderr);
    let right = outcome.code == Some(code)
        && error.as_ref().is_ok_and(|error| (error["class"] == "usage") == (code == 2) && error["error"].is_string());
    (!right).then(|| format!("--json {line}\n{outcome:#?}"))
}

/// The name of the CPU device, which depends on the machine.
fn processor(folder: &Folder) -> String {
    let report: Value = serde_json::from_str(&folder.anywarp("devices --json").stdout).unwrap();
    let devices = report["devices"].as_array().unwrap();
    let cpu = devices.iter().find(|device| device["selector"] == "cpu:0").expect("the processor");
    cpu["name"].as_str().unwrap().to_owned()
}

#[test]
fn runs_are_refused_for_their_arguments() {
    check("arguments");
}

#[test]
fn runs_are_refused_for_their_files() {
    check("files");
}

#[test]
fn runs_are_refused_for_the_kernel_and_the_device() {
    check("kernels");
}

#[test]
fn other_commands_are_refused() {
    check("commands");
}

#[test]
fn at_least_a_hundred_calls_are_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refusals");
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let lines: Vec<String> = files.flat_map(|text| Case::all(&text)).map(|case| case.line).collect();
    let different: std::collections::BTreeSet<&String> = lines.iter().collect();
    assert_eq!(different.len(), lines.len(), "a call is listed twice");
    assert!(lines.len() >= 100, "{}", lines.len());
}

#[test]
fn all_missing_bindings_are_listed_with_types_and_remedies_that_work() {
    let Some(folder) = folder("missing") else { return };
    let said = folder.run("saxpy.wgsl --threads 64").stderr;
    let remedies = "--bind x=rand:1:f32:64 --bind y=zeros:f32:64 --set params.a=0 --set params.n=0";
    assert!(remedies.split(" --").all(|part| said.contains(part.trim_start_matches("--"))), "{said}");
    folder.run(&format!("saxpy.wgsl --threads 64 {remedies}")).ok();
}

#[test]
fn an_output_that_cannot_be_written_after_all_does_not_stop_the_others() {
    let Some(folder) = folder("unwritable") else { return };
    if !Path::new("/dev/full").exists() {
        return println!("skipped: there is no /dev/full here");
    }
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full.bin")).unwrap();
    let line = "saxpy.wgsl --threads 64 --bind x=ones:f32:64 --bind y=zeros:256 --set params.a=1 --set params.n=64";
    let outcome = folder.run(&format!("{line} --out y=full.bin --out x=x.npy"));
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stderr.contains("--out y=full.bin: expected to write the file after the run, full.bin: No space"));
    assert_eq!(folder.read("x.npy").len(), 128 + 256);
}

#[test]
fn a_refusal_before_the_run_leaves_no_file() {
    let Some(folder) = folder("nothing") else { return };
    let line = "saxpy.wgsl --threads 64 --bind x=ones:f32:64 --bind y=zeros:256 --set params.a=1 --set params.n=64";
    let outcome = folder.run(&format!("{line} --out x=new.npy --out y=absent/y.npy"));
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(!folder.path().join("new.npy").exists(), "the first of the two was written");
}

#[test]
fn a_kernel_from_stdin_is_named() {
    let Some(folder) = folder("stdin") else { return };
    let stdin = folder.run_with_stdin("- --groups 1", "fn");
    assert_eq!(stdin.code, Some(1));
    assert!(stdin.stderr.contains("stdin.wgsl"), "{}", stdin.stderr);
}

#[test]
fn help_and_version_are_no_failures() {
    let Some(folder) = folder("help") else { return };
    let help = folder.run("--help").ok();
    for word in [
        "SplitMix64",
        "zeros:BYTES",
        "ones:DTYPE:COUNT",
        "FILE.png",
        "unpack4x8unorm",
        "64Ki",
        "float32",
        "Exit codes",
        "--override",
        "--print",
        "--shape",
        "not reset",
        "Repeat it for each variable",
        "Repeat it for each part",
        "Repeat it for each file",
    ] {
        assert!(help.contains(word), "{word}");
    }
    assert!(!help.contains("--constant"), "the help shows the alias of --override");
    assert!(folder.anywarp("--version").ok().starts_with("anywarp "));
}
