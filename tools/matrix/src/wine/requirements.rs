//! The requirements of Windows programs under Wine, and those of Direct3D.
//!
//! Wine 8 lacks two parts: a system library that Rust's standard library needs (built here from
//! `wine/bcryptprimitives.c`), and a compiler for HLSL with shader model 5.1 (Microsoft's own, from a wheel of the
//! Python Package Index; not stored in the repository). Its Direct3D cannot bind anything on a Vulkan driver without
//! descriptor indexing, such as Mesa 22 ("Invalid heap for base descriptor"): then Mesa comes from Debian's backports.
//! With descriptor indexing, it allocates a million descriptors of each kind: a Vulkan layer (`wine/few_descriptors.c`)
//! reports a lower limit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::limited::{Ended, run};
use crate::native::MESA;
use crate::requirements::{Package, file_of_backport, file_of_wheel, packages, standard_library};

/// Rust's name for the system of the programs.
pub(super) const TARGET: &str = "x86_64-pc-windows-gnu";
pub(super) const WINE: &str = "/usr/lib/wine/wine64";
pub(super) const WINE_SERVER: &str = "/usr/lib/wine/wineserver64";
pub(super) const LAYER: &str = "VK_LAYER_ANYWARP_few_descriptors";
/// The time limit of a short command.
pub(super) const SETTING_UP: Duration = Duration::from_secs(180);

const PACKAGES: &[Package] =
    &[("gcc-mingw-w64-x86-64", "/usr/bin/x86_64-w64-mingw32-gcc"), ("wine64", WINE), ("xvfb", "/usr/bin/Xvfb")];
/// Packages that only Direct3D needs.
const OF_DIRECT3D: &[Package] = &[("libvulkan-dev", "/usr/include/vulkan/vk_layer.h"), MESA];

/// Installs the requirements of every Windows program.
pub(super) fn ready(root: &Path, folder: &Path) -> Result<(), String> {
    packages(folder, PACKAGES)?;
    standard_library(TARGET)?;
    compiled(
        "x86_64-w64-mingw32-gcc",
        &root.join("tools/matrix/wine/bcryptprimitives.c"),
        &["-O2", "-shared", "-ladvapi32"],
        &folder.join("bcryptprimitives.dll"),
    )
}

/// Installs the requirements of programs that use Direct3D; returns the manifest of the Vulkan driver.
pub(super) fn ready_for_direct3d(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    packages(folder, OF_DIRECT3D)?;
    ready(root, folder)?;
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
