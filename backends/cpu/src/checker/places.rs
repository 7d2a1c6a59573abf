//! The positions and variables of a kernel's reports, fixed at compilation; shared by checker and observer.

use std::sync::Arc;

use anywarp_backend::{BindingClass, Program, Spot};

use crate::ir::{CheckKind, CheckSpec, Function, SiteId};

/// The position in the source and the variable that a finding names.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) spot: Spot,
    pub(crate) variable: Arc<str>,
}

/// All checks that one kernel reports, and the sizes that their evaluation needs.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) kernel: Arc<str>,
    pub(crate) specs: Vec<CheckSpec>,
    pub(super) places: Vec<Place>,
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) workgroup_bytes: u32,
    /// By binding: its name, and whether it is a uniform buffer.
    pub(crate) bindings: Vec<(Arc<str>, bool)>,
    pub(super) private_bytes: u32,
    /// The binary logarithm of the number of bytes that one cell stands for: 2 bytes if the kernel accesses 16-bit
    /// types, otherwise 4 bytes.
    pub(super) shift: u32,
}

impl Checks {
    /// Moves the checks out of `function`, which was compiled from `program`.
    pub(crate) fn of(program: &Program, function: &mut Function) -> Arc<Self> {
        let specs = std::mem::take(&mut function.checks);
        let narrow = specs.iter().any(|spec| match &spec.kind {
            CheckKind::Access(reach) => {
                let odd = |bytes: &u32| !bytes.is_multiple_of(4);
                reach.pieces.iter().any(|(offset, bytes)| odd(offset) || odd(bytes))
                    || reach.indices.iter().any(|(stride, _)| odd(stride))
            }
            _ => false,
        });
        let file: Arc<str> =
            program.source.as_ref().map_or_else(|| program.name.as_ref().into(), |source| source.file().into());
        let places = function
            .sites
            .iter()
            .map(|site| Place { spot: spot(program, &file, site.span), variable: site.variable.as_str().into() });
        let bindings =
            program.bindings.iter().map(|info| (Arc::from(&*info.name), info.class == BindingClass::Uniform));
        Arc::new(Self {
            kernel: Arc::clone(&program.name),
            places: places.collect(),
            specs,
            workgroup_size: program.workgroup_size,
            workgroup_bytes: function.workgroup_bytes,
            bindings: bindings.collect(),
            private_bytes: function.private_bytes,
            shift: if narrow { 1 } else { 2 },
        })
    }

    /// The number of operands of the check with this number.
    pub(crate) fn operands(&self, number: u32) -> usize {
        match self.specs.get(number as usize).map(|spec| &spec.kind) {
            Some(CheckKind::Bounds(_) | CheckKind::Divisor | CheckKind::Written | CheckKind::Branch) => 1,
            Some(CheckKind::Access(reach)) => reach.indices.len(),
            Some(CheckKind::Iteration | CheckKind::Arrival(_) | CheckKind::Loop | CheckKind::Segment(_)) | None => 0,
        }
    }

    /// Returns the position and variable of a check, by the check's number.
    pub(crate) fn place(&self, check: u32) -> Option<&Place> {
        self.specs.get(check as usize).and_then(|spec| self.site(spec.site))
    }

    /// Returns the position and variable of a site.
    pub(super) fn site(&self, site: SiteId) -> Option<&Place> {
        self.places.get(site.0 as usize)
    }

    /// The number of invocations of a workgroup.
    pub(crate) fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}

fn spot(program: &Program, file: &Arc<str>, span: naga::Span) -> Spot {
    let unknown = || Spot { file: Arc::clone(file), line: 0, column: 0, width: 0, text: "".into() };
    let known = || program.source.as_deref()?.spot(span.to_range()?);
    known().unwrap_or_else(unknown)
}
