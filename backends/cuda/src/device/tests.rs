//! The runtime on the fake driver.

mod random;
mod streams;

use std::sync::atomic::{AtomicUsize, Ordering as Order};
use std::task::{Context as TaskContext, Wake, Waker};
use std::time::Duration;

use anywarp_backend::{
    Access, BindingClass, BindingInfo, Bound, Grid, Layout, Leave, Region, ResourceId, Scalar, ScalarKind, Shape,
    Validated, naga,
};

use super::*;
use crate::driver::{Module, Needs, fake};
use crate::kernel::Loaded;
use crate::translate::Parameter;

fn card() -> Card {
    Card {
        name: "none".to_owned(),
        driver: "none".to_owned(),
        architecture: 90,
        memory: 1 << 30,
        shared: 48 << 10,
        integrated: false,
        host_pages: false,
        multiprocessors: 4,
        resident: 2048,
        pools: true,
    }
}

fn open() -> Arc<CudaDevice> {
    let card = card();
    let mut caps = crate::caps_of(90);
    caps.library = Vec::new();
    CudaDevice::start(fake::driver(), fake::device(), caps, &card, Options { steps: Some(9), ..Options::default() })
        .unwrap()
}

fn words(name: &str, class: BindingClass, count: Option<u32>) -> BindingInfo {
    let scalar = Scalar { kind: ScalarKind::Unsigned, width: 4 };
    let word = Layout { name: "u32".to_owned(), size: 4, align: 4, shape: Shape::Scalar(scalar) };
    let layout = match count {
        Some(_) => word,
        None => Layout {
            name: "array<u32>".to_owned(),
            shape: Shape::Array { element: Box::new(word), count: None, stride: 4 },
            size: 4,
            align: 4,
        },
    };
    let access = if class == BindingClass::Storage { Access::Write } else { Access::Read };
    BindingInfo { name: name.to_owned(), resource: ResourceId { group: 0, binding: 0 }, class, access, layout }
}

/// Registers one of the fake driver's kernels, which `image` names.
fn kernel(device: &CudaDevice, image: &str, bindings: Vec<BindingInfo>, parameters: Vec<Parameter>) -> KernelId {
    let _current = device.queue.context.enter().unwrap();
    let program = Program {
        name: image.into(),
        module: Validated::new(naga::Module::default(), naga::valid::Capabilities::empty()).unwrap(),
        entry_point: "main".to_owned(),
        workgroup_size: [64, 1, 1],
        bindings,
        immediate: None,
        workgroup_storage: 0,
        source: None,
        leave: Leave::default(),
        proofs: None,
    };
    let needs = Needs {
        kernel: image,
        entry: "main",
        dynamic_shared: 0,
        invocations: 64,
        max_shared: 1 << 10,
        max_resident: 2048,
        compiler: "nothing",
    };
    let bytes = format!("{image}\0");
    let module = Module::load(&device.queue.context, bytes.as_bytes(), &needs).unwrap();
    let loaded = Loaded::new(module, &device.queue, parameters, 0, None);
    let id = KernelId(device.fresh());
    let kernel = Kernel::new(&program, usual_form(&program.bindings), loaded);
    device.kernels.write().unwrap().insert(id, Arc::new(kernel));
    id
}

fn adder(device: &CudaDevice) -> KernelId {
    let bindings = vec![words("x", BindingClass::Storage, None), words("by", BindingClass::Uniform, Some(1))];
    let parameters = vec![
        Parameter::Address { binding: 0 },
        Parameter::Count { binding: 0 },
        Parameter::Value { binding: 1, bytes: 4 },
    ];
    kernel(device, "add", bindings, parameters)
}

fn stopper(device: &CudaDevice) -> KernelId {
    let bindings = vec![words("x", BindingClass::Storage, None)];
    kernel(device, "stop", bindings, vec![Parameter::Address { binding: 0 }, Parameter::Status])
}

fn mixer(device: &CudaDevice) -> KernelId {
    let bindings = vec![
        words("x", BindingClass::ReadOnlyStorage, None),
        words("y", BindingClass::Storage, None),
        words("by", BindingClass::Uniform, Some(1)),
    ];
    let parameters = vec![
        Parameter::Address { binding: 0 },
        Parameter::Count { binding: 0 },
        Parameter::Address { binding: 1 },
        Parameter::Count { binding: 1 },
        Parameter::Value { binding: 2, bytes: 4 },
    ];
    kernel(device, "mix", bindings, parameters)
}

