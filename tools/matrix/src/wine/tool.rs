//! `anywarp.exe` under Wine, in a folder whose name has a space and letters beyond ASCII.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::requirements::SETTING_UP;
use super::session::Wine;
use crate::limited::{Ended, run};
use crate::outcome::Outcome;

/// The folder of the tool's files, inside that of the place.
const FOLDER: &str = "Mine für Ω";
/// The folder of the cache, inside that of the tool's files.
const CACHE: &str = "kept für später";

/// Runs a kernel, and checks the result that the tool writes.
pub(super) fn runs_a_kernel(wine: &Wine, root: &Path, tool: &Path) -> Result<(), Outcome> {
    let log = wine.folder.join("tool.log");
    let folder = emptied(wine, &log)?;
    let mut command = started(wine, tool, &folder);
    command.arg("run").arg(root.join("examples/shaders/saxpy.wgsl"));
    command.args(["--device", "cpu", "--threads", "256", "--set", "params.a=3"]);
    command.args(["--bind", "x=ones:f32:256", "--bind", "y=ones:f32:256", "--out", "y=größer.bin"]);
    let ended = run(&mut command, SETTING_UP, &log);
    let written = std::fs::read(folder.join("größer.bin")).unwrap_or_default();
    // 3 * 1 + 1.
    let fours: Vec<u8> = [4.0f32; 256].iter().flat_map(|four| four.to_le_bytes()).collect();
    if matches!(ended, Ended::Status { code: Some(0), .. }) && written == fours {
        return Ok(());
    }
    let why = format!("anywarp.exe: expected 256 times 4.0, found {} bytes ({ended:?})", written.len());
    Err(Outcome::Broken(why, log))
}

/// Tunes an operator, and checks that a second process finds the result in the cache's folder.
pub(super) fn keeps_results(wine: &Wine, tool: &Path) -> Result<(), Outcome> {
    let log = wine.folder.join("tool-tune.log");
    let folder = emptied(wine, &log)?;
    let mut tune = started(wine, tool, &folder);
    tune.args(["tune", "op", "sort", "--sizes", "3000", "--device", "cpu", "--budget", "0.4"]);
    let tuned = run(&mut tune, SETTING_UP, &log);
    if !matches!(tuned, Ended::Status { code: Some(0), .. }) {
        return Err(Outcome::Broken(format!("anywarp.exe tune: {tuned:?}"), log));
    }
    if !folder.join(CACHE).is_dir() {
        return Err(Outcome::Broken(format!("anywarp.exe tune: created no folder '{CACHE}'"), log));
    }
    let log = wine.folder.join("tool-show.log");
    let shown = run(started(wine, tool, &folder).args(["tune", "show"]), SETTING_UP, &log);
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    if matches!(shown, Ended::Status { code: Some(0), .. }) && text.contains("sort f32 keys") {
        return Ok(());
    }
    Err(Outcome::Broken(format!("anywarp.exe tune show: no result of an earlier process ({shown:?})"), log))
}

fn emptied(wine: &Wine, log: &Path) -> Result<PathBuf, Outcome> {
    let folder = wine.folder.join(FOLDER);
    let _ = std::fs::remove_dir_all(&folder);
    match std::fs::create_dir_all(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(Outcome::Broken(format!("{} cannot be created: {error}", folder.display()), log.into())),
    }
}

/// The tool in this folder, with a cache in it.
fn started(wine: &Wine, tool: &Path, folder: &Path) -> Command {
    let mut command = wine.command(tool);
    command.current_dir(folder).env("ANYWARP_CACHE", CACHE);
    command
}
