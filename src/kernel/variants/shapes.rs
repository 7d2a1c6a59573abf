//! The launches of one kernel, grouped into [`Shape`]s: by their grid and the lengths of their buffers.

use std::ops::Range;
use std::sync::Arc;

use anywarp_backend::{BindingClass, Caps, Layout, Program, ScalarKind, Shape as Type};
use anywarp_middle::Circumstances;
use smallvec::SmallVec;

use super::super::compiled::Compiled;
use super::super::values::Values;
use super::related::Related;
use super::{MAX_VARIANTS, Seen, related};

/// The greatest number of [`Shape`]s that are observed at a time for one kernel.
const MAX_SHAPES: usize = 4;

/// Launches with the same grid and the same number of bytes bound to each slot.
pub(super) struct Shape {
    pub(super) number: u64,
    pub(super) groups: Option<[u32; 3]>,
    pub(super) logical: Option<[u32; 3]>,
    pub(super) bytes: SmallVec<[u64; 8]>,
    /// The values of the last launch that was recorded.
    pub(super) values: Vec<u8>,
    /// A mask for `values`: `0xFF` for each byte of an integer that was the same in all recorded launches, else 0.
    pub(super) same: Vec<u8>,
    /// The number of recorded launches; once a variant exists, the number of successive launches that the variant did
    /// not fit.
    pub(super) launches: u32,
    pub(super) state: State,
    /// The number of the last launch of the kernel that had this shape.
    pub(super) last: u64,
}

pub(super) enum State {
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
    pub(super) fn has(&self, values: &[u8]) -> bool {
        self.values.iter().zip(values).zip(&self.same).all(|((ours, theirs), same)| (ours ^ theirs) & same == 0)
    }

    /// Restarts the recording of launches; the bytes that differ in `values` no longer count as shared by all launches.
    pub(super) fn narrow(&mut self, values: &[u8]) {
        for ((ours, theirs), same) in self.values.iter_mut().zip(values).zip(&mut self.same) {
            if ours != theirs {
                (*ours, *same) = (*theirs, 0);
            }
        }
        (self.launches, self.state) = (0, State::Watched);
    }

    pub(super) fn is_like(&self, seen: &Seen<'_>) -> bool {
        (self.groups, self.logical) == (seen.groups, seen.logical) && self.bytes == seen.bytes
    }
}

pub(super) struct Shapes {
    pub(super) all: SmallVec<[Shape; MAX_SHAPES]>,
    pub(super) made: u32,
    pub(super) launches: u64,
    /// The variants by conditions: for the plain kernel, and for the kernel with a folded grid.
    pub(super) related: [Related; 2],
}

impl Default for Shapes {
    fn default() -> Self {
        // Shapes are numbered upwards from 1, so these numbers are not those of shapes.
        let related = [u64::MAX, u64::MAX - 1].map(Related::new);
        Self { all: SmallVec::new(), made: 0, launches: 0, related }
    }
}

impl Shapes {
    /// Returns the index of the shape of a launch. A new shape replaces the least recently used one; shapes without a
    /// variant are replaced first.
    pub(super) fn find(&mut self, seen: &Seen<'_>, integers: &[u8]) -> Option<usize> {
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

/// Returns the facts that hold for all launches that match `shape`.
pub(super) fn circumstances(shape: &Shape, program: &Program, places: &Values, caps: &Caps) -> Circumstances {
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
    // The last uniform of a folded kernel is the logical grid.
    if let (Some(logical), Some(info)) = (shape.logical, program.bindings.last()) {
        known.uniforms.push((info.resource, logical.iter().flat_map(|count| count.to_le_bytes().map(Some)).collect()));
    }
    known.immediate = bytes(places.immediate.clone());
    known
}

/// The range of a uniform in the values of a launch; `None` if the uniform is bound to a buffer, whose content the host
/// does not know.
pub(super) fn passed_by_value(places: &Values, slot: usize, bound_bytes: u64) -> Option<Range<u32>> {
    places.uniform(slot).filter(|_| bound_bytes == 0)
}

/// Sets the mask of each byte that belongs to an integer in a value of the given layout at offset `at`.
pub(super) fn mark_integers(layout: &Layout, at: u32, marked: &mut [u8]) {
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
