//! Verdicts of `anywarp_wgsl` on kernels, compared with those of Chromium.
//!
//! `recorded.txt` holds Chromium's verdicts, and `different.txt` the names of kernels with a known difference; most of
//! these differences are due to naga. This test compares the verdicts of `anywarp_wgsl` with the recorded ones.
//! `tools/browser/verdicts.mjs` compares them with the verdicts of an installed Chromium, or records those again. The
//! files of kernels are JSON arrays of `{name, wgsl, verdict}`:
//!
//! | arguments | action |
//! |---|---|
//! | none | compares |
//! | `--write FILE` | writes the kernels with the recorded verdicts |
//! | `--random COUNT SEED FILE` | writes kernels of random statements with the verdicts of `anywarp_wgsl` |
//! | `--judge FILE` | prints the verdict on the uniformity of each kernel of a file, or the parser's error |
//! | `--differ FILE` | prints the kernels of a file whose verdict differs from that of `anywarp_wgsl` |
//! | `--time FILE` | prints the time to parse and to analyse the kernels of a file |

mod alias;
mod constants;
mod flow;
mod functions;
mod kernel;
mod operations;
mod random;
mod rules;
mod variables;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anywarp_backend::Source;
use anywarp_wgsl::filters::{Filters, Severity};
use anywarp_wgsl::uniformity::{Language, failures};
use anywarp_wgsl::{module, rules as wgsl_rules};
use kernel::Kernel;
use serde_json::{Value, json};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--write", file] => {
            let recorded = recorded();
            let verdict = |kernel: &Kernel| recorded.get(&kernel.name).cloned().unwrap_or_default();
            write(file, &kernels(), verdict).map(|()| ExitCode::SUCCESS)
        }
        ["--random", count, seed, file] => {
            let kernels = random::kernels(count.parse()?, seed.parse()?);
            write(file, &kernels, |kernel| verdict(&kernel.wgsl).0.to_owned()).map(|()| ExitCode::SUCCESS)
        }
        ["--judge", file] => judge(file).map(|()| ExitCode::SUCCESS),
        ["--differ", file] => differ(file).map(|()| ExitCode::SUCCESS),
        ["--time", file] => time(file).map(|()| ExitCode::SUCCESS),
        _ => Ok(compare()),
    }
}

fn kernels() -> Vec<Kernel> {
    let groups = [
        flow::kernels(),
        variables::kernels(),
        functions::kernels(),
        operations::kernels(),
        rules::kernels(),
        constants::kernels(),
        alias::kernels(),
    ];
    groups.into_iter().flatten().collect()
}

/// Returns Chromium's recorded verdicts, by the names of the kernels.
fn recorded() -> BTreeMap<String, String> {
    let entry = |line: &str| line.split_once('\t').map(|(name, verdict)| (name.to_owned(), verdict.to_owned()));
    lines("recorded.txt").iter().filter_map(|line| entry(line)).collect()
}

/// Returns the lines of a file in this folder, which is read at run time.
fn lines(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::to_owned).collect()
}

fn write(file: &str, kernels: &[Kernel], verdict: impl Fn(&Kernel) -> String) -> Result<(), Box<dyn Error>> {
    let entry = |kernel: &Kernel| json!({ "name": kernel.name, "wgsl": kernel.wgsl, "verdict": verdict(kernel) });
    let list: Vec<Value> = kernels.iter().map(entry).collect();
    Ok(std::fs::write(file, format!("{:#}\n", Value::from(list)))?)
}

fn judge(file: &str) -> Result<(), Box<dyn Error>> {
    let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let text = |kernel: &BTreeMap<String, Value>, key| kernel.get(key).and_then(Value::as_str).map(str::to_owned);
    for kernel in &list {
        let (name, wgsl) = (text(kernel, "name").ok_or("no name")?, text(kernel, "wgsl").ok_or("no wgsl")?);
        let (verdict, message) = uniformity(&wgsl);
        let reason = if verdict == "unread" { message.lines().nth(1).unwrap_or_default() } else { "" };
        println!("{name}\t{verdict}\t{reason}");
    }
    Ok(())
}

