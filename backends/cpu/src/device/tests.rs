//! Tests of the device with kernels written in Rust: order, threads, stops, memory.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anywarp_backend::{Access, BindingClass, Bound, Clock, Grid, Region};

use super::*;
use crate::abi::{Frame, Slot, convention};
use anywarp_host::Binding;

fn slot(frame: *mut Frame, index: usize) -> Slot {
    // SAFETY: the dispatch has this number of bindings.
    unsafe { *(*frame).slots.add(index) }
}

fn counter(frame: *mut Frame) -> &'static AtomicU32 {
    // SAFETY: the first binding has a word, aligned to 4, that outlives the kernel.
    unsafe { &*slot(frame, 0).start.cast::<AtomicU32>() }
}

convention! {
    /// A kernel that adds 1 to the first word of its buffer for each workgroup.
    [] fn count(frame: *mut Frame, begin: u32, end: u32, _: u32, _: u32) -> u32 {
        counter(frame).fetch_add(end - begin, Ordering::Relaxed);
        0
    }
}

convention! {
    /// A kernel that doubles the first word of its buffer and adds 1; for grids of one workgroup.
    [] fn shift(frame: *mut Frame, _: u32, _: u32, _: u32, _: u32) -> u32 {
        let word = counter(frame);
        word.store(word.load(Ordering::Relaxed) * 2 + 1, Ordering::Relaxed);
        0
    }
}

convention! {
    /// A kernel that takes 2 ms for each workgroup, then counts like [`count`].
    [] fn slow(frame: *mut Frame, begin: u32, end: u32, y: u32, z: u32) -> u32 {
        std::thread::sleep(Duration::from_millis(2) * (end - begin));
        count(frame, begin, end, y, z)
    }
}

convention! {
    /// A kernel that counts like [`count`], but stops at a barrier in workgroup 100.
    [] fn stops(frame: *mut Frame, begin: u32, end: u32, y: u32, z: u32) -> u32 {
        if (begin..end).contains(&100) {
            // SAFETY: the frame is this thread's.
            unsafe { (*frame).site = 0 };
            return 1;
        }
        count(frame, begin, end, y, z)
    }
}

convention! {
    /// A kernel that copies the word of the second binding to the first, and writes to the thread's own memory.
    [] fn value(frame: *mut Frame, _: u32, _: u32, _: u32, _: u32) -> u32 {
        // SAFETY: the second binding has a word; the three pieces of scratch memory have at least 64 bytes each.
        unsafe {
            counter(frame).store(slot(frame, 1).start.cast::<u32>().read(), Ordering::Relaxed);
            (*frame).workgroup.write_bytes(1, 64);
            (*frame).private.write_bytes(1, 64);
            (*frame).nowhere.write_bytes(1, 64);
        }
        0
    }
}

/// The threads that have run [`noted`].
static THREADS: Mutex<Vec<std::thread::ThreadId>> = Mutex::new(Vec::new());

convention! {
    /// A kernel that takes 1 ms for each workgroup, and notes its thread.
    [] fn noted(_: *mut Frame, begin: u32, end: u32, _: u32, _: u32) -> u32 {
        std::thread::sleep(Duration::from_millis(1) * (end - begin));
        THREADS.lock().unwrap().push(std::thread::current().id());
        0
    }
}

fn binding(name: &str, class: BindingClass, access: Access) -> Binding {
    Binding { name: name.to_owned(), class, access, size: 4, alignment: 4, tail: None }
}

struct Bench {
    device: Arc<CpuDevice>,
}

impl Bench {
    fn new() -> Self {
        Self::with(Options::default())
    }

    fn with(options: Options) -> Self {
        Self { device: open(options).unwrap() }
    }

    fn kernel(&self, name: &str, entry: crate::abi::Entry) -> KernelId {
        let out = binding("out", BindingClass::Storage, Access::Write);
        self.device.add(Kernel::fake(name, entry, vec![out]))
    }

    fn memory(&self, bytes: u64) -> MemoryId {
        self.device.allocate(bytes, MemoryKind::Shared, "").unwrap()
    }

