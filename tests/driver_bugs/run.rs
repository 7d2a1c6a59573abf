//! Runs a reproduction: on its own device, and in its own process where it may be harmful.

use std::io::Read;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anywarp::{Checks, Device, ErrorClass, Wgsl};

use crate::reproduction::{Reproduction, Wrong, words};
use anywarp_testing_devices::driver_bugs::named;

/// The argument that makes this program run one reproduction and print its words.
pub(crate) const ALONE: &str = "--alone";

/// The time limit of a reproduction in its own process.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The outcome of a reproduction.
#[derive(Debug)]
pub(crate) enum Ended {
    Right,
    /// The result or the error is that of the listed bug.
    AsListed(String),
    /// The outcome is neither right nor the listed bug.
    Otherwise(String),
    /// The device cannot run the reproduction.
    Skipped(String),
}

/// The result of a run.
enum Gave {
    Words(Vec<u32>),
    Error(ErrorClass, String),
    Crash(String),
}

/// Runs a reproduction on the device that `device` selects.
pub(crate) fn run(reproduction: &Reproduction, device: &Device) -> Ended {
    if let Some(missing) = reproduction.needs.filter(|feature| !device.caps().feature_names().contains(feature)) {
        return Ended::Skipped(format!("the device has no {missing}"));
    }
    let gave = match reproduction.wrong {
        Wrong::Words(_) | Wrong::Differs => evaluate(reproduction, device.selector()),
        Wrong::Refused(_) | Wrong::Lost | Wrong::Crash => elsewhere(reproduction, device.selector()),
    };
    let described = match &gave {
        Gave::Words(words) => format!("{}: expected {:x?}, got {words:x?}", reproduction.name, reproduction.right),
        Gave::Error(_, text) | Gave::Crash(text) => format!("{}: {text}", reproduction.name),
    };
    match (gave, &reproduction.wrong) {
        (Gave::Words(words), _) if words == reproduction.right => Ended::Right,
        (Gave::Words(words), Wrong::Words(wrong)) if words == *wrong => Ended::AsListed(described),
        (Gave::Words(_), Wrong::Differs) | (Gave::Crash(_), Wrong::Crash) => Ended::AsListed(described),
        (Gave::Error(_, text), Wrong::Refused(part)) if text.contains(part) => Ended::AsListed(described),
        (Gave::Error(ErrorClass::Fatal, _), Wrong::Lost) => Ended::AsListed(described),
        _ => Ended::Otherwise(described),
    }
}

/// The main function of a process that runs one reproduction.
pub(crate) fn alone(name: &str, selector: &str) -> ExitCode {
    let bug = named(name).ok_or_else(|| format!("unknown bug '{name}'"));
    match bug.and_then(Reproduction::of).map(|reproduction| evaluate(&reproduction, selector)) {
        Ok(Gave::Words(words)) => {
            let words: Vec<String> = words.iter().map(u32::to_string).collect();
            println!("words {}", words.join(" "));
            ExitCode::SUCCESS
        }
        Ok(Gave::Error(class, text)) => {
            println!("error {} {text}", class == ErrorClass::Fatal);
            ExitCode::SUCCESS
        }
        Ok(Gave::Crash(text)) | Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn evaluate(reproduction: &Reproduction, selector: &str) -> Gave {
    let words = || -> anywarp::Result<Vec<u32>> {
        // The device is opened for this kernel alone, because the kernel may lose it.
        let device = Device::open(selector)?;
        let file = format!("{}.wgsl", reproduction.name);
        // The kernel has the driver's checks, as plain wgpu compiles kernels: the middle end might avoid the bug.
        let kernel = device.kernel(Wgsl::new(reproduction.source).file(file).checks(Checks::Driver))?;
        let mut result = device.buffer::<u8>(reproduction.right.len() * 4)?;
        let values = device.buffer_from::<u8>(bytemuck::cast_slice(&reproduction.input))?;
        let values = values.slice(reproduction.bound.start * 4..reproduction.bound.end * 4);
        let launch = kernel.launch();
        let launch = if reproduction.input.is_empty() { launch } else { launch.bind("values", values) };
        let launch = if reproduction.needs == Some("immediates") { launch.set("now", 3u32) } else { launch };
        let launch = launch.bind("result", &mut result);
        if reproduction.indirect.is_empty() {
            launch.groups(1)?;
        } else {
            launch.indirect(&device.buffer_from(&reproduction.indirect)?, 0)?;
        }
        Ok(bytemuck::pod_collect_to_vec(&result.read()?))
    };
    match words() {
        Ok(words) => Gave::Words(words),
        Err(error) => Gave::Error(error.class(), error.to_string()),
    }
}

/// Runs the reproduction in its own process.
fn elsewhere(reproduction: &Reproduction, selector: &str) -> Gave {
    let printed = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.args([ALONE, reproduction.name, selector]);
        printed(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    });
    let (status, out, errors) = match printed {
        Ok(printed) => printed,
        Err(error) => return Gave::Crash(format!("cannot start a process: {error}")),
    };
    match out.trim().split_once(' ') {
        Some(("words", list)) if status.success() => match words(list) {
            Ok(words) => Gave::Words(words),
            Err(error) => Gave::Crash(error),
        },
        Some(("error", text)) if status.success() => {
            let (fatal, text) = text.split_once(' ').unwrap_or((text, ""));
            let class = if fatal == "true" { ErrorClass::Fatal } else { ErrorClass::Programmer };
            Gave::Error(class, text.to_owned())
        }
        _ => Gave::Crash(format!("the process ended with {status}: {}", errors.trim())),
    }
}

/// Runs a process; returns its exit status, its output, and its error output.
fn printed(command: &mut Command) -> std::io::Result<(ExitStatus, String, String)> {
    let mut child = command.spawn()?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > MAX_TIME {
            child.kill()?;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let (mut out, mut errors) = (String::new(), String::new());
    // The pipes are read after the process, because both texts are short enough for the pipes' buffers.
    child.stdout.take().map(|mut pipe| pipe.read_to_string(&mut out)).transpose()?;
    child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut errors)).transpose()?;
    Ok((status, out, errors))
}
