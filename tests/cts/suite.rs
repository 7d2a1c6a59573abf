//! Runs all selected traces of a folder in batches, on as many workers as there are jobs.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anywarp_testing::files;
use anywarp_testing_devices::cts::batch::{BATCH, Workers};
use anywarp_testing_devices::cts::case_file::{CaseFile, Name};
use anywarp_testing_devices::cts::known::{self, KnownFailure};
use anywarp_testing_devices::cts::options::Options;
use anywarp_testing_devices::cts::outcome::Outcome;
use anywarp_testing_devices::cts::report::Tally;

/// The selected traces of one file.
struct Part {
    path: PathBuf,
    label: String,
    traces: Vec<(usize, Name)>,
}

/// Runs the selected traces of `dir` and prints a line for each finished file.
///
/// # Errors
///
/// A fault of the folder, of one of its files or of the device.
pub(crate) fn run(
    options: &Options,
    dir: &Path,
    workers: &Workers<'_>,
    known: &[KnownFailure],
) -> Result<Tally, String> {
    let parts = plan(options, dir)?;
    if parts.iter().all(|part| part.traces.is_empty()) {
        return Err(format!("no trace of {} matches the filter and the sample", dir.display()));
    }
    let device = workers.probe()?;
    println!("device: {device}");
    let run = Run { options, workers, known, device, parts: &parts, state: Mutex::new(State::new(&parts)) };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| run.take_batches());
        }
    });
    Ok(run.state.into_inner().expect(UNPOISONED).total)
}

const UNPOISONED: &str = "no thread panics while it counts";

fn plan(options: &Options, dir: &Path) -> Result<Vec<Part>, String> {
    let paths = files::in_folder(dir, ".jsonl.gz")?;
    if paths.is_empty() {
        return Err(format!("{} holds no .jsonl.gz file", dir.display()));
    }
    paths.into_iter().map(|path| part(options, path)).collect()
}

fn part(options: &Options, path: PathBuf) -> Result<Part, String> {
    let label = path.file_name().unwrap_or_default().to_string_lossy().replace(".jsonl.gz", "");
    let mut traces = CaseFile::load(&path)?.traces().map_err(|error| format!("{}: {error}", path.display()))?;
    traces.retain(|(_, name)| {
        options.filter.as_ref().is_none_or(|filter| format!("{} {}", name.query, name.sub).contains(filter))
            && options.sample.sample().is_none_or(|sample| sample.contains(name))
    });
    Ok(Part { path, label, traces })
}

struct Run<'a> {
    options: &'a Options,
    workers: &'a Workers<'a>,
    known: &'a [KnownFailure],
    device: String,
    parts: &'a [Part],
    state: Mutex<State>,
}

struct State {
    /// Batches that no worker has taken yet: the part, and the range of its traces.
    waiting: VecDeque<(usize, std::ops::Range<usize>)>,
    /// The number of unfinished traces and the tally of finished ones, for each part.
    parts: Vec<(usize, Tally)>,
    total: Tally,
}

impl State {
    fn new(parts: &[Part]) -> Self {
        let batches = parts.iter().enumerate().flat_map(|(i, part)| {
            let count = part.traces.len();
            (0..count).step_by(BATCH).map(move |start| (i, start..count.min(start + BATCH)))
        });
        let tallies = parts.iter().map(|part| (part.traces.len(), Tally::default()));
        Self { waiting: batches.collect(), parts: tallies.collect(), total: Tally::default() }
    }
}

impl Run<'_> {
    fn take_batches(&self) {
        let take = || self.state.lock().expect(UNPOISONED).waiting.pop_front();
        while let Some((index, range)) = take() {
            let part = &self.parts[index];
            let traces = &part.traces[range];
            let lines: Vec<usize> = traces.iter().map(|(line, _)| *line).collect();
            self.workers.run(&part.path, &lines, &mut |line, outcome| {
                if let Some((_, name)) = traces.iter().find(|(at, _)| *at == line) {
                    self.count(index, name, outcome);
                }
            });
        }
    }

    fn count(&self, index: usize, name: &Name, outcome: Outcome) {
        let outcome = match known::find(self.known, &self.device, name) {
            Some(known) => known.judge(outcome),
            None => outcome,
        };
        let mut state = self.state.lock().expect(UNPOISONED);
        let (left, tally) = &mut state.parts[index];
        tally.add(name, outcome);
        *left -= 1;
        if *left == 0 {
            let tally = std::mem::take(tally);
            println!("{}: {tally}", self.parts[index].label);
            if self.options.list_failures {
                print!("{}", tally.failures());
            }
            state.total.merge(tally);
        }
    }
}
