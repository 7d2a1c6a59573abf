//! The suite and the rings as WebAssembly, in headless Chromium: results are written to a page and read back.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::also::with_tests;
use crate::limited::{Ended, run};
use crate::outcome::Outcome;
use crate::place::Place;
use crate::record::folder;
use crate::requirements::{Package, packages};

const PACKAGES: &[Package] =
    &[("chromium", "/usr/lib/chromium/chromium"), ("nodejs", "/usr/bin/node"), ("npm", "/usr/bin/npm")];
const INSTALLING: Duration = Duration::from_secs(300);
const BUILDING: Duration = Duration::from_secs(1500);
const RUNNING: Duration = Duration::from_secs(900);
/// The driver's exit status if there is no browser, or no WebGPU in it.
const NO_BROWSER: i32 = 2;

pub(crate) fn chromium(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    if let Err(missing) = packages(&folder, PACKAGES).and_then(|()| driver(root, &folder)) {
        return Outcome::Missing(missing);
    }
    match page(root, place, &folder, "suite") {
        Outcome::Ran(suite) => with_tests(suite, "rings", page(root, place, &folder, "rings")),
        other => other,
    }
}

/// Builds a page of tests, and runs it.
fn page(root: &Path, place: &Place, folder: &Path, kind: &str) -> Outcome {
    let (page, log) = (folder.join(format!("{kind}-page")), folder.join(format!("{kind}-build.log")));
    let mut build = Command::new("tools/browser/build.sh");
    build.current_dir(root).arg(kind).arg(&page);
    match run(&mut build, BUILDING, &log) {
        Ended::Status { code: Some(0), .. } => {}
        ended => return Outcome::Broken(format!("the {kind} could not be built for a browser ({ended:?})"), log),
    }
    let log = folder.join(format!("{kind}.log"));
    let mut tests = Command::new("node");
    // The driver's own limit is shorter, so that the driver ends the browser properly.
    let limit = RUNNING - Duration::from_secs(60);
    tests.current_dir(root).arg("tools/browser/suite.mjs").arg(&page).arg("browser.html");
    let console = folder.join(format!("{kind}-console.log"));
    tests.args(["--timeout", &limit.as_secs().to_string(), "--log"]).arg(console);
    match run(&mut tests, RUNNING, &log) {
        Ended::Status { code: Some(NO_BROWSER), .. } => {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            Outcome::Missing(text.lines().last().unwrap_or("the browser's driver printed nothing").to_owned())
        }
        ended => Outcome::of(place, &ended, &log),
    }
}

/// Installs the driver's packages, as named in its lock file.
fn driver(root: &Path, folder: &Path) -> Result<(), String> {
    let log = folder.join("npm.log");
    let mut install = Command::new("npm");
    install.current_dir(root).args(["ci", "--prefix", "tools/browser", "--no-audit", "--no-fund", "--cache"]);
    match run(install.arg(folder.join("npm")), INSTALLING, &log) {
        Ended::Status { code: Some(0), .. } => Ok(()),
        ended => Err(format!("the packages of tools/browser cannot be installed ({ended:?}); log: {}", log.display())),
    }
}
