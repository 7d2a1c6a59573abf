//! `anywarp run --trace`, `--html` and `--advise`.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::Folder;

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { x[id.x] *= 2u; }
";

#[test]
fn a_trace_has_all_runs_on_one_time_axis() {
    let Some(folder) = Folder::with_device("trace") else { return };
    folder.write("double.wgsl", DOUBLE);
    let line = "double.wgsl --device cpu --threads 64Ki --bind x=range:u32:64Ki --repeat 5 --trace out.json --advise";
    let outcome = folder.start("run", line, "", &[]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stderr.contains("double.wgsl:main") && outcome.stderr.contains("no pitfalls"), "{outcome:#?}");
    let trace: Value = serde_json::from_slice(&folder.read("out.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| events.iter().filter(|event| event["cat"] == category && event["ph"] == "X").count();
    assert!(of("kernel") >= 5 && of("submission") >= 1, "{trace}");
    let kernels = events.iter().filter(|event| event["cat"] == "kernel");
    let starts: Vec<f64> = kernels.map(|event| event["ts"].as_f64().unwrap()).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    let arrows = |ph: &str| events.iter().filter(|event| event["ph"] == ph).count();
    assert_eq!(arrows("s"), arrows("f"));
    assert!(arrows("s") > 0);
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let Some(folder) = Folder::with_device("no-trace") else { return };
    folder.write("double.wgsl", DOUBLE);
    let line = "double.wgsl --device cpu --threads 64 --bind x=range:u32:64 --trace missing/out.json";
    let outcome = folder.start("run", line, "", &[]);
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stderr.contains("--trace missing/out.json"), "{outcome:#?}");
}

#[test]
fn a_page_has_the_timeline_and_on_the_counting_device_the_findings() {
    let Some(folder) = Folder::with_device("html") else { return };
    let columns = DOUBLE.replace("x[id.x]", "x[id.x * 16u]");
    folder.write("columns.wgsl", columns);
    for (device, is_counted) in [("cpu", false), ("cpu:observed", true)] {
        let line = format!("columns.wgsl --device {device} --threads 1Ki --bind x=range:u32:16Ki --html page.html");
        folder.start("run", &line, "", &[]).ok();
        let page = String::from_utf8(folder.read("page.html")).unwrap();
        assert!(page.contains("<h1>columns.wgsl:main</h1>\n<p>on "), "{page}");
        assert!(page.contains(">Timeline</h2>") && page.contains("<code>columns.wgsl:main</code>"), "{page}");
        assert_eq!(page.contains("<b>scattered-access</b>"), is_counted, "{device}: {page}");
    }
    let line = "columns.wgsl --device cpu --threads 64 --bind x=range:u32:1Ki --html missing/page.html";
    let outcome = folder.start("run", line, "", &[]);
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    assert!(outcome.stderr.contains("--html missing/page.html"), "{outcome:#?}");
}

#[test]
fn two_traces_are_compared() {
    let Some(folder) = Folder::with_device("compare") else { return };
    folder.write("double.wgsl", DOUBLE);
    for (repeat, file) in [(3, "before.json"), (7, "after.json")] {
        let line =
            format!("double.wgsl --device cpu --threads 64 --bind x=range:u32:64 --repeat {repeat} --trace {file}");
        folder.start("run", &line, "", &[]).ok();
    }
    let table = folder.anywarp("trace compare before.json after.json").ok();
    let row = table.lines().find(|line| line.ends_with("double.wgsl:main")).unwrap_or_else(|| panic!("{table}"));
    assert!(row.contains("    3     7  "), "{table}");
    let json = folder.anywarp("trace compare before.json after.json --json").ok();
    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["kind"] == "kernel").unwrap();
    assert_eq!((&row["label"], &row["count"]["before"]), (&"double.wgsl:main".into(), &3.into()), "{json}");
    let number = |value: &Value| value.as_f64().unwrap();
    let total = |when: &str| number(&row["total_us"][when]);
    assert!((total("after") - total("before") - total("difference")).abs() < 1e-3, "{json}");
    // The sums are those of the events in the file.
    let trace: Value = serde_json::from_slice(&folder.read("after.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let kernels = events.iter().filter(|event| event["cat"] == "kernel");
    let sum: f64 = kernels.map(|event| number(&event["dur"])).sum();
    assert!((sum - total("after")).abs() < 1e-2, "{sum} {json}");
    let parts: f64 = ["busy_us", "compiling_us", "transfer_us", "host_us", "other_us"]
        .iter()
        .map(|part| number(&json[part]["after"]))
        .sum();
    assert!((parts - number(&json["duration_us"]["after"])).abs() < 1e-2, "{json}");
}
