//! The stages of a kernel's translation, each as text.

use anywarp_backend::Program;
use anywarp_wgpu::translate::Target;
use clap::ValueEnum;

/// One stage of a kernel's translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// The file as it is, for --side-by-side
    Source,
    /// WGSL with one entry point and without overrides
    Wgsl,
    /// SPIR-V for Vulkan, as assembly
    Spirv,
    /// The Metal Shading Language
    Msl,
    /// HLSL for DirectX 12
    Hlsl,
    /// CUDA C++ for NVIDIA GPUs
    Cuda,
    /// NVIDIA's virtual assembly; needs NVRTC
    Ptx,
    /// NVIDIA's machine code; needs NVRTC and nvdisasm
    Sass,
    /// Cranelift's IR for this processor
    Clif,
    /// This processor's machine code
    Asm,
}

/// The target of the stages after CUDA C++.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuda {
    /// The number of the architecture: 90 for `sm_90`.
    pub(crate) architecture: u32,
    /// Whether blocks loop over workgroups.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "nothing is made for CUDA"))]
    pub(crate) looped: bool,
}

impl Stage {
    /// The stages for `--all`, in order: for graphics APIs, for NVIDIA's GPUs, for this processor.
    pub(crate) const ALL: [Self; 9] =
        [Self::Wgsl, Self::Spirv, Self::Msl, Self::Hlsl, Self::Cuda, Self::Ptx, Self::Sass, Self::Clif, Self::Asm];

    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The description in a heading.
    pub(crate) fn title(self, cuda: Cuda) -> String {
        let architecture = cuda.architecture;
        match self {
            Self::Source => "the file".to_owned(),
            Self::Wgsl => "WGSL, as browsers get it".to_owned(),
            Self::Spirv => "SPIR-V, for Vulkan".to_owned(),
            Self::Msl => "Metal Shading Language".to_owned(),
            Self::Hlsl => "HLSL, for DirectX 12".to_owned(),
            Self::Cuda => "CUDA C++".to_owned(),
            Self::Ptx => format!("PTX for sm_{architecture}"),
            Self::Sass => format!("SASS, machine code of sm_{architecture}"),
            Self::Clif => "Cranelift IR, for this processor".to_owned(),
            Self::Asm => "machine code of this processor".to_owned(),
        }
    }

    /// Whether the text of this stage names the WGSL lines that it comes from.
    pub(crate) fn has_lines(self) -> bool {
        matches!(self, Self::Source | Self::Spirv | Self::Cuda | Self::Ptx | Self::Sass)
    }

    /// Returns the text of `program` at this stage.
    ///
    /// # Errors
    /// The reason why this machine cannot make the stage, and what to install where that helps.
    pub(crate) fn text(self, program: &Program, cuda: Cuda) -> Result<String, String> {
        let through_wgpu = |to| anywarp_wgpu::translate::translate(program, to).map_err(|error| error.to_string());
        match self {
            Self::Source => Ok(program.source.as_ref().map_or_else(String::new, |source| source.text().to_owned())),
            Self::Wgsl => through_wgpu(Target::Wgsl),
            Self::Spirv => through_wgpu(Target::Spirv),
            Self::Msl => through_wgpu(Target::Msl),
            Self::Hlsl => through_wgpu(Target::Hlsl),
            Self::Cuda | Self::Ptx | Self::Sass => self.through_cuda(program, cuda),
            Self::Clif => anywarp_cpu::clif(program).map_err(|error| error.to_string()),
            Self::Asm => anywarp_cpu::assembly(program).map_err(|error| error.to_string()),
        }
    }

    #[cfg(feature = "cuda")]
    fn through_cuda(self, program: &Program, cuda: Cuda) -> Result<String, String> {
        use anywarp_cuda::stages;
        let text = match self {
            Self::Ptx => stages::ptx(program, cuda.looped, cuda.architecture),
            Self::Sass => stages::sass(program, cuda.looped, cuda.architecture),
            _ => stages::cuda(program, cuda.looped),
        };
        text.map_err(|error| error.to_string())
    }

    #[cfg(not(feature = "cuda"))]
    fn through_cuda(self, _: &Program, _: Cuda) -> Result<String, String> {
        Err("this build of anywarp has no CUDA: build it with the feature 'cuda'".to_owned())
    }
}
