//! Compute passes, which set only the pipelines and bind groups that change from one dispatch to the next.

use std::num::NonZeroU64;

use anywarp_backend::{BackendError, Bound, Dispatch, Grid, KernelId, MemoryId, Recording};
use smallvec::SmallVec;

use super::Resources;
use super::bind_groups::{BindGroups, Key};
use super::uniforms::{Placed, UNIFORM_UNIT, Uniforms};
use crate::kernel::{Group, Kernel};

/// Dynamic offsets of one bind group.
type Offsets = SmallVec<[u32; 4]>;

/// A compute pass that sets only the pipelines and bind groups that change from one dispatch to the next.
pub(super) struct Pass<'a> {
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
    pub(super) fn new(pass: wgpu::ComputePass<'a>) -> Self {
        Self { pass, kernel: None, groups: SmallVec::new() }
    }

    pub(super) fn write_timestamp(&mut self, queries: &wgpu::QuerySet, index: u32) {
        self.pass.write_timestamp(queries, index);
    }

    pub(super) fn dispatch(
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

/// The memory id that stands for the first chunk of uniform values in cache keys; each further chunk has the next lower
/// id.
const UNIFORM_CHUNKS: u64 = u64::MAX;

/// The cache key of a bind group, and the dynamic offsets, which are not part of the key.
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
            // The size is rounded up, because lavapipe returns zero for bindings of fewer than four bytes.
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
