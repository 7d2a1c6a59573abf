//! The command line: what it takes, and the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::cache::CacheCommand;
use crate::check::{self, CheckArgs};
use crate::composition::CompositionArgs;
use crate::count;
use crate::output::{self, Output};
use crate::shape::{self, Given};
use crate::source::Bind;
use crate::stage::Stage;

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
    /// Print what a kernel becomes on its way to machine code; needs no device
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

    /// The device, as `anywarp devices` lists it; `cpu:checked` finds races, indices out of range and more [default: as `ANYWARP_DEVICE` says, or the best one]
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) device: Option<String>,

    #[command(flatten)]
    pub(crate) grid: GridArgs,

    /// Give a buffer to a storage or uniform variable; KEY is its name or GROUP.BINDING. Once for each variable
    #[arg(long = "bind", value_name = "KEY=SOURCE", value_parser = parse_binding)]
    pub(crate) binds: Vec<Bind>,

    /// Set a uniform or immediate, or a part of one: `params.a=3`, `params.offset=1,2,3`. Once for each part
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = parse_set)]
    pub(crate) sets: Vec<(String, String)>,

    /// Set an override, by its name or its @id. Once for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = parse_override)]
    pub(crate) overrides: Vec<(String, f64)>,

    /// Write a bound buffer to a .npy, .bin or .png file after the run. Once for each file
    #[arg(long = "out", value_name = "KEY=FILE[:SHAPE]", value_parser = parse_output)]
    pub(crate) outputs: Vec<Output>,

    /// The shape of a .npy, or WIDTHxHEIGHT of a .png; KEY may be left out where there is one --out. Once for each
    /// output [default: that of the --bind]
    #[arg(long = "shape", value_name = "[KEY=]SHAPE", value_parser = shape::parse_given)]
    pub(crate) shapes: Vec<Given>,

    /// How many elements of each output are printed [default: 8 where there is no --out, else none]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_print)]
    pub(crate) print: Option<u64>,

    /// Run the kernel N times; the buffers are not reset in between. The first run may include work
    /// that the driver puts off until then
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = parse_repeat)]
    pub(crate) repeat: u32,

    /// Run again whenever the file, or one that it imports, changes; Ctrl-C ends it
    #[arg(long)]
    pub(crate) watch: bool,
}

/// How much to run: exactly one of the two.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct GridArgs {
    /// Workgroups in x, y and z
    #[arg(long, value_name = "X[,Y[,Z]]", allow_negative_numbers = true, value_parser = parse_groups)]
    pub(crate) groups: Option<[u32; 3]>,

    /// Threads in x, y and z, rounded up to whole workgroups
    #[arg(long, value_name = "X[,Y[,Z]]", allow_negative_numbers = true, value_parser = parse_threads)]
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

    /// Set an override, by its name or its @id. Once for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = parse_override)]
    pub(crate) overrides: Vec<(String, f64)>,

    /// The NVIDIA architecture that ptx and sass are for: `sm_80`, `sm_90`, `sm_120`
    #[arg(long, value_name = "ARCHITECTURE", default_value = "sm_90", allow_negative_numbers = true, value_parser = parse_architecture)]
    pub(crate) arch: u32,

    /// Let cuda, ptx and sass approximate f32 arithmetic
    #[arg(long)]
    pub(crate) fast_math: bool,

    /// Cuda, ptx and sass of the form for indirect dispatches and huge grids: blocks take workgroups in turns
    #[arg(long)]
    pub(crate) looped: bool,

    /// Only what came from this line of the file; spirv, cuda, ptx and sass know
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_line)]
    pub(crate) line: Option<u32>,

    /// How wide the terminal is. From 160 on, --all prints its stages two by two [default: as `COLUMNS` says]
    #[arg(long, value_name = "CHARACTERS", allow_negative_numbers = true, value_parser = parse_width)]
    pub(crate) width: Option<u16>,

    /// Write to a file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What to print: exactly one of the three.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct StageArgs {
    /// Print one stage
    #[arg(long, value_name = "STAGE", value_enum)]
    pub(crate) to: Option<Stage>,

    /// Print every stage; one that this machine cannot make says what is missing
    #[arg(long)]
    pub(crate) all: bool,

    /// Print two stages beside each other; what came from one line of the file stands side by side
    #[arg(long, value_name = "A,B", value_enum, hide_possible_values = true, value_delimiter = ',')]
    pub(crate) side_by_side: Vec<Stage>,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the device or the kernel failed, or a file could not be read, written or understood
  2  the command line is wrong: an unknown option or key, a missing binding, a value out of range
  3  the device is checked (--device cpu:checked) and something is wrong with the kernel: stderr says
     what, line by line";

