//! All public error types: `Debug` prints the same text as `Display`, so that an error returned from `main` is
//! readable.

use std::fmt::{Debug, Display};

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
