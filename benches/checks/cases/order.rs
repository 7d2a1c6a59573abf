//! Prefix sums, counts, sorting.

use crate::case::{Case, Scale, random_words};

pub(super) fn scan(scale: Scale) -> Case {
    let count = scale.pick(1 << 14, 1 << 21, 1 << 26) - 3;
    let values = random_words(count, 1);
    let mut sum = 0u32;
    let prefixes: Vec<u32> = (0..count)
        .map(|at| {
            sum = if at % 2048 == 0 { values[at] } else { sum.wrapping_add(values[at]) };
            sum
        })
        .collect();
    Case::of(include_str!("../kernels/scan.wgsl"))
        .input("values", &values)
        .output("prefixes", count)
        .threads([count, 1, 1], [2048, 1, 1])
        .words(move |at| prefixes[at])
}

pub(super) fn histogram(scale: Scale) -> Case {
    let count = scale.pick(1 << 15, 1 << 21, 1 << 26);
    let values = random_words(count, 1);
    let mut bins = [0; 256];
    values.iter().for_each(|value| bins[(value >> 24) as usize] += 1);
    Case::of(include_str!("../../cpu_vs_peers/cases/histogram.wgsl"))
        .input("values", &values)
        .output("bins", 256)
        .cleared()
        .threads([count, 1, 1], [4096, 1, 1])
        .words(move |at| bins[at])
}

pub(super) fn bitonic_sort(scale: Scale) -> Case {
    let count = scale.pick(1 << 13, 1 << 18, 1 << 24) - 5;
    let keys = random_words(count, 1);
    let mut ordered = keys.clone();
    ordered.chunks_mut(512).for_each(<[u32]>::sort_unstable);
    Case::of(include_str!("../kernels/bitonic_sort.wgsl"))
        .input("keys", &keys)
        .output("ordered", count)
        .threads([count, 1, 1], [512, 1, 1])
        .words(move |at| ordered[at])
}

pub(super) fn compaction(scale: Scale) -> Case {
    let count = scale.pick(1 << 14, 1 << 20, 1 << 25);
    let values: Vec<u32> = random_words(count, 1).into_iter().map(|word| word & (word << 1) & 0xf0).collect();
    let mut kept = Vec::with_capacity(count);
    for block in values.chunks(256) {
        let end = kept.len() + block.len();
        kept.extend(block.iter().filter(|value| **value != 0));
        kept.resize(end, 0);
    }
    Case::of(include_str!("../kernels/compaction.wgsl"))
        .input("values", &values)
        .output("kept", count)
        .output("counts", count / 256)
        .threads([count, 1, 1], [256, 1, 1])
        .words(move |at| kept[at])
}

pub(super) fn digit_counts(scale: Scale) -> Case {
    let (count, shift) = (scale.pick(1 << 14, 1 << 21, 1 << 26), 12);
    let keys = random_words(count, 1);
    let mut counts = vec![0; count / 256];
    for (at, key) in keys.iter().enumerate() {
        counts[at / 4096 * 16 + (key >> shift & 15) as usize] += 1;
    }
    Case::of(include_str!("../kernels/digit_counts.wgsl"))
        .params(&[shift])
        .input("keys", &keys)
        .output("counts", count / 256)
        .threads([count, 1, 1], [4096, 1, 1])
        .words(move |at| counts[at])
}

pub(super) fn reduce_by_key(scale: Scale) -> Case {
    let count = scale.pick(1 << 14, 1 << 20, 1 << 25);
    let mut key = 0;
    let keys: Vec<u32> = random_words(count, 1)
        .into_iter()
        .map(|word| {
            key += u32::from(word % 8 == 0);
            key
        })
        .collect();
    let values = random_words(count, 2);
    Case::of(include_str!("../kernels/reduce_by_key.wgsl"))
        .input("keys", &keys)
        .input("values", &values)
        .output("sums", count)
        .threads([count, 1, 1], [256, 1, 1])
        .words(move |at| {
            if at > 0 && keys[at - 1] == keys[at] {
                return 0;
            }
            let run = keys[at..].iter().take_while(|key| **key == keys[at]).zip(&values[at..]);
            run.fold(0, |sum: u32, (_, value)| sum.wrapping_add(*value))
        })
}
