//! Refused calls on a working device, and the classes of all errors.

use anywarp::{BufferError, Device, Error, ErrorClass, KernelError, LaunchError, Recording};
use anywarp_backend::Backend;
use anywarp_null::{Call, Fault, Faults, NullOptions, When};

use super::both;
use super::program::{LENGTH, Machine, counting};
use anywarp_testing_devices::null_device::ADD;

#[test]
fn a_live_guard_excludes_a_replay() -> anywarp::Result<()> {
    for options in both() {
        let machine = Machine::new(&options);
        let add = machine.device.kernel(ADD)?;
        let mut x = machine.device.buffer_from(&counting())?;
        let mut y = machine.device.buffer::<u32>(LENGTH)?;
        let mut kept = machine.device.recording();
        add.launch().bind("x", &x).bind("y", &mut y).record(&mut kept).threads(LENGTH)?;
        let in_use = |kept: &Recording, name: &str| {
            let error = kept.submit().map(|_| ()).expect_err("a guard is alive");
            assert!(matches!(&error, Error::Buffer(BufferError::InUse { guard }) if *guard == name), "{error}");
            assert_eq!(error.class(), ErrorClass::Retryable);
        };
        let before = machine.null.submissions().len();
        let guard = x.read()?;
        in_use(&kept, "ReadGuard");
        let error = add.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH).expect_err("a guard is alive");
        assert!(matches!(&error, LaunchError::InUse { binding, .. } if binding == "x"), "{error}");
        drop(guard);
        let guard = x.write()?;
        in_use(&kept, "WriteGuard");
        drop(guard);
        let guard = y.update()?;
        in_use(&kept, "UpdateGuard");
        drop(guard);
        let reads = if options.unified { 0 } else { 1 };
        assert_eq!(machine.null.submissions().len(), before + reads, "a refused replay was submitted");
        kept.submit()?.wait()?;
        assert_eq!(machine.device.stats().counters.dispatches, 1);
    }
    Ok(())
}

#[test]
fn a_buffer_of_another_device_is_named() -> anywarp::Result<()> {
    let (ours, theirs) = (Machine::new(&NullOptions::staged()), Machine::new(&NullOptions::staged()));
    let add = ours.device.kernel(ADD)?;
    let x = theirs.device.buffer::<u32>(LENGTH)?;
    let mut y = ours.device.buffer::<u32>(LENGTH)?;
    let mut theirs_kept = theirs.device.recording();

    let error = add.launch().bind("x", &x).bind("y", &mut y).threads(LENGTH).expect_err("x is theirs");
    assert!(matches!(&error, LaunchError::OtherDevice { what, .. } if what == "the buffer bound to 'x'"), "{error}");
    assert_eq!(Error::from(error).class(), ErrorClass::Programmer);
    let error = y.copy_from(&x).expect_err("x is theirs");
    assert!(matches!(error, BufferError::OtherDevice { .. }), "{error}");
    let error = theirs_kept.fill(&mut y, 1).expect_err("y is ours");
    assert!(matches!(error, BufferError::OtherDevice { .. }), "{error}");
    let z = ours.device.buffer::<u32>(LENGTH)?;
    let recorded = add.launch().bind("x", &z).bind("y", &mut y).record(&mut theirs_kept).threads(LENGTH);
    let error = recorded.expect_err("the recording is theirs");
    assert!(matches!(&error, LaunchError::OtherDevice { what, .. } if what == "the recording"), "{error}");
    assert!(theirs_kept.is_empty());
    ours.device.synchronize()?;
    theirs.device.synchronize()?;
    assert_eq!(ours.null.submissions(), [""; 0]);
    assert_eq!(theirs.null.submissions(), [""; 0]);
    Ok(())
}

