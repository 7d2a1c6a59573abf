//! The tables, and the goals.

use crate::measure::{CPU, ISPC, LANES, LAVAPIPE, POCL, PerLane, RAYON, Samples};
use crate::programs::Program;

/// A peer, and the goals for the CPU backend's speed relative to its.
struct Peer {
    name: &'static str,
    /// The lanes of which the faster one counts.
    lanes: &'static [usize],
    /// The goal as a geometric mean.
    mean: f64,
    /// The goal for each kernel.
    each: f64,
}

const PEERS: [Peer; 5] = [
    Peer { name: "lavapipe", lanes: &[LAVAPIPE], mean: 1.0, each: 1.0 },
    Peer { name: "rayon", lanes: &[RAYON], mean: 1.0, each: 0.0 },
    Peer { name: "ispc x8", lanes: &[ISPC[0]], mean: 1.0 / 1.1, each: 0.5 },
    Peer { name: "best ispc", lanes: &ISPC, mean: 1.0 / 1.3, each: 0.5 },
    Peer { name: "pocl", lanes: &[POCL], mean: 1.0 / 0.4, each: 0.0 },
];
/// The goal relative to plain Rust's speed, for memory-bound kernels.
const GOAL_MEMORY: f64 = 0.8;

/// The samples of one kernel.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The smallest number of bytes that a run reads and writes, for a memory-bound kernel.
    pub(crate) bytes: Option<u64>,
    pub(crate) samples: Samples,
    /// The compile times of ISPC's targets and of pocl in seconds.
    pub(crate) compiled: [f64; 3],
}

impl Row {
    /// The speed relative to a peer: to its fastest lane that was measured.
    fn speed(&self, peer: &Peer) -> f64 {
        let speeds = peer.lanes.iter().filter(|lane| self.samples.has(**lane));
        speeds.map(|lane| self.samples.speed(CPU, *lane)).fold(f64::NAN, f64::min)
    }

    fn cells(&self) -> Vec<String> {
        let seconds: PerLane<f64> = std::array::from_fn(|lane| self.samples.seconds(lane));
        let rates = self.bytes.map_or_else(String::new, |bytes| {
            [CPU, RAYON].map(|lane| number(bytes as f64 / seconds[lane] / 1e9, 1, "")).join(" / ")
        });
        let below = PEERS.iter().filter(|peer| self.speed(peer) < peer.each).map(|peer| peer.name);
        let mut missed: Vec<&str> = below.collect();
        if self.bytes.is_some() && self.speed(&PEERS[1]) < GOAL_MEMORY {
            missed.push("rayon");
        }
        let mut cells = vec![self.name.to_owned()];
        cells.extend(seconds.map(|seconds| number(seconds * 1e3, 3, " ms")));
        cells.extend(PEERS.iter().map(|peer| number(self.speed(peer), 2, "x")));
        cells.push(self.compiled.map(|seconds| number(seconds * 1e3, 0, "")).join(" / "));
        cells.extend([rates, missed.join(", ")]);
        cells
    }
}

/// Prints the kernels' table and the means.
pub(crate) fn kernels(rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let mut head = vec!["kernel".to_owned()];
    head.extend(LANES.map(str::to_owned));
    head.extend(PEERS.map(|peer| format!("{}/cpu", peer.name)));
    head.extend(["ispc / pocl compiles, ms", "GB/s cpu / rayon", "missed goals"].map(str::to_owned));
    let mut lines = vec![head];
    lines.extend(rows.iter().map(Row::cells));
    print_table(&lines);
    println!("a ratio above 1: cpu is faster; medians\n");
    for peer in &PEERS {
        let speeds = || rows.iter().map(|row| row.speed(peer)).filter(|speed| !speed.is_nan());
        let mean = (speeds().map(f64::ln).sum::<f64>() / speeds().count() as f64).exp();
        let lowest = speeds().fold(f64::NAN, f64::min);
        let mut goals = vec![judged(mean, mean >= peer.mean, &format!("mean >= {:.2}", peer.mean))];
        if peer.each > 0.0 {
            goals.push(judged(lowest, lowest >= peer.each, &format!("each >= {}", peer.each)));
        }
        let [mean, lowest] = [mean, lowest].map(|value| number(value, 2, "x"));
        println!("cpu over {}: geometric mean {mean}, lowest {lowest} ({})", peer.name, goals.join(", "));
    }
    println!();
}

/// Prints the table of kernels in the manner of programs, and the mean.
pub(crate) fn programs(rows: &[Program]) {
    let speed = |row: &Program| row.samples.speed(CPU, LAVAPIPE);
    let mut lines = vec![["as in programs", "cpu", "lavapipe", "lavapipe/cpu", "goal"].map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|row| {
        let [cpu, lavapipe] = [CPU, LAVAPIPE].map(|lane| number(row.samples.seconds(lane) * 1e3, 3, " ms"));
        let goal = if speed(row) < 1.0 { "MISSED" } else { "" };
        vec![row.name.to_owned(), cpu, lavapipe, number(speed(row), 2, "x"), goal.to_owned()]
    }));
    print_table(&lines);
    let speeds = || rows.iter().map(speed).filter(|speed| !speed.is_nan());
    let mean = (speeds().map(f64::ln).sum::<f64>() / speeds().count() as f64).exp();
    let lowest = speeds().fold(f64::NAN, f64::min);
    let goal = judged(lowest, lowest >= 1.0, "each >= 1");
    println!(
        "cpu over lavapipe: geometric mean {}, lowest {} ({goal})\n",
        number(mean, 2, "x"),
        number(lowest, 2, "x")
    );
}

/// The samples of an overhead: a compilation or a launch.
pub(crate) struct Latency {
    pub(crate) what: String,
    pub(crate) samples: Samples,
    /// The limit on the time of the CPU backend, in seconds.
    pub(crate) goal: Option<f64>,
}

/// Prints the table of times in microseconds.
pub(crate) fn latencies(rows: &[Latency]) {
    let head = ["", "cpu", "lavapipe", "lavapipe/cpu", "goal"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(|row| {
        let [cpu, lavapipe] = [CPU, LAVAPIPE].map(|lane| row.samples.seconds(lane));
        let goal = row.goal.map(|goal| judged(cpu, cpu < goal, &format!("< {} us", goal * 1e6)));
        let [cpu, lavapipe] = [cpu, lavapipe].map(|seconds| number(seconds * 1e6, 1, " us"));
        let speed = number(row.samples.speed(CPU, LAVAPIPE), 2, "x");
        vec![row.what.clone(), cpu, lavapipe, speed, goal.unwrap_or_default()]
    }));
    print_table(&lines);
    println!();
}

fn number(value: f64, digits: usize, unit: &str) -> String {
    if value.is_nan() { "-".to_owned() } else { format!("{value:.digits$}{unit}") }
}

/// Formats a goal and whether it is met; a dash if nothing was measured.
fn judged(value: f64, met: bool, goal: &str) -> String {
    let verdict = match (value.is_nan(), met) {
        (true, _) => "-",
        (false, true) => "met",
        (false, false) => "MISSED",
    };
    format!("{goal}: {verdict}")
}

/// Prints aligned columns: the first and the last flush left, the others flush right.
fn print_table(lines: &[Vec<String>]) {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                let left = column == 0 || column + 1 == columns;
                if left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            })
            .collect();
        println!("{}", cells.join("  ").trim_end());
    }
}
