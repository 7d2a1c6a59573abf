//! The launches of an elementwise operation. This module is pure.

use super::super::operation::binding::{Binding, Place};
use super::super::operation::preface::{Access, Slot, WORKGROUP};
use super::super::operation::shape::{Walk, touched};
use super::super::plan::Plan;
use super::wgsl::Form;

/// The least number of elements for which invocations compute vectors of four. With fewer elements vectors save no
/// time, and the elements after the last vector would need a second launch.
const MIN_FOR_VECTORS: u64 = 1 << 14;

/// The sizes, arrays and dimensions of an elementwise operation whose launches are planned. `slots`, `places` and the
/// strides of `walk` have an entry for each argument, in the same order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'s> {
    pub(super) slots: &'s [Slot],
    /// The position of each array within its binding; `None` for values.
    pub(super) places: &'s [Option<Place>],
    pub(super) walk: &'s Walk,
    /// Whether the operation uses `inf`.
    pub(super) infinity: bool,
    /// The number of elements of the operation.
    pub(super) count: u64,
    pub(super) binding: Binding,
}

/// One launch of an elementwise operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) form: Form,
    /// The index of the launch's first element, counted over all launches.
    pub(super) begin: u64,
    /// The number of elements of the launch, or of vectors of four elements if the form has vectors.
    pub(super) cells: u64,
    /// The number of workgroups.
    pub(super) groups: u64,
    /// Whether only this launch's elements of each array are bound, because a whole array is larger than a binding can
    /// be.
    pub(super) window: bool,
}

/// The choice between kernels that compute the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Whether each invocation computes four elements, if the arrays permit it.
    pub(super) vectors: bool,
    /// The number of invocations of a workgroup.
    pub(super) workgroup: u32,
}

impl Choice {
    /// The choice that a call uses without tuning.
    pub(super) fn default_for(count: u64) -> Self {
        Self { vectors: count >= MIN_FOR_VECTORS, workgroup: WORKGROUP }
    }
}

/// Plans the launches: one; or one for vectors and one for the few remaining elements; or one for each window of
/// consecutive elements, if an array is larger than a binding can be.
///
/// An operation counts as one arithmetic operation for each element, as its text is not analysed; accesses to raw
/// arrays are not counted. So `flops` and `bytes` are lower bounds.
pub(super) fn plan(shape: &Shape<'_>, choice: Choice) -> Plan<Pass> {
    if shape.count == 0 {
        return Plan::nothing();
    }
    Plan { passes: passes(shape, choice), scratch: 0, flops: shape.count, bytes: bytes(shape) }
}

fn passes(shape: &Shape<'_>, choice: Choice) -> Vec<Pass> {
    let Shape { count, .. } = *shape;
    let walked = || shape.slots.iter().zip(shape.places).filter(|(slot, _)| slot.is_walked());
    let each = || walked().filter(|(slot, _)| slot.access == Access::Each);
    let strided = walked().any(|(slot, _)| slot.access == Access::Strided);
    let rank = if strided { shape.walk.rank() } else { 0 };
    // A kernel without `places` reads the number of elements from the length of an output, so that each output must be
    // bound from its first element on and have exactly `count` elements.
    let is_whole = |place: &Option<Place>| place.is_some_and(|place| place.bindable && place.length == count);
    let measured = each().any(|(slot, _)| slot.written);
    let as_given = measured
        && !strided
        && !shape.infinity
        && walked().all(|(slot, place)| match slot.written {
            true => is_whole(place),
            false => place.is_some_and(|place| place.bindable),
        });
    let infinity = shape.infinity;
    let form = |vectors, placed| Form { vectors, placed, infinity, rank, workgroup: choice.workgroup };
    let pass = |form, begin, cells: u64| {
        let groups = cells.div_ceil(u64::from(choice.workgroup));
        Pass { form, begin, cells, groups, window: false }
    };
    let too_large = |(slot, place): (&Slot, &Option<Place>)| {
        place.is_some_and(|place| !place.fits(shape.binding, slot.element.size()))
    };
    let largest = each().map(|(slot, _)| slot.element.size()).max().unwrap_or(0);
    let window = shape.binding.window(largest);
    // Only arrays that are read in order can be split into windows: strided arrays are bound whole.
    if !strided && window > 0 && each().any(too_large) {
        let begins = (0..count).step_by(usize::try_from(window).unwrap_or(usize::MAX));
        let part = |begin| Pass { window: true, ..pass(form(false, true), begin, window.min(count - begin)) };
        return begins.map(part).collect();
    }
    let fits = |(slot, place): (&Slot, &Option<Place>)| {
        let narrow = slot.element.lanes == 1 && slot.element.scalar.width <= 4;
        narrow && place.is_some_and(|place| place.first.is_multiple_of(4))
    };
    if !(choice.vectors && count >= 4 && measured && !strided && each().all(fits)) {
        return vec![pass(form(false, !as_given), 0, count)];
    }
    let vectors = count / 4;
    if count.is_multiple_of(4) {
        return vec![pass(form(true, !as_given), 0, vectors)];
    }
    vec![pass(form(true, true), 0, vectors), pass(form(false, true), 4 * vectors, count - 4 * vectors)]
}

/// The number of bytes that a call reads and writes of all arrays that are not raw; an array that is changed in place
/// counts twice.
fn bytes(shape: &Shape<'_>) -> u64 {
    let of_slot = |(at, slot): (usize, &Slot)| {
        let times = u64::from(slot.read) + u64::from(slot.written);
        touched(std::slice::from_ref(shape.walk), at).saturating_mul(slot.element.size() * times)
    };
    shape.slots.iter().enumerate().filter(|(_, slot)| slot.is_walked()).map(of_slot).sum()
}

