//! The kernels of one device, cached by content.

mod cache;

use std::any::TypeId;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anywarp_backend::{Backend, BindingInfo, Caps, Compilation, KernelId, KernelResources, Program};
use anywarp_middle::analysis::LaunchProofs;
use rustc_hash::FxHashSet;

use super::front::{self, Front, Start};
use super::kernels::Shared;
use super::values::Values;
use super::variants::{Choice, Common, Job, Seen, Variants, Watch};
use crate::debug::Sites;
use crate::error::KernelError;
pub(crate) use cache::KernelCache;

/// One program, compiled for one device.
pub(crate) struct Compiled {
    backend: Arc<dyn Backend>,
    pub(crate) id: KernelId,
    pub(crate) resources: Option<KernelResources>,
    pub(crate) program: Program,
    /// The calls of debug functions, if the kernel has any. Then the binding after the kernel's own ones is the debug
    /// memory.
    pub(crate) sites: Option<Arc<Sites>>,
    /// The proofs that hold in launches that meet some conditions.
    pub(super) of_launches: LaunchProofs,
}

impl Compiled {
    fn new(
        backend: &Arc<dyn Backend>,
        Front { program, sites, of_launches, .. }: Front,
    ) -> Result<Arc<Self>, KernelError> {
        let made = backend.compile(&program).map_err(|error| KernelError::Compile {
            kernel: program.name.to_string(),
            device: backend.caps().name.clone(),
            error,
        })?;
        let Compilation { kernel: id, resources } = made;
        Ok(Arc::new(Self { backend: Arc::clone(backend), id, resources, program, sites, of_launches }))
    }

    /// Compiles a variant for launches with these common properties; `None` if the variant would save no work.
    pub(super) fn variant(&self, common: &Common) -> Result<Option<Arc<Self>>, KernelError> {
        let program = &self.program;
        if program.proofs.is_none() {
            return Ok(None);
        }
        let proven;
        let start = match common {
            Common::Numbers(known) => Start::Launches(program, known),
            // The variant has the same module with more proofs.
            Common::Conditions(met) => {
                proven = Program { proofs: Some(Arc::new(self.of_launches.proofs(*met))), ..program.clone() };
                Start::Made(&proven)
            }
        };
        front::kernel(&start, self.backend.caps(), |special| {
            let worth = front::spares_work(&special.program, program);
            worth.then(|| Self::new(&self.backend, special)).transpose()
        })
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        self.backend.discard(self.id);
    }
}

/// The state shared by all handles of a kernel.
pub(crate) struct KernelInner {
    pub(crate) plain: Arc<Compiled>,
    /// The variant for grids that the device cannot dispatch directly, compiled when a launch first needs it.
    folded: OnceLock<Arc<Compiled>>,
    /// The layout of the values of uniforms and immediates.
    pub(crate) values: Values,
    /// The record of similar launches, if variants are compiled for them.
    watch: Option<Watch>,
    /// The state shared by the launches of all kernels of the device.
    pub(crate) shared: Arc<Shared>,
    /// Pairs of an element type and the number of a binding that accepts buffers of this type, as an earlier launch has
    /// checked.
    fitting: Mutex<FxHashSet<(TypeId, usize)>>,
}

impl KernelInner {
    fn new(
        backend: &Arc<dyn Backend>,
        front: Front,
        when: Variants,
        shared: &Arc<Shared>,
    ) -> Result<Self, KernelError> {
        let program = &front.program;
        let values = Values::of(program, &front.reads);
        // Kernels that print have no variants: they are being debugged, so speed matters little.
        let watched = when != Variants::Never && program.proofs.is_some() && front.sites.is_none();
        let watch = watched.then(|| Watch::new(when, program, &values));
        let plain = Compiled::new(backend, front)?;
        let shared = Arc::clone(shared);
        Ok(Self { plain, folded: OnceLock::new(), values, watch, shared, fitting: Mutex::default() })
    }

    /// The program that a launch of `base` runs, where `base` is the plain or the folded kernel: a variant, if one fits
    /// the launch.
    pub(crate) fn for_launch<'a>(
        self: &Arc<Self>,
        base: &Arc<Compiled>,
        seen: impl FnOnce() -> Seen<'a>,
        caps: &Caps,
    ) -> Arc<Compiled> {
        let Some(watch) = &self.watch else { return Arc::clone(base) };
        let seen = seen();
        let choose = || watch.choose(&seen, base, &self.values, caps);
        let chosen = match choose() {
            Choice::Wanted(number, common) => {
                let job = Job { kernel: Arc::downgrade(self), base: Arc::clone(base), number, common };
                if watch.waits() {
                    self.shared.workshop.make(&job);
                    choose()
                } else {
                    self.shared.workshop.hand_in(job);
                    Choice::Plain
                }
            }
            chosen => chosen,
        };
        match chosen {
            Choice::Variant(compiled) => {
                self.shared.workshop.launched();
                compiled
            }
            _ => Arc::clone(base),
        }
    }

    /// Stores the variant with this number, or records that compiling it was not worthwhile or failed.
    pub(super) fn made(&self, number: u64, compiled: Option<Arc<Compiled>>) {
        if let Some(watch) = &self.watch {
            watch.made(number, compiled);
        }
    }

    /// The bindings that the user declared.
    pub(crate) fn bindings(&self) -> &[BindingInfo] {
        let bindings = &self.plain.program.bindings;
        &bindings[..bindings.len() - usize::from(self.plain.sites.is_some())]
    }

    /// The variant for grids that the device cannot dispatch directly.
    pub(crate) fn folded(&self, caps: &Caps) -> Result<&Arc<Compiled>, KernelError> {
        if let Some(folded) = self.folded.get() {
            return Ok(folded);
        }
        let Compiled { backend, program, sites, .. } = &*self.plain;
        let folded = front::kernel(&Start::LargeGrid(program), caps, |folded| {
            Compiled::new(backend, Front { sites: sites.clone(), ..folded })
        })?;
        Ok(self.folded.get_or_init(|| folded))
    }

    /// Whether the binding `slot` accepts buffers of the type `element`. `compare` decides this, and is called for a
    /// pair until it has returned true once.
    pub(crate) fn fits(&self, element: TypeId, slot: usize, compare: impl FnOnce() -> bool) -> bool {
        let mut fitting = self.fitting.lock().unwrap_or_else(PoisonError::into_inner);
        fitting.contains(&(element, slot)) || (compare() && fitting.insert((element, slot)))
    }
}
