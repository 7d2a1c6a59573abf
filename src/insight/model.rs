//! The properties of a GPU that estimates need.

/// The rates of a GPU, for estimates of time.
///
/// The known models have the numbers of the makers' data sheets; measured rates are lower, so that estimated times are
/// lower bounds. [`Ceilings::model`](super::Ceilings::model) has the rates that were measured on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The name, as `anywarp inspect --model` spells it.
    pub name: String,
    /// The invocations of a warp: one of [`WARP_SIZES`](crate::backend::WARP_SIZES).
    pub warp: u32,
    /// The compute capability of NVIDIA's GPUs, for [`Occupancy`](super::Occupancy).
    pub capability: Option<(u32, u32)>,
    /// The number of multiprocessors: streaming multiprocessors, compute units, Xe cores.
    pub multiprocessors: u32,
    /// The clock in Hz.
    pub clock: f64,
    /// The bytes that device memory transfers in a second.
    pub memory: f64,
    /// The bytes that the cache of the whole GPU transfers in a second.
    pub cache: f64,
    /// By multiprocessor and cycle: the instructions of warps.
    pub instructions: f64,
    /// By multiprocessor and cycle: the floating-point operations in f32, a fused multiplication and addition being two.
    pub float: f64,
    /// By multiprocessor and cycle: the integer operations.
    pub integer: f64,
    /// By multiprocessor and cycle: the divisions, roots and library functions.
    pub special: f64,
    /// By multiprocessor and cycle: the sectors of 32 bytes between a multiprocessor and its cache.
    pub sectors: f64,
    /// The time of an empty launch in seconds.
    pub launch: f64,
    /// The device and the driver on which rates were measured; `None` for the rates of a data sheet.
    pub measured: Option<String>,
}

