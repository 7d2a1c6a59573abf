//! The builder of one launch: buffers, values, a grid.

use std::sync::Arc;

use anywarp_backend::{Grid, Layout, Scalar, Shape};
use smallvec::SmallVec;

use super::bind::{Bind, BoundBuffer, bound};
use super::checks::{Partial, both};
use super::commit::Logical;
use super::extent::Extent;
use super::handle::Kernel;
use super::literal;
use super::passes::fold_grid::physical_grid;
use super::values::Covered;
use crate::buffer::Slice;
use crate::buffer::uses::Use;
use crate::element::{Element, is_raw, values_agree};
use crate::error::LaunchError;
use crate::submit::{Destination, Recording, Stream, Submission};

/// A launch that is being built.
///
/// Everything is checked when the grid is given, by [`threads`](Self::threads), [`groups`](Self::groups) or
/// [`indirect`](Self::indirect): a launch that returns an error has changed nothing. The work is submitted together
/// with other work, at the latest by a wait for the [`Submission`] that these methods return; see
/// [`Device::submit`](crate::Device::submit).
///
/// ```no_run
/// # fn main() -> anywarp::Result<()> {
/// # let device = anywarp::Device::open_default()?;
/// # let saxpy = device.kernel("")?;
/// # let x = device.buffer_from(&[1.0f32; 1024])?;
/// # let mut y = device.buffer_from(&[2.0f32; 1024])?;
/// saxpy.launch().set("params.a", 3.0f32).bind("x", &x).bind("y", &mut y).threads(1024)?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a launch does nothing until `threads`, `groups` or `indirect` is called"]
pub struct Launch<'a> {
    pub(super) kernel: Kernel,
    pub(super) bound: SmallVec<[Option<BoundBuffer<'a>>; 8]>,
    pub(super) values: SmallVec<[u8; 128]>,
    pub(super) covered: Covered,
    pub(super) destination: Destination<'a>,
    pub(super) timed: bool,
    /// Whether a binding may end within an element.
    pub(super) partial: Partial,
    /// The first error of the builder, returned when the grid is given.
    mistake: Option<Box<LaunchError>>,
}

impl<'a> Launch<'a> {
    pub(super) fn new(kernel: Kernel) -> Self {
        let slots = kernel.inner.bindings().len();
        let values = SmallVec::from_elem(0, kernel.inner.values.size());
        Self {
            kernel,
            bound: (0..slots).map(|_| None).collect(),
            values,
            covered: SmallVec::new(),
            destination: Destination::Own,
            timed: false,
            partial: Partial::Refused,
            mistake: None,
        }
    }

    pub(super) fn name(&self) -> String {
        self.kernel.name().to_owned()
    }

    pub(super) fn wrong(&mut self, mistake: LaunchError) {
        self.mistake.get_or_insert(Box::new(mistake));
    }

