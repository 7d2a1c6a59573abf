//! Waits between streams that have work. A stream of the fake driver runs only when a wait requires it, so without a
//! necessary wait the effects of its work are missing.

use super::*;
use crate::streams::state::{DOWNLOAD, Point, UPLOAD};

const BYTES: u64 = 64;

fn allocate(device: &CudaDevice) -> MemoryId {
    device.allocate(BYTES, MemoryKind::Device, "").unwrap()
}

fn part(memory: MemoryId, offset: u64, bytes: u64) -> Region {
    Region { memory, offset, bytes }
}

/// Submits a recording to a stream.
fn on(device: &CudaDevice, stream: u32, record: impl FnOnce(&mut Recording)) -> Ticket {
    let mut recording = Recording::new();
    recording.stream = stream;
    record(&mut recording);
    device.submit(&recording).unwrap()
}

fn fill(device: &CudaDevice, stream: u32, memory: MemoryId, value: u32) -> Ticket {
    on(device, stream, |recording| recording.fill(whole(memory, BYTES), value))
}

fn copy(device: &CudaDevice, stream: u32, from: MemoryId, to: MemoryId) -> Ticket {
    on(device, stream, |recording| recording.copy(whole(from, BYTES), whole(to, BYTES)))
}

/// Returns the current value of a word of memory, without calls to the device.
fn peek(device: &CudaDevice, memory: MemoryId, at: usize) -> u32 {
    let memory = device.memory(memory).unwrap();
    fake::peek(memory.device.address() + at as u64)
}

fn concurrent(device: &CudaDevice) -> bool {
    device.queue.lock().concurrent
}

#[test]
fn a_stream_waits_for_what_it_reads() {
    let device = open();
    let (x, y, z) = (allocate(&device), allocate(&device), allocate(&device));
    // The ticket of this submission is dropped.
    fill(&device, 1, x, 5);
    let behind = fill(&device, 1, z, 6);
    let second = copy(&device, 2, x, y);
    second.wait().unwrap();
    assert_eq!(peek(&device, y, 0), 5);
    assert_eq!(behind.ended(), None, "the wait is only for the work that it depends on");
    // A stream also waits for work that the first stream received before other streams were used.
    fill(&device, 0, x, 7);
    copy(&device, 3, x, z).wait().unwrap();
    assert_eq!(peek(&device, z, 0), 7);
}

#[test]
fn work_from_before_there_were_streams_is_waited_for() {
    let device = open();
    let (x, y, z) = (allocate(&device), allocate(&device), allocate(&device));
    let first = fill(&device, 0, x, 5);
    assert!(!concurrent(&device));
    copy(&device, 1, x, y).wait().unwrap();
    assert_eq!((peek(&device, y, 0), first.ended()), (5, Some(true)));
    copy(&device, 2, z, y).wait().unwrap();
    assert_eq!(peek(&device, y, 0), 0, "memory is zeroed before another stream reads it");
    assert!(!concurrent(&device), "an idle device has one stream again");
    // Other streams wait for the zeroing also if an event was recorded in the first stream before the zeroing.
    let later = fill(&device, 0, z, 3);
    let end = Point { stream: 0, sequence: device.queue.states[0].latest() };
    device.queue.mark_behind(&mut device.queue.lock(), end).unwrap();
    let fresh = allocate(&device);
    copy(&device, 1, fresh, y).wait().unwrap();
    assert_eq!(peek(&device, y, 0), 0);
    copy(&device, 2, z, x).wait().unwrap();
    assert_eq!((peek(&device, x, 0), later.ended()), (3, Some(true)));
}

#[test]
fn a_stream_waits_to_write_for_readers_and_writers() {
    let device = open();
    let (x, y) = (allocate(&device), allocate(&device));
    fill(&device, 0, x, 1).wait().unwrap();
    let reader = copy(&device, 1, x, y);
    fill(&device, 2, x, 9).wait().unwrap();
    assert_eq!((peek(&device, y, 0), reader.ended()), (1, Some(true)));
    let writer = fill(&device, 1, x, 1);
    fill(&device, 2, x, 2).wait().unwrap();
    writer.wait().unwrap();
    assert_eq!(peek(&device, x, 0), 2);
}