    fn whole(memory: MemoryId, bytes: u64) -> Region {
        Region { memory, offset: 0, bytes }
    }

    fn dispatch(recording: &mut Recording, kernel: KernelId, memory: MemoryId, grid: Grid) {
        let bound = Bound::Memory { region: Self::whole(memory, 4), access: Access::Write };
        recording.dispatch(kernel, &Arc::from("label"), grid, [bound], &[], &[]);
    }

    fn run(&self, kernel: KernelId, memory: MemoryId, groups: [u32; 3]) -> Ticket {
        let mut recording = Recording::new();
        Self::dispatch(&mut recording, kernel, memory, Grid::Groups(groups));
        self.device.submit(&recording).unwrap()
    }

    fn words(&self, memory: MemoryId) -> Result<Vec<u32>, BackendError> {
        self.device.map(memory)?.wait().inspect_err(|_| self.device.unmap(memory).unwrap())?;
        let host = self.device.host(memory)?;
        let words = host.bytes().as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        drop(host);
        self.device.unmap(memory)?;
        Ok(words)
    }

    fn write(&self, memory: MemoryId, words: &[u32]) {
        self.device.map(memory).unwrap().wait().unwrap();
        let mut host = self.device.host(memory).unwrap();
        for (target, word) in host.bytes_mut().as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *target = word.to_le_bytes();
        }
        drop(host);
        self.device.unmap(memory).unwrap();
    }
}

#[test]
fn small_work_has_ended_when_it_is_submitted_and_costs_little() {
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("count", count), bench.memory(4));
    bench.run(kernel, memory, [1, 1, 1]).wait().unwrap();
    let (mut best, mut at_once) = (Duration::MAX, 0);
    for _ in 0..1000 {
        let start = Instant::now();
        let ticket = bench.run(kernel, memory, [4, 1, 1]);
        // On a busy machine the kernel may appear slow for a while.
        at_once += u32::from(ticket.is_done().unwrap());
        ticket.wait().unwrap();
        best = best.min(start.elapsed());
    }
    assert!(at_once > 0);
    println!("a launch of four workgroups and its wait: {best:?}");
    assert!(best < Duration::from_micros(10), "{best:?}");
    assert_eq!(bench.words(memory).unwrap()[0], 4001);
    assert_eq!(bench.device.counters().dispatches, 1001);
}

#[test]
fn long_work_does_not_keep_submit_and_can_be_waited_for() {
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("slow", slow), bench.memory(4));
    let start = Instant::now();
    let ticket = bench.run(kernel, memory, [50, 1, 1]);
    assert!(start.elapsed() < Duration::from_millis(25), "{:?}", start.elapsed());
    assert!(!ticket.wait_timeout(Duration::from_millis(1)).unwrap());
    assert!(bench.device.map(memory).unwrap().wait_timeout(Duration::ZERO).is_ok_and(|done| !done));
    bench.device.unmap(memory).unwrap();
    assert_eq!(bench.words(memory).unwrap()[0], 50);
    assert!(ticket.is_done().unwrap());
}

#[test]
fn wakers_are_woken_and_freed_memory_stays_until_the_work_is_done() {
    struct Flag(AtomicU32);
    impl std::task::Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("slow", slow), bench.memory(4));
    let mut ticket = bench.run(kernel, memory, [5, 1, 1]);
    bench.device.free(memory);
    bench.device.discard(kernel);
    let flag = Arc::new(Flag(AtomicU32::new(0)));
    let waker = std::task::Waker::from(Arc::clone(&flag));
    let mut context = std::task::Context::from_waker(&waker);
    assert!(std::pin::Pin::new(&mut ticket).poll(&mut context).is_pending());
    ticket.wait().unwrap();
    let start = Instant::now();
    while flag.0.load(Ordering::SeqCst) == 0 && start.elapsed() < Duration::from_secs(5) {
        std::thread::yield_now();
    }
    assert_eq!(flag.0.load(Ordering::SeqCst), 1);
    assert_eq!(bench.device.submit(&Recording::new()).unwrap().wait(), Ok(()));
    assert_eq!(bench.device.memory(memory).err(), Some(BackendError::UnknownMemory(memory)));
}

