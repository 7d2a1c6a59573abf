//! The cache of compiled kernels on disk: a corrupt, a read-only, and a disabled one, and one that is not a folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::absence::opened_with;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("anywarp-cache-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn opens(folder: &Path) {
    let said = opened_with(&[("ANYWARP_CACHE", folder.to_str().expect("a name in UTF-8"))]);
    assert!(said.contains("opened"), "{said}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn kernels_are_cached_and_corrupt_files_are_replaced() {
    if super::device().is_none() {
        return;
    }
    let folder = folder("broken");
    opens(&folder);
    let kept = files(&folder);
    assert!(!kept.is_empty(), "nothing was kept");
    opens(&folder);
    assert_eq!(files(&folder).len(), kept.len());
    for file in &kept {
        let mut bytes = fs::read(file).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        fs::write(file, bytes).expect("a file");
    }
    opens(&folder);
    for file in &kept {
        fs::write(file, b"").expect("a file");
    }
    opens(&folder);
    fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn a_cache_without_a_folder_is_no_error() {
    if super::device().is_none() {
        return;
    }
    let folder = folder("none");
    let file = folder.join("file");
    fs::write(&file, b"not a folder").expect("a file");
    opens(&file);
    opens(&file.join("below"));
    opens(Path::new("off"));
    opens(Path::new("/proc/anywarp"));
    fs::remove_dir_all(folder).expect("a folder");
}
