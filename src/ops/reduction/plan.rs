//! The passes of a reduction. This module is pure.

use super::super::operation::binding::{Binding, Place};
use super::super::operation::preface::{Access, Slot, WORKGROUP};
use super::super::operation::shape::{Walk, touched};
use super::super::plan::Plan;
use super::choice::{Choice, Scheme, UNROLLED, Work};
use super::form::{Form, Source};

/// The input of a plan. `slots`, `places` and the strides of both `walks` have one entry for each argument, in the same
/// order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'s> {
    pub(super) slots: &'s [Slot],
    /// The position of each array in its binding; `None` for values.
    pub(super) places: &'s [Option<Place>],
    /// The dimensions of the results, and the dimensions of the elements that are combined into one result.
    pub(super) walks: &'s [Walk; 2],
    pub(super) results: u64,
    /// The number of elements that are combined into each result.
    pub(super) reduced: u64,
    /// The size of one partial result in bytes; `None` for a struct of the caller, whose size is known only after the
    /// kernel is compiled.
    pub(super) accumulator: Option<u64>,
    pub(super) binding: Binding,
}

/// One launch: the form of its kernel, the counts that the kernel receives, and the numbers of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) form: Form,
    pub(super) cells: u64,
    pub(super) splits: u64,
    pub(super) chunk: u64,
    pub(super) groups: [u64; 2],
    /// The index of the first part of a pass over a window; otherwise 0.
    pub(super) first_part: u64,
    /// The range of elements that a pass over a window binds.
    pub(super) window: Option<[u64; 2]>,
}

impl Shape<'_> {
    /// Returns the properties of this reduction on which a choice depends.
    pub(super) fn work(&self, software: bool) -> Work {
        let first = self.slots.iter().position(is_input);
        let innermost = first.map(|slot| self.walks[1].strides[slot].last() == Some(&1));
        let contiguous = self.reduced > 0 && innermost.unwrap_or(true);
        Work { results: self.results, reduced: self.reduced, contiguous, aligned: self.is_aligned(), software }
    }

    /// Whether all inputs can be read four elements at a time.
    fn is_aligned(&self) -> bool {
        let inputs = || self.slots.iter().zip(self.places).filter(|(slot, _)| is_input(slot));
        let fits = |(slot, place): (&Slot, &Option<Place>)| {
            let narrow = slot.element.lanes == 1 && slot.element.scalar.width <= 4;
            slot.access == Access::Each && narrow && place.is_some_and(|place| place.first.is_multiple_of(4))
        };
        let rows = self.walks[0].strides.iter().flatten().all(|stride| stride.is_multiple_of(4));
        self.reduced >= 4
            && (self.results == 1 || self.reduced.is_multiple_of(4))
            && rows
            && inputs().next().is_some()
            && inputs().all(fits)
    }
}

fn is_input(slot: &Slot) -> bool {
    !slot.written && slot.is_walked()
}

/// Plans one pass, or two passes with partial results between them. If an array is too large for one binding, the first
/// of two passes has one launch for each window of the arrays.
///
/// `flops` and `bytes` are lower bounds: map and combine together count as one arithmetic operation for each element,
/// as their texts are not analysed, and accesses to raw arrays are not counted.
pub(super) fn plan(shape: &Shape<'_>, choice: Choice) -> Plan<Pass> {
    if shape.results == 0 {
        return Plan::nothing();
    }
    let passes = passes(shape, choice);
    let parts = match passes.as_slice() {
        [first, .., _] => shape.results * first.splits,
        _ => 0,
    };
    Plan {
        passes,
        // A binding ends at a multiple of 4 bytes.
        scratch: parts.saturating_mul(shape.accumulator.unwrap_or(0)).next_multiple_of(4),
        flops: shape.results.saturating_mul(shape.reduced),
        bytes: bytes(shape),
    }
}

