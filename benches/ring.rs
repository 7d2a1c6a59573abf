//! Rings: the time from a message to its reply, and 100 small jobs by messages, by launches and by copies alone.
//!
//! `cargo bench --bench ring -- [--device SELECTOR] [--staged] [--messages COUNT]`
//!
//! The sender waits 0 to 3 microseconds at random before each message, so that its phase and that of the polls do not
//! lock. Figures are those of the profile `bench`, the default of `cargo bench`: without optimisation a message costs the
//! host more than a microsecond. Every reply's content is checked, and a wrong one ends the process. The baseline is a launch whose result is
//! read; the ceiling of the CPU is two threads that exchange one word, and that of a card a bare kernel that does.

use std::fmt;
use std::hint::{black_box, spin_loop};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anywarp::ring::{Ask, InboxPlace, Mode, Ring, RingBuilder};
use anywarp::{Device, DeviceOptions, Error};

#[cfg(feature = "cuda")]
#[path = "ring/bare.rs"]
mod bare;

#[path = "ring/beside.rs"]
mod beside;

const ECHO: &str = "
// anywarp:actor
fn echo(state: ptr<function, u32>, x: u32, lane: u32) -> u32 {
    *state += 1u;
    return x ^ 0x5a5a5a5au;
}";

/// An actor that does not change its state, so that its messages are handled side by side on a GPU.
const MAP: &str = "
// anywarp:actor
fn map(state: ptr<function, u32>, x: u32, lane: u32) -> u32 { return x ^ 0x5a5a5a5au; }";

const WIDE: &str = "
// anywarp:actor
fn wide(state: ptr<function, u32>, m: array<u32, 28>, lane: u32) -> array<u32, 28> {
    *state += 1u;
    var reply = m;
    for (var i = 0u; i < 28u; i++) { reply[i] = m[i] + 1u; }
    return reply;
}";

/// A message that two actors send to each other until it has made its hops.
const PASSED: &str = "
// anywarp:send
fn hand_on(to: u32, hops: u32) -> bool { return false; }
// anywarp:actor
fn receive(state: ptr<function, u32>, hops: u32, lane: u32) {
    *state += 1u;
    if hops > 0u { hand_on(hops & 1u, hops - 1u); }
}";

/// A small job: four numbers in, four out.
const JOB: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(4)
fn job(@builtin(local_invocation_index) i: u32) { x[i] = x[i] * 2.0 + 1.0; }";

const JOB_ACTOR: &str = "
// anywarp:actor
fn job(state: ptr<function, u32>, x: vec4<f32>, lane: u32) -> vec4<f32> { return x * 2.0 + 1.0; }";

/// The jobs of one table.
const JOBS: usize = 100;

/// A mode, and where its inboxes lie.
#[derive(Clone, Copy)]
struct Way {
    mode: Mode,
    /// Whether inboxes lie in host memory although they could lie on the card.
    in_host_memory: bool,
}

impl Way {
    fn of(self, ring: RingBuilder) -> RingBuilder {
        let ring = ring.demand(self.mode);
        if self.in_host_memory { ring.inbox_on_card(false) } else { ring }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.mode, if self.in_host_memory { ", inboxes in host memory" } else { "" })
    }
}

struct Random(u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// Spins for 0 to 3 microseconds.
    fn pause(&mut self) {
        let (start, wait) = (Instant::now(), Duration::from_nanos(u64::from(self.next() % 3000)));
        while start.elapsed() < wait {
            spin_loop();
        }
    }
}

/// Prints quantiles of times.
fn quantiles(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    println!(
        "{what}: p50 {:.2} us, p99 {:.2} us, p99.9 {:.2} us, least {:.2} us, of {}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.0),
        times.len()
    );
}

fn wrong<T>(what: &str) -> Result<T, String> {
    Err(format!("wrong result: {what}"))
}

