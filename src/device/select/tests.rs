//! Tests of selection strings, the order of devices, and errors without a device.

use super::*;

#[test]
fn selection_strings() {
    let selector = |backend, number, name: Option<&str>| Selector {
        backend,
        number,
        name: name.map(str::to_owned),
        mode: Mode::Plain,
    };
    assert_eq!(parse("vulkan"), selector(Some(BackendKind::Vulkan), None, None));
    assert_eq!(parse("Vulkan:1"), selector(Some(BackendKind::Vulkan), Some(1), None));
    assert_eq!(parse("vulkan:LLVMpipe"), selector(Some(BackendKind::Vulkan), None, Some("llvmpipe")));
    assert_eq!(parse("GeForce"), selector(None, None, Some("geforce")));
    assert_eq!(parse("amd:rx"), selector(None, None, Some("amd:rx")));
    assert_eq!(parse("cpu:0"), selector(Some(BackendKind::Cpu), Some(0), None));
    assert_eq!(parse("CPU:checked "), Selector { mode: Mode::Checked, ..selector(Some(BackendKind::Cpu), None, None) });
    assert_eq!(parse("vulkan:checked"), selector(Some(BackendKind::Vulkan), None, Some("checked")));
}

fn caps(backend: BackendKind, kind: DeviceKind, name: &str) -> Caps {
    let null = anywarp_null::NullBackend::new();
    let mut caps = null.caps().clone();
    (caps.backend, caps.kind, caps.name) = (backend, kind, name.to_owned());
    caps
}

#[test]
fn a_gpu_ranks_before_the_processor_and_software_last() {
    let found = [
        caps(BackendKind::Vulkan, DeviceKind::Software, "llvmpipe"),
        caps(BackendKind::Dx12, DeviceKind::Discrete, "card"),
        caps(BackendKind::Vulkan, DeviceKind::Integrated, "small"),
        caps(BackendKind::Vulkan, DeviceKind::Discrete, "card"),
        caps(BackendKind::Dx12, DeviceKind::Software, "warp"),
        caps(BackendKind::Cpu, DeviceKind::Software, "processor"),
        caps(BackendKind::Vulkan, DeviceKind::Other, "unknown"),
    ];
    let sorted = sorted(found.into_iter().map(|caps| (caps, Source::None)));
    let selectors: Vec<&str> = sorted.iter().map(|candidate| candidate.selector.as_str()).collect();
    assert_eq!(selectors, ["vulkan:2", "dx12:0", "vulkan:1", "vulkan:3", "cpu:0", "vulkan:0", "dx12:1"]);

    let (fitting, rejected) = split(Some("cpu:checked"), sorted);
    assert_eq!((fitting.len(), rejected.len()), (1, 6));
    assert_eq!(opened_as(fitting[0].clone(), Mode::Checked), "cpu:checked");
}

#[test]
fn an_error_without_candidates_says_what_to_install() {
    let error = no_device(None, Vec::new(), false).to_string();
    assert!(error.contains("driver"), "{error}");
    for (wanted, feature) in [("vulkan", cfg!(feature = "wgpu")), ("cpu:checked", cfg!(feature = "cpu"))] {
        let error = no_device(Some(wanted.to_owned()), Vec::new(), false).to_string();
        assert_eq!(error.contains("lacks the feature"), !feature, "{error}");
    }
}

#[test]
fn an_error_of_a_wrong_choice_lists_the_right_ones() {
    let rejection = |selector: &str| Rejection::new(selector.to_owned(), "card".to_owned(), "not that".to_owned());
    let rejected = || vec![rejection("cpu:0"), rejection("vulkan:0"), rejection("cuda")];
    let error = no_device(Some("nowhere".to_owned()), rejected(), false).to_string();
    assert!(error.ends_with("a part of a device's name; choose one of cpu:0, vulkan:0"), "{error}");
    let error = no_device(Some("vulkan".to_owned()), rejected(), true).to_string();
    assert!(!error.contains("choose one of"), "{error}");
    let error = no_device(Some("dx12".to_owned()), rejected(), false).to_string();
    assert_eq!(error.contains("there is no dx12 device: it exists on Windows only"), !cfg!(windows), "{error}");
}
