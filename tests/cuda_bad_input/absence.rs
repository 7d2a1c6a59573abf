//! No card, no such card, no NVRTC.

use std::process::Command;

use anywarp::Device;

/// Set in a process that is to open the card and say what comes of it.
const CHILD: &str = "ANYWARP_TEST_CHILD";

#[test]
fn a_card_that_is_not_there_is_named() {
    let error = Device::open("cuda:99").expect_err("a hundredth card").to_string();
    assert!(error.contains("cuda:99") && error.contains("CUDA") || error.contains("it is cuda:0"), "{error}");
}

#[test]
fn a_machine_without_cuda_says_what_is_missing() {
    if let Some(reason) = anywarp_cuda::absence() {
        let error = Device::open("cuda").expect_err("a card").to_string();
        assert!(error.contains(&reason), "{error}");
        assert!(reason.contains("driver") || reason.contains("NVRTC"), "{reason}");
    } else {
        assert!(!anywarp_cuda::candidates().is_empty());
    }
}

/// Not a test of its own: what the others start.
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

/// Whether this process was started by [`said_by`].
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// What a process says that tries to open the card with these variables.
pub(crate) fn opened_with(variables: &[(&str, &str)]) -> String {
    said_by("absence::child", variables)
}

/// What a process says that runs just this test, which must succeed.
pub(crate) fn said_by(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1");
    let output = command.envs(variables.iter().copied()).output().expect("a process");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("panicked"), "{said}");
    said
}

#[test]
fn nvrtc_that_is_not_where_it_should_be() {
    if super::device().is_none() {
        return;
    }
    let said = opened_with(&[("ANYWARP_NVRTC", "/nowhere/libnvrtc.so")]);
    assert!(said.contains("/nowhere") && said.contains("ANYWARP_NVRTC") && said.contains("refused"), "{said}");
    let said = opened_with(&[("ANYWARP_NVRTC", file!())]);
    assert!(said.contains("refused"), "{said}");
}

#[test]
fn a_card_that_the_environment_hides() {
    if super::device().is_none() {
        return;
    }
    let said = opened_with(&[("CUDA_VISIBLE_DEVICES", "")]);
    assert!(said.contains("refused") && said.contains("CUDA"), "{said}");
}
