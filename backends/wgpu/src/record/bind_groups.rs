//! Bind groups, cached by the resources that they bind.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The key of a cached bind group: the id of its layout, then memory, offset and size of each binding.
pub(crate) type Key = SmallVec<[u64; 16]>;

/// The largest number of bindings in all cached groups together, which take a few megabytes. The cache is emptied when
/// a further group would exceed this number.
pub(crate) const MAX_KEPT: usize = 8192;

/// The bind groups of one device. Keys refer to memories by their ids, which are never reused.
#[derive(Default)]
pub(crate) struct BindGroups {
    kept: FxHashMap<Key, wgpu::BindGroup>,
    by_memory: FxHashMap<u64, Vec<Key>>,
    /// The number of bindings in the cached groups.
    bindings: usize,
    pub(crate) built: u64,
}

impl BindGroups {
    /// Returns the bind group for `key`, built by `build` if it is not cached.
    pub(crate) fn get(&mut self, key: &Key, build: impl FnOnce() -> wgpu::BindGroup) -> wgpu::BindGroup {
        if let Some(kept) = self.kept.get(key) {
            return kept.clone();
        }
        if self.bindings + bindings(key) > MAX_KEPT {
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

    /// Removes the groups that bind a freed memory, because the groups keep the memory alive.
    pub(crate) fn forget_memory(&mut self, memory: u64) {
        for key in self.by_memory.remove(&memory).unwrap_or_default() {
            if self.kept.remove(&key).is_some() {
                self.bindings -= bindings(&key);
            }
            // The keys are also removed from the lists of the other memories in the groups, because the list of a
            // long-lived memory would grow with every freed one.
            for neighbour in key[1..].chunks_exact(3).map(|binding| binding[0]) {
                if let Some(keys) = self.by_memory.get_mut(&neighbour) {
                    keys.retain(|other| *other != key);
                }
            }
        }
    }

    /// Removes the groups of a discarded kernel.
    pub(crate) fn forget_layout(&mut self, layout: u64) {
        self.kept.retain(|key, _| key[0] != layout);
        self.bindings = self.kept.keys().map(bindings).sum();
    }
}

/// The number of bindings of the group for `key`.
fn bindings(key: &Key) -> usize {
    key.len() / 3
}
