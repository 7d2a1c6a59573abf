//! Measured ceilings of a device: its rates, kept as text between runs.

mod text;

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use anywarp_host::cache::Fingerprint;

use super::Model;

/// The ending of the files in a folder of ceilings.
const ENDING: &str = ".ceilings.txt";

/// The working sets from which no multiprocessor holds a set in its own cache, in bytes.
const SHARED: u64 = 1 << 20;

/// The rates of a device, as `anywarp bench device --save` measures them.
///
/// Its display is the text of a file, which [`parse`](Self::parse) reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ceilings {
    /// The backend and the name of the device.
    pub device: String,
    /// The driver of the device.
    pub driver: String,
    /// The time of the measurement in seconds since 1970.
    pub at: u64,
    /// Whether it was measured with few repetitions and small working sets, so that rates of caches may stand for those
    /// of memory: `--quick`.
    pub is_quick: bool,
    /// The invocations of a warp; 0 if the driver does not report them.
    pub warp: u32,
    /// The time of one more launch in a recording, in seconds.
    pub launch: f64,
    /// The bytes that a copy in device memory reads and writes in a second.
    pub copy: f64,
    /// By the bytes of a working set: the bytes that all invocations read of it in a second.
    pub reads: Vec<(u64, f64)>,
    /// By the kind of operation, such as `f32 multiply-add`: the operations in a second.
    pub rates: Vec<(String, f64)>,
}

/// All ceilings of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KeptCeilings {
    /// The ceilings, those measured last first.
    pub ceilings: Vec<Ceilings>,
    /// The files that were ignored, with their reasons.
    pub problems: Vec<String>,
}

impl Ceilings {
    /// Reads the text of a file.
    ///
    /// ```
    /// use anywarp::insight::Ceilings;
    ///
    /// let measured = Ceilings {
    ///     device: "vulkan, a card".into(),
    ///     copy: 3e11,
    ///     reads: vec![(1 << 22, 1e12)],
    ///     ..Ceilings::default()
    /// };
    /// assert_eq!(Ceilings::parse(&measured.to_string()), Ok(measured));
    /// assert!(Ceilings::parse("something else").is_err());
    /// ```
    ///
    /// # Errors
    /// The line that is not as expected, and what was expected there.
    pub fn parse(text: &str) -> Result<Self, String> {
        text::parse(text)
    }

    /// The folder `ceilings` in the cache folder of the user, see [`anywarp_host::cache`]; `None` if there is no cache.
    #[must_use]
    pub fn folder_of_this_user() -> Option<PathBuf> {
        anywarp_host::cache::cache().map(|cache| cache.folder().join("ceilings"))
    }

    /// Writes the ceilings into a folder, in place of earlier ones of the same device and driver; returns the file.
    ///
    /// # Errors
    /// The system's error if the file cannot be written.
    pub fn keep(&self, folder: &Path) -> io::Result<PathBuf> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}{ENDING}", self.file_name()));
        // Under another name first, so that no process reads a part of it.
        let unfinished = folder.join(format!(".{}-{}.unfinished", self.file_name(), std::process::id()));
        let written = fs::write(&unfinished, self.to_string()).and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            // The error that is reported is that of writing.
            let _ = fs::remove_file(&unfinished);
        }
        written.map(|()| path)
    }

    /// The ceilings in a folder; none if it does not exist. Damaged files and those of other formats are ignored and
    /// named in [`problems`](KeptCeilings::problems).
    ///
    /// # Errors
    /// The system's error if the folder exists and cannot be read.
    pub fn kept(folder: &Path) -> io::Result<KeptCeilings> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(KeptCeilings::default()),
            entries => entries?,
        };
        let mut kept = KeptCeilings::default();
        for entry in entries {
            let path = entry?.path();
            if !path.to_string_lossy().ends_with(ENDING) {
                continue;
            }
            let read = fs::read(&path).map_err(|error| error.to_string());
            match read.and_then(|bytes| Self::parse(&String::from_utf8_lossy(&bytes))) {
                Ok(ceilings) => kept.ceilings.push(ceilings),
                Err(problem) => kept.problems.push(format!("{}: {problem}", path.display())),
            }
        }
        kept.ceilings.sort_by(|one, other| other.at.cmp(&one.at).then(one.device.cmp(&other.device)));
        kept.problems.sort();
        Ok(kept)
    }

    /// A model with the measured rates. The others, such as the number of multiprocessors, are those of the known model
    /// of this name; for an unknown device it has one multiprocessor at 1 GHz, with all of the rates.
    #[must_use]
    pub fn model(&self) -> Model {
        let known = Model::of_device(&self.device);
        let mut model = known.clone().unwrap_or_else(|| self.unknown());
        let cycles = model.cycles();
        let rate = |names: &[&str]| {
            let named = self.rates.iter().filter(|(name, _)| names.contains(&name.as_str()));
            named.map(|(_, rate)| *rate).filter(|rate| *rate > 0.0).reduce(f64::max)
        };
        let largest = self.reads.iter().max_by_key(|(bytes, _)| *bytes).map_or(0.0, |(_, rate)| *rate);
        let set = |value: &mut f64, measured: Option<f64>| {
            if let Some(measured) = measured.filter(|measured| *measured > 0.0) {
                *value = measured;
            }
        };
        set(&mut model.memory, Some(self.copy.max(largest)));
        let shared = self.reads.iter().filter(|(bytes, _)| *bytes >= SHARED).map(|(_, rate)| *rate);
        set(&mut model.cache, shared.reduce(f64::max));
        set(&mut model.float, rate(&["f32 multiply-add"]).map(|rate| rate / cycles));
        set(&mut model.integer, rate(&["u32 add", "u32 multiply-add"]).map(|rate| rate / cycles));
        let special = rate(&["f32 sine", "f32 square root", "f32 division"]);
        set(&mut model.special, special.map(|rate| rate / cycles));
        set(&mut model.launch, Some(self.launch));
        if known.is_none() {
            let (warp, highest) = (f64::from(model.warp), self.reads.iter().map(|(_, rate)| *rate).fold(0.0, f64::max));
            model.instructions = (model.float / 2.0).max(model.integer) / warp;
            set(&mut model.sectors, Some(highest / 32.0 / cycles));
        }
        let how = if self.is_quick { ", quickly" } else { "" };
        model.measured = Some(format!("{} ({}){how}", self.device, self.driver));
        model
    }

    fn unknown(&self) -> Model {
        Model {
            name: self.device.clone(),
            warp: if self.warp == 0 { 32 } else { self.warp.clamp(8, 64) },
            capability: None,
            multiprocessors: 1,
            clock: 1e9,
            ..Model::default()
        }
    }

    /// A name that differs from device to device and from driver to driver.
    fn file_name(&self) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
        let name: String = self.device.chars().map(plain).take(60).collect();
        let mut fingerprint = Fingerprint::default();
        let _ = write!(fingerprint, "{}\0{}", self.device, self.driver);
        format!("{name}-{fingerprint}")
    }
}

/// The text of a file.
impl fmt::Display for Ceilings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}

#[cfg(test)]
mod tests;
