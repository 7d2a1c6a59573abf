//! The positions and variables of a kernel's reports, fixed at compilation.

use std::sync::Arc;

use anywarp_backend::{Program, Spot};

use crate::ir::{CheckKind, CheckSpec, Function, SiteId};

/// The position in the source and the variable that a finding names.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) spot: Spot,
    pub(super) variable: Arc<str>,
}

/// All checks that one kernel reports, and the sizes that their evaluation needs.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(super) kernel: Arc<str>,
    pub(super) specs: Vec<CheckSpec>,
    pub(super) places: Vec<Place>,
    pub(super) workgroup_size: [u32; 3],
    pub(super) workgroup_bytes: u32,
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
        Arc::new(Self {
            kernel: Arc::clone(&program.name),
            places: places.collect(),
            specs,
            workgroup_size: program.workgroup_size,
            workgroup_bytes: function.workgroup_bytes,
            private_bytes: function.private_bytes,
            shift: if narrow { 1 } else { 2 },
        })
    }

    /// Returns the position and variable of a check, by the check's number.
    pub(super) fn place(&self, check: u32) -> Option<&Place> {
        self.specs.get(check as usize).and_then(|spec| self.site(spec.site))
    }

    /// Returns the position and variable of a site.
    pub(super) fn site(&self, site: SiteId) -> Option<&Place> {
        self.places.get(site.0 as usize)
    }

    /// The number of invocations of a workgroup.
    pub(super) fn invocations(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}

fn spot(program: &Program, file: &Arc<str>, span: naga::Span) -> Spot {
    let unknown = || Spot { file: Arc::clone(file), line: 0, column: 0, width: 0, text: "".into() };
    let known = || program.source.as_deref()?.spot(span.to_range()?);
    known().unwrap_or_else(unknown)
}
