//! `anywarp bench`.

use serde_json::Value;

use crate::folder;

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
    let output = bench("mfu --device cpu --quick --n 2^13 --budget 0.2 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rates = report["rates"].as_array().unwrap();
    for precision in ["f32", "f16", "bf16"] {
        let of = |rate: &&Value| rate["precision"] == precision && rate["peak"].as_f64() >= rate["flops"].as_f64();
        assert!(rates.iter().any(|rate| of(&rate) && rate["share"].as_f64() > Some(0.0)), "{report:#}");
    }
    let table = String::from_utf8(bench("mfu --device cpu --n 2^13 --budget 0.1").stdout).unwrap();
    assert!(table.contains("products of matrices of 64 x 64") && table.contains("data sheet"), "{table}");
    let output = bench("device --device cpu --quick --budget 0.5 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let positive = |value: &Value| value.as_f64() > Some(0.0);
    let levels = report["levels"].as_array().unwrap();
    assert!(levels.len() >= 4 && levels.iter().all(|level| positive(&level["bytes_per_second"])), "{report:#}");
    assert!(levels.iter().all(|level| positive(&level["nanoseconds"])), "{report:#}");
    let rates = report["arithmetic"].as_array().unwrap();
    assert!(rates.len() >= 6 && rates.iter().all(|rate| positive(&rate["per_second"])), "{report:#}");
    for figure in ["launch_seconds", "upload_bytes_per_second", "download_bytes_per_second", "copy_bytes_per_second"] {
        assert!(positive(&report[figure]), "{figure}: {report:#}");
    }
    assert_eq!(bench("device --device cpu --n 4096").status.code(), Some(2));

    let output = bench("mfu sum --device cpu");
    assert_eq!(output.status.code(), Some(2), "{output:?}");

    let output = bench("wave --device cpu");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("wave: expected an operator with a bench, found 'wave': choose one of sum,"), "{text}");
}
