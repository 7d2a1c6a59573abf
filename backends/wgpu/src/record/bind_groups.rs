//! Bind groups, kept by what they bind.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A group's layout, then memory, offset and size of each binding.
pub(crate) type Key = SmallVec<[u64; 16]>;

/// Bindings of all kept groups together: a few megabytes. Above that all are let go and built anew.
pub(crate) const MOST_KEPT: usize = 8192;

/// The bind groups of one device. Keys refer to memories by their ids, which are never reused.
#[derive(Default)]
pub(crate) struct BindGroups {
    kept: FxHashMap<Key, wgpu::BindGroup>,
    by_memory: FxHashMap<u64, Vec<Key>>,
    /// Bindings of those that are kept.
    bindings: usize,
    pub(crate) built: u64,
}

impl BindGroups {
    /// The bind group under `key`, built by `build` if there is none.
    pub(crate) fn get(&mut self, key: &Key, build: impl FnOnce() -> wgpu::BindGroup) -> wgpu::BindGroup {
        if let Some(kept) = self.kept.get(key) {
            return kept.clone();
        }
        if self.bindings + bindings(key) > MOST_KEPT {
            self.kept.clear();
            self.by_memory.clear();
            self.bindings = 0;
        }
        self.bindings += bindings(key);
        self.built += 1;
        let built = build();
        self.kept.insert(key.clone(), built.clone());
        for memory in key[1..].chunks_exact(3).map(|binding| binding[0]) {
            self.by_memory.entry(memory).or_default().push(key.clone());
        }
        built
    }

    /// A memory was freed: groups that bind it would keep it alive.
    pub(crate) fn forget_memory(&mut self, memory: u64) {
        for key in self.by_memory.remove(&memory).unwrap_or_default() {
            if self.kept.remove(&key).is_some() {
                self.bindings -= bindings(&key);
            }
            // A long-lived memory must not collect the keys of its short-lived neighbours.
            for neighbour in key[1..].chunks_exact(3).map(|binding| binding[0]) {
                if let Some(keys) = self.by_memory.get_mut(&neighbour) {
                    keys.retain(|other| *other != key);
                }
            }
        }
    }

    /// A kernel was discarded.
    pub(crate) fn forget_layout(&mut self, layout: u64) {
        self.kept.retain(|key, _| key[0] != layout);
        self.bindings = self.kept.keys().map(bindings).sum();
    }
}

/// Bindings of the group under `key`.
fn bindings(key: &Key) -> usize {
    key.len() / 3
}
