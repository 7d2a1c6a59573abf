//! All public error types: `Debug` prints the same text as `Display`, so that an error returned from `main` is
//! readable.

use std::fmt::{Debug, Display};
use std::fs;
use std::path::{Path, PathBuf};

use anywarp::backend::BackendError;
use anywarp::{BufferError, Device, Error, KernelError, LaunchError, Wgsl};

fn same<E: Debug + Display>(error: E) {
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(format!("{error:#?}"), error.to_string());
}

#[test]
fn debug_shows_what_display_shows() {
    let invalid = || Wgsl::new("fn").program(&anywarp::backend::Caps::webgpu_baseline()).unwrap_err();
    same(invalid());
    assert!(format!("{:?}", invalid()).contains("\nerror: "), "expected line breaks in the text");
    same(Error::from(invalid()));
    same(LaunchError::from(invalid()));
    same(BackendError::CannotBlock);
    same(Device::open("no such device").unwrap_err());
    same(BufferError::InUse { guard: "ReadGuard" });
    same(Error::from(BufferError::InUse { guard: "ReadGuard" }));
    same("opengl".parse::<anywarp::backend::BackendKind>().unwrap_err());
    let _: fn(&KernelError) = |_| {};
}

#[cfg(feature = "cpu")]
#[test]
fn debug_of_parts_shows_what_display_shows() {
    let device = Device::open("cpu").unwrap();
    let (a, b) = (device.buffer::<f32>(6).unwrap(), device.buffer::<f32>(6).unwrap());
    let mut c = device.buffer::<f32>(5).unwrap();
    let error = anywarp::ops::matmul(&a, &b, &mut c, [2, 2, 3]).unwrap_err();
    same(error.clone());
    same(Error::from(error));
}

/// Each type that implements `Error`, by `thiserror` or by itself, is listed in `debug_as_display!`.
#[test]
fn no_public_error_derives_debug() {
    let mut found = 0;
    for folder in ["src", "backends", "wgsl/src", "middle/src"] {
        for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            for name in public_errors(&text) {
                found += 1;
                let lists = text.split("debug_as_display!(").skip(1).filter_map(|rest| rest.split(')').next());
                let listed = lists.flat_map(|list| list.split(',')).any(|item| item.trim() == name);
                assert!(listed, "{}: `{name}` is in no list of `debug_as_display!`", file.display());
            }
        }
    }
    // Without a working parser, there would be none.
    assert!(found >= 16, "only {found} errors were found");
}

/// The names of a file's public error types.
fn public_errors(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut names = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("#[derive(") && line.contains("thiserror::Error") {
            let declaration = lines[at..].iter().find_map(|line| {
                let rest = line.strip_prefix("pub enum ").or_else(|| line.strip_prefix("pub struct "));
                rest.map(Some).or_else(|| line.contains("enum ").then_some(None))
            });
            names.extend(declaration.flatten());
        }
        let own = line.strip_prefix("impl std::error::Error for ").or_else(|| line.strip_prefix("impl StdError for "));
        names.extend(own);
    }
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    names.into_iter().map(name).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| !path.components().any(|part| part.as_os_str() == "target"))
        .collect()
}
