//! The macro `kernels!` of anywarp.
//!
//! | module | step |
//! |---|---|
//! | `input` | parses the macro's input |
//! | `read` | reads the WGSL |
//! | `describe`, `overrides`, `docs` | describe the WGSL as plain data |
//! | `layout`, `names` | map its types and names to Rust |
//! | `emit` | generates the module |
//! | `refusal` | holds the error if no module can be generated |

mod describe;
mod docs;
mod emit;
mod input;
mod layout;
mod names;
mod overrides;
mod read;
mod refusal;
#[cfg(test)]
mod tests;

use std::path::Path;

use input::Input;
use proc_macro::TokenStream;
use refusal::Refusal;

/// The WGSL is read and validated while Rust compiles: a mistake in it is a compile error that shows its line.
///
/// # Input
///
/// | input | module |
/// |---|---|
/// | `"shaders/saxpy.wgsl"` | `mod saxpy`, private |
/// | `pub mod axpy = "shaders/saxpy.wgsl"` | `pub mod axpy`; attributes go before it |
/// | `mod axpy { r"..." }` | the WGSL itself, as one string literal |
///
/// A path is relative to the folder of the crate's `Cargo.toml` and stays within it. The crate is rebuilt when the
/// file, or a file that it imports, changes. Composition options follow the path, as in `Wgsl`:
/// `kernels!("shaders/sum.wgsl", feature wide = true, element T = f16)`. Imports are relative to the file's folder, or
/// to `root = "shaders"`.
///
/// # Output
///
/// | WGSL | Rust |
/// |---|---|
/// | each compute entry point `box_blur` | a function `box_blur(&Device)`, which returns a `BoxBlur`; its `launch(BoxBlurArgs { .. })` is a `Launch`, its `kernel()` the untyped kernel |
/// | a single entry point | also `Args`, an alias of its arguments, unless a struct has that name; several have no `Args` |
/// | a struct that the host shares | a `#[repr(C)]` struct with the same layout; `new` takes all members, `Default` is zero |
/// | overrides | a struct `Overrides`, and functions `box_blur_with(&Device, Overrides)` |
/// | the text | a function `source()`, for `Device::kernel` |
/// | comments `///` and `//!` | documentation |
///
/// **Arguments** are the variables that the entry point uses, ordered by group and binding, an immediate last. Names
/// stay unchanged; keywords of Rust become raw (`r#box`). Uniforms and immediates are passed by value. A storage
/// variable takes a buffer or a slice: by `&` if the entry point and its callees only read it, even if it is declared
/// `read_write`, else by `&mut`. If the program has `&mut` where `&` is expected, as with two buffers that swap roles, it
/// writes `&*`: `let [old, next] = &mut pair;`, then `step.launch(Args { old: &*old, next })`.
///
/// **Types** have the same bytes as in WGSL:
///
/// | WGSL | a member or value | an array's element |
/// |---|---|---|
/// | `f32`, `i32`, `u32`, `atomic<u32>` | `f32`, `i32`, `u32`, `u32` | the same |
/// | `f16`, `f64`, `i64`, `u64` | `anywarp::f16`, `f64`, `i64`, `u64` | the same |
/// | `vec2<T>`, `vec4<T>` | `[T; 2]`, `[T; 4]` | the same |
/// | `vec3<T>` | `[T; 3]` | `[T; 4]` |
/// | `mat4x2<T>`, `mat2x4<T>` | columns: `[[T; 2]; 4]`, `[[T; 4]; 2]` | the same |
/// | `mat3x3<T>` | columns: `[[T; 4]; 3]` | the same |
/// | `array<T, N>` | `[T; N]` | the same |
/// | a struct | the struct | the same |
///
/// A buffer for `array<T>` has elements of `T`. A buffer for any other storage variable has elements of the variable's
/// type, of which the kernel uses the first. Padding bytes of a struct are fields `_pad0`, `_pad1`, ...: comparisons of
/// two values ignore these fields and padding lanes. Size and offsets are asserted at compile time.
///
/// **Overrides** have their own types. An override without a default in the WGSL has none in Rust: then there is no
/// `Overrides::default()`, and the only constructors are those with `Overrides`. An override whose default depends on
/// other overrides is an `Option`: `None` selects the value that the WGSL computes.
///
/// # Refused input
///
/// WGSL that is invalid, cannot be composed, or has no compute entry point. Textures and samplers. A binding whose
/// struct ends in a runtime-sized array, which has no Rust type: split it into two bindings, or use `Device::kernel`.
/// Two items with the same name in Rust: rename one.
///
/// Whether a device can run a kernel is checked when the kernel is made. Everything that depends on the buffers
/// (lengths, overlaps, devices) is checked at launch. Both are errors at run time.
#[proc_macro]
pub fn kernels(tokens: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(tokens as Input);
    // The variable is not set if a tool other than cargo runs the compiler; the macro then finds no file.
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    match expand(&input, Path::new(&folder)) {
        Ok(module) => module.into(),
        Err(refusal) => syn::Error::new(input.span(), refusal).into_compile_error().into(),
    }
}

fn expand(input: &Input, folder: &Path) -> Result<proc_macro2::TokenStream, Refusal> {
    let reading = read::read(input, folder)?;
    let description = describe::describe(&reading.source)?;
    emit::module(input, &reading, &description)
}
