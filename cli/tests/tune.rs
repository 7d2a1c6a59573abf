//! `anywarp tune`: its report, and the results that it keeps.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::{Folder, Outcome};

const DOUBLE: &str = "
override WG: u32 = 64;   // anywarp:tune 32, 64
override EACH: u32 = 1;  // anywarp:tune 1, 2
override MODE: u32 = 0;  // anywarp:tune 0, 1
// anywarp:where MODE == 0 || EACH == 1
@group(0) @binding(0) var<storage> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<immediate> by: u32;
@compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var k = 0u; k < EACH; k++) {
        let at = id.x * EACH + k;
        if at < arrayLength(&y) { y[at] = x[at] * (by + MODE); }
    }
}
";

const LINE: &str = "double.wgsl --device cpu --threads 1000/EACH --bind x=range:u32:1000 --bind y=zeros:u32:1000 --set by=3 --key 1000";

fn tune(folder: &Folder, line: &str) -> Outcome {
    folder.start("tune", line, "", &[("ANYWARP_CACHE", "kept")])
}

fn json(outcome: Outcome) -> Value {
    let text = outcome.ok();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn candidates_are_listed_and_results_are_kept() {
    let Some(folder) = Folder::with_device("tune") else { return };
    folder.write("double.wgsl", DOUBLE);
    let table = tune(&folder, LINE).ok();
    assert_eq!(table.lines().filter(|line| line.trim_start().starts_with("WG=")).count(), 6, "{table}");
    assert_eq!(table.matches("wrong: y at byte 4: expected 3, got 4").count(), 2, "{table}");
    assert!(table.contains("default") && table.contains("\nbest: --override WG="), "{table}");

    let report = json(tune(&folder, &format!("{LINE} --json --strategy exhaustive --budget 20 --seed 3")));
    assert_eq!(report["candidates"].as_array().unwrap().len(), 6);
    assert_eq!(report["best"]["MODE"], 0.0);
    assert_eq!(report["ended"], "finished");

    let shown = tune(&folder, "show").ok();
    assert!(shown.contains("double.wgsl:main") && shown.contains("1024") && shown.contains("MODE=0"), "{shown}");
    let exported = tune(&folder, "export").ok();
    tune(&folder, "export all.txt").ok();
    assert_eq!(String::from_utf8(folder.read("all.txt")).unwrap().trim_end(), exported.trim_end());
    assert!(tune(&folder, "clear").ok().ends_with("removed\n"));
    assert_eq!(json(tune(&folder, "show --json"))["results"].as_array().unwrap().len(), 0);
    assert_eq!(tune(&folder, "import all.txt").ok(), "6 results imported\n");
    assert_eq!(tune(&folder, "export").ok(), exported);
}

#[test]
fn operators_are_tuned_on_inputs_that_are_made() {
    let Some(folder) = Folder::with_device("tune-op") else { return };
    let table = tune(&folder, "op sort --sizes 3000 --device cpu --budget 0.4 --svg sort.svg").ok();
    assert!(table.contains("sort f32 keys, 4096x32: ") && table.contains("pieces most="), "{table}");
    assert!(table.contains("all candidates give the same bits") && table.contains("default"), "{table}");
    assert!(table.contains("\nbest: ") && table.contains("anywarp bench device --save"), "{table}");
    let plot = String::from_utf8(folder.read("sort.svg")).unwrap();
    assert!(plot.starts_with("<svg ") && plot.contains(">most</text>") && plot.contains("<circle "), "{plot}");

    let report = json(tune(&folder, "op softmax --sizes 40,200 --set axis=1 --device cpu --budget 0.4 --json"));
    let softmax = &report["operators"][0];
    assert_eq!(softmax["operator"], "softmax f32 aligned");
    assert_eq!((&softmax["sizes"], &softmax["exact"]), (&"64x256x1".into(), &false.into()));
    let candidates = softmax["candidates"].as_array().unwrap();
    assert!(candidates.len() > 2 && candidates.iter().any(|one| one["values"] == softmax["best"]), "{report}");
    assert!(candidates.iter().all(|one| one["dropped"].is_null()), "{report}");

    let shown = tune(&folder, "show").ok();
    assert!(shown.contains("sort f32 keys") && shown.contains("softmax f32 aligned"), "{shown}");
    // The second one from files; the operator runs with what is kept.
    folder.write("x.npy", words_of_numpy());
    let report = json(tune(&folder, "op cumulative_sum x.npy --device cpu --budget 0.4 --json"));
    assert_eq!(report["operators"][0]["operator"], "scan i32");
}

/// 600 words in a file of numpy.
fn words_of_numpy() -> Vec<u8> {
    let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (600,), }";
    let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    file.extend(format!("{header:<117}\n").bytes());
    file.extend((0..600_u32).flat_map(u32::to_le_bytes));
    file
}

#[test]
fn mistakes_name_the_argument() {
    let Some(folder) = Folder::with_device("tune-mistakes") else { return };
    folder.write("double.wgsl", DOUBLE);
    folder.write("plain.wgsl", "@compute @workgroup_size(1) fn main() {}");
    folder.write("damaged.txt", "anywarp-tune 1\nnothing");
    for (line, code, said) in [
        ("plain.wgsl --device cpu --threads 1", 2, "anywarp:tune"),
        (&*LINE.replace("EACH", "EACHES"), 2, "--threads: "),
        (&*LINE.replace("1000/EACH", "0"), 2, "--threads 0: expected a number"),
        (&*LINE.replace("--bind y=zeros:u32:1000", ""), 2, "--bind y="),
        (&*format!("{LINE} --ignore z"), 2, "--ignore z"),
        (&*format!("{LINE} --budget soon"), 2, "--budget 2.5"),
        (&*format!("{LINE} --goal speed"), 2, "energy"),
        ("double.wgsl", 2, "--threads"),
        ("op sorted --sizes 4", 2, "anywarp op --list"),
        ("op sort", 2, "--sizes"),
        ("op sort --sizes many", 2, "--sizes 4096"),
        ("op matmul --sizes 4,5", 2, "N or M,K,N"),
        ("op sort --sizes 4 --set axis=1", 2, "--set axis"),
        ("op matmul --sizes 4 --set beta=x", 2, "--set beta=x"),
        ("op softmax --sizes 4 --dtype u8", 2, "--dtype u8"),
        ("op spmv --sizes 4", 2, "files"),
        ("import damaged.txt", 1, "expected 12 fields"),
        ("import missing.txt", 1, "missing.txt"),
    ] {
        let outcome = tune(&folder, line);
        assert_eq!(outcome.code, Some(code), "{line}: {outcome:#?}");
        assert!(outcome.stderr.contains(said), "{line}: {outcome:#?}");
    }
}