/// The known models: name, warp, multiprocessors, clock in GHz, memory and cache in GB/s, f32 lanes of a multiprocessor,
/// share of these lanes that compute integers.
type Row = (&'static str, u32, u32, f64, f64, f64, f64, f64);

/// On NVIDIA, half of the lanes compute integer sums and logic, and the lanes of f32 compute integer products.
///
/// Sources: NVIDIA's white papers of the architectures Ampere, Hopper, Ada and Turing; AMD's and Intel's data sheets of
/// the cards; Apple publishes the bandwidth only, and the rest was measured by others (Johnson, "metal-benchmarks").
const KNOWN: &[Row] = &[
    ("h100", 32, 132, 1.755, 3352.0, 5500.0, 128.0, 1.0),
    ("h100-pcie", 32, 114, 1.755, 2039.0, 5500.0, 128.0, 1.0),
    ("h100-nvl", 32, 132, 1.785, 3938.0, 5500.0, 128.0, 1.0),
    ("h200", 32, 132, 1.755, 4800.0, 5500.0, 128.0, 1.0),
    ("a100", 32, 108, 1.410, 2039.0, 4500.0, 64.0, 1.0),
    ("rtx-4090", 32, 128, 2.520, 1008.0, 5000.0, 128.0, 1.0),
    ("rtx-3060", 32, 28, 1.777, 360.0, 1000.0, 128.0, 1.0),
    ("t4", 32, 40, 1.590, 320.0, 1200.0, 64.0, 1.0),
    ("rx-7900-xtx", 32, 96, 2.500, 960.0, 3500.0, 128.0, 1.0),
    ("mi210", 64, 104, 1.700, 1638.0, 3500.0, 64.0, 1.0),
    ("arc-a770", 16, 32, 2.100, 560.0, 1500.0, 128.0, 0.5),
    ("iris-xe", 8, 12, 1.300, 68.0, 200.0, 64.0, 0.5),
    ("m2", 32, 10, 1.398, 100.0, 300.0, 128.0, 0.5),
];

/// The compute capabilities of the known models.
const CAPABILITIES: &[(&str, (u32, u32))] = &[
    ("h100", (9, 0)),
    ("h100-pcie", (9, 0)),
    ("h100-nvl", (9, 0)),
    ("h200", (9, 0)),
    ("a100", (8, 0)),
    ("rtx-4090", (8, 9)),
    ("rtx-3060", (8, 6)),
    ("t4", (7, 5)),
];

impl Model {
    /// Returns a known model; `None` if there is none of this name. [`Model::names`] lists them.
    ///
    /// ```
    /// use anywarp::insight::Model;
    ///
    /// let model = Model::named("h100").expect("a known model");
    /// assert_eq!((model.warp, model.multiprocessors), (32, 132));
    /// assert!(Model::named("abacus").is_none());
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let (name, warp, multiprocessors, clock, memory, cache, lanes, integers) =
            *KNOWN.iter().find(|row| row.0 == name.to_lowercase())?;
        Some(Self {
            name: name.to_owned(),
            warp,
            capability: CAPABILITIES.iter().find(|row| row.0 == name).map(|row| row.1),
            multiprocessors,
            clock: clock * 1e9,
            memory: memory * 1e9,
            cache: cache * 1e9,
            instructions: lanes / f64::from(warp.min(32)),
            float: 2.0 * lanes,
            integer: integers * lanes,
            special: lanes / 8.0,
            sectors: 4.0,
            launch: 3e-6,
            measured: None,
        })
    }

    /// The known model of a device, by the words of the device's name: `a100` for `NVIDIA A100-SXM4-80GB`.
    pub(super) fn of_device(device: &str) -> Option<Self> {
        let device = device.to_lowercase();
        let words: Vec<&str> = device.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
        // Chips of the same name with an addition have other numbers of multiprocessors.
        let additions = ["max", "pro", "ultra", "ti", "super", "laptop", "d"];
        let is_other = additions.iter().any(|word| words.contains(word));
        let found = |name: &&str| name.split('-').all(|part| words.contains(&part));
        // `h100-pcie` before `h100`.
        let closest = Self::names().filter(found).max_by_key(|name| name.split('-').count());
        closest.filter(|_| !is_other).and_then(Self::named)
    }

    /// The ceilings of the model in words: the rates, and for measured ones their percentages of the data sheet, which
    /// may be above 100.
    #[must_use]
    pub fn ceilings(&self) -> String {
        let sheet = self.measured.as_ref().and_then(|_| Self::named(&self.name));
        let share = |of: fn(&Self) -> f64| {
            let share = sheet.as_ref().map(|sheet| of(self) / of(sheet) * 100.0);
            share.map_or_else(String::new, |share| format!(" ({share:.0} % of the data sheet)"))
        };
        let memory = |model: &Self| model.memory;
        let cache = |model: &Self| model.cache;
        let float = |model: &Self| model.float * model.cycles();
        let source = match &self.measured {
            Some(device) => format!("measured on {device}"),
            None => format!("the data sheet of {}", self.name),
        };
        format!(
            "{source}: device memory {:.1} GB/s{}, shared cache {:.1} GB/s{}, f32 {:.1} GFLOP/s{}, a launch {:.2} us",
            self.memory / 1e9,
            share(memory),
            self.cache / 1e9,
            share(cache),
            float(self) / 1e9,
            share(float),
            self.launch * 1e6
        )
    }

    /// The names of the known models.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.iter().map(|row| row.0)
    }

    /// The position of the model's warp size in arrays of counts; warps of other sizes count as the next smaller one.
    pub(super) fn column(&self) -> usize {
        crate::backend::WARP_SIZES.iter().rposition(|size| *size <= self.warp).unwrap_or(0)
    }

    /// The cycles of all multiprocessors in a second.
    pub(super) fn cycles(&self) -> f64 {
        f64::from(self.multiprocessors) * self.clock
    }
}

impl Default for Model {
    /// The model `h100`.
    fn default() -> Self {
        // The table has this row.
        Self::named("h100").unwrap_or_else(|| unreachable!("a known model"))
    }
}
