//! `anywarp inspect`: why a kernel is slow, without the GPU that it is meant for.

mod compare;
mod compiled;
mod condition;
mod json;
mod model;

use std::path::PathBuf;

use anywarp::insight::{Profile, Report};
use anywarp::{Device, Kernel, Wgsl};
use clap::Args;

use self::condition::Condition;
use self::model::Choice;
use crate::args::GridArgs;
use crate::bindings::{Assignment, Interface};
use crate::buffers::{self, Bound};
use crate::composition::CompositionArgs;
use crate::failure::Failure;
use crate::source::Bind;
use crate::{load, page, run, terminal, values};

/// The kernel to inspect, its arguments, and the GPU of the estimates.
#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The WGSL file; `-` reads stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    composition: CompositionArgs,

    /// The entry point, where the file has several
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    #[command(flatten)]
    grid: GridArgs,

    /// Give a buffer to a storage or uniform variable; KEY is its name or GROUP.BINDING. Repeat it for each variable
    #[arg(long = "bind", value_name = "KEY=SOURCE", value_parser = values::binding)]
    binds: Vec<Bind>,

    /// Set a uniform or immediate, or a part of one: `params.a=3`. Repeat it for each part
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = values::set)]
    sets: Vec<(String, String)>,

    /// Set an override, by its name or its @id. Repeat it for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = values::override_value)]
    overrides: Vec<(String, f64)>,

    /// The GPU of the estimates: a name of the list below; `measured` for the rates that `anywarp bench device --save`
    /// measured last; or the file of such rates
    #[arg(long, value_name = "NAME", default_value = "h100", value_parser = model::parse)]
    model: Choice,

    /// Write the report as one page of HTML
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Run the kernel on this device, too, as `anywarp devices` lists it, and put the timeline of that run on the page
    #[arg(long, value_name = "SELECTOR", requires = "html")]
    timeline: Option<String>,

    /// Print what has changed since a report that --json wrote, on stderr
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,

    /// The registers of an invocation, as the driver's compiler reports them, for the occupancy of NVIDIA's models
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255), conflicts_with = "arch")]
    registers: Option<u32>,

    /// Compile the kernel for an NVIDIA architecture, such as `sm_90`, and report its registers, spills and occupancy.
    /// Needs NVRTC, but no GPU
    #[arg(long, value_name = "ARCHITECTURE", allow_negative_numbers = true, value_parser = values::architecture)]
    arch: Option<u32>,

    /// End with status 3 if a condition holds for any place, such as `sectors/request > 8`. Repeat it for each condition
    #[arg(long = "fail-on", value_name = "CONDITION", value_parser = condition::parse)]
    conditions: Vec<Condition>,
}

/// Runs a kernel on the device that counts, and prints the findings.
pub(crate) fn inspect(arguments: &InspectArgs, json: bool) -> Result<(), Failure> {
    let model = arguments.model.read()?;
    let base = arguments.compare.as_deref().map(compare::read).transpose()?;
    let mut wgsl = arguments.composition.read(&arguments.file)?;
    if let Some(entry) = &arguments.entry {
        wgsl = wgsl.entry(entry.clone());
    }
    for (name, value) in &arguments.overrides {
        wgsl = wgsl.set_override(name.clone(), *value);
    }
    let compiled = arguments.arch.map(|architecture| compiled::compile(&wgsl, architecture)).transpose()?;
    let device = run::open(Some("cpu:observed"))?;
    let kernel = device.kernel(wgsl.clone())?;
    launch(&device, &kernel, arguments)?;
    let observations = device.observations();
    device.synchronize()?;
    let mut report = anywarp::insight::inspect(&observations, &model);
    report.add_source(&wgsl, device.caps())?;
    if let Some(compiled) = compiled {
        report.add_compiled(kernel.name(), compiled);
    }
    if let Some(registers) = arguments.registers {
        compiled::add_registers(&mut report, &kernel, registers);
    }
    let timeline = arguments.timeline.as_deref().map(|selector| profile(selector, &wgsl, arguments)).transpose()?;
    terminal::print(&if json { json::report(&report) } else { report.to_string().trim_end().to_owned() })?;
    if let Some(base) = base {
        eprintln!("{}", base.differences(&report));
    }
    if let Some(path) = &arguments.html {
        page::of_inspection(path, &report, timeline.as_ref())?;
    }
    check(&report, &arguments.conditions)
}

/// Compiles and runs the kernel on another device, and returns that with the timeline.
fn profile(selector: &str, wgsl: &Wgsl<'_>, arguments: &InspectArgs) -> Result<(Device, Profile), Failure> {
    let device = run::open_for("--timeline", selector)?;
    let work = || launch(&device, &device.kernel(wgsl.clone())?, arguments);
    let (result, profile) = anywarp::insight::profile(&device, work)?;
    result?;
    Ok((device, profile))
}

fn launch(device: &Device, kernel: &Kernel, arguments: &InspectArgs) -> Result<(), Failure> {
    let grid = arguments.grid.of(kernel);
    let interface = Interface {
        name: kernel.name(),
        bindings: kernel.bindings(),
        immediate: kernel.immediate(),
        threads: run::thread_count(&grid, kernel),
    };
    let sources = interface.bind(&arguments.binds)?;
    let assignments = interface.assign(&arguments.sets, &sources, |path| kernel.layout_of(path))?;
    interface.check_complete(&sources, &assignments)?;
    sources.iter().try_for_each(|(binding, bind)| load::check(bind, binding))?;
    let contents = buffers::load(device, &sources)?;
    let mut bound = buffers::upload(device, &sources, contents)?;
    let mut launch = kernel.launch();
    for Bound { binding, buffer } in &mut bound {
        launch = launch.bind(&binding.name, buffer);
    }
    for Assignment { path, bytes } in &assignments {
        launch = launch.set_bytes(path, bytes);
    }
    let launched = launch.groups(grid.groups).map_err(Failure::from);
    launched.map(drop).map_err(|failure| run::of_length(failure, &interface, &sources))
}

/// The position of the model's warps in arrays of counts.
fn column(report: &Report) -> usize {
    anywarp::backend::WARP_SIZES.iter().rposition(|size| *size <= report.model.warp).unwrap_or(0)
}

/// Fails if a condition holds.
fn check(report: &Report, conditions: &[Condition]) -> Result<(), Failure> {
    let met: Vec<String> = conditions.iter().flat_map(|condition| condition.places(report)).collect();
    if met.is_empty() { Ok(()) } else { Err(Failure::Condition(met)) }
}
