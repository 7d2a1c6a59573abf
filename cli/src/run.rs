//! `anywarp run`: runs one kernel from a file, as the command line describes.

use std::io::Write;
use std::time::{Duration, Instant};

use anywarp::backend::{Access, BindingInfo, Clock};
use anywarp::{Device, Error, Kernel, LaunchError, Wgsl, insight};

use crate::args::{GridArgs, RunArgs};
use crate::bindings::{Assignment, Interface};
use crate::buffers::{self, Bound};
use crate::composition::display_name;
use crate::failure::{self, Failure};
use crate::output::{Output, Plan};
use crate::report::{self, Report};
use crate::source::{Bind, Source};
use crate::timing::{self, Times};
use crate::{load, outputs, page, preview, terminal};

/// Runs a kernel and prints its report. Files that cannot be written fail the run only after all other steps.
pub(crate) fn run(arguments: &RunArgs, json: bool) -> Result<(), Failure> {
    let wgsl = arguments.composition.read(&arguments.file)?;
    let device = open(arguments.device.as_deref())?;
    let start = Instant::now();
    let kernel = compile(&device, wgsl, arguments)?;
    run_kernel(&device, &kernel, start.elapsed(), arguments, json)
}

/// Opens the device that the command line names.
pub(crate) fn open(selector: Option<&str>) -> Result<Device, Failure> {
    match selector {
        Some(selector) => open_for("--device", selector),
        None => Device::open_default().map_err(|error| match std::env::var("ANYWARP_DEVICE") {
            Ok(wanted) if !wanted.trim().is_empty() => Failure::of(format!("ANYWARP_DEVICE={wanted}"), error),
            _ => error.into(),
        }),
    }
}

/// Opens the device that an option names.
pub(crate) fn open_for(option: &str, selector: &str) -> Result<Device, Failure> {
    if selector.trim().is_empty() {
        return Err(Failure::Usage(format!(
            "{option} '{selector}': expected a selector, found nothing: choose one that `anywarp devices` lists"
        )));
    }
    Device::open(selector).map_err(|error| Failure::of(format!("{option} {selector}"), error))
}

/// Runs a kernel, whose compilation took `compile`, and reports the device's findings.
pub(crate) fn run_kernel(
    device: &Device,
    kernel: &Kernel,
    compile: Duration,
    arguments: &RunArgs,
    json: bool,
) -> Result<(), Failure> {
    let result = profiled(device, kernel, arguments, || run_on(device, kernel, compile, arguments, json));
    let findings = device.findings();
    if findings.is_empty() {
        return result;
    }
    if !findings.has_errors() && !arguments.strict {
        failure::print_notes(&findings, json);
        return result;
    }
    if let Err(failure) = result {
        failure.print(json);
    }
    Err(Failure::Findings(findings))
}

/// Runs `work`; with `--trace`, `--html` or `--advise`, with a timeline.
fn profiled(
    device: &Device,
    kernel: &Kernel,
    arguments: &RunArgs,
    work: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    if arguments.trace.is_none() && arguments.html.is_none() && !arguments.advise {
        return work();
    }
    let (result, profile) = insight::profile(device, work)?;
    result?;
    if let Some(path) = &arguments.trace {
        std::fs::write(path, profile.trace())
            .map_err(|error| Failure::File(format!("--trace {}: {error}", path.display())))?;
    }
    if let Some(path) = &arguments.html {
        page::of_run(path, device, kernel, &profile)?;
    }
    if arguments.advise {
        let advice = profile.advice();
        let mut text = profile.text(insight::Sort::Total);
        for advice in &advice {
            text.push_str(&format!("\n\n{advice}"));
        }
        if advice.is_empty() {
            text.push_str("\nno pitfalls");
        }
        // A closed stderr cannot be reported.
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }
    Ok(())
}

fn run_on(device: &Device, kernel: &Kernel, compile: Duration, arguments: &RunArgs, json: bool) -> Result<(), Failure> {
    let grid = arguments.grid.of(kernel);
    let interface = Interface {
        name: kernel.name(),
        bindings: kernel.bindings(),
        immediate: kernel.immediate(),
        threads: thread_count(&grid, kernel),
    };
    let sources = interface.bind(&arguments.binds)?;
    let assignments = interface.assign(&arguments.sets, &sources, |path| kernel.layout_of(path))?;
    interface.check_complete(&sources, &assignments)?;
    sources.iter().try_for_each(|(binding, bind)| load::check(bind, binding))?;
    let found = outputs::find(&interface, &sources, &arguments.outputs)?;
    outputs::check_shapes(&found, &sources, &arguments.shapes)?;

    let start = Instant::now();
    let contents = buffers::load(device, &sources)?;
    let load = start.elapsed();
    let pictures: Vec<[u32; 2]> = contents.iter().filter_map(|contents| contents.picture).collect();
    let plan = |(index, output): &(usize, &Output)| {
        output.plan(sources[*index].0, &contents[*index], &arguments.shapes, &pictures)
    };
    let plans: Vec<Plan> = found.iter().map(plan).collect::<Result<_, _>>()?;

    let start = Instant::now();
    let mut bound = buffers::upload(device, &sources, contents)?;
    let upload = start.elapsed();

    let launched = launch(device, kernel, &mut bound, &assignments, arguments, json);
    let launched = launched.map_err(|failure| of_length(failure, &interface, &sources));
    // Debug output is printed after a failure too, if the device still provides it.
    let printed = print_debug_output(device);
    let times = launched?;
    printed?;

    let mut download = Duration::ZERO;
    let (written, failed) = outputs::write(&bound, &found, &plans, &mut download)?;
    let shown = arguments.print.or((found.is_empty() && !json).then_some(preview::SHOWN));
    let bindings = describe(&bound, shown.unwrap_or(0), &mut download)?;
    let stats = device.stats();
    let report = Report {
        device: describe_device(device),
        kernel: report::Kernel {
            file: display_name(&arguments.file),
            entry_point: kernel.entry_point().to_owned(),
            workgroup_size: kernel.workgroup_size(),
        },
        grid,
        repeat: arguments.repeat,
        clock: match times.clock {
            Clock::Device => "device",
            Clock::Host => "host",
        },
        timings_us: report::Timings {
            compile,
            load,
            upload,
            kernel: times.median(),
            kernel_min: times.min(),
            download,
        },
        bytes: report::Bytes { uploaded: stats.bytes_uploaded, downloaded: stats.bytes_downloaded },
        bindings,
        outputs: written,
    };
    let text = if json { serde_json::to_string_pretty(&report).unwrap_or_default() } else { report.table() };
    terminal::print(&text)?;
    if failed.is_empty() { Ok(()) } else { Err(Failure::File(failed.join("\n"))) }
}

