//! What the command line asks for.

use std::path::PathBuf;

use super::list::Mutation;

/// What the command line asks for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    all: bool,
    file: Option<String>,
    only: Vec<String>,
    sample: Option<usize>,
    seed: u64,
    pub(crate) folder: Option<PathBuf>,
}

impl Options {
    /// From the arguments. What `cargo test` hands to every test asks for nothing here.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            let number = |text: String| {
                text.parse::<u64>().map_err(|_| format!("{argument} needs a number, and was given '{text}'"))
            };
            match argument.as_str() {
                "--all" => options.all = true,
                "--file" => options.file = Some(value()?),
                "--only" => options.only.push(value()?),
                "--sample" => options.sample = Some(usize::try_from(number(value()?)?).unwrap_or(usize::MAX)),
                "--seed" => options.seed = number(value()?)?,
                "--folder" => options.folder = Some(PathBuf::from(value()?)),
                _ => {}
            }
        }
        Ok(options)
    }

    /// Those to be tried; none if nothing is asked for.
    pub(crate) fn choose<'a>(&self, all: &'a [Mutation]) -> Vec<&'a Mutation> {
        if !self.all && self.file.is_none() && self.only.is_empty() && self.sample.is_none() {
            return Vec::new();
        }
        let holds = |mutation: &Mutation, text: &str| {
            [&mutation.file, &mutation.why, &mutation.from, &mutation.to].iter().any(|part| part.contains(text))
        };
        let mut chosen: Vec<&Mutation> = all
            .iter()
            .filter(|mutation| self.file.as_ref().is_none_or(|file| mutation.area == *file))
            .filter(|mutation| self.only.is_empty() || self.only.iter().any(|text| holds(mutation, text)))
            .collect();
        if let Some(count) = self.sample {
            let mut state = self.seed;
            while chosen.len() > count {
                // SplitMix64, as in Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let left = chosen.len() as u64;
                chosen.remove(usize::try_from((mixed ^ (mixed >> 31)) % left).unwrap_or(0));
            }
        }
        chosen
    }
}
