//! The command line: its arguments, and the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::bench::BenchArgs;
use crate::cache::CacheCommand;
use crate::check::{self, CheckArgs};
use crate::composition::CompositionArgs;
use crate::help::{
    ENVIRONMENT, EXAMPLE, EXIT_CODES, OP_NOTES, RUN_NOTES, TRANSLATE_EXAMPLE, TRANSLATE_NOTES, TUNE_NOTES,
    inspect_notes,
};
use crate::inspect::InspectArgs;
use crate::op::OpArgs;
use crate::output::Output;
use crate::ring::RingCommand;
use crate::shape::{self, Given};
use crate::source::Bind;
use crate::stage::Stage;
use crate::trace::TraceCommand;
use crate::tune::TuneArgs;
use crate::values;

/// Run any WGSL compute kernel, on any device.
#[derive(Debug, Parser)]
#[command(name = "anywarp", version, after_long_help = format!("{EXIT_CODES}\n\n{ENVIRONMENT}"))]
pub(crate) struct Cli {
    /// Print JSON: results on stdout, errors on stderr as {"error": …, "class": …}
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the devices that kernels can run on
    Devices,
    /// Run a compute kernel once, or several times
    #[command(after_long_help = format!("{RUN_NOTES}\n\n{EXIT_CODES}\n\n{EXAMPLE}"))]
    Run(Box<RunArgs>),
    /// Run an operator, such as a sum or a sort, on NumPy files; `op --list` names all
    #[command(after_help = OP_NOTES, after_long_help = format!("{OP_NOTES}\n\n{EXIT_CODES}"))]
    Op(OpArgs),
    /// Tell why a kernel is slow on a GPU, by a run on the CPU; needs no GPU
    #[command(after_help = inspect_notes(), after_long_help = format!("{}\n\n{EXIT_CODES}", inspect_notes()))]
    Inspect(Box<InspectArgs>),
    /// Find the values of its overrides with which a kernel is fastest
    #[command(after_long_help = format!("{TUNE_NOTES}\n\n{EXIT_CODES}"))]
    Tune(Box<TuneArgs>),
    /// Compare timelines that `run --trace` wrote
    Trace {
        #[command(subcommand)]
        command: TraceCommand,
    },
    /// Run actors that answer messages, and watch them
    Ring {
        #[command(subcommand)]
        command: RingCommand,
    },
    /// Measure operators on this device, beside its ceiling and a peer
    Bench(BenchArgs),
    /// Print the stages of a kernel's translation to machine code; needs no device
    #[command(after_long_help = format!("{TRANSLATE_NOTES}\n\n{EXIT_CODES}\n\n{TRANSLATE_EXAMPLE}"))]
    Translate(Box<TranslateArgs>),
    /// Check WGSL files against devices or the WebGPU baseline; runs nothing
    #[command(after_long_help = check::NOTES)]
    Check(Box<CheckArgs>),
    /// Show or clear the compiled kernels that are kept on disk
    Cache {
        #[command(subcommand)]
        command: CacheCommand,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The WGSL file; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) composition: CompositionArgs,

    /// The entry point, where the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// The device, as `anywarp devices` lists it; `cpu:checked` finds races, indices out of range and more [default: that of `ANYWARP_DEVICE`, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) device: Option<String>,

    #[command(flatten)]
    pub(crate) grid: GridArgs,

    /// Give a buffer to a storage or uniform variable; KEY is its name or GROUP.BINDING. Repeat it for each variable
    #[arg(long = "bind", value_name = "KEY=SOURCE", value_parser = values::binding)]
    pub(crate) binds: Vec<Bind>,

    /// Set a uniform or immediate, or a part of one: `params.a=3`, `params.offset=1,2,3`. Repeat it for each part
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = values::set)]
    pub(crate) sets: Vec<(String, String)>,

    /// Set an override, by its name or its @id. Repeat it for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = values::override_value)]
    pub(crate) overrides: Vec<(String, f64)>,

    /// Write a bound buffer to a .npy, .bin or .png file after the run. Repeat it for each file
    #[arg(long = "out", value_name = "KEY=FILE[:SHAPE]", value_parser = values::output)]
    pub(crate) outputs: Vec<Output>,

    /// The shape of a .npy, or `WIDTHxHEIGHT` of a .png; KEY may be omitted with a single --out. Repeat it for each
    /// output [default: that of the --bind]
    #[arg(long = "shape", value_name = "[KEY=]SHAPE", value_parser = shape::parse_given)]
    pub(crate) shapes: Vec<Given>,

    /// The number of elements of each output to print [default: 8 without --out, else none]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::print)]
    pub(crate) print: Option<u64>,

    /// Run the kernel N times; the buffers are not reset in between. The first run may include work that the driver
    /// postpones until then
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = values::repeat)]
    pub(crate) repeat: u32,

    /// Write a timeline of the run as JSON, for <https://ui.perfetto.dev> and `anywarp trace compare`
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write a page about the run, for a browser: the timeline, the kernels by time, and pitfalls; with --device
    /// cpu:observed also the findings of `anywarp inspect`. The page is one file, and needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Print what the run spent its time on, and pitfalls that its timeline shows, to stderr
    #[arg(long)]
    pub(crate) advise: bool,

    /// End the run with status 3 also for notes of a checked device, such as reads of variables before any write
    #[arg(long)]
    pub(crate) strict: bool,

    /// Run again whenever the file, or one that it imports, changes; Ctrl-C ends it
    #[arg(long)]
    pub(crate) watch: bool,
}

