//! The front end: from WGSL text to a specialised, validated, reflected program.

use std::sync::Arc;

use anywarp_backend::{BindingInfo, Caps, Leave, Program, Source};
use anywarp_wgsl::reflect::{Reflection, reflect};
use anywarp_wgsl::{diagnostic, module};
use naga::ShaderStage;
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::debug::{self, Number};
use super::features;
use super::middle::{Passed, pass};
use super::passes::fold_grid::fold_grid;
use super::source::Wgsl;
use crate::debug::Sites;
use crate::error::KernelError;

/// What other devices of the machine can do, asked only when an error wants to say so.
pub(crate) type Others<'a> = &'a (dyn Fn() -> Vec<(String, Capabilities)> + Sync);

/// Makes a program of `source`, which is what `wgsl` is composed to, for a device with `caps`. If it
/// prints, its last binding is what it prints into, and `number` has given numbers to its calls.
pub(crate) fn program(
    wgsl: &Wgsl<'_>,
    source: Arc<Source>,
    caps: &Caps,
    others: Others<'_>,
    number: Number<'_>,
) -> Result<(Program, Option<Arc<Sites>>), KernelError> {
    let module = module::parse(&source)?;
    let invalid = |error: Box<_>| KernelError::from(diagnostic::of_validator(&source, &error));
    let info = module::validate(&module).map_err(invalid)?;
    let marked = debug::marked(&source, &module)?;
    let entry = entry_point(wgsl, &module)?;
    let name: Arc<str> = format!("{}:{entry}", wgsl.file).into();

    let mut module = specialise(wgsl, &source, &name, module, &info, &entry)?;
    module.entry_points.retain(|point| point.stage == ShaderStage::Compute && point.name == entry);
    compact(&mut module, KeepUnused::No);
    let info = module::validate(&module).map_err(invalid)?;

    let reflection = reflect(&module, &info, 0);
    check_globals(&source, &name, &reflection)?;
    check_features(&source, &name, &module, caps, others)?;
    let workgroup_size = module.entry_points[0].workgroup_size;
    check_limits(&name, caps, &reflection, workgroup_size)?;
    let at = next_binding(&reflection.bindings, caps);
    let Some((module, sites)) = debug::print(&source, &name, &module, &marked, at, caps, number)? else {
        let passed = pass(&name, module, info, caps, wgsl.leave.checks);
        return Ok((assemble(name, passed, entry, reflection, Some(source), wgsl.leave), None));
    };
    let info = module::validate(&module).map_err(invalid)?;
    let reflection = reflect(&module, &info, 0);
    check_limits(&name, caps, &reflection, workgroup_size).map_err(because_it_prints)?;
    let passed = pass(&name, module, info, caps, wgsl.leave.checks);
    Ok((assemble(name, passed, entry, reflection, Some(source), wgsl.leave), Some(sites)))
}

/// The same program for grids that the device cannot dispatch as they are. Its last binding is the
/// logical grid, three `u32`.
pub(crate) fn folded(program: &Program, caps: &Caps) -> Result<Program, KernelError> {
    let at = next_binding(&program.bindings, caps);
    let failed = |message: String| KernelError::Compile {
        kernel: program.name.to_string(),
        device: caps.name.clone(),
        error: anywarp_backend::BackendError::Rejected { operation: "folding the grid", message },
    };
    let mut module = fold_grid(&program.module, &program.entry_point, at).map_err(|error| failed(error.to_string()))?;
    module.entry_points.retain(|point| point.name == program.entry_point);
    let info = module::validate(&module).map_err(|error| failed(error.into_inner().to_string()))?;
    let reflection = reflect(&module, &info, 0);
    check_limits(&program.name, caps, &reflection, program.workgroup_size)?;
    let (name, entry) = (Arc::clone(&program.name), program.entry_point.clone());
    let passed = pass(&name, module, info, caps, program.leave.checks);
    Ok(assemble(name, passed, entry, reflection, program.source.clone(), program.leave))
}

