//! The common type of all errors.

use std::error::Error as StdError;

use anywarp::backend::{BackendError, BackendKind};
#[cfg(feature = "wgpu")]
use anywarp::interop::InteropError;
use anywarp::loader::{Dataset, Loader, LoaderError, ReadError};
use anywarp::ops::{ElementwiseKernel, Matmul, OperationError, Precision, matmul};
use anywarp::{BufferError, Device, Error, ErrorClass, KernelError, LaunchError, OpenError};
use anywarp_null::NullOptions;

use anywarp_testing_devices::null_device::{ADD, open};

/// Checks the type, the class and the text of an error.
fn check<E: StdError + 'static>(error: impl Into<Error>, class: ErrorClass, is: fn(&E) -> bool) {
    let error = error.into();
    let Some(inner) = error.downcast_ref::<E>() else { panic!("another type: {error:?}") };
    assert!(is(inner), "{inner:?}");
    assert_eq!(error.class(), class, "{error:?}");
    assert_eq!(error.to_string(), inner.to_string(), "the texts of the error and of its part");
    let types = [
        error.downcast_ref::<OpenError>().is_some(),
        error.downcast_ref::<BufferError>().is_some(),
        error.downcast_ref::<KernelError>().is_some(),
        error.downcast_ref::<LaunchError>().is_some(),
        error.downcast_ref::<BackendError>().is_some(),
        error.downcast_ref::<OperationError>().is_some(),
        error.downcast_ref::<LoaderError>().is_some(),
        #[cfg(feature = "wgpu")]
        error.downcast_ref::<InteropError>().is_some(),
    ];
    assert_eq!(types.iter().filter(|is| **is).count(), 1, "one type fits: {error:?}");
    let copy = error.clone();
    assert!(copy.downcast_ref::<E>().is_some_and(is), "a clone is the same: {copy:?}");
}

#[test]
fn errors_of_devices_buffers_and_kernels() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let opened = Device::open("no such device").expect_err("there is none");
    check::<OpenError>(opened, ErrorClass::Programmer, |error| error.wanted.as_deref() == Some("no such device"));
    let mut x = device.buffer::<u32>(64)?;
    let outside = x.slice(60..70).read().map(drop).expect_err("it is too short");
    check::<BufferError>(outside, ErrorClass::Programmer, |error| matches!(error, BufferError::OutOfRange { .. }));
    let y = device.buffer::<u32>(64)?;
    let guard = y.read()?;
    let used = x.copy_from(&y).expect_err("a guard is alive");
    check::<BufferError>(used, ErrorClass::Retryable, |error| matches!(error, BufferError::InUse { .. }));
    drop(guard);
    let kernel = device.kernel("fn").map(drop).expect_err("no WGSL");
    check::<KernelError>(kernel, ErrorClass::Programmer, |_| true);
    let launch = device.kernel(ADD)?.launch().bind("z", &x).threads(64).map(drop).expect_err("there is no z");
    check::<LaunchError>(launch, ErrorClass::Programmer, |error| matches!(error, LaunchError::UnknownBinding { .. }));
    Ok(())
}

#[test]
fn the_loss_of_the_device_is_fatal_for_each_part() -> anywarp::Result<()> {
    let (device, faulty, _) = open(&NullOptions::staged());
    let (x, mut y) = (device.buffer::<f32>(64)?, device.buffer::<f32>(64)?);
    let add = ElementwiseKernel::new("x: f32", "y: f32", "y = x")?;
    add.run(&device, &x, &mut y)?;
    faulty.lose("unplugged");
    let fatal = ErrorClass::Fatal;
    check::<BackendError>(device.synchronize().expect_err("it is lost"), fatal, BackendError::is_lost);
    let buffer = device.buffer::<f32>(64).map(drop).expect_err("it is lost");
    check::<BufferError>(buffer, fatal, |error| matches!(error, BufferError::Device { .. }));
    let operation = add.run(&device, &x, &mut y).expect_err("it is lost");
    check::<OperationError>(operation, fatal, |error| matches!(error, OperationError::Launch(_)));
    Ok(())
}

#[test]
fn errors_of_operators() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let (a, b, mut c) = (device.buffer::<f32>(6)?, device.buffer::<f32>(6)?, device.buffer::<f32>(4)?);
    let length = matmul(&a, &b, &mut c, [2, 2, 2]).expect_err("a is longer");
    check::<OperationError>(length, ErrorClass::Programmer, |error| {
        matches!(error, OperationError::Length { operator, argument, expected: 4, got: 6, .. }
            if operator == "matrix product" && argument == "a")
    });
    let large = matmul(&a, &b, &mut c, [usize::MAX, 2, 2]).expect_err("it is too large");
    check::<OperationError>(large, ErrorClass::Resource, |error| matches!(error, OperationError::TooLarge { .. }));
    let choice = Matmul::new([2, 3, 2]).precision(Precision::F16).run(&a, &b, &mut c).expect_err("f32 is not f16");
    check::<OperationError>(choice, ErrorClass::Programmer, |error| {
        matches!(error, OperationError::Choice { argument: "the precision", .. })
    });
    let slice = matmul(a.slice(..7), &b, &mut c, [2, 3, 2]).expect_err("a is shorter");
    check::<OperationError>(
        slice,
        ErrorClass::Programmer,
        |error| matches!(error, OperationError::Slice { argument, error: BufferError::OutOfRange { .. }, .. } if argument == "a"),
    );
    let guard = a.read()?;
    let used = matmul(&a, &b, &mut c, [2, 3, 2]).expect_err("a guard is alive");
    check::<OperationError>(
        used,
        ErrorClass::Retryable,
        |error| matches!(error, OperationError::InUse { argument, guard: "ReadGuard", .. } if argument == "a"),
    );
    drop(guard);
    Ok(())
}

/// A binding value of eight numbers.
struct Eight;

impl Dataset for Eight {
    type Fields = u32;

    fn len(&self) -> usize {
        8
    }

    fn lengths(&self) -> usize {
        1
    }

    fn read(&self, index: usize, slot: &mut [u32]) -> Result<(), ReadError> {
        slot[0] = index as u32;
        Ok(())
    }
}

#[test]
fn errors_of_the_loader() -> anywarp::Result<()> {
    let device = Device::open("cpu")?;
    let refused = Loader::builder(&device, Eight).batch_size(0).build().map(drop).expect_err("an empty batch");
    check::<LoaderError>(refused, ErrorClass::Programmer, |error| matches!(error, LoaderError::ZeroBatchSize));
    Ok(())
}

#[cfg(feature = "wgpu")]
#[test]
fn errors_of_exchanges_with_other_libraries() -> anywarp::Result<()> {
    let x = Device::open("cpu")?.buffer::<u32>(64)?;
    let refused = x.lend_wgpu().map(drop).expect_err("the processor is not wgpu's");
    check::<InteropError>(refused, ErrorClass::Programmer, |error| {
        matches!(error, InteropError::OtherBackend { wanted: "wgpu", backend: BackendKind::Cpu, .. })
    });
    Ok(())
}
