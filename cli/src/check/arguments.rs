//! The arguments of `anywarp check`.

use std::path::PathBuf;

use anywarp::backend::Capabilities;
use anywarp::backend::Caps;
use clap::{Args, ValueEnum};

use crate::composition::CompositionArgs;
use crate::values;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// WGSL files; folders are searched for `*.wgsl`; `-` reads stdin
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// Check for a device of this machine, as `anywarp devices` lists it; may be given several times
    #[arg(long = "device", value_name = "SELECTOR")]
    pub(crate) devices: Vec<String>,

    /// Check for every browser: WebGPU's default limits, no optional feature [default: where no --device is given]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) against: Option<Against>,

    /// Optional features of devices that `--against webgpu` lets a kernel use: `f16,subgroups`
    #[arg(long = "allow", value_name = "NAMES", value_delimiter = ',', value_parser = parse_allowed)]
    pub(crate) allowed: Vec<Feature>,

    #[command(flatten)]
    pub(crate) composition: CompositionArgs,

    /// Check only this entry point, in the files that have it [default: all compute entry points]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// Set an override in the files that have it, by its name or its @id. Repeat it for each override
    #[arg(long = "override", alias = "constant", value_name = "NAME=VALUE", value_parser = values::override_value)]
    pub(crate) overrides: Vec<(String, f64)>,

    /// Print for each access and each loop whether it is proven or checked, and why
    #[arg(long)]
    pub(crate) explain: bool,

    /// The format of findings; --json prints one object
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// The targets other than devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Against {
    /// The default limits of the WebGPU specification
    Webgpu,
}

/// The formats of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// As annotations of a GitHub workflow
    Github,
}

/// An optional feature: its name and its capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    pub(crate) flag: Capabilities,
}

fn parse_allowed(text: &str) -> Result<Feature, String> {
    let mut known = Caps::known_features().iter();
    known.find(|(_, name)| *name == text.trim()).map(|&(flag, name)| Feature { name, flag }).ok_or_else(|| {
        let names: Vec<&str> = Caps::known_features().iter().map(|(_, name)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(crate) const NOTES: &str = "\
Each compute entry point of each file is parsed, validated and compared with limits and features; nothing is
run, and without --device no device is needed. Barriers that not all invocations of a workgroup may reach are
errors, as in browsers, and warnings if only devices are selected. A file without a compute entry point gets a warning.
Imports of files in a folder are relative to that folder, unless --root is given.

--json prints one object: `findings` is an array of {file, entry, line, column, severity, class, message,
against}, `files` lists the entry points that were checked. Lines and columns (in bytes) start at 1; unknown
values are null. `against` is null for errors on every device.

Exit codes:
  0  every file passes, perhaps with warnings
  1  a file does not pass, or cannot be read
  2  the command line is wrong: an unknown option or feature, or an override or entry point that no file has

Examples:
  anywarp check shaders/
  anywarp check shaders/ --allow f16 --format github
  anywarp check blur.wgsl --device vulkan --device cpu --override RADIUS=4";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_go_by_the_names_of_listings() {
        assert_eq!(parse_allowed("f16").map(|feature| feature.flag), Ok(Capabilities::SHADER_FLOAT16));
        let message = parse_allowed("float16").unwrap_err();
        assert!(message.contains("f16") && message.contains("subgroups"), "{message}");
    }
}
