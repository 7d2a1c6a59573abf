//! The Windows build under Wine: the suite on the processor, with the tool, and on Direct3D 12, which runs on software
//! Vulkan.
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
use crate::native::{MESA, SUITE, build, built, found};
use crate::outcome::{Outcome, Report};
use crate::place::Place;
use crate::record::folder;
use crate::requirements::{Package, file_of_backport, file_of_wheel, packages, standard_library};

const TARGET: &str = "x86_64-pc-windows-gnu";
const WINE: &str = "/usr/lib/wine/wine64";
const WINE_SERVER: &str = "/usr/lib/wine/wineserver64";
const PACKAGES: &[Package] =
    &[("gcc-mingw-w64-x86-64", "/usr/bin/x86_64-w64-mingw32-gcc"), ("wine64", WINE), ("xvfb", "/usr/bin/Xvfb")];
/// Packages that only Direct3D needs.
const OF_DIRECT3D: &[Package] = &[("libvulkan-dev", "/usr/include/vulkan/vk_layer.h"), MESA];
/// The features of the suite's build for Direct3D.
const FOR_DIRECT3D: &[&str] = &["--package", "anywarp", "--no-default-features", "--features", "wgpu"];
/// The packages and features for the processor: the suite, and a test of the tool, for which cargo builds the tool itself.
const FOR_PROCESSOR: &[&str] = &["--package", "anywarp", "--package", "anywarp-cli", "--test", "devices"];
const TOOL: &str = "anywarp";
const LAYER: &str = "VK_LAYER_ANYWARP_few_descriptors";
/// The time limit of the suite, which takes a few minutes.
const RUNNING: Duration = Duration::from_secs(900);
const SETTING_UP: Duration = Duration::from_secs(180);

pub(crate) fn direct3d(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    let ready = packages(&folder, OF_DIRECT3D).and_then(|()| ready(root, &folder)).and_then(|()| layers(root, &folder));
    let driver = match ready {
        Ok(driver) => driver,
        Err(missing) => return Outcome::Missing(missing),
    };
    let variables = [
        ("VK_DRIVER_FILES", driver.as_path()),
        ("VK_LAYER_PATH", folder.as_path()),
        ("VK_INSTANCE_LAYERS", Path::new(LAYER)),
    ];
    let built = build(root, &folder, &[&["--target", TARGET], FOR_DIRECT3D].concat());
    let outcome = built.and_then(|program| {
        let program = beside_its_libraries(&program, &folder, SUITE)?;
        let wine = Wine::start(&folder, &variables).map_err(Outcome::Missing)?;
        Ok(suite(&wine, place, &program, &["--skip", OPERATORS]))
    });
    outcome.unwrap_or_else(|outcome| outcome)
}

/// Runs the suite on the processor, then the tool.
pub(crate) fn processor(root: &Path, place: &Place) -> Outcome {
    let folder = folder(root, place);
    if let Err(missing) = ready(root, &folder) {
        return Outcome::Missing(missing);
    }
    every_part(root, place, &folder).unwrap_or_else(|outcome| outcome)
}

fn every_part(root: &Path, place: &Place, folder: &Path) -> Result<Outcome, Outcome> {
    let log = folder.join("build.log");
    let arguments = [&["test", "--no-run", "--target", TARGET, "--test", SUITE], FOR_PROCESSOR].concat();
    let programs = built(root, &log, &arguments, &[])?;
    let program = beside_its_libraries(found(&programs, SUITE, &log)?, folder, SUITE)?;
    let tool = beside_its_libraries(found(&programs, TOOL, &log)?, folder, TOOL)?;
    let wine = Wine::start(folder, &[]).map_err(Outcome::Missing)?;
    match suite(&wine, place, &program, &[]) {
        Outcome::Ran(report) => {
            runs_a_kernel(&wine, root, folder, &tool)?;
            Ok(Outcome::Ran(Report { also: "`anywarp.exe` ran a kernel".to_owned(), ..report }))
        }
        other => Ok(other),
    }
}

/// Runs the suite on the place's device, with these additional arguments.
fn suite(wine: &Wine, place: &Place, program: &Path, arguments: &[&str]) -> Outcome {
    let log = wine.folder.join("suite.log");
    let mut command = wine.command(program);
    command.args([place.device, "--test-threads", "2"]).args(arguments);
    command.env("ANYWARP_REQUIRE", place.device).env("INSTA_UPDATE", "no");
    Outcome::of(place, &run(&mut command, RUNNING, &log), &log)
}