fn passes(shape: &Shape<'_>, choice: Choice) -> Vec<Pass> {
    let Shape { results, reduced, .. } = *shape;
    let Choice { first, second, .. } = choice;
    let source = if reduced == 0 { Source::Nothing } else { Source::Elements };
    let vectors = choice.vectors && source == Source::Elements && shape.is_aligned();
    let form = Form {
        source,
        last: first.splits == 1,
        columns: first.columns,
        width: first.width,
        vectors,
        tail: vectors && !reduced.is_multiple_of(4),
        window: false,
        ranks: [shape.walks[0].rank(), shape.walks[1].rank()],
    };
    let second = |splits| {
        let form =
            Form { source: Source::Partials, last: true, width: second.width, vectors: false, tail: false, ..form };
        pass(results, form, splits, Scheme { chunk: splits, ..second })
    };
    if let Some(mut windows) = windows(shape, form, first) {
        windows.push(second(windows[0].splits));
        return windows;
    }
    let one = pass(results, form, if vectors { reduced / 4 } else { reduced }, first);
    if form.last {
        return vec![one];
    }
    vec![one, second(first.splits)]
}

/// Returns the passes over the windows of arrays that are too large for one binding, each of which computes whole
/// workgroups of parts of the only result. `None` if no array is too large, or if windows are not possible.
fn windows(shape: &Shape<'_>, form: Form, first: Scheme) -> Option<Vec<Pass>> {
    let inputs = || shape.slots.iter().zip(shape.places).filter(|(slot, _)| is_input(slot));
    let too_large = |(slot, place): (&Slot, &Option<Place>)| {
        place.is_some_and(|place| !place.fits(shape.binding, slot.element.size()))
    };
    let adjacent = shape.results == 1 && !first.columns && inputs().all(|(slot, _)| slot.access == Access::Each);
    if form.source != Source::Elements || !adjacent || !inputs().any(too_large) {
        return None;
    }
    let largest = inputs().map(|(slot, _)| slot.element.size()).max().unwrap_or(1);
    let vectors = form.vectors && !form.tail;
    let cell = if vectors { 4 } else { 1 };
    let cells = shape.reduced / cell;
    // The parts that one workgroup computes are adjacent in memory.
    let together = u64::from(WORKGROUP / first.width);
    let most = shape.binding.window(largest) / cell / together / WINDOW_PART * WINDOW_PART;
    if most == 0 {
        return None;
    }
    let chunk = (first.chunk * if form.vectors && !vectors { 4 } else { 1 }).min(most);
    let scheme = Scheme { splits: cells.div_ceil(chunk), chunk, ..first };
    let form = Form { last: false, vectors, tail: false, window: true, ..form };
    let parts = most / chunk * together;
    let window = |part: u64| {
        let (begin, end) = (part * chunk, ((part + parts) * chunk).min(cells));
        let groups = [(end - begin).div_ceil(chunk * together), 1];
        let window = Some([begin * cell, end * cell]);
        Pass { first_part: part, groups, window, ..pass(1, form, cells, scheme) }
    };
    Some((0..scheme.splits).step_by(usize::try_from(parts).unwrap_or(usize::MAX)).map(window).collect())
}

/// The number of cells of which the length of a part in a window is a multiple: one loop iteration of a whole
/// workgroup.
const WINDOW_PART: u64 = WORKGROUP as u64 * UNROLLED as u64;

fn pass(results: u64, form: Form, cells: u64, scheme: Scheme) -> Pass {
    let Scheme { columns, width, splits, chunk } = scheme;
    let groups = if columns {
        [results.div_ceil(u64::from(WORKGROUP)), splits]
    } else {
        [(results * splits).div_ceil(u64::from(WORKGROUP / width)), 1]
    };
    Pass { form, cells, splits, chunk, groups, first_part: 0, window: None }
}

