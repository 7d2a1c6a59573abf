//! The tool with a checked device: findings are text on stderr, or JSON, and exit code 3.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::Folder;

const SHIFT: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn shift(@builtin(local_invocation_index) i: u32) {
    data[i] = data[i + 1];
}
";

#[test]
fn findings_are_told_and_change_the_exit_code() {
    let Some(folder) = Folder::with_device("checked") else { return };
    folder.write("shift.wgsl", SHIFT);
    let line = "shift.wgsl --groups 1 --bind data=zeros:256";
    folder.run(&format!("{line} --device cpu")).ok();

    let text = folder.run(&format!("{line} --device cpu:checked"));
    assert_eq!(text.code, Some(3), "{text:#?}");
    assert!(text.stdout.contains("shift.wgsl"), "{text:#?}");
    for part in ["race: data race on 'data'", "shift.wgsl:4:15", "out-of-range: index 64", "2 findings"] {
        assert!(text.stderr.contains(part), "'{part}' is not in\n{}", text.stderr);
    }

    let json = folder.run(&format!("{line} --device cpu:checked --json"));
    assert_eq!(json.code, Some(3), "{json:#?}");
    let error: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|_| panic!("{}", json.stderr));
    assert_eq!(error["class"], "findings", "{error}");
    let kinds: Vec<&str> =
        error["findings"].as_array().unwrap().iter().filter_map(|finding| finding["kind"].as_str()).collect();
    assert!(kinds.contains(&"race") && kinds.contains(&"out-of-range"), "{error}");
}

#[test]
fn a_sound_kernel_runs_as_ever() {
    let Some(folder) = Folder::with_device("checked-sound") else { return };
    folder.write("shift.wgsl", SHIFT.replace("[i + 1]", "[i] + 1"));
    folder.run("shift.wgsl --groups 1 --bind data=zeros:256 --device cpu:checked").ok();
}

#[test]
fn notes_are_told_and_fail_a_run_only_if_asked_to() {
    let Some(folder) = Folder::with_device("checked-notes") else { return };
    folder.write("sum.wgsl", SHIFT.replace("data[i] = data[i + 1]", "var sum: u32; sum += i; data[i] = sum"));
    let line = "sum.wgsl --groups 1 --bind data=zeros:256 --device cpu:checked";
    let text = folder.run(line);
    assert_eq!(text.code, Some(0), "{text:#?}");
    for part in ["note: uninitialised: 'sum' is read", "sum.wgsl:4:", "1 note"] {
        assert!(text.stderr.contains(part), "'{part}' is not in\n{}", text.stderr);
    }
    let json = folder.run(&format!("{line} --json"));
    assert_eq!(json.code, Some(0), "{json:#?}");
    let notes: Value = serde_json::from_str(&json.stderr).unwrap_or_else(|_| panic!("{}", json.stderr));
    assert_eq!(notes["findings"][0]["severity"], "note", "{notes}");
    assert_eq!(folder.run(&format!("{line} --strict")).code, Some(3));
}
