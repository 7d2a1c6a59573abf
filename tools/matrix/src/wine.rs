//! The Windows build of the suite under Wine, whose Direct3D 12 runs on software Vulkan.
//!
//! Wine 8 lacks two parts: a system library that Rust's standard library needs (built here from
//! `wine/bcryptprimitives.c`), and a compiler for HLSL with shader model 5.1 (Microsoft's own, from a wheel of the
//! Python Package Index; not stored in the repository). Its Direct3D cannot bind anything on a Vulkan driver without
//! descriptor indexing, such as Mesa 22 ("Invalid heap for base descriptor"): then Mesa comes from Debian's backports.
//! With descriptor indexing, it allocates a million descriptors of each kind: a Vulkan layer (`wine/few_descriptors.c`)
//! reports a lower limit.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::limited::{Ended, run};
use crate::native::{MESA, build};
use crate::outcome::Outcome;
use crate::place::Place;
use crate::record::folder;
use crate::requirements::{Package, file_of_backport, file_of_wheel, packages};

const TARGET: &str = "x86_64-pc-windows-gnu";
const WINE: &str = "/usr/lib/wine/wine64";
const WINE_SERVER: &str = "/usr/lib/wine/wineserver64";
const PACKAGES: &[Package] = &[
    ("gcc-mingw-w64-x86-64", "/usr/bin/x86_64-w64-mingw32-gcc"),
    ("wine64", WINE),
    ("xvfb", "/usr/bin/Xvfb"),
    ("libvulkan-dev", "/usr/include/vulkan/vk_layer.h"),
    MESA,
];
const LAYER: &str = "VK_LAYER_ANYWARP_few_descriptors";
/// The time limit of the suite, which takes a few minutes.
const RUNNING: Duration = Duration::from_secs(900);
const SETTING_UP: Duration = Duration::from_secs(180);

pub(crate) fn direct3d(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    let driver = match ready(root, &folder) {
        Ok(driver) => driver,
        Err(missing) => return Outcome::Missing(missing),
    };
    let arguments = ["--package", "anywarp", "--target", TARGET, "--no-default-features", "--features", "wgpu"];
    let program = build(root, &folder, &arguments);
    let program = match program.map(|program| beside_its_libraries(&program, &folder)) {
        Ok(Ok(program)) => program,
        Ok(Err(why)) => return Outcome::Broken(why, folder),
        Err(broken) => return broken,
    };
    let log = folder.join("suite.log");
    let ended = match Screen::start() {
        Ok(screen) => under_wine(&screen, &program, &driver, place, &folder, &log),
        Err(missing) => return Outcome::Missing(missing),
    };
    Outcome::of(place, &ended, &log)
}

/// Installs everything except the suite; returns the manifest of the Vulkan driver.
fn ready(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    packages(folder, PACKAGES)?;
    standard_library()?;
    let platform = ["--platform", "win_amd64", "--python-version", "3.7"];
    file_of_wheel(folder, "cefpython3==66.1", &platform, "cefpython3/d3dcompiler_47.dll")?;
    let source = root.join("tools/matrix/wine");
    let flags = ["-O2", "-shared", "-ladvapi32"];
    compiled(
        "x86_64-w64-mingw32-gcc",
        &source.join("bcryptprimitives.c"),
        &flags,
        &folder.join("bcryptprimitives.dll"),
    )?;
    let layer = folder.join("few_descriptors.so");
    compiled("cc", &source.join("few_descriptors.c"), &["-O2", "-shared", "-fPIC"], &layer)?;
    written(
        &folder.join("few_descriptors.json"),
        &serde_json::json!({
            "file_format_version": "1.2.0",
            "layer": {
                "name": LAYER, "type": "GLOBAL", "library_path": layer, "api_version": "1.3.0",
                "implementation_version": "1", "description": "fewer descriptors",
            },
        }),
    )?;
    driver(folder)
}

/// The manifest of a Mesa with descriptor indexing.
fn driver(folder: &Path) -> Result<PathBuf, String> {
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !system.contains("VERSION_CODENAME=bookworm") {
        return Ok(PathBuf::from(MESA.1));
    }
    let library = file_of_backport(folder, "mesa-vulkan-drivers", "usr/lib/x86_64-linux-gnu/libvulkan_lvp.so")?;
    let manifest = folder.join("lavapipe.json");
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "api_version": "1.3.0", "library_path": library },
    });
    written(&manifest, &text)?;
    Ok(manifest)
}

