//! wgpu's translation of a program for each kind of driver, as text, on any machine.
//!
//! The modules and the writers' options are those of wgpu at run time: workgroup memory is zeroed, and unless the
//! program's author turns checks off, indices are checked and loops are limited, by the writer or by the module itself.

#[cfg(feature = "assembly")]
mod assembly;

use std::fmt;

use anywarp_backend::{BackendError, BindingClass, Program};
#[cfg(feature = "assembly")]
use naga::back::spv;
use naga::back::{hlsl, msl};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::{Module, ResourceBinding, ShaderStage};

use crate::kernel::ready::{Language, Made, ready};
use crate::kernel::text;

/// The language to translate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// WGSL after the front end: one entry point, and no overrides. A browser receives this text.
    Wgsl,
    /// SPIR-V 1.6 for Vulkan, as assembly text with names and lines. This target needs the feature `assembly`.
    Spirv,
    /// The Metal Shading Language, version 3.2: that of macOS 15, which supports all features of Apple's own GPUs.
    Msl,
    /// HLSL for DirectX 12, shader model 6.0 or the higher one that the kernel needs.
    Hlsl,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wgsl => "WGSL",
            Self::Spirv => "SPIR-V",
            Self::Msl => "MSL",
            Self::Hlsl => "HLSL",
        })
    }
}

/// The error for a program that cannot be translated.
#[derive(Clone, PartialEq, Eq)]
pub struct TranslateError {
    /// The language that the program cannot be translated to.
    pub to: Target,
    /// The program's name.
    pub kernel: String,
    /// The reason why the program cannot be translated.
    pub reason: String,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel '{}' cannot be translated to {}: {}", self.kernel, self.to, self.reason)
    }
}

impl std::error::Error for TranslateError {}

anywarp_backend::debug_as_display!(TranslateError);

/// Returns the text of a program in the language of `to`.
///
/// ```no_run
/// # fn example(program: &anywarp_backend::Program) -> Result<(), anywarp_wgpu::translate::TranslateError> {
/// use anywarp_wgpu::translate::{Target, translate};
///
/// println!("{}", translate(program, Target::Hlsl)?);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`TranslateError`] if the target's language cannot express the program.
pub fn translate(program: &Program, to: Target) -> Result<String, TranslateError> {
    let write = || match to {
        Target::Wgsl => as_wgsl(program),
        Target::Spirv => as_spirv(program),
        Target::Msl => as_msl(program),
        Target::Hlsl => as_hlsl(program),
    };
    // naga's writers panic on a few valid programs. The panic is caught, so that only the program is refused.
    let written = std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        Err(said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given").to_owned())
    });
    written.map_err(|reason| TranslateError { to, kernel: program.name.to_string(), reason })
}

/// Returns the module that wgpu receives on Vulkan, and the checks that wgpu inserts in addition to those in the
/// module: for benchmarks that compile the same module as anywarp.
///
/// # Errors
/// [`TranslateError`] if the workarounds for naga's SPIR-V writer make the module invalid.
pub fn given(program: &Program) -> Result<(Module, wgpu::ShaderRuntimeChecks), TranslateError> {
    let refused = |reason| TranslateError { to: Target::Spirv, kernel: program.name.to_string(), reason };
    let ready = ready(program, Language::Spirv).map_err(refused)?;
    Ok((ready.module.into_module(), ready.checks.by_wgpu()))
}

/// The text of an error with its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

fn policies(checks: Made) -> BoundsCheckPolicies {
    let policy = if checks.has_bounds() { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    BoundsCheckPolicies {
        index: policy,
        buffer: policy,
        image_load: policy,
        binding_array: BoundsCheckPolicy::Unchecked,
    }
}

fn as_wgsl(program: &Program) -> Result<String, String> {
    text::wgsl(&program.module).map_err(|error| match error {
        BackendError::Rejected { message, .. } => message,
        other => other.to_string(),
    })
}

#[cfg(not(feature = "assembly"))]
fn as_spirv(_: &Program) -> Result<String, String> {
    Err("anywarp-wgpu was built without its feature `assembly`: enable it to write SPIR-V".to_owned())
}

#[cfg(feature = "assembly")]
fn as_spirv(program: &Program) -> Result<String, String> {
    let ready = ready(program, Language::Spirv)?;
    let options = spv::Options {
        // The version of SPIR-V for Vulkan 1.3.
        lang_version: (1, 6),
        flags: spv::WriterFlags::LABEL_VARYINGS | spv::WriterFlags::DEBUG,
        fake_missing_bindings: false,
        bounds_check_policies: policies(ready.checks),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        force_loop_bounding: ready.checks.has_bounds(),
        emit_int_div_checks: ready.checks.has_divisors(),
        debug_info: program.source.as_deref().map(|source| spv::DebugInfo {
            source_code: source.text(),
            file_name: source.file(),
            language: spv::SourceLanguage::WGSL,
        }),
        binding_map: (program.bindings.iter().map(|info| (binding(info.resource), info.resource)))
            .map(|(key, resource)| {
                let (descriptor_set, binding) = (resource.group, resource.binding);
                (key, spv::BindingInfo { descriptor_set, binding, binding_array_size: None })
            })
            .collect(),
        ..spv::Options::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: program.entry_point.clone() };
    let words = spv::write_vec(&ready.module, ready.module.info(), &options, Some(&pipeline));
    assembly::text(&words.map_err(|error| chain(&error))?)
}

fn as_msl(program: &Program) -> Result<String, String> {
    let ready = ready(program, Language::Other)?;
    let options = msl::Options {
        lang_version: (3, 2),
        per_entry_point_map: [(program.entry_point.clone(), msl_resources(program)?)].into(),
        fake_missing_bindings: false,
        spirv_cross_compatibility: false,
        bounds_check_policies: policies(ready.checks),
        zero_initialize_workgroup_memory: true,
        force_loop_bounding: ready.checks.has_bounds(),
        emit_int_div_checks: ready.checks.has_divisors(),
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, program.entry_point.clone())),
        vertex_pulling_transform: true,
        ..msl::PipelineOptions::default()
    };
    let (text, written) =
        msl::write_string(&ready.module, ready.module.info(), &options, &pipeline).map_err(|error| chain(&error))?;
    // The writer may succeed although it failed to write the entry point.
    written.entry_point_names.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| chain(&error))?;
    Ok(text)
}

