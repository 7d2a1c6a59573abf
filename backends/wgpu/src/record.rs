//! Encodes a recording as one wgpu command buffer.

pub(crate) mod bind_groups;
mod pass;
pub(crate) mod queries;
pub(crate) mod timing;
pub(crate) mod uniforms;

use std::num::NonZeroU64;
use std::sync::Arc;

use anywarp_backend::{BackendError, Bound, Command, KernelId, MemoryId, Recording, Region};
use anywarp_host::Signature;
use anywarp_host::validity::{self, MemoryState};
use rustc_hash::{FxHashMap, FxHashSet};
use wgpu::util::StagingBelt;

use crate::kernel::Kernel;
use crate::memory::Memory;
use bind_groups::BindGroups;
use pass::Pass;
use timing::TimingQuery;
use uniforms::{Placed, Uniforms};

/// The size in bytes of the block of repeated patterns that a fill copies.
const PATTERN_BLOCK: u64 = 256 << 10;
/// The alignment of copies, in bytes.
const ALIGNMENT: NonZeroU64 = NonZeroU64::new(wgpu::COPY_BUFFER_ALIGNMENT).unwrap();

/// The state of encoding that is kept between submissions.
pub(crate) struct Encoding {
    pub(crate) uniforms: Uniforms,
    pub(crate) bind_groups: BindGroups,
    pub(crate) belt: StagingBelt,
    used: FxHashSet<MemoryId>,
    placed: Vec<Placed>,
}

impl Encoding {
    pub(crate) fn new(device: &wgpu::Device, uniform_alignment: u32) -> Self {
        Self {
            uniforms: Uniforms::new(uniform_alignment),
            bind_groups: BindGroups::default(),
            belt: StagingBelt::new(device.clone(), 64 << 10),
            used: FxHashSet::default(),
            placed: Vec::new(),
        }
    }

    /// Returns each memory that a recording uses, once.
    pub(crate) fn used(&mut self, recording: &Recording) -> &FxHashSet<MemoryId> {
        self.used.clear();
        for command in recording.commands() {
            recording.visit_regions(command, |region, _| _ = self.used.insert(region.memory));
        }
        &self.used
    }
}

/// The memories and kernels that a recording may refer to.
pub(crate) struct Resources<'a> {
    pub(crate) device: &'a wgpu::Device,
    pub(crate) memories: &'a FxHashMap<MemoryId, Arc<Memory>>,
    pub(crate) kernels: &'a FxHashMap<KernelId, Arc<Kernel>>,
}

impl<'a> Resources<'a> {
    pub(crate) fn memory(&self, id: MemoryId) -> Result<&'a Arc<Memory>, BackendError> {
        self.memories.get(&id).ok_or(BackendError::UnknownMemory(id))
    }

    fn kernel(&self, id: KernelId) -> Result<&'a Kernel, BackendError> {
        self.kernels.get(&id).map(Arc::as_ref).ok_or(BackendError::UnknownKernel(id))
    }
}

impl validity::Resources for Resources<'_> {
    fn memory(&self, id: MemoryId) -> Option<MemoryState> {
        let memory = self.memories.get(&id)?;
        Some(MemoryState { bytes: memory.bytes, kind: memory.kind, mapped: memory.is_mapped() })
    }

    fn kernel(&self, id: KernelId) -> Option<&Signature> {
        self.kernels.get(&id).map(|kernel| &kernel.signature)
    }
}