fn echo(device: &Device, way: Way, messages: usize) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let ring = device.ring(ECHO).and_then(|ring| way.of(ring).start()).map_err(|error| error.to_string())?;
    println!("{way}: inboxes: {}", ring.inbox_place());
    let (actor, mut random) = (ring.actor(0), Random(0x1234_5678));
    let mut times = Vec::with_capacity(messages);
    for number in 0..messages + messages / 10 {
        random.pause();
        let word = random.next();
        let start = Instant::now();
        let reply: u32 =
            actor.ask(&word).map_err(Error::from).map_err(text)?.wait().map_err(|error| error.to_string())?;
        let took = start.elapsed();
        if reply != word ^ 0x5a5a_5a5a {
            return wrong("echo");
        }
        if number >= messages / 10 {
            times.push(took);
        }
    }
    quantiles(&format!("{way}: echo of 4 bytes"), times);
    pipelined(&ring, way, messages)?;
    drop(ring);
    together(device, way, messages)?;
    waiting(device, way, messages, ECHO, "counting")?;
    waiting(device, way, messages, MAP, "reading")?;

    let ring = device.ring(WIDE).and_then(|ring| way.of(ring).start()).map_err(|error| error.to_string())?;
    let mut times = Vec::with_capacity(messages);
    for number in 0..messages + messages / 10 {
        random.pause();
        let mut message = [0u32; 28];
        message.fill_with(|| random.next());
        let start = Instant::now();
        let reply: [u32; 28] = ring
            .actor(0)
            .ask(&message)
            .map_err(|error| error.to_string())?
            .wait()
            .map_err(|error| error.to_string())?;
        let took = start.elapsed();
        if reply != message.map(|word| word.wrapping_add(1)) {
            return wrong("echo of 112 bytes");
        }
        if number >= messages / 10 {
            times.push(took);
        }
    }
    quantiles(&format!("{way}: echo of 112 bytes"), times);
    passed(device, way, messages)
}

/// The time from an actor to another one.
fn passed(device: &Device, way: Way, messages: usize) -> Result<(), String> {
    let hops = messages as u32;
    let ring = device.ring(PASSED).and_then(|ring| way.of(ring).actors(2).start());
    let ring = ring.map_err(|error| error.to_string())?;
    let start = Instant::now();
    ring.actor(1).tell(&hops).map_err(|error| error.to_string())?;
    ring.drain(Duration::from_secs(60)).map_err(|error| error.to_string())?;
    let took = start.elapsed();
    let count = |actor| ring.state::<u32>(actor).map_err(|error| error.to_string());
    if count(0)? + count(1)? != hops + 1 {
        return wrong("count of messages between actors");
    }
    println!("{way}: from actor to actor: {:.2} us on average of {hops}", took.as_secs_f64() * 1e6 / f64::from(hops));
    Ok(())
}

fn pipelined(ring: &Ring, way: Way, messages: usize) -> Result<(), String> {
    let before: u32 = ring.state(0).map_err(|error| error.to_string())?;
    let start = Instant::now();
    for number in 0..messages as u32 {
        ring.actor(0).tell(&number).map_err(|error| error.to_string())?;
    }
    ring.drain(Duration::from_secs(60)).map_err(|error| error.to_string())?;
    let took = start.elapsed();
    let after: u32 = ring.state(0).map_err(|error| error.to_string())?;
    if after.wrapping_sub(before) != messages as u32 {
        return wrong("count of pipelined messages");
    }
    println!("{way}: one sender, pipelined: {:.2} M messages/s", messages as f64 / took.as_secs_f64() / 1e6);
    Ok(())
}

