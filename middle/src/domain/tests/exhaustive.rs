//! Tests the table of operations on all sets of four bits and on a sample of the sets of eight bits.

use super::super::{Int, Known};
use super::operations::{BINARY, Binary, UNARY, Unary};
use super::sets::{Set, Values, all, parts, sample, values};

/// The types for which all sets are tested.
const SMALL: [Int; 2] = [Int { signed: false, width: 4 }, Int { signed: true, width: 4 }];

/// Asserts that a result contains all values of `wanted`, and that its interval and bits have narrowed each other.
fn assert_sound(what: &dyn Fn() -> String, result: Known, wanted: &Values) {
    let has = values(result);
    if let Some(value) = wanted.missing_from(result.ty(), &has) {
        panic!("{}: {result:?} leaves out {value}", what());
    }
    assert_eq!(Some(parts(result)), has.smallest_set(result.ty()), "{}: {result:?} is not reduced", what());
}

/// The number of exact results, and the number of all results.
#[derive(Default)]
struct Tally {
    exact: usize,
    all: usize,
}

impl Tally {
    fn count(&mut self, result: Known, wanted: &Values) {
        self.all += 1;
        self.exact += usize::from(Some(parts(result)) == wanted.smallest_set(result.ty()));
    }

    fn in_a_thousand(&self) -> usize {
        self.exact * 1000 / self.all
    }
}

fn binary(operation: &Binary, sets: &[Set]) -> Tally {
    let ty = sets[0].known.ty();
    let mut tally = Tally::default();
    for right in sets {
        // By left value of the type: the results of the operation with all right values of the set.
        let images: Vec<Values> = (0..=ty.mask())
            .map(|pattern| {
                let mut image = Values::default();
                for value in right.values.iter(ty) {
                    image.insert(ty, (operation.values)(ty, ty.value(pattern), value));
                }
                image
            })
            .collect();
        for left in sets {
            let mut wanted = Values::default();
            for value in left.values.iter(ty) {
                wanted.add(&images[ty.pattern(value) as usize]);
            }
            let result = (operation.sets)(left.known, right.known);
            assert_sound(&|| format!("{:?} {} {:?}", left.known, operation.name, right.known), result, &wanted);
            tally.count(result, &wanted);
        }
    }
    tally
}

fn unary(operation: &Unary, sets: &[Set]) -> Tally {
    let ty = sets[0].known.ty();
    let mut tally = Tally::default();
    for set in sets {
        let mut wanted = Values::default();
        for value in set.values.iter(ty) {
            wanted.insert(ty, (operation.values)(ty, value));
        }
        let result = (operation.sets)(set.known);
        assert_sound(&|| format!("{} of {:?}", operation.name, set.known), result, &wanted);
        tally.count(result, &wanted);
    }
    tally
}

/// Asserts that operations are exact exactly as often as the table lists.
fn assert_exact(found: &[(&str, bool, usize, usize)]) {
    let other: Vec<_> = found.iter().filter(|(_, _, found, wanted)| found != wanted).collect();
    assert!(other.is_empty(), "exact in a thousand, found and wanted (operation, signed): {other:#?}");
}

#[test]
fn operations_of_one_operand_are_sound_and_as_exact_as_listed() {
    let mut found = Vec::new();
    for operation in UNARY {
        for ty in SMALL {
            unary(operation, &all(ty));
        }
        for signed in [false, true] {
            let exact = unary(operation, &sample(signed)).in_a_thousand();
            found.push((operation.name, signed, exact, operation.exact[usize::from(signed)]));
        }
    }
    assert_exact(&found);
}

#[test]
fn operations_of_two_operands_of_four_bits_are_sound() {
    for ty in SMALL {
        let sets = all(ty);
        for operation in BINARY {
            binary(operation, &sets);
        }
    }
}

fn check_operations_of_two_operands(signed: bool) {
    let sets = sample(signed);
    let exact = |operation: &Binary| binary(operation, &sets).in_a_thousand();
    let found: Vec<_> = BINARY
        .iter()
        .map(|operation| (operation.name, signed, exact(operation), operation.exact[usize::from(signed)]))
        .collect();
    assert_exact(&found);
}

#[test]
fn unsigned_operations_of_two_operands_are_sound_and_as_exact_as_listed() {
    check_operations_of_two_operands(false);
}

#[test]
fn signed_operations_of_two_operands_are_sound_and_as_exact_as_listed() {
    check_operations_of_two_operands(true);
}
