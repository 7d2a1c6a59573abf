//! Installs the requirements of a place if they are missing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::limited::{Ended, run};

/// The time limit of an installation.
const LIMIT: Duration = Duration::from_secs(600);

/// A Debian package, and a file that shows that it is installed.
pub(crate) type Package = (&'static str, &'static str);

/// Installs those packages whose file is missing.
///
/// # Errors
///
/// One line with the missing package and the reason.
pub(crate) fn packages(folder: &Path, wanted: &[Package]) -> Result<(), String> {
    let missing = || wanted.iter().filter(|(_, file)| !Path::new(file).exists());
    let names: Vec<&str> = missing().map(|(name, _)| *name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let log = folder.join("packages.log");
    let script = format!(
        "sudo=; [ \"$(id -u)\" = 0 ] || sudo=sudo
         $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -qq --no-install-recommends {}",
        names.join(" ")
    );
    let ended = run(Command::new("sh").args(["-c", &script]), LIMIT, &log);
    match missing().next() {
        None => Ok(()),
        Some((name, file)) => {
            Err(format!("{name} cannot be installed ({}): there is no {file}", because(&ended, &log)))
        }
    }
}

/// Installs Rust's standard library for another target.
///
/// # Errors
///
/// One line with the target and the reason.
pub(crate) fn standard_library(target: &str) -> Result<(), String> {
    let failed = |why: &str| Err(format!("Rust's library for {target} cannot be installed: {why}"));
    match Command::new("rustup").args(["target", "add", target]).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            failed(said.lines().last().unwrap_or("rustup printed nothing").trim())
        }
        Err(error) => failed(&format!("rustup: {error}")),
    }
}

/// Extracts one file from a wheel of the Python Package Index for another platform.
///
/// # Errors
///
/// One line with the wheel and the reason.
pub(crate) fn file_of_wheel(folder: &Path, wheel: &str, platform: &[&str], inside: &str) -> Result<PathBuf, String> {
    let file = folder.join(Path::new(inside).file_name().unwrap_or_default());
    if file.exists() {
        return Ok(file);
    }
    let log = folder.join("wheel.log");
    // The standard library's zipfile extracts one file; then the wheel, which is large, is removed.
    let script = format!(
        "set -e; cd '{}'; rm -rf wheel; pip='python3 -m pip'; \
         $pip --version >/dev/null 2>&1 || {{ python3 -m venv venv; pip=venv/bin/pip; }}; \
         $pip download --quiet --no-deps --only-binary=:all: --dest wheel {} {wheel}; \
         python3 -c 'import glob, zipfile; zipfile.ZipFile(glob.glob(\"wheel/*.whl\")[0]).extract(\"{inside}\", \"wheel\")'; \
         mv wheel/{inside} .; rm -rf wheel venv",
        folder.display(),
        platform.join(" ")
    );
    let ended = run(Command::new("sh").args(["-c", &script]), LIMIT, &log);
    if file.exists() {
        Ok(file)
    } else {
        Err(format!("{inside} of {wheel} is not available ({})", because(&ended, &log)))
    }
}

/// Unpacks Debian's backport of a package below `folder` without installing it; returns the file `inside` it.
///
/// # Errors
///
/// One line with the package and the reason.
pub(crate) fn file_of_backport(folder: &Path, package: &str, inside: &str) -> Result<PathBuf, String> {
    let file = folder.join(package).join(inside);
    if file.exists() {
        return Ok(file);
    }
    let log = folder.join("backport.log");
    // Uses separate lists, so that the packages installed on this machine do not change.
    let script = format!(
        "set -e; cd '{}'; mkdir -p lists/partial cache/archives/partial {package}; . /etc/os-release; \
         echo \"deb http://deb.debian.org/debian $VERSION_CODENAME-backports main\" > backports.list; \
         options=\"-o Dir::Etc::sourcelist=$PWD/backports.list -o Dir::Etc::sourceparts=- \
         -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Sandbox::User=root\"; \
         apt-get $options -qq update; apt-get $options download {package}; \
         dpkg -x {package}_*.deb {package}; rm {package}_*.deb",
        folder.display()
    );
    let ended = run(Command::new("sh").args(["-c", &script]), LIMIT, &log);
    if file.exists() {
        Ok(file)
    } else {
        Err(format!("the backport of {package} is not available ({})", because(&ended, &log)))
    }
}

/// The last line of an installer's output.
fn because(ended: &Ended, log: &Path) -> String {
    match ended {
        Ended::Hung(limit) => format!("not finished after {} s", limit.as_secs()),
        Ended::NotStarted(why) => why.clone(),
        Ended::Status { .. } => {
            let text = std::fs::read_to_string(log).unwrap_or_default();
            let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no output");
            format!("{}; log: {}", last.trim(), log.display())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("anywarp-matrix-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn an_existing_file_is_not_installed_again() {
        let folder = folder("there");
        assert_eq!(packages(&folder, &[("no-such-package", "/bin/sh")]), Ok(()));
        assert!(!folder.join("packages.log").exists(), "an installer ran");
        std::fs::remove_dir_all(folder).expect("the folder");
    }

    #[test]
    fn an_unavailable_file_is_reported_in_one_line() {
        let folder = folder("absent");
        let error = file_of_wheel(&folder, "no-such-wheel==0.0", &["--no-index"], "absent.dll").expect_err("no wheel");
        assert!(error.contains("absent.dll of no-such-wheel==0.0 is not available"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        std::fs::remove_dir_all(folder).expect("the folder");
    }
}
