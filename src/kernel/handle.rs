//! The handle of a kernel.

use std::sync::Arc;

use anywarp_backend::{BindingInfo, KernelResources, Layout, Program};

use super::compiled::KernelInner;
use super::kernels::Kernels;
use super::launch::Launch;
use super::source::Wgsl;
use crate::error::KernelError;
use crate::submit::Context;

/// A compute kernel of one device. Cloning it copies only a handle.
///
/// Names, types and sizes come from the WGSL; see [`launch`](Self::launch) for running it.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) device: Arc<Context>,
    pub(crate) inner: Arc<KernelInner>,
    /// The source that [`reload`](Self::reload) reads again, for a kernel from a file.
    opened: Option<Arc<Wgsl<'static>>>,
}

impl Kernel {
    /// The kernel of `wgsl`, from the cache if the cache contains it.
    pub(crate) fn new(device: &Arc<Context>, wgsl: &Wgsl<'_>) -> Result<Self, KernelError> {
        let inner = Kernels::of(device).compiled(device, wgsl)?;
        Ok(Self { device: Arc::clone(device), inner, opened: wgsl.opened().map(Arc::new) })
    }

    /// Returns the kernel that is cached under `key`, or else the result of `make`, which is then cached. Operators
    /// that generate WGSL use this function, so that they need not generate it for every launch.
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

    /// The name of the kernel in errors and profiles: its file and its entry point.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.program().name
    }

    /// The name of the entry point.
    #[must_use]
    pub fn entry_point(&self) -> &str {
        &self.program().entry_point
    }

    /// The number of invocations of a workgroup in x, y and z.
    #[must_use]
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.program().workgroup_size
    }

    /// The uniform and storage variables that the entry point uses, ordered by group and binding.
    #[must_use]
    pub fn bindings(&self) -> &[BindingInfo] {
        self.inner.bindings()
    }

    /// The name and type of `var<immediate>`, if the entry point uses one.
    #[must_use]
    pub fn immediate(&self) -> Option<&(String, Layout)> {
        self.program().immediate.as_ref()
    }

    /// The registers, memory and occupancy of the kernel, if the device reports them, as `cuda` devices do.
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

    /// The type of a uniform or immediate, or of a part of one, by its path: `params`, `params.a`, `params.weights[3]`.
    /// `None` if there is no such path.
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

    /// Begins a launch of the kernel, to which arguments and a grid are then passed.
    pub fn launch<'a>(&self) -> Launch<'a> {
        Launch::new(self.clone())
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("name", &self.name()).field("bindings", &self.bindings()).finish()
    }
}
