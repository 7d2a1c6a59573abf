//! A driver without a GPU, for tests: memory is host memory, and a stream runs its commands only when a wait requires
//! it or a test calls [`step`].
//!
//! Streams run separately: a wait runs one stream, and other streams only as far as its events require. With
//! [`disorder`] each wait also runs some commands of other streams, in an order given by a seed. Work that lacks a
//! necessary wait then runs too early in some of these orders. Freed memory is overwritten.
//!
//! | file | content |
//! |---|---|
//! | `mod` | memory, streams and the order of execution |
//! | `functions` | the functions of the driver's table |
//! | `kernels` | kernels, as host functions |

mod functions;
mod kernels;

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

pub(crate) use functions::driver;
use kernels::KERNELS;

use super::safe as native;
use super::sys::{CUcontext, CUstream};

/// The result of every call after a kernel has crashed: the code for an illegal address.
const CRASHED: u32 = 700;

#[derive(Clone)]
enum Command {
    Copy(u64, u64, usize),
    Fill(u64, u32, usize),
    Write(u64, Vec<u8>),
    Launch(usize, Vec<Vec<u8>>),
    Mark(usize),
    /// Waits until a stream has passed the event this many times.
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
    /// For each event, the number of times that it was recorded, and the number of times that a stream has passed it.
    marks: HashMap<usize, (usize, usize)>,
    /// The state of the random numbers of each context that [`disorder`] was called for.
    disorder: HashMap<usize, u64>,
    /// Freed memory, kept so that stale accesses are detected.
    freed: Vec<Vec<u128>>,
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

    /// Returns a random number below `limit`.
    fn random(&mut self, context: usize, limit: usize) -> usize {
        let state = self.disorder.get_mut(&context).unwrap();
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % limit
    }

    /// Runs some commands of streams at random, if `disorder` was called for the context.
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

    /// Runs commands of a stream until `enough` returns true, and the commands of other streams that those wait for.
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
            // SAFETY: the runtime passes valid addresses.
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
                        self.freed.push(freed);
                    }
                }
            }
        }
        if self.crashed.contains(&context) { CRASHED } else { 0 }
    }

    /// Runs the streams that record an event until a stream has passed the event this many times.
    fn run_to(&mut self, event: usize, times: usize) {
        let passed = move |world: &Self| world.marks.get(&event).is_none_or(|(_, passed)| *passed >= times);
        while !passed(self) {
            let holds = |command: &Command| matches!(command, Command::Mark(mark) if *mark == event);
            let stream = self.streams.iter().find(|(_, stream)| stream.commands.iter().any(holds));
            // `None` if the stream has crashed, or if the waits form a deadlock.
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

/// Returns the number of calls of a function, by all tests together.
pub(crate) fn calls(function: &'static str) -> usize {
    world().calls.get(function).copied().unwrap_or(0)
}

/// Makes the streams of a context run in an order given by the seed.
pub(crate) fn disorder(context: CUcontext, seed: u64) {
    world().disorder.insert(context.addr(), seed);
}

/// Runs `count` commands of a stream.
pub(crate) fn step(stream: &native::Stream, count: usize) {
    let mut left = count + 1;
    world().run(stream.raw().addr(), |_| {
        left -= 1;
        left == 0
    });
}

/// Returns a device; the fake driver accepts any.
pub(crate) fn device() -> native::Device {
    native::Device(0)
}

/// Returns the current value of a word of device memory, without calls to the driver.
pub(crate) fn peek(address: u64) -> u32 {
    let world = world();
    let inside =
        |(start, memory): &(&u64, &Vec<u128>)| (**start..**start + 16 * memory.len() as u64).contains(&address);
    let (start, memory) = world.memory.iter().find(inside).expect("no memory there");
    let at = (address - start) as usize;
    (memory[at / 16] >> (8 * (at % 16))) as u32
}

/// Enqueues a copy of a word, as code outside of anywarp would.
pub(crate) fn copy_word(to: u64, from: u64, stream: CUstream) {
    assert_eq!(world().push(stream, Command::Copy(to, from, 4)), 0);
}

/// Enqueues a fill of a word, as code outside of anywarp would.
pub(crate) fn fill_word(to: u64, word: u32, stream: CUstream) {
    assert_eq!(world().push(stream, Command::Fill(to, word, 1)), 0);
}
