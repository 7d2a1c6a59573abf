//! Tests of operations with three and four operands: `clamp`, `extractBits` and `insertBits`.

use super::super::{Int, Known};
use super::concrete;
use super::sets::{Set, all, sample};

/// The offsets and counts that are tested for integers of `width` bits.
fn places(width: u8) -> Vec<Known> {
    let width = i64::from(width);
    let between = |low: i64, high: i64| Known::between(Int::U32, low, high);
    let mut places = vec![
        Known::any(Int::U32),
        between(0, width),
        between(1, width - 1),
        between(0, 1),
        between(width - 1, width + 1),
        between(width + 1, i64::from(u32::MAX)),
        between(3, i64::from(u32::MAX)),
    ];
    places.extend((0..=width + 1).map(|place| between(place, place)));
    places.extend(Known::with_bits(Int::U32, 1, 0));
    places
}

/// The numbers of a set up to slightly above `width`: all greater numbers have the same effect.
fn numbers(place: Known, width: u8) -> impl Iterator<Item = i64> {
    (0..=i64::from(width) + 2).filter(move |number| place.contains(*number))
}

/// Returns only some of the sets, so that a test takes a second.
fn some(sets: &[Set], every: usize) -> impl Iterator<Item = &Set> {
    sets.iter().step_by(every)
}

#[test]
fn extract_bits_contains_every_result() {
    for (sets, every) in [(all(Int { signed: true, width: 3 }), 1), (sample(false), 37), (sample(true), 37)] {
        let ty = sets[0].known.ty();
        for offset in places(ty.width) {
            for count in places(ty.width) {
                for set in some(&sets, every) {
                    let result = set.known.extract_bits(offset, count);
                    for (offset, count) in pairs(offset, count, ty.width) {
                        for value in set.values.iter(ty) {
                            let field = concrete::extract_bits(ty, value, offset, count);
                            let what = format!("{count} bits from {offset} of {value} of {:?}", set.known);
                            assert!(result.contains(field), "{what} are {field}, not in {result:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn insert_bits_contains_every_result() {
    for (sets, every, news) in
        [(all(Int { signed: true, width: 3 }), 5, 7), (sample(false), 97, 131), (sample(true), 97, 131)]
    {
        let ty = sets[0].known.ty();
        for offset in places(ty.width) {
            for count in places(ty.width) {
                for set in some(&sets, every) {
                    for new in some(&sets, news) {
                        let result = set.known.insert_bits(new.known, offset, count);
                        let news = new.values.iter(ty).collect::<Vec<_>>();
                        for (offset, count) in pairs(offset, count, ty.width) {
                            // Only some pairs of values are tried, because all pairs would take a minute.
                            for (value, new) in set.values.iter(ty).zip(news.iter().copied().cycle().skip(3)) {
                                let whole = concrete::insert_bits(ty, value, new, offset, count);
                                let what = format!("{new} as {count} bits from {offset} of {value} of {:?}", set.known);
                                assert!(result.contains(whole), "{what} is {whole}, not in {result:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(offset: Known, count: Known, width: u8) -> impl Iterator<Item = (i64, i64)> {
    numbers(offset, width).flat_map(move |offset| numbers(count, width).map(move |count| (offset, count)))
}

#[test]
fn clamp_contains_every_result() {
    for sets in [all(Int { signed: false, width: 3 }), all(Int { signed: true, width: 3 })] {
        let ty = sets[0].known.ty();
        for set in &sets {
            for low in some(&sets, 3) {
                for high in some(&sets, 5) {
                    let result = set.known.max(low.known).min(high.known);
                    for value in set.values.iter(ty) {
                        for low in low.values.iter(ty) {
                            for high in high.values.iter(ty) {
                                let clamped = concrete::min(ty, concrete::max(ty, value, low), high);
                                assert!(result.contains(clamped), "clamp({value}, {low}, {high}) in {result:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
