//! `anywarp ring`: actors of a WGSL file that answer messages while they run.

mod table;
mod top;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::composition::CompositionArgs;
use crate::count;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum RingCommand {
    /// Start the actors of a file, send messages to them, and show their counts and latencies twice a second
    #[command(after_long_help = NOTES)]
    Top(Box<TopArgs>),
}

/// The meaning of the columns.
const NOTES: &str = "\
The actor is the function of the file behind the comment `// anywarp:actor`. Messages go to the actors in turn.

Columns: received, replied, dropped and errors count from the start. received: messages that the actor accepted;
replied: those that it has handled; dropped: messages that were refused because the inbox was full; errors: accepted
messages that were not handled. queue: messages that wait now; high: the most that ever waited. p50, p99, p99.9: the
time from sending to the reply, of half, 99 % and 99.9 % of the messages since the line before. busy: the share of
that time in which messages were under way. On a terminal the table has the actors with most messages, and is drawn
anew; otherwise each half second is a line with the sums over all actors. With --json each is an object.";

#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// The WGSL file; `-` reads stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    composition: CompositionArgs,

    /// The device, as `anywarp devices` lists it [default: that of `ANYWARP_DEVICE`, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,

    /// The number of actors
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = actors)]
    actors: u32,

    /// The number of messages that an inbox holds
    #[arg(long, value_name = "N", default_value = "256", allow_negative_numbers = true, value_parser = inbox)]
    inbox: u32,

    /// The number of messages in a second, to all actors together
    #[arg(long, value_name = "N", default_value = "1000", allow_negative_numbers = true, value_parser = rate)]
    rate: u64,

    /// The seconds after which the ring is shut down
    #[arg(long, value_name = "SECONDS", default_value = "10", allow_negative_numbers = true, value_parser = seconds)]
    seconds: Duration,

    /// The message: one number for each scalar in it, with commas: `1,2.5` [default: zeros]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    message: Option<String>,
}

fn actors(text: &str) -> Result<u32, String> {
    count::within(text, 1, 1 << 20, "--actors 64").map(|count| count as u32)
}

fn inbox(text: &str) -> Result<u32, String> {
    count::within(text, 1, 1 << 20, "--inbox 256").map(|count| count as u32)
}

fn rate(text: &str) -> Result<u64, String> {
    count::within(text, 1, 100_000_000, "--rate 1000")
}

fn seconds(text: &str) -> Result<Duration, String> {
    let time = text.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero() && *time < Duration::from_secs(1 << 32));
    time.ok_or_else(|| format!("expected a number of seconds above 0, found '{text}': write --seconds 2.5"))
}

pub(crate) fn ring(command: &RingCommand, json: bool) -> Result<(), Failure> {
    let RingCommand::Top(arguments) = command;
    top::top(arguments, json)
}
