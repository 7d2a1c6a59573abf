//! Variants of a kernel: the same kernel compiled again, with values that its launches share as constants.
//!
//! Where the size of a picture, the length of its buffer and the grid stay the same, the compiler can prove that an
//! index computed from them is in range. Launches are grouped into [`Shape`]s by grid and by the bytes bound to each
//! slot. Each shape records which integers of the uniforms and immediates stay the same. After [`PATIENCE`] launches
//! with the same values a variant is compiled for these values. Each later launch is compared with them, and runs the
//! variant if they are equal. Launches whose values differ may still meet the same [conditions](related), and get a
//! variant for these. All other launches run the kernel without constants.

mod related;
mod workshop;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anywarp_backend::{BindingClass, Caps, Layout, Program, ScalarKind, Shape as Type};
use anywarp_middle::Circumstances;
use smallvec::SmallVec;

use super::compiled::Compiled;
use super::values::Values;
use related::Related;
pub(crate) use workshop::{Job, Workshop};

/// When variants of kernels are made: see [`DeviceOptions::variants`](crate::DeviceOptions::variants).
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
    /// Never.
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

/// The number of similar launches before a variant is compiled, and of different launches before it is dropped.
const PATIENCE: u32 = 16;

/// The number of shapes of one kernel that are observed at a time.
const MAX_SHAPES: usize = 4;

/// The number of variants by values that one kernel gets over its lifetime.
const MAX_VARIANTS: u32 = 8;

/// The properties of a launch that decide which variant it runs.
pub(crate) struct Seen<'a> {
    /// The number of workgroups; `None` for an indirect launch.
    pub(crate) groups: Option<[u32; 3]>,
    /// The workgroups before the grid was folded; `None` if it was not.
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
    /// The conditions that the launches meet, one a bit.
    Conditions(u64),
}

/// Launches with the same grid and the same number of bytes bound to each slot.
struct Shape {
    number: u64,
    groups: Option<[u32; 3]>,
    logical: Option<[u32; 3]>,
    bytes: SmallVec<[u64; 8]>,
    /// The values of the last launch that was recorded.
    values: Vec<u8>,
    /// A mask for `values`: `0xFF` for each byte of an integer that was the same in all recorded launches, else 0.
    same: Vec<u8>,
    /// The number of recorded launches; once a variant exists, the number of launches in a row that it did not fit.
    launches: u32,
    state: State,
    /// The launch of the kernel, by number, that used it last.
    last: u64,
}

enum State {
    /// Launches are recorded.
    Watched,
    /// A variant is being compiled.
    Wanted,
    Ready(Arc<Compiled>),
    /// A variant would be no faster, or could not be compiled.
    Useless,
}

impl Shape {
    /// Whether a launch has the values that all recorded launches share.
    fn has(&self, values: &[u8]) -> bool {
        self.values.iter().zip(values).zip(&self.same).all(|((ours, theirs), same)| (ours ^ theirs) & same == 0)
    }

    /// Restarts the recording, without the bytes that differ in `values`.
    fn narrow(&mut self, values: &[u8]) {
        for ((ours, theirs), same) in self.values.iter_mut().zip(values).zip(&mut self.same) {
            if ours != theirs {
                (*ours, *same) = (*theirs, 0);
            }
        }
        (self.launches, self.state) = (0, State::Watched);
    }

    fn is_like(&self, seen: &Seen<'_>) -> bool {
        (self.groups, self.logical) == (seen.groups, seen.logical) && self.bytes == seen.bytes
    }
}

/// The variants of one kernel.
pub(crate) struct Watch {
    when: Variants,
    /// A mask for the values of a launch: `0xFF` for each byte of an integer, else 0.
    integers: Vec<u8>,
    shapes: Mutex<Shapes>,
}

struct Shapes {
    all: SmallVec<[Shape; MAX_SHAPES]>,
    made: u32,
    launches: u64,
    /// One for the plain kernel, one for the kernel with a folded grid.
    related: [Related; 2],
}

