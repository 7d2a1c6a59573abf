//! The kernels of one device, cached by content.

mod cache;

use std::any::TypeId;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anywarp_backend::{Backend, BindingInfo, Caps, Compilation, KernelId, KernelResources, Layout, Program};
use anywarp_middle::analysis::LaunchProofs;
use rustc_hash::FxHashSet;

use super::front::{self, Front, Start};
use super::kernels::{Kernels, Shared};
use super::launch::Launch;
use super::source::Wgsl;
use super::values::Values;
use super::variants::{Choice, Common, Job, Seen, Variants, Watch};
use crate::debug::Sites;
use crate::error::KernelError;
use crate::submit::Context;
pub(crate) use cache::KernelCache;

/// One program, compiled for one device.
pub(crate) struct Compiled {
    backend: Arc<dyn Backend>,
    pub(crate) id: KernelId,
    pub(crate) resources: Option<KernelResources>,
    pub(crate) program: Program,
    /// The calls that print. If there are any, a binding after the kernel's own is the debug memory.
    pub(crate) sites: Option<Arc<Sites>>,
    /// The proofs for launches that meet some conditions.
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

    /// Compiles a variant for launches that have this in common; `None` if it would gain nothing.
    pub(super) fn variant(&self, common: &Common) -> Result<Option<Arc<Self>>, KernelError> {
        let program = &self.program;
        if program.proofs.is_none() {
            return Ok(None);
        }
        let proven;
        let start = match common {
            Common::Numbers(known) => Start::Launches(program, known),
            // The same module, of which more is proven.
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
    /// Compiled when a launch first needs it.
    folded: OnceLock<Arc<Compiled>>,
    /// The layout of the values of uniforms and immediates.
    pub(crate) values: Values,
    /// The record of similar launches, if variants are compiled for them.
    watch: Option<Watch>,
    /// The state shared by the launches of all kernels of the device.
    pub(crate) shared: Arc<Shared>,
    /// Element types that are known to fit a binding.
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
        // Kernels that print are being debugged, so speed matters little.
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

    /// Stores the variant of this number, or notes that there is none.
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

    /// Whether `element` fits binding `slot`; `compare` is called once for each pair.
    pub(crate) fn fits(&self, element: TypeId, slot: usize, compare: impl FnOnce() -> bool) -> bool {
        let mut fitting = self.fitting.lock().unwrap_or_else(PoisonError::into_inner);
        fitting.contains(&(element, slot)) || (compare() && fitting.insert((element, slot)))
    }
}

/// A compute kernel of one device. Cloning it copies a handle.
///
/// Names, types and sizes come from the WGSL; see [`launch`](Self::launch) for running it.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) device: Arc<Context>,
    pub(crate) inner: Arc<KernelInner>,
    /// The source to read again, for a kernel from a file.
    opened: Option<Arc<Wgsl<'static>>>,
}

impl Kernel {
    /// The kernel of `wgsl`, from the cache if it is there.
    pub(crate) fn new(device: &Arc<Context>, wgsl: &Wgsl<'_>) -> Result<Self, KernelError> {
        let inner = Kernels::of(device).compiled(device, wgsl)?;
        Ok(Self { device: Arc::clone(device), inner, opened: wgsl.opened().map(Arc::new) })
    }

    /// The kernel that is cached under `key`, or else the result of `make`. It serves operators that generate WGSL, so
    /// that they need not generate it for every launch.
    pub(crate) fn known<E>(
        device: &Arc<Context>,
        key: &[u8],
        make: impl FnOnce() -> Result<Self, E>,
    ) -> Result<Self, E> {
        let kernels = Kernels::of(device);
        if let Some(inner) = kernels.cache.known(key) {
            return Ok(Self { device: Arc::clone(device), inner, opened: None });
        }
        let made = make()?;
        kernels.cache.keep(key, &made.inner);
        Ok(made)
    }

    /// Reads the file of the kernel, and those it imports, again. If they have changed, compiles the kernel again, with
    /// the same entry point and constants. Returns whether they have changed. Earlier launches, other handles and
    /// recordings of the kernel keep the previous version.
    ///
    /// A kernel whose text is not from [`Wgsl::open`] has no file and does not change.
    ///
    /// ```
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("anywarp-reload-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let device = anywarp::Device::open("cpu")?;
    /// let path = folder.join("edited.wgsl");
    /// std::fs::write(&path, "@compute @workgroup_size(32) fn main() {}")?;
    /// let mut kernel = device.kernel(anywarp::Wgsl::open(&path)?)?;
    /// assert!(!kernel.reload()?);
    ///
    /// std::fs::write(&path, "@compute @workgroup_size(64) fn main() {}")?;
    /// assert!(kernel.reload()?);
    /// assert_eq!(kernel.workgroup_size(), [64, 1, 1]);
    ///
    /// std::fs::write(&path, "@compute fn main() { oh }")?;
    /// assert!(kernel.reload().is_err());
    /// assert_eq!(kernel.workgroup_size(), [64, 1, 1]); // unchanged
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// # #[cfg(not(all(feature = "cpu", not(target_arch = "wasm32"))))]
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    /// As [`Device::kernel`](crate::Device::kernel), or a file that cannot be read; in both cases the kernel is
    /// unchanged.
    pub fn reload(&mut self) -> Result<bool, KernelError> {
        let Some(opened) = &self.opened else { return Ok(false) };
        let wgsl = opened.read_again()?;
        let inner = Kernels::of(&self.device).compiled(&self.device, &wgsl)?;
        let changed = !Arc::ptr_eq(&inner, &self.inner);
        if changed {
            (self.inner, self.opened) = (inner, Some(Arc::new(wgsl)));
        }
        Ok(changed)
    }

    fn program(&self) -> &Program {
        &self.inner.plain.program
    }

    /// The file and the entry point, as errors and profiles name the kernel.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.program().name
    }

    /// The name of the entry point.
    #[must_use]
    pub fn entry_point(&self) -> &str {
        &self.program().entry_point
    }

    /// The invocations of a workgroup in x, y and z.
    #[must_use]
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.program().workgroup_size
    }

    /// The uniform and storage variables that the entry point uses, by group and binding.
    #[must_use]
    pub fn bindings(&self) -> &[BindingInfo] {
        self.inner.bindings()
    }

    /// The name and type of `var<immediate>`, if the entry point uses one.
    #[must_use]
    pub fn immediate(&self) -> Option<&(String, Layout)> {
        self.program().immediate.as_ref()
    }

    /// Registers, memory and occupancy, if the device reports them; `cuda` does.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let kernel = device.kernel("")?;
    /// if let Some(resources) = kernel.resources() {
    ///     println!("{} registers, {:.0} % occupancy", resources.registers, resources.occupancy * 100.0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn resources(&self) -> Option<&KernelResources> {
        self.inner.plain.resources.as_ref()
    }

    /// The type at a path of a uniform or immediate: `params`, `params.a`, `params.weights[3]`.
    ///
    /// ```no_run
    /// # fn main() -> anywarp::Result<()> {
    /// # let device = anywarp::Device::open_default()?;
    /// # let saxpy = device.kernel(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shaders/saxpy.wgsl")))?;
    /// assert_eq!(saxpy.layout_of("params.a").map(|layout| layout.name), Some("f32".to_owned()));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn layout_of(&self, path: &str) -> Option<Layout> {
        self.inner.values.find(self.program(), path).ok().map(|place| place.layout.clone())
    }

    /// Begins a launch.
    pub fn launch<'a>(&self) -> Launch<'a> {
        Launch::new(self.clone())
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name()).field("bindings", &self.bindings()).finish()
    }
}
