//! The stored form of a compiled kernel: the kind of the image, whether its resource usage is known, the usage, the
//! image.

use crate::nvrtc::{Compiled, Output};
use crate::resources::Usage;

/// Returns the stored form of a compiled kernel.
pub(super) fn of_kernel(compiled: &Compiled) -> Vec<u8> {
    let output = match compiled.output {
        Output::Cubin => 0,
        Output::Ptx => 1,
    };
    let mut bytes = Vec::with_capacity(2 + 6 * 4 + compiled.image.len());
    bytes.extend_from_slice(&[output, u8::from(compiled.usage.is_some())]);
    for word in compiled.usage.unwrap_or_default().to_words() {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&compiled.image);
    bytes
}

/// Returns the compiled kernel from the form that [`of_kernel`] made; `None` if the bytes do not have that form.
pub(super) fn kernel(bytes: &[u8]) -> Option<Compiled> {
    let (&[output, known], mut rest) = bytes.split_first_chunk()?;
    let output = match output {
        0 => Output::Cubin,
        1 => Output::Ptx,
        _ => return None,
    };
    let mut words = [0; 6];
    for word in &mut words {
        let (bytes, after) = rest.split_first_chunk()?;
        (*word, rest) = (u32::from_le_bytes(*bytes), after);
    }
    let usage = (known == 1).then(|| Usage::from_words(words));
    Some(Compiled { image: rest.to_vec(), output, usage, log: String::new(), cached: true })
}
