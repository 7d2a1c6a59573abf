//! Places that a native build of the suite covers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::limited::run;
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
pub(crate) fn build(root: &Path, folder: &Path, arguments: &[&str]) -> Result<PathBuf, Outcome> {
    let log = folder.join("build.log");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["test", "--test", "conformance", "--no-run"]);
    let ended = run(command.args(["--message-format", "json-render-diagnostics"]).args(arguments), LIMIT, &log);
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    match text.lines().rev().find_map(program) {
        Some(program) => Ok(program),
        None => Err(Outcome::Broken(format!("the suite could not be built ({ended:?})"), log)),
    }
}

/// The program that cargo reports in this line.
fn program(line: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    (message["target"]["name"] == "conformance").then(|| message["executable"].as_str().map(PathBuf::from))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_says_what_it_has_built() {
        for (line, wanted) in [
            (r#"{"target":{"name":"conformance"},"executable":"/t/conformance-1"}"#, Some("/t/conformance-1")),
            (r#"{"target":{"name":"anywarp"},"executable":"/t/anywarp"}"#, None),
            (r#"{"target":{"name":"conformance"},"executable":null}"#, None),
            ("   Compiling anywarp", None),
        ] {
            assert_eq!(program(line), wanted.map(PathBuf::from), "{line}");
        }
    }
}
