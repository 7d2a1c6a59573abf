//! The cache as a whole: stored entries are found, and nothing else.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::{DiskCache, KINDS, Key, Removed, entry};

const ROOMY: u64 = 1 << 30;
/// The environment variable that passes the cache's folder to the second process of a test.
const CHILD: &str = "ANYWARP_TEST_CACHE_CHILD";

fn key(text: &str) -> Key {
    Key::new("cuda", ["13.5 sm_90", text])
}

fn other_kind(text: &str) -> Key {
    Key::new("vulkan", ["13.5 sm_90", text])
}

/// A folder of its own for each test, removed at its end. Its name has a space and a letter beyond ASCII.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("anywarp cache für {name}-{}", std::process::id()));
        // The folder may be left over from an earlier process with the same id.
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn of_kind(&self, kind: &str) -> Vec<PathBuf> {
        let all = fs::read_dir(self.0.join(kind)).into_iter().flatten();
        let mut files: Vec<PathBuf> = all.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    /// The files in the folders of all kinds.
    fn files(&self) -> Vec<PathBuf> {
        KINDS.iter().flat_map(|kind| self.of_kind(kind)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Sets the time of the last use of a key's file to this number of seconds ago.
fn age(cache: &DiskCache, key: &Key, seconds: u64) {
    let file = File::options().append(true).open(cache.path(key)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_stored_entry_is_found() {
    let folder = Folder::new("round-trip");
    let cache = DiskCache::open(folder.0.join("deeper/still"), ROOMY);
    for (text, content) in [("a", &b"one"[..]), ("b", b""), ("c", &[7; 100_000])] {
        assert_eq!(cache.get(&key(text)), None);
        cache.put(&key(text), content).unwrap();
        assert_eq!(cache.get(&key(text)).as_deref(), Some(content));
    }
    cache.put(&key("a"), b"another").unwrap();
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"another"[..]));
    let again = DiskCache::open(cache.folder(), ROOMY);
    assert_eq!(again.get(&key("b")).as_deref(), Some(&b""[..]));
    assert_eq!(Folder(cache.folder().to_owned()).files().len(), 3);
}

#[test]
fn damaged_files_are_ignored_and_replaced() {
    let folder = Folder::new("damage");
    let cache = DiskCache::open(&folder.0, ROOMY);
    let key = key("kernel");
    let content: Vec<u8> = (0..200).collect();
    cache.put(&key, &content).unwrap();
    let path = cache.path(&key);
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
        cache.put(&key, &content).unwrap();
        assert_eq!(cache.get(&key).as_deref(), Some(&content[..]));
    }
}

#[test]
fn a_file_of_another_key_is_ignored() {
    let folder = Folder::new("foreign");
    let cache = DiskCache::open(&folder.0, ROOMY);
    cache.put(&key("a"), b"of a").unwrap();
    // The copy is where the file of key `b` would be if both keys had the same hash.
    fs::copy(cache.path(&key("a")), cache.path(&key("b"))).unwrap();
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
    let said = cache.put(&key("a"), b"one").unwrap_err().to_string();
    assert!(said.contains(&file.join("cache").display().to_string()) && said.contains("ANYWARP_CACHE"), "{said}");
    assert_eq!(cache.get(&key("a")), None);
    // The failure to store was reported, so storing is not tried again, though it could succeed now.
    fs::remove_file(&file).unwrap();
    cache.put(&key("a"), b"one").unwrap();
    assert!(!file.exists());
    assert_eq!(cache.clear(None), Removed::default());
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_only_be_read_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("read-only");
    DiskCache::open(&folder.0, ROOMY).put(&key("a"), b"one").unwrap();
    let inside = folder.0.join("cuda");
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o500)).unwrap();
    let cache = DiskCache::open(&folder.0, ROOMY);
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"one"[..]));
    // The superuser may write and remove files despite the permissions.
    if cache.put(&key("b"), b"two").is_err() {
        assert_eq!((cache.get(&key("b")), cache.clear(None).left), (None, 1));
    }
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_folder_that_goes_is_made_again() {
    let folder = Folder::new("gone");
    let cache = DiskCache::open(&folder.0, ROOMY);
    cache.put(&key("a"), b"one").unwrap();
    fs::remove_dir_all(&folder.0).unwrap();
    assert_eq!(cache.get(&key("a")), None);
    cache.put(&key("a"), b"one").unwrap();
    assert_eq!(cache.get(&key("a")).as_deref(), Some(&b"one"[..]));
}