const ENVIRONMENT: &str = "\
Environment:
  ANYWARP_DEVICE  the device, where --device is not given
  ANYWARP_CACHE   the folder of compiled kernels, or `off` [default: the user's cache folder]
  ANYWARP_LOG     what to log to stderr: error, warn (default), info, debug, trace, or per module

With --json an error's class is usage (exit code 2), findings (3), file, or the library's own word: retryable,
resource, programmer or fatal. A stage of `translate` that cannot be made is of class translation, files that
`check` has found something wrong with are of class check.";

const RUN_NOTES: &str = "\
SOURCE is one of
  FILE.npy                a NumPy array: little-endian, C order; its dtype must be the variable's
  FILE.bin                raw bytes
  FILE.png                a picture
  zeros:DTYPE:COUNT       COUNT zeros
  zeros:BYTES             this many bytes of zeros
  ones:DTYPE:COUNT        COUNT ones
  range:DTYPE:COUNT       0, 1, 2, ..
  rand:SEED:DTYPE:COUNT   COUNT random numbers: f32 or f16 in [0, 1), any i32, any u32

DTYPE is f16, f32, f64, i16, i32, i64, u16, u32 or u64, or the same as NumPy has it: float32, int32, uint32.
COUNT and BYTES may end in Ki, Mi or Gi, as may the numbers of --threads and --groups: 64Ki.

A .png goes with
  array<u32>                           a pixel each, as unpack4x8unorm takes it: red in the lowest byte
  array<f32>, array<f16>               a gray level each, 0 to 1; of colours 0.2126 R + 0.7152 G + 0.0722 B
  array<vec4<f32>>, array<vec4<f16>>   red, green, blue and alpha each, 0 to 1
row by row from the top. Levels are those of the file; no colour space is converted. What is written has 8 bits a
channel; numbers outside of 0 to 1 are clamped, and the report counts them.

Two keys with the same SOURCE get two buffers. Every storage and uniform variable that the entry
point uses needs a --bind, except a uniform that --set covers; to see which ones a kernel has, run
it without any.

Random numbers are SplitMix64 (Steele, Lea, Flood 2014) started at SEED, one output z an element:
  f32  (z >> 40) / 2^24      f16  (z >> 53) / 2^11      i32, u32  z >> 32

VALUE of --set is one number, or several with commas for a vector, a matrix (column by column), an
array or a struct: 3, -0.5, 1e-3, 0x10.

FILE of --out ends in .npy, .bin or .png. A .npy is of the variable's scalar type where the variable is made of one
scalar type without padding, else its bytes as uint8. Its shape is, in this order: that after the file
(y.npy:512x512), that of --shape, that of the .npy or .png that was bound to the variable, flat. A .png takes
WIDTHxHEIGHT in the same way, and last the size of the one picture that was bound to another variable.";

const EXAMPLE: &str = "\
Examples:
  anywarp run saxpy.wgsl --threads 1024 --set params.a=3 \\
      --bind x=x.npy --bind y=rand:1:f32:1Ki --out y=y.npy:32x32
  anywarp run blur.wgsl --threads 640,480 --bind image=photo.png --bind out=zeros:f32:307200 --out out=blurred.png";

const TRANSLATE_NOTES: &str = "\
wgsl, spirv, msl, hlsl, cuda, clif and asm are made on any machine. ptx needs NVRTC, CUDA's compiler:
`pip install nvidia-cuda-nvrtc`, and ANYWARP_NVRTC set to the folder it lies in, or the CUDA toolkit.
sass needs nvdisasm as well: ANYWARP_NVDISASM names it or its folder. Neither needs a GPU.

Where --side-by-side knows of both stages which line of the file they came from (source, spirv, cuda,
ptx and sass), it goes through the file line by line; else both run from top to bottom.";

const TRANSLATE_EXAMPLE: &str = "\
Examples:
  anywarp translate saxpy.wgsl --to spirv
  anywarp translate saxpy.wgsl --side-by-side source,sass --arch sm_120
  anywarp translate saxpy.wgsl --to ptx --line 13";

fn parse_architecture(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("sm_").and_then(|number| number.parse().ok());
    match number {
        Some(number @ OLDEST..=999) => Ok(number),
        Some(_) => Err(format!(
            "expected sm_{OLDEST} or newer, sm_120 is one of the newest, found '{text}': write --arch sm_90"
        )),
        None => Err(format!("expected sm_ and a number, found '{text}': write --arch sm_90")),
    }
}

/// Compute capability 7.0: the first with threads that are scheduled independently.
const OLDEST: u32 = 70;

/// `NAME=VALUE`, whose form and an example are for messages.
fn parse_pair(text: &str, form: &str, example: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err(format!("expected {form}, found '{text}': write {example}")),
    }
}

