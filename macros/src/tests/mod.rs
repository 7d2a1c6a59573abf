//! Tests of the macro's output, which is not compiled.

mod expansion;
mod refusals;

use std::path::Path;

use crate::expand;
use crate::input::Input;

/// Returns the result of the macro for `tokens`: the module, or the error.
fn kernels(tokens: &str) -> Result<String, String> {
    let input: Input = syn::parse_str(tokens).map_err(|error| error.to_string())?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    expand(&input, folder).map(|tokens| tokens.to_string()).map_err(|refusal| refusal.to_string())
}
