//! The driver API without any layer above it: the baseline.
//!
//! Everything is in the GPU's primary context and in one stream. Failures are errors; resources of a context are not
//! freed where the process ends anyway.

use std::ffi::{CString, c_void};

use cudarc::driver::{result, sys};

use crate::shared::Outcome;

/// A GPU, as the driver reports it.
pub(crate) struct Raw {
    pub(crate) name: String,
    /// The compute capability times ten: 90 for 9.0.
    pub(crate) architecture: u32,
    context: sys::CUcontext,
    pub(crate) stream: sys::CUstream,
    events: Vec<sys::CUevent>,
}

/// The largest number of steps that [`Raw::between_events`] times separately.
const EVENTS: usize = 64;

impl Raw {
    /// Opens the GPU with this number.
    pub(crate) fn open(number: i32) -> Outcome<Self> {
        // SAFETY: only checks whether the library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Err("libcuda cannot be loaded".into());
        }
        result::init()?;
        let card = result::device::get(number)?;
        let name = result::device::get_name(card)?;
        // SAFETY: the device comes from the driver, and its context is never released.
        let context = unsafe { result::primary_ctx::retain(card) }?;
        // SAFETY: the context was just retained.
        unsafe { result::ctx::set_current(context) }?;
        let attribute = |attribute| {
            // SAFETY: the device comes from the driver.
            unsafe { result::device::get_attribute(card, attribute) }
        };
        let major = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // This kind of stream waits for copies from pageable memory, which may be in flight when their call returns.
        let stream = result::stream::create(result::stream::StreamKind::Default)?;
        let events = (0..=EVENTS).map(|_| result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let events = events.collect::<Result<_, _>>()?;
        Ok(Self { name, architecture: u32::try_from(major * 10 + minor)?, context, stream, events })
    }

