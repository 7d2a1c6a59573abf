//! A driver without a card, for tests: memory is the host's, and a stream runs its commands only
//! when somebody waits for it, or when a test says so.
//!
//! Streams run apart: one that is waited for runs alone, but for what its events ask of others. With
//! [`disorder`] some of the others run a little at every wait, too, in an order that a seed decides. So
//! work that should wait for other work and does not comes too early in some of these orders. Freed
//! memory is filled with something else.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::driver::sys::*;

use crate::driver::Driver;
use crate::driver::error::NOT_READY;

/// The result of everything after a kernel has crashed: an illegal address.
const CRASHED: u32 = 700;

/// A kernel of tests: its image, the lengths of its parameters, and what it does with them.
pub(crate) type Fake = (&'static str, &'static [usize], fn(&[Vec<u8>]) -> bool);

/// Adds a number to each of some words.
fn add(parameters: &[Vec<u8>]) -> bool {
    let (count, value) = (word(&parameters[1], 0), word(&parameters[2], 0));
    for index in 0..count {
        let place = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[0]) as usize + index as usize * 4);
        // SAFETY: the test bound so many words.
        unsafe { place.write(place.read().wrapping_add(value)) };
    }
    true
}

/// Writes a status record, if the first word of its memory is 7.
fn stop(parameters: &[Vec<u8>]) -> bool {
    let memory = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[0]) as usize);
    let record = std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[1]) as usize);
    // SAFETY: the test bound the memory; the record is as the runtime says.
    unsafe {
        if memory.read() == 7 && record.read() == 0 {
            record.write(word(&parameters[1], 8));
            record.add(1).write(42);
        }
    }
    true
}

/// Makes each of some words another one that depends on it, on a word elsewhere, and on a number.
fn mix(parameters: &[Vec<u8>]) -> bool {
    let (count, value) = (word(&parameters[3], 0).min(word(&parameters[1], 0)), word(&parameters[4], 0));
    let place = |at: usize, index: usize| {
        std::ptr::with_exposed_provenance_mut::<u32>(long(&parameters[at]) as usize + index * 4)
    };
    for index in 0..count as usize {
        // SAFETY: the test bound so many words.
        unsafe {
            let mixed = place(2, index).read().rotate_left(5) ^ place(0, index).read().wrapping_mul(0x9e37_79b1);
            place(2, index).write(mixed.wrapping_add(value));
        }
    }
    true
}

fn crash(_: &[Vec<u8>]) -> bool {
    false
}

