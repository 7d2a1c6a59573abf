//! One result, and its line of text.

use std::fmt::Write;
use std::time::Duration;

#[cfg(not(target_arch = "wasm32"))]
use anywarp_backend::Caps;

/// The first line of a file. The number is incremented with every change of the format.
const HEADER: &str = "anywarp-tune 1";

/// The measurements of one candidate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The backend and the name of the device.
    pub device: String,
    /// The driver of the device.
    pub driver: String,
    /// The version of anywarp. Results of other versions are never used.
    pub version: String,
    /// The kernel: its name, and a fingerprint of its texts and options.
    pub kernel: String,
    /// The sizes of the problem, each rounded up to a power of two.
    pub sizes: String,
    /// The values of the candidate: `TILE=16 WG=128`.
    pub values: String,
    /// The time of the search in microseconds since 1970. All candidates of a search have the same.
    pub at: u64,
    /// The median of the times.
    pub time: Option<Duration>,
    /// The median of the energy of a run, in joules, in place of the time.
    pub energy: Option<f64>,
    /// The number of rounds.
    pub rounds: usize,
    /// The outcome.
    pub state: State,
}

/// The outcome of a search for one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// The candidate won.
    Best,
    /// The candidate was measured and did not win.
    Measured,
    /// The candidate left the search, for this reason.
    Dropped(String),
}

impl Record {
    /// A result for this device and this version, to be filled.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn blank(caps: &Caps, kernel: String, sizes: String) -> Self {
        Self {
            device: super::device_of(caps),
            driver: caps.driver.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kernel,
            sizes,
            values: String::new(),
            at: super::now(),
            time: None,
            energy: None,
            rounds: 0,
            state: State::Measured,
        }
    }

    /// Whether the result was measured on this device, with its driver and this version.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_for(&self, caps: &Caps) -> bool {
        self.device == super::device_of(caps) && self.driver == caps.driver && self.version == env!("CARGO_PKG_VERSION")
    }

    /// The cost by which candidates were compared: a joule counts as a second.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn cost(&self) -> Option<Duration> {
        self.time.or_else(|| self.energy.and_then(|joules| Duration::try_from_secs_f64(joules).ok()))
    }

    /// The fields by which results replace each other.
    pub(super) fn identity(&self) -> [String; 6] {
        [&self.device, &self.driver, &self.version, &self.kernel, &self.sizes, &self.values].map(Clone::clone)
    }

    fn line(&self) -> String {
        let (state, reason) = match &self.state {
            State::Best => ("best", ""),
            State::Measured => ("measured", ""),
            State::Dropped(reason) => ("dropped", reason.as_str()),
        };
        let of_energy = self.energy.map(|joules| format!("{:.0}nJ", joules * 1e9));
        let of_time = self.time.map(|time| time.as_nanos().to_string());
        let cost = of_time.or(of_energy).unwrap_or("-".to_owned());
        let mut line = self.at.to_string();
        for field in
            self.identity().iter().map(String::as_str).chain([&*cost, &*self.rounds.to_string(), state, reason])
        {
            let _ = write!(line, "\t{}", escaped(field));
        }
        // The mark shows that the line is complete.
        line.push_str("\t.\n");
        line
    }

    fn parse(line: &str) -> Result<Self, String> {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect::<Option<_>>().ok_or("a wrong escape")?;
        let count = fields.len();
        let fields: [String; 12] =
            fields.try_into().map_err(|_| format!("expected 12 fields with tabs between them, found {count}"))?;
        let [at, device, driver, version, kernel, sizes, values, cost, rounds, state, reason, end] = fields;
        if end != "." {
            return Err(format!("expected '.' at the end, found '{end}'"));
        }
        let number = |name: &str, text: &str| {
            text.parse::<u64>().map_err(|_| format!("expected a number as {name}, found '{text}'"))
        };
        let (time, energy) = match cost.strip_suffix("nJ") {
            Some(energy) => (None, Some(number("energy", energy)? as f64 / 1e9)),
            None if cost == "-" => (None, None),
            None => (Some(Duration::from_nanos(number("time", &cost)?)), None),
        };
        let state = match state.as_str() {
            "best" => State::Best,
            "measured" => State::Measured,
            "dropped" => State::Dropped(reason),
            _ => return Err(format!("expected best, measured or dropped, found '{state}'")),
        };
        let (at, rounds) = (number("date", &at)?, number("number of rounds", &rounds)?);
        let rounds = usize::try_from(rounds).map_err(|_| format!("expected fewer rounds, found {rounds}"))?;
        Ok(Self { device, driver, version, kernel, sizes, values, at, time, energy, rounds, state })
    }
}

/// The text of a file.
pub(super) fn file(records: &[Record]) -> String {
    let lines: String = records.iter().map(Record::line).collect();
    format!("{HEADER}\n{lines}")
}

/// The results of a file, each with the number of its line, or the reason why the line is ignored.
pub(super) fn read(text: &str) -> Vec<(usize, Result<Record, String>)> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    if header != HEADER {
        return vec![(1, Err(format!("expected '{HEADER}', found '{header}': the file is ignored")))];
    }
    let filled = lines.enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    filled.map(|(index, line)| (index + 2, Record::parse(line))).collect()
}

fn escaped(field: &str) -> String {
    field.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(field: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(out)
}
