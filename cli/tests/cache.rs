//! `anywarp cache`: its listing, and the files it removes.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use anywarp_host::cache::{DiskCache, Key};
use serde_json::Value;
use support::{Folder, Outcome};

/// Creates a folder with a cache of two kernels for NVIDIA and one for Vulkan, and with files that do not belong to the
/// cache.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let cache = DiskCache::open(folder.path().join("kept"), 1 << 20);
    for key in [Key::new("cuda", ["a"]), Key::new("cuda", ["b"]), Key::new("vulkan", ["a"])] {
        cache.put(&key, &[1; 2000]).unwrap();
    }
    folder.write("kept/notes.txt", "mine");
    folder.write("kept/cuda/kernel.anywarp", "mine");
    folder
}

fn cache(folder: &Folder, line: &str) -> Outcome {
    folder.start("cache", line, "", &[("ANYWARP_CACHE", "kept")])
}

fn json(outcome: Outcome) -> Value {
    let text = outcome.ok();
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn contents_are_shown() {
    let folder = folder("cache-show");
    let text = cache(&folder, "show").ok();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(text.starts_with("kept: ") && text.contains("of 256 MiB"), "{text}");
    assert!(rows.iter().any(|row| row.starts_with(&["cuda", "2", "4.0", "KiB"])), "{text}");
    assert!(rows.iter().any(|row| row.starts_with(&["vulkan", "1", "2.0", "KiB"])), "{text}");

    let object = json(cache(&folder, "show --json"));
    assert_eq!((&object["folder"], &object["limit"]), (&"kept".into(), &(256 << 20).into()), "{object}");
    let kinds = object["kinds"].as_array().unwrap();
    let names: Vec<&Value> = kinds.iter().map(|kind| &kind["kind"]).collect();
    assert_eq!(names, ["cpu", "cuda", "vulkan"], "{object}");
    assert_eq!((&kinds[0]["files"], &kinds[1]["files"]), (&0.into(), &2.into()), "{object}");
    let bytes = |kind: &Value| kind["bytes"].as_u64().unwrap();
    assert_eq!(Some(kinds.iter().map(bytes).sum()), object["bytes"].as_u64(), "{object}");
    assert!(kinds[1]["oldest"].as_u64() <= kinds[1]["newest"].as_u64() && kinds[1]["oldest"].is_u64(), "{object}");
}

#[test]
fn only_the_caches_own_files_go() {
    let folder = folder("cache-clear");
    assert_eq!(json(cache(&folder, "clear --kind vulkan --json"))["files"], 1);
    let text = cache(&folder, "clear").ok();
    assert!(text.starts_with("2 files removed, 4"), "{text}");
    assert!(cache(&folder, "clear").ok().starts_with("0 files removed"));
    for kept in ["kept/notes.txt", "kept/cuda/kernel.anywarp"] {
        assert_eq!(folder.read(kept), b"mine");
    }
}

#[test]
fn there_may_be_none() {
    let folder = Folder::new("cache-none");
    let off = |line: &str| folder.start("cache", line, "", &[("ANYWARP_CACHE", "off")]);
    assert!(off("show").ok().contains("'off'") && off("clear").ok().contains("'off'"));
    assert_eq!(json(off("show --json"))["folder"], Value::Null);
    // A cache that was never written is empty.
    let empty = json(cache(&folder, "show --json"));
    assert_eq!((&empty["bytes"], &empty["kinds"][0]["oldest"]), (&0.into(), &Value::Null), "{empty}");
    assert!(!folder.path().join("kept").exists(), "a listing creates no folder");
    for wrong in ["", "clear --kind metal", "drop"] {
        assert_eq!(cache(&folder, wrong).code, Some(2), "{wrong}");
    }
}