/// Compiles the kernel that the command line selects.
pub(crate) fn compile<'a>(device: &Device, mut wgsl: Wgsl<'a>, arguments: &'a RunArgs) -> Result<Kernel, Failure> {
    if let Some(entry) = &arguments.entry {
        wgsl = wgsl.entry(entry);
    }
    for (name, value) in &arguments.overrides {
        wgsl = wgsl.set_override(name, *value);
    }
    Ok(device.kernel(wgsl)?)
}

impl GridArgs {
    /// The grid of a launch of `kernel`.
    pub(crate) fn of(&self, kernel: &Kernel) -> report::Grid {
        match (self.threads, self.groups) {
            (Some(threads), _) => {
                let size = kernel.workgroup_size();
                let groups = std::array::from_fn(|axis| threads[axis].div_ceil(size[axis].max(1)));
                report::Grid { groups, threads: Some(threads) }
            }
            // clap requires one of the two.
            (None, groups) => report::Grid { groups: groups.unwrap_or([1; 3]), threads: None },
        }
    }
}

/// The number of threads of a grid.
pub(crate) fn thread_count(grid: &report::Grid, kernel: &Kernel) -> u64 {
    let product = |extent: [u32; 3]| extent.into_iter().fold(1_u64, |count, n| count.saturating_mul(n.into()));
    grid.threads.map_or_else(|| product(grid.groups).saturating_mul(product(kernel.workgroup_size())), product)
}

/// Attributes an error about a length to the argument that gives it.
pub(crate) fn of_length(failure: Failure, interface: &Interface<'_>, sources: &[(&BindingInfo, &Bind)]) -> Failure {
    let Failure::Library { error, .. } = &failure else { return failure };
    let Error::Launch(LaunchError::Length { binding: name, got, expected, .. }) = &**error else { return failure };
    let Some((binding, bind)) = sources.iter().find(|(binding, _)| binding.name == *name) else { return failure };
    let message = format!(
        "{}: expected another length, {expected}, found {got} bytes: give as many, such as --bind {}={}",
        bind.argument(),
        bind.key,
        interface.suggest_source(binding)
    );
    match bind.source {
        Source::Zeros(_) | Source::Made(_) => Failure::Usage(message),
        Source::Npy(_) | Source::Raw(_) | Source::Picture(_) => Failure::File(message),
    }
}

fn launch(
    device: &Device,
    kernel: &Kernel,
    bound: &mut [Bound<'_>],
    assignments: &[Assignment],
    arguments: &RunArgs,
    quiet: bool,
) -> Result<Times, Failure> {
    let mut recording = device.recording();
    recording.timed(true);
    let mut launch = kernel.launch();
    for Bound { binding, buffer } in bound {
        launch = launch.bind(&binding.name, &mut *buffer);
    }
    for Assignment { path, bytes } in assignments {
        launch = launch.set_bytes(path, bytes);
    }
    let launch = launch.record(&mut recording);
    match (arguments.grid.threads, arguments.grid.groups) {
        (Some(threads), _) => launch.threads(threads)?,
        (None, groups) => launch.groups(groups.unwrap_or([1; 3]))?,
    };
    timing::measure(&recording, arguments.repeat, quiet)
}

/// Prints the kernel's debug output to stderr, because the report is on stdout.
fn print_debug_output(device: &Device) -> Result<(), Failure> {
    let text = device.debug_output()?.to_string();
    // A closed stderr cannot be reported.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
    Ok(())
}

/// Describes the bindings, with `shown` elements of each that was written.
fn describe(bound: &[Bound<'_>], shown: u64, spent: &mut Duration) -> Result<Vec<report::Binding>, Failure> {
    let mut described = Vec::with_capacity(bound.len());
    for Bound { binding, buffer } in bound {
        let written = binding.access == Access::Write;
        let bytes = buffer.byte_len();
        let preview = if shown > 0 && written {
            let head = buffers::download(buffer, preview::bytes(&binding.layout, shown), spent)?;
            Some(preview::format(&binding.layout, &head, bytes, shown))
        } else {
            None
        };
        described.push(report::Binding {
            name: binding.name.clone(),
            group: binding.resource.group,
            binding: binding.resource.binding,
            r#type: binding.layout.name.clone(),
            written,
            bytes,
            preview,
        });
    }
    Ok(described)
}

pub(crate) fn describe_device(device: &Device) -> report::Device {
    let caps = device.caps();
    report::Device {
        selector: device.selector().to_owned(),
        name: caps.name.clone(),
        backend: caps.backend.name(),
        kind: caps.kind.to_string(),
        driver: caps.driver.clone(),
        unified: caps.unified,
    }
}
