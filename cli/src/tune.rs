//! `anywarp tune`: the values of its overrides with which a kernel is fastest, and the kernels of an operator.

mod effort;
mod extent;
mod inputs;
mod kept;
mod operator;
mod plot;
mod report;

use std::io::IsTerminal;
use std::path::PathBuf;

use anywarp::tune::{Mode, Overrides, Progress, Search, Space, Tuned, Tuner};
use anywarp::{Device, Kernel, Wgsl};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use self::effort::Effort;
use self::extent::Formula;
use self::kept::KeptCommand;
use crate::bindings::{Assignment, Interface};
use crate::buffers::{self, Bound};
use crate::composition::CompositionArgs;
use crate::failure::Failure;
use crate::source::Bind;
use crate::{count, load, run, terminal, values};

/// The kernel to measure, its arguments and the effort.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct TuneArgs {
    /// The WGSL file, with the values to try in comments: `override WG: u32 = 64; // anywarp:tune 32..256 x2`
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,

    #[command(flatten)]
    composition: CompositionArgs,

    /// The entry point, where the file has several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// The device, as `anywarp devices` lists it [default: that of `ANYWARP_DEVICE`, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,

    #[command(flatten)]
    grid: TuneGrid,

    /// Give a buffer to a storage or uniform variable; KEY is its name or GROUP.BINDING. Repeat it for each variable
    #[arg(long = "bind", value_name = "KEY=SOURCE", value_parser = values::binding)]
    binds: Vec<Bind>,

    /// Set a uniform or immediate, or a part of one: `params.a=3`. Repeat it for each part
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = values::set)]
    sets: Vec<(String, String)>,

    /// Set an override; for one that is tuned, its default. Repeat it for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = values::override_value)]
    overrides: Vec<(String, f64)>,

    /// By how much floating-point results may differ from the default's, relative to them [default: 1e-5, f16: 1e-2]
    #[arg(long, value_name = "RATIO")]
    tolerance: Option<f64>,

    /// Leave a buffer out of the comparison of results. Repeat it for each buffer
    #[arg(long = "ignore", value_name = "KEY")]
    ignored: Vec<String>,

    #[command(flatten)]
    effort: Effort,

    /// The sizes of the problem, for which the result is kept: 1000,64
    #[arg(long, value_name = "N[,N..]", value_delimiter = ',', value_parser = size)]
    key: Vec<u64>,

    #[command(subcommand)]
    kept: Option<KeptCommand>,
}

/// The size of a run, which may depend on the candidate.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
struct TuneGrid {
    /// Workgroups in x, y and z; formulas of the overrides, such as `1024 / TILE`, are rounded up
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent::parse)]
    groups: Option<Formula>,

    /// Threads in x, y and z, rounded up to whole workgroups; formulas of the overrides are rounded up
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent::parse)]
    threads: Option<Formula>,
}

fn size(text: &str) -> Result<u64, String> {
    count::count(text.trim()).ok_or_else(|| format!("expected a size, found '{text}': write --key 1000,64"))
}

/// Measures the candidates of a kernel, or handles kept results.
pub(crate) fn tune(arguments: &TuneArgs, json: bool) -> Result<(), Failure> {
    match (&arguments.kept, &arguments.file) {
        (Some(command), _) => kept::run(command, json),
        (None, Some(file)) => {
            let wgsl = with_options(arguments.composition.read(file)?, arguments);
            let device = run::open(arguments.device.as_deref())?;
            measure(&device, wgsl, arguments, json)
        }
        // clap requires one of the two.
        (None, None) => Err(Failure::Usage("expected FILE.wgsl, found none".to_owned())),
    }
}

