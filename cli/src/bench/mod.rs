//! `anywarp bench`: the rates of operators, as shares of the device's measured ceiling, beside a peer's.

mod cases;
mod ceiling;
mod device;
mod keep;
mod mfu;
mod peer;
mod plot;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anywarp::Device;
use anywarp::backend::DeviceKind;
use clap::Args;
use serde::Serialize;

use crate::failure::Failure;
use crate::op::{Call, Values, named};
use crate::run::open;
use crate::terminal;
use cases::{CASES, Case};

/// The name of the bench of matrix products by precision, and that of the device itself.
const MFU: &str = "mfu";
const DEVICE: &str = "device";
/// The numbers of elements in a plot, as powers of two.
const PLOTTED: std::ops::RangeInclusive<u32> = 10..=28;
/// The shortest sample. Shorter work is repeated within a sample, as the clock and the submission would distort its
/// time.
const SHORTEST: Duration = Duration::from_millis(2);
/// The divisor of the device's memory that gives the largest size of the arrays in a plot.
const MEMORY_SHARE: u64 = 4;

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The operators, all of them if none is named; or `mfu`: matrix products of each precision, as shares of the peak; or `device`: the rates of memory, transfers, launches and arithmetic
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// The number of elements: `2^22`, `64Ki` [default: 2^26 on a GPU, 2^22 on a processor]
    #[arg(long, value_name = "N", value_parser = elements)]
    n: Option<usize>,

    /// The device, as `anywarp devices` lists it [default: that of `ANYWARP_DEVICE`, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,

    /// Measure 2^18 elements, five times each
    #[arg(long)]
    quick: bool,

    /// The time that all measurements of one operator may take, in seconds; larger sizes of a plot are left out
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    budget: f64,

    /// Write a plot of the rates over sizes from 2^10 to 2^28 elements
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,

    /// Keep the rates of `device` in the cache folder, for `anywarp inspect --model measured`
    #[arg(long)]
    save: bool,
}

fn elements(text: &str) -> Result<usize, String> {
    let power = text.strip_prefix("2^").and_then(|power| power.parse::<u32>().ok()).filter(|power| *power < 32);
    let number = power.map(|power| 1 << power).or_else(|| crate::count::count(text));
    let number = number.and_then(|number| usize::try_from(number).ok()).filter(|number| (1..1 << 32).contains(number));
    number.ok_or_else(|| format!("expected a number of elements below 2^32, found '{text}': write --n 2^22"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("expected a number of seconds above 0, found '{text}': write --budget 10"))
}

/// The measurement of one operator at one size.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    operator: &'static str,
    elements: usize,
    seconds: f64,
    bytes: u64,
    flops: u64,
    /// The shortest time that the ceilings allow, divided by the measured time.
    share: f64,
    peer: Option<peer::Peer>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    device: crate::report::Device,
    ceilings: ceiling::Ceilings,
    /// The reason why there is no peer; `None` if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_peer: Option<String>,
    rows: &'a [Row],
    plot: &'a [Row],
}