/// Numbers the buffers in wgpu's order: immediates, bindings, and the lengths of arrays if there is a storage binding.
fn msl_resources(program: &Program) -> Result<msl::EntryPointResources, String> {
    // Metal has 31 buffers per kernel, numbered from 0.
    let mut free = 0..31;
    let mut next = || free.next().ok_or_else(|| "it needs more than Metal's 31 buffers".to_owned());
    let mut resources = msl::EntryPointResources::default();
    if program.immediate.is_some() {
        resources.immediates_buffer = Some(next()?);
    }
    for info in &program.bindings {
        let mutable = info.class == BindingClass::Storage;
        let target = msl::BindTarget { buffer: Some(next()?), mutable, ..msl::BindTarget::default() };
        resources.resources.insert(binding(info.resource), target);
    }
    if program.bindings.iter().any(|info| info.class != BindingClass::Uniform) {
        resources.sizes_buffer = Some(next()?);
    }
    Ok(resources)
}

fn as_hlsl(program: &Program) -> Result<String, String> {
    let ready = ready(program, Language::Hlsl)?;
    let checked = ready.checks.has_bounds();
    // Bind groups are register spaces; wgpu's own resources use a space that no group has.
    let own = |register| Some(hlsl::BindTarget { space: u8::MAX, register, ..hlsl::BindTarget::default() });
    let mut options = hlsl::Options {
        shader_model: shader_model(program),
        fake_missing_bindings: false,
        special_constants_binding: own(0).filter(|_| counts_workgroups(program)),
        immediates_target: own(1),
        restrict_indexing: checked,
        force_loop_bounding: checked,
        ..hlsl::Options::default()
    };
    for info in &program.bindings {
        let space = u8::try_from(info.resource.group).map_err(|_| "its highest bind group exceeds 255".to_owned())?;
        let register = info.resource.binding;
        let target = hlsl::BindTarget { space, register, restrict_indexing: checked, ..hlsl::BindTarget::default() };
        options.binding_map.insert(binding(info.resource), target);
    }
    let entry_point = Some((ShaderStage::Compute, program.entry_point.clone()));
    let pipeline = hlsl::PipelineOptions { entry_point };
    let mut text = String::new();
    let written = hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(&ready.module, ready.module.info(), None)
        .map_err(|error| chain(&error))?;
    written.entry_point_names.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| chain(&error))?;
    Ok(text)
}

/// Whether the program uses `num_workgroups`, which wgpu passes in a buffer of its own.
fn counts_workgroups(program: &Program) -> bool {
    let is_used =
        |binding: &Option<naga::Binding>| matches!(binding, Some(naga::Binding::BuiltIn(naga::BuiltIn::NumWorkGroups)));
    let arguments = || program.module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
    arguments().any(|argument| match &program.module.types[argument.ty].inner {
        naga::TypeInner::Struct { members, .. } => members.iter().any(|member| is_used(&member.binding)),
        _ => is_used(&argument.binding),
    })
}

/// The lowest shader model that has the program's types.
fn shader_model(program: &Program) -> hlsl::ShaderModel {
    let types = || program.module.types.iter().filter_map(|(_, ty)| ty.inner.scalar());
    let atomic = |ty: &naga::TypeInner| matches!(ty, naga::TypeInner::Atomic(scalar) if scalar.width == 8);
    if program.module.types.iter().any(|(_, ty)| atomic(&ty.inner)) {
        hlsl::ShaderModel::V6_6
    } else if types().any(|scalar| scalar.width == 2) {
        hlsl::ShaderModel::V6_2
    } else {
        hlsl::ShaderModel::V6_0
    }
}

fn binding(resource: anywarp_backend::ResourceId) -> ResourceBinding {
    ResourceBinding { group: resource.group, binding: resource.binding }
}