const KERNELS: &[Fake] =
    &[("add", &[8, 4, 4], add), ("mix", &[8, 4, 8, 4, 4], mix), ("stop", &[8, 16], stop), ("crash", &[], crash)];

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn long(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

#[derive(Clone)]
enum Command {
    Copy(u64, u64, usize),
    Fill(u64, u32, usize),
    Write(u64, Vec<u8>),
    Launch(usize, Vec<Vec<u8>>),
    Mark(usize),
    /// Waits until an event was passed so many times.
    Wait(usize, usize),
    Free(u64),
}

#[derive(Default)]
struct Stream {
    context: usize,
    commands: VecDeque<Command>,
    capturing: bool,
}

#[derive(Default)]
struct World {
    next: usize,
    streams: HashMap<usize, Stream>,
    /// How often each event was recorded, and how often a stream has passed it.
    marks: HashMap<usize, (usize, usize)>,
    /// The state of random numbers for each context that is in disorder.
    disorder: HashMap<usize, u64>,
    /// What was freed.
    buried: Vec<Vec<u128>>,
    graphs: HashMap<usize, Vec<Command>>,
    memory: HashMap<u64, Vec<u128>>,
    crashed: HashSet<usize>,
    calls: HashMap<&'static str, usize>,
    most: usize,
}

fn world() -> MutexGuard<'static, World> {
    static WORLD: OnceLock<Mutex<World>> = OnceLock::new();
    WORLD.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn name<T>(handle: usize) -> *mut T {
    std::ptr::without_provenance_mut(handle)
}

impl World {
    fn fresh(&mut self) -> usize {
        self.next += 0x100;
        self.next
    }

    fn push(&mut self, stream: CUstream, command: Command) -> u32 {
        let stream = self.streams.get_mut(&stream.addr()).unwrap();
        if self.crashed.contains(&stream.context) {
            return CRASHED;
        }
        if let (Command::Mark(event), false) = (&command, stream.capturing) {
            self.marks.entry(*event).or_default().0 += 1;
        }
        stream.commands.push_back(command);
        0
    }

    /// A random number below `limit`.
    fn random(&mut self, context: usize, limit: usize) -> usize {
        let state = self.disorder.get_mut(&context).unwrap();
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % limit
    }

    /// Runs a little of some streams.
    fn disturb(&mut self, context: usize) {
        if !self.disorder.contains_key(&context) {
            return;
        }
        let mut streams: Vec<usize> = self.streams.keys().copied().collect();
        streams.retain(|stream| self.streams[stream].context == context);
        streams.sort_unstable();
        for _ in 0..self.random(context, 4) {
            let stream = streams[self.random(context, streams.len())];
            let mut left = self.random(context, 6) + 1;
            self.run(stream, |_| {
                left -= 1;
                left == 0
            });
        }
    }

    /// Runs commands of a stream until `enough`, and what these wait for.
    fn run(&mut self, stream: usize, mut enough: impl FnMut(&Self) -> bool) -> u32 {
        let context = self.streams[&stream].context;
        while !enough(self) {
            if self.crashed.contains(&context) {
                return CRASHED;
            }
            let Some(command) = self.streams.get_mut(&stream).unwrap().commands.pop_front() else { break };
            if let Command::Wait(event, times) = command {
                self.run_to(event, times);
                continue;
            }
            // SAFETY: the runtime promises that addresses are good.
            unsafe {
                match command {
                    Command::Copy(to, from, bytes) => std::ptr::copy(
                        std::ptr::with_exposed_provenance::<u8>(from as usize),
                        std::ptr::with_exposed_provenance_mut::<u8>(to as usize),
                        bytes,
                    ),
                    Command::Fill(to, pattern, words) => {
                        for index in 0..words {
                            std::ptr::with_exposed_provenance_mut::<u32>(to as usize + index * 4).write(pattern);
                        }
                    }
                    Command::Write(to, bytes) => {
                        let to = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
                        std::ptr::copy(bytes.as_ptr(), to, bytes.len());
                    }
                    Command::Launch(kernel, parameters) => {
                        if !KERNELS[kernel].2(&parameters) {
                            self.crashed.insert(context);
                        }
                    }
                    Command::Mark(event) => self.marks.entry(event).or_default().1 += 1,
                    Command::Wait(..) => {}
                    Command::Free(address) => {
                        let mut freed = self.memory.remove(&address).unwrap();
                        freed.fill(0xdbdb_dbdb_dbdb);
                        self.buried.push(freed);
                    }
                }
            }
        }
        if self.crashed.contains(&context) { CRASHED } else { 0 }
    }

    /// Runs the streams that an event is recorded in until it was passed so many times.
    fn run_to(&mut self, event: usize, times: usize) {
        let passed = move |world: &Self| world.marks.get(&event).is_none_or(|(_, passed)| *passed >= times);
        while !passed(self) {
            let holds = |command: &Command| matches!(command, Command::Mark(mark) if *mark == event);
            let stream = self.streams.iter().find(|(_, stream)| stream.commands.iter().any(holds));
            // None: the stream has crashed, or this is a deadlock.
            let Some((stream, _)) = stream else { return };
            let stream = *stream;
            if self.run(stream, passed) != 0 {
                return;
            }
        }
    }

    fn allocate(&mut self, bytes: usize) -> Option<u64> {
        let live: usize = self.memory.values().map(|memory| memory.len() * 16).sum();
        if self.most != 0 && live + bytes > self.most {
            return None;
        }
        let memory = vec![0x5a5a_5a5a_u128; bytes.div_ceil(16)];
        let address = memory.as_ptr().expose_provenance() as u64;
        self.memory.insert(address, memory);
        Some(address)
    }
}

/// How often a function was called by anybody.
pub(crate) fn calls(function: &'static str) -> usize {
    world().calls.get(function).copied().unwrap_or(0)
}

/// Has the streams of a context run in some order that the seed decides.
pub(crate) fn disorder(context: CUcontext, seed: u64) {
    world().disorder.insert(context.addr(), seed);
}

/// Runs `count` commands of a stream.
pub(crate) fn step(stream: CUstream, count: usize) {
    let mut left = count + 1;
    world().run(stream.addr(), |_| {
        left -= 1;
        left == 0
    });
}

fn result(ok: bool) -> u32 {
    if ok { 0 } else { 2 }
}

fn crashed() -> u32 {
    if world().crashed.contains(&CURRENT.get()) { CRASHED } else { 0 }
}

/// Functions of this file's own, each with the driver's signature.
macro_rules! fake {
    ($($name:ident($($argument:ident: $kind:ty),*) $body:block)*) => {
        $(#[allow(non_snake_case)]
        unsafe extern "C" fn $name($($argument: $kind),*) -> u32 {
            *world().calls.entry(stringify!($name)).or_default() += 1;
            // SAFETY: the runtime calls with good pointers, as the driver demands.
            #[allow(unused_unsafe)]
            unsafe { $body }
        })*
        /// The driver.
        pub(crate) fn driver() -> &'static Driver {
            static DRIVER: Driver = Driver { $($name,)* version: 13_000 };
            &DRIVER
        }
    };
}