fn whole(memory: MemoryId, bytes: u64) -> Region {
    Region { memory, offset: 0, bytes }
}

fn add(recording: &mut Recording, kernel: KernelId, memory: MemoryId, value: u32) {
    let bounds = [Bound::Memory { region: whole(memory, 64), access: Access::Write }, Bound::Inline(0..4)];
    recording.dispatch(kernel, &"add".into(), Grid::Groups([1, 1, 1]), bounds, &value.to_le_bytes(), &[]);
}

fn stop(recording: &mut Recording, kernel: KernelId, memory: MemoryId) {
    let bounds = [Bound::Memory { region: whole(memory, 64), access: Access::Write }];
    recording.dispatch(kernel, &"k.wgsl:main".into(), Grid::Groups([1, 1, 1]), bounds, &[], &[]);
}

/// Returns the first word of a device memory, or the error of reading the memory.
fn read(device: &CudaDevice, memory: MemoryId) -> Result<u32, BackendError> {
    let back = device.allocate(64, MemoryKind::Readback, "")?;
    let mut recording = Recording::new();
    recording.copy(whole(memory, 64), whole(back, 64));
    drop(device.submit(&recording)?);
    let mapped = device.map(back)?.wait();
    let value = mapped.and_then(|()| {
        let host = device.host(back)?;
        Ok(u32::from_le_bytes(host.bytes()[..4].try_into().unwrap()))
    });
    device.free(back);
    value
}

fn submit(device: &CudaDevice, fill: impl FnOnce(&mut Recording)) -> Result<Ticket, BackendError> {
    let mut recording = Recording::new();
    fill(&mut recording);
    device.submit(&recording)
}

#[test]
fn commands_take_effect_in_their_order() {
    let device = open();
    let kernel = adder(&device);
    let memory = device.allocate(50, MemoryKind::Device, "x").unwrap();
    assert_eq!(read(&device, memory), Ok(0));
    let ticket = submit(&device, |recording| {
        recording.fill(whole(memory, 64), 5);
        add(recording, kernel, memory, 2);
        add(recording, kernel, memory, 3);
    });
    let ticket = ticket.unwrap();
    assert_eq!(ticket.ended(), None);
    assert_eq!(read(&device, memory), Ok(10));
    assert_eq!(ticket.ended(), Some(true));
    assert_eq!(device.counters().dispatches, 2);
    device.free(memory);
    assert_eq!(read(&device, memory), Err(BackendError::UnknownMemory(memory)));
}

#[test]
fn earlier_submissions_end_before_later_ones() {
    let device = open();
    let memory = device.allocate(64, MemoryKind::Device, "x").unwrap();
    let fill = |value| submit(&device, |recording| recording.fill(whole(memory, 64), value)).unwrap();
    let (first, dropped, last) = (fill(1), fill(2), fill(3));
    drop(dropped);
    assert_eq!((first.ended(), last.ended()), (None, None));
    // Runs the zeroing, the first fill, and the event after it.
    fake::step(device.queue.streams.first(), 3);
    assert_eq!((first.ended(), last.ended()), (Some(true), None));
    assert_eq!(last.wait_timeout(Duration::from_secs(5)), Ok(true));
    assert_eq!(device.queue.context.submissions.finished(), 3);
}

#[test]
fn a_wait_records_no_events() {
    let device = open();
    let kernel = adder(&device);
    let memory = device.allocate(64, MemoryKind::Device, "x").unwrap();
    for _ in 0..20 {
        submit(&device, |recording| add(recording, kernel, memory, 1)).unwrap().wait().unwrap();
    }
    let state = device.queue.lock();
    assert!(state.pending.is_empty());
    drop(state);
    assert_eq!(read(&device, memory), Ok(20));
}

struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Order::SeqCst);
    }
}

