//! The WGSL source of a kernel, as the user provides it.

mod read;

use std::borrow::Cow;
use std::panic::Location;
use std::path::{Path, PathBuf};

use anywarp_backend::{Checks, Leave, Scalar, Source};

use crate::element::Element;
use crate::error::KernelError;

/// WGSL source with all that is needed to create a kernel from it.
///
/// A plain `&str` converts into it. A text may import others, omit parts conditionally and be instantiated for several
/// element types, in the notation of [WESL](https://wesl-lang.dev): see [`open`](Self::open), [`module`](Self::module),
/// [`feature`](Self::feature) and [`element`](Self::element). Errors, findings and debug output refer to file, line and
/// column of the original text.
///
/// ```
/// use anywarp::Wgsl;
///
/// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}")
///     .file("empty.wgsl")
///     .entry("main")
///     .set_override("block", 32.0);
/// # let _ = source;
/// ```
#[derive(Clone, Debug)]
pub struct Wgsl<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) file: Cow<'a, str>,
    pub(crate) entry: Option<Cow<'a, str>>,
    pub(crate) overrides: Vec<(Cow<'a, str>, f64)>,
    pub(crate) leave: Leave,
    pub(crate) modules: Vec<Module<'a>>,
    /// The module path of the text itself, if the path of a file does not determine it.
    pub(crate) at: Vec<Cow<'a, str>>,
    pub(crate) features: Vec<(Cow<'a, str>, bool)>,
    /// The element types to replace: their names, each with a scalar, or with the name of a Rust type that is not a
    /// scalar.
    pub(crate) elements: Vec<(Cow<'a, str>, Result<Scalar, &'static str>)>,
    /// The folder that files are imported from.
    pub(crate) folder: Option<PathBuf>,
    /// The file that the text was read from.
    path: Option<PathBuf>,
    /// The source, if it is already composed with its imports.
    prepared: Option<Source>,
    name: Name,
}

/// The origin of the name of the text.
#[derive(Clone, Copy, Debug)]
enum Name {
    /// The author named the text, or it has the name of its file.
    Given,
    /// The text has no name yet: the caller's location is added later.
    None,
    /// The text has no name of its own: errors name this line of the Rust program, which contains the text or passes it
    /// to a device.
    Inline(&'static Location<'static>),
}

/// A module from memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Module<'a> {
    pub(crate) path: Cow<'a, str>,
    /// The file name of the module in messages.
    pub(crate) file: Cow<'a, str>,
    pub(crate) text: Cow<'a, str>,
}

impl Module<'_> {
    pub(crate) fn owned(&self) -> Module<'static> {
        let owned = |text: &str| Cow::Owned(text.to_owned());
        Module { path: owned(&self.path), file: owned(&self.file), text: owned(&self.text) }
    }
}

