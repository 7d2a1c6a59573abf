//! Kernels, and what Chromium says of them: whether `anywarp_wgsl` says the same.
//!
//! `recorded.txt` holds Chromium's verdicts. This test compares ours with them; `tools/browser/verdicts.mjs` compares
//! Chromium's, or records them anew. Kernels go from here to there as JSON, an array of `{name, wgsl}`:
//!
//! | arguments | what is done |
//! |---|---|
//! | none | compares |
//! | `--write FILE` | writes the kernels |
//! | `--judge FILE` | prints our verdict on each kernel of a file, and what does not parse |

mod flow;
mod functions;
mod kernel;
mod operations;
mod variables;

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

use anywarp_backend::Source;
use anywarp_wgsl::filters::{Filters, Severity};
use anywarp_wgsl::module;
use anywarp_wgsl::uniformity::{Language, failures};
use kernel::Kernel;
use serde_json::{Value, json};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--write", file] => write(file).map(|()| ExitCode::SUCCESS),
        ["--judge", file] => judge(file).map(|()| ExitCode::SUCCESS),
        _ => Ok(compare()),
    }
}

fn kernels() -> Vec<Kernel> {
    [flow::kernels(), variables::kernels(), functions::kernels(), operations::kernels()].into_iter().flatten().collect()
}

fn write(file: &str) -> Result<(), Box<dyn Error>> {
    let list: Vec<Value> = kernels().iter().map(|kernel| json!({ "name": kernel.name, "wgsl": kernel.wgsl })).collect();
    Ok(std::fs::write(file, format!("{:#}\n", Value::from(list)))?)
}

fn judge(file: &str) -> Result<(), Box<dyn Error>> {
    let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let text = |kernel: &BTreeMap<String, Value>, key| kernel.get(key).and_then(Value::as_str).map(str::to_owned);
    for kernel in &list {
        let (name, wgsl) = (text(kernel, "name").ok_or("no name")?, text(kernel, "wgsl").ok_or("no wgsl")?);
        let (verdict, message) = verdict(&wgsl);
        let reason = if verdict == "unread" { message.lines().nth(1).unwrap_or_default() } else { "" };
        println!("{name}\t{verdict}\t{reason}");
    }
    Ok(())
}

fn compare() -> ExitCode {
    let lines = include_str!("recorded.txt").lines();
    let recorded: BTreeMap<&str, &str> = lines.filter_map(|line| line.split_once('\t')).collect();
    let kernels = kernels();
    let mut wrong = 0;
    for kernel in &kernels {
        let (ours, message) = verdict(&kernel.wgsl);
        // Only texts that are refused for another reason than uniformity.
        let ours = if ours == "unread" { "error" } else { ours };
        let theirs = recorded.get(kernel.name.as_str()).copied().unwrap_or("not recorded");
        if ours != theirs {
            wrong += 1;
            println!("{}: {ours}, Chromium: {theirs}\n{message}", kernel.name);
        }
    }
    let result = if wrong == 0 { "ok" } else { "FAILED" };
    println!("test result: {result}. {} kernels, {wrong} with another verdict than Chromium's", kernels.len());
    ExitCode::from(u8::from(wrong > 0))
}

/// The most severe thing that is said of a text, and all that is said. Chromium has `subgroup_uniformity`.
fn verdict(wgsl: &str) -> (&'static str, String) {
    let source = Source::new("kernel.wgsl", wgsl);
    let module = match module::parse(&source) {
        Ok(module) => module,
        Err(error) => return ("unread", error.to_string()),
    };
    if Filters::of(wgsl).conflict().is_some() {
        return ("error", "two filters disagree".to_owned());
    }
    let found = failures(&source, &module, Language::SubgroupUniformity);
    let verdict = match found.iter().map(|failure| failure.severity).max() {
        None => "accepted",
        Some(Severity::Info) => "info",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error) => "error",
    };
    (verdict, found.iter().map(|failure| failure.message(&source)).collect())
}