/// Encodes a checked recording as a command buffer.
pub(crate) fn encode(
    resources: &Resources<'_>,
    encoding: &mut Encoding,
    recording: &Recording,
    timing: Option<&TimingQuery>,
) -> Result<wgpu::CommandBuffer, BackendError> {
    let mut encoder = resources.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    place_uniforms(resources, encoding, recording);
    encoding.uniforms.upload(&mut encoding.belt, &mut encoder);

    let mut placed = encoding.placed.iter().copied();
    let (mut encoded, mut dispatched) = (0, 0);
    let between = timing.and_then(TimingQuery::between);
    if let Some(queries) = between {
        encoder.write_timestamp(queries, encoded);
    }
    let mut commands = recording.commands().iter().peekable();
    while let Some(command) = commands.peek() {
        match command {
            Command::Copy { source, target } => copy(resources, &mut encoder, *source, *target)?,
            Command::Fill { target, pattern } => {
                fill(&resources.memory(target.memory)?.buffer, &mut encoding.belt, &mut encoder, *target, *pattern);
            }
            Command::Library(call) => return Err(BackendError::no_routine(call)),
            Command::Dispatch(_) => {
                let timestamp_writes = timing.and_then(|timing| timing.writes(dispatched));
                let each_alone = timing.is_some_and(TimingQuery::each_alone);
                let mut pass = Pass::new(
                    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes }),
                );
                while let Some(Command::Dispatch(dispatch)) = commands.peek() {
                    let caches = (&encoding.uniforms, &mut encoding.bind_groups);
                    pass.dispatch(resources, caches, recording, dispatch, &mut placed)?;
                    dispatched += 1;
                    encoded += 1;
                    if let Some(queries) = between {
                        pass.write_timestamp(queries, encoded);
                    }
                    commands.next();
                    if each_alone {
                        break;
                    }
                }
                continue;
            }
        }
        encoded += 1;
        if let Some(queries) = between {
            encoder.write_timestamp(queries, encoded);
        }
        commands.next();
    }
    if let Some(timing) = timing {
        timing.resolve(&mut encoder);
    }
    encoding.belt.finish();
    Ok(encoder.finish())
}

/// Stores every uniform value of a recording and its position, in the order of the dispatches.
fn place_uniforms(resources: &Resources<'_>, encoding: &mut Encoding, recording: &Recording) {
    encoding.placed.clear();
    for command in recording.commands() {
        let Command::Dispatch(dispatch) = command else { continue };
        for bound in recording.bounds(&dispatch.bounds) {
            if let Bound::Inline(range) = bound {
                encoding.placed.push(encoding.uniforms.place(resources.device, recording.bytes(range)));
            }
        }
    }
}

fn copy(
    resources: &Resources<'_>,
    encoder: &mut wgpu::CommandEncoder,
    source: Region,
    target: Region,
) -> Result<(), BackendError> {
    let from = &resources.memory(source.memory)?.buffer;
    let to = &resources.memory(target.memory)?.buffer;
    if source.memory == target.memory {
        // WebGPU has no copy within one buffer, so the bytes are copied to another buffer first.
        let between = resources.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("anywarp copy within one memory"),
            size: source.bytes,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(from, source.offset, &between, 0, source.bytes);
        encoder.copy_buffer_to_buffer(&between, 0, to, target.offset, target.bytes);
    } else {
        encoder.copy_buffer_to_buffer(from, source.offset, to, target.offset, source.bytes);
    }
    Ok(())
}

fn fill(
    buffer: &wgpu::Buffer,
    belt: &mut StagingBelt,
    encoder: &mut wgpu::CommandEncoder,
    target: Region,
    pattern: u32,
) {
    if pattern == 0 {
        return encoder.clear_buffer(buffer, target.offset, Some(target.bytes));
    }
    let block = target.bytes.min(PATTERN_BLOCK);
    let Some(size) = NonZeroU64::new(block) else { return };
    let staged = belt.allocate(size, ALIGNMENT);
    let (staging, start) = (staged.buffer().clone(), staged.offset());
    match staged.get_mapped_range_mut() {
        Ok(mut view) => view.slice(..).into_chunks::<4>().0.fill(pattern.to_le_bytes()),
        Err(error) => return log::error!("filling: {error}"),
    }
    let mut done = 0;
    while done < target.bytes {
        let part = block.min(target.bytes - done);
        encoder.copy_buffer_to_buffer(&staging, start, buffer, target.offset + done, part);
        done += part;
    }
}