impl<'a> Wgsl<'a> {
    /// WGSL with one compute entry point, or with several, one of which is selected by [`entry`](Self::entry).
    ///
    /// Until [`file`](Self::file) gives the text a name, errors name the line of this call:
    /// `src/main.rs:12 (inline WGSL)`. Name a text that is included from a file,
    /// `Wgsl::new(include_str!("blur.wgsl")).file("blur.wgsl")`, or use [`open`](Self::open).
    #[must_use]
    #[track_caller]
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { name: Name::Inline(Location::caller()), ..Self::unnamed(text.into()) }
    }

    /// A text whose location in the program is not known yet.
    fn unnamed(text: Cow<'a, str>) -> Self {
        Self {
            text,
            file: "kernel".into(),
            entry: None,
            overrides: Vec::new(),
            leave: Leave::default(),
            modules: Vec::new(),
            at: Vec::new(),
            features: Vec::new(),
            elements: Vec::new(),
            folder: None,
            path: None,
            prepared: None,
            name: Name::None,
        }
    }

    /// Names the text after the line of the caller, unless it has a name.
    pub(crate) fn handed_in_at(self, line: &'static Location<'static>) -> Self {
        let name = if matches!(self.name, Name::None) { Name::Inline(line) } else { self.name };
        Self { name, ..self }
    }

    /// Returns a copy with the line of the program that contains the text as its file name, for errors; `None` if the
    /// text has a name.
    ///
    /// Kernels are cached by content regardless of the text's location, so this name is not used from the beginning.
    pub(crate) fn with_location(&self) -> Option<Self> {
        let Name::Inline(line) = self.name else { return None };
        Some(self.clone().file(format!("{}:{} (inline WGSL)", line.file(), line.line())))
    }

    /// A composed text, for operators that generate WGSL around a user's text.
    pub(crate) fn prepared(source: Source) -> Wgsl<'static> {
        let wgsl = Wgsl::new("").file(source.file().to_owned());
        Wgsl { prepared: Some(source), ..wgsl }
    }

    /// The WGSL in a file, which may import other files: `import package::shared::reduce::sum;` refers to
    /// `shared/reduce.wgsl` in the folder of this file, or in [`root`](Self::root). The imported files are read when a
    /// kernel is created, and again for the next one.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("anywarp-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(folder.join("shared"))?;
    /// std::fs::write(folder.join("shared/math.wgsl"), "fn double(x: f32) -> f32 { return 2.0 * x; }")?;
    /// std::fs::write(
    ///     folder.join("twice.wgsl"),
    ///     "import package::shared::math::double;
    ///      @group(0) @binding(0) var<storage, read_write> data: array<f32>;
    ///      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    ///          data[id.x] = double(data[id.x]);
    ///      }",
    /// )?;
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))] {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let kernel = device.kernel(anywarp::Wgsl::open(folder.join("twice.wgsl"))?)?;
    /// let mut data = device.buffer_from(&[1.0f32, 2.0])?;
    /// kernel.launch().bind("data", &mut data).threads(2u32)?;
    /// assert_eq!(*data.read()?, [2.0, 4.0]);
    /// # }
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`KernelError::Unreadable`] if the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Wgsl<'static>, KernelError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let text = read::file(path)?;
        let folder = path.parent().map(Path::to_owned);
        Ok(Wgsl { folder, path: Some(path.to_owned()), ..Wgsl::new(text).file(file) })
    }

    /// Sets the folder that `package` means in imports; no file outside it is read. A file that was
    /// [opened](Self::open) must be in this folder or below it. The default is the folder of that file.
    #[must_use]
    pub fn root(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Adds a module from memory: `import package::shared::reduce::sum;` finds the module with the path
    /// `shared::reduce`. The module takes precedence over a file of that name.
    ///
    /// ```
    /// use anywarp::Wgsl;
    ///
    /// let source = Wgsl::new(
    ///     "import package::shared::math::double;
    ///      @compute @workgroup_size(1) fn main() { let four = double(2.0); }",
    /// )
    /// .module("shared::math", "fn double(x: f32) -> f32 { return 2.0 * x; }");
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # anywarp::Device::open("cpu")?.kernel(source)?;
    /// # Ok::<(), anywarp::Error>(())
    /// ```
    #[must_use]
    pub fn module(mut self, path: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        let path = path.into();
        let file = format!("{}.wgsl", path.replace("::", "/")).into();
        self.modules.push(Module { path, file, text: text.into() });
        self
    }

    /// Sets whether the condition of `@if(name)` is true, in this text and in all its imports. `@if`, `@elif` and
    /// `@else` precede imports, declarations, statements, members, parameters and clauses of `switch`.
    ///
    /// ```
    /// use anywarp::Wgsl;
    ///
    /// let source = Wgsl::new(
    ///     "@if(wide) const lanes = 8;
    ///      @else const lanes = 4;
    ///      @compute @workgroup_size(lanes) fn main() {}",
    /// )
    /// .feature("wide", true);
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))]
    /// # assert_eq!(anywarp::Device::open("cpu")?.kernel(source)?.workgroup_size(), [8, 1, 1]);
    /// # Ok::<(), anywarp::Error>(())
    /// ```
    #[must_use]
    pub fn feature(mut self, name: impl Into<Cow<'a, str>>, on: bool) -> Self {
        self.features.push((name.into(), on));
        self
    }

    /// Replaces `alias name = f32;` by another scalar, so that one text serves many element types. The features that
    /// the type needs are enabled, and conditions such as `@if(name_f16)` identify the type.
    ///
    /// ```
    /// use anywarp::Wgsl;
    ///
    /// let sum = Wgsl::new(
    ///     "alias T = f32;
    ///      @group(0) @binding(0) var<storage, read_write> data: array<T>;
    ///      @compute @workgroup_size(1) fn main() { data[0] += data[1] + T(1); }",
    /// );
    /// # #[cfg(all(feature = "cpu", not(target_arch = "wasm32")))] {
    /// # let device = anywarp::Device::open("cpu")?;
    /// let kernel = device.kernel(sum.element::<i32>("T"))?;
    /// let mut data = device.buffer_from(&[1, 2])?;
    /// kernel.launch().bind("data", &mut data).groups(1u32)?;
    /// assert_eq!(*data.read()?, [4, 2]);
    /// # }
    /// # Ok::<(), anywarp::Error>(())
    /// ```
    #[must_use]
    pub fn element<T: Element>(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        // `bf16` is addressed as a word of 16 bits, but is not such a scalar.
        let scalar = T::SCALAR.filter(|scalar| T::layout().name == scalar.to_string());
        self.elements.push((name.into(), scalar.ok_or(std::any::type_name::<T>())));
        self
    }

    /// [`element`](Self::element) for a scalar that is only known when the program runs.
    #[must_use]
    pub fn element_scalar(mut self, name: impl Into<Cow<'a, str>>, scalar: Scalar) -> Self {
        self.elements.push((name.into(), Ok(scalar)));
        self
    }

    /// Sets the file's name in diagnostics and profiles.
    #[must_use]
    pub fn file(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.name = Name::Given;
        self.file = name.into();
        self
    }

    /// Selects the entry point by its name, if the text has several.
    #[must_use]
    pub fn entry(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.entry = Some(name.into());
        self
    }

    /// Sets the value of an `override`, by its name or, for one with `@id`, by its number as text. A boolean is set by
    /// 1 (true) or 0 (false). If the override's type cannot represent the value, for example 1.5 in a `u32`, creating
    /// the kernel returns [`KernelError::Override`].
    #[must_use]
    pub fn set_override(mut self, name: impl Into<Cow<'a, str>>, value: f64) -> Self {
        self.overrides.push((name.into(), value));
        self
    }

    /// Sets which checks keep the kernel's accesses in range and its loops finite. By default, only checks that are
    /// proven unnecessary are omitted.
    ///
    /// To omit all checks, the caller must give a promise in an `unsafe` block:
    ///
    /// ```
    /// use anywarp::{Checks, Unchecked, Wgsl};
    ///
    /// // SAFETY: the kernel accesses no memory.
    /// let off = Checks::Off(unsafe { Unchecked::promise() });
    /// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}").checks(off);
    /// # let _ = source;
    /// ```
    #[must_use]
    pub fn checks(mut self, checks: Checks) -> Self {
        self.leave.checks = checks;
        self
    }

    /// Permits the device to approximate `f32` arithmetic beyond the accuracy of WGSL.
    ///
    /// On `cuda` the kernel is compiled with NVRTC's `--use_fast_math`: subnormal numbers become zero (`--ftz=true`),
    /// quotients and square roots are approximated (`--prec-div=false`, `--prec-sqrt=false`), and `sin`, `cos`, `tan`,
    /// `exp`, `log` and `pow` become the GPU's own instructions, which are inaccurate for large arguments. Products and
    /// sums are fused on `cuda` in any case, as WGSL allows. On other devices this has no effect.
    ///
    /// ```
    /// use anywarp::Wgsl;
    /// use anywarp::backend::Caps;
    ///
    /// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}");
    /// assert!(!source.clone().program(&Caps::webgpu_baseline())?.leave.fast_math);
    /// assert!(source.fast_math().program(&Caps::webgpu_baseline())?.leave.fast_math);
    /// # Ok::<(), anywarp::KernelError>(())
    /// ```
    #[must_use]
    pub fn fast_math(mut self) -> Self {
        self.leave.fast_math = true;
        self
    }
}

impl<'a> From<&'a str> for Wgsl<'a> {
    fn from(text: &'a str) -> Self {
        Self::unnamed(text.into())
    }
}

impl<'a> From<&'a String> for Wgsl<'a> {
    fn from(text: &'a String) -> Self {
        Self::unnamed(text.as_str().into())
    }
}

impl From<String> for Wgsl<'_> {
    fn from(text: String) -> Self {
        Self::unnamed(text.into())
    }
}
