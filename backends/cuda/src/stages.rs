//! A program on its way to a GPU, as text: CUDA C++, PTX, machine code. Needs no card.

pub mod disassemble;

use anywarp_backend::Program;

use crate::nvrtc::{self, Compiled, NvrtcError, Output, Source};
use crate::stages::disassemble::{DisassembleError, disassemble};
use crate::translate::{Form, Options, TranslateError, Translation, translate};

/// Iterations that the loops of one invocation may make together: as many as can be counted.
const STEPS: u32 = u32::MAX;

/// The reason why there is no text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// CUDA C++ cannot express the program.
    #[error("kernel '{kernel}' cannot be written as CUDA C++: {error}")]
    Translate {
        /// The program's name.
        kernel: String,
        /// The construct that cannot be written.
        error: TranslateError,
    },
    /// NVRTC is missing, or refuses.
    #[error(transparent)]
    Nvrtc(#[from] NvrtcError),
    /// An architecture that this NVRTC does not compile for.
    #[error(
        "NVRTC {}.{} does not compile for sm_{wanted}; it knows {}", version.0, version.1,
        known.iter().map(|known| format!("sm_{known}")).collect::<Vec<_>>().join(", ")
    )]
    Architecture {
        /// The architecture that was asked for.
        wanted: u32,
        /// The architectures that it knows.
        known: Vec<u32>,
        /// NVRTC's version.
        version: (u32, u32),
    },
    /// The disassembler is missing, or refuses.
    #[error(transparent)]
    Disassemble(#[from] DisassembleError),
}

/// Returns the CUDA C++ of a program; `looped` as in [`Form::looped`].
///
/// # Errors
/// [`StageError::Translate`].
pub fn cuda(program: &Program, looped: bool) -> Result<String, StageError> {
    Ok(translation(program, looped)?.text)
}

/// Returns the PTX of a program for an architecture: 90 for `sm_90`.
///
/// # Errors
/// [`StageError`]; without NVRTC it says what to install.
pub fn ptx(program: &Program, looped: bool, architecture: u32) -> Result<String, StageError> {
    let image = compiled(program, looped, architecture, Output::Ptx)?.image;
    Ok(String::from_utf8_lossy(&image).trim_end_matches('\0').to_owned())
}

/// Returns the machine code of a program for an architecture: 90 for `sm_90`.
///
/// # Errors
/// [`StageError`]; without NVRTC or `nvdisasm` it says what to install.
pub fn sass(program: &Program, looped: bool, architecture: u32) -> Result<String, StageError> {
    Ok(disassemble(&compiled(program, looped, architecture, Output::Cubin)?.image)?)
}

fn translation(program: &Program, looped: bool) -> Result<Translation, StageError> {
    let options = Options { form: Form { addressed: 0, looped }, steps: STEPS };
    translate(program, &options).map_err(|error| StageError::Translate { kernel: program.name.to_string(), error })
}

fn compiled(program: &Program, looped: bool, architecture: u32, output: Output) -> Result<Compiled, StageError> {
    let text = translation(program, looped)?.text;
    let nvrtc = nvrtc::library()?;
    let known = nvrtc.architectures();
    if !known.contains(&architecture) {
        let version = nvrtc.version();
        return Err(StageError::Architecture { wanted: architecture, known: known.to_vec(), version });
    }
    let fast_math = program.leave.fast_math;
    let source = Source { name: &program.name, text: &text, architecture, fast_math, defines: &[] };
    Ok(nvrtc.compile(&source, output)?)
}
