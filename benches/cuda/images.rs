//! The hand-written kernels, compiled.

use anywarp_cuda::nvrtc::{self, Output, Source};

use crate::raw::Raw;
use crate::shared::Outcome;

/// Compiles `raw.cu` to machine code for this GPU.
pub(crate) fn by_hand(raw: &Raw) -> Outcome<Vec<u8>> {
    let source = Source {
        name: "raw.cu",
        text: include_str!("raw.cu"),
        architecture: raw.architecture,
        fast_math: false,
        defines: &[],
    };
    Ok(nvrtc::library()?.compile(&source, Output::Cubin)?.image)
}