/// The size of a run, by exactly one of the two options.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct GridArgs {
    /// Workgroups in x, y and z
    #[arg(long, value_name = "X[,Y[,Z]]", allow_negative_numbers = true, value_parser = values::groups)]
    pub(crate) groups: Option<[u32; 3]>,

    /// Threads in x, y and z, rounded up to whole workgroups
    #[arg(long, value_name = "X[,Y[,Z]]", allow_negative_numbers = true, value_parser = values::threads)]
    pub(crate) threads: Option<[u32; 3]>,
}

#[derive(Debug, Args)]
pub(crate) struct TranslateArgs {
    /// The WGSL file; `-` reads stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) stages: StageArgs,

    #[command(flatten)]
    pub(crate) composition: CompositionArgs,

    /// The entry point, where the file has several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Set an override, by its name or its @id. Repeat it for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = values::override_value)]
    pub(crate) overrides: Vec<(String, f64)>,

    /// The NVIDIA architecture that ptx and sass are for: `sm_80`, `sm_90`, `sm_120`
    #[arg(long, value_name = "ARCHITECTURE", default_value = "sm_90", allow_negative_numbers = true, value_parser = values::architecture)]
    pub(crate) arch: u32,

    /// Let cuda, ptx and sass approximate f32 arithmetic
    #[arg(long)]
    pub(crate) fast_math: bool,

    /// Print cuda, ptx and sass of the form for indirect dispatches and huge grids, where blocks loop over workgroups
    #[arg(long)]
    pub(crate) looped: bool,

    /// Print only the parts that come from this line of the file; for spirv, cuda, ptx and sass
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::line)]
    pub(crate) line: Option<u32>,

    /// The width of the terminal. From 160 on, --all prints its stages in pairs [default: that of `COLUMNS`]
    #[arg(long, value_name = "CHARACTERS", allow_negative_numbers = true, value_parser = values::width)]
    pub(crate) width: Option<u16>,

    /// Write to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The stages to print, by exactly one of the three options.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct StageArgs {
    /// Print one stage
    #[arg(long, value_name = "STAGE", value_enum)]
    pub(crate) to: Option<Stage>,

    /// Print every stage; for one that this machine cannot make, print what is missing
    #[arg(long)]
    pub(crate) all: bool,

    /// Print two stages side by side, aligned by the lines of the file that they come from
    #[arg(long, value_name = "A,B", value_enum, hide_possible_values = true, value_delimiter = ',')]
    pub(crate) side_by_side: Vec<Stage>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["anywarp"], arguments].concat())
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_translation_prints_one_stage_a_pair_or_all() {
        for right in ["--to ptx", "--all", "--side-by-side source,sass", "--to cuda --arch sm_80 --looped --fast-math"]
        {
            let words: Vec<&str> = ["translate", "a.wgsl"].into_iter().chain(right.split(' ')).collect();
            assert!(parse(&words).is_ok(), "{right}");
        }
        for wrong in
            ["--to", "--to dxil", "--to ptx --all", "--arch sm_90", "--side-by-side ptx,dxil", "--all --line 0"]
        {
            let words: Vec<&str> = ["translate", "a.wgsl"].into_iter().chain(wrong.split(' ')).collect();
            assert!(parse(&words).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_run_needs_one_of_groups_and_threads() {
        assert!(parse(&["run", "a.wgsl", "--threads", "64"]).is_ok());
        assert!(parse(&["run", "a.wgsl", "--groups", "1,2,3", "--json"]).is_ok());
        assert!(parse(&["run", "a.wgsl"]).is_err());
        assert!(parse(&["run", "a.wgsl", "--threads", "64", "--groups", "1"]).is_err());
        assert!(parse(&["run", "a.wgsl", "--threads", "64", "--repeat", "0"]).is_err());
        assert!(parse(&["run", "-", "--threads", "64", "--bind", "x=what:1"]).is_err());
    }

    #[test]
    fn negative_numbers_are_refused_by_words_of_our_own() {
        for option in ["--threads", "--groups", "--repeat", "--print"] {
            let message = parse(&["run", "a.wgsl", option, "-4"]).unwrap_err().to_string();
            assert!(message.contains("expected") && message.contains(&format!("write {option}")), "{message}");
        }
    }

    #[test]
    fn overrides_have_a_second_word() {
        for (verb, more) in [("run", "--threads=1"), ("translate", "--all"), ("check", "--explain")] {
            assert!(parse(&[verb, "a.wgsl", more, "--constant", "N=4"]).is_ok(), "{verb}");
        }
    }
}
