//! Storage of uniform values on the device.
//!
//! Values are appended to chunks that are never rewritten while a submission may read them. A value that is already in
//! a chunk is reused: a loop that launches with the same parameters uploads nothing.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::num::NonZeroU64;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::submit::Fence;

/// The size of a chunk in bytes, above the 64 KiB limit on a uniform binding of most devices.
const CHUNK: usize = 256 << 10;
/// Sizes of uniform bindings are rounded up to a multiple of this number of bytes; the size of a chunk is a multiple,
/// too.
pub(crate) const UNIFORM_UNIT: u64 = 16;

/// The position of a uniform value: the number of its chunk, and the offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) chunk: usize,
    pub(crate) offset: u32,
}

struct Chunk {
    buffer: wgpu::Buffer,
    /// A copy of the chunk's bytes on the device, as they will be when the next submission runs.
    shadow: Vec<u8>,
    /// The number of bytes of `shadow` that earlier submissions have uploaded.
    uploaded: usize,
    values: FxHashMap<u64, u32>,
    /// Whether the submission that is being encoded refers to the chunk.
    in_build: bool,
    last_use: Option<Arc<Fence>>,
}

/// The chunks of one device.
pub(crate) struct Uniforms {
    chunks: Vec<Chunk>,
    current: usize,
    alignment: usize,
    hasher: BuildHasherDefault<FxHasher>,
}

impl Uniforms {
    pub(crate) fn new(alignment: u32) -> Self {
        Self {
            chunks: Vec::new(),
            current: 0,
            alignment: alignment.max(UNIFORM_UNIT as u32) as usize,
            hasher: BuildHasherDefault::default(),
        }
    }

    pub(crate) fn buffer(&self, chunk: usize) -> &wgpu::Buffer {
        &self.chunks[chunk].buffer
    }

    /// Stores a value of at most [`CHUNK`] bytes; returns its position.
    pub(crate) fn place(&mut self, device: &wgpu::Device, value: &[u8]) -> Placed {
        let hash = self.hasher.hash_one(value);
        if let Some(chunk) = self.chunks.get_mut(self.current)
            && let Some(&offset) = chunk.values.get(&hash)
        {
            let start = offset as usize;
            if chunk.shadow.get(start..start + value.len()) == Some(value) {
                chunk.in_build = true;
                return Placed { chunk: self.current, offset };
            }
        }
        let room = value.len().next_multiple_of(self.alignment);
        if self.chunks.get(self.current).is_none_or(|chunk| chunk.shadow.len() + room > CHUNK) {
            self.current = self.free_chunk(device);
        }
        let chunk = &mut self.chunks[self.current];
        let offset = chunk.shadow.len();
        chunk.shadow.extend_from_slice(value);
        chunk.shadow.resize(offset + room, 0);
        chunk.in_build = true;
        let offset = offset as u32; // below CHUNK
        chunk.values.insert(hash, offset);
        Placed { chunk: self.current, offset }
    }

    /// Returns a chunk that no submission reads any more, or a new one.
    fn free_chunk(&mut self, device: &wgpu::Device) -> usize {
        let idle = |chunk: &Chunk| !chunk.in_build && chunk.last_use.as_ref().is_none_or(|fence| fence.is_done());
        if let Some(index) = self.chunks.iter().position(idle) {
            let chunk = &mut self.chunks[index];
            chunk.shadow.clear();
            chunk.values.clear();
            chunk.uploaded = 0;
            return index;
        }
        self.chunks.push(Chunk {
            buffer: device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("anywarp uniforms"),
                size: CHUNK as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            shadow: Vec::with_capacity(CHUNK),
            uploaded: 0,
            values: FxHashMap::default(),
            in_build: false,
            last_use: None,
        });
        self.chunks.len() - 1
    }

    /// Encodes the upload of the bytes that earlier submissions have not uploaded.
    pub(crate) fn upload(&self, belt: &mut wgpu::util::StagingBelt, encoder: &mut wgpu::CommandEncoder) {
        for chunk in &self.chunks {
            let missing = &chunk.shadow[chunk.uploaded..];
            if let Some(size) = NonZeroU64::new(missing.len() as u64) {
                let mut view = belt.write_buffer(encoder, &chunk.buffer, chunk.uploaded as u64, size);
                view.copy_from_slice(missing);
            }
        }
    }

    /// Records that the encoded submission was made: its uploads take effect, and it reads its chunks until `fence` is
    /// finished.
    pub(crate) fn submitted(&mut self, fence: &Arc<Fence>) {
        for chunk in &mut self.chunks {
            chunk.uploaded = chunk.shadow.len();
            if std::mem::take(&mut chunk.in_build) {
                chunk.last_use = Some(Arc::clone(fence));
            }
        }
    }

    /// Records that the encoded submission was not made.
    pub(crate) fn abandoned(&mut self) {
        for chunk in &mut self.chunks {
            chunk.in_build = false;
        }
    }
}
