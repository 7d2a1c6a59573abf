//! Variants of a kernel: compiled once more, with what its launches have in common as constants.
//!
//! A launch that is told nothing new needs no check for what might have been: where the size of a picture, the length
//! of its buffer and the grid stay the same, an index made of them is in range or it is not. Launches are sorted by
//! grid and by the bytes that are bound; of each of these [`Shape`]s it is noted which integers of the uniforms and
//! immediates stay the same. After [`PATIENCE`] launches that were alike a variant is made of them, and is taken for
//! every launch of which just that holds: each one is compared before it runs. Launches that have no numbers in common
//! may still have the same [relations](related) between them, and get a variant for these. Any other runs the kernel as
//! it is.

mod related;
mod workshop;

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
    /// After 16 launches that were alike, on a thread beside. Until it is ready, launches run the kernel as it is.
    #[default]
    InBackground,
    /// Before the first launch that has no variant, which waits for it: for tests, and where every run must be like
    /// every other.
    AtOnce,
    /// As [`AtOnce`](Self::AtOnce), but only for conditions between the numbers of a launch, such as
    /// `n <= arrayLength(&x)`, and with no number as a constant: for tests.
    AtOnceByConditions,
    /// Not at all.
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

    /// How many launches have to be alike.
    fn patience(self) -> u32 {
        match self {
            Self::InBackground => PATIENCE,
            _ => 1,
        }
    }
}

/// Launches that are alike before a variant is made of them; and launches that are not before it is given up.
const PATIENCE: u32 = 16;

/// Shapes of one kernel that are watched at a time.
const MOST_SHAPES: usize = 4;

/// Variants of one kernel that are made at most, over all its life.
const MOST_MADE: u32 = 8;

/// What a launch is like.
pub(crate) struct Seen<'a> {
    /// Workgroups, where the host knows them.
    pub(crate) groups: Option<[u32; 3]>,
    /// Those that a folded kernel sees.
    pub(crate) logical: Option<[u32; 3]>,
    /// Bytes bound to each slot; 0 for values.
    pub(crate) bytes: SmallVec<[u64; 8]>,
    /// Values of uniforms and immediates.
    pub(crate) values: &'a [u8],
}

/// What a launch should run.
pub(crate) enum Choice {
    /// The kernel as it is.
    Plain,
    /// A variant.
    Variant(Arc<Compiled>),
    /// The kernel as it is, until the variant of this number is made for launches that have this in common.
    Wanted(u64, Common),
}

/// What launches have in common that a variant is made for.
pub(crate) enum Common {
    /// Sizes, the grid, values.
    Numbers(Circumstances),
    /// The conditions of these bits, which they meet.
    Conditions(u64),
}

/// Launches with one grid and with as many bytes bound to each slot.
struct Shape {
    number: u64,
    groups: Option<[u32; 3]>,
    logical: Option<[u32; 3]>,
    bytes: SmallVec<[u64; 8]>,
    /// Those of the launches that were alike.
    values: Vec<u8>,
    /// All bits of the bytes that are the same in these; none of others, and of what is no integer.
    same: Vec<u8>,
    /// Launches that were alike; then those, one after the other, that were not.
    launches: u32,
    state: State,
    /// When it was last seen, in launches of the kernel.
    last: u64,
}

enum State {
    Watched,
    Wanted,
    Ready(Arc<Compiled>),
    /// A variant would gain nothing, or could not be made.
    Useless,
}

impl Shape {
    /// Whether a launch has the values that are the same in all.
    fn has(&self, values: &[u8]) -> bool {
        self.values.iter().zip(values).zip(&self.same).all(|((ours, theirs), same)| (ours ^ theirs) & same == 0)
    }

    /// Begins to watch anew, for what is the same in `values` and before.
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
    /// All bits of the bytes of values that belong to integers.
    integers: Vec<u8>,
    shapes: Mutex<Shapes>,
}

struct Shapes {
    all: SmallVec<[Shape; MOST_SHAPES]>,
    made: u32,
    launches: u64,
    /// Of the kernel as it is, and folded.
    related: [Related; 2],
}

impl Default for Shapes {
    fn default() -> Self {
        // Shapes are numbered from 1 on.
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

    /// What a launch of `base` should run, which is the kernel as it is or folded; notes what it is like.
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

    /// What a launch should run by its numbers alone; and whether it is unlike those before it.
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
        if !enough || shapes.made >= MOST_MADE {
            return (Choice::Plain, first || !alike);
        }
        shapes.made += 1;
        (shape.launches, shape.state) = (0, State::Wanted);
        (Choice::Wanted(shape.number, Common::Numbers(circumstances(shape, program, places, caps))), false)
    }

    /// Whether a launch waits for its variant.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.when, Variants::AtOnce | Variants::AtOnceByConditions)
    }

    /// The variant of this number is made, or else there is none.
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
    /// The shape of a launch. A new one takes the place of that which has not been seen for longest, and of one with
    /// a variant last.
    fn find(&mut self, seen: &Seen<'_>, integers: &[u8]) -> Option<usize> {
        if let Some(at) = self.all.iter().position(|shape| shape.is_like(seen)) {
            return Some(at);
        }
        if self.made >= MOST_MADE {
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
        if self.all.len() < MOST_SHAPES {
            self.all.push(shape);
            return Some(self.all.len() - 1);
        }
        let given_up = self.all.iter().enumerate().filter(|(_, shape)| !matches!(shape.state, State::Wanted));
        let age = |shape: &Shape| (matches!(shape.state, State::Ready(_)), shape.last);
        let (at, _) = given_up.min_by_key(|(_, shape)| age(shape))?;
        self.all[at] = shape;
        Some(at)
    }
}

/// What is known of all launches that are like those of `shape`.
fn circumstances(shape: &Shape, program: &Program, places: &Values, caps: &Caps) -> Circumstances {
    let mut known = Circumstances::of(caps);
    if let Some(groups) = shape.groups {
        known.workgroups = groups;
    }
    let bytes = |range: std::ops::Range<u32>| -> Vec<Option<u8>> {
        let bytes = shape.values.iter().zip(&shape.same);
        let bytes = bytes.skip(range.start as usize).take(range.len());
        bytes.map(|(value, same)| (*same != 0).then_some(*value)).collect()
    };
    for (slot, (info, bound)) in program.bindings.iter().zip(&shape.bytes).enumerate() {
        if info.class == BindingClass::Uniform {
            // One in a buffer has values that the host does not know.
            if let Some(range) = places.uniform(slot).filter(|_| *bound == 0) {
                known.uniforms.push((info.resource, bytes(range)));
            }
        } else {
            known.lengths.extend(related::length(info, *bound).map(|length| (info.resource, length)));
        }
    }
    // The logical grid is a uniform behind all others.
    if let (Some(logical), Some(info)) = (shape.logical, program.bindings.last()) {
        known.uniforms.push((info.resource, logical.iter().flat_map(|count| count.to_le_bytes().map(Some)).collect()));
    }
    known.immediate = bytes(places.immediate.clone());
    known
}

/// Sets all bits of those bytes, from `at` on, that belong to integers of a type.
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
