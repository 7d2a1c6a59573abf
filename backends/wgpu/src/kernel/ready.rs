//! A program as wgpu is given it: with the checks in it that wgpu then need not make.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(target_arch = "wasm32"))]
use anywarp_backend::naga::valid::{Capabilities, ValidationFlags, Validator};
use anywarp_backend::naga::{Module, valid::ModuleInfo};
use anywarp_backend::{Checks, Program};

/// A program as wgpu is given it.
pub(crate) struct Ready<'p> {
    program: &'p Program,
    made: Option<(Module, ModuleInfo)>,
    /// Which checks wgpu makes.
    pub(crate) checks: Made,
}

/// Which checks are made of a module, beside those that are part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// All: indices, turns of loops, divisors.
    All,
    /// Those of integers' divisors, which cost nothing that can be measured. The others are in the module.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a browser makes its own"))]
    Divisors,
    /// None.
    Nothing,
}

impl Made {
    /// Whether indices are kept in range, and loops end.
    #[cfg(feature = "translate")]
    pub(crate) fn has_bounds(self) -> bool {
        self == Self::All
    }

    /// Whether integers are divided by what is not zero.
    #[cfg(feature = "translate")]
    pub(crate) fn has_divisors(self) -> bool {
        self != Self::Nothing
    }
}

impl Ready<'_> {
    /// The module.
    pub(crate) fn module(&self) -> &Module {
        self.made.as_ref().map_or(&self.program.module, |(module, _)| module)
    }

    /// The results of naga's validator for it.
    #[cfg(feature = "translate")]
    pub(crate) fn info(&self) -> &ModuleInfo {
        self.made.as_ref().map_or(&self.program.info, |(_, info)| info)
    }
}

/// Makes a program ready. `spirv`: what is written of it is SPIR-V.
///
/// # Errors
/// The error of a module that was put right for the SPIR-V writer and is not valid.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn ready(program: &Program, spirv: bool) -> Result<Ready<'_>, String> {
    let (mut made, checks) = match (program.leave.checks, &program.proofs) {
        (Checks::Off(_), _) => (None, Made::Nothing),
        (Checks::Driver, _) | (Checks::Proven, None) => (None, Made::All),
        (Checks::Proven, Some(proofs)) => {
            let checked = anywarp_middle::explicit::explicit(&program.module, &program.info, proofs);
            match validated(&checked) {
                Ok(info) => (Some((checked, info)), Made::Divisors),
                Err(reason) => {
                    complain(program, &reason);
                    (None, Made::All)
                }
            }
        }
    };
    if spirv {
        // Others than the SPIR-V writer get 64-bit integers right.
        let (module, info) = made.as_ref().map_or((&*program.module, &*program.info), |(module, info)| (module, info));
        if let Some(mended) = anywarp_middle::wide::mend(module, info) {
            let info = validated(&mended)?;
            made = Some((mended, info));
        }
    }
    Ok(Ready { program, made, checks })
}

/// In a browser: as it is. What takes the text has checks of its own.
#[cfg(target_arch = "wasm32")]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn ready(program: &Program, _: bool) -> Result<Ready<'_>, String> {
    let checks = if matches!(program.leave.checks, Checks::Off(_)) { Made::Nothing } else { Made::All };
    Ok(Ready { program, made: None, checks })
}

#[cfg(not(target_arch = "wasm32"))]
fn validated(module: &Module) -> Result<ModuleInfo, String> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| error.emit_to_string(""))
}

/// Says once that checks could not be put into a module.
#[cfg(not(target_arch = "wasm32"))]
fn complain(program: &Program, reason: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        log::error!(
            "the checks of kernel '{}' could not be made part of it, so that it keeps all of wgpu's and is slower; \
             please report this: {reason}",
            program.name
        );
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::sync::Arc;

    use anywarp_backend::naga::{Span, Statement, front::wgsl};
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
            info: Arc::new(validated(&module).unwrap()),
            module: Arc::new(module),
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

    /// Whether the module is another, and what is left to wgpu.
    fn of(program: &Program) -> (bool, Made) {
        let ready = ready(program, true).unwrap();
        let other = format!("{:?}", ready.module()) != format!("{:?}", program.module);
        (other, ready.checks)
    }

    #[test]
    fn checks_are_in_the_module_or_left_to_wgpu() {
        // SAFETY: nothing is run.
        let off = Checks::Off(unsafe { Unchecked::promise() });
        let nothing = || Some(Proofs::default());
        for (name, program, wanted) in [
            ("nothing is proven", program(Checks::Proven, nothing()), (true, Made::Divisors)),
            ("all is proven", program(Checks::Proven, Some(all())), (false, Made::Divisors)),
            ("nothing was proven", program(Checks::Proven, None), (false, Made::All)),
            ("the driver's own are asked for", program(Checks::Driver, Some(all())), (false, Made::All)),
            ("none are", program(off, nothing()), (false, Made::Nothing)),
        ] {
            assert_eq!(of(&program), wanted, "{name}: another module, and what wgpu makes");
        }
    }

    #[test]
    fn what_cannot_have_its_checks_is_left_to_wgpu() {
        let mut broken = program(Checks::Proven, Some(Proofs::default()));
        let mut module = (*broken.module).clone();
        // An entry point without a result returns one.
        let function = &mut module.entry_points[0].function;
        let (value, _) = function.expressions.iter().next().unwrap();
        function.body.push(Statement::Return { value: Some(value) }, Span::UNDEFINED);
        assert!(validated(&module).is_err(), "the module should not be valid");
        broken.module = Arc::new(module);
        assert_eq!(of(&broken), (false, Made::All), "another module, and what wgpu makes");
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
