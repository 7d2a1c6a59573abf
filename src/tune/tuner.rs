//! Tuning of one kernel on one device.

mod argument;
mod bench;
pub(super) mod compare;
mod grid;
mod shelf;
pub(super) mod table;
mod tuned;

use std::time::Duration;

use self::argument::{Argument, Copied};
use self::bench::Bench;
use self::grid::Grid;
use self::shelf::Shelf;
use super::inside::compare;
use super::{Candidate, Goal, Mode, Search, Space, Store, Strategy, TuneError, goal};
use crate::buffer::Slice;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::kernel::{Extent, Kernel, Launch, Wgsl};

pub use self::grid::Overrides;
pub use self::table::{Origin, Row};
pub use self::tuned::Tuned;

/// Finds the values of its overrides with which a kernel is fastest, on this device and for these arguments.
///
/// Arguments and grid are given as for a launch, but all buffers are passed as `&`: the candidates write into copies,
/// so that tuning changes no buffer. Every candidate must have the results of the default one. It runs with the
/// contents of the buffers, and with buffers in which all bits are set, so that a candidate that leaves elements out is
/// found. A candidate that cannot be compiled, fails, gives other results or takes too long is left out with its
/// reason.
///
/// ```
/// use anywarp::tune::Tuner;
///
/// # #[cfg(feature = "cpu")]
/// # fn main() -> anywarp::Result<()> {
/// let device = anywarp::Device::open("cpu")?;
/// let x = device.buffer_from(&[1.0f32; 1000])?;
/// let y = device.buffer::<f32>(1000)?;
/// let tuned = Tuner::new(
///     &device,
///     "override WG: u32 = 64;  // anywarp:tune 32..256 x2
///      override EACH: u32 = 1; // anywarp:tune 1, 2, 4
///      @group(0) @binding(0) var<storage> x: array<f32>;
///      @group(0) @binding(1) var<storage, read_write> y: array<f32>;
///      @compute @workgroup_size(WG) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
///          for (var k = 0u; k < EACH; k++) {
///              let at = id.x * EACH + k;
///              if at < arrayLength(&y) { y[at] = 2.0 * x[at]; }
///          }
///      }",
/// )
/// .bind("x", &x)
/// .bind("y", &y)
/// .threads_by(|overrides| 1000usize.div_ceil(overrides.size("EACH")))
/// # .store(None)
/// .run()?;
/// print!("{tuned}");
/// assert_eq!(tuned.rows().len(), 12);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cpu"))]
/// # fn main() {}
/// ```
#[must_use = "a tuner does nothing until `run` is called"]
pub struct Tuner<'a> {
    device: &'a Device,
    wgsl: Wgsl<'a>,
    space: Option<Space>,
    arguments: Vec<Box<dyn Argument + 'a>>,
    values: Vec<Value<'a>>,
    grid: Option<Grid<'a>>,
    search: Search,
    goal: Goal,
    tolerance: Option<f64>,
    ignored: Vec<String>,
    key: Vec<u64>,
    progress: Option<Box<dyn FnMut(Progress) + 'a>>,
    mode: Option<Mode>,
    store: Option<Store>,
    inside: Option<Step<'a>>,
    small: Option<Small<'a>>,
}

/// A step of the program with a kernel, and a small launch of a kernel on another device.
type Step<'a> = Box<dyn FnMut(&Kernel) -> Result<(), Error> + 'a>;
type Small<'a> = Box<dyn FnMut(&Device, &Kernel) -> Result<(), Error> + 'a>;

/// The value of a uniform or immediate, by its path, set in each launch.
struct Value<'a> {
    path: String,
    set: Set<'a>,
}

type Set<'a> = Box<dyn for<'l> Fn(Launch<'l>, &str) -> Launch<'l> + 'a>;

/// The progress of a search, whenever a new candidate begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of candidates that were begun, the current one included.
    pub begun: usize,
    /// The number of all candidates.
    pub candidates: usize,
    /// The time since the search began.
    pub elapsed: Duration,
    /// The candidate with the shortest time so far, and this time.
    pub leader: Option<(String, Duration)>,
}

impl<'a> Tuner<'a> {
    /// A tuner for the kernel of `wgsl`, whose comments list the values to try: see [`Space`].
    #[track_caller]
    pub fn new(device: &'a Device, wgsl: impl Into<Wgsl<'a>>) -> Self {
        Self {
            device,
            wgsl: wgsl.into(),
            space: None,
            arguments: Vec::new(),
            values: Vec::new(),
            grid: None,
            search: Search::new(),
            goal: Goal::Time,
            tolerance: None,
            ignored: Vec::new(),
            key: Vec::new(),
            progress: None,
            mode: None,
            store: Store::of_this_user(),
            inside: None,
            small: None,
        }
    }

    /// Sets the space, in place of the one in the comments.
    pub fn space(mut self, space: Space) -> Self {
        self.space = Some(space);
        self
    }

