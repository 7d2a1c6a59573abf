//! A program in the form for wgpu: with explicit checks in its module, which wgpu then need not insert.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(target_arch = "wasm32"))]
use anywarp_backend::Refused;
#[cfg(not(target_arch = "wasm32"))]
use anywarp_backend::naga::Module;
use anywarp_backend::{Checks, Program, Validated};

/// A program in the form that is passed to wgpu.
pub(crate) struct Ready {
    /// The module, which contains explicit checks if `checks` is [`Made::Divisors`].
    pub(crate) module: Validated,
    /// The checks that wgpu inserts.
    pub(crate) checks: Made,
}

/// The checks that wgpu inserts, in addition to those in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// All checks: those of indices, iterations of loops and integer divisors.
    All,
    /// The checks of integer divisors, whose cost is not measurable. All other checks are in the module.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a browser makes its own"))]
    Divisors,
    /// No checks.
    Nothing,
}

impl Made {
    /// The option of wgpu for these checks.
    pub(crate) fn by_wgpu(self) -> wgpu::ShaderRuntimeChecks {
        let checked = wgpu::ShaderRuntimeChecks::checked();
        match self {
            Self::All => checked,
            Self::Divisors => wgpu::ShaderRuntimeChecks { bounds_checks: false, force_loop_bounding: false, ..checked },
            Self::Nothing => wgpu::ShaderRuntimeChecks::unchecked(),
        }
    }

    /// Whether wgpu checks indices and limits loops.
    #[cfg(feature = "translate")]
    pub(crate) fn has_bounds(self) -> bool {
        self == Self::All
    }

    /// Whether wgpu checks integer divisors for zero.
    #[cfg(feature = "translate")]
    pub(crate) fn has_divisors(self) -> bool {
        self != Self::Nothing
    }
}

/// The language to which wgpu translates a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// SPIR-V, for Vulkan.
    Spirv,
    /// HLSL, for DirectX 12.
    Hlsl,
    /// Any other.
    Other,
}

impl Language {
    /// The language for the drivers of a backend.
    pub(crate) fn of(backend: wgpu::Backend) -> Self {
        match backend {
            wgpu::Backend::Vulkan => Self::Spirv,
            wgpu::Backend::Dx12 => Self::Hlsl,
            _ => Self::Other,
        }
    }
}

/// Prepares a program for wgpu, which translates it to this language.
///
/// # Errors
/// A message about a function that drivers lack, or the validator's message if the module is invalid after the
/// workarounds for the writer or the compiler of the language.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn ready(program: &Program, language: Language) -> Result<Ready, String> {
    if let Some(reason) = super::wide_math::refusal(&program.module) {
        return Err(reason);
    }
    let module = || program.module.clone();
    let (module, checks) = match (program.leave.checks, &program.proofs) {
        (Checks::Off(_), _) => (module(), Made::Nothing),
        (Checks::Driver, _) | (Checks::Proven, None) => (module(), Made::All),
        (Checks::Proven, Some(proofs)) => {
            checked(program, anywarp_middle::explicit::explicit(&program.module, program.module.info(), proofs))
        }
    };
    let invalid = |refused: Box<Refused>| refused.error.emit_to_string("");
    match language {
        Language::Other => return Ok(Ready { module, checks }),
        Language::Hlsl => {
            let whole = anywarp_middle::members::to_whole_arrays(&module, module.info());
            let module = module.after_pass(whole).map_err(invalid)?;
            let columns = anywarp_middle::columns::by_columns(&module, module.info());
            return Ok(Ready { module: module.after_pass(columns).map_err(invalid)?, checks });
        }
        Language::Spirv => {}
    }
    // Only SPIR-V needs whole variables as arguments, and only its writer has the faults with 64-bit integers and array
    // values that these passes work around.
    let whole = anywarp_middle::pointers::to_whole_variables(&module);
    let module = module.after_pass(whole).map_err(invalid)?;
    let mended = anywarp_middle::wide::mend(&module, module.info());
    let module = module.after_pass(mended).map_err(invalid)?;
    let placed = anywarp_middle::tables::to_variables(&module, module.info());
    Ok(Ready { module: module.after_pass(placed).map_err(invalid)?, checks })
}

/// Returns `made`, the program's module with explicit checks, if it is valid. Otherwise returns the program's module as
/// it was, into which wgpu inserts the checks.
#[cfg(not(target_arch = "wasm32"))]
fn checked(program: &Program, made: Option<Module>) -> (Validated, Made) {
    match program.module.clone().after_pass(made) {
        Ok(module) => (module, Made::Divisors),
        Err(refused) => {
            complain(program, &refused.error.emit_to_string(""));
            (program.module.clone(), Made::All)
        }
    }
}

/// Returns the program's module unchanged, because a browser inserts its own checks.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn ready(program: &Program, _: Language) -> Result<Ready, String> {
    let checks = if matches!(program.leave.checks, Checks::Off(_)) { Made::Nothing } else { Made::All };
    Ok(Ready { module: program.module.clone(), checks })
}

