//! Passes a fingerprint of the operators to the crate, so that results of tuning are used only with the kernels that were
//! measured.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders on which results of operators depend: texts of kernels, and the code that launches them.
const FOLDERS: [&str; 2] = ["shaders", "src/ops"];

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo:rerun-if-changed={folder}");
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    // FNV-1a (Fowler, Noll and Vo), as the standard library's hash may change from version to version.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let text = fs::read(&file).unwrap_or_default();
        // Line ends depend on how the source was fetched.
        for byte in name.bytes().chain([0]).chain(text.into_iter().filter(|byte| *byte != b'\r')).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo:rustc-env=OPERATORS_FINGERPRINT={hash:016x}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
