pub(crate)
#[doc = " Kernels of `src/tests/saxpy.wgsl`."]
#[doc = ""]
#[doc = " Sums of vectors."]
#[allow(dead_code, non_snake_case, non_camel_case_types, clippy::all, clippy::pedantic)]
mod saxpy {
    /// The WGSL.
    pub fn source() {}
}