#[test]
fn commands_and_submissions_take_effect_in_order() {
    let bench = Bench::new();
    let (count, shift, slow) = (bench.kernel("count", count), bench.kernel("shift", shift), bench.kernel("slow", slow));
    let (memory, other) = (bench.memory(4), bench.memory(4));
    let one = Grid::Groups([1, 1, 1]);
    let mut recording = Recording::new();
    recording.fill(Bench::whole(memory, 4), 5);
    Bench::dispatch(&mut recording, shift, memory, one); // 11
    recording.copy(Bench::whole(memory, 4), Bench::whole(other, 4));
    Bench::dispatch(&mut recording, count, memory, Grid::Groups([3, 2, 2])); // 23
    Bench::dispatch(&mut recording, slow, memory, one); // 24
    bench.device.submit(&recording).unwrap();
    bench.run(shift, memory, [1, 1, 1]); // 49
    bench.run(count, memory, [1, 1, 1]); // 50
    bench.run(shift, memory, [1, 1, 1]); // 101
    assert_eq!(bench.words(memory).unwrap()[0], 101);
    assert_eq!(bench.words(other).unwrap()[0], 11);
}

#[test]
fn many_threads_submit_at_once() {
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("count", count), bench.memory(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..500).for_each(|_| drop(bench.run(kernel, memory, [2, 1, 1]))));
        }
    });
    assert_eq!(bench.words(memory).unwrap()[0], 4000);
}

#[test]
fn grids_of_two_to_the_31_workgroups() {
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("count", count), bench.memory(4));
    for groups in [[1 << 31, 1, 1], [1 << 11, 1 << 10, 1 << 10]] {
        bench.run(kernel, memory, groups).wait().unwrap();
    }
    assert_eq!(bench.words(memory).unwrap()[0], 0, "twice 2^31, modulo 2^32");
}

#[test]
fn indirect_grids_are_read_when_they_run() {
    let bench = Bench::new();
    let (kernel, memory, grid) = (bench.kernel("count", count), bench.memory(4), bench.memory(40));
    let most = bench.device.caps().limits.workgroups_per_dimension;
    bench.write(grid, &[9, 9, 9, 1, 3, 2, 0, 1, 1, most + 1]);
    let mut recording = Recording::new();
    recording.fill(Region { memory: grid, offset: 12, bytes: 4 }, 7);
    for offset in [12, 24, 28] {
        Bench::dispatch(&mut recording, kernel, memory, Grid::Indirect { memory: grid, offset });
    }
    bench.device.submit(&recording).unwrap().wait().unwrap();
    assert_eq!(bench.words(memory).unwrap()[0], 42);
    let mut outside = Recording::new();
    Bench::dispatch(&mut outside, kernel, memory, Grid::Indirect { memory: grid, offset: 60 });
    assert!(bench.device.submit(&outside).is_err());
}

#[test]
fn values_of_uniforms_and_timings() {
    let bench = Bench::new();
    let bindings = vec![
        binding("out", BindingClass::Storage, Access::Write),
        binding("given", BindingClass::Uniform, Access::Read),
    ];
    let kernel = bench.device.add(Kernel::fake("value", value, bindings));
    let memory = bench.memory(8);
    let mut recording = Recording::new();
    recording.timed = true;
    for (offset, given) in [(0, 7u32), (4, 8)] {
        let out = Bound::Memory { region: Region { memory, offset, bytes: 4 }, access: Access::Write };
        let bounds = [out, Bound::Inline(0..4)];
        recording.dispatch(kernel, &Arc::from("value"), Grid::Groups([1, 1, 1]), bounds, &given.to_le_bytes(), &[]);
    }
    let ticket = bench.device.submit(&recording).unwrap();
    ticket.wait().unwrap();
    let timings = ticket.timings().unwrap();
    assert_eq!((timings.clock, timings.entries.len()), (Clock::Device, 2));
    assert_eq!(&*timings.entries[0].label, "value");
    assert_eq!(bench.words(memory).unwrap()[..2], [7, 8]);
}

