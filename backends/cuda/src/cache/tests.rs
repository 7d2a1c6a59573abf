//! The cache as a whole: what is stored is found, and nothing else.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::{DiskCache, Key, compiled, entry};
use crate::nvrtc::{Compiled, Job, Output, Source, library};
use crate::resources::Usage;

const ROOMY: u64 = 1 << 30;
/// Set for the second process of a test: the folder.
const CHILD: &str = "ANYWARP_TEST_CACHE_CHILD";

fn key(text: &str) -> Key {
    let source = Source { name: "a.wgsl:main", text, architecture: 90, fast_math: false, defines: &[] };
    let job = Job { output: Output::Cubin, architecture: "sm_90".to_owned(), options: vec!["-o".to_owned()] };
    Key::new(&source, &job, (13, 5))
}

/// A folder of its own for each test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("anywarp-cache-{name}-{}", std::process::id()));
        // Left over from a process of the same number.
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The file of a key, as if it had been used so many seconds ago.
fn age(cache: &DiskCache, key: &Key, seconds: u64) {
    let file = File::options().append(true).open(cache.folder().join(key.file_name())).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn what_is_stored_is_found() {
    let folder = Folder::new("round-trip");
    let cache = DiskCache::open(folder.0.join("deeper/still"), ROOMY);
    for (text, content) in [("a", &b"one"[..]), ("b", b""), ("c", &[7; 100_000])] {
        assert_eq!(cache.get(&key(text)), None);
        cache.put(&key(text), content);
        assert_eq!(cache.get(&key(text)).as_deref(), Some(content));
    }
    cache.put(&key("a"), b"another");
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"another"[..]));
    let again = DiskCache::open(cache.folder(), ROOMY);
    assert_eq!(again.get(&key("b")).as_deref(), Some(&b""[..]));
    assert_eq!(Folder(cache.folder().to_owned()).files().len(), 3);
}

#[test]
fn a_kernel_comes_back_as_it_was() {
    let usage =
        Usage { registers: 1, stack_bytes: 2, spill_stores: 3, spill_loads: 4, shared_bytes: 5, constant_bytes: 6 };
    for (output, usage) in [(Output::Cubin, Some(usage)), (Output::Ptx, None)] {
        let compiled = Compiled { image: vec![1, 2, 3], output, usage, log: String::new(), cached: false };
        let found = entry::kernel(&entry::of_kernel(&compiled)).unwrap();
        assert_eq!(found, Compiled { cached: true, ..compiled });
    }
    for length in 0..26 {
        assert_eq!(entry::kernel(&vec![0; length]), None, "{length}");
    }
    assert_eq!(entry::kernel(&[9; 40]), None);
}

#[test]
fn damaged_files_are_ignored_and_replaced() {
    let folder = Folder::new("damage");
    let cache = DiskCache::open(&folder.0, ROOMY);
    let key = key("kernel");
    let content: Vec<u8> = (0..200).collect();
    cache.put(&key, &content);
    let path = folder.0.join(key.file_name());
    let whole = fs::read(&path).unwrap();
    for position in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[position] ^= flip;
            assert_eq!(entry::content(&damaged, &key), None, "byte {position} ^ {flip:#x}");
        }
    }
    for length in 0..whole.len() {
        assert_eq!(entry::content(&whole[..length], &key), None, "{length} bytes");
    }
    let longer = [&whole[..], b"x"].concat();
    for bytes in [&b""[..], b"something else", &whole[..50], &longer] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(cache.get(&key), None);
        cache.put(&key, &content);
        assert_eq!(cache.get(&key).as_deref(), Some(&content[..]));
    }
}

#[test]
fn a_file_of_another_key_is_ignored() {
    let folder = Folder::new("foreign");
    let cache = DiskCache::open(&folder.0, ROOMY);
    cache.put(&key("a"), b"of a");
    // As if both had the same hash.
    fs::copy(folder.0.join(key("a").file_name()), folder.0.join(key("b").file_name())).unwrap();
    assert_eq!(cache.get(&key("b")), None);
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"of a"[..]));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_empty_cache() {
    let folder = Folder::new("file");
    fs::create_dir_all(&folder.0).unwrap();
    let file = folder.0.join("file");
    fs::write(&file, "in the way").unwrap();
    let cache = DiskCache::open(file.join("cache"), ROOMY);
    cache.put(&key("a"), b"one");
    assert_eq!(cache.get(&key("a")), None);
    // It has given up: not even a way that is free now is taken.
    fs::remove_file(&file).unwrap();
    cache.put(&key("a"), b"one");
    assert!(!file.exists());
}

