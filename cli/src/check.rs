//! `anywarp check`: checks WGSL files for devices, without running them.
//!
//! | file | content |
//! |---|---|
//! | `arguments` | the command line |
//! | `files` | the files to check |
//! | `browser` | requirements of browsers outside of entry points |
//! | `rules` | rules of WGSL that browsers check and naga does not |
//! | `finding` | findings, in three output forms |
//! | `report` | the results for one file, as text and as JSON |

mod arguments;
mod browser;
mod files;
mod finding;
mod report;
mod rules;

use anywarp::{Device, Explanation, KernelError};
use anywarp_backend::{BackendKind, BindingClass, Caps, Mode, Program};

use crate::failure::Failure;
use crate::terminal;
use arguments::{Against, Format};
pub(crate) use arguments::{CheckArgs, NOTES};
use files::{Content, Input, inputs};
use finding::{Finding, Severity};
use report::{Report, as_json, as_text};

/// The size of `var<immediate>` in WebGPU, in bytes.
const IMMEDIATE_BYTES: u32 = 64;

/// Checks every file and prints the findings.
pub(crate) fn check(arguments: &CheckArgs, json: bool) -> Result<(), Failure> {
    if json && arguments.format != Format::Text {
        return Err(Failure::Usage(
            "--json and --format: expected one of the two, found both: leave one out".to_owned(),
        ));
    }
    let targets = targets(arguments)?;
    let mut checker =
        Checker { arguments, targets: &targets, entry_met: false, overrides_met: Vec::new(), explanations: Vec::new() };
    let reports: Vec<Report> =
        inputs(&arguments.files, &arguments.composition).iter().map(|input| checker.file(input)).collect();
    checker.refuse_what_no_file_has(&reports)?;
    terminal::print(&if json { as_json(&reports, &targets) } else { as_text(&reports, arguments.format) })?;
    let failed = reports.iter().filter(|report| report.count(Severity::Error) > 0).count();
    if failed > 0 { Err(Failure::Check { failed, all: reports.len() }) } else { Ok(()) }
}

/// A device or baseline to check against.
struct Target {
    name: String,
    caps: Caps,
    is_baseline: bool,
}

fn targets(arguments: &CheckArgs) -> Result<Vec<Target>, Failure> {
    let baseline = arguments.against == Some(Against::Webgpu) || arguments.devices.is_empty();
    if !baseline && !arguments.allowed.is_empty() {
        let message = "--allow: expected --against webgpu, found a --device only, whose features are fixed: add --against webgpu, or leave --allow out";
        return Err(Failure::Usage(message.to_owned()));
    }
    let mut targets = Vec::new();
    if baseline {
        let mut caps = Caps::webgpu_baseline();
        for feature in &arguments.allowed {
            caps.shader |= feature.flag;
            if feature.name == "immediates" {
                caps.limits.immediate_size = IMMEDIATE_BYTES;
            }
        }
        targets.push(Target { name: "webgpu".to_owned(), caps, is_baseline: true });
    }
    for selector in &arguments.devices {
        let device = Device::open(selector)?;
        targets.push(Target { name: device.selector().to_owned(), caps: device.caps().clone(), is_baseline: false });
    }
    Ok(targets)
}

struct Checker<'a> {
    arguments: &'a CheckArgs,
    targets: &'a [Target],
    /// Whether some file may have the entry point of `--entry`.
    entry_met: bool,
    /// Overrides that some file may have.
    overrides_met: Vec<&'a str>,
    /// The explanations of the current file.
    explanations: Vec<Explanation>,
}

impl<'a> Checker<'a> {
    fn file(&mut self, input: &Input) -> Report {
        let mut report = Report {
            file: input.file.clone(),
            entries: Vec::new(),
            findings: Vec::new(),
            lacks_feature: false,
            source: None,
            explanations: Vec::new(),
        };
        let content = match &input.content {
            Ok(content) => content,
            Err(message) => {
                report.add(Finding::of_file(&input.file, message.clone()));
                // This file may have the named entry point and overrides, so they are not reported as missing.
                self.entry_met = true;
                self.overrides_met.extend(self.arguments.overrides.iter().map(|(name, _)| name.as_str()));
                return report;
            }
        };
        for target in self.targets {
            match self.program(content, self.arguments.entry.as_deref(), target) {
                // Without `--entry`, each entry point is checked.
                Err(KernelError::WhichEntryPoint { candidates, .. }) => {
                    for entry in &candidates {
                        let result = self.program(content, Some(entry), target);
                        report.add_entry(Some(entry.clone()));
                        conclude(&mut report, &content.text, target, result);
                    }
                }
                // Files without the named entry point are skipped.
                Err(KernelError::UnknownEntryPoint { .. }) => continue,
                Err(KernelError::NoEntryPoint { .. }) if self.arguments.entry.is_some() => continue,
                result => conclude(&mut report, &content.text, target, result),
            }
            self.entry_met = true;
            if let Some(source) = report.source.clone()
                && !report.lacks_feature
            {
                for finding in rules::findings(&source, target.is_baseline) {
                    report.add(finding);
                }
            }
            if let Some(source) = report.source.clone()
                && target.is_baseline
                && !report.lacks_feature
            {
                for error in browser::refusals(&source, &target.caps) {
                    // Devices other than browsers omit code that no entry point uses.
                    let against = Some(target.name.clone());
                    report.add(Finding { against, ..finding(&input.file, &content.text, &error, target) });
                }
            }
        }
        report.explanations = std::mem::take(&mut self.explanations);
        report
    }