fn written(file: &Path, text: &serde_json::Value) -> Result<(), String> {
    std::fs::write(file, text.to_string()).map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// Installs Rust's standard library for Windows.
fn standard_library() -> Result<(), String> {
    let added = Command::new("rustup").args(["target", "add", TARGET]).output();
    match added {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "{TARGET} cannot be installed: {}",
                said.lines().last().unwrap_or("rustup printed nothing").trim()
            ))
        }
        Err(error) => Err(format!("{TARGET} cannot be installed: rustup: {error}")),
    }
}

/// Builds a library from one file with a C compiler.
fn compiled(compiler: &str, source: &Path, flags: &[&str], library: &Path) -> Result<(), String> {
    let log = library.with_extension("log");
    let mut command = Command::new(compiler);
    command.arg("-o").arg(library).arg(source).args(flags);
    match run(&mut command, SETTING_UP, &log) {
        Ended::Status { code: Some(0), .. } => Ok(()),
        ended => Err(format!("{} cannot be built ({ended:?}); log: {}", source.display(), log.display())),
    }
}

/// Copies the program to the folder of its libraries, where Windows searches for them; returns the copy.
fn beside_its_libraries(program: &Path, folder: &Path) -> Result<PathBuf, String> {
    let copy = folder.join("conformance.exe");
    match std::fs::copy(program, &copy) {
        Ok(_) => Ok(copy),
        Err(error) => Err(format!("{} cannot be written: {error}", copy.display())),
    }
}

/// The cases that do not run: the compiler of HLSL did not end for some of their kernels within ten minutes.
const OPERATORS: &str = "operators::";

/// Runs the program in a new folder of Wine's, so that no state of an earlier run remains.
fn under_wine(screen: &Screen, program: &Path, driver: &Path, place: &Place, folder: &Path, log: &Path) -> Ended {
    let prefix = folder.join("prefix");
    let _ = std::fs::remove_dir_all(&prefix);
    let wine = |program: &str| {
        let mut command = Command::new(program);
        command.env("WINEPREFIX", &prefix).env("WINEDEBUG", "-all").env("DISPLAY", &screen.display);
        command
            .env("WINEDLLOVERRIDES", "d3dcompiler_47=n;mscoree,mshtml=")
            .env("VK_DRIVER_FILES", driver)
            .env("VK_LAYER_PATH", folder)
            .env("VK_INSTANCE_LAYERS", LAYER);
        // Otherwise Wine's user folders and Vulkan's loader would use the caller's.
        command.env("XDG_RUNTIME_DIR", folder).current_dir(folder);
        command
    };
    let begun = run(wine(WINE).args(["wineboot", "-i"]), SETTING_UP, &folder.join("wineboot.log"));
    let ended = match begun {
        Ended::Status { code: Some(0), .. } => {
            let mut command = wine(WINE);
            command
                .arg(program)
                .args([place.device, "--test-threads", "2", "--skip", OPERATORS])
                .env("ANYWARP_REQUIRE", place.device)
                .env("INSTA_UPDATE", "no");
            run(&mut command, RUNNING, log)
        }
        other => Ended::NotStarted(format!("wineboot: {other:?}; log: {}", folder.join("wineboot.log").display())),
    };
    // Ends the processes of this Wine folder, and no others.
    let _ = run(wine(WINE_SERVER).arg("-k"), SETTING_UP, &folder.join("wineserver.log"));
    ended
}

/// A virtual screen, which Wine's windows need; it ends when dropped.
struct Screen {
    server: Child,
    display: String,
}

impl Screen {
    fn start() -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("Xvfb cannot be started: {error}");
        let mut command = Command::new("Xvfb");
        // Xvfb chooses a free number and prints it when it is ready.
        command.args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().map_err(|error| failed(&error))?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut number).map_err(|error| failed(&error))?;
        }
        let number = number.trim();
        if number.is_empty() {
            let _ = server.wait();
            return Err(failed(&"it ended immediately"));
        }
        Ok(Self { display: format!(":{number}"), server })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