#[test]
fn a_stop_is_reported_and_the_device_goes_on() {
    let bench = Bench::new();
    let (bad, count) = (bench.kernel("bad.wgsl:main", stops), bench.kernel("count", count));
    let (memory, dependent, apart, uploaded) = (bench.memory(4), bench.memory(4), bench.memory(4), bench.memory(4));
    bench.write(uploaded, &[17]);
    let mut recording = Recording::new();
    let whole = |memory| Bench::whole(memory, 4);
    Bench::dispatch(&mut recording, bad, memory, Grid::Groups([1 << 30, 1, 1]));
    Bench::dispatch(&mut recording, count, dependent, Grid::Groups([1, 1, 1]));
    recording.copy(whole(uploaded), whole(apart));
    let stopped = bench.device.submit(&recording).unwrap();
    let mut later = Recording::new();
    later.copy(whole(memory), whole(dependent));
    let later = bench.device.submit(&later).unwrap();
    let beside = bench.run(count, uploaded, [3, 1, 1]);

    let error = stopped.wait().unwrap_err();
    assert!(matches!(&error, BackendError::Stopped { kernel, reason }
        if kernel == "bad.wgsl:main" && reason.contains("at fake.wgsl:3")));
    assert_eq!(stopped.is_done(), Err(error.clone()));
    assert_eq!(later.wait(), Err(error.clone()));
    assert_eq!(beside.wait(), Ok(()));
    // Each memory that the stopped kernel should have written reports the error once; other memories do not.
    for memory in [memory, dependent] {
        assert_eq!(bench.words(memory), Err(error.clone()));
        assert!(bench.words(memory).is_ok());
    }
    assert_eq!(bench.words(apart).unwrap()[0], 17, "the host's data is not lost");
    assert_eq!(bench.words(uploaded).unwrap()[0], 20);

    // A memory whose error was reported is valid after it is written again.
    bench.run(bad, memory, [1 << 30, 1, 1]).wait().unwrap_err();
    bench.run(count, memory, [1, 1, 1]).wait().unwrap();
    assert!(bench.words(memory).is_ok());
    // A memory whose error was not reported is valid after it is replaced as a whole.
    drop(bench.run(bad, memory, [1 << 30, 1, 1]));
    let mut fill = Recording::new();
    fill.fill(whole(memory), 3);
    bench.device.submit(&fill).unwrap();
    assert_eq!(bench.words(memory).unwrap()[0], 3);
}

#[test]
fn recordings_that_leave_their_memory_are_refused() {
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("count", count), bench.memory(100));
    let end = 128; // memory is a multiple of 64 bytes long
    let region = |offset, bytes| Region { memory, offset, bytes };
    for bad in [region(end, 4), region(u64::MAX - 3, 8), region(0, end + 4), region(2, 4)] {
        let mut recording = Recording::new();
        recording.fill(bad, 0);
        assert!(bench.device.submit(&recording).is_err(), "{bad}");
        let mut recording = Recording::new();
        let bound = Bound::Memory { region: bad, access: Access::Write };
        recording.dispatch(kernel, &Arc::from("k"), Grid::Groups([1; 3]), [bound], &[], &[]);
        assert!(bench.device.submit(&recording).is_err(), "{bad}");
    }
    let mut recording = Recording::new();
    recording.copy(region(0, 16), region(8, 16));
    recording.dispatch(kernel, &Arc::from("k"), Grid::Groups([1; 3]), [], &[], &[]);
    assert!(bench.device.submit(&recording).is_err());
    bench.device.map(memory).unwrap();
    let mut recording = Recording::new();
    recording.fill(region(0, 4), 0);
    assert!(bench.device.submit(&recording).unwrap_err().to_string().contains("mapped"));
    bench.device.unmap(memory).unwrap();
    bench.device.submit(&recording).unwrap();
}

