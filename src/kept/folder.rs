//! The files of a store.

use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The ending of a complete file.
const ENDING: &str = ".tune.txt";

/// How often a folder is read again because files were merged meanwhile.
const ATTEMPTS: usize = 8;

/// The complete files of a folder, sorted by their names, which begin with the date; none if it does not exist.
pub(super) fn read(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let mut texts = Vec::new();
        let mut gone = false;
        for path in list(folder)? {
            match fs::read(&path) {
                Ok(bytes) => texts.push((path, String::from_utf8_lossy(&bytes).into_owned())),
                // Another process has merged this file into one that the list may not have.
                Err(error) if error.kind() == ErrorKind::NotFound => gone = true,
                Err(error) => return Err(error),
            }
        }
        if !gone || attempt == ATTEMPTS {
            return Ok(texts);
        }
    }
}

/// Writes a new file: under another name first, so that no process reads a part of it.
pub(super) fn write(folder: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Random numbers, because processes on several machines may share the folder.
    let random = || RandomState::new().build_hasher().finish();
    let name = format!("{:016x}-{:016x}", super::store::now(), random());
    let unfinished = folder.join(format!(".{name}.unfinished"));
    let written = File::create_new(&unfinished)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&unfinished, folder.join(format!("{name}{ENDING}"))));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

pub(super) fn clear(folder: &Path) -> io::Result<usize> {
    let files = list(folder)?;
    files.iter().try_for_each(|path| remove(path))?;
    Ok(files.len())
}

/// Removes a file, unless another process has removed it.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry?;
        // A symbolic link is no file of the store.
        if entry.file_name().to_string_lossy().ends_with(ENDING) && entry.file_type()?.is_file() {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}
