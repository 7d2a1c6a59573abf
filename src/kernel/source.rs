//! What the user hands in.

use std::borrow::Cow;

use anywarp_backend::{Leave, Unchecked};

/// WGSL source with what is needed to make a kernel of it.
///
/// A plain `&str` converts into it.
///
/// ```
/// use anywarp::Wgsl;
///
/// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}")
///     .file("empty.wgsl")
///     .entry("main")
///     .constant("block", 32.0);
/// # let _ = source;
/// ```
#[derive(Clone, Debug)]
pub struct Wgsl<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) file: Cow<'a, str>,
    pub(crate) entry: Option<Cow<'a, str>>,
    pub(crate) constants: Vec<(Cow<'a, str>, f64)>,
    pub(crate) leave: Leave,
}

impl<'a> Wgsl<'a> {
    /// WGSL with one compute entry point, or with several of which [`entry`](Self::entry) names
    /// one.
    #[must_use]
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), file: "kernel".into(), entry: None, constants: Vec::new(), leave: Leave::default() }
    }

    /// The file's name in diagnostics and profiles.
    #[must_use]
    pub fn file(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.file = name.into();
        self
    }

    /// The entry point.
    #[must_use]
    pub fn entry(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.entry = Some(name.into());
        self
    }

    /// The value of an `override`, by its name or, for one with `@id`, by its number as text.
    /// Booleans are 0 and 1.
    #[must_use]
    pub fn constant(mut self, name: impl Into<Cow<'a, str>>, value: f64) -> Self {
        self.constants.push((name.into(), value));
        self
    }

    /// Leaves out what keeps a kernel within its variables and its loops finite, where the device
    /// can (`wgpu` and `cuda`; `cpu` checks all the same).
    ///
    /// The promise is made in the caller's own `unsafe` block:
    ///
    /// ```
    /// use anywarp::{Unchecked, Wgsl};
    ///
    /// // SAFETY: the kernel touches nothing.
    /// let promise = unsafe { Unchecked::promise() };
    /// let source = Wgsl::new("@compute @workgroup_size(64) fn main() {}").unchecked(promise);
    /// # let _ = source;
    /// ```
    #[must_use]
    pub fn unchecked(mut self, promise: Unchecked) -> Self {
        self.leave.checks = Some(promise);
        self
    }

    /// Lets the device approximate `f32` arithmetic and flush tiny numbers to zero, beyond what
    /// WGSL allows. Today `cuda` does; other devices compute as ever.
    #[must_use]
    pub fn fast_math(mut self) -> Self {
        self.leave.exact_math = true;
        self
    }
}

impl<'a> From<&'a str> for Wgsl<'a> {
    fn from(text: &'a str) -> Self {
        Self::new(text)
    }
}

impl<'a> From<&'a String> for Wgsl<'a> {
    fn from(text: &'a String) -> Self {
        Self::new(text.as_str())
    }
}

impl From<String> for Wgsl<'_> {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
