//! Machine code as text, by the tools of a CUDA toolkit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp_host::environment::raw;

use crate::environment::NVDISASM;
use crate::installed::{self, Variable};

anywarp_backend::debug_as_display!(DisassembleError);

/// The disassemblers with their arguments. The first is preferred, because its output has the lines of the WGSL.
const TOOLS: &[(&str, &[&str])] =
    &[("nvdisasm", &["--print-code", "--print-line-info-inline"]), ("cuobjdump", &["--dump-sass"])];

/// The reason why machine code could not be disassembled.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DisassembleError {
    /// No disassembler was found.
    #[error(
        "neither nvdisasm nor cuobjdump was found ({tried}): install one with `pip install nvidia-cuda-nvdisasm` and set \
         {NVDISASM} to it or its folder, or install the CUDA toolkit"
    )]
    NotFound {
        /// The locations that were searched.
        tried: String,
    },
    /// The disassembler could not be started, or the cubin could not be written for it.
    #[error("{what} failed: {error}")]
    Failed {
        /// The step that failed.
        what: String,
        /// The system's error.
        error: io::Error,
    },
    /// The disassembler does not accept the cubin, because the program is too old, or because the bytes are not a
    /// cubin.
    #[error("{tool} refused the machine code: {message}; install a disassembler of the same CUDA version as NVRTC")]
    Refused {
        /// The path of the disassembler.
        tool: String,
        /// The disassembler's messages.
        message: String,
    },
}

/// Returns the instructions of a cubin, with the lines of the WGSL that they come from.
///
/// # Errors
/// [`DisassembleError`]; [`NotFound`](DisassembleError::NotFound) names what to install.
pub fn disassemble(cubin: &[u8]) -> Result<String, DisassembleError> {
    let (tool, arguments) = find(&raw)?;
    let file = Temporary::new(cubin)?;
    let shown = tool.display().to_string();
    let output = Command::new(&tool)
        .args(arguments)
        .arg(&file.0)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| DisassembleError::Failed { what: format!("starting {shown}"), error })?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || text.trim().is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = if said.trim().is_empty() { output.status.to_string() } else { said.trim().to_owned() };
        return Err(DisassembleError::Refused { tool: shown, message });
    }
    Ok(text.into_owned())
}

type Tool = (PathBuf, &'static [&'static str]);

fn find(variable: Variable<'_>) -> Result<Tool, DisassembleError> {
    if let Some(value) = variable(NVDISASM).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(value);
        let found = if path.is_dir() { in_folders(std::slice::from_ref(&path)) } else { named(&path) };
        let tried = || format!("{NVDISASM}={}", path.display());
        return found.ok_or_else(|| DisassembleError::NotFound { tried: tried() });
    }
    let mut folders: Vec<PathBuf> = variable("PATH").iter().flat_map(std::env::split_paths).collect();
    let installed = installed::folders(variable, &["bin"]);
    let tried = installed.iter().map(|folder| folder.display().to_string());
    let tried = std::iter::once("PATH".to_owned()).chain(tried).collect::<Vec<_>>().join(", ");
    folders.extend(installed);
    in_folders(&folders).ok_or(DisassembleError::NotFound { tried })
}

fn in_folders(folders: &[PathBuf]) -> Option<Tool> {
    TOOLS.iter().find_map(|(name, arguments)| {
        let file = |folder: &PathBuf| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        Some((folders.iter().map(file).find(|file| file.is_file())?, *arguments))
    })
}

/// Returns the disassembler at a path that the user chose, with the arguments for its file name, or else those of the
/// first tool.
fn named(file: &Path) -> Option<Tool> {
    let name = file.file_name()?.to_string_lossy();
    let (_, arguments) = TOOLS.iter().find(|(tool, _)| name.contains(tool)).or(TOOLS.first())?;
    file.is_file().then(|| (file.to_owned(), *arguments))
}

/// A file with these bytes, removed on drop. The tools need a file, because neither reads standard input.
struct Temporary(PathBuf);

impl Temporary {
    fn new(bytes: &[u8]) -> Result<Self, DisassembleError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("anywarp-{}-{number}.cubin", std::process::id()));
        let what = format!("writing {}", path.display());
        fs::write(&path, bytes).map_err(|error| DisassembleError::Failed { what, error })?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // An error is ignored: the system removes temporary files that remain.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::{DisassembleError, disassemble, find};
    use crate::nvrtc::{Output, Source, library};

    #[test]
    fn nothing_found_says_what_to_install() {
        for name in ["ANYWARP_NVDISASM", "PATH"] {
            match find(&|variable| (variable == name).then(|| "/nonexistent".into())) {
                Err(error) => assert!(error.to_string().contains("pip install nvidia-cuda-nvdisasm"), "{error}"),
                // A toolkit may be installed in the default location.
                Ok(_) => assert_eq!(name, "PATH"),
            }
        }
    }

    #[test]
    fn the_variable_takes_a_file_or_a_folder() {
        let folder = std::env::temp_dir().join(format!("anywarp-tools-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let tool = folder.join(format!("cuobjdump{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&tool, "").unwrap();
        for value in [&folder, &tool] {
            let (found, arguments) = find(&|name| (name == "ANYWARP_NVDISASM").then(|| value.into())).unwrap();
            assert_eq!((&found, arguments), (&tool, &["--dump-sass"][..]));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn instructions_of_a_kernel() {
        let Ok(nvrtc) = library() else { return };
        let text = "#line 3 \"a.wgsl\"\nextern \"C\" __global__ void k(float* a) { a[threadIdx.x] *= 2; }";
        let source = Source { name: "k", text, architecture: 80, fast_math: false, defines: &[] };
        match disassemble(&nvrtc.compile(&source, Output::Cubin).unwrap().image) {
            Ok(text) => assert!(text.contains("STG") && text.contains("EXIT"), "{text}"),
            Err(DisassembleError::NotFound { .. }) => return,
            Err(error) => panic!("{error}"),
        }
        assert!(matches!(disassemble(b"no cubin"), Err(DisassembleError::Refused { .. })));
    }
}
