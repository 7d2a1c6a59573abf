//! Missing parts: no GPU, no GPU with this number, no NVRTC.

use std::process::Command;

use anywarp::Device;

/// The environment variable that marks a child process, which opens the device and prints the outcome.
const CHILD: &str = "ANYWARP_TEST_CHILD";

#[test]
fn a_missing_device_is_named() {
    let error = Device::open("cuda:99").expect_err("a hundredth card").to_string();
    assert!(error.contains("cuda:99") && error.contains("CUDA") || error.contains("it is cuda:0"), "{error}");
}

#[test]
fn errors_name_the_missing_library() {
    if let Some(reason) = anywarp_cuda::absence() {
        let error = Device::open("cuda").expect_err("a card").to_string();
        assert!(error.contains(&reason), "{error}");
        assert!(reason.contains("driver") || reason.contains("NVRTC"), "{reason}");
    } else {
        assert!(!anywarp_cuda::candidates().is_empty());
    }
}

/// Runs only in a child process: opens the device and prints the outcome.
#[test]
fn child() {
    if !is_child() {
        return;
    }
    match Device::open("cuda") {
        Ok(device) => {
            super::counts(&device);
            println!("opened");
        }
        Err(error) => println!("refused: {error}"),
    }
}

/// Whether [`said_by`] has started this process.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// The output of a child process that opens the device with these environment variables.
pub(crate) fn opened_with(variables: &[(&str, &str)]) -> String {
    said_by("invalid_input_cuda::absence::child", variables)
}

/// The output of a child process that runs this test, which must succeed.
pub(crate) fn said_by(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1");
    let output = command.envs(variables.iter().copied()).output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("panicked"), "{said}");
    said
}

#[test]
fn a_missing_nvrtc_is_named() {
    if super::device().is_none() {
        return;
    }
    let said = opened_with(&[("ANYWARP_NVRTC", "/nowhere/libnvrtc.so")]);
    assert!(said.contains("/nowhere") && said.contains("ANYWARP_NVRTC") && said.contains("refused"), "{said}");
    let said = opened_with(&[("ANYWARP_NVRTC", file!())]);
    assert!(said.contains("refused"), "{said}");
}

#[test]
fn a_hidden_device_is_reported() {
    if super::device().is_none() {
        return;
    }
    let said = opened_with(&[("CUDA_VISIBLE_DEVICES", "")]);
    assert!(said.contains("refused") && said.contains("CUDA"), "{said}");
}