    /// Binds a buffer or slice to a variable, as [`Launch::bind`]. If the kernel writes the variable, the candidates
    /// write into a copy. A candidate whose kernel does not have the variable runs without it.
    pub fn bind<T: Element>(mut self, key: &str, buffer: impl Into<Slice<'a, T>>) -> Self {
        self.arguments.push(Box::new(Copied::new(key, buffer.into())));
        self
    }

    /// Sets a uniform or immediate, or a part of one, as [`Launch::set`].
    pub fn set<T: Element>(mut self, path: &str, value: T) -> Self {
        let set: Set<'a> = Box::new(move |launch, path| launch.set(path, value));
        self.values.push(Value { path: path.to_owned(), set });
        self
    }

    /// [`set`](Self::set) from bytes in the layout of the WGSL type.
    pub fn set_bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        let set: Set<'a> = Box::new(move |launch, path| launch.set_bytes(path, &bytes));
        self.values.push(Value { path: path.to_owned(), set });
        self
    }

    /// Launches at least this many threads, as [`Launch::threads`].
    pub fn threads(self, extent: impl Into<Extent>) -> Self {
        let extent = extent.into();
        self.threads_by(move |_| extent)
    }

    /// Launches as many threads as a function of the overrides returns.
    pub fn threads_by<E: Into<Extent>>(mut self, extent: impl Fn(&Overrides) -> E + 'a) -> Self {
        self.grid = Some(Grid::Threads(Box::new(move |overrides| extent(overrides).into())));
        self
    }

    /// Launches this many workgroups, as [`Launch::groups`].
    pub fn groups(self, extent: impl Into<Extent>) -> Self {
        let extent = extent.into();
        self.groups_by(move |_| extent)
    }

    /// Launches as many workgroups as a function of the overrides returns.
    pub fn groups_by<E: Into<Extent>>(mut self, extent: impl Fn(&Overrides) -> E + 'a) -> Self {
        self.grid = Some(Grid::Groups(Box::new(move |overrides| extent(overrides).into())));
        self
    }

    /// Sets by how much a floating-point number may differ from the default's: `tolerance` times its magnitude, or
    /// times the root mean square of all numbers of its buffer, whichever is greater. The default is 1e-5, and 1e-2 for
    /// `f16`; 0 compares exactly. Integers are always compared exactly.
    pub fn verify(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Leaves a buffer out of the comparison, such as one whose order of elements differs from run to run.
    pub fn ignore(mut self, key: &str) -> Self {
        self.ignored.push(key.to_owned());
        self
    }

    /// Sets the sizes of the problem: results are kept for sizes that agree after rounding up to powers of two.
    pub fn key(mut self, sizes: impl IntoIterator<Item = u64>) -> Self {
        self.key = sizes.into_iter().collect();
        self
    }

    /// Sets the time after which nothing more is measured; see [`Search::budget`]. The default is 10 seconds.
    pub fn budget(mut self, budget: Duration) -> Self {
        self.search = self.search.budget(budget);
        self
    }

    /// Sets the property by which candidates are compared. The default is the time. Energy includes that of the copies
    /// which give each launch its contents. Results are kept for each goal on its own.
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Sets how the candidates to measure are chosen. The default is successive halving.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.search = self.search.strategy(strategy);
        self
    }

    /// Sets the seed of all random decisions.
    pub fn seed(mut self, seed: u64) -> Self {
        self.search = self.search.seed(seed);
        self
    }

    /// Sets all options of the search.
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Lets the program decide: at the end, the three candidates that are fastest alone and the default run in steps of the
    /// program, in turn, and the one with the shortest steps wins. A kernel that is fastest alone need not be so beside
    /// others, which share caches and fill gaps. `step` runs the program's work once with the kernel; the tuner waits for
    /// its end. A candidate whose step fails is left out.
    ///
    /// ```
    /// use anywarp::tune::Tuner;
    ///
    /// # #[cfg(feature = "cpu")]
    /// # fn main() -> anywarp::Result<()> {
    /// let device = anywarp::Device::open("cpu")?;
    /// let mut x = device.buffer_from(&[1.0f32; 1000])?;
    /// let example = device.buffer_from(&[1.0f32; 1000])?;
    /// let double = "
    ///     override WG: u32 = 64; // anywarp:tune 32, 64, 128
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(WG) fn double(@builtin(global_invocation_id) id: vec3<u32>) {
    ///         if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
    ///     }";
    /// let tuned = Tuner::new(&device, double)
    ///     .bind("x", &example)
    ///     .threads(1000)
    ///     .inside(|kernel| {
    ///         kernel.launch().bind("x", &mut x).threads(1000)?; // and all other work of a step
    ///         anywarp::ops::fill_pattern(&mut x, &[1.0f32])?;
    ///         Ok(())
    ///     })
    /// #   .store(None)
    ///     .run()?;
    /// println!("fastest alone: {:?}, inside: {}", tuned.alone(), tuned.rows()[0].values);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cpu"))]
    /// # fn main() {}
    /// ```
    pub fn inside(mut self, step: impl FnMut(&Kernel) -> Result<(), Error> + 'a) -> Self {
        self.inside = Some(Box::new(step));
        self
    }

    /// Checks each candidate at a small size on the device `cpu:checked`, which finds races and indices out of range. `run`
    /// launches the kernel on buffers of that device, and is called for each candidate before its first measurement. A
    /// candidate with findings is left out.
    ///
    /// # Errors
    /// [`run`](Self::run) returns an error if the device cannot be opened, or the default candidate has findings.
    pub fn checked(mut self, run: impl FnMut(&Device, &Kernel) -> Result<(), Error> + 'a) -> Self {
        self.small = Some(Box::new(run));
        self
    }

    /// Calls a function whenever a new candidate begins.
    pub fn progress(mut self, progress: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Sets which kept results are used, and which results are kept; otherwise `ANYWARP_TUNE` decides. Without it,
    /// [`Mode::Record`] applies.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets where results are kept; with `None`, none are kept. The default is [`Store::of_this_user`].
    pub fn store(mut self, store: impl Into<Option<Store>>) -> Self {
        self.store = store.into();
        self
    }

    /// Returns the best kernel: the kept one, or else the best of the candidates by measuring.
    ///
    /// # Errors
    /// A [`TuneError`] for a wrong space or grid, or if the results of the default candidate differ from run to run;
    /// the library's error if the default candidate cannot be compiled or launched. Results that cannot be kept are
    /// only logged.
    pub fn run(mut self) -> Result<Tuned, Error> {
        let space = self.space.take().map_or_else(|| Space::of(&self.wgsl), Ok)?;
        let candidates = space.candidates()?;
        self.check_grid(&space, &candidates[0])?;
        let mode = self.mode.unwrap_or_else(Mode::of_environment);
        if mode == Mode::Off {
            return self.default(&space, &candidates);
        }
        if self.goal == Goal::Energy && self.inside.is_some() {
            return Err(TuneError::EnergyInside.into());
        }
        let shelf = Shelf::new(&self, self.store.clone())?;
        let kept = if mode == Mode::Again { None } else { shelf.find(&space, &candidates) };
        match (kept, mode) {
            (Some((winner, rows)), _) => {
                let kernel = self.device.kernel(space.apply(&self.wgsl, &candidates[winner]))?;
                Ok(Tuned::new(kernel, Overrides::new(&space, &candidates[winner]), rows, Origin::Kept))
            }
            (None, Mode::Pinned) => self.default(&space, &candidates),
            (None, _) => {
                let tuned = self.measured(&space, &candidates)?;
                shelf.keep(tuned.rows());
                Ok(tuned)
            }
        }
    }

    /// The kernel with its default values.
    fn default(&self, space: &Space, candidates: &[Candidate]) -> Result<Tuned, Error> {
        let kernel = self.device.kernel(space.apply(&self.wgsl, &candidates[0]))?;
        let rows = table::rows(&names(space, candidates), 0, self.goal, |_| (None, 0, None));
        Ok(Tuned::new(kernel, Overrides::new(space, &candidates[0]), rows, Origin::Default))
    }

    fn measured(mut self, space: &Space, candidates: &[Candidate]) -> Result<Tuned, Error> {
        goal::check(self.device, self.goal)?;
        let (search, goal, step, device) = (self.search.clone(), self.goal, self.inside.take(), self.device);
        let mut bench = Bench::new(self, space, candidates);
        if search.tries_all() {
            bench.compile_ahead(search.time() / 3);
        }
        let found = search.run(candidates, &mut bench);
        let found = found.map_err(|error| bench.take_error().unwrap_or_else(|| error.into()))?;
        let inside = step.map(|mut step| {
            compare(&found, search.time(), |at| {
                step(&bench.again(at)?)?;
                device.synchronize()
            })
        });
        let inside = inside.transpose()?;
        let winner = inside.as_ref().map_or(found.winner, |inside| inside.winner);
        let kernel = bench.again(winner)?;
        let rows = table::rows(&names(space, candidates), found.winner, goal, |at| {
            let trial = &found.trials[at];
            (trial.median(), trial.times.len(), trial.dropped.clone())
        });
        let overrides = Overrides::new(space, &candidates[winner]);
        let tuned = Tuned::new(kernel, overrides, rows, Origin::Measured(found.ended));
        Ok(match &inside {
            Some(inside) => tuned.inside(inside),
            None => tuned,
        })
    }

    fn check_grid(&self, space: &Space, default: &Candidate) -> Result<(), TuneError> {
        let grid = self.grid.as_ref().ok_or(TuneError::NoGrid)?;
        let overrides = Overrides::new(space, default);
        let _ = grid.extent(&overrides);
        overrides.check()
    }
}

/// The values of all candidates with their names.
fn names(space: &Space, candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(|candidate| space.describe(candidate)).collect()
}

#[cfg(test)]
mod tests;