    /// Makes the context current, because anywarp may have made another one current.
    pub(crate) fn enter(&self) -> Outcome<()> {
        // SAFETY: the context is retained for as long as the process lives.
        Ok(unsafe { result::ctx::set_current(self.context) }?)
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Outcome<Memory> {
        self.enter()?;
        // SAFETY: the memory is written before anything is read from it.
        Ok(Memory { address: unsafe { result::malloc_sync(bytes) }?, bytes, context: self.context })
    }

    pub(crate) fn memory_of<T: bytemuck::Pod>(&self, values: &[T]) -> Outcome<Memory> {
        let memory = self.allocate(size_of_val(values))?;
        // SAFETY: the memory is as large as the values, and the call returns after the copy.
        unsafe { result::memcpy_htod_sync(memory.address, values) }?;
        Ok(memory)
    }

    /// Returns the memory's first values.
    pub(crate) fn values_of<T: bytemuck::Pod>(&self, memory: &Memory, length: usize) -> Outcome<Vec<T>> {
        self.enter()?;
        let mut values = vec![T::zeroed(); length.min(memory.bytes / size_of::<T>())];
        // SAFETY: the memory is at least as large as the values, and the call returns after the copy.
        unsafe { result::memcpy_dtoh_sync(&mut values, memory.address) }?;
        Ok(values)
    }

    /// Allocates host memory that the GPU accesses directly, cached by the host.
    pub(crate) fn pinned(&self, bytes: usize) -> Outcome<Pinned> {
        self.enter()?;
        // SAFETY: the memory is set to zero before it is given out.
        let start = unsafe { result::malloc_host(bytes, 0) }?.cast::<u8>();
        // SAFETY: the driver just allocated these bytes.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Pinned { start, bytes, context: self.context })
    }

    /// Loads a kernel from an image for this GPU, ready to launch.
    pub(crate) fn kernel(&self, image: &[u8], entry: &str, grid: u32, values: &[Value]) -> Outcome<Kernel> {
        self.enter()?;
        // SAFETY: the image is the compiler's complete output.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }?;
        // SAFETY: the module is loaded and is never unloaded.
        let function = unsafe { result::module::get_function(module, CString::new(entry)?) }?;
        let mut values: Box<[u64]> = values.iter().map(|value| value.bits()).collect();
        let arguments = values.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        Ok(Kernel { function, grid, _values: values, arguments })
    }

    pub(crate) fn launch(&self, kernel: &mut Kernel) -> Outcome<()> {
        let (grid, block) = ((kernel.grid, 1, 1), (BLOCK, 1, 1));
        // SAFETY: the arguments are those that the kernel declares, and the memory that they refer to outlives the
        // launch: its owner waits before dropping it.
        Ok(unsafe { result::launch_kernel(kernel.function, grid, block, 0, self.stream, &mut kernel.arguments) }?)
    }

    pub(crate) fn copy(&self, source: &Memory, target: &Memory) -> Outcome<()> {
        let bytes = source.bytes.min(target.bytes);
        // SAFETY: both memories have that size, and their owners wait before dropping them.
        Ok(unsafe { result::memcpy_dtod_async(target.address, source.address, bytes, self.stream) }?)
    }

    pub(crate) fn upload(&self, source: &Pinned, target: &Memory) -> Outcome<()> {
        // SAFETY: `source` is not written before the stream was waited for, and `target` has the same size.
        Ok(unsafe { result::memcpy_htod_async(target.address, source.first(target.bytes), self.stream) }?)
    }

    pub(crate) fn download(&self, source: &Memory, target: &mut Pinned) -> Outcome<()> {
        // SAFETY: `target` is not accessed before the stream was waited for, and is at most as large.
        Ok(unsafe { result::memcpy_dtoh_async(target.first_mut(source.bytes), source.address, self.stream) }?)
    }

    /// Copies from memory that is not pinned; returns when `source` may be changed.
    pub(crate) fn upload_pageable(&self, source: &[f32], target: &Memory) -> Outcome<()> {
        let source = &source[..source.len().min(target.bytes / 4)];
        // SAFETY: `target` has the same size, and the call has read `source` when it returns.
        Ok(unsafe { result::memcpy_htod_sync(target.address, source) }?)
    }

    /// Copies to memory that is not pinned.
    pub(crate) fn download_pageable(&self, source: &Memory, target: &mut [f32]) -> Outcome<()> {
        let length = target.len().min(source.bytes / 4);
        // SAFETY: `source` has the same size, and `target` is written when the call returns.
        Ok(unsafe { result::memcpy_dtoh_sync(&mut target[..length], source.address) }?)
    }

    pub(crate) fn wait(&self) -> Outcome<()> {
        // SAFETY: the stream is never destroyed.
        Ok(unsafe { result::stream::synchronize(self.stream) }?)
    }

    /// The median time of the work on the GPU in seconds, for `steps` (at most 64) repetitions.
    pub(crate) fn between_events(&self, steps: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
        let events = &self.events[..=steps.min(EVENTS)];
        self.record(events[0])?;
        for event in &events[1..] {
            work()?;
            self.record(*event)?;
        }
        self.wait()?;
        let seconds = events.windows(2).map(|pair| {
            // SAFETY: both events were recorded in one stream that was waited for.
            Ok(f64::from(unsafe { result::event::elapsed(pair[0], pair[1]) }?) / 1e3)
        });
        Ok(crate::measure::median(seconds.collect::<Outcome<Vec<f64>>>()?.into_iter()))
    }

    fn record(&self, event: sys::CUevent) -> Outcome<()> {
        // SAFETY: events and stream are never destroyed.
        Ok(unsafe { result::event::record(event, self.stream) }?)
    }

    /// Captures the commands that `work` puts into the stream as a graph, without running them.
    pub(crate) fn captured(&self, work: impl FnOnce() -> Outcome<()>) -> Outcome<Graph> {
        self.enter()?;
        // SAFETY: the stream is never destroyed.
        unsafe {
            result::stream::begin_capture(self.stream, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
        }?;
        let recorded = work();
        // SAFETY: the stream is being captured.
        let graph = unsafe { result::stream::end_capture(self.stream) }?;
        recorded?;
        let flags = sys::CUgraphInstantiate_flags(0);
        // SAFETY: the graph was just captured.
        Ok(Graph(unsafe { result::graph::instantiate(graph, flags) }?))
    }

    pub(crate) fn replay(&self, graph: &Graph) -> Outcome<()> {
        // SAFETY: the graph is never destroyed, and the memory in it outlives the replay.
        Ok(unsafe { result::graph::launch(graph.0, self.stream) }?)
    }
}

/// The number of threads per block, in every kernel.
pub(crate) const BLOCK: u32 = 256;

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Address(u64),
    Float(f32),
    Count(u32),
}

impl Value {
    /// The value in the low bytes, as x86-64 and aarch64 store it.
    fn bits(self) -> u64 {
        match self {
            Self::Address(address) => address,
            Self::Float(value) => value.to_bits().into(),
            Self::Count(value) => value.into(),
        }
    }
}

/// A kernel with its arguments.
pub(crate) struct Kernel {
    function: sys::CUfunction,
    pub(crate) grid: u32,
    /// The values that `arguments` points to.
    _values: Box<[u64]>,
    arguments: Vec<*mut c_void>,
}

/// A graph that can be launched.
pub(crate) struct Graph(sys::CUgraphExec);

/// Memory on the card.
pub(crate) struct Memory {
    pub(crate) address: sys::CUdeviceptr,
    pub(crate) bytes: usize,
    context: sys::CUcontext,
}

impl Memory {
    pub(crate) fn value(&self) -> Value {
        Value::Address(self.address)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the context lives as long as the process. Freeing waits for the work that uses the memory.
        let freed = unsafe { result::ctx::set_current(self.context).and_then(|()| result::free_sync(self.address)) };
        if let Err(error) = freed {
            eprintln!("raw memory is not freed: {error}");
        }
    }
}

/// Pinned host memory.
pub(crate) struct Pinned {
    start: *mut u8,
    bytes: usize,
    context: sys::CUcontext,
}

impl Pinned {
    fn first(&self, bytes: usize) -> &[u8] {
        // SAFETY: the driver allocated `self.bytes` here, and they were written.
        unsafe { std::slice::from_raw_parts(self.start, bytes.min(self.bytes)) }
    }

    fn first_mut(&mut self, bytes: usize) -> &mut [u8] {
        // SAFETY: as in `first`; `self` is borrowed for as long as the slice is.
        unsafe { std::slice::from_raw_parts_mut(self.start, bytes.min(self.bytes)) }
    }

    pub(crate) fn numbers(&self) -> &[f32] {
        bytemuck::cast_slice(self.first(self.bytes))
    }

    pub(crate) fn numbers_mut(&mut self) -> &mut [f32] {
        bytemuck::cast_slice_mut(self.first_mut(self.bytes))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the driver allocated the memory, and its owner waits for the stream before dropping it.
        let freed =
            unsafe { result::ctx::set_current(self.context).and_then(|()| result::free_host(self.start.cast())) };
        if let Err(error) = freed {
            eprintln!("raw pinned memory is not freed: {error}");
        }
    }
}