    /// Binds a buffer or slice to a variable, named as in the WGSL or as `GROUP.BINDING`. A buffer that the entry
    /// point writes, also by atomics, is passed as `&mut`. One that it only reads is passed as `&`, even if the variable
    /// is declared `read_write`; `&mut` is accepted, too.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let saxpy = device.kernel(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shaders/saxpy.wgsl")))?;
    /// # let x = device.buffer_from(&[1.0f32; 1024])?;
    /// # let mut y = device.buffer_from(&[2.0f32; 256])?;
    /// saxpy.launch().set("params.a", 2.0f32).bind("0.1", x.slice(..256)).bind("y", &mut y).threads(256)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn bind(mut self, key: &str, buffer: impl Bind<'a>) -> Self {
        self.bind_to(key, bound(buffer));
        self
    }

    pub(crate) fn bind_to(&mut self, key: &str, buffer: BoundBuffer<'a>) {
        let bindings = self.kernel.inner.bindings();
        let by_number = || {
            let (group, binding) = key.split_once('.')?;
            let (group, binding) = (group.parse::<u32>().ok()?, binding.parse::<u32>().ok()?);
            bindings.iter().position(|info| (info.resource.group, info.resource.binding) == (group, binding))
        };
        let slot = bindings.iter().position(|info| info.name == key).or_else(by_number);
        match slot {
            None => {
                let candidates = bindings.iter().map(|info| info.name.clone()).collect();
                let kernel = self.name();
                self.wrong(LaunchError::UnknownBinding { kernel, key: key.to_owned(), candidates });
            }
            Some(slot) if self.bound[slot].is_some() || self.is_set(slot) => {
                let binding = bindings[slot].name.clone();
                let kernel = self.name();
                self.wrong(LaunchError::BoundTwice { kernel, binding });
            }
            Some(slot) => self.bound[slot] = Some(buffer),
        }
    }

    /// Whether a value was set within the uniform of `slot`.
    fn is_set(&self, slot: usize) -> bool {
        let range = self.kernel.inner.values.uniform(slot);
        range.is_some_and(|range| self.covered.iter().any(|set| range.contains(&set.start)))
    }

    /// Sets a uniform or immediate, or a part of one: `params`, `params.a`, `params.weights[3]`. A field that the
    /// entry point does not read needs no value.
    pub fn set<T: Element>(mut self, path: &str, value: T) -> Self {
        self.put(path, bytemuck::bytes_of(&value), T::SCALAR, T::layout);
        self
    }

    /// [`set`](Self::set) from bytes in the layout of the WGSL type.
    pub fn set_bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        self.put(path, bytes, None, u8::layout);
        self
    }

    fn put(&mut self, path: &str, bytes: &[u8], scalar: Option<Scalar>, rust: fn() -> Layout) {
        let program = &self.kernel.inner.plain.program;
        let place = match self.kernel.inner.values.find(program, path) {
            Ok(place) => place,
            Err(reason) => {
                let kernel = self.name();
                return self.wrong(LaunchError::UnknownPath { kernel, path: path.to_owned(), reason });
            }
        };
        if let Some(slot) = place.slot.filter(|slot| self.bound[*slot].is_some()) {
            let binding = program.bindings[slot].name.clone();
            let kernel = self.name();
            return self.wrong(LaunchError::BoundTwice { kernel, binding });
        }
        let size = place.layout.size as usize;
        let fits = match (&place.layout.shape, scalar) {
            // Scalars are the most frequent case, and are compared without their layouts.
            (Shape::Scalar(wanted), Some(scalar)) => *wanted == scalar,
            _ => {
                let rust = rust();
                if is_raw(&rust) { bytes.len() == size } else { values_agree(&rust, place.layout) }
            }
        };
        if !fits {
            let mut rust = rust();
            if is_raw(&rust) {
                rust.name = format!("{} bytes", bytes.len());
            }
            let layouts = literal::remedy(place.layout, scalar, bytes).unwrap_or_else(|| both(place.layout, &rust));
            let kernel = self.name();
            return self.wrong(LaunchError::Layout { kernel, binding: path.to_owned(), layouts });
        }
        let start = place.offset as usize;
        let length = bytes.len().min(size);
        self.values[start..start + length].copy_from_slice(&bytes[..length]);
        self.covered.push(place.offset..place.offset + place.layout.size);
    }

    /// Appends the launch to `recording`, in place of the device's default stream.
    pub fn record(mut self, recording: &'a mut Recording) -> Self {
        self.destination = Destination::Recording(recording);
        self
    }

    /// Launches on `stream`, in place of the device's default one; see [`Stream`]. The stream of a recording is set by
    /// [`Recording::on`].
    pub fn on(mut self, stream: &Stream) -> Self {
        self.destination = Destination::Stream(stream.clone());
        self
    }

    /// Launches to a destination; [`on`](Self::on) and [`record`](Self::record) are short forms.
    pub fn to(mut self, destination: impl Into<Destination<'a>>) -> Self {
        self.destination = destination.into();
        self
    }

    /// Measures the launch: [`Submission::timings`] then contains this launch alone, which is submitted immediately,
    /// separately from other work.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let step = device.kernel("")?;
    /// # let mut state = device.buffer::<f32>(1024)?;
    /// let submission = step.launch().bind("state", &mut state).timed().threads(1024)?;
    /// submission.wait()?;
    /// println!("{:?}", submission.timings().map(|timings| timings.total()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }

    /// Allows bindings that end within an element of an unsized array, as WebGPU does: the kernel cannot access the
    /// remainder, and `arrayLength` does not count it. Otherwise such a binding is an error, because it is mostly a
    /// mistake. The length in bytes stays a multiple of 4.
    ///
    /// ```
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// let kernel = device.kernel(
    ///     "@group(0) @binding(0) var<storage> points: array<vec4<f32>>;
    ///      @group(0) @binding(1) var<storage, read_write> count: array<u32>;
    ///      @compute @workgroup_size(1) fn main() { count[0] = arrayLength(&points); }",
    /// )?;
    /// let points = device.buffer::<u8>(40)?; // two elements of 16 bytes, and 8 bytes more
    /// let mut count = device.buffer::<u32>(1)?;
    /// kernel.launch().bind("points", &points).bind("count", &mut count).partial_elements().groups(1)?;
    /// assert_eq!(count.read()?[0], 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn partial_elements(mut self) -> Self {
        self.partial = Partial::Ignored;
        self
    }

    /// Launches at least this many threads. Each dimension is rounded up to whole workgroups, so the kernel must
    /// compare its `global_invocation_id` with the size of its data. With a dimension of 0 the arguments are checked
    /// and nothing runs; in that case buffers may be empty.
    ///
    /// # Errors
    /// See [`LaunchError`]; in that case nothing has run.
    pub fn threads(mut self, extent: impl Into<Extent>) -> Result<Submission, LaunchError> {
        let extent = extent.into();
        let threads = extent.dimensions();
        if threads.iter().any(|count| *count > u64::from(u32::MAX)) {
            let (kernel, grid) = (self.name(), extent.as_given());
            return Err(LaunchError::HugeGrid { kernel, grid, unit: "threads in one dimension" });
        }
        let size = self.kernel.workgroup_size();
        let groups = std::array::from_fn(|axis| threads[axis].div_ceil(u64::from(size[axis].max(1))));
        self.launch(extent, groups)
    }

    /// Launches this many workgroups. A grid that exceeds the device's limit in a dimension is folded: the kernel still
    /// sees the ids of the requested grid. Folding adds one uniform to the kernel, at a binding after its own ones.
    /// With a dimension of 0 the arguments are checked and nothing runs.
    ///
    /// # Errors
    /// See [`LaunchError`]; in that case nothing has run.
    pub fn groups(mut self, extent: impl Into<Extent>) -> Result<Submission, LaunchError> {
        let extent = extent.into();
        self.launch(extent, extent.dimensions())
    }

    /// Returns the first error of the builder, once.
    pub(super) fn take_mistake(&mut self) -> Result<(), LaunchError> {
        self.mistake.take().map_or(Ok(()), |mistake| Err(*mistake))
    }

    fn launch(&mut self, given: Extent, groups: [u64; 3]) -> Result<Submission, LaunchError> {
        self.take_mistake()?;
        if let Some((axis, got)) = given.negative() {
            return Err(LaunchError::NegativeGrid { kernel: self.name(), axis, got });
        }
        if given.is_empty() {
            return self.commit_nothing();
        }
        let huge =
            |launch: &Self| LaunchError::HugeGrid { kernel: launch.name(), grid: given.as_given(), unit: "workgroups" };
        let total = groups.iter().try_fold(1u64, |total, count| total.checked_mul(*count));
        if total.is_none_or(|total| total > u64::from(u32::MAX)) {
            return Err(huge(self));
        }
        let groups = groups.map(|count| count as u32);
        let caps = self.kernel.device.caps();
        let limit = caps.limits.workgroups_per_dimension;
        if groups.iter().all(|count| *count <= limit) {
            return self.commit(Grid::Groups(groups), Logical::Same, None);
        }
        let physical = physical_grid(groups, limit).ok_or_else(|| huge(self))?;
        self.kernel.inner.folded(caps)?;
        self.commit(Grid::Groups(physical), Logical::Folded(groups), None)
    }

    /// Launches as many workgroups as the three `u32` at element `index` of `buffer` specify when the launch runs. If a
    /// count exceeds the device's limit in its dimension, nothing runs.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let saxpy = device.kernel(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shaders/saxpy.wgsl")))?;
    /// # let x = device.buffer_from(&[1.0f32; 256])?;
    /// # let mut y = device.buffer_from(&[2.0f32; 256])?;
    /// let grid = device.buffer_from(&[4u32, 1, 1])?; // or written by another kernel
    /// saxpy.launch().set("params.a", 2.0f32).bind("x", &x).bind("y", &mut y).indirect(&grid, 0)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`LaunchError`]; in that case nothing has run.
    pub fn indirect<'b>(mut self, buffer: impl Into<Slice<'b, u32>>, index: usize) -> Result<Submission, LaunchError> {
        self.take_mistake()?;
        let slice = buffer.into();
        let failed = |launch: &Self, error| LaunchError::Slice {
            kernel: launch.name(),
            binding: "indirect grid".to_owned(),
            error,
        };
        let counts = slice.slice(index..index.saturating_add(3));
        let elements = counts.range.get().map_err(|error| failed(&self, error))?;
        slice.core.allows(Use::Indirect, "be used as an indirect grid").map_err(|error| failed(&self, error))?;
        if !Arc::ptr_eq(&slice.core.device, &self.kernel.device) {
            return Err(LaunchError::OtherDevice {
                kernel: self.name(),
                what: "the indirect grid".to_owned(),
                ours: self.kernel.device.selector.clone(),
                theirs: slice.core.device.selector.clone(),
            });
        }
        let offset = elements.start as u64 * 4;
        let grid = Grid::Indirect { memory: slice.core.memory, offset };
        self.commit(grid, Logical::Same, Some(&slice))
    }
}