#[cfg(test)]
mod tests {
    use super::super::super::operation::shape::Strides;
    use super::super::super::operation::types::ElementType;
    use super::*;

    /// Plans `y = f(x)`, or `y = f(x, y)`, with this `x`.
    fn planned(sizes: &[usize], x: (Access, &[usize]), y: Place, in_place: bool, choice: Choice) -> Plan<Pass> {
        let element = ElementType::parse("f32").unwrap();
        let slot = |name: &str, access, read, written| Slot { name: name.to_owned(), element, access, read, written };
        let slots = [slot("x", x.0, true, false), slot("y", Access::Each, in_place, true)];
        let count = sizes.iter().product::<usize>() as u64;
        let mut own: Strides = sizes.iter().rev().scan(1, |at, size| Some(std::mem::replace(at, *at * size))).collect();
        own.reverse();
        let walk = Walk { sizes: sizes.to_vec(), strides: vec![Strides::from_slice(x.1), own] };
        let places = [Some(Place { first: 0, length: count, bindable: true }), Some(y)];
        let binding = Binding { most: 1 << 20, alignment: 256 };
        plan(&Shape { slots: &slots, places: &places, walk: &walk, infinity: false, count, binding }, choice)
    }

    fn whole(length: u64) -> Place {
        Place { first: 0, length, bindable: true }
    }

    const EACH: (Access, &[usize]) = (Access::Each, &[1]);

    #[test]
    fn long_arrays_take_vectors_and_a_tail_for_the_rest() {
        let passes = |count: usize, y: Place| {
            let plan = planned(&[count], EACH, y, false, Choice::default_for(count as u64));
            let of = |pass: &Pass| (pass.form.vectors, pass.form.placed, pass.begin, pass.cells, pass.groups);
            plan.passes.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(passes(1000, whole(1000)), [(false, false, 0, 1000, 4)]);
        assert_eq!(passes(1 << 14, whole(1 << 14)), [(true, false, 0, 1 << 12, 16)]);
        assert_eq!(
            passes((1 << 14) + 3, whole((1 << 14) + 3)),
            [(true, true, 0, 1 << 12, 16), (false, true, 1 << 14, 3, 1)]
        );
        let odd = Place { first: 3, bindable: false, length: 1 << 14 };
        assert_eq!(passes(1 << 14, odd), [(false, true, 0, 1 << 14, 64)]);
        let shifted = Place { first: 8, ..odd };
        assert_eq!(passes(1 << 14, shifted), [(true, true, 0, 1 << 12, 16)]);
    }

    #[test]
    fn the_length_of_a_longer_output_is_not_used() {
        let plan = planned(&[10], EACH, whole(12), false, Choice::default_for(10));
        assert!(plan.passes[0].form.placed);
    }

    #[test]
    fn another_choice_is_followed_if_the_arrays_permit_it() {
        let choice = Choice { vectors: true, workgroup: 64 };
        let passes = planned(&[1024], EACH, whole(1024), false, choice).passes;
        assert_eq!((passes[0].form.vectors, passes[0].form.workgroup, passes[0].groups), (true, 64, 4));
        let table = planned(&[32, 32], (Access::Strided, &[1, 32]), whole(1024), false, choice).passes;
        assert_eq!((table.len(), table[0].form.vectors, table[0].form.rank), (1, false, 2));
    }

    #[test]
    fn each_element_is_counted_once() {
        let cost = |x, in_place| {
            let cost = planned(&[30, 50], x, whole(1500), in_place, Choice::default_for(1500)).cost();
            (cost.flops, cost.bytes)
        };
        assert_eq!(cost((Access::Strided, &[1, 30]), false), (1500, 4 * 3000));
        assert_eq!(cost((Access::Strided, &[1, 30]), true), (1500, 4 * 4500));
        assert_eq!(cost((Access::Strided, &[0, 1]), false), (1500, 4 * 1550));
        assert_eq!(cost((Access::Value, &[0, 0]), false), (1500, 4 * 1500));
    }

    #[test]
    fn arrays_above_the_limit_of_a_binding_take_windows() {
        let windows = |count: usize, y: Place| {
            let plan = planned(&[count], EACH, y, false, Choice::default_for(count as u64));
            plan.passes.iter().map(|pass| (pass.window, pass.begin, pass.cells)).collect::<Vec<_>>()
        };
        let most = 1 << 18;
        assert_eq!(windows(most, whole(most as u64)), [(false, 0, most as u64 / 4)]);
        // A window is shorter than a binding, as the binding may begin before the window, at an aligned offset.
        let window = most as u64 - 1024;
        let more = most as u64 + 1;
        assert_eq!(windows(most + 1, whole(more)), [(true, 0, window), (true, window, more - window)]);
        let shifted = Place { first: 4, length: most as u64, bindable: false };
        assert_eq!(windows(most, shifted).len(), 2);
        let table =
            planned(&[512, 1024], (Access::Strided, &[1, 512]), whole(1 << 19), false, Choice::default_for(1 << 19));
        assert!(table.passes.iter().all(|pass| !pass.window));
    }

    #[test]
    fn nothing_to_do_takes_no_launch() {
        assert_eq!(planned(&[0], EACH, whole(0), false, Choice::default_for(0)), Plan::nothing());
    }
}