impl Default for Shapes {
    fn default() -> Self {
        // Shapes are numbered upwards from 1.
        let related = [u64::MAX, u64::MAX - 1].map(Related::new);
        Self { all: SmallVec::new(), made: 0, launches: 0, related }
    }
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

    /// Stores a compiled variant by its number; `None` if there is none to store.
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

impl Shapes {
    /// The index of a launch's shape. A new shape replaces the least recently used one; shapes without a variant are
    /// replaced first.
    fn find(&mut self, seen: &Seen<'_>, integers: &[u8]) -> Option<usize> {
        if let Some(at) = self.all.iter().position(|shape| shape.is_like(seen)) {
            return Some(at);
        }
        if self.made >= MAX_VARIANTS {
            return None;
        }
        let shape = Shape {
            number: self.launches,
            groups: seen.groups,
            logical: seen.logical,
            bytes: seen.bytes.clone(),
            values: seen.values.to_vec(),
            same: integers.to_vec(),
            launches: 0,
            state: State::Watched,
            last: 0,
        };
        if self.all.len() < MAX_SHAPES {
            self.all.push(shape);
            return Some(self.all.len() - 1);
        }
        let replaceable = self.all.iter().enumerate().filter(|(_, shape)| !matches!(shape.state, State::Wanted));
        let age = |shape: &Shape| (matches!(shape.state, State::Ready(_)), shape.last);
        let (at, _) = replaceable.min_by_key(|(_, shape)| age(shape))?;
        self.all[at] = shape;
        Some(at)
    }
}

/// The facts about all launches that match `shape`.
fn circumstances(shape: &Shape, program: &Program, places: &Values, caps: &Caps) -> Circumstances {
    let mut known = Circumstances::of(caps);
    if let Some(groups) = shape.groups {
        known.workgroups = groups;
    }
    let bytes = |range: Range<u32>| -> Vec<Option<u8>> {
        let bytes = shape.values.iter().zip(&shape.same);
        let bytes = bytes.skip(range.start as usize).take(range.len());
        bytes.map(|(value, same)| (*same != 0).then_some(*value)).collect()
    };
    for (slot, (info, bound)) in program.bindings.iter().zip(&shape.bytes).enumerate() {
        if info.class == BindingClass::Uniform {
            if let Some(range) = passed_by_value(places, slot, *bound) {
                known.uniforms.push((info.resource, bytes(range)));
            }
        } else {
            known.lengths.extend(related::length(info, *bound).map(|length| (info.resource, length)));
        }
    }
    // The unfolded grid is the last uniform.
    if let (Some(logical), Some(info)) = (shape.logical, program.bindings.last()) {
        known.uniforms.push((info.resource, logical.iter().flat_map(|count| count.to_le_bytes().map(Some)).collect()));
    }
    known.immediate = bytes(places.immediate.clone());
    known
}

/// Where the values of a launch hold a uniform; `None` if the uniform is bound to a buffer, whose content the host does
/// not know.
fn passed_by_value(places: &Values, slot: usize, bound_bytes: u64) -> Option<Range<u32>> {
    places.uniform(slot).filter(|_| bound_bytes == 0)
}

/// Sets the mask of each byte that belongs to an integer of a type at offset `at`.
fn mark_integers(layout: &Layout, at: u32, marked: &mut [u8]) {
    let mut mark = |kind: ScalarKind, bytes: u32| {
        let bytes = at as usize..(at + bytes) as usize;
        if let Some(bytes) = marked.get_mut(bytes).filter(|_| kind != ScalarKind::Float) {
            bytes.fill(u8::MAX);
        }
    };
    match &layout.shape {
        Type::Scalar(scalar) => mark(scalar.kind, scalar.width.into()),
        Type::Vector { length, scalar } => mark(scalar.kind, length * u32::from(scalar.width)),
        Type::Matrix { .. } | Type::Array { count: None, .. } => {}
        Type::Array { element, count: Some(count), stride } => {
            (0..*count).for_each(|index| mark_integers(element, at + index * stride, marked));
        }
        Type::Struct { fields } => {
            fields.iter().for_each(|field| mark_integers(&field.layout, at + field.offset, marked));
        }
    }
}