#[test]
fn the_least_recently_used_entry_of_any_kind_is_removed_first() {
    let folder = Folder::new("evict");
    let keys: Vec<Key> = (0..9)
        .map(|i| if i % 2 == 0 { key(&format!("kernel {i}")) } else { other_kind(&format!("kernel {i}")) })
        .collect();
    let size = entry::file(&keys[1], &[0; 1000]).len() as u64;
    let cache = DiskCache::open(&folder.0, 8 * size);
    fs::create_dir_all(folder.0.join("cuda")).unwrap();
    let foreign = [folder.0.join("notes.txt"), folder.0.join("cuda/notes.txt")];
    foreign.iter().for_each(|path| fs::write(path, "not the cache's").unwrap());
    for (i, key) in keys[..8].iter().enumerate() {
        cache.put(key, &[0; 1000]).unwrap();
        age(&cache, key, 100 - i as u64);
    }
    assert!(keys[..8].iter().all(|key| cache.path(key).exists()), "the limit is not reached");
    // The oldest entry is used again. The ninth entry exceeds the limit, and 6 entries remain.
    assert!(cache.get(&keys[0]).is_some());
    cache.put(&keys[8], &[0; 1000]).unwrap();
    let left: Vec<usize> = (0..9).filter(|i| cache.path(&keys[*i]).exists()).collect();
    assert_eq!(left, [0, 4, 5, 6, 7, 8]);
    assert!(foreign.iter().all(|path| path.exists()));

    cache.put(&key("large"), &vec![0; 8 * size as usize]).unwrap();
    assert_eq!(cache.get(&key("large")), None, "an entry larger than the cache");
    assert_eq!(folder.files().len(), 7);
}

#[test]
fn half_written_files_go_when_they_are_old() {
    let folder = Folder::new("abandoned");
    let cache = DiskCache::open(&folder.0, 1500);
    let unfinished = |number: u32| folder.0.join(format!("cuda/.unfinished-{number}-0.anywarp"));
    let make = |number: u32, seconds: u64| {
        let file = File::create(unfinished(number)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
    };
    fs::create_dir_all(folder.0.join("cuda")).unwrap();
    make(1, 7200);
    make(2, 60);
    cache.put(&key("a"), &[0; 1000]).unwrap();
    cache.put(&key("b"), &[0; 1000]).unwrap();
    assert!(!unfinished(1).exists() && unfinished(2).exists());
    make(1, 7200);
    assert!(cache.clear(Some("vulkan")).files == 0 && unfinished(1).exists());
    cache.clear(Some("cuda"));
    assert!(!unfinished(1).exists() && unfinished(2).exists());
}

#[test]
fn contents_are_counted_and_cleared_by_kind() {
    let folder = Folder::new("contents");
    let cache = DiskCache::open(&folder.0, ROOMY);
    assert!(cache.contents().iter().all(|contents| (contents.files, contents.bytes, contents.oldest) == (0, 0, None)));
    for (key, seconds) in [(key("a"), 50), (key("b"), 500), (other_kind("a"), 5)] {
        cache.put(&key, &[0; 100]).unwrap();
        age(&cache, &key, seconds);
    }
    let foreign = [folder.0.join("cuda/notes.txt"), folder.0.join("cuda/kernel.anywarp"), folder.0.join("x.anywarp")];
    foreign.iter().for_each(|path| fs::write(path, "not the cache's").unwrap());
    let size = entry::file(&key("a"), &[0; 100]).len() as u64;
    let [cpu, cuda, vulkan] = &cache.contents()[..] else { panic!("there are three kinds") };
    assert_eq!((cpu.kind, cpu.files), ("cpu", 0));
    assert_eq!((cuda.kind, cuda.files, cuda.bytes), ("cuda", 2, 2 * size));
    assert_eq!((vulkan.kind, vulkan.files), ("vulkan", 1));
    let between = cuda.newest.unwrap().duration_since(cuda.oldest.unwrap()).unwrap();
    assert_eq!(between.as_secs_f64().round(), 450.0);

    assert_eq!(cache.clear(Some("cuda")), Removed { files: 2, bytes: 2 * size, left: 0 });
    assert_eq!((cache.get(&key("a")), cache.get(&other_kind("a")).is_some()), (None, true));
    assert_eq!(cache.clear(None).files, 1);
    assert_eq!(cache.clear(None), Removed::default());
    assert!(foreign.iter().all(|path| path.exists()));
}

#[test]
#[cfg(unix)]
fn no_link_is_followed() {
    let (folder, elsewhere) = (Folder::new("links"), Folder::new("links-target"));
    DiskCache::open(&elsewhere.0, ROOMY).put(&key("a"), b"one").unwrap();
    fs::create_dir_all(&folder.0).unwrap();
    std::os::unix::fs::symlink(elsewhere.0.join("cuda"), folder.0.join("cuda")).unwrap();
    assert_eq!(DiskCache::open(&folder.0, ROOMY).clear(None), Removed::default());
    assert_eq!(elsewhere.files().len(), 1);
}

/// Stores and reads entries, some of which exceed the limit: an entry that is found has the content that was stored.
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
                        cache.put(&key, &content).unwrap();
                    } else if let Some(found) = cache.get(&key) {
                        assert_eq!(found, content);
                    }
                }
            });
        }
    });
    assert!(!cache.given_up.load(std::sync::atomic::Ordering::Relaxed), "storing was given up");
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