#[test]
fn a_waker_is_woken_and_a_time_out_ends() {
    let device = open();
    let memory = device.allocate(64, MemoryKind::Device, "x").unwrap();
    let mut ticket = submit(&device, |recording| recording.fill(whole(memory, 64), 1)).unwrap();
    assert_eq!(ticket.wait_timeout(Duration::ZERO), Ok(false));
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&woken));
    let poll = std::pin::Pin::new(&mut ticket).poll(&mut TaskContext::from_waker(&waker));
    // The waiting thread may have ended the work meanwhile.
    let pending = poll.is_pending();
    assert!(pending || ticket.is_done() == Ok(true));
    for _ in 0..500 {
        if !pending || woken.0.load(Order::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(ticket.is_done(), Ok(true));
    drop(device);
    assert_eq!(ticket.wait(), Ok(()));
}

#[test]
fn mapped_memory_is_refused_and_freed_memory_stays_readable() {
    let device = open();
    let (up, memory) =
        (device.allocate(64, MemoryKind::Upload, "").unwrap(), device.allocate(64, MemoryKind::Device, "").unwrap());
    device.map(up).unwrap().wait().unwrap();
    let mut host = device.host(up).unwrap();
    assert!(host.bytes().iter().all(|byte| *byte == 0));
    host.bytes_mut()[0] = 9;
    let copy = |device: &CudaDevice| submit(device, |recording| recording.copy(whole(up, 64), whole(memory, 64)));
    assert!(copy(&device).is_err() && device.unmap(up).is_err());
    drop(host);
    device.unmap(up).unwrap();
    copy(&device).unwrap();
    assert_eq!(read(&device, memory), Ok(9));
    device.map(up).unwrap().wait().unwrap();
    let host = device.host(up).unwrap();
    device.free(up);
    drop(device);
    assert_eq!(host.bytes()[0], 9);
}

#[test]
fn a_stopped_kernel_is_reported_by_its_ticket_and_once_by_its_memory() {
    let device = open();
    let (kernel, sound) = (stopper(&device), adder(&device));
    let (memory, other) =
        (device.allocate(64, MemoryKind::Device, "").unwrap(), device.allocate(64, MemoryKind::Device, "").unwrap());
    let ticket = submit(&device, |recording| {
        stop(recording, kernel, memory);
        recording.fill(whole(memory, 64), 7);
        stop(recording, kernel, memory);
        add(recording, sound, other, 4);
    });
    let error = ticket.unwrap().wait().unwrap_err();
    assert!(error.to_string().contains("k.wgsl:main") && error.to_string().contains(":42"), "{error}");
    assert!(error.to_string().contains("ANYWARP_CUDA_STEPS"), "{error}");
    assert_eq!(read(&device, other), Ok(4));
    assert_eq!(read(&device, memory), Err(error));
    assert_eq!(read(&device, memory), Ok(7));
    // The status record is zeroed before it is reused.
    submit(&device, |recording| {
        recording.fill(whole(memory, 64), 1);
        stop(recording, kernel, memory);
    })
    .unwrap()
    .wait()
    .unwrap();
}

#[test]
fn a_failure_moves_on_to_work_that_was_submitted_before_it_was_known() {
    let device = open();
    let (kernel, sound) = (stopper(&device), adder(&device));
    let memory = device.allocate(64, MemoryKind::Device, "").unwrap();
    let copy = device.allocate(64, MemoryKind::Device, "").unwrap();
    drop(submit(&device, |recording| {
        recording.fill(whole(memory, 64), 7);
        stop(recording, kernel, memory);
    }));
    drop(submit(&device, |recording| recording.copy(whole(memory, 64), whole(copy, 64))));
    assert!(matches!(read(&device, copy), Err(BackendError::Stopped { .. })));
    assert_eq!(read(&device, copy), Ok(7));
    // The failure was reported, so the program may use the memory again.
    submit(&device, |recording| add(recording, sound, memory, 1)).unwrap().wait().unwrap();
    assert_eq!(read(&device, memory), Ok(8));
}

#[test]
fn a_recording_that_comes_again_is_a_graph() {
    let device = open();
    let (kernel, limited) = (adder(&device), stopper(&device));
    let memory = device.allocate(64, MemoryKind::Device, "").unwrap();
    let mut recording = Recording::kept();
    add(&mut recording, kernel, memory, 1);
    add(&mut recording, kernel, memory, 2);
    let launches = fake::calls("cuGraphLaunch");
    for _ in 0..4 {
        device.submit(&recording).unwrap();
    }
    assert!(fake::calls("cuGraphLaunch") >= launches + 3);
    assert_eq!(read(&device, memory), Ok(12));
    // After a change, the recording is submitted once as commands, then as a graph again.
    add(&mut recording, kernel, memory, 10);
    stop(&mut recording, limited, memory);
    for _ in 0..3 {
        device.submit(&recording).unwrap();
    }
    assert_eq!(read(&device, memory), Ok(12 + 39));
    submit(&device, |recording| recording.fill(whole(memory, 64), 7_u32.wrapping_sub(13))).unwrap();
    let stopped = device.submit(&recording).unwrap();
    assert!(matches!(stopped.wait(), Err(BackendError::Stopped { .. })));
    submit(&device, |recording| recording.fill(whole(memory, 64), 0)).unwrap();
    let again = device.submit(&recording).unwrap();
    assert_eq!(again.wait(), Ok(()));
    device.free(memory);
    assert_eq!(device.submit(&recording).unwrap_err(), BackendError::UnknownMemory(memory));
    drop(recording);
}

#[test]
fn timings_have_an_entry_for_each_dispatch() {
    let device = open();
    let kernel = adder(&device);
    let memory = device.allocate(64, MemoryKind::Device, "").unwrap();
    let ticket = submit(&device, |recording| {
        recording.timed = true;
        add(recording, kernel, memory, 1);
        recording.fill(whole(memory, 64), 1);
        add(recording, kernel, memory, 1);
    });
    let ticket = ticket.unwrap();
    ticket.wait().unwrap();
    let timings = ticket.timings().unwrap();
    assert_eq!(timings.entries.len(), 2);
    assert_eq!(timings.total(), Duration::from_millis(1));
}

#[test]
fn a_crash_is_the_end_of_the_device_and_of_nothing_else() {
    let device = open();
    let kernel = kernel(&device, "crash", Vec::new(), Vec::new());
    let up = device.allocate(64, MemoryKind::Upload, "").unwrap();
    device.map(up).unwrap();
    let host = device.host(up).unwrap();
    let ticket = submit(&device, |recording| {
        recording.dispatch(kernel, &"bad.wgsl".into(), Grid::Groups([1, 1, 1]), [], &[], &[]);
    });
    let error = ticket.unwrap().wait().unwrap_err();
    assert!(error.is_lost() && error.to_string().contains("'bad.wgsl'"), "{error}");
    assert!(error.to_string().contains("ILLEGAL_ADDRESS"), "{error}");
    assert!(device.allocate(64, MemoryKind::Device, "").unwrap_err().is_lost());
    assert!(device.submit(&Recording::new()).unwrap_err().is_lost() && device.map(up).unwrap_err().is_lost());
    device.free(up);
    device.discard(kernel);
    assert_eq!(device.counters().submissions, 1);
    let other = open();
    let memory = other.allocate(64, MemoryKind::Device, "").unwrap();
    assert_eq!(read(&other, memory), Ok(0));
    drop(device);
    assert_eq!(host.bytes()[0], 0);
}

#[test]
fn wrong_recordings_are_refused_and_change_nothing() {
    let device = open();
    let kernel = adder(&device);
    let memory = device.allocate(64, MemoryKind::Device, "").unwrap();
    let refused = |fill: &dyn Fn(&mut Recording)| submit(&device, |recording| fill(recording)).is_err();
    assert!(refused(&|recording| recording.fill(whole(memory, 128), 1)));
    assert!(refused(&|recording| recording.copy(whole(memory, 64), whole(memory, 64))));
    assert!(refused(&|recording| {
        recording.fill(whole(memory, 64), 1);
        recording.dispatch(kernel, &"add".into(), Grid::Groups([1, 1, 1]), [], &[], &[]);
    }));
    assert!(refused(&|recording| {
        let bounds = [Bound::Inline(0..4), Bound::Inline(0..4)];
        recording.dispatch(kernel, &"add".into(), Grid::Groups([1, 1, 1]), bounds, &[0; 4], &[]);
    }));
    device.discard(kernel);
    assert!(refused(&|recording| add(recording, kernel, memory, 1)));
    assert_eq!(read(&device, memory), Ok(0));
}