#[test]
fn memory_that_is_not_there_is_an_error() {
    let bench = Bench::new();
    let limit = bench.device.caps().limits.buffer_size;
    let allocate = |bytes| bench.device.allocate(bytes, MemoryKind::Shared, "");
    assert!(matches!(allocate(limit + 1), Err(BackendError::TooLarge { .. })));
    if bench.device.caps().memory.is_some() {
        assert!(matches!(allocate(limit), Err(BackendError::OutOfMemory { .. })));
        assert!(matches!(allocate(u64::MAX), Err(BackendError::TooLarge { .. })));
    }
    let kept = allocate(1).unwrap();
    assert!(bench.words(kept).unwrap().iter().all(|word| *word == 0));
    let staged = open(Options { staged: true, ..Options::default() }).unwrap();
    assert!(!staged.caps().unified && staged.allocate(4, MemoryKind::Shared, "").is_err());
    assert!(staged.map(staged.allocate(4, MemoryKind::Device, "").unwrap()).is_err());
}

#[test]
fn large_copies_and_fills() {
    let bench = Bench::new();
    let bytes = 40 << 20;
    let (from, to) = (bench.memory(bytes), bench.memory(bytes));
    let mut recording = Recording::new();
    recording.fill(Bench::whole(from, bytes), 0xABCD_1234);
    recording
        .copy(Region { memory: from, offset: 4, bytes: bytes - 8 }, Region { memory: to, offset: 8, bytes: bytes - 8 });
    bench.device.submit(&recording).unwrap().wait().unwrap();
    let words = bench.words(to).unwrap();
    assert_eq!(words[..2], [0, 0]);
    assert!(words[2..bytes as usize / 4].iter().all(|word| *word == 0xABCD_1234));
}

#[test]
fn a_dropped_device_finishes_its_work() {
    static RUN: AtomicU64 = AtomicU64::new(0);
    convention! {
        [] fn note(_: *mut Frame, _: u32, _: u32, _: u32, _: u32) -> u32 {
            std::thread::sleep(Duration::from_millis(3));
            RUN.fetch_add(1, Ordering::SeqCst);
            0
        }
    }
    let bench = Bench::new();
    let (kernel, memory) = (bench.kernel("note", note), bench.memory(4));
    let tickets: Vec<Ticket> = (0..5).map(|_| bench.run(kernel, memory, [1, 1, 1])).collect();
    drop(bench);
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    assert_eq!(RUN.load(Ordering::SeqCst), 5);
}

#[test]
fn one_thread_is_that_of_the_submission() {
    let bench = Bench::with(Options { threads: Some(1), ..Options::default() });
    assert_eq!((bench.device.caps.multiprocessors, bench.device.caps.persistent.is_none()), (Some(1), true));
    let (kernel, memory) = (bench.kernel("noted", noted), bench.memory(4));
    // Far more than the work that `submit` otherwise executes itself, or that stays on one thread.
    for _ in 0..3 {
        let ticket = bench.run(kernel, memory, [20, 1, 1]);
        assert_eq!(ticket.is_done(), Ok(true));
    }
    let seen = THREADS.lock().unwrap();
    assert!(!seen.is_empty() && seen.iter().all(|thread| *thread == std::thread::current().id()));
}

#[test]
fn submissions_of_several_threads_to_a_device_of_one() {
    let bench = Bench::with(Options { threads: Some(1), ..Options::default() });
    let (kernel, memory) = (bench.kernel("slow", slow), bench.memory(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| bench.run(kernel, memory, [2, 1, 1]).wait().unwrap()));
        }
    });
    assert_eq!(bench.words(memory).unwrap()[0], 40);
}

#[test]
fn no_thread_is_refused_and_more_than_cores_are_as_many() {
    let Err(error) = open(Options { threads: Some(0), ..Options::default() }) else { panic!("it was opened") };
    assert!(error.to_string().contains("the option `threads` is 0"), "{error}");
    let bench = Bench::with(Options { threads: Some(u32::MAX), ..Options::default() });
    assert_eq!(bench.device.caps.multiprocessors, u32::try_from(anywarp_host::threads::count()).ok());
}
