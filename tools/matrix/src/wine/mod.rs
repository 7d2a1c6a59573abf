//! The Windows build under Wine: on the processor the suite, the rings, unit tests and the tool, and on Direct3D 12, which
//! runs on software Vulkan, the suite and the rings.
//!
//! | file | content |
//! |---|---|
//! | `requirements` | the parts that Windows programs need and Wine lacks |
//! | `session` | Wine, and programs in it |
//! | `tool` | the tool, in a folder whose name has a space and letters beyond ASCII |

mod requirements;
mod session;
mod tool;

use std::path::{Path, PathBuf};
use std::time::Duration;

use self::requirements::{LAYER, TARGET, ready, ready_for_direct3d};
use self::session::Wine;
use crate::also::{last_line, with, with_tests};
use crate::limited::run;
use crate::native::{RINGS, SUITE, built, found};
use crate::outcome::{Outcome, Report};
use crate::place::Place;
use crate::record::folder;

/// The features of the programs for Direct3D.
const FOR_DIRECT3D: &[&str] = &["--package", "anywarp", "--no-default-features", "--features", "wgpu"];
/// The packages and features for the processor: the suites, and a test of the tool, for which cargo builds the tool
/// itself.
const FOR_PROCESSOR: &[&str] = &["--package", "anywarp", "--package", "anywarp-cli", "--test", "devices"];
const TOOL: &str = "anywarp";
/// Crates whose unit tests run: generated code and its memory, and the cache's folder.
const UNITS: &[(&str, &str)] = &[("anywarp-cpu", "anywarp_cpu"), ("anywarp-host", "anywarp_host")];
/// The cases that do not run: the compiler of HLSL did not end for some of their kernels within ten minutes.
const OPERATORS: &str = "operators::";
/// The time limit of each program, which takes a few minutes.
const RUNNING: Duration = Duration::from_secs(1800);

/// Runs the suite on Direct3D, then the rings.
pub(crate) fn direct3d(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    let driver = match ready_for_direct3d(root, &folder) {
        Ok(driver) => driver,
        Err(missing) => return Outcome::Missing(missing),
    };
    let variables = [
        ("VK_DRIVER_FILES", driver.as_path()),
        ("VK_LAYER_PATH", folder.as_path()),
        ("VK_INSTANCE_LAYERS", Path::new(LAYER)),
    ];
    let programs = Programs::build(root, &folder, FOR_DIRECT3D);
    let outcome = programs.and_then(|programs| {
        let (conformance, rings) = (programs.copy(SUITE)?, programs.copy(RINGS)?);
        let wine = Wine::start(&folder, &variables).map_err(Outcome::Missing)?;
        let report = passed(tests(&wine, place, &conformance, &["--test-threads", "2", "--skip", OPERATORS]))?;
        // One after the other: a kernel takes seconds to compile, and messages of other tests time out meanwhile.
        Ok(with_tests(report, "rings", tests(&wine, place, &rings, &["--test-threads", "1"])))
    });
    outcome.unwrap_or_else(|outcome| outcome)
}

/// Runs the suite on the processor, then the rings, unit tests and the tool.
pub(crate) fn processor(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    if let Err(missing) = ready(root, &folder) {
        return Outcome::Missing(missing);
    }
    on_processor(root, place, &folder).unwrap_or_else(|outcome| outcome)
}

fn on_processor(root: &Path, place: &Place, folder: &Path) -> Result<Outcome, Outcome> {
    let programs = Programs::build(root, folder, FOR_PROCESSOR)?;
    let (conformance, rings, tool) = (programs.copy(SUITE)?, programs.copy(RINGS)?, programs.copy(TOOL)?);
    let units = Programs::build_units(root, folder)?;
    let wine = Wine::start(folder, &[]).map_err(Outcome::Missing)?;
    let report = passed(tests(&wine, place, &conformance, &["--test-threads", "2"]))?;
    let mut report = passed(with_tests(report, "rings", tests(&wine, place, &rings, &["--test-threads", "2"])))?;
    for (package, name) in UNITS {
        let log = folder.join(format!("{name}.log"));
        let ended = run(&mut wine.command(&units.copy(name)?), RUNNING, &log);
        report = with(report, &format!("unit tests of {package}: {}", last_line(&ended, &log)?));
    }
    tool::runs_a_kernel(&wine, root, &tool)?;
    tool::keeps_results(&wine, &tool)?;
    Ok(Outcome::Ran(with(report, "`anywarp.exe` ran a kernel and kept results of tuning")))
}

/// The report of tests without a failure.
fn passed(outcome: Outcome) -> Result<Report, Outcome> {
    match outcome {
        Outcome::Ran(report) if report.failed == 0 => Ok(report),
        other => Err(other),
    }
}

/// Runs the tests of a program on the place's device, with these additional arguments.
fn tests(wine: &Wine, place: &Place, program: &Path, arguments: &[&str]) -> Outcome {
    let log = program.with_extension("log");
    let mut command = wine.command(program);
    command.arg(place.device).args(arguments);
    command.env("ANYWARP_REQUIRE", place.device).env("INSTA_UPDATE", "no");
    Outcome::of(place, &run(&mut command, RUNNING, &log), &log)
}

/// The programs that cargo has built, and its log.
struct Programs<'a> {
    folder: &'a Path,
    log: PathBuf,
    built: Vec<(String, PathBuf)>,
}

impl<'a> Programs<'a> {
    /// The suite, the rings, and what the arguments name.
    fn build(root: &Path, folder: &'a Path, arguments: &[&str]) -> Result<Self, Outcome> {
        let log = folder.join("build.log");
        let arguments = [&["--test", SUITE, "--test", RINGS], arguments].concat();
        Self::of(root, folder, log, &arguments)
    }

    /// The unit tests.
    fn build_units(root: &Path, folder: &'a Path) -> Result<Self, Outcome> {
        let log = folder.join("build-units.log");
        let packages = UNITS.iter().flat_map(|(package, _)| ["--package", package]);
        Self::of(root, folder, log, &["--lib"].into_iter().chain(packages).collect::<Vec<_>>())
    }

    fn of(root: &Path, folder: &'a Path, log: PathBuf, arguments: &[&str]) -> Result<Self, Outcome> {
        let arguments = [&["test", "--no-run", "--target", TARGET], arguments].concat();
        let built = built(root, &log, &arguments, &[])?;
        Ok(Self { folder, log, built })
    }

    /// Copies a program to the folder of its libraries, where Windows searches for them; returns the copy.
    fn copy(&self, name: &str) -> Result<PathBuf, Outcome> {
        let copy = self.folder.join(format!("{name}.exe"));
        match std::fs::copy(found(&self.built, name, &self.log)?, &copy) {
            Ok(_) => Ok(copy),
            Err(error) => {
                Err(Outcome::Broken(format!("{} cannot be written: {error}", copy.display()), self.log.clone()))
            }
        }
    }
}
