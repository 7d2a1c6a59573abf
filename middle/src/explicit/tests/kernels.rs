//! Tests with every kernel of the repository, without proofs.

use std::fs;
use std::path::{Path, PathBuf};

use anywarp_backend::Proofs;
use naga::back::{hlsl, msl, spv};
use naga::valid::ModuleInfo;
use naga::{Module, ShaderStage, front::wgsl};

use super::super::explicit;
use super::validated;
use crate::Circumstances;
use crate::analysis::prove;
use crate::optimise::optimise;

/// Asserts that naga writes the module with checks, `checked`, in every language in which it writes the module without
/// checks, `old`.
pub(super) fn assert_writable(name: &str, checked: &Module, info: &ModuleInfo, old: &Module, old_info: &ModuleInfo) {
    type Write = fn(&Module, &ModuleInfo) -> Result<(), String>;
    let writers: [(&str, Write); 3] = [("SPIR-V", as_spirv), ("MSL", as_msl), ("HLSL", as_hlsl)];
    for (language, write) in writers {
        // naga's writers panic on a few valid modules.
        let attempt = |module: &Module, info: &ModuleInfo| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| write(module, info)))
                .unwrap_or_else(|_| Err("a panic".to_owned()))
        };
        if attempt(old, old_info).is_ok() {
            let written = attempt(checked, info);
            assert_eq!(written, Ok(()), "{name} as {language}, which can be written without checks");
        }
    }
}

fn as_spirv(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = spv::Options { lang_version: (1, 6), ..spv::Options::default() };
    spv::write_vec(module, info, &options, None).map(|_| ()).map_err(|error| error.to_string())
}

fn as_msl(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let options = msl::Options { lang_version: (3, 2), fake_missing_bindings: true, ..msl::Options::default() };
    let (_, written) = msl::write_string(module, info, &options, &msl::PipelineOptions::default())
        .map_err(|error| error.to_string())?;
    written.entry_point_names.into_iter().try_for_each(|name| name.map(|_| ())).map_err(|error| error.to_string())
}

fn as_hlsl(module: &Module, info: &ModuleInfo) -> Result<(), String> {
    let model = hlsl::ShaderModel::V6_6;
    let options = hlsl::Options { shader_model: model, fake_missing_bindings: true, ..hlsl::Options::default() };
    let mut text = String::new();
    for entry in &module.entry_points {
        let pipeline = hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, entry.name.clone())) };
        let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
        let written = written.map_err(|error| error.to_string())?;
        written
            .entry_point_names
            .into_iter()
            .try_for_each(|name| name.map(|_| ()))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && !path.ends_with("target") {
            texts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "wgsl") {
            found.push(path);
        }
    }
}

#[test]
fn all_kernels_stay_valid_and_writable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in ["shaders", "tests", "examples", "benches", "src"] {
        texts(&root.join(folder), &mut found);
    }
    found.sort();
    let mut tried = 0;
    for path in &found {
        let source = fs::read_to_string(path).expect("readable WGSL");
        // Skips kernels that include files, that are invalid on purpose, or that have overrides.
        let Ok(module) = wgsl::parse_str(&source) else { continue };
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
        let Ok(info) = validator.validate(&module) else { continue };
        if !module.overrides.is_empty() {
            continue;
        }
        let name = path.display().to_string();
        let given_up = |module: &Module, info: &ModuleInfo| {
            prove(module, info, &Circumstances::default()).gave_up.filter(|_| module.entry_points.len() == 1)
        };
        assert_eq!(given_up(&module, &info), None, "{name} is small enough to be analysed");
        let checked = explicit(&module, &info, &Proofs::default()).unwrap_or_else(|| module.clone());
        assert_writable(&name, &checked, &validated(&checked), &module, &info);
        if let Some(optimised) = optimise(&module, &info, &Circumstances::default()) {
            let info = validated(&optimised);
            assert_eq!(given_up(&optimised, &info), None, "{name}, optimised, is small enough to be analysed");
            let checked = explicit(&optimised, &info, &Proofs::default()).unwrap_or_else(|| optimised.clone());
            assert_writable(&name, &checked, &validated(&checked), &optimised, &info);
        }
        tried += 1;
    }
    assert!(tried > 20, "only {tried} of {} kernels were tried", found.len());
}