/// Prints the kernels of a file whose verdict differs from that of `anywarp_wgsl`.
fn differ(file: &str) -> Result<(), Box<dyn Error>> {
    let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let text = |kernel: &BTreeMap<String, Value>, key| kernel.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut different = 0;
    for kernel in &list {
        let (name, wgsl) = (text(kernel, "name").ok_or("no name")?, text(kernel, "wgsl").ok_or("no wgsl")?);
        let (ours, message) = verdict(&wgsl);
        let theirs = text(kernel, "verdict").ok_or("no verdict")?;
        if ours != theirs {
            different += 1;
            println!("{name}: {ours}, recorded: {theirs}\n{message}");
        }
    }
    println!("{} kernels, {different} with another verdict", list.len());
    Ok(())
}

/// Prints the times to parse and to analyse all kernels of a file: the minimum of several measurements.
fn time(file: &str) -> Result<(), Box<dyn Error>> {
    let list: Vec<BTreeMap<String, Value>> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let texts = list.iter().filter_map(|kernel| kernel.get("wgsl")?.as_str());
    let sources: Vec<Source> = texts.map(|wgsl| Source::new("kernel.wgsl", wgsl)).collect();
    let (mut parsing, mut analysing) = (Duration::MAX, Duration::MAX);
    for _ in 0..9 {
        let start = Instant::now();
        let modules: Vec<_> = sources.iter().filter_map(|source| Some((source, module::parse(source).ok()?))).collect();
        parsing = parsing.min(start.elapsed());
        let start = Instant::now();
        let found: usize =
            modules.iter().map(|(source, module)| failures(source, module, Language::Common).len()).sum();
        analysing = analysing.min(start.elapsed());
        std::hint::black_box(found);
    }
    let ratio = analysing.as_secs_f64() / parsing.as_secs_f64();
    println!("{} kernels: parsed in {parsing:?}, analysed in {analysing:?}, which is {ratio:.3} of it", sources.len());
    Ok(())
}

fn compare() -> ExitCode {
    let (recorded, different, kernels) = (recorded(), lines("different.txt"), kernels());
    let mut wrong = 0;
    for kernel in &kernels {
        let (ours, message) = verdict(&kernel.wgsl);
        let theirs = recorded.get(&kernel.name).map_or("not recorded", String::as_str);
        let is_known = different.contains(&kernel.name);
        if (ours != theirs) != is_known {
            wrong += 1;
            let known = if is_known { ", and it is listed as different" } else { "" };
            println!("{}: {ours}, Chromium: {theirs}{known}\n{message}", kernel.name);
        }
    }
    let result = if wrong == 0 { "ok" } else { "FAILED" };
    let known = different.len();
    println!("test result: {result}. {} kernels, {known} known to differ from Chromium, {wrong} wrong", kernels.len());
    ExitCode::from(u8::from(wrong > 0))
}

/// Returns the verdict of `anywarp_wgsl` on a text, and its messages: on uniformity and, if that has no error, on the
/// other rules.
fn verdict(wgsl: &str) -> (&'static str, String) {
    let (of_uniformity, message) = uniformity(wgsl);
    if matches!(of_uniformity, "unread" | "error") {
        return ("error", message);
    }
    let source = Source::new("kernel.wgsl", wgsl);
    let module = match module::parse(&source) {
        Ok(module) => module,
        Err(error) => return ("error", error.to_string()),
    };
    if Filters::of(wgsl).conflict().is_some() {
        return ("error", "two filters disagree".to_owned());
    }
    if let Some(breach) = wgsl_rules::breaches(&source, &module).first() {
        return ("error", breach.message.clone());
    }
    if let Err(refused) = module::validate(module) {
        let message = anywarp_wgsl::diagnostic::of_validator(&source, &refused.error).to_string();
        // naga lacks the language extension that allows these arguments in Chromium.
        if !message.contains("can't be passed into functions") {
            return ("error", message);
        }
    }
    (of_uniformity, message)
}

/// Returns the verdict on the uniformity of a text; `unread` if the text does not parse. As in Chromium,
/// `subgroup_uniformity` is available.
fn uniformity(wgsl: &str) -> (&'static str, String) {
    let source = Source::new("kernel.wgsl", wgsl);
    let module = match module::parse(&source) {
        Ok(module) => module,
        Err(error) => return ("unread", error.to_string()),
    };
    let found = failures(&source, &module, Language::SubgroupUniformity);
    let verdict = match found.iter().map(|failure| failure.severity).max() {
        None => "accepted",
        Some(Severity::Info) => "info",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error) => "error",
    };
    (verdict, found.iter().map(|failure| failure.message(&source)).collect())
}
