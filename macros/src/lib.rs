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

/// A Rust module of a WGSL file.
#[proc_macro]
pub fn kernels(tokens: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(tokens as Input);
    // Unset where something other than cargo calls the compiler; paths then begin where it runs.
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    match expand(&input, Path::new(&folder)) {
        Ok(module) => module.into(),
        Err(refusal) => syn::Error::new(input.span(), refusal).into_compile_error().into(),
    }
}

fn expand(input: &Input, folder: &Path) -> Result<proc_macro2::TokenStream, Refusal> {
    let source = read::read(input, folder)?;
    let description = describe::describe(&source)?;
    emit::module(input, &description)
}