/// Messages by [`Actor::tell_all`] from one thread to one actor, then asks whose replies are checked: five rounds.
///
/// [`Actor::tell_all`]: anywarp::ring::Actor::tell_all
fn together(device: &Device, way: Way, messages: usize) -> Result<(), String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    for (name, text) in [("counting", ECHO), ("reading", MAP)] {
        let ring = device.ring(text).and_then(|ring| way.of(ring).inbox(1 << 14).start());
        let ring = ring.map_err(|error| said(&error))?;
        let words: Vec<u32> = (0..messages as u32 * 10).collect();
        let (mut sent, mut told, mut asked, mut asks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for round in 1..=5 {
            let start = Instant::now();
            for row in words.chunks(4096) {
                ring.actor(0).tell_all(row).map_err(|error| said(&error))?;
            }
            sent.push(start.elapsed());
            ring.drain(Duration::from_secs(60)).map_err(|error| said(&error))?;
            told.push(start.elapsed());
            if ring.telemetry().total().handled != round * words.len() as u64 {
                return wrong("count of messages that were sent together");
            }
        }
        let row = &words[..messages.min(4096)];
        for _ in 0..5 {
            let start = Instant::now();
            ring.actor(0).ask_all(row, &mut asks).map_err(|error| said(&error))?;
            let replies = asks.drain(..).map(Ask::wait).collect::<Result<Vec<u32>, _>>();
            let replies = replies.map_err(|error| said(&error))?;
            asked.push(start.elapsed());
            if !replies.iter().zip(row).all(|(reply, word)| *reply == word ^ 0x5a5a_5a5a) {
                return wrong("replies to messages that were sent together");
            }
        }
        println!(
            "{way}: many in one call, {name} handler: told {} M messages/s, sent at {}, asked and answered {}",
            rates(words.len(), told),
            rates(words.len(), sent),
            rates(row.len(), asked)
        );
    }
    Ok(())
}

/// The median rate of rounds, in millions each second, with the lowest and the highest one.
fn rates(count: usize, mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let rate = |at: usize| count as f64 / times[at].as_secs_f64() / 1e6;
    format!("{:.1} ({:.1} to {:.1})", rate(times.len() / 2), rate(times.len() - 1), rate(0))
}

/// Messages that wait already when the kernel starts, so that their sender does not limit it, nor the kernel the sender.
fn waiting(device: &Device, way: Way, messages: usize, text: &str, name: &str) -> Result<(), String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let messages = (messages / 2).next_power_of_two() as u32;
    let ring = device.ring(text).and_then(|ring| way.of(ring).inbox(messages).start());
    let ring = ring.map_err(|error| said(&error))?;
    ring.pause().map_err(|error| said(&error))?;
    let words: Vec<u32> = (0..messages).collect();
    let start = Instant::now();
    ring.actor(0).tell_all(&words).map_err(|error| said(&error))?;
    let sent = start.elapsed();
    let start = Instant::now();
    ring.resume().and_then(|()| ring.drain(Duration::from_secs(60))).map_err(|error| said(&error))?;
    let took = start.elapsed();
    if ring.telemetry().total().handled != u64::from(messages) {
        return wrong("count of messages that waited");
    }
    println!(
        "{way}: {messages} messages that wait, {name} handler: sent in {:.0} ns each, handled at {:.2} M messages/s",
        sent.as_secs_f64() * 1e9 / f64::from(messages),
        f64::from(messages) / took.as_secs_f64() / 1e6
    );
    Ok(())
}

/// The median time of `work`, in microseconds.
fn median(mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2].as_secs_f64() * 1e6)
}

