//! Functions that read files which other programs may have written: arrays, tables and the disk cache.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anywarp::loader::{Dataset, IdxDataset, InMemory};
use anywarp_host::cache::{DiskCache, Key};

use crate::npy_format;

/// Parses a file of numpy's format and writes it again.
///
/// # Panics
/// If the array that is read from the written file differs from the first one.
pub fn npy(bytes: &[u8]) {
    if let Ok(array) = npy_format::parse(bytes.to_vec()) {
        let again = npy_format::write(array.dtype, &array.shape, &array.bytes);
        assert_eq!(npy_format::parse(again), Ok(array));
    }
}

/// Opens a file as the arrays, and as the labels, of an IDX data set, and reads the samples.
pub fn idx(bytes: &[u8]) {
    // A file of four labels.
    const LABELS: &[u8] = &[0, 0, 8, 1, 0, 0, 0, 4, 1, 2, 3, 4];
    for (arrays, labels) in [(bytes, LABELS), (LABELS, bytes)] {
        with_files(&[arrays, labels], |files| {
            let Ok(data) = IdxDataset::<f32>::open(&files[0], &files[1]) else { return };
            let mut sample = vec![0.0; data.lengths()[0]];
            for index in 0..data.len() {
                let _ = data.read(index, (&mut sample, &mut [0]));
            }
        });
    }
}

/// Reads a table of two columns.
pub fn csv(bytes: &[u8]) {
    with_files(&[bytes], |files| {
        let _ = InMemory::<(Vec<f32>, Vec<i32>)>::csv(&files[0], &[&["a"], &["b"]]);
    });
}

/// Writes `bytes` as the file of an entry of the disk cache, then looks the entry up: the cache has to return nothing,
/// or the content that was stored under its key.
///
/// # Panics
/// If the cache returns anything else.
pub fn cache(bytes: &[u8]) {
    let content: &[u8] = b"machine code";
    let folder = folder();
    let (cache, key) = (DiskCache::open(&folder, 1 << 20), Key::new("cuda", ["compiler", "text"]));
    cache.put(&key, content).unwrap();
    let kept = fs::read_dir(folder.join("cuda")).unwrap().next().unwrap().unwrap().path();
    fs::write(kept, bytes).unwrap();
    let found = cache.get(&key);
    fs::remove_dir_all(folder).unwrap();
    assert!(found.is_none_or(|found| found == content), "the cache returned other bytes");
}

/// Calls `work` with the paths of files, one for each element of `contents`.
fn with_files(contents: &[&[u8]], work: impl FnOnce(&[PathBuf])) {
    let folder = folder();
    let write = |(number, content): (usize, &&[u8])| {
        let file = folder.join(number.to_string());
        fs::write(&file, content).unwrap();
        file
    };
    let files: Vec<PathBuf> = contents.iter().enumerate().map(write).collect();
    work(&files);
    fs::remove_dir_all(folder).unwrap();
}

/// Returns a new folder, in memory if the system has a folder in memory.
fn folder() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = base.join(format!("anywarp-fuzz-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}
