//! The translations of a program for a GPU as text: CUDA C++, PTX, machine code; and the resources that it needs there.
//! No GPU is needed.

pub mod disassemble;

use anywarp_backend::Program;

use crate::kernel::usual_form;
use crate::nvrtc::{self, Compiled, NvrtcError, Output, Source};
use crate::resources::Usage;
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
    /// NVRTC compiled the program without a report of its resources.
    #[error(
        "NVRTC {}.{} reports no registers of kernel '{kernel}': install another version, as by \
         `pip install nvidia-cuda-nvrtc`", version.0, version.1
    )]
    Unreported {
        /// The program's name.
        kernel: String,
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
    let text = translation(program, looped)?.text;
    let image = compiled(program, &text, architecture, Output::Ptx)?.image;
    Ok(String::from_utf8_lossy(&image).trim_end_matches('\0').to_owned())
}

/// Returns the machine code of a program for an architecture: 90 for `sm_90`.
///
/// # Errors
/// [`StageError`]; if NVRTC or `nvdisasm` is missing, the error names what to install.
pub fn sass(program: &Program, looped: bool, architecture: u32) -> Result<String, StageError> {
    let text = translation(program, looped)?.text;
    Ok(disassemble(&compiled(program, &text, architecture, Output::Cubin)?.image)?)
}

/// Returns the resources of a program on an architecture: 90 for `sm_90`. Unlike the assembler's report, the bytes of
/// shared memory include those that a launch allocates.
///
/// # Errors
/// [`StageError`]; if NVRTC is missing, the error names what to install.
pub fn usage(program: &Program, looped: bool, architecture: u32) -> Result<Usage, StageError> {
    let translation = translation(program, looped)?;
    let compiled = compiled(program, &translation.text, architecture, Output::Cubin)?;
    let unreported = || {
        let version = nvrtc::library().map_or((0, 0), nvrtc::Nvrtc::version);
        StageError::Unreported { kernel: program.name.to_string(), version }
    };
    let usage = compiled.usage.ok_or_else(unreported)?;
    Ok(Usage { shared_bytes: usage.shared_bytes.saturating_add(translation.dynamic_shared), ..usage })
}

fn translation(program: &Program, looped: bool) -> Result<Translation, StageError> {
    // As on a device, uniforms that are too large for parameters are passed as addresses.
    let form = Form { looped, ..usual_form(&program.bindings) };
    let options = Options { form, steps: STEPS };
    translate(program, &options).map_err(|error| StageError::Translate { kernel: program.name.to_string(), error })
}

fn compiled(program: &Program, text: &str, architecture: u32, output: Output) -> Result<Compiled, StageError> {
    let nvrtc = nvrtc::library()?;
    let known = nvrtc.architectures();
    if !known.contains(&architecture) {
        let version = nvrtc.version();
        return Err(StageError::Architecture { wanted: architecture, known: known.to_vec(), version });
    }
    let fast_math = program.leave.fast_math;
    let source = Source { name: &program.name, text, architecture, fast_math, defines: &[] };
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

    #[test]
    fn the_resources_of_a_kernel() {
        let wgsl = |bytes: u32| {
            format!(
                "var<workgroup> tile: array<u32, {}>;
                 @group(0) @binding(0) var<storage, read_write> out: array<u32>;
                 @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {{
                     tile[t] = out[t];
                     workgroupBarrier();
                     out[t] = tile[63 - t];
                 }}",
                bytes / 4
            )
        };
        // Workgroup memory beyond 48 KiB is allocated by the launch.
        for bytes in [1 << 10, 64 << 10] {
            match usage(&crate::translate::tests::program(&wgsl(bytes)), false, 90) {
                Ok(usage) => {
                    assert_eq!((usage.shared_bytes, usage.spill_stores), (bytes, 0), "{usage:?}");
                    assert!((4..=255).contains(&usage.registers), "{usage:?}");
                }
                Err(StageError::Nvrtc(error)) if nvrtc::library().is_err() => println!("not compiled: {error}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
