//! Comparisons with `SciPy`'s results in `float64`, in the files of a folder that `cases.py` has made.
//!
//! The first word of a file's name says what is compared: transforms have bounds of the root of the mean square of errors,
//! as their documentation promises them; sums of products have bounds of each element, from the sum of the products'
//! sizes; factors and solutions have bounds of the greatest error, from the condition of the matrix.

mod archive;
mod compare;
mod dense;
mod fourier;
mod number;
mod sparse;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anywarp::Device;
use anywarp_testing_devices::targets::Target;
use anywarp_testing_devices::trial::on_device;
use libtest_mimic::Trial;

use crate::outcome::{TestResult, fail};

use archive::Archive;
use compare::{Found, Report};

const VARIABLE: &str = "ANYWARP_SCIPY_DIR";

/// The greatest errors of all files and devices.
static FOUND: Mutex<Found> = Mutex::new(Found::new());

/// A case for each file on each device; for a folder without files, one that fails.
pub(crate) fn trials(devices: &[Arc<Target>]) -> Vec<Trial> {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return Vec::new() };
    match files(&folder) {
        Ok(files) => devices.iter().flat_map(|device| files.iter().map(|file| trial(device, file))).collect(),
        Err(problem) => devices.iter().map(|device| missing(device, problem.clone())).collect(),
    }
}

/// A table of the greatest errors as shares of their bounds; empty if nothing was compared.
pub(crate) fn table() -> String {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner).to_string()
}

fn missing(device: &Arc<Target>, problem: String) -> Trial {
    on_device(device, "scipy::folder", move |_| fail(problem.clone()))
}

fn trial(device: &Arc<Target>, path: &Path) -> Trial {
    let (path, label) = (path.to_owned(), device.name.clone());
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    on_device(device, &format!("scipy::{name}"), move |device| {
        let mut report = Report::new(format!("{label}::{name}"));
        compared(device, &name, &Archive::read(&path)?, &mut report)?;
        report.end(&mut FOUND.lock().unwrap_or_else(PoisonError::into_inner))
    })
}

/// The files of a folder, sorted by their names. None at all is an error.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let located = |problem: String| {
        format!("{VARIABLE}: '{}': {problem}; make the folder with tests/ops/scipy/cases.py", folder.display())
    };
    let entries = std::fs::read_dir(folder).map_err(|error| located(error.to_string()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "npz"))
        .collect();
    files.sort();
    if files.is_empty() { Err(located("expected .npz files, found none".to_owned())) } else { Ok(files) }
}

fn compared(device: &Device, name: &str, file: &Archive, report: &mut Report) -> TestResult {
    let doubles = device.caps().feature_names().contains(&"f64");
    macro_rules! both {
        ($module:ident::$function:ident) => {{
            $module::$function::<f32>(device, file, report)?;
            if doubles { $module::$function::<f64>(device, file, report) } else { Ok(()) }
        }};
    }
    match name.split('-').collect::<Vec<_>>()[..] {
        ["fft", "short", ..] => both!(fourier::short),
        ["fft", "long", ..] => fourier::long(device, file, report),
        ["fft", "axes", ..] => both!(fourier::axes),
        ["fft", "halves", ..] => fourier::halves(device, file, report),
        ["dct", ..] => both!(fourier::cosines),
        ["convolve", ..] => both!(fourier::convolutions),
        ["stft", ..] => both!(fourier::windows),
        ["sparse", ..] => both!(sparse::all),
        ["dense", ..] => both!(dense::all),
        _ => fail(format!("{name}: expected a name of cases.py")),
    }
}
