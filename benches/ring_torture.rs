//! Rings under load: any number of messages, each with a checksum and the number of its sender, while the program does
//! other things beside them.
//!
//! `cargo bench --bench ring_torture -- [--device SELECTOR] [--messages COUNT] [--senders COUNT] [--actors COUNT]`
//!
//! Each sender is a thread with actors of its own, whose inboxes have different lengths, so that some are always full.
//! The numbers of messages wrap on the way. An actor checks the checksum and the order of each message, and sums up the
//! checksums; the host compares the sums. Every 64th row is asked instead of told, and its replies are checked. In the
//! middle, all senders stop for a second. Meanwhile another thread compiles kernels, runs them, allocates and frees
//! memory, and replays a recording. The process ends with an error at the first wrong value.

use std::process::ExitCode;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anywarp::ring::{Ask, Overflow, Ring};
use anywarp::{Device, element};

const CHECKED: &str = "
struct Message { number: u32, word: u32, checksum: u32, sender: u32 }
struct State { next: u32, wrong: u32, sum: u32, mixed: u32 }
fn mix(x: u32) -> u32 {
    var h = (x ^ (x >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}
// anywarp:actor
fn checked(state: ptr<function, State>, m: Message, lane: u32) -> vec2<u32> {
    let checksum = mix(m.number ^ mix(m.word ^ mix(m.sender)));
    if checksum != m.checksum || m.number != (*state).next { (*state).wrong += 1u; }
    (*state).next = m.number + 1u;
    (*state).sum += checksum;
    (*state).mixed = mix((*state).mixed ^ checksum);
    return vec2<u32>(checksum ^ m.number, (*state).wrong);
}";

#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Message {
    number: u32,
    word: u32,
    checksum: u32,
    sender: u32,
}
element!(Message { number, word, checksum, sender });

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct State {
    next: u32,
    wrong: u32,
    sum: u32,
    mixed: u32,
}
element!(State { next, wrong, sum, mixed });

/// The messages of one call.
const ROW: usize = 1024;

/// Every such row is asked.
const ASKED: u64 = 64;

fn mix(x: u32) -> u32 {
    let h = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    let h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

fn text(error: &dyn std::error::Error) -> String {
    error.to_string()
}

/// Sends a sender's messages to its actors in turns, and returns what their states must be.
fn send(
    ring: &Ring,
    sender: u32,
    actors: &[u32],
    messages: u64,
    middle: &Barrier,
) -> Result<Vec<(u32, State)>, String> {
    let mut states: Vec<(u32, State)> = actors.iter().map(|actor| (*actor, State::default())).collect();
    let rows = messages.div_ceil(ROW as u64);
    let mut row = Vec::with_capacity(ROW);
    let mut asks: Vec<Ask<[u32; 2]>> = Vec::new();
    let mut word = sender;
    for number in 0..rows {
        if number == rows / 2 {
            // The host does nothing for a second, and the kernel has nothing to do.
            middle.wait();
            std::thread::sleep(Duration::from_secs(1));
        }
        let count = states.len() as u64;
        let (actor, state) = &mut states[(number % count) as usize];
        row.clear();
        row.extend((0..ROW).map(|_| {
            word = word.wrapping_mul(0x19660d).wrapping_add(0x3c6e_f35f);
            let checksum = mix(state.next ^ mix(word ^ mix(sender)));
            let message = Message { number: state.next, word, checksum, sender };
            state.next = state.next.wrapping_add(1);
            state.sum = state.sum.wrapping_add(checksum);
            state.mixed = mix(state.mixed ^ checksum);
            message
        }));
        if number % ASKED == 0 {
            ring.actor(*actor).ask_all(&row, &mut asks).map_err(|error| text(&error))?;
            for (ask, message) in asks.drain(..).zip(&row) {
                let reply = ask.timeout(Duration::from_secs(60)).wait().map_err(|error| text(&error))?;
                if reply != [message.checksum ^ message.number, 0] {
                    return Err(format!("actor {actor} replied {reply:x?} to {message:x?}"));
                }
            }
        } else {
            ring.actor(*actor).tell_all(&row).map_err(|error| text(&error))?;
        }
    }
    Ok(states)
}

/// Does the work of a program beside a ring; returns how often.
fn beside(device: &Device, over: &AtomicBool) -> Result<u32, String> {
    let said = |error: anywarp::Error| error.to_string();
    let work = |round: u32| -> anywarp::Result<bool> {
        // A kernel of its own each time, so that it is compiled and loaded.
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
            @compute @workgroup_size(64)
            fn step(@builtin(global_invocation_id) id: vec3<u32>) {{
                if id.x < arrayLength(&x) {{ x[id.x] = x[id.x] * 3u + {round}u; }}
            }}"
        );
        let kernel = device.kernel(&*wgsl)?;
        let mut large = device.buffer::<u32>(1 << 24)?;
        let mut x = device.buffer_from(&vec![round; 5000])?;
        let mut steps = device.recording();
        for _ in 0..10 {
            kernel.launch().bind("x", &mut x).record(&mut steps).threads(5000)?;
        }
        for _ in 0..5 {
            steps.submit()?;
        }
        kernel.launch().bind("x", &mut large).threads(1 << 24)?;
        let wanted = (0..50).fold(round, |x, _| x.wrapping_mul(3).wrapping_add(round));
        Ok(x.read()?.iter().all(|x| *x == wanted) && large.slice(77..78).read()?[0] == round)
    };
    let mut rounds = 0;
    while !over.load(Ordering::Relaxed) {
        if !work(rounds).map_err(said)? {
            return Err(format!("wrong result of a kernel beside the ring, in round {rounds}"));
        }
        rounds += 1;
    }
    Ok(rounds)
}

fn torture(device: &Device, messages: u64, senders: u32, actors: u32) -> Result<(), String> {
    let inbox = 4096;
    let ring = device.ring(CHECKED).and_then(|ring| {
        // The numbers of messages wrap after the first tenth of them.
        let before = (messages / u64::from(senders * actors) / 10).next_multiple_of(2 * inbox) as u32;
        let ring = ring.actors(senders * actors).inbox(inbox as u32).first_message(0u32.wrapping_sub(before));
        ring.overflow(Overflow::Block(Duration::from_secs(60))).start()
    });
    let ring = ring.map_err(|error| text(&error))?;
    println!("{}: {senders} senders with {actors} actors each; inboxes: {}", ring.mode(), ring.inbox_place());
    let (over, middle) = (AtomicBool::new(false), Barrier::new(senders as usize));
    let start = Instant::now();
    let (states, rounds) = std::thread::scope(|scope| {
        let other = scope.spawn(|| beside(device, &over));
        let threads: Vec<_> = (0..senders)
            .map(|sender| {
                let own: Vec<u32> = (sender * actors..(sender + 1) * actors).collect();
                let (ring, middle) = (&ring, &middle);
                scope.spawn(move || send(ring, sender, &own, messages / u64::from(senders), middle))
            })
            .collect();
        let ended = |failed| Err(format!("a thread ended early: {failed:?}"));
        let states: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap_or_else(ended)).collect();
        over.store(true, Ordering::Relaxed);
        let rounds = other.join().unwrap_or_else(|failed| Err(format!("a thread ended early: {failed:?}")));
        (states, rounds)
    });
    let states: Vec<(u32, State)> = states.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    let rounds = rounds?;
    ring.drain(Duration::from_secs(60)).map_err(|error| text(&error))?;
    let took = start.elapsed();
    for (actor, wanted) in &states {
        let state: State = ring.state(*actor).map_err(|error| text(&error))?;
        if state != *wanted {
            return Err(format!("the state of actor {actor} is {state:x?}, expected {wanted:x?}"));
        }
    }
    let report = ring.shutdown(Duration::from_secs(10)).map_err(|error| text(&error))?;
    let sent: u64 = report.telemetry.total().received;
    if (report.handled, report.unanswered, report.dead_letters.len()) != (sent, 0, 0) {
        return Err(format!("{sent} messages were sent, and {} were handled: {report:?}", report.handled));
    }
    println!(
        "{sent} messages in {:.1} s, one of which the senders slept ({:.2} M/s beside {rounds} kernels that were compiled, \
         recorded and replayed): all in order, with their contents",
        took.as_secs_f64(),
        sent as f64 / (took.as_secs_f64() - 1.0).max(1e-3) / 1e6
    );
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, other: u64| value(name).and_then(|text| text.parse().ok()).unwrap_or(other);
    let run = || {
        let device = value("--device").map_or_else(Device::open_default, |selector| Device::open(selector));
        let device = device.map_err(|error| error.to_string())?;
        println!("{}, {}", device.caps().name, device.caps().driver);
        let [senders, actors] =
            [number("--senders", 4), number("--actors", 4)].map(|count| count.clamp(1, 1000) as u32);
        torture(&device, number("--messages", 1_000_000), senders, actors)
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
