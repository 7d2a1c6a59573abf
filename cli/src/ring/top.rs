//! The messages of `anywarp ring top`: one thread sends them at a fixed rate, another one waits for the replies.

use std::io::IsTerminal;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anywarp::ring::{AskBytes, Overflow, Ring, SendError};

use super::TopArgs;
use super::table::{Screen, report_as_json, report_line};
use crate::failure::Failure;
use crate::{assign, run, terminal};

/// The time between two lines.
const INTERVAL: Duration = Duration::from_millis(500);

/// The longest pause of the sender, which then sends all messages that are due.
const PAUSE: Duration = Duration::from_micros(200);

/// The most asks whose replies the waiting thread has not come to. The replies to others are received, too, but up to a
/// millisecond later.
const WAITING: usize = 1 << 12;

/// The time for a reply, and for messages that are under way at the end.
const END: Duration = Duration::from_secs(5);

/// Starts the ring, feeds it and shows it.
pub(crate) fn top(arguments: &TopArgs, json: bool) -> Result<(), Failure> {
    let wgsl = arguments.composition.read(&arguments.file)?;
    let device = run::open(arguments.device.as_deref())?;
    let builder = device.ring(wgsl).map_err(anywarp::Error::from)?;
    let layout = builder.message_layout();
    let message = match &arguments.message {
        Some(text) => {
            assign::encode(layout, text).map_err(|error| Failure::Usage(format!("--message {text}: {error}")))?
        }
        None => vec![0; layout.size as usize],
    };
    let first = builder.kinds().next().unwrap_or_default().to_owned();
    let builder = builder.actors(arguments.actors).inbox(arguments.inbox).overflow(Overflow::Reject);
    let ring = builder.start().map_err(anywarp::Error::from)?;
    // Kinds have messages of their own, and the message is one for the first kind.
    let receivers = ring.actors_of(&first).map_err(anywarp::Error::from)?;
    let over = AtomicBool::new(false);
    let shown = thread::scope(|scope| {
        let (asks, waiting) = sync_channel(WAITING);
        let (own, message, stops) = (&ring, &message, &over);
        let sender = scope.spawn(move || send(own, receivers, message, arguments.rate, stops, asks));
        scope.spawn(move || wait(waiting));
        let shown = show(&ring, arguments.seconds, &over, json);
        over.store(true, Ordering::Release);
        let sent = sender.join().unwrap_or(Ok(()));
        shown.and(sent.map_err(|error| anywarp::Error::from(error).into()))
    });
    let report = ring.shutdown(END).map_err(anywarp::Error::from)?;
    shown?;
    terminal::print(&if json { report_as_json(&report).to_string() } else { report_line(&report) })?;
    report.failure.map_or(Ok(()), |failure| Err(failure.into()))
}

/// Sends messages that are due, until the end or an error of the ring.
fn send(
    ring: &Ring,
    receivers: Range<u32>,
    message: &[u8],
    rate: u64,
    over: &AtomicBool,
    asks: SyncSender<AskBytes>,
) -> Result<(), SendError> {
    let start = Instant::now();
    let mut sent = 0u64;
    while !over.load(Ordering::Acquire) {
        let due = (start.elapsed().as_secs_f64() * rate as f64) as u64;
        if sent > due {
            let next = Duration::from_secs_f64(sent as f64 / rate as f64).saturating_sub(start.elapsed());
            thread::sleep(next.min(PAUSE));
            continue;
        }
        let actor = ring.actor(receivers.start + (sent % u64::from(receivers.end - receivers.start)) as u32);
        sent += 1;
        match actor.ask_bytes(message) {
            // Without room there, the ring's own thread receives the reply.
            Ok(ask) => drop(asks.try_send(ask.timeout(END))),
            // It is among the dropped ones.
            Err(SendError::Full { .. }) => {}
            // The report has the failure.
            Err(SendError::Ended { .. }) => {
                over.store(true, Ordering::Release);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Waits for each reply. Errors are among the counts.
fn wait(waiting: Receiver<AskBytes>) {
    for ask in waiting {
        let _ = ask.wait();
    }
}

/// Shows the ring until the time is over, or the ring has failed.
fn show(ring: &Ring, time: Duration, over: &AtomicBool, json: bool) -> Result<(), Failure> {
    let start = Instant::now();
    let mut screen = Screen::new(std::io::stdout().is_terminal(), json, ring.telemetry());
    loop {
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() || over.load(Ordering::Acquire) {
            return Ok(());
        }
        thread::sleep(left.min(INTERVAL));
        terminal::print(&screen.next(ring.telemetry()))?;
    }
}