fake! {
    cuInit(_a: u32) { 0 }
    cuDriverGetVersion(_a: *mut i32) { 0 }
    cuGetErrorName(error: u32, text: *mut *const c_char) {
        *text = if error == CRASHED { c"CUDA_ERROR_ILLEGAL_ADDRESS".as_ptr() } else { c"CUDA_ERROR_FAKE".as_ptr() };
        0
    }
    cuGetErrorString(_error: u32, text: *mut *const c_char) { *text = c"made up".as_ptr(); 0 }
    cuDeviceGetCount(_a: *mut i32) { 0 }
    cuDeviceGet(_a: *mut CUdevice, _b: i32) { 0 }
    cuDeviceGetName(_a: *mut c_char, _b: i32, _c: CUdevice) { 0 }
    cuDeviceTotalMem_v2(_a: *mut usize, _b: CUdevice) { 0 }
    cuDeviceGetAttribute(_a: *mut i32, _b: u32, _c: CUdevice) { 0 }
    // Another one each time, so that tests which crash theirs leave the others' alone.
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, _device: CUdevice) { *context = name(world().fresh()); 0 }
    cuCtxGetCurrent(context: *mut CUcontext) { *context = name(CURRENT.get()); 0 }
    cuCtxSetCurrent(context: CUcontext) { CURRENT.set(context.addr()); 0 }
    cuMemPoolCreate(pool: *mut CUmemoryPool, _b: *const CUmemPoolProps) { *pool = name(world().fresh()); 0 }
    cuMemPoolDestroy(_a: CUmemoryPool) { 0 }
    cuMemPoolSetAttribute(_a: CUmemoryPool, _b: u32, _c: *mut c_void) { 0 }
    cuMemPoolTrimTo(_a: CUmemoryPool, _b: usize) { 0 }
    cuMemAllocFromPoolAsync(address: *mut CUdeviceptr, bytes: usize, _pool: CUmemoryPool, _stream: CUstream) {
        let found = world().allocate(bytes);
        *address = found.unwrap_or(0);
        result(found.is_some())
    }
    cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) { world().push(stream, Command::Free(address)) }
    cuMemAlloc_v2(_a: *mut CUdeviceptr, _b: usize) { 2 }
    cuMemFree_v2(_a: CUdeviceptr) { 0 }
    cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, _flags: u32) {
        let found = world().allocate(bytes);
        *start = std::ptr::with_exposed_provenance_mut(found.unwrap_or(0) as usize);
        result(found.is_some())
    }
    cuMemFreeHost(start: *mut c_void) {
        result(world().memory.remove(&(start.addr() as u64)).is_some())
    }
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, _flags: u32) {
        *device = host.addr() as u64;
        0
    }
    cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to, from, bytes))
    }
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) {
        let mut world = world();
        let address = from.expose_provenance() as u64;
        // Pinned memory is read when the copy runs, ordinary memory at once.
        if world.memory.iter().any(|(start, memory)| (*start..*start + memory.len() as u64 * 16).contains(&address)) {
            return world.push(stream, Command::Copy(to, address, bytes));
        }
        let bytes = std::slice::from_raw_parts(from.cast::<u8>(), bytes).to_vec();
        world.push(stream, Command::Write(to, bytes))
    }
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to.expose_provenance() as u64, from, bytes))
    }
    cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Copy(to, from, bytes))
    }
    cuMemsetD32Async(to: CUdeviceptr, pattern: u32, words: usize, stream: CUstream) {
        world().push(stream, Command::Fill(to, pattern, words))
    }
    cuMemsetD8Async(to: CUdeviceptr, byte: u8, bytes: usize, stream: CUstream) {
        world().push(stream, Command::Fill(to, u32::from_le_bytes([byte; 4]), bytes / 4))
    }
    cuStreamCreate(stream: *mut CUstream, _flags: u32) {
        let mut world = world();
        let fresh = world.fresh();
        world.streams.insert(fresh, Stream { context: CURRENT.get(), ..Stream::default() });
        *stream = name(fresh);
        0
    }
    cuStreamDestroy_v2(stream: CUstream) {
        let mut world = world();
        world.run(stream.addr(), |_| false);
        world.streams.remove(&stream.addr());
        0
    }
    cuStreamSynchronize(stream: CUstream) {
        let mut world = world();
        world.disturb(CURRENT.get());
        world.run(stream.addr(), |_| false)
    }
    cuStreamWaitEvent(stream: CUstream, event: CUevent, _flags: u32) {
        let mut world = world();
        let times = world.marks.get(&event.addr()).map_or(0, |(recorded, _)| *recorded);
        world.push(stream, Command::Wait(event.addr(), times))
    }
    cuStreamQuery(stream: CUstream) {
        let mut world = world();
        world.disturb(CURRENT.get());
        let stream = &world.streams[&stream.addr()];
        if world.crashed.contains(&stream.context) {
            return CRASHED;
        }
        if stream.commands.is_empty() { 0 } else { NOT_READY }
    }
    cuStreamBeginCapture_v2(stream: CUstream, _mode: u32) {
        let mut world = world();
        let stream = world.streams.get_mut(&stream.addr()).unwrap();
        result(!std::mem::replace(&mut stream.capturing, true))
    }
    cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) {
        let mut world = world();
        let stream = world.streams.get_mut(&stream.addr()).unwrap();
        stream.capturing = false;
        let commands = stream.commands.drain(..).collect();
        let fresh = world.fresh();
        world.graphs.insert(fresh, commands);
        *graph = name(fresh);
        0
    }
    cuEventCreate(event: *mut CUevent, _flags: u32) { *event = name(world().fresh()); 0 }
    cuEventDestroy_v2(_event: CUevent) { 0 }
    cuEventRecord(event: CUevent, stream: CUstream) { world().push(stream, Command::Mark(event.addr())) }
    cuEventQuery(event: CUevent) {
        let mut world = world();
        world.disturb(CURRENT.get());
        if world.crashed.contains(&CURRENT.get()) {
            return CRASHED;
        }
        if world.marks.get(&event.addr()).is_none_or(|(recorded, passed)| recorded == passed) { 0 } else { NOT_READY }
    }
    cuEventSynchronize(event: CUevent) {
        let mut world = world();
        world.disturb(CURRENT.get());
        let times = world.marks.get(&event.addr()).map_or(0, |(recorded, _)| *recorded);
        world.run_to(event.addr(), times);
        drop(world);
        crashed()
    }
    cuEventElapsedTime(time: *mut f32, _start: CUevent, _end: CUevent) { *time = 0.5; 0 }
    cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, _c: u32, _o: *mut u32, _v: *mut *mut c_void) {
        let image = CStr::from_ptr(image.cast()).to_str().unwrap();
        *module = name(KERNELS.iter().position(|kernel| kernel.0 == image).unwrap() + 1);
        crashed()
    }
    cuModuleUnload(_module: CUmodule) { 0 }
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, _name: *const c_char) {
        *function = name(module.addr());
        0
    }
    cuFuncGetAttribute(value: *mut i32, attribute: u32, _function: CUfunction) {
        *value = if attribute == 0 { 1024 } else { 16 };
        0
    }
    cuFuncSetAttribute(_a: CUfunction, _b: u32, _c: i32) { 0 }
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut i32, _b: CUfunction, _c: i32, _d: usize) {
        *blocks = 8;
        0
    }
    cuLaunchKernel(
        function: CUfunction, _gx: u32, _gy: u32, _gz: u32, _bx: u32, _by: u32, _bz: u32, _shared: u32,
        stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        let kernel = function.addr() - 1;
        let read = |(index, length): (usize, &usize)| {
            std::slice::from_raw_parts((*parameters.add(index)).cast::<u8>(), *length).to_vec()
        };
        let parameters = KERNELS[kernel].1.iter().enumerate().map(read).collect();
        world().push(stream, Command::Launch(kernel, parameters))
    }
    cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, _flags: u64) {
        let mut world = world();
        let fresh = world.fresh();
        let commands = world.graphs[&graph.addr()].clone();
        world.graphs.insert(fresh, commands);
        *exec = name(fresh);
        0
    }
    cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, _info: *mut CUgraphExecUpdateResultInfo) {
        let mut world = world();
        let commands = world.graphs[&graph.addr()].clone();
        world.graphs.insert(exec.addr(), commands);
        0
    }
    cuGraphLaunch(exec: CUgraphExec, stream: CUstream) {
        let mut world = world();
        let commands = world.graphs[&exec.addr()].clone();
        commands.into_iter().map(|command| world.push(stream, command)).max().unwrap_or(0)
    }
    cuGraphExecDestroy(exec: CUgraphExec) { result(world().graphs.remove(&exec.addr()).is_some()) }
    cuGraphDestroy(graph: CUgraph) { result(world().graphs.remove(&graph.addr()).is_some()) }
}
