use std::fs;
use std::process::Command;
use std::time::Duration;

use super::store::MANY;
use super::*;

/// A store in an empty folder of its own.
fn store(name: &str) -> Store {
    let folder = std::env::temp_dir().join(format!("anywarp-tune-{name}-{}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    Store::open(folder)
}

fn record(values: &str, at: u64) -> Record {
    Record {
        device: "cpu a\tb\\c".to_owned(),
        driver: "line\nbreak\r".to_owned(),
        version: "0.1.0".to_owned(),
        kernel: "k.wgsl:main 0123".to_owned(),
        sizes: "1024x64".to_owned(),
        values: values.to_owned(),
        at,
        time: Some(Duration::from_nanos(1500)),
        energy: None,
        rounds: 7,
        state: State::Dropped("wrong:\tnot 3".to_owned()),
    }
}

#[test]
fn records_survive_the_disk_and_the_latest_wins() {
    let store = store("latest");
    assert_eq!(store.read().unwrap(), Kept::default());
    let mut best = Record { state: State::Best, ..record("A=1", 5) };
    store.add(&[best.clone(), Record { time: None, energy: Some(0.25), ..record("A=2", 5) }]).unwrap();
    best.state = State::Measured;
    store.add(&[Record { at: 6, ..best.clone() }]).unwrap();
    store.add(&[record("A=1", 4)]).unwrap();
    let kept = store.read().unwrap();
    assert_eq!(kept.records, [Record { at: 6, ..best }, Record { time: None, energy: Some(0.25), ..record("A=2", 5) }]);
    assert_eq!(kept.problems, Vec::<String>::new());

    let other = Store::open(store.folder().join("other"));
    assert_eq!(other.import(&kept.to_string()).unwrap(), kept);
    assert_eq!(other.read().unwrap(), kept);
    assert_eq!(store.clear().unwrap(), 3);
    assert_eq!(store.read().unwrap(), Kept::default());
    assert_eq!(other.read().unwrap(), kept, "another folder");
    fs::remove_dir_all(store.folder()).unwrap();
}

#[test]
fn damaged_lines_are_reported_and_the_others_are_used() {
    let store = store("damaged");
    let whole = record::file(&[record("A=1", 1), record("A=2", 1), record("A=3", 1)]);
    fs::create_dir_all(store.folder()).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(store.folder().join(name), bytes).unwrap();
    // Every beginning of the file gives a part of the records and no wrong one.
    for length in 0..whole.len() {
        write("a.tune.txt", &whole.as_bytes()[..length]);
        let kept = store.read().unwrap();
        let lines = whole[..length].matches('\n').count();
        let complete = whole[..length].ends_with('\n') || whole[length..].starts_with('\n');
        assert!(kept.records.iter().all(|kept| *kept == record(&kept.values, 1)), "{length}");
        assert_eq!(kept.records.len(), (lines + usize::from(whole[length..].starts_with('\n'))).saturating_sub(1));
        assert_eq!(
            kept.problems.is_empty(),
            complete && lines + usize::from(complete) > 0,
            "{length}: {:?}",
            kept.problems
        );
    }
    write("a.tune.txt", whole.replace("\t7\tdropped", "\tseven\tdropped").as_bytes());
    write("b.tune.txt", b"anywarp-tune 999\nanything");
    write("c.tune.txt", &[0xFF, 0, b'\n', 0xFE]);
    write("notes.txt", b"not ours");
    let kept = store.read().unwrap();
    assert_eq!((kept.records.len(), kept.problems.len()), (0, 5));
    assert!(kept.problems[0].ends_with("a.tune.txt:2: expected a number as number of rounds, found 'seven'"));
    assert!(kept.problems[3].contains("b.tune.txt:1: expected 'anywarp-tune 1', found 'anywarp-tune 999'"));
    // Files with problems are not merged away.
    for at in 0..2 * MANY as u64 {
        store.add(&[record("A=4", at)]).unwrap();
    }
    assert_eq!(store.read().unwrap().problems.len(), 5);
    assert!(store.folder().join("notes.txt").exists());
    fs::remove_dir_all(store.folder()).unwrap();
}

/// Writes 60 records of one writer, one by one.
fn write_many(store: &Store, writer: &str) {
    for number in 0..60 {
        store.add(&[record(&format!("W={writer} N={number}"), number)]).unwrap();
        // A reader sees all that was complete before, also while files are merged.
        let kept = store.read().unwrap();
        let ours = kept.records.iter().filter(|record| record.values.starts_with(&format!("W={writer} "))).count();
        assert_eq!((ours as u64, kept.problems.len()), (number + 1, 0), "{writer}");
    }
}

#[test]
fn threads_and_processes_that_write_at_once_lose_nothing() {
    let store = store("writers");
    fs::create_dir_all(store.folder()).unwrap();
    fs::write(store.folder().join("writer"), "").unwrap();
    let child = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "kept::tests::one_process"]);
        command.current_dir(store.folder()).spawn().unwrap()
    };
    let children = [child(), child()];
    std::thread::scope(|scope| {
        for writer in ["a", "b"] {
            let store = &store;
            scope.spawn(move || write_many(store, writer));
        }
    });
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let kept = store.read().unwrap();
    assert_eq!((kept.records.len(), kept.problems.len()), (4 * 60, 0));
    let files = fs::read_dir(store.folder()).unwrap().count();
    assert!(files < 2 * MANY, "{files} files are left");
    fs::remove_dir_all(store.folder()).unwrap();
}

#[test]
#[ignore = "started by the test above, as a process of its own"]
fn one_process() {
    // Elsewhere, as when all ignored tests are run, there is nothing to do.
    if fs::exists("writer").unwrap() {
        let here = std::env::current_dir().unwrap();
        write_many(&Store::open(here), &std::process::id().to_string());
    }
}
