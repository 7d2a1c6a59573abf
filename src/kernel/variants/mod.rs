//! Variants of a kernel: the same kernel compiled again, with values that its launches share as constants.
//!
//! Where the size of a picture, the length of its buffer and the grid stay the same, the compiler can prove that an
//! index computed from them is in range. Launches are grouped into [`Shape`]s by grid and by the bytes bound to each
//! slot. Each shape records which integers of the uniforms and immediates stay the same. After [`PATIENCE`] launches
//! with the same values a variant is compiled for these values. Each later launch is compared with them, and runs the
//! variant if they are equal. Launches whose values differ may still meet the same [conditions](related), and get a
//! variant for these. All other launches run the kernel without constants.

mod related;
mod shapes;
mod workshop;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{Caps, Program};
use anywarp_middle::Circumstances;
use smallvec::SmallVec;

use super::compiled::Compiled;
use super::values::Values;
use shapes::{Shapes, State, circumstances, mark_integers, passed_by_value};
pub(crate) use workshop::{Job, Workshop};

/// The time at which variants of kernels are compiled: see [`DeviceOptions::variants`](crate::DeviceOptions::variants).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variants {
    /// After 16 similar launches, on a background thread. Launches run the unspecialised kernel until the variant is
    /// ready.
    #[default]
    InBackground,
    /// Before the first launch that has no variant, which waits for the compiler: for tests, and where every run must
    /// behave the same.
    AtOnce,
    /// As [`AtOnce`](Self::AtOnce), but only for conditions between the values of a launch, such as
    /// `n <= arrayLength(&x)`, and without constants: for tests.
    AtOnceByConditions,
    /// Never: each launch runs the unspecialised kernel.
    Never,
}

impl Variants {
    /// The value of `ANYWARP_VARIANTS`.
    pub(crate) fn of_environment() -> Self {
        let words = [
            ("in-background", Self::InBackground),
            ("at-once", Self::AtOnce),
            ("at-once-by-conditions", Self::AtOnceByConditions),
            ("never", Self::Never),
        ];
        crate::environment::variants(&words).unwrap_or_default()
    }

    /// The number of similar launches before a variant is compiled.
    fn patience(self) -> u32 {
        match self {
            Self::InBackground => PATIENCE,
            _ => 1,
        }
    }
}

/// The number of similar launches after which a variant is compiled; also the number of successive launches that a
/// variant does not fit after which the variant is dropped.
const PATIENCE: u32 = 16;

/// The greatest number of variants that are compiled for one kernel in its lifetime with values of its launches as
/// constants.
const MAX_VARIANTS: u32 = 8;

/// The properties of a launch that decide which variant it runs.
pub(crate) struct Seen<'a> {
    /// The number of workgroups; `None` for an indirect launch.
    pub(crate) groups: Option<[u32; 3]>,
    /// The number of workgroups of the logical grid; `None` if the grid was not folded.
    pub(crate) logical: Option<[u32; 3]>,
    /// Bytes bound to each slot; 0 for a uniform that is passed by value.
    pub(crate) bytes: SmallVec<[u64; 8]>,
    /// The values of uniforms and immediates.
    pub(crate) values: &'a [u8],
}

/// The code that a launch should run.
pub(crate) enum Choice {
    /// The unspecialised kernel.
    Plain,
    /// A variant.
    Variant(Arc<Compiled>),
    /// The unspecialised kernel, until the variant of this number is compiled for launches with these properties.
    Wanted(u64, Common),
}

/// The properties shared by the launches of a variant.
pub(crate) enum Common {
    /// Lengths of buffers, the grid and the values of integers.
    Numbers(Circumstances),
    /// The conditions that the launches meet, with one bit for each.
    Conditions(u64),
}

/// The record of the launches of one kernel, and its variants.
pub(crate) struct Watch {
    when: Variants,
    /// A mask for the values of a launch: `0xFF` for each byte of an integer, else 0.
    integers: Vec<u8>,
    shapes: Mutex<Shapes>,
}

impl Watch {
    pub(crate) fn new(when: Variants, program: &Program, values: &Values) -> Self {
        let mut integers = vec![0; values.size()];
        for (slot, info) in program.bindings.iter().enumerate() {
            if let Some(range) = values.uniform(slot) {
                mark_integers(&info.layout, range.start, &mut integers);
            }
        }
        if let Some((_, layout)) = &program.immediate {
            mark_integers(layout, values.immediate.start, &mut integers);
        }
        Self { when, integers, shapes: Mutex::default() }
    }

    fn shapes(&self) -> MutexGuard<'_, Shapes> {
        self.shapes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the code for a launch of `base`, the plain or the folded kernel, and records the launch.
    pub(crate) fn choose(&self, seen: &Seen<'_>, base: &Compiled, places: &Values, caps: &Caps) -> Choice {
        let mut shapes = self.shapes();
        let (choice, differs) = match self.when {
            Variants::AtOnceByConditions => (Choice::Plain, true),
            _ => self.by_numbers(&mut shapes, seen, &base.program, places, caps),
        };
        let related = &mut shapes.related[usize::from(seen.logical.is_some())];
        match choice {
            Choice::Plain => related.choose(seen, (base, places), differs, self.when.patience()),
            chosen => chosen,
        }
    }

    /// Returns the code for a launch by its values alone, and whether these differ from the recorded ones.
    fn by_numbers(
        &self,
        shapes: &mut Shapes,
        seen: &Seen<'_>,
        program: &Program,
        places: &Values,
        caps: &Caps,
    ) -> (Choice, bool) {
        shapes.launches += 1;
        let Some(at) = shapes.find(seen, &self.integers) else { return (Choice::Plain, true) };
        let shape = &mut shapes.all[at];
        let first = shape.last == 0;
        shape.last = shapes.launches;
        let alike = shape.has(seen.values);
        match &shape.state {
            State::Ready(compiled) if alike => {
                shape.launches = 0;
                return (Choice::Variant(Arc::clone(compiled)), false);
            }
            State::Watched => {
                if !alike {
                    shape.narrow(seen.values);
                }
                shape.launches += 1;
            }
            State::Wanted => {}
            State::Ready(_) | State::Useless => {
                shape.launches = if alike { 0 } else { shape.launches + 1 };
                if shape.launches >= PATIENCE {
                    shape.narrow(seen.values);
                }
            }
        }
        let enough = matches!(shape.state, State::Watched) && shape.launches >= self.when.patience();
        if !enough || shapes.made >= MAX_VARIANTS {
            return (Choice::Plain, first || !alike);
        }
        shapes.made += 1;
        (shape.launches, shape.state) = (0, State::Wanted);
        (Choice::Wanted(shape.number, Common::Numbers(circumstances(shape, program, places, caps))), false)
    }

    /// Whether a launch waits until its variant is compiled.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.when, Variants::AtOnce | Variants::AtOnceByConditions)
    }

    /// Stores the compiled variant with this number; `None` means that there is no variant worth running.
    pub(crate) fn made(&self, number: u64, compiled: Option<Arc<Compiled>>) {
        let mut shapes = self.shapes();
        let shapes = &mut *shapes;
        let of_shapes = shapes.all.iter_mut().map(|shape| (shape.number, &mut shape.state));
        let mut all = of_shapes.chain(shapes.related.iter_mut().map(|related| (related.number, &mut related.state)));
        if let Some((_, state)) = all.find(|(other, _)| *other == number) {
            *state = compiled.map_or(State::Useless, State::Ready);
        }
    }
}