#[test]
fn readers_and_ranges_apart_do_not_wait() {
    let device = open();
    let (x, y, z) = (allocate(&device), allocate(&device), allocate(&device));
    fill(&device, 0, x, 1).wait().unwrap();
    let reader = copy(&device, 1, x, y);
    copy(&device, 2, x, z).wait().unwrap();
    assert_eq!((peek(&device, z, 0), reader.ended()), (1, None));
    device.queue.drain("test").unwrap();

    let half = on(&device, 1, |recording| recording.fill(part(x, 0, 32), 2));
    let other = on(&device, 2, |recording| recording.fill(part(x, 32, 32), 3));
    other.wait().unwrap();
    assert_eq!((half.ended(), peek(&device, x, 32)), (None, 3));
    on(&device, 3, |recording| recording.fill(part(x, 28, 4), 4)).wait().unwrap();
    assert_eq!((half.ended(), peek(&device, x, 28)), (Some(true), 4));
}

#[test]
fn a_chain_runs_over_streams_that_nobody_waits_for() {
    let device = open();
    let memories: Vec<MemoryId> = (0..6).map(|_| allocate(&device)).collect();
    fill(&device, 1, memories[0], 3);
    for (stream, pair) in (2..).zip(memories.windows(2)) {
        copy(&device, stream, pair[0], pair[1]);
    }
    assert_eq!(read(&device, memories[5]), Ok(3));
    // The write of another stream replaces the read that the write has waited for.
    copy(&device, 1, memories[0], memories[1]);
    fill(&device, 2, memories[0], 4);
    fill(&device, 3, memories[0], 5).wait().unwrap();
    assert_eq!((peek(&device, memories[0], 0), peek(&device, memories[1], 0)), (5, 3));
    device.queue.drain("test").unwrap();
    assert!(!concurrent(&device));
}

#[test]
fn launches_wait_as_copies_do() {
    let device = open();
    let kernel = adder(&device);
    let (x, y) = (allocate(&device), allocate(&device));
    fill(&device, 1, x, 1);
    on(&device, 2, |recording| add(recording, kernel, x, 2));
    on(&device, 3, |recording| add(recording, kernel, x, 3));
    copy(&device, 4, x, y).wait().unwrap();
    assert_eq!(peek(&device, y, 0), 6);
}

#[test]
fn memory_is_freed_behind_all_streams_that_use_it() {
    let device = open();
    let (y, z) = (allocate(&device), allocate(&device));
    for (user, other) in [(1, 2), (2, 1), (0, 1), (1, 0)] {
        let x = allocate(&device);
        fill(&device, user, x, 8);
        copy(&device, user, x, y);
        copy(&device, other, x, z);
        device.free(x);
        device.queue.drain("test").unwrap();
        assert_eq!((peek(&device, y, 0), peek(&device, z, 0)), (8, 8), "streams {user} and {other}");
        assert!(!concurrent(&device));
    }
}

#[test]
fn new_memory_is_zero_at_its_first_use() {
    let device = open();
    let (x, y) = (allocate(&device), allocate(&device));
    fill(&device, 1, x, 8);
    let fresh = allocate(&device);
    copy(&device, 2, fresh, y).wait().unwrap();
    assert_eq!(peek(&device, y, 0), 0);
    // While the first stream has work, large memory is zeroed on another lane.
    let busy = fill(&device, 0, x, 9);
    let fresh = device.allocate(256, MemoryKind::Device, "").unwrap();
    copy(&device, 3, fresh, y).wait().unwrap();
    assert_eq!((peek(&device, y, 0), busy.ended()), (0, None));
    fill(&device, 0, fresh, 1).wait().unwrap();
    assert_eq!(peek(&device, fresh, 0), 1);
}