/// Runs a kernel with the tool, and checks the result that the tool writes.
fn runs_a_kernel(wine: &Wine, root: &Path, folder: &Path, tool: &Path) -> Result<(), Outcome> {
    let log = folder.join("tool.log");
    let result = folder.join("y.bin");
    let _ = std::fs::remove_file(&result);
    let mut command = wine.command(tool);
    command.arg("run").arg(root.join("examples/shaders/saxpy.wgsl"));
    command.args(["--device", "cpu", "--threads", "256", "--set", "params.a=3"]);
    command.args(["--bind", "x=ones:f32:256", "--bind", "y=ones:f32:256", "--out", "y=y.bin"]);
    let ended = run(&mut command, SETTING_UP, &log);
    let written = std::fs::read(&result).unwrap_or_default();
    // 3 * 1 + 1.
    let fours: Vec<u8> = [4.0f32; 256].iter().flat_map(|four| four.to_le_bytes()).collect();
    if matches!(ended, Ended::Status { code: Some(0), .. }) && written == fours {
        return Ok(());
    }
    let why = format!("anywarp.exe: expected 256 times 4.0, found {} bytes ({ended:?})", written.len());
    Err(Outcome::Broken(why, log))
}

/// Installs the requirements of every Windows program.
fn ready(root: &Path, folder: &Path) -> Result<(), String> {
    packages(folder, PACKAGES)?;
    standard_library(TARGET)?;
    compiled(
        "x86_64-w64-mingw32-gcc",
        &root.join("tools/matrix/wine/bcryptprimitives.c"),
        &["-O2", "-shared", "-ladvapi32"],
        &folder.join("bcryptprimitives.dll"),
    )
}

/// Installs the requirements of Direct3D; returns the manifest of the Vulkan driver.
fn layers(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let platform = ["--platform", "win_amd64", "--python-version", "3.7"];
    file_of_wheel(folder, "cefpython3==66.1", &platform, "cefpython3/d3dcompiler_47.dll")?;
    let layer = folder.join("few_descriptors.so");
    let source = root.join("tools/matrix/wine/few_descriptors.c");
    compiled("cc", &source, &["-O2", "-shared", "-fPIC"], &layer)?;
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
fn beside_its_libraries(program: &Path, folder: &Path, name: &str) -> Result<PathBuf, Outcome> {
    let copy = folder.join(format!("{name}.exe"));
    match std::fs::copy(program, &copy) {
        Ok(_) => Ok(copy),
        Err(error) => Err(Outcome::Broken(format!("{} cannot be written: {error}", copy.display()), folder.into())),
    }
}

/// The cases that do not run: the compiler of HLSL did not end for some of their kernels within ten minutes.
const OPERATORS: &str = "operators::";

/// Wine with a new folder of its own, so that no state of an earlier run remains. Its processes end when it is dropped.
struct Wine {
    screen: Screen,
    folder: PathBuf,
    variables: Vec<(String, PathBuf)>,
}

impl Wine {
    /// # Errors
    /// One line with the reason why Wine does not start.
    fn start(folder: &Path, variables: &[(&str, &Path)]) -> Result<Self, String> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), value.to_path_buf())).collect();
        let wine = Self { screen: Screen::start()?, folder: folder.to_path_buf(), variables };
        let _ = std::fs::remove_dir_all(wine.prefix());
        let log = folder.join("wineboot.log");
        match run(wine.command(Path::new("wineboot")).arg("-i"), SETTING_UP, &log) {
            Ended::Status { code: Some(0), .. } => Ok(wine),
            other => Err(format!("wineboot: {other:?}; log: {}", log.display())),
        }
    }

    fn prefix(&self) -> PathBuf {
        self.folder.join("prefix")
    }

    /// A Windows program.
    fn command(&self, program: &Path) -> Command {
        let mut command = self.with_variables(WINE);
        command.arg(program);
        command
    }

    fn with_variables(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("WINEPREFIX", self.prefix()).env("WINEDEBUG", "-all").env("DISPLAY", &self.screen.display);
        command.env("WINEDLLOVERRIDES", "d3dcompiler_47=n;mscoree,mshtml=");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Otherwise Wine's user folders and Vulkan's loader would use the caller's.
        command.env("XDG_RUNTIME_DIR", &self.folder).current_dir(&self.folder);
        command
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        // Ends the processes of this Wine folder, and no others.
        let mut command = self.with_variables(WINE_SERVER);
        let _ = run(command.arg("-k"), SETTING_UP, &self.folder.join("wineserver.log"));
    }
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