    /// Returns the program, with those overrides that the file has.
    fn program(&mut self, content: &Content, entry: Option<&str>, target: &Target) -> Result<Program, KernelError> {
        let mut overrides: Vec<&(String, f64)> = self.arguments.overrides.iter().collect();
        loop {
            let mut wgsl = content.wgsl.clone();
            if let Some(entry) = entry {
                wgsl = wgsl.entry(entry.to_owned());
            }
            for (name, value) in &overrides {
                wgsl = wgsl.set_override(name.clone(), *value);
            }
            let result = wgsl.program(&target.caps);
            if self.arguments.explain && result.is_ok() {
                self.explanations.extend(wgsl.explain(&target.caps));
            }
            if let Err(KernelError::UnknownOverride { name: unknown, .. }) = &result
                && overrides.iter().any(|(name, _)| name == unknown)
            {
                overrides.retain(|(name, _)| name != unknown);
                continue;
            }
            let unseen =
                matches!(result, Err(KernelError::WhichEntryPoint { .. } | KernelError::UnknownEntryPoint { .. }));
            if !unseen {
                self.overrides_met.extend(overrides.iter().map(|(name, _)| name.as_str()));
            }
            return result;
        }
    }

    fn refuse_what_no_file_has(&self, reports: &[Report]) -> Result<(), Failure> {
        let files = if reports.len() == 1 { reports[0].file.as_str() } else { "none of the files" };
        let has_no = if reports.len() == 1 { "has no" } else { "has an" };
        if let Some(entry) = self.arguments.entry.as_ref().filter(|_| !self.entry_met) {
            return Err(Failure::Usage(format!("--entry {entry}: {files} {has_no} entry point '{entry}'")));
        }
        let unmet = |(name, _): &&(String, f64)| !self.overrides_met.contains(&name.as_str());
        match self.arguments.overrides.iter().find(unmet) {
            Some((name, _)) => Err(Failure::Usage(format!("--override {name}: {files} {has_no} override '{name}'"))),
            None => Ok(()),
        }
    }
}

/// Adds the result of one entry point for one target.
fn conclude(report: &mut Report, text: &str, target: &Target, result: Result<Program, KernelError>) {
    let file = report.file.clone();
    match result {
        Ok(program) => {
            for error in
                bindings_above_the_limit(&program, &target.caps).into_iter().chain(uncompiled(&program, target))
            {
                report.add(finding(&file, text, &error, target));
            }
            report.source = program.source;
            report.add_entry(Some(program.entry_point));
        }
        Err(error) => {
            report.lacks_feature |= target.is_baseline && matches!(error, KernelError::MissingFeature { .. });
            report.add(finding(&file, text, &error, target));
        }
    }
}

fn finding(file: &str, text: &str, error: &KernelError, target: &Target) -> Finding {
    let mut finding = Finding::of_kernel(file, text, error, &target.name);
    match error {
        KernelError::MissingFeature { feature, .. }
            if target.is_baseline && Caps::known_features().iter().any(|(_, name)| name == feature) =>
        {
            finding.message.push_str(&format!("\n  --allow {feature} permits it"));
        }
        KernelError::Override { .. } => finding.message.push_str("\n  --override NAME=VALUE gives it a value"),
        _ => {}
    }
    finding
}

/// The error of the processor's compiler, if the target is the processor: only compilation finds these errors.
fn uncompiled(program: &Program, target: &Target) -> Option<KernelError> {
    if target.is_baseline || target.caps.backend != BackendKind::Cpu {
        return None;
    }
    let mode = if target.caps.checked { Mode::Checked } else { Mode::Plain };
    let error = anywarp_cpu::check(program, mode).err()?;
    Some(KernelError::Compile { kernel: program.name.to_string(), device: target.caps.name.clone(), error })
}

/// Finds variables that are larger than the largest binding.
fn bindings_above_the_limit(program: &Program, caps: &Caps) -> Vec<KernelError> {
    let above = program.bindings.iter().filter_map(|info| {
        let (what, limit) = match info.class {
            BindingClass::Uniform => ("uniform", caps.limits.uniform_binding_size),
            _ => ("storage", caps.limits.storage_binding_size),
        };
        (u64::from(info.layout.size) > limit).then(|| KernelError::AboveLimit {
            kernel: program.name.to_string(),
            what: format!("bytes in the {what} variable '{}':", info.name),
            wanted: info.layout.size.to_string(),
            limit: limit.to_string(),
            device: caps.name.clone(),
            remedy: "make it smaller, or split it into several variables".to_owned(),
        })
    });
    above.collect()
}