/// Logs, once in the process, that checks could not be added to a module.
#[cfg(not(target_arch = "wasm32"))]
fn complain(program: &Program, reason: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        log::error!(
            "kernel '{}': explicit checks could not be added, so that wgpu inserts all of its own and the kernel is slower; \
             please report this: {reason}",
            program.name
        );
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::sync::Arc;

    use anywarp_backend::naga::{Span, Statement, front::wgsl, valid::Capabilities};
    use anywarp_backend::{FunctionProofs, Leave, Proofs, Unchecked};

    use super::*;

    const SOURCE: &str = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            loop { if data[id.x] / id.y == 3u { break; } data[id.x] += 1u; }
        }";

    fn program(checks: Checks, proofs: Option<Proofs>) -> Program {
        let module = wgsl::parse_str(SOURCE).unwrap();
        Program {
            name: "a.wgsl:main".into(),
            module: Validated::new(module, Capabilities::all()).unwrap(),
            entry_point: "main".to_owned(),
            workgroup_size: [64, 1, 1],
            bindings: Vec::new(),
            immediate: None,
            workgroup_storage: 0,
            source: None,
            leave: Leave { checks, ..Leave::default() },
            proofs: proofs.map(Arc::new),
        }
    }

    fn all() -> Proofs {
        let entry = FunctionProofs { in_range: vec![true; 64], ends: vec![true], turns: Vec::new() };
        Proofs { functions: Vec::new(), entry }
    }

    /// Whether the module was changed, and which checks wgpu inserts.
    fn of(program: &Program) -> (bool, Made) {
        let ready = ready(program, Language::Spirv).unwrap();
        let other = format!("{:?}", ready.module) != format!("{:?}", program.module);
        (other, ready.checks)
    }

    #[test]
    fn checks_are_in_the_module_or_left_to_wgpu() {
        // SAFETY: no kernel is run.
        let off = Checks::Off(unsafe { Unchecked::promise() });
        let nothing = || Some(Proofs::default());
        for (name, program, wanted) in [
            ("nothing is proven", program(Checks::Proven, nothing()), (true, Made::Divisors)),
            ("all is proven", program(Checks::Proven, Some(all())), (false, Made::Divisors)),
            ("nothing was proven", program(Checks::Proven, None), (false, Made::All)),
            ("the driver's own are asked for", program(Checks::Driver, Some(all())), (false, Made::All)),
            ("none are", program(off, nothing()), (false, Made::Nothing)),
        ] {
            assert_eq!(of(&program), wanted, "{name}: whether the module changed, and the checks by wgpu");
        }
    }

    #[test]
    fn wgpu_inserts_checks_where_explicit_ones_are_invalid() {
        let program = program(Checks::Proven, Some(Proofs::default()));
        let mut module = program.module.clone().into_module();
        // A `return` with a value in an entry point that has no result.
        let function = &mut module.entry_points[0].function;
        let (value, _) = function.expressions.iter().next().unwrap();
        function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
        let (module, checks) = checked(&program, Some(module));
        assert_eq!(format!("{module:?}"), format!("{:?}", program.module), "the module is unchanged");
        assert_eq!(checks, Made::All);
    }

    #[test]
    fn the_module_is_validated_where_it_was_changed() {
        let runs = |checks, proofs, language| {
            let program = program(checks, proofs);
            let before = Validated::runs();
            ready(&program, language).unwrap();
            Validated::runs() - before
        };
        for language in [Language::Spirv, Language::Hlsl, Language::Other] {
            assert_eq!(runs(Checks::Driver, None, language), 0, "it stays unchanged");
            assert_eq!(runs(Checks::Proven, Some(all()), language), 0, "it needs no checks");
            assert_eq!(runs(Checks::Proven, Some(Proofs::default()), language), 1, "it gets its checks");
        }
    }

    #[test]
    fn stores_to_arrays_in_structs_go_through_copies_for_hlsl() {
        let text = "struct State { count: u32, next: array<u32, 4> }
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1) fn main() {
                var state: State;
                state.next[data[0] & 3u] = 1u;
                data[1] = state.next[data[2] & 3u];
            }";
        let module = Validated::new(wgsl::parse_str(text).unwrap(), Capabilities::all()).unwrap();
        let program = Program { module, ..program(Checks::Driver, None) };
        let variables = |language| {
            let ready = ready(&program, language).unwrap();
            ready.module.entry_points[0].function.local_variables.len()
        };
        assert_eq!([Language::Spirv, Language::Hlsl, Language::Other].map(variables), [1, 2, 1]);
    }

    #[cfg(feature = "translate")]
    #[test]
    fn texts_have_the_checks_that_are_compiled() {
        use crate::translate::{Target, translate};

        let marks = |checks, proofs| {
            let mut program = program(checks, proofs);
            let at = anywarp_backend::ResourceId { group: 0, binding: 0 };
            let shape = anywarp_backend::Shape::Struct { fields: Vec::new() };
            program.bindings.push(anywarp_backend::BindingInfo {
                name: "data".to_owned(),
                resource: at,
                class: anywarp_backend::BindingClass::Storage,
                access: anywarp_backend::Access::Write,
                layout: anywarp_backend::Layout { name: String::new(), size: 4, align: 4, shape },
            });
            let text = translate(&program, Target::Msl).unwrap();
            ["loop_bound", "turns_low", "last_index", "naga_div"].map(|mark| text.contains(mark))
        };
        let driver = marks(Checks::Driver, Some(all()));
        let unproven = marks(Checks::Proven, Some(Proofs::default()));
        let proven = marks(Checks::Proven, Some(all()));
        assert_eq!(driver, [true, false, false, true], "Driver");
        assert_eq!(unproven, [false, true, true, true], "Proven, and nothing is");
        assert_eq!(proven, [false, false, false, true], "Proven, and all is");
    }
}