/// The first place behind all bindings.
fn next_binding(bindings: &[BindingInfo], caps: &Caps) -> naga::ResourceBinding {
    let group = bindings.last().map_or(0, |last| last.resource.group);
    let binding = bindings.last().map_or(0, |last| last.resource.binding + 1);
    if binding < caps.limits.bindings_per_group {
        naga::ResourceBinding { group, binding }
    } else {
        naga::ResourceBinding { group: group + 1, binding: 0 }
    }
}

/// The kernel itself was within the limits.
fn because_it_prints(error: KernelError) -> KernelError {
    match error {
        KernelError::AboveLimit { kernel, what, wanted, limit, device } => {
            let what = format!("one more storage buffer to print into, and so {what}");
            KernelError::AboveLimit { kernel, what, wanted, limit, device }
        }
        other => other,
    }
}

fn assemble(
    name: Arc<str>,
    passed: Passed,
    entry_point: String,
    reflection: Reflection,
    source: Option<Arc<Source>>,
    leave: Leave,
) -> Program {
    let Passed { module, info, proofs } = passed;
    Program {
        name,
        workgroup_size: module.entry_points[0].workgroup_size,
        module: Arc::new(module),
        info: Arc::new(info),
        entry_point,
        bindings: reflection.bindings,
        immediate: reflection.immediate,
        workgroup_storage: reflection.workgroup_storage,
        source,
        leave,
        proofs,
    }
}

fn entry_point(wgsl: &Wgsl<'_>, module: &naga::Module) -> Result<String, KernelError> {
    let compute: Vec<String> = module
        .entry_points
        .iter()
        .filter(|point| point.stage == ShaderStage::Compute)
        .map(|point| point.name.clone())
        .collect();
    let file = wgsl.file.to_string();
    match (&wgsl.entry, compute.as_slice()) {
        (Some(name), names) if names.iter().any(|candidate| candidate == name) => Ok(name.to_string()),
        (None, [only]) => Ok(only.clone()),
        (None | Some(_), []) => {
            let others: Vec<String> =
                module.entry_points.iter().map(|point| format!("{} ({:?})", point.name, point.stage)).collect();
            let others = if others.is_empty() { String::new() } else { format!("; it has {}", others.join(", ")) };
            Err(KernelError::NoEntryPoint { file, others })
        }
        (Some(name), _) => Err(KernelError::UnknownEntryPoint { file, name: name.to_string(), candidates: compute }),
        (None, _) => Err(KernelError::WhichEntryPoint { file, candidates: compute }),
    }
}

/// Gives every override its value.
fn specialise(
    wgsl: &Wgsl<'_>,
    source: &Source,
    kernel: &str,
    module: naga::Module,
    info: &ModuleInfo,
    entry: &str,
) -> Result<naga::Module, KernelError> {
    let known: Vec<String> = module
        .overrides
        .iter()
        .filter_map(|(_, item)| item.id.map(|id| id.to_string()).or_else(|| item.name.clone()))
        .collect();
    let mut constants = PipelineConstants::default();
    for (name, value) in &wgsl.overrides {
        // An override with an @id may also be set by its name.
        let id = module.overrides.iter().find_map(|(_, item)| {
            (item.name.as_deref() == Some(name)).then(|| item.id.map_or_else(|| name.to_string(), |id| id.to_string()))
        });
        let key = id.unwrap_or_else(|| name.to_string());
        if !known.contains(&key) {
            let candidates = module.overrides.iter().filter_map(|(_, item)| item.name.clone()).collect();
            return Err(KernelError::UnknownOverride { kernel: kernel.to_owned(), name: name.to_string(), candidates });
        }
        constants.insert(key, *value);
    }
    if module.overrides.is_empty() {
        return Ok(module);
    }
    let done = process_overrides(&module, info, Some((ShaderStage::Compute, entry)), &constants)
        .map(|(module, _)| module.into_owned());
    done.map_err(|error| match error {
        PipelineConstantError::ValidationError(error) => diagnostic::of_validator(source, &error).into(),
        other => KernelError::Override { kernel: kernel.to_owned(), message: other.to_string() },
    })
}