/// Measures the operators and prints the table.
pub(crate) fn bench(arguments: &BenchArgs, json: bool) -> Result<(), Failure> {
    let mfu = arguments.names.iter().any(|name| name == MFU);
    if mfu && (arguments.names.len() > 1 || arguments.svg.is_some()) {
        return Err(Failure::Usage(
            "mfu: expected no other NAME and no --svg, found one: run it as a bench of its own".to_owned(),
        ));
    }
    let whole = arguments.names.iter().any(|name| name == DEVICE);
    if whole && (arguments.names.len() > 1 || arguments.svg.is_some() || arguments.n.is_some()) {
        return Err(Failure::Usage(
            "device: expected no other NAME, no --n and no --svg, found one: run it as a bench of its own".to_owned(),
        ));
    }
    if arguments.save && !whole {
        return Err(Failure::Usage(
            "--save: expected it with the NAME device, found other benches: write anywarp bench device --save"
                .to_owned(),
        ));
    }
    // Before the measurements, which take a while.
    let folder = arguments.save.then(keep::folder).transpose()?;
    let cases = if mfu || whole { Vec::new() } else { chosen(&arguments.names)? };
    let device = open(arguments.device.as_deref())?;
    let is_host = device.caps().kind == DeviceKind::Software;
    let n = arguments.n.unwrap_or(match (arguments.quick, is_host) {
        (true, _) => 1 << 18,
        (false, true) if mfu => 1 << 19,
        (false, false) if mfu => 1 << 25,
        (false, true) => 1 << 22,
        (false, false) => 1 << 26,
    });
    let repeats = if arguments.quick { 5 } else { 11 };
    let budget = Duration::from_secs_f64(arguments.budget);
    let mut progress = Progress::new(json);
    progress.show("the ceilings");
    let mut ceilings = ceiling::Ceilings::measure(&device, repeats, budget)?;
    if mfu {
        progress.show("matrix products");
        let table = mfu::table(&device, n, repeats, budget, ceilings.flops, json);
        progress.end();
        return terminal::print(&table?);
    }
    if whole {
        progress.show("the device");
        let effort = device::Effort { repeats, budget: budget / 20, is_quick: arguments.quick };
        let table = device::table(&device, ceilings.bytes, effort, json);
        progress.end();
        let (table, measured) = table?;
        terminal::print(&table)?;
        return folder.map_or(Ok(()), |folder| keep::save(&measured, &folder));
    }
    let peers = peer::Peers::find(&device);
    let (mut rows, mut plotted) = (Vec::new(), Vec::new());
    for case in &cases {
        progress.show(&format!("{}, {n} elements", case.operator));
        rows.push(measure(&device, case, n, repeats, budget, &peers)?);
        if arguments.svg.is_some() {
            plotted.extend(sizes(&device, case, repeats, budget, &mut progress)?);
        }
    }
    progress.end();
    // A vendor's matrix product may reach a higher rate than the multiply-adds that were measured as the ceiling; the
    // ceiling is then the higher rate.
    ceilings.raise(rows.iter().chain(&plotted));
    for row in rows.iter_mut().chain(&mut plotted) {
        row.share = ceilings.least(row.bytes, row.flops) / row.seconds;
    }
    if let Some(path) = &arguments.svg {
        let plot = plot::svg(&device.caps().name, &plotted);
        std::fs::write(path, plot).map_err(|error| Failure::File(format!("--svg {}: {error}", path.display())))?;
    }
    let no_peer = peers.missing();
    let text = if json {
        let device = crate::run::describe_device(&device);
        let report = Report { device, ceilings, no_peer, rows: &rows, plot: &plotted };
        serde_json::to_string_pretty(&report).unwrap_or_default()
    } else {
        table(&device, ceilings, no_peer.as_deref(), &rows)
    };
    terminal::print(&text)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Case>, Failure> {
    if names.is_empty() {
        return Ok(CASES.iter().collect());
    }
    let find = |name: &String| {
        CASES.iter().find(|case| case.operator == name).ok_or_else(|| {
            let known: Vec<&str> = CASES.iter().map(|case| case.operator).collect();
            let known = known.join(", ") + ", mfu";
            Failure::Usage(format!("{name}: expected an operator with a bench, found '{name}': choose one of {known}"))
        })
    };
    names.iter().map(find).collect()
}

/// Checks one operator at one size and measures it.
fn measure(
    device: &Device,
    case: &'static Case,
    n: usize,
    repeats: usize,
    budget: Duration,
    peers: &peer::Peers,
) -> Result<Row, Failure> {
    let operator = named(case.operator).ok_or_else(|| Failure::Usage(format!("{}: no operator", case.operator)))?;
    let texts = case.parameters(n);
    let values = Values { texts: texts.into_iter().map(|(name, text)| (name.to_owned(), text)).collect() };
    let inputs = case.inputs(n);
    let call = Call::record(operator, device, &inputs, &values)?;
    call.recording.submit()?.wait()?;
    (case.check)(&inputs, &call.read()?)
        .map_err(|error| Failure::File(format!("{}, {n} elements: wrong result: {error}", case.operator)))?;
    let seconds = median(repeats, budget, || Ok(call.recording.submit()?.wait()?))?;
    let (bytes, flops) = call.cost.map_or_else(|| (case.bytes(n), n as u64), |cost| (cost.bytes, cost.flops));
    let peer = peers.measure(case, &inputs, n, repeats, budget);
    Ok(Row { operator: case.operator, elements: n, seconds, bytes, flops, share: 0.0, peer })
}

/// Measures one operator at the sizes of a plot, until the time budget or the memory is used up.
fn sizes(
    device: &Device,
    case: &'static Case,
    repeats: usize,
    budget: Duration,
    progress: &mut Progress,
) -> Result<Vec<Row>, Failure> {
    let start = Instant::now();
    let mut rows = Vec::new();
    let memory = device.caps().memory.unwrap_or(u64::MAX).min(device.caps().limits.storage_binding_size * MEMORY_SHARE);
    for power in PLOTTED.step_by(2) {
        let n = 1_usize << power;
        let before = Instant::now();
        if case.bytes(n) > memory / MEMORY_SHARE {
            break;
        }
        progress.show(&format!("{}, 2^{power} elements", case.operator));
        rows.push(measure(device, case, n, repeats, budget / 8, &peer::Peers::none())?);
        // The next size takes about four times as long.
        if start.elapsed() + 4 * before.elapsed() > budget {
            break;
        }
    }
    Ok(rows)
}

/// The median time of `work` in seconds, after one warm-up. Short work is repeated within a sample.
fn median(repeats: usize, budget: Duration, mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let start = Instant::now();
    work()?;
    let once = Instant::now();
    work()?;
    let each = SHORTEST.as_secs_f64() / once.elapsed().as_secs_f64().max(1e-9);
    let each = (each.ceil() as usize).clamp(1, 10_000);
    let mut samples = Vec::with_capacity(repeats);
    while samples.len() < repeats && (samples.len() < 3 || start.elapsed() < budget) {
        let start = Instant::now();
        for _ in 0..each {
            work()?;
        }
        samples.push(start.elapsed().as_secs_f64() / each as f64);
    }
    samples.sort_by(f64::total_cmp);
    Ok(samples[samples.len() / 2])
}

fn table(device: &Device, ceilings: ceiling::Ceilings, no_peer: Option<&str>, rows: &[Row]) -> String {
    let caps = device.caps();
    let mut table = terminal::table();
    table.set_header(["operator", "elements", "median", "rate", "share", "peer", "its median", "its time to ours"]);
    for row in rows {
        let is_arithmetic = ceilings.is_arithmetic(row.bytes, row.flops);
        let (amount, unit) = if is_arithmetic { (row.flops, "GFLOP/s") } else { (row.bytes, "GB/s") };
        let mut cells = vec![
            row.operator.to_owned(),
            row.elements.to_string(),
            terminal::duration(Duration::from_secs_f64(row.seconds)),
            format!("{:.2} {unit}", amount as f64 / row.seconds / 1e9),
            format!("{:.0} %", 100.0 * row.share),
        ];
        cells.extend(match &row.peer {
            Some(peer) => [
                peer.name.clone(),
                terminal::duration(Duration::from_secs_f64(peer.seconds)),
                format!("{:.2}", peer.seconds / row.seconds),
            ],
            None => ["none".to_owned(), String::new(), String::new()],
        });
        table.add_row(cells);
    }
    let (bytes, flops) = (ceilings.bytes / 1e9, ceilings.flops / 1e9);
    let mut text = format!("{} ({}, {})\n", caps.name, device.selector(), caps.driver);
    text.push_str(&format!("ceilings of this run: {bytes:.2} GB/s (a copy), {flops:.2} GFLOP/s (multiply-adds)\n"));
    if let Some(reason) = no_peer {
        text.push_str(&format!("no peer: {reason}\n"));
    }
    format!("{text}\n{}", table.trim_fmt())
}

/// One line on a terminal, which names the current measurement.
struct Progress {
    shown: bool,
}

impl Progress {
    fn new(quiet: bool) -> Self {
        Self { shown: !quiet && std::io::stderr().is_terminal() }
    }

    fn show(&mut self, what: &str) {
        if self.shown {
            // A closed stderr cannot be reported.
            let _ = write!(std::io::stderr().lock(), "\r\x1b[Kmeasuring {what}");
        }
    }

    fn end(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_or_counts() {
        assert_eq!([elements("2^10"), elements("64Ki"), elements("7")], [Ok(1024), Ok(65_536), Ok(7)]);
        for wrong in ["", "0", "2^", "2^32", "-1", "many"] {
            assert!(elements(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_case_is_of_an_operator() {
        for case in CASES {
            assert!(named(case.operator).is_some(), "{}", case.operator);
        }
    }
}