#[test]
fn a_kernel_that_the_driver_refuses_is_named_and_can_be_tried_again() -> anywarp::Result<()> {
    let mut options = NullOptions::staged();
    options.limits.workgroups_per_dimension = 8;
    let machine = Machine::new(&options);
    machine.faults(Faults::new().fail(Call::Compile, Fault::Refused, When::Nth(0)));
    let wgsl = || anywarp::Wgsl::new(ADD).file("add.wgsl");
    let error = machine.device.kernel(wgsl()).map(|_| ()).expect_err("the driver has refused");
    assert!(matches!(&error, KernelError::Compile { device, .. } if device == "null"), "{error}");
    assert!(error.to_string().contains("add.wgsl:add") && error.to_string().contains("was set to fail"), "{error}");
    assert_eq!(Error::from(error).class(), ErrorClass::Programmer);
    let add = machine.device.kernel(wgsl())?;

    let x = machine.device.buffer::<u32>(LENGTH)?;
    let mut y = machine.device.buffer::<u32>(LENGTH)?;
    machine.faults(Faults::new().fail(Call::Compile, Fault::Refused, When::Nth(0)));
    let error = add.launch().bind("x", &x).bind("y", &mut y).groups(9).expect_err("the folded variant was refused");
    assert!(matches!(&error, LaunchError::Kernel(KernelError::Compile { .. })), "{error}");
    machine.device.synchronize()?;
    assert_eq!(machine.null.submissions(), [""; 0], "a launch that was refused has run");
    add.launch().bind("x", &x).bind("y", &mut y).groups(9)?;
    machine.device.synchronize()?;
    assert_eq!(machine.device.stats().counters.dispatches, 1);
    Ok(())
}

#[test]
fn every_error_has_its_class() -> anywarp::Result<()> {
    let mut options = NullOptions::staged();
    options.limits.buffer_size = 1 << 20;
    options.limits.storage_binding_size = 1 << 10;
    options.limits.workgroup_storage = 64;
    let machine = Machine::new(&options);
    let device = &machine.device;
    let add = device.kernel(ADD)?;
    let mut x = device.buffer::<u32>(2 * LENGTH)?;
    let mut y = device.buffer::<u32>(LENGTH)?;
    let class = |result: anywarp::Result<()>| result.expect_err("this is no good").class();
    let hungry = "var<workgroup> much: array<u32, 64>;
        @compute @workgroup_size(1) fn hungry() { much[0] = 1; }";

    use ErrorClass::{Fatal, Programmer, Resource, Retryable};
    assert_eq!(class(device.buffer::<u8>((1 << 20) + 1).map(|_| ()).map_err(Error::from)), Resource);
    assert_eq!(class(device.buffer::<u64>(usize::MAX).map(|_| ()).map_err(Error::from)), Programmer);
    assert_eq!(class(device.kernel(hungry).map(|_| ()).map_err(Error::from)), Resource);
    assert_eq!(class(device.kernel("fn").map(|_| ()).map_err(Error::from)), Programmer);
    assert_eq!(class(add.launch().bind("x", &x).bind("y", &mut y).threads(1).map(drop).map_err(Error::from)), Resource);
    assert_eq!(class(add.launch().bind("x", &y).threads(1).map(drop).map_err(Error::from)), Programmer);
    assert_eq!(class(y.copy_from_slice(&[1]).map_err(Error::from)), Programmer);
    assert_eq!(class(y.slice(7..LENGTH + 1).read().map(|_| ()).map_err(Error::from)), Programmer);
    let guard = y.read()?;
    assert_eq!(class(x.slice_mut(0..LENGTH).copy_from(&y).map_err(Error::from)), Retryable);
    drop(guard);
    machine.faults(Faults::new().fail(Call::Allocate, Fault::OutOfMemory, When::Above(1 << 19)));
    assert_eq!(class(device.buffer::<u8>(1 << 20).map(|_| ()).map_err(Error::from)), Retryable);
    device.buffer::<u8>(1 << 19)?;
    assert_eq!(class(Device::open("no such device").map(|_| ()).map_err(Error::from)), Programmer);
    machine.faulty.lose("unplugged");
    assert_eq!(class(device.buffer::<u8>(1).map(|_| ()).map_err(Error::from)), Fatal);
    assert!(machine.faulty.caps().name == "null", "capabilities outlive the device");
    Ok(())
}
