//! The tables, and the goals.

use crate::measure::{CPU, LANES, LAVAPIPE, PerLane, RAYON, Samples};

/// The goal relative to lavapipe's speed, as a geometric mean.
const GOAL_MEAN: f64 = 1.0;
/// The goal relative to lavapipe's speed, for each kernel.
const GOAL_EACH: f64 = 0.5;
/// The goal relative to plain Rust's speed, for memory-bound kernels.
const GOAL_MEMORY: f64 = 0.8;

/// The samples of one kernel.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The smallest number of bytes that a run reads and writes, for a memory-bound kernel.
    pub(crate) bytes: Option<u64>,
    pub(crate) samples: Samples,
}

impl Row {
    /// The speeds relative to lavapipe and to rayon.
    fn speeds(&self) -> [f64; 2] {
        [LAVAPIPE, RAYON].map(|other| self.samples.speed(CPU, other))
    }

    fn cells(&self) -> Vec<String> {
        let seconds: PerLane<f64> = std::array::from_fn(|lane| self.samples.seconds(lane));
        let [over_lavapipe, over_rayon] = self.speeds();
        let rates = self.bytes.map_or_else(String::new, |bytes| {
            seconds.map(|seconds| number(bytes as f64 / seconds / 1e9, 1, "")).join(" / ")
        });
        let mut goals = vec![judged(over_lavapipe, over_lavapipe >= GOAL_EACH, &format!(">= {GOAL_EACH} lavapipe"))];
        if self.bytes.is_some() {
            goals.push(judged(over_rayon, over_rayon >= GOAL_MEMORY, &format!(">= {GOAL_MEMORY} rayon")));
        }
        let mut cells = vec![self.name.to_owned()];
        cells.extend(seconds.map(|seconds| number(seconds * 1e3, 3, " ms")));
        cells.extend([number(over_lavapipe, 2, "x"), number(over_rayon, 2, "x"), rates, goals.join(", ")]);
        cells
    }
}

/// Prints the kernels' table and the means.
pub(crate) fn kernels(rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let head = ["kernel", "cpu", "lavapipe", "rayon", "lavapipe/cpu", "rayon/cpu", "GB/s", "goal"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(rows.iter().map(Row::cells));
    print_table(&lines);
    println!("a ratio above 1: cpu is faster; GB/s: {}; medians\n", LANES.join(" / "));
    let speeds = |which: usize| rows.iter().map(move |row| row.speeds()[which]).filter(|speed| !speed.is_nan());
    for (which, (other, goals)) in [("lavapipe", Some((GOAL_MEAN, GOAL_EACH))), ("rayon", None)].into_iter().enumerate()
    {
        let mean = (speeds(which).map(f64::ln).sum::<f64>() / speeds(which).count() as f64).exp();
        let lowest = speeds(which).fold(f64::NAN, f64::min);
        let [of_mean, of_lowest] = [goals.map(|goals| (mean, goals.0)), goals.map(|goals| (lowest, goals.1))]
            .map(|goal| goal.map(|(value, goal)| format!(" ({})", judged(value, value >= goal, &format!(">= {goal}")))))
            .map(Option::unwrap_or_default);
        let [mean, lowest] = [mean, lowest].map(|value| number(value, 2, "x"));
        println!("cpu over {other}: geometric mean {mean}{of_mean}, lowest {lowest}{of_lowest}");
    }
    println!();
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
