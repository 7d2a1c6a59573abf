/// Kernels of `src/tests/saxpy.wgsl`.
///
/// Sums of vectors.
#[allow(dead_code, non_snake_case, non_camel_case_types, clippy::all, clippy::pedantic)]
pub(crate) mod saxpy {
    /// The WGSL, for [`Device::kernel`](::anywarp::Device::kernel) and other uses outside this module.
    pub fn source() -> ::anywarp::Wgsl<'static> {
        ::anywarp::Wgsl::new(::core::include_str!(::core::concat!(
            ::core::env!("CARGO_MANIFEST_DIR"),
            "/src/tests/saxpy.wgsl"
        )))
        .file("src/tests/saxpy.wgsl")
    }
    /// The struct `Params`, as in the WGSL.
    #[repr(C)]
    #[derive(Clone, Copy, ::anywarp::typed::bytemuck::Pod, ::anywarp::typed::bytemuck::Zeroable)]
    #[bytemuck(crate = "::anywarp::typed::bytemuck")]
    pub struct Params {
        /// The factor.
        pub a: f32,
        #[doc(hidden)]
        pub _pad0: [u8; 12],
        /// `vec3<f32>` at byte 16.
        pub shift: [f32; 3],
        #[doc(hidden)]
        pub _pad1: [u8; 4],
    }
    const _: () = {
        ::core::assert!(::core::mem::size_of::<Params>() == 32);
        ::core::assert!(::core::mem::offset_of!(Params, a) == 0);
        ::core::assert!(::core::mem::offset_of!(Params, shift) == 16);
    };
    ::anywarp::element!(Params { a, _pad0, shift, _pad1 });
    impl Params {
        /// Takes all members; padding bytes are zero.
        pub const fn new(a: f32, shift: [f32; 3]) -> Self {
            Self { a, _pad0: [0; 12], shift, _pad1: [0; 4] }
        }
    }
    impl ::core::default::Default for Params {
        fn default() -> Self {
            ::anywarp::typed::bytemuck::Zeroable::zeroed()
        }
    }
    impl ::core::cmp::PartialEq for Params {
        fn eq(&self, other: &Self) -> bool {
            self.a == other.a && self.shift == other.shift
        }
    }
    impl ::core::fmt::Debug for Params {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.debug_struct(::core::stringify!(Params)).field("a", &self.a).field("shift", &self.shift).finish()
        }
    }
    /// Values of the overrides for one kernel.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Overrides {
        /// `override block: u32`, 64 unless set.
        pub block: u32,
    }
    impl Overrides {
        fn of(self, mut source: ::anywarp::Wgsl<'static>) -> ::anywarp::Wgsl<'static> {
            source = source.set_override("block", ::core::convert::From::from(self.block));
            source
        }
    }
    impl ::core::default::Default for Overrides {
        fn default() -> Self {
            Self { block: 64 }
        }
    }
    /// The kernel `saxpy` for a device.
///
/// y = a * x + y
    pub fn saxpy(device: &::anywarp::Device) -> ::core::result::Result<Saxpy, ::anywarp::KernelError> {
        device.kernel(source().entry("saxpy")).map(|kernel| Saxpy { kernel })
    }
    /// The kernel `saxpy` for a device, with values for its overrides.
///
/// y = a * x + y
    pub fn saxpy_with(
        device: &::anywarp::Device,
        overrides: Overrides,
    ) -> ::core::result::Result<Saxpy, ::anywarp::KernelError> {
        device.kernel(overrides.of(source().entry("saxpy"))).map(|kernel| Saxpy { kernel })
    }
    /// The kernel `saxpy` on one device. A clone is another handle to it.
///
/// y = a * x + y
    #[derive(Clone, Debug)]
    pub struct Saxpy {
        kernel: ::anywarp::Kernel,
    }
    impl Saxpy {
        /// The untyped kernel.
        pub fn kernel(&self) -> &::anywarp::Kernel {
            &self.kernel
        }
        /// Begins a launch; a grid completes it.
        pub fn launch<'a, X: ::anywarp::typed::Reads<'a, f32, __bindings::x>, Y: ::anywarp::typed::Writes<'a, f32, __bindings::y>>(
            &self,
            args: SaxpyArgs<X, Y>,
        ) -> ::anywarp::Launch<'a> {
            let mut launch = self.kernel.launch();
            ::anywarp::typed::set(&mut launch, 0usize, &args.params);
            ::anywarp::typed::bind(&mut launch, 1usize, args.x);
            ::anywarp::typed::bind(&mut launch, 2usize, args.y);
            launch
        }
    }
    /// The arguments of [`Saxpy::launch`].
    #[derive(Clone, Copy, Debug)]
    pub struct SaxpyArgs<X, Y> {
        /// `Params`, uniform.
        pub params: Params,
        /// `array<f32>`, read.
        pub x: X,
        /// The sum.
        pub y: Y,
    }
    #[doc(hidden)]
    pub mod __bindings {
        pub enum x {}
        pub enum y {}
    }
    #[doc(no_inline)]
    pub use self::SaxpyArgs as Args;
}
