//! Sets of timestamp queries, which are reused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of queries in one query set of wgpu.
pub(super) const MAX_QUERIES: u32 = 4096;
/// The number of unused sets that are kept.
const MAX_IDLE: usize = 16;
/// The bytes of a timestamp.
const SIZE: u64 = 8;

/// Query sets that no submission uses; their memory is still mapped.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Arc<Set>>>);

/// A query set, with the memory in which its timestamps reach the host.
struct Set {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readback: wgpu::Buffer,
}

/// The first `count` queries of a set. The set returns to the pool when this value is dropped, if the submission has
/// ended by then.
pub(super) struct Queries {
    set: Arc<Set>,
    count: u32,
    is_mapped: AtomicBool,
    pool: Arc<Pool>,
}

impl Pool {
    /// Takes a set with room for this many queries, at most [`MAX_QUERIES`], or creates one.
    pub(super) fn take(pool: &Arc<Self>, device: &wgpu::Device, count: u32) -> Queries {
        let mut idle = pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().position(|set| set.queries.count() >= count).map(|at| idle.swap_remove(at));
        drop(idle);
        let set = match found {
            Some(set) => {
                // It is unmapped here and not when it returned, which may happen in a callback of wgpu.
                set.readback.unmap();
                set
            }
            None => Arc::new(Set::new(device, count.next_power_of_two().clamp(64, MAX_QUERIES))),
        };
        Queries { set, count, is_mapped: AtomicBool::new(false), pool: Arc::clone(pool) }
    }
}

impl Set {
    fn new(device: &wgpu::Device, count: u32) -> Self {
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("anywarp timestamps"),
                size: u64::from(count) * SIZE,
                usage,
                mapped_at_creation: false,
            })
        };
        Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("anywarp timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readback: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }
}

impl Queries {
    pub(super) fn set(&self) -> &wgpu::QuerySet {
        &self.set.queries
    }

    pub(super) fn readback(&self) -> &wgpu::Buffer {
        &self.set.readback
    }

    /// Appends the copies of the timestamps to the host.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        let Set { queries, resolved, readback } = &*self.set;
        encoder.resolve_query_set(queries, 0..self.count, resolved, 0);
        encoder.copy_buffer_to_buffer(resolved, 0, readback, 0, u64::from(self.count) * SIZE);
    }

    /// Records that the memory was mapped, so that the submission has ended.
    pub(super) fn mapped(&self) {
        self.is_mapped.store(true, Ordering::Release);
    }

    /// The timestamps, once the memory is mapped.
    pub(super) fn ticks(&self) -> Option<Vec<u64>> {
        if !self.is_mapped.load(Ordering::Acquire) {
            return None;
        }
        let view = self.set.readback.slice(..u64::from(self.count) * SIZE).get_mapped_range().ok()?;
        Some(view.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect())
    }
}

impl Drop for Queries {
    fn drop(&mut self) {
        // Without a mapping, the submission may still run, or has never begun: then wgpu frees the set in its own time.
        if !self.is_mapped.load(Ordering::Acquire) {
            return;
        }
        let mut idle = self.pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(Arc::clone(&self.set));
        }
    }
}
