//! Encodes a recording as one wgpu command buffer.

pub(crate) mod bind_groups;
pub(crate) mod timing;
pub(crate) mod uniforms;

use std::num::NonZeroU64;
use std::sync::Arc;

use anywarp_backend::{BackendError, Bound, Command, Dispatch, Grid, KernelId, MemoryId, Recording, Region};
use anywarp_host::Signature;
use anywarp_host::validity::{self, MemoryState};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wgpu::util::StagingBelt;

use crate::kernel::{Group, Kernel};
use crate::memory::Memory;
use bind_groups::{BindGroups, Key};
use timing::TimingQuery;
use uniforms::{Placed, Uniforms};

/// The size of the block that fills with a pattern copy from, in bytes.
const PATTERN_BLOCK: u64 = 256 << 10;
/// The alignment of copies, in bytes.
const ALIGNMENT: NonZeroU64 = NonZeroU64::new(wgpu::COPY_BUFFER_ALIGNMENT).unwrap();

/// The state that is kept between submissions.
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
    let mut dispatched = 0;
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
                let each_alone = timing.is_some();
                let mut pass = Pass::new(
                    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes }),
                );
                while let Some(Command::Dispatch(dispatch)) = commands.peek() {
                    let caches = (&encoding.uniforms, &mut encoding.bind_groups);
                    pass.dispatch(resources, caches, recording, dispatch, &mut placed)?;
                    dispatched += 1;
                    commands.next();
                    if each_alone {
                        break;
                    }
                }
                continue;
            }
        }
        commands.next();
    }
    if let Some(timing) = timing {
        timing.resolve(&mut encoder);
    }
    encoding.belt.finish();
    Ok(encoder.finish())
}

/// Allocates a place for every uniform value, in the order of the dispatches.
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
        // WebGPU has no copy within one buffer.
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

/// Dynamic offsets of one bind group.
type Offsets = SmallVec<[u32; 4]>;

/// A compute pass that sets only what changes from one dispatch to the next.
struct Pass<'a> {
    pass: wgpu::ComputePass<'a>,
    kernel: Option<KernelId>,
    groups: SmallVec<[Option<SetGroup>; 4]>,
}

/// A bind group that a pass has set, and its cache key.
#[derive(Clone)]
struct SetGroup {
    key: Key,
    bind_group: wgpu::BindGroup,
    offsets: Offsets,
}

impl<'a> Pass<'a> {
    fn new(pass: wgpu::ComputePass<'a>) -> Self {
        Self { pass, kernel: None, groups: SmallVec::new() }
    }

    fn dispatch(
        &mut self,
        resources: &Resources<'_>,
        (uniforms, bind_groups): (&Uniforms, &mut BindGroups),
        recording: &Recording,
        dispatch: &Dispatch,
        placed: &mut impl Iterator<Item = Placed>,
    ) -> Result<(), BackendError> {
        let kernel = resources.kernel(dispatch.kernel)?;
        if self.kernel != Some(dispatch.kernel) {
            self.pass.set_pipeline(&kernel.pipeline);
            self.kernel = Some(dispatch.kernel);
            // Another pipeline may have another layout, which invalidates the groups that were set.
            self.groups.clear();
        }
        let bounds = recording.bounds(&dispatch.bounds);
        for group in &kernel.groups {
            let (key, offsets) = key_of(resources, kernel, group, bounds, placed);
            let index = group.index as usize;
            if self.groups.len() <= index {
                self.groups.resize(index + 1, None);
            }
            match &mut self.groups[index] {
                Some(set) if set.key == key => {
                    if set.offsets != offsets {
                        self.pass.set_bind_group(group.index, &set.bind_group, &offsets);
                        set.offsets = offsets;
                    }
                }
                other => {
                    let bind_group = bind_groups.get(&key, || build(resources, uniforms, kernel, group, &key));
                    self.pass.set_bind_group(group.index, &bind_group, &offsets);
                    *other = Some(SetGroup { key, bind_group, offsets });
                }
            }
        }
        if !dispatch.immediates.is_empty() {
            self.pass.set_immediates(0, recording.bytes(&dispatch.immediates));
        }
        match dispatch.grid {
            Grid::Groups([x, y, z]) => self.pass.dispatch_workgroups(x, y, z),
            Grid::Indirect { memory, offset } => {
                self.pass.dispatch_workgroups_indirect(&resources.memory(memory)?.buffer, offset);
            }
        }
        Ok(())
    }
}

/// Uniform bindings are rounded up to a multiple of this; every chunk's size is one.
pub(crate) const UNIFORM_UNIT: u64 = 16;

/// In keys, chunks of uniform values are memories with ids from this one downwards.
const UNIFORM_CHUNKS: u64 = u64::MAX;

/// The cache key of a group, and the dynamic offsets that are not part of it.
fn key_of(
    resources: &Resources<'_>,
    kernel: &Kernel,
    group: &Group,
    bounds: &[Bound],
    placed: &mut impl Iterator<Item = Placed>,
) -> (Key, Offsets) {
    let mut key = Key::new();
    let mut offsets = Offsets::new();
    key.push(group.layout_id);
    for index in group.slots.clone() {
        let (memory, offset, bytes) = match &bounds[index] {
            Bound::Memory { region, .. } => (region.memory.0, region.offset, region.bytes),
            Bound::Inline(range) => {
                let at = placed.next().unwrap_or(Placed { chunk: 0, offset: 0 });
                (UNIFORM_CHUNKS - at.chunk as u64, u64::from(at.offset), u64::from(range.end - range.start))
            }
        };
        let bytes = if kernel.slots[index].uniform {
            // lavapipe returns zero for bindings of fewer than four bytes.
            let memory = resources.memories.get(&MemoryId(memory));
            let room = memory.map_or(u64::MAX, |memory| memory.buffer.size().saturating_sub(offset));
            bytes.next_multiple_of(UNIFORM_UNIT).min(room.max(bytes))
        } else {
            bytes
        };
        if kernel.slots[index].dynamic {
            offsets.push(offset as u32); // uniform bindings lie within 4 GiB: checked at launch
            key.extend_from_slice(&[memory, 0, bytes]);
        } else {
            key.extend_from_slice(&[memory, offset, bytes]);
        }
    }
    (key, offsets)
}

fn build(resources: &Resources<'_>, uniforms: &Uniforms, kernel: &Kernel, group: &Group, key: &Key) -> wgpu::BindGroup {
    let bindings = key[1..].chunks_exact(3);
    let entries: SmallVec<[wgpu::BindGroupEntry<'_>; 8]> = group
        .slots
        .clone()
        .zip(bindings)
        .map(|(index, binding)| {
            let chunk = (UNIFORM_CHUNKS - binding[0]) as usize;
            let buffer = match resources.memories.get(&MemoryId(binding[0])) {
                Some(memory) => &memory.buffer,
                None => uniforms.buffer(chunk),
            };
            wgpu::BindGroupEntry {
                binding: kernel.slots[index].binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: binding[1],
                    size: NonZeroU64::new(binding[2]),
                }),
            }
        })
        .collect();
    resources.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &group.layout,
        entries: &entries,
    })
}