#[test]
fn a_stopped_kernel_poisons_memory_for_other_streams() {
    let device = open();
    let (kernel, sound) = (stopper(&device), adder(&device));
    let (x, y, z) = (allocate(&device), allocate(&device), allocate(&device));
    let stopped = on(&device, 1, |recording| {
        recording.fill(whole(x, BYTES), 7);
        stop(recording, kernel, x);
    });
    let beside = on(&device, 2, |recording| add(recording, sound, z, 4));
    let heir = copy(&device, 3, x, y);
    // The dependent submission is completed first, and completes its dependencies with it.
    let error = heir.wait().unwrap_err();
    assert!(matches!(error, BackendError::Stopped { .. }), "{error}");
    assert_eq!((stopped.wait(), beside.wait()), (Err(error.clone()), Ok(())));
    assert_eq!((read(&device, z), read(&device, y)), (Ok(4), Err(error.clone())));
    assert_eq!((read(&device, y), read(&device, x)), (Ok(7), Err(error)));

    // A reader of bytes that were not poisoned succeeds, in any order of completion.
    let reader = on(&device, 1, |recording| recording.copy(part(x, 0, 16), part(y, 0, 16)));
    let stopped = on(&device, 2, |recording| {
        recording.fill(part(x, 16, 16), 7);
        let bounds = [Bound::Memory { region: part(x, 16, 16), access: Access::Write }];
        recording.dispatch(kernel, &"k.wgsl:main".into(), Grid::Groups([1, 1, 1]), bounds, &[], &[]);
    });
    assert!(stopped.wait().is_err());
    assert_eq!(reader.wait(), Ok(()));
}

#[test]
fn a_crash_on_one_stream_is_the_end_of_all() {
    let device = open();
    let kernel = kernel(&device, "crash", Vec::new(), Vec::new());
    let (x, y) = (allocate(&device), allocate(&device));
    let beside = fill(&device, 1, x, 1);
    let crashed = on(&device, 2, |recording| {
        recording.dispatch(kernel, &"bad.wgsl".into(), Grid::Groups([1, 1, 1]), [], &[], &[]);
    });
    let waiting = copy(&device, 3, x, y);
    assert!(crashed.wait().unwrap_err().is_lost());
    assert!(beside.wait().unwrap_err().is_lost() && waiting.is_done().unwrap_err().is_lost());
    assert!(device.lend(x, 4).unwrap_err().is_lost() && device.raw_stream(4).unwrap_err().is_lost());
    device.free(x);
}

#[test]
fn graphs_run_on_any_stream_and_conflict_like_all_else() {
    let device = open();
    let kernel = adder(&device);
    let (x, y) = (allocate(&device), allocate(&device));
    let mut recording = Recording::kept();
    recording.stream = 1;
    add(&mut recording, kernel, x, 1);
    add(&mut recording, kernel, x, 2);
    let launches = fake::calls("cuGraphLaunch");
    for round in 0..4 {
        fill(&device, 2, x, 10 * round);
        device.submit(&recording).unwrap();
        copy(&device, 3, x, y).wait().unwrap();
        assert_eq!(peek(&device, y, 0), 10 * round + 3, "round {round}");
    }
    assert!(fake::calls("cuGraphLaunch") >= launches + 3);
    // For another stream, the recording is captured again.
    recording.stream = 4;
    for _ in 0..2 {
        device.submit(&recording).unwrap();
    }
    assert_eq!(read(&device, x), Ok(39));
}

