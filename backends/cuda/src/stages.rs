//! The translations of a program for a GPU as text: CUDA C++, PTX, machine code. No GPU is needed.

pub mod disassemble;

use anywarp_backend::Program;

use crate::kernel::usual_form;
use crate::nvrtc::{self, Compiled, NvrtcError, Output, Source};
use crate::stages::disassemble::{DisassembleError, disassemble};
use crate::translate::{Form, Options, TranslateError, Translation, translate};

anywarp_backend::debug_as_display!(StageError);

/// The limit on the loop iterations of one invocation: the largest possible, because no device option applies here.
const STEPS: u32 = u32::MAX;

/// The reason why a translation is not available.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// CUDA C++ cannot express the program.
    #[error("kernel '{kernel}' cannot be translated to CUDA C++: {error}")]
    Translate {
        /// The program's name.
        kernel: String,
        /// The construct that cannot be translated.
        error: TranslateError,
    },
    /// NVRTC is missing, or returns an error.
    #[error(transparent)]
    Nvrtc(#[from] NvrtcError),
    /// The requested architecture is not one that this NVRTC supports.
    #[error(
        "NVRTC {}.{} has no architecture sm_{wanted}; use one of these: {}", version.0, version.1,
        known.iter().map(|known| format!("sm_{known}")).collect::<Vec<_>>().join(", ")
    )]
    Architecture {
        /// The requested architecture: 90 for `sm_90`.
        wanted: u32,
        /// The architectures that this NVRTC supports: 90 for `sm_90`.
        known: Vec<u32>,
        /// NVRTC's version.
        version: (u32, u32),
    },
    /// The disassembler is missing, or returns an error.
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
/// [`StageError`]; if NVRTC is missing, the error names what to install.
pub fn ptx(program: &Program, looped: bool, architecture: u32) -> Result<String, StageError> {
    let image = compiled(program, looped, architecture, Output::Ptx)?.image;
    Ok(String::from_utf8_lossy(&image).trim_end_matches('\0').to_owned())
}

/// Returns the machine code of a program for an architecture: 90 for `sm_90`.
///
/// # Errors
/// [`StageError`]; if NVRTC or `nvdisasm` is missing, the error names what to install.
pub fn sass(program: &Program, looped: bool, architecture: u32) -> Result<String, StageError> {
    Ok(disassemble(&compiled(program, looped, architecture, Output::Cubin)?.image)?)
}

fn translation(program: &Program, looped: bool) -> Result<Translation, StageError> {
    // As on a device, uniforms that are too large for parameters are passed as addresses.
    let form = Form { looped, ..usual_form(&program.bindings) };
    let options = Options { form, steps: STEPS };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniforms_beyond_what_parameters_hold_are_given_as_addresses() {
        let text = |vectors: u32| {
            let wgsl = format!(
                "@group(0) @binding(0) var<uniform> weights: array<vec4<f32>, {vectors}>;
                 @group(0) @binding(1) var<storage, read_write> out: array<f32>;
                 @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
                     out[id.x] = weights[id.x % {vectors}u].y;
                 }}"
            );
            let mut program = crate::translate::tests::program(&wgsl);
            program.bindings[0].layout.size = vectors * 16;
            program
        };
        for looped in [false, true] {
            let (small, large) = (text(64), text(3000));
            let by_value = cuda(&small, looped).unwrap();
            let by_address = cuda(&large, looped).unwrap();
            assert!(by_value.contains("__grid_constant__") && by_value.contains(" weights"), "{by_value}");
            let is_address = |text: &str| text.lines().any(|line| line.contains("* const weights"));
            assert!(!is_address(&by_value), "{by_value}");
            assert!(is_address(&by_address), "{by_address}");
            // The compiler refuses parameters that are too long, so the addresses are necessary.
            match ptx(&large, looped, 90) {
                Ok(text) => assert!(text.contains(".visible .entry"), "{text}"),
                Err(StageError::Nvrtc(error)) if nvrtc::library().is_err() => println!("not compiled: {error}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