/// Returns the number of bytes of all elements that are read, and of the results. Partial results are excluded, as
/// other devices may have none.
fn bytes(shape: &Shape<'_>) -> u64 {
    let of_slot = |(at, slot): (usize, &Slot)| {
        let elements = match (slot.written, is_input(slot)) {
            (true, _) => shape.results,
            (false, true) => touched(shape.walks, at),
            (false, false) => 0,
        };
        elements.saturating_mul(slot.element.size())
    };
    shape.slots.iter().enumerate().map(of_slot).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::operation::shape::Strides;
    use super::super::super::operation::types::ElementType;
    use super::super::choice::Spread;
    use super::*;

    /// Plans sums along the last axis of a table, or along the first.
    fn planned([rows, columns]: [usize; 2], last: bool, first: u64, software: bool) -> Plan<Pass> {
        let element = ElementType::parse("f32").unwrap();
        let slot = |name: &str, access, written: bool| Slot {
            name: name.to_owned(),
            element,
            access,
            read: !written,
            written,
        };
        let slots =
            [slot("x", if last { Access::Each } else { Access::Strided }, false), slot("y", Access::Each, true)];
        let walk = |size, stride| {
            // A size of 1 is not a dimension.
            let sizes = if size == 1 { vec![] } else { vec![size] };
            let strides = |stride: usize| sizes.iter().map(|_| stride).collect::<Strides>();
            Walk { strides: vec![strides(stride), strides(0)], sizes }
        };
        let (rows_walk, columns_walk) = (walk(rows, columns), walk(columns, 1));
        let walks = if last { [rows_walk, columns_walk] } else { [columns_walk, rows_walk] };
        let [results, reduced] = if last { [rows, columns] } else { [columns, rows] }.map(|size| size as u64);
        let length = (rows * columns) as u64;
        let places = [Place { first, length, bindable: true }, Place { first: 0, length: results, bindable: true }];
        let places = places.map(Some);
        let binding = Binding { most: 1 << 27, alignment: 256 };
        let shape =
            Shape { slots: &slots, places: &places, walks: &walks, results, reduced, accumulator: Some(4), binding };
        plan(&shape, Choice::of(shape.work(software), Spread::default_for(software)))
    }

    #[test]
    fn a_long_sum_has_parts_and_a_second_pass() {
        let plan = planned([1, 1 << 24], true, 0, false);
        let [first, second] = plan.passes[..] else { panic!("{plan:?}") };
        assert!(first.form.vectors && !first.form.tail && !first.form.last && second.form.last);
        assert_eq!((first.splits, second.cells, plan.scratch), (1024, 1024, 4 * 1024));
        assert_eq!((plan.flops, plan.bytes), (1 << 24, 4 * ((1 << 24) + 1)));
    }

    #[test]
    fn a_tail_follows_the_last_vector() {
        let plan = planned([1, 4099], true, 4, false);
        assert!(plan.passes[0].form.vectors && plan.passes[0].form.tail);
        assert_eq!(plan.passes[0].cells, 1024);
        assert!(!planned([1, 4099], true, 3, false).passes[0].form.vectors);
    }

    #[test]
    fn arrays_above_the_limit_of_a_binding_take_windows() {
        for (length, software) in [(1 << 25, true), ((1 << 25) + 1, true), ((1 << 27) + 5, false), (1 << 28, false)] {
            let plan = planned([1, length], true, 0, software);
            let (last, windows) = plan.passes.split_last().unwrap();
            let bound: Vec<[u64; 2]> = windows.iter().filter_map(|pass| pass.window).collect();
            if length == 1 << 25 {
                assert!(bound.is_empty());
                continue;
            }
            assert_eq!((bound.len(), bound[0][0], bound[bound.len() - 1][1]), (windows.len(), 0, length as u64));
            assert!(bound.windows(2).all(|two| two[0][1] == two[1][0]), "{bound:?}");
            assert!(bound.iter().all(|[begin, end]| 4 * (end - begin) + 512 <= 1 << 27), "{bound:?}");
            let cell = if windows[0].form.vectors { 4 } else { 1 };
            assert!(windows.iter().all(|pass| pass.first_part * pass.chunk * cell == pass.window.unwrap()[0]));
            assert_eq!((last.cells, plan.scratch), (windows[0].splits, 4 * windows[0].splits));
        }
        let rows = planned([1 << 10, 1 << 17], true, 0, false);
        assert!(rows.passes.iter().all(|pass| pass.window.is_none()));
    }

    #[test]
    fn columns_are_computed_by_neighbours() {
        let plan = planned([500, 64], false, 0, false);
        assert!(plan.passes[0].form.columns && plan.passes[0].form.width == 1);
        assert_eq!((plan.flops, plan.bytes), (500 * 64, 4 * (500 * 64 + 64)));
    }

    #[test]
    fn no_elements_take_one_pass_and_no_results_none() {
        let plan = planned([3, 0], true, 0, false);
        assert_eq!((plan.passes.len(), plan.passes[0].form.source), (1, Source::Nothing));
        assert_eq!(planned([0, 3], true, 0, true), Plan::nothing());
    }
}