#[test]
fn streams_are_waited_for_one_by_one() {
    let device = open();
    let (x, y) = (allocate(&device), allocate(&device));
    let (first, mut second) = (fill(&device, 1, x, 1), fill(&device, 2, y, 2));
    assert_eq!(first.wait_timeout(Duration::ZERO), Ok(false));
    assert_eq!(second.wait_timeout(Duration::from_secs(5)), Ok(true));
    assert_eq!(first.ended(), None);
    second = fill(&device, 2, y, 3);
    let woken = Arc::new(Woken(AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&woken));
    let poll = std::pin::Pin::new(&mut second).poll(&mut TaskContext::from_waker(&waker));
    let pending = poll.is_pending();
    for _ in 0..500 {
        if !pending || woken.0.load(Order::SeqCst) > 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!((second.is_done(), first.ended()), (Ok(true), None));
    // A stream number that the device does not have means the first stream.
    fill(&device, 99, x, 5).wait().unwrap();
    assert_eq!((peek(&device, x, 0), first.ended()), (5, Some(true)));
    let mapped = device.allocate(BYTES, MemoryKind::Readback, "").unwrap();
    copy(&device, 3, x, mapped);
    let other = copy(&device, 1, y, x);
    device.map(mapped).unwrap().wait().unwrap();
    assert_eq!(device.host(mapped).unwrap().bytes()[0], 5);
    assert_eq!(other.ended(), None);
}

#[test]
fn a_mapping_waits_for_all_streams_that_use_the_memory() {
    let device = open();
    let (up, x, y) = (upload(&device, 3), allocate(&device), allocate(&device));
    let copies = [(1, x), (2, y)].map(|(stream, to)| copy(&device, stream, up, to));
    device.map(up).unwrap().wait().unwrap();
    assert_eq!(copies.map(|ticket| ticket.ended()), [Some(true); 2]);
    assert_eq!((peek(&device, x, 0), peek(&device, y, 0)), (3, 3));
    // A refused submission adds no dependency.
    let refused = || {
        let mut recording = Recording::new();
        recording.stream = 3;
        recording.copy(whole(up, BYTES), whole(x, BYTES));
        device.submit(&recording)
    };
    assert!(refused().is_err());
    device.unmap(up).unwrap();
    assert!(refused().is_ok());
}

/// Allocates 256 bytes of host memory that begin with this word.
fn upload(device: &CudaDevice, value: u32) -> MemoryId {
    let up = device.allocate(256, MemoryKind::Upload, "").unwrap();
    device.map(up).unwrap().wait().unwrap();
    device.host(up).unwrap().bytes_mut()[..4].copy_from_slice(&value.to_le_bytes());
    device.unmap(up).unwrap();
    up
}

#[test]
fn large_copies_run_beside_kernels() {
    let device = open();
    let kernel = adder(&device);
    let (x, y) = (allocate(&device), device.allocate(256, MemoryKind::Device, "").unwrap());
    let (up, down) = (upload(&device, 6), device.allocate(256, MemoryKind::Readback, "").unwrap());
    let busy = on(&device, 0, |recording| add(recording, kernel, x, 1));
    // Runs the zeroing of both memories, and the event after it.
    fake::step(device.queue.streams.first(), 3);
    let copied = on(&device, 0, |recording| recording.copy(whole(up, 256), whole(y, 256)));
    copied.wait().unwrap();
    assert_eq!((peek(&device, y, 0), busy.ended()), (6, None));
    // A recording that is divided into three parts has ended when all parts have; later work need not have ended.
    device.map(up).unwrap().wait().unwrap();
    device.unmap(up).unwrap();
    let all = on(&device, 0, |recording| {
        recording.copy(whole(up, 256), whole(y, 256));
        add(recording, kernel, y, 1);
        recording.copy(whole(y, 256), whole(down, 256));
    });
    let [upward, downward] = [UPLOAD, DOWNLOAD].map(|stream| device.queue.states[stream].latest());
    assert!(upward > 0 && downward > upward);
    let next = on(&device, 0, |recording| add(recording, kernel, x, 1));
    assert_eq!(all.ended(), None);
    assert_eq!((all.wait(), next.ended()), (Ok(()), None));
    assert_eq!(device.map(down).unwrap().ended(), Some(true));
    assert_eq!(device.host(down).unwrap().bytes()[..4], 7_u32.to_le_bytes());
    device.unmap(down).unwrap();
    // An upload does not wait for earlier commands of its own recording either.
    device.queue.drain("test").unwrap();
    let before = device.queue.states[UPLOAD].latest();
    let mixed = on(&device, 0, |recording| {
        add(recording, kernel, x, 1);
        recording.copy(whole(up, 256), whole(y, 256));
        add(recording, kernel, y, 2);
    });
    let end = device.queue.states[UPLOAD].latest();
    assert!(end > before);
    device.queue.wait(&[Point { stream: UPLOAD, sequence: end }], None).unwrap();
    assert_eq!((peek(&device, y, 0), mixed.ended()), (6, None));
    mixed.wait().unwrap();
    assert_eq!((peek(&device, x, 0), peek(&device, y, 0)), (3, 8));
    // The copy to memory that the stream itself still uses stays in the order of that stream.
    let late = on(&device, 0, |recording| recording.copy(whole(up, 256), whole(y, 256)));
    let user = on(&device, 0, |recording| add(recording, kernel, y, 1));
    late.wait().unwrap();
    on(&device, 0, |recording| recording.copy(whole(up, 256), whole(y, 256)));
    user.wait().unwrap();
    assert_eq!(peek(&device, y, 0), 7);
    device.queue.drain("test").unwrap();
    assert_eq!((peek(&device, y, 0), concurrent(&device)), (6, false));
}

#[test]
fn threads_with_streams_of_their_own_share_a_memory() {
    let device = open();
    fake::disorder(device.raw_context(), 9);
    let kernel = adder(&device);
    let shared = allocate(&device);
    std::thread::scope(|scope| {
        for stream in 0..4 {
            let device = &device;
            scope.spawn(move || {
                let own = allocate(device);
                for round in 1..=50 {
                    on(device, stream, |recording| add(recording, kernel, own, round));
                    let ticket = on(device, stream, |recording| add(recording, kernel, shared, 1));
                    let scratch = device.allocate(256, MemoryKind::Device, "").unwrap();
                    on(device, (stream + round) % 5, |recording| {
                        recording.copy(whole(own, BYTES), whole(scratch, BYTES));
                    });
                    if round % 3 == 0 {
                        ticket.wait().unwrap();
                    }
                    if round % 7 == 0 {
                        assert_eq!(read(device, scratch), Ok(round * (round + 1) / 2));
                    }
                    device.free(scratch);
                }
                assert_eq!(read(device, own), Ok(50 * 51 / 2));
            });
        }
    });
    assert_eq!(read(&device, shared), Ok(200));
}

#[test]
fn foreign_work_is_ordered_by_lending_and_taking_back() {
    let device = open();
    let (x, y) = (allocate(&device), allocate(&device));
    for stream in [0, 5] {
        fill(&device, 2, x, 4);
        let address = device.lend(x, stream).unwrap();
        let raw = device.raw_stream(stream).unwrap();
        let word = address + 4;
        fake::copy_word(word, address, raw);
        let ticket = device.take_back(&[(x, Access::Write)], stream).unwrap();
        fill(&device, 3, x, 1);
        copy(&device, 4, x, y).wait().unwrap();
        assert_eq!((ticket.ended(), peek(&device, y, 4)), (Some(true), 1), "stream {stream}");
        fill(&device, 2, x, 4);
        device.lend(x, stream).unwrap();
        fake::fill_word(word, 9, raw);
        device.take_back(&[(x, Access::Write)], stream).unwrap();
        copy(&device, 4, x, y).wait().unwrap();
        assert_eq!((peek(&device, y, 0), peek(&device, y, 4)), (4, 9), "stream {stream}");
    }
    let up = upload(&device, 1);
    device.map(up).unwrap().wait().unwrap();
    assert!(device.lend(up, 0).is_err() && device.take_back(&[(up, Access::Read)], 1).is_err());
    device.free(x);
    assert_eq!(device.lend(x, 0), Err(BackendError::UnknownMemory(x)));
}