/// 100 small jobs, each with its own result on the host.
fn jobs(device: &Device, way: Way) -> Result<(), String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let ring = device.ring(JOB_ACTOR).and_then(|ring| way.of(ring).start()).map_err(|error| said(&error))?;
    let input = |job: usize| [job as f32, 1.5, -2.0, 0.25];
    let wanted = |job: usize| input(job).map(|x| x * 2.0 + 1.0);
    let one_by_one = median(|| {
        for job in 0..JOBS {
            let ask = ring.actor(0).ask(&input(job)).map_err(|error| said(&error))?;
            let reply: [f32; 4] = ask.wait().map_err(|error| said(&error))?;
            if reply != wanted(job) {
                return wrong("a job by messages");
            }
        }
        Ok(())
    })?;
    let together = median(|| {
        let asks = (0..JOBS).map(|job| ring.actor(0).ask::<_, [f32; 4]>(&input(job)));
        let asks: Vec<_> = asks.collect::<Result<_, _>>().map_err(|error| said(&error))?;
        for (job, ask) in asks.into_iter().enumerate() {
            if ask.wait().map_err(|error| said(&error))? != wanted(job) {
                return wrong("a job by messages");
            }
        }
        Ok(())
    })?;
    drop(ring);
    let kernel = device.kernel(JOB).map_err(|error| said(&error))?;
    let mut x = device.buffer::<f32>(4).map_err(|error| said(&error))?;
    let launches = median(|| {
        for job in 0..JOBS {
            x.copy_from_slice(&input(job)).map_err(|error| said(&error))?;
            kernel.launch().bind("x", &mut x).groups(1).map_err(|error| said(&error))?;
            if *x.read().map_err(|error| said(&error))? != wanted(job) {
                return wrong("a job by launches");
            }
        }
        Ok(())
    })?;
    let mut y = device.buffer::<f32>(4).map_err(|error| said(&error))?;
    let copies = median(|| {
        for job in 0..JOBS {
            x.copy_from_slice(&input(job)).map_err(|error| said(&error))?;
            y.copy_from(&x).map_err(|error| said(&error))?;
            if *y.read().map_err(|error| said(&error))? != input(job) {
                return wrong("a copy");
            }
        }
        Ok(())
    })?;
    println!(
        "{way}: {JOBS} small jobs: messages one by one {one_by_one:.0} us, all sent first {together:.0} us, \
         launches {launches:.0} us, copies without a kernel {copies:.0} us"
    );
    Ok(())
}

/// Two threads that exchange one word, as fast as the processor's caches allow.
fn ceiling(messages: usize) {
    let (there, back) = (AtomicU32::new(0), AtomicU32::new(0));
    let mut times = Vec::with_capacity(messages);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=messages as u32 {
                while there.load(Ordering::Relaxed) != number {
                    spin_loop();
                }
                back.store(number, Ordering::Relaxed);
            }
        });
        let mut random = Random(7);
        for number in 1..=messages as u32 {
            random.pause();
            let start = Instant::now();
            there.store(number, Ordering::Relaxed);
            while back.load(Ordering::Relaxed) != number {
                spin_loop();
            }
            times.push(start.elapsed());
        }
    });
    quantiles("ceiling: two threads and a word", black_box(times));
}

/// The ways to run rings on a device.
fn ways(device: &Device) -> Vec<Way> {
    let way = |mode, in_host_memory| Way { mode, in_host_memory };
    let mut ways = vec![way(Mode::Batched, false)];
    if device.caps().persistent.is_some() {
        let on_card = device.ring(ECHO).and_then(|ring| ring.inbox_on_card(true).start());
        if on_card.is_ok_and(|ring| ring.inbox_place() == InboxPlace::Card) {
            ways.insert(0, way(Mode::Persistent, true));
        }
        ways.insert(0, way(Mode::Persistent, false));
    }
    ways
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let messages: usize = value("--messages").and_then(|text| text.parse().ok()).unwrap_or(100_000);
    // With `--staged`, copies as on a device with memory of its own.
    let staged = arguments.iter().any(|word| word == "--staged");
    let options = value("--device").map_or_else(DeviceOptions::default, |name| DeviceOptions::default().selector(name));
    let device = match Device::open_with(&options.staged(staged)) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{}, {}", device.caps().name, device.caps().driver);
    if cfg!(debug_assertions) {
        println!("built without optimisation: sending and receiving cost the host several times as much");
    }
    ceiling(messages);
    #[cfg(feature = "cuda")]
    if device.caps().backend == anywarp_backend::BackendKind::Cuda
        && let Err(error) = bare::ladder(messages)
    {
        println!("ceiling of the card: not measured: {error}");
    }
    for way in ways(&device) {
        let messages = if way.mode == Mode::Batched { messages / 20 } else { messages };
        if let Err(error) = echo(&device, way, messages).and_then(|()| jobs(&device, way)) {
            eprintln!("{way}: {error}");
            return ExitCode::FAILURE;
        }
    }
    let rest = || {
        if device.caps().persistent.is_some() {
            beside::actors(&device, messages)?;
            beside::idle(&device)?;
        }
        beside::submissions(&device)
    };
    if let Err(error) = rest() {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
