//! The macro `kernels!` of anywarp.
//!
//! | module | step |
//! |---|---|
//! | `input` | what stands between the parentheses |
//! | `read` | the WGSL that it names |
//! | `describe`, `overrides`, `docs` | what the WGSL says, as plain data |
//! | `layout`, `names` | its types and names in Rust |
//! | `emit` | the module |
//! | `refusal` | why there is none |

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

/// The WGSL is read and validated while Rust compiles: what is wrong with it is a compile error with
/// its line.
///
/// # What it takes
///
/// | input | module |
/// |---|---|
/// | `"shaders/saxpy.wgsl"` | `mod saxpy`, private |
/// | `pub mod axpy = "shaders/saxpy.wgsl"` | `pub mod axpy`; attributes go before it |
/// | `mod axpy { r"..." }` | the WGSL itself, as one string literal |
///
/// A path is relative to the folder of the crate's `Cargo.toml` and stays within it. The crate is
/// built anew when the file, or one that it imports, changes. Behind it go options of composition, as
/// `Wgsl` has them: `kernels!("shaders/sum.wgsl", feature wide = true, element T = f16)`. Imports come
/// from the file's folder, or from `root = "shaders"`.
///
/// # What it makes
///
/// | WGSL | Rust |
/// |---|---|
/// | each compute entry point `box_blur` | a function `box_blur(&Device)`, which gives a `BoxBlur`; its `launch(BoxBlurArgs { .. })` is a `Launch`, its `kernel()` the kernel without the types |
/// | a single entry point | also `Args`, another name for its arguments, unless a struct has that name |
/// | a struct that the host sees | a `#[repr(C)]` struct with the same layout; `new` takes all members, `Default` is zero |
/// | overrides | a struct `Overrides`, and functions `box_blur_with(&Device, Overrides)` |
/// | the text | a function `source()`, for `Device::kernel` |
/// | comments `///` and `//!` | documentation |
///
/// **Arguments** are the variables that the entry point uses, by group and binding, an immediate
/// last. Names stay as they are; keywords of Rust become raw (`r#box`). Uniforms and immediates are
/// given by value. A storage variable takes a buffer or a slice: by `&` if the entry point, with
/// all it calls, only reads it, whatever it is declared as, else by `&mut`.
///
/// **Types** have WGSL's own bytes:
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
/// A buffer for `array<T>` has elements of `T`; a buffer for any other storage variable has elements
/// of the variable's own type, of which the first counts. Bytes of a struct that belong to no member
/// are fields `_pad0`, `_pad1`, ...: they, and fourth lanes that stand for nothing, do not count when
/// two values are compared. Size and offsets are asserted while Rust compiles.
///
/// **Overrides** are set as their own types. Those without a value in the WGSL have none in Rust:
/// then there is no `Overrides::default()`, and no function that does without. One whose value
/// depends on others is an `Option`: `None` is what the WGSL computes.
///
/// # What it refuses
///
/// WGSL that is not valid, cannot be composed, or has no compute entry point. Textures and samplers. A binding whose
/// struct ends in an array without a size, which no Rust type does: make two bindings of it, or use
/// `Device::kernel`. Two things that would have one name in Rust: rename one.
///
/// Whether a device can run a kernel is found out when the kernel is made, and what depends on the
/// buffers (lengths, overlaps, devices) when it is launched: those are errors at run time.
#[proc_macro]
pub fn kernels(tokens: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(tokens as Input);
    // Unset where something other than cargo calls the compiler: then no file is found.
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
