//! The cache of compiled kernels of a device.

use std::sync::{Arc, Mutex, PoisonError};

use anywarp_backend::{Leave, Source};
use rustc_hash::FxHashMap;

use super::super::front::{self, Others, Start, Text};
use super::super::kernels::Shared;
use super::super::source::Wgsl;
use super::super::variants::Variants;
use super::KernelInner;
use crate::error::KernelError;
use crate::submit::{Context, Event, Stopwatch};

/// The number of cached kernels at which kernels without other handles are removed from the cache.
const MAX_KEPT: usize = 512;

/// The properties that identify a kernel.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The text as just read: its files may have changed since a kernel was compiled from them.
    source: Arc<Source>,
    entry: Option<String>,
    overrides: Vec<(String, u64)>,
    leave: Leave,
}

/// The kernels of one device.
#[derive(Default)]
pub(crate) struct KernelCache {
    variants: Variants,
    kept: Mutex<FxHashMap<Key, Arc<KernelInner>>>,
    /// Kernels of operators that generate WGSL, by the operators' own keys.
    known: Mutex<FxHashMap<Box<[u8]>, Arc<KernelInner>>>,
}

impl KernelCache {
    pub(crate) fn new(variants: Variants) -> Self {
        Self { variants, ..Self::default() }
    }

    pub(crate) fn get(
        &self,
        context: &Context,
        shared: &Arc<Shared>,
        wgsl: &Wgsl<'_>,
        others: Others<'_>,
    ) -> Result<Arc<KernelInner>, KernelError> {
        let made = self.find_or_make(context, shared, wgsl, others);
        made.map_err(|error| front::with_location(wgsl, context.backend.caps(), others, error))
    }

    /// The kernel that an operator has kept under `key`.
    pub(in super::super) fn known(&self, key: &[u8]) -> Option<Arc<KernelInner>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Keeps a kernel under `key`.
    pub(in super::super) fn keep(&self, key: &[u8], kernel: &Arc<KernelInner>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KEPT {
            known.clear();
        }
        known.insert(key.into(), Arc::clone(kernel));
    }

    fn find_or_make(
        &self,
        context: &Context,
        shared: &Arc<Shared>,
        wgsl: &Wgsl<'_>,
        others: Others<'_>,
    ) -> Result<Arc<KernelInner>, KernelError> {
        let (backend, debug) = (&context.backend, &shared.debug);
        let source = Arc::new(wgsl.source()?);
        let key = Key {
            source: Arc::clone(&source),
            entry: wgsl.entry.as_ref().map(ToString::to_string),
            overrides: wgsl.overrides.iter().map(|(name, value)| (name.to_string(), value.to_bits())).collect(),
            leave: wgsl.leave,
        };
        if let Some(kernel) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            context.events.emit(|| Event::CompileHit { kernel: Arc::clone(&kernel.plain.program.name) });
            return Ok(Arc::clone(kernel));
        }
        let watch = Stopwatch::start();
        // The lock is not held, as compiling takes long and must not block other kernels.
        let text = Text { wgsl, source, others, number: &|count| debug.number(count), warns: true };
        let made = front::kernel(&Start::Text(text), backend.caps(), |front| {
            KernelInner::new(backend, front, self.variants, shared)
        })?;
        let made = Arc::new(made);
        let took = || watch.elapsed();
        context.events.emit(|| Event::CompileMiss { kernel: Arc::clone(&made.plain.program.name), took: took() });
        if let Some(sites) = &made.plain.sites {
            debug.register(sites);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, kernel| Arc::strong_count(kernel) > 1);
        }
        Ok(Arc::clone(kept.entry(key).or_insert(made)))
    }
}