#[test]
fn a_folder_that_goes_is_made_again() {
    let folder = Folder::new("gone");
    let cache = DiskCache::open(&folder.0, ROOMY);
    cache.put(&key("a"), b"one");
    fs::remove_dir_all(&folder.0).unwrap();
    assert_eq!(cache.get(&key("a")), None);
    cache.put(&key("a"), b"one");
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"one"[..]));
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let folder = Folder::new("evict");
    let texts: Vec<String> = (0..9).map(|i| format!("kernel {i}")).collect();
    let size = entry::file(&key(&texts[0]), &[0; 1000]).len() as u64;
    let cache = DiskCache::open(&folder.0, 8 * size);
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("notes.txt"), "not the cache's").unwrap();
    for (i, text) in texts[..8].iter().enumerate() {
        cache.put(&key(text), &[0; 1000]);
        age(&cache, &key(text), 100 - i as u64);
    }
    assert!(texts[..8].iter().all(|text| folder.0.join(key(text).file_name()).exists()), "the bound is not passed");
    // The oldest is used again; the ninth passes the bound, and 6 remain.
    assert!(cache.get(&key(&texts[0])).is_some());
    cache.put(&key(&texts[8]), &[0; 1000]);
    let left: Vec<usize> = (0..9).filter(|i| folder.0.join(key(&texts[*i]).file_name()).exists()).collect();
    assert_eq!(left, [0, 4, 5, 6, 7, 8]);
    assert!(folder.0.join("notes.txt").exists());

    cache.put(&key("large"), &vec![0; 8 * size as usize]);
    assert_eq!(cache.get(&key("large")), None, "one that fits nowhere");
    assert_eq!(folder.files().len(), 7);
}

#[test]
fn half_written_files_go_when_they_are_old() {
    let folder = Folder::new("abandoned");
    let cache = DiskCache::open(&folder.0, 1500);
    fs::create_dir_all(&folder.0).unwrap();
    for (name, seconds) in [(".unfinished-1-0", 7200), (".unfinished-2-0", 60)] {
        let file = File::create(folder.0.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    }
    cache.put(&key("a"), &[0; 1000]);
    cache.put(&key("b"), &[0; 1000]);
    assert!(!folder.0.join(".unfinished-1-0").exists());
    assert!(folder.0.join(".unfinished-2-0").exists());
}

/// Puts and gets, of which a few pass the bound: whatever is found is what was stored.
fn exercise(folder: &Path, seed: usize) {
    let cache = DiskCache::open(folder, 60_000);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                for step in 0..100 {
                    let number = (step * 7 + thread * 13 + seed) % 40;
                    let key = key(&format!("kernel {number}"));
                    let content = vec![number as u8; 1000 + 50 * number];
                    if step % 3 == 0 {
                        cache.put(&key, &content);
                    } else if let Some(found) = cache.get(&key) {
                        assert_eq!(found, content);
                    }
                }
            });
        }
    });
    assert!(!cache.given_up.load(std::sync::atomic::Ordering::Relaxed), "nothing went wrong");
}

#[test]
fn threads_and_processes_share_a_folder() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return exercise(Path::new(&folder), 5);
    }
    let folder = Folder::new("shared");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "cache::tests::threads_and_processes_share_a_folder"])
        .env(CHILD, &folder.0)
        .spawn()
        .unwrap();
    exercise(&folder.0, 0);
    assert!(child.wait().unwrap().success());
    let bytes: u64 = folder.files().iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(bytes > 0 && bytes < 3 * 60_000, "{bytes} bytes are left");
    assert!(folder.files().iter().all(|file| super::key::is_entry(file.file_name().unwrap().to_str().unwrap())));
}

#[test]
fn a_kernel_is_compiled_once() {
    let Ok(nvrtc) = library() else { return };
    let folder = Folder::new("compile");
    let cache = DiskCache::open(&folder.0, ROOMY);
    let text = "extern \"C\" __global__ void k(int* a) { a[threadIdx.x] = 1; }";
    let source = Source { name: "k", text, architecture: 80, fast_math: false, defines: &[] };
    let first = compiled(nvrtc, Some(&cache), &source, Output::Cubin).unwrap();
    let second = compiled(nvrtc, Some(&cache), &source, Output::Cubin).unwrap();
    assert!(!first.cached && second.cached && second.usage.is_some());
    assert_eq!((&first.image, first.usage), (&second.image, second.usage));
    assert!(!compiled(nvrtc, Some(&cache), &source, Output::Ptx).unwrap().cached);
    assert!(!compiled(nvrtc, Some(&cache), &Source { fast_math: true, ..source }, Output::Cubin).unwrap().cached);
    assert!(!compiled(nvrtc, None, &source, Output::Cubin).unwrap().cached);
    assert_eq!(folder.files().len(), 3);
}
