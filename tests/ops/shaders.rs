//! Every file in `shaders/` and `examples/shaders/` is valid WGSL with its imports, and a checked device finds no error
//! in operations.

use std::path::{Path, PathBuf};

use anywarp::Device;
use anywarp::ops::matmul;
use anywarp_backend::SourceFile;
use anywarp_testing::{features, files};
use anywarp_wgsl::compose::{Folder, Options, compose};
use anywarp_wgsl::guard::is_shallow;
use anywarp_wgsl::{diagnostic, module};
use half::{bf16, f16};

use crate::Alone;
use crate::matmul::element::Number;
use crate::outcome::{TestResult, ensure, fail, skip};

const FOLDERS: [&str; 3] = ["shaders/ops", "shaders/shared", "examples/shaders"];

pub(crate) fn cases() -> Vec<Alone> {
    let mut cases: Vec<Alone> = Vec::new();
    for folder in FOLDERS {
        let files = shaders(folder);
        if files.is_empty() {
            cases.push((format!("shaders::{folder}"), Box::new(move || fail(format!("{folder} has no shader")))));
        }
        let name = |path: &Path| format!("shaders::{}", path.file_name().unwrap_or_default().to_string_lossy());
        cases.extend(files.into_iter().map(|path| (name(&path), Box::new(move || check(&path)) as _)));
    }
    cases.push(("cpu:checked::matmul::f32".to_owned(), Box::new(clean::<f32>)));
    cases.push(("cpu:checked::matmul::f16".to_owned(), Box::new(clean::<f16>)));
    cases.push(("cpu:checked::matmul::bf16".to_owned(), Box::new(clean::<bf16>)));
    cases
}

fn shaders(folder: &str) -> Vec<PathBuf> {
    files::with_endings(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &["wgsl"])
}

/// Checks a file with each choice of its features.
fn check(path: &Path) -> TestResult {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    features::choices(path, &package)
        .try_for_each(|features| check_with(path, Options { features, ..Options::default() }))
}

fn check_with(path: &Path, options: Options) -> TestResult {
    let file = SourceFile { name: path.display().to_string(), text: std::fs::read_to_string(path)? };
    let folder = Folder::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders"));
    let source = match compose(file, &[], &folder, &options) {
        Ok(source) => source,
        Err(error) => return fail(error.to_string()),
    };
    ensure(is_shallow(source.text()), || format!("{}: too deep or too long for a browser's stack", path.display()))?;
    let module = match module::parse(&source) {
        Ok(module) => module,
        Err(error) => return fail(error.to_string()),
    };
    let invalid = |error: &_| fail(diagnostic::of_validator(&source, error).to_string());
    module::validate(module).map_or_else(|refused| invalid(&refused.error), |_| Ok(()))
}

/// A checked device finds no race, no access out of range, and no read of uninitialised data.
fn clean<T: Number>() -> TestResult {
    let Ok(device) = Device::open("cpu:checked") else { return skip("there is no checked device") };
    for [m, k, n] in [[1, 1, 1], [65, 33, 67], [70, 16, 64], [1, 40, 68], [67, 1090, 3], [20, 1090, 13]] {
        let (a, b) = (device.buffer_from(&vec![T::of(1.0); m * k])?, device.buffer_from(&vec![T::of(2.0); k * n])?);
        let mut c = device.buffer::<T>(m * n + 3)?;
        matmul(&a, &b, c.slice_mut(1..=m * n), [m, k, n])?;
        let findings = device.findings();
        ensure(findings.iter().next().is_none(), || format!("{m}x{k}x{n}:\n{findings}"))?;
    }
    Ok(())
}