fn with_options(mut wgsl: Wgsl<'static>, arguments: &TuneArgs) -> Wgsl<'static> {
    if let Some(entry) = &arguments.entry {
        wgsl = wgsl.entry(entry.clone());
    }
    for (name, value) in &arguments.overrides {
        wgsl = wgsl.set_override(name.clone(), *value);
    }
    wgsl
}

fn measure(device: &Device, wgsl: Wgsl<'static>, arguments: &TuneArgs, json: bool) -> Result<(), Failure> {
    let space = Space::of(&wgsl)?;
    let candidates = space.candidates()?;
    if candidates.len() == 1 {
        return Err(Failure::Usage(
            "expected values to try, found none: list them behind an override, as in \
             `override WG: u32 = 64; // anywarp:tune 32..256 x2`"
                .to_owned(),
        ));
    }
    let kernel = device.kernel(wgsl.clone())?;
    let defaults: Vec<(&str, f64)> = space.names().zip(candidates[0].values().iter().copied()).collect();
    let threads = arguments.grid.check(&defaults, &kernel)?;
    let interface =
        Interface { name: kernel.name(), bindings: kernel.bindings(), immediate: kernel.immediate(), threads };
    let sources = interface.bind(&arguments.binds)?;
    let assignments = interface.assign(&arguments.sets, &sources, |path| kernel.layout_of(path))?;
    interface.check_complete(&sources, &assignments)?;
    sources.iter().try_for_each(|(binding, bind)| load::check(bind, binding))?;
    arguments.ignored.iter().try_for_each(|key| interface.find("--ignore", key).map(|_| ()))?;
    let contents = buffers::load(device, &sources)?;
    let bound = buffers::upload(device, &sources, contents)?;

    let bar = progress_bar(candidates.len(), json);
    let mut tuner = Tuner::new(device, wgsl).space(space).mode(Mode::Again).key(arguments.key.iter().copied());
    let effort = &arguments.effort;
    let search = Search::new().budget(effort.budget).strategy(effort.strategy()).seed(effort.seed);
    tuner = tuner.goal(effort.goal()).search(search).progress(|progress| show_progress(&bar, &progress));
    for Bound { binding, buffer } in &bound {
        tuner = tuner.bind(&binding.name, buffer);
        let number = format!("{}.{}", binding.resource.group, binding.resource.binding);
        if arguments.ignored.iter().any(|key| *key == binding.name || *key == number) {
            tuner = tuner.ignore(&binding.name);
        }
    }
    for Assignment { path, bytes } in &assignments {
        tuner = tuner.set_bytes(path, bytes);
    }
    if let Some(tolerance) = arguments.tolerance {
        tuner = tuner.verify(tolerance);
    }
    let tuned = arguments.grid.applied(tuner).run();
    bar.finish_and_clear();
    let tuned = tuned?;
    let named = || [(tuned.kernel().name().to_owned(), tuned.rows())].into_iter();
    effort.draw(|| plot::svg(&device.caps().name, named()))?;
    print(device, &tuned, json)
}

/// Shows the number of candidates that were begun, and the fastest one so far.
fn show_progress(bar: &ProgressBar, progress: &Progress) {
    bar.set_length(progress.candidates as u64);
    bar.set_position(progress.begun as u64);
    if let Some((leader, time)) = &progress.leader {
        bar.set_message(format!("{leader}: {}", terminal::duration(*time)));
    }
}

fn print(device: &Device, tuned: &Tuned, json: bool) -> Result<(), Failure> {
    let device = run::describe_device(device);
    terminal::print(&if json { report::json(&device, tuned) } else { report::table(&device, tuned) })
}

impl TuneGrid {
    /// Checks the formulas; returns the number of threads of the default candidate.
    fn check(&self, defaults: &[(&str, f64)], kernel: &Kernel) -> Result<u64, Failure> {
        let product = |extent: [u32; 3]| extent.into_iter().fold(1_u64, |product, n| product.saturating_mul(n.into()));
        let checked = |option, formula: &Formula| formula.check(option, defaults).map(product);
        match (&self.threads, &self.groups) {
            (Some(threads), _) => checked("--threads", threads),
            (None, Some(groups)) => Ok(checked("--groups", groups)?.saturating_mul(product(kernel.workgroup_size()))),
            // clap requires one of the two.
            (None, None) => Ok(1),
        }
    }

    fn applied<'a>(&'a self, tuner: Tuner<'a>) -> Tuner<'a> {
        let of = |formula: &'a Formula| move |overrides: &Overrides| formula.extent(overrides);
        match (&self.threads, &self.groups) {
            (Some(threads), _) => tuner.threads_by(of(threads)),
            (None, Some(groups)) => tuner.groups_by(of(groups)),
            (None, None) => tuner,
        }
    }
}

/// A progress line on stderr, only if it is a terminal.
fn progress_bar(candidates: usize, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(candidates as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} candidates, {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