fn check_globals(source: &Source, kernel: &str, reflection: &Reflection) -> Result<(), KernelError> {
    reflection.foreign.as_ref().map_or(Ok(()), |(name, span)| {
        Err(KernelError::Unsupported {
            kernel: kernel.to_owned(),
            what: format!("'{name}', a texture, sampler or other resource that is not a buffer"),
            place: features::place(source, Some(*span)),
        })
    })
}

fn check_features(
    source: &Source,
    kernel: &str,
    module: &naga::Module,
    caps: &Caps,
    others: Others<'_>,
) -> Result<(), KernelError> {
    let valid = Validator::new(ValidationFlags::all(), caps.shader).validate(module).is_ok();
    if valid && features::unnoticed(module, caps.shader).is_none() {
        return Ok(());
    }
    let Some((feature, span)) = features::missing(module, caps.shader) else {
        return Err(KernelError::Unsupported {
            kernel: kernel.to_owned(),
            what: "a feature that compute devices do not have".to_owned(),
            place: None,
        });
    };
    let having: Vec<String> = others()
        .into_iter()
        .filter(|(_, shader)| features::missing(module, *shader).is_none())
        .map(|(selector, _)| selector)
        .collect();
    let others = if having.is_empty() {
        "no other device of this machine can run it".to_owned()
    } else {
        format!("devices that can run it: {}", having.join(", "))
    };
    Err(KernelError::MissingFeature {
        kernel: kernel.to_owned(),
        feature: feature.to_owned(),
        device: caps.name.clone(),
        place: features::place(source, span),
        others,
    })
}

fn check_limits(
    kernel: &str,
    caps: &Caps,
    reflection: &Reflection,
    workgroup_size: [u32; 3],
) -> Result<(), KernelError> {
    use anywarp_backend::BindingClass::Uniform;
    let limits = &caps.limits;
    let uniforms = reflection.bindings.iter().filter(|info| info.class == Uniform).count() as u64;
    let storage = reflection.bindings.len() as u64 - uniforms;
    let invocations = workgroup_size.iter().map(|size| u64::from(*size)).product();
    let last = |of: fn(&BindingInfo) -> u32| {
        reflection.bindings.iter().map(of).max().map_or(0, |highest| u64::from(highest) + 1)
    };
    let immediate = reflection.immediate.as_ref().map_or(0, |(_, layout)| u64::from(layout.size));
    let checks = [
        ("a workgroup size in x of", u64::from(workgroup_size[0]), limits.workgroup_size[0]),
        ("a workgroup size in y of", u64::from(workgroup_size[1]), limits.workgroup_size[1]),
        ("a workgroup size in z of", u64::from(workgroup_size[2]), limits.workgroup_size[2]),
        ("invocations in a workgroup:", invocations, limits.workgroup_invocations),
        ("bytes of workgroup memory:", u64::from(reflection.workgroup_storage), limits.workgroup_storage),
        ("storage buffers:", storage, limits.storage_buffers),
        ("uniform buffers:", uniforms, limits.uniform_buffers),
        ("bind groups:", last(|info| info.resource.group), limits.bind_groups),
        ("bindings in a group:", last(|info| info.resource.binding), limits.bindings_per_group),
        ("bytes of immediates:", immediate, limits.immediate_size),
    ];
    for (what, wanted, limit) in checks {
        if wanted > u64::from(limit) {
            return Err(KernelError::AboveLimit {
                kernel: kernel.to_owned(),
                what: what.to_owned(),
                wanted: wanted.to_string(),
                limit: limit.to_string(),
                device: caps.name.clone(),
            });
        }
    }
    Ok(())
}