fn parse_binding(text: &str) -> Result<Bind, String> {
    let (key, text) = parse_pair(text, "KEY=SOURCE", "--bind x=zeros:f32:1024")?;
    Ok(Bind { source: text.parse()?, key, text })
}

fn parse_set(text: &str) -> Result<(String, String), String> {
    parse_pair(text, "PATH=VALUE", "--set params.n=1024")
}

fn parse_output(text: &str) -> Result<Output, String> {
    let (key, file) = parse_pair(text, "KEY=FILE", "--out y=y.npy")?;
    output::parse(key, &file)
}

pub(crate) fn parse_override(text: &str) -> Result<(String, f64), String> {
    let (name, value) = parse_pair(text, "NAME=VALUE", "--override TILE=16")?;
    let number = match value.as_str() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        // An override is 32 bits wide at most, so that every hexadecimal integer is exact in f64.
        text if text.starts_with("0x") => u32::from_str_radix(&text[2..], 16).ok().map(f64::from),
        text => text.parse().ok(),
    };
    let found = format!("found '{value}': write --override {name}=16");
    let number = number.ok_or_else(|| format!("expected a number, true or false for override '{name}', {found}"))?;
    if !number.is_finite() {
        return Err(format!("expected a finite number for override '{name}', {found}"));
    }
    Ok((name, number))
}

fn parse_threads(text: &str) -> Result<[u32; 3], String> {
    parse_extent(text, "threads", "--threads 1024 or --threads 640,480")
}

fn parse_groups(text: &str) -> Result<[u32; 3], String> {
    parse_extent(text, "workgroups", "--groups 16 or --groups 40,30")
}

fn parse_extent(text: &str, unit: &str, example: &str) -> Result<[u32; 3], String> {
    let wrong = |found: String| {
        let most = u32::MAX;
        format!(
            "expected one to three numbers of {unit} from 1 to {most}, with commas between, found {found}: write {example}"
        )
    };
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(wrong(format!("{} numbers in '{text}'", parts.len())));
    }
    let mut extent = [1; 3];
    for (number, part) in extent.iter_mut().zip(&parts) {
        let parsed = count::count(part.trim()).and_then(|number| u32::try_from(number).ok());
        *number = parsed.filter(|number| *number > 0).ok_or_else(|| match parts.len() {
            1 => wrong(format!("'{part}'")),
            _ => wrong(format!("'{}' in '{text}'", part.trim())),
        })?;
    }
    Ok(extent)
}

fn parse_print(text: &str) -> Result<u64, String> {
    count::within(text, 0, u32::MAX.into(), "--print 16")
}

fn parse_repeat(text: &str) -> Result<u32, String> {
    narrow(count::within(text, 1, u32::MAX.into(), "--repeat 100")?)
}

fn parse_line(text: &str) -> Result<u32, String> {
    narrow(count::within(text, 1, u32::MAX.into(), "--line 12")?)
}

fn parse_width(text: &str) -> Result<u16, String> {
    narrow(count::within(text, 40, u16::MAX.into(), "--width 160")?)
}

/// A number whose range was checked.
fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, String> {
    T::try_from(number).map_err(|_| format!("expected a smaller number, found {number}"))
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
    fn extents_have_one_to_three_numbers() {
        assert_eq!(parse_threads("7"), Ok([7, 1, 1]));
        assert_eq!(parse_threads("7, 8"), Ok([7, 8, 1]));
        assert_eq!(parse_groups("7,1Ki,9"), Ok([7, 1024, 9]));
        for wrong in ["", "x", "1,2,3,4", "-1", "0", "1.5", "4294967296", "4Gi", "1,,2"] {
            assert!(parse_threads(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn overrides_are_numbers_or_truth_values() {
        let value = |text: &str| parse_override(text).map(|(_, value)| value);
        assert_eq!(value("N=64"), Ok(64.0));
        assert_eq!(value("N=0x10"), Ok(16.0));
        assert_eq!(value("on=true"), Ok(1.0));
        assert_eq!(value("on=false"), Ok(0.0));
        assert_eq!(value("scale=-1.5e3"), Ok(-1500.0));
        for wrong in ["N", "N=", "=3", "N=many", "N=0x", "N=nan", "N=-inf"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn architectures_are_nvidias() {
        assert_eq!(parse_architecture("sm_90"), Ok(90));
        for wrong in ["", "90", "abc", "sm_", "sm_10", "sm_-1", "sm_9000", "sm_90z"] {
            assert!(parse_architecture(wrong).is_err(), "{wrong}");
        }
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
