//! One launch: what is bound and set, the checks, the command.

use std::sync::Arc;

use anywarp_backend::{Access, BackendError, BindingClass, Bound, Grid, Layout, Region, Scalar, Shape};
use smallvec::SmallVec;

use super::bind::{Bind, BoundBuffer, bound};
use super::checks::{Placed, both, check_binding, check_pairs};
use super::compiled::{Compiled, Kernel};
use super::extent::Extent;
use super::passes::fold_grid::physical_grid;
use super::values::Covered;
use super::variants::Seen;
use crate::buffer::Slice;
use crate::buffer::transfer::Touched;
use crate::buffer::uses::Use;
use crate::element::{is_raw, values_agree};
use crate::error::LaunchError;
use crate::recording::Recording;
use crate::stream::Stream;
use crate::timeline::Pending;
use crate::{Element, UnifiedBuffer};

/// A launch that is being put together.
///
/// Everything is checked when the grid is given, by [`threads`](Self::threads),
/// [`groups`](Self::groups) or [`indirect`](Self::indirect): a launch that returns an error has
/// changed nothing. The work itself is handed over together with other work, at the latest when
/// somebody waits for it; see [`Device::submit`](crate::Device::submit).
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
    recording: Option<&'a mut Recording>,
    /// The number of its stream.
    stream: u32,
    /// The first mistake; told when the grid is given.
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
            recording: None,
            stream: 0,
            mistake: None,
        }
    }

    fn name(&self) -> String {
        self.kernel.name().to_owned()
    }

    pub(super) fn wrong(&mut self, mistake: LaunchError) {
        self.mistake.get_or_insert(Box::new(mistake));
    }

    /// Binds a buffer or slice to a variable, named as in the WGSL or as `GROUP.BINDING`. What the
    /// kernel writes is given as `&mut`, what it only reads as `&`.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let saxpy = device.kernel(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/saxpy.wgsl")))?;
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

    /// Binds a buffer of bytes whatever the variable's type and access.
    pub fn bind_raw(mut self, key: &str, buffer: &'a mut UnifiedBuffer<u8>) -> Self {
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

    /// Sets a uniform or immediate, or a part of one: `params`, `params.a`, `params.weights[3]`.
    pub fn set<T: Element>(mut self, path: &str, value: T) -> Self {
        self.put(path, bytemuck::bytes_of(&value), T::SCALAR, T::layout);
        self
    }

    /// [`set`](Self::set) from bytes in the WGSL type's own layout.
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
            // By far the most common: neither layout is looked at.
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
            let layouts = both(place.layout, &rust);
            let kernel = self.name();
            return self.wrong(LaunchError::Layout { kernel, binding: path.to_owned(), layouts });
        }
        let start = place.offset as usize;
        let length = bytes.len().min(size);
        self.values[start..start + length].copy_from_slice(&bytes[..length]);
        self.covered.push(place.offset..place.offset + place.layout.size);
    }

    /// Appends the launch to `recording` instead of the device's own stream.
    pub fn record(mut self, recording: &'a mut Recording) -> Self {
        self.recording = Some(recording);
        self
    }

    /// Launches on `stream` instead of the device's own; see [`Stream`]. A recording has a stream of its own:
    /// [`Recording::on`].
    pub fn on(mut self, stream: &Stream) -> Self {
        match stream.number_on(&self.kernel.device) {
            Some(number) => self.stream = number,
            None => self.wrong(LaunchError::OtherDevice {
                kernel: self.name(),
                binding: "stream".to_owned(),
                ours: self.kernel.device.selector.clone(),
                theirs: stream.device.selector.clone(),
            }),
        }
        self
    }

    /// Launches at least this many threads: each dimension is rounded up to whole workgroups, so a
    /// kernel checks its `global_invocation_id` against its data's size.
    ///
    /// # Errors
    /// See [`LaunchError`]; nothing has run then.
    pub fn threads(mut self, extent: impl Into<Extent>) -> Result<(), LaunchError> {
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

    /// Launches this many workgroups. A grid that is larger than the device's limit in some
    /// dimension is folded: the kernel still sees the ids of the grid that was asked for. That takes one uniform
    /// more, at a binding behind the kernel's own.
    ///
    /// # Errors
    /// See [`LaunchError`]; nothing has run then.
    pub fn groups(mut self, extent: impl Into<Extent>) -> Result<(), LaunchError> {
        let extent = extent.into();
        self.launch(extent, extent.dimensions())
    }

    fn launch(&mut self, given: Extent, groups: [u64; 3]) -> Result<(), LaunchError> {
        if let Some(mistake) = self.mistake.take() {
            return Err(*mistake);
        }
        if groups.contains(&0) {
            return Err(LaunchError::EmptyGrid { kernel: self.name(), grid: given.as_given() });
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
            return self.commit(Grid::Groups(groups), None, None);
        }
        let physical = physical_grid(groups, limit).ok_or_else(|| huge(self))?;
        self.kernel.inner.folded(caps)?;
        self.commit(Grid::Groups(physical), Some(groups), None)
    }

    /// Launches as many workgroups as three `u32` at element `index` of `buffer` say when the
    /// launch runs. Counts above the device's limit in one dimension run nothing.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let saxpy = device.kernel(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/saxpy.wgsl")))?;
    /// # let x = device.buffer_from(&[1.0f32; 256])?;
    /// # let mut y = device.buffer_from(&[2.0f32; 256])?;
    /// let grid = device.buffer_from(&[4u32, 1, 1])?; // or written by another kernel
    /// saxpy.launch().set("params.a", 2.0f32).bind("x", &x).bind("y", &mut y).indirect(&grid, 0)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`LaunchError`]; nothing has run then.
    pub fn indirect<'b>(mut self, buffer: impl Into<Slice<'b, u32>>, index: usize) -> Result<(), LaunchError> {
        if let Some(mistake) = self.mistake.take() {
            return Err(*mistake);
        }
        let slice = buffer.into();
        let failed = |launch: &Self, error| LaunchError::Slice {
            kernel: launch.name(),
            binding: "indirect grid".to_owned(),
            error,
        };
        let counts = slice.slice(index..index.saturating_add(3));
        let elements = counts.range.clone().map_err(|error| failed(&self, error))?;
        slice.core.allows(Use::Indirect, "give a grid").map_err(|error| failed(&self, error))?;
        if !Arc::ptr_eq(&slice.core.device, &self.kernel.device) {
            return Err(LaunchError::OtherDevice {
                kernel: self.name(),
                binding: "indirect grid".to_owned(),
                ours: self.kernel.device.selector.clone(),
                theirs: slice.core.device.selector.clone(),
            });
        }
        let offset = elements.start as u64 * 4;
        let grid = Grid::Indirect { memory: slice.core.memory, offset };
        self.commit(grid, None, Some(&slice))
    }

    /// Checks everything, then appends the command.
    fn commit(
        &mut self,
        grid: Grid,
        logical: Option<[u32; 3]>,
        indirect: Option<&Slice<'_, u32>>,
    ) -> Result<(), LaunchError> {
        self.check_missing()?;
        let Self { kernel, bound, values, recording, stream, .. } = self;
        let (kernel, inner) = (&*kernel, &kernel.inner);
        let program = &inner.plain.program;
        let mut placed: SmallVec<[Placed<'_>; 8]> = SmallVec::new();
        for (slot, (info, buffer)) in program.bindings.iter().zip(bound.iter()).enumerate() {
            let Some(buffer) = buffer else { continue };
            let bytes = check_binding(kernel, slot, info, buffer)?;
            let (class, access) = (info.class, info.access);
            placed.push(Placed { name: &info.name, core: buffer.core, bytes, class, access });
        }
        check_pairs(kernel.name(), kernel.device.caps(), &placed)?;
        if let (Some(slice), Grid::Indirect { offset, .. }) = (indirect, grid) {
            check_indirect(kernel, slice, offset, &placed)?;
        }
        let base = match logical {
            Some(_) => inner.folded(kernel.device.caps())?,
            None => &inner.plain,
        };
        let seen = || {
            let mut by_slot = placed.iter();
            let bytes = |at: &Placed<'_>| at.bytes.end - at.bytes.start;
            let bytes =
                bound.iter().map(|bound| bound.as_ref().and_then(|_| by_slot.next()).map_or(0, bytes)).collect();
            let groups = if let Grid::Groups(groups) = grid { Some(groups) } else { None };
            Seen { groups, logical, bytes, values }
        };
        let compiled = &inner.for_launch(base, seen, &kernel.device);

        let device = &kernel.device;
        let refused =
            |error| LaunchError::Device { kernel: kernel.name().to_owned(), device: device.caps().name.clone(), error };
        let printed = compiled.sites.as_ref().map(|_| device.debug.region()).transpose().map_err(refused)?;

        // The folded variant's grid comes after the kernel's own uniforms.
        let own = inner.values.immediate.start;
        let (values, immediates) = values.split_at(own as usize);
        let with_grid: SmallVec<[u8; 128]>;
        let values = match logical {
            None => values,
            Some([x, y, z]) => {
                with_grid = values.iter().chain(bytemuck::bytes_of(&[x, y, z, 0])).copied().collect();
                &with_grid
            }
        };
        let mut by_slot = placed.iter();
        let own_bounds = bound.iter().enumerate().filter_map(|(slot, buffer)| match buffer {
            Some(_) => by_slot.next().map(|at| Bound::Memory {
                region: Region { memory: at.core.memory, offset: at.bytes.start, bytes: at.bytes.end - at.bytes.start },
                access: at.access,
            }),
            None => inner.values.uniform(slot).map(Bound::Inline),
        });
        // In the order in which the passes added them.
        let bounds = own_bounds
            .chain(printed.map(|region| Bound::Memory { region, access: Access::Write }))
            .chain(logical.map(|_| Bound::Inline(own..own + 16)));

        match recording.take() {
            Some(recording) => {
                recording.belongs_to(kernel)?;
                for at in &placed {
                    let written = (at.access == Access::Write).then(|| at.bytes.clone());
                    recording.touched.push(Touched { core: Arc::clone(at.core), written });
                }
                if let Some(slice) = indirect {
                    recording.touched.push(Touched { core: Arc::clone(slice.core), written: None });
                }
                recording.kernels.push(Arc::clone(compiled));
                recording.commands.dispatch(compiled.id, &program.name, grid, bounds, values, immediates);
            }
            None => {
                device.timeline.alive().map_err(refused)?;
                let mut pending = device.timeline.lock_on(*stream, &device.staging).map_err(refused)?;
                for at in &placed {
                    unguarded(kernel, at.name, at.core)?;
                }
                if let Some(slice) = indirect {
                    unguarded(kernel, "indirect grid", slice.core)?;
                    slice.core.prepare(&mut pending).map_err(refused)?;
                }
                prepare(&mut pending, &placed, compiled).map_err(refused)?;
                pending.recording.dispatch(compiled.id, &program.name, grid, bounds, values, immediates);
                if let Some(slice) = indirect {
                    slice.core.used(&pending.batch, None);
                }
                device.launched();
                device.timeline.flush_when_full(&mut pending, &device.staging).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Every binding must have a buffer, or every field a value.
    fn check_missing(&mut self) -> Result<(), LaunchError> {
        let program = &self.kernel.inner.plain.program;
        let unbound = program
            .bindings
            .iter()
            .zip(&self.bound)
            .filter(|(info, buffer)| buffer.is_none() && info.class != BindingClass::Uniform)
            .map(|(info, _)| format!("{}: {}", info.name, info.layout.name));
        let mut missing: Vec<String> = unbound.collect();
        let bound = &self.bound;
        missing.extend(self.kernel.inner.values.missing(&mut self.covered, |slot| bound[slot].is_some()));
        if missing.is_empty() { Ok(()) } else { Err(LaunchError::Missing { kernel: self.name(), missing }) }
    }
}

fn check_indirect(
    kernel: &Kernel,
    slice: &Slice<'_, u32>,
    offset: u64,
    placed: &[Placed<'_>],
) -> Result<(), LaunchError> {
    let shared = placed.iter().find(|at| Arc::ptr_eq(at.core, slice.core) && at.class == BindingClass::Storage);
    match shared {
        Some(at) if !kernel.device.caps().aliased_bindings || at.access == Access::Write => {
            Err(LaunchError::Conflict {
                kernel: kernel.name().to_owned(),
                first: at.name.to_owned(),
                second: format!("the indirect grid at byte {offset}"),
                problem: "lie in one buffer that the kernel declares read_write",
            })
        }
        _ => Ok(()),
    }
}

fn unguarded(kernel: &Kernel, binding: &str, core: &crate::buffer::core::Core) -> Result<(), LaunchError> {
    core.guarded().map_or(Ok(()), |guard| {
        Err(LaunchError::InUse { kernel: kernel.name().to_owned(), binding: binding.to_owned(), guard })
    })
}

fn prepare(pending: &mut Pending, placed: &[Placed<'_>], compiled: &Arc<Compiled>) -> Result<(), BackendError> {
    for at in placed {
        at.core.prepare(pending)?;
    }
    for at in placed {
        at.core.used(&pending.batch, (at.access == Access::Write).then(|| at.bytes.clone()));
    }
    pending.keep(compiled);
    Ok(())
}
