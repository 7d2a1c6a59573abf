//! `anywarp devices`: the devices, the default device, and the reasons why others are missing.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use serde_json::Value;
use support::Folder;

fn devices(folder: &Folder, line: &str, wanted: &str) -> support::Outcome {
    folder.start("devices", line, "", &[("ANYWARP_DEVICE", wanted)])
}

#[test]
fn the_default_is_marked_and_others_say_why_they_are_not_it() {
    let Some(folder) = Folder::with_device("devices-default") else { return };
    for wanted in ["cpu", "cpu:checked"] {
        let report: Value = serde_json::from_str(&devices(&folder, "--json", wanted).ok()).unwrap();
        assert_eq!(report["default"], wanted.replace("cpu", if wanted == "cpu" { "cpu:0" } else { "cpu" }));
        let list = report["devices"].as_array().unwrap();
        let defaults: Vec<&Value> = list.iter().filter(|device| device["default"] == true).collect();
        assert_eq!(defaults.len(), 1, "{report:#}");
        assert_eq!((&defaults[0]["selector"], &defaults[0]["why_not_default"]), (&"cpu:0".into(), &Value::Null));
        for other in list.iter().filter(|device| device["default"] == false) {
            let reason = other["why_not_default"].as_str().unwrap();
            assert!(reason.starts_with(&format!("ANYWARP_DEVICE={wanted}, and ")), "{reason}");
        }
    }
    let table = devices(&folder, "", "cpu").ok();
    let row = table.lines().find(|line| line.trim_start().starts_with("default")).expect("a row");
    assert!(row.contains("yes"), "{table}");

    // Without a choice, the default is the device that `run` uses.
    let report: Value = serde_json::from_str(&devices(&folder, "--json", "").ok()).unwrap();
    folder.write("nothing.wgsl", "@compute @workgroup_size(1) fn main() {}");
    let run: Value = serde_json::from_str(&folder.run("nothing.wgsl --groups 1 --json").ok()).unwrap();
    assert_eq!(report["default"], run["device"]["selector"]);
    let answers = report["devices"].as_array().unwrap().iter().filter_map(|device| device["why_not_default"].as_str());
    assert!(answers.into_iter().all(|answer| answer.contains("comes first")), "{report:#}");
}

#[test]
fn a_choice_that_fits_no_device_is_told_beside_the_list() {
    let Some(folder) = Folder::with_device("devices-none") else { return };
    let outcome = devices(&folder, "", "nowhere");
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert!(outcome.stdout.contains("cpu:0") && outcome.stdout.contains("no: ANYWARP_DEVICE=nowhere"), "{outcome:#?}");
    assert!(outcome.stderr.starts_with("there is no default device: no device matches 'nowhere'"), "{outcome:#?}");
    let report: Value = serde_json::from_str(&devices(&folder, "--json", "nowhere").stdout).unwrap();
    assert_eq!(report["default"], Value::Null);
}

#[test]
fn every_backend_has_a_device_or_a_reason() {
    let Some(folder) = Folder::with_device("devices-missing") else { return };
    let report: Value = serde_json::from_str(&devices(&folder, "--json", "cpu").ok()).unwrap();
    let there: Vec<&str> =
        report["devices"].as_array().unwrap().iter().filter_map(|device| device["backend"].as_str()).collect();
    let missing = report["missing"].as_array().unwrap();
    for backend in ["vulkan", "metal", "dx12", "cuda", "cpu"] {
        let reason = missing.iter().find(|one| one["backend"] == backend).and_then(|one| one["reason"].as_str());
        assert_eq!(reason.is_some(), !there.contains(&backend), "{backend}: {report:#}");
        assert!(reason.is_none_or(|reason| reason.len() > 10), "{backend}: {reason:?}");
    }
    let text = devices(&folder, "", "cpu").ok();
    for one in missing {
        let line = format!("  {} ({}): ", one["backend"].as_str().unwrap(), one["name"].as_str().unwrap());
        assert!(text.contains(&line), "{line} is not in\n{text}");
    }
}
