//! Places that a native build of the suite covers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::limited::{Ended, run};
use crate::outcome::Outcome;
use crate::place::Place;
use crate::record::folder;
use crate::requirements::{Package, packages};

/// The time limit for building and running everything: ten times the time on two cores.
const LIMIT: Duration = Duration::from_secs(1500);
/// The time limit for running.
const RUNNING: Duration = Duration::from_secs(600);

const LOADER: Package = ("libvulkan1", "/usr/lib/x86_64-linux-gnu/libvulkan.so.1");
const LAVAPIPE: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Mesa's Vulkan driver for the processor.
pub(crate) const MESA: Package = ("mesa-vulkan-drivers", LAVAPIPE);

pub(crate) fn processor(root: &Path, place: &Place) -> Outcome {
    suite(root, place, &[], None)
}

pub(crate) fn lavapipe(root: &Path, place: &Place) -> Outcome {
    suite(root, place, &[LOADER, MESA], Some(LAVAPIPE))
}

/// Runs the suite on `SwiftShader`, the Vulkan driver that comes with Chromium.
pub(crate) fn swiftshader(root: &Path, place: &Place) -> Outcome {
    suite(root, place, &[LOADER, ("chromium", SWIFTSHADER)], Some(SWIFTSHADER))
}

/// Builds the suite, then runs it on the place's device with `driver` as the only driver.
fn suite(root: &Path, place: &Place, wanted: &[Package], driver: Option<&str>) -> Outcome {
    let folder = folder(root, place);
    if let Err(missing) = packages(&folder, wanted) {
        return Outcome::Missing(missing);
    }
    let program = match build(root, &folder, &["--workspace"]) {
        Ok(program) => program,
        Err(broken) => return broken,
    };
    let log = folder.join("suite.log");
    let mut command = Command::new(program);
    command.current_dir(root).arg(place.device).env("ANYWARP_REQUIRE", place.device).env("INSTA_UPDATE", "no");
    if let Some(driver) = driver {
        command.env("VK_DRIVER_FILES", driver);
    }
    Outcome::of(place, &run(&mut command, RUNNING, &log), &log)
}

/// Builds the suite with these additional arguments of cargo; returns the program.
fn build(root: &Path, folder: &Path, arguments: &[&str]) -> Result<PathBuf, Outcome> {
    let log = folder.join("build.log");
    let arguments = [&["test", "--test", SUITE, "--no-run"], arguments].concat();
    let programs = built(root, &log, &arguments, &[])?;
    found(&programs, SUITE, &log).cloned()
}

/// The name of the suite's program.
pub(crate) const SUITE: &str = "conformance";

/// The name of the program with the tests of rings.
pub(crate) const RINGS: &str = "ring";

/// The programs that a command of cargo builds, with these environment variables, by the names of their targets.
pub(crate) fn built(
    root: &Path,
    log: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Result<Vec<(String, PathBuf)>, Outcome> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(arguments).envs(variables.iter().copied());
    let ended = run(command.args(["--message-format", "json-render-diagnostics"]), LIMIT, log);
    if !matches!(ended, Ended::Status { code: Some(0), .. }) {
        return Err(Outcome::Broken(format!("it could not be built ({ended:?})"), log.into()));
    }
    let text = std::fs::read_to_string(log).unwrap_or_default();
    Ok(text.lines().filter_map(program).collect())
}

/// The program of this name among those that were built.
pub(crate) fn found<'a>(programs: &'a [(String, PathBuf)], name: &str, log: &Path) -> Result<&'a PathBuf, Outcome> {
    let program = programs.iter().find(|(target, _)| target == name).map(|(_, program)| program);
    program.ok_or_else(|| Outcome::Broken(format!("cargo built no program '{name}'"), log.into()))
}

/// The target that cargo has built, and its program, if the line reports one.
fn program(line: &str) -> Option<(String, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    let program = message["executable"].as_str()?;
    Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_says_what_it_has_built() {
        for (line, wanted) in [
            (
                r#"{"target":{"name":"conformance"},"executable":"/t/conformance-1"}"#,
                Some(("conformance", "/t/conformance-1")),
            ),
            (r#"{"target":{"name":"anywarp"},"executable":"/t/anywarp"}"#, Some(("anywarp", "/t/anywarp"))),
            (r#"{"target":{"name":"conformance"},"executable":null}"#, None),
            ("   Compiling anywarp", None),
        ] {
            let wanted = wanted.map(|(name, program)| (name.to_owned(), PathBuf::from(program)));
            assert_eq!(program(line), wanted, "{line}");
        }
        let built = [("anywarp".to_owned(), PathBuf::from("/t/anywarp"))];
        assert!(found(&built, "anywarp", Path::new("log")).is_ok());
        assert!(found(&built, SUITE, Path::new("log")).is_err_and(|error| error.line(false).contains("'conformance'")));
    }
}
