//! Searching and hashing.

use crate::case::{Case, Scale, random_words};

pub(super) fn binary_search(scale: Scale) -> Case {
    let (count, asked) = (scale.pick(5000, 1 << 20, 1 << 24), scale.pick(1 << 12, 1 << 18, 1 << 24));
    let mut ordered = random_words(count, 1);
    ordered.sort_unstable();
    let wanted = random_words(asked, 2);
    Case::of(include_str!("../kernels/binary_search.wgsl"))
        .input("ordered", &ordered)
        .input("wanted", &wanted)
        .output("places", asked)
        .threads([asked, 1, 1], [128, 1, 1])
        .words(move |at| ordered.partition_point(|value| *value < wanted[at]) as u32)
}

pub(super) fn string_search(scale: Scale) -> Case {
    const PATTERN: [u32; 5] = [b'a' as u32, b'b' as u32, b'a' as u32, b'b' as u32, b'a' as u32];
    let words = scale.pick(1 << 13, 1 << 19, 1 << 24);
    let text: Vec<u8> = random_words(words * 4, 1).into_iter().map(|word| b'a' + (word % 2) as u8).collect();
    let mut pattern = [0; 16];
    pattern[..PATTERN.len()].copy_from_slice(&PATTERN);
    Case::of(include_str!("../kernels/string_search.wgsl"))
        .params(&[text.len() - 2, PATTERN.len()])
        .input("pattern", &pattern)
        .input("text", &text)
        .output("found", words)
        .threads([words, 1, 1], [256, 1, 1])
        .words(move |at| {
            let end = text.len() - 2;
            let starts = (at * 4..at * 4 + 4).filter(|start| start + PATTERN.len() <= end);
            starts
                .filter(|start| PATTERN.iter().zip(&text[*start..]).all(|(one, other)| *one == u32::from(*other)))
                .count() as u32
        })
}

pub(super) fn hash_insert(scale: Scale) -> Case {
    let count = scale.pick(1 << 12, 1 << 18, 1 << 23);
    let keys: Vec<u32> = random_words(count, 1).into_iter().map(|word| word % (3 * count as u32) + 1).collect();
    Case::of(include_str!("../kernels/hash_insert.wgsl"))
        .input("keys", &keys)
        .output("slots", count * 2)
        .cleared()
        .threads([count, 1, 1], [128, 1, 1])
        .holds(move |slots| {
            let (mut found, mut expected) = (slots.to_vec(), keys.clone());
            found.retain(|slot| *slot != 0);
            found.sort_unstable();
            expected.sort_unstable();
            expected.dedup();
            if found == expected { Ok(()) } else { Err(format!("{} keys, not {}", found.len(), expected.len())) }
        })
}

pub(super) fn hash_rounds(scale: Scale) -> Case {
    let count = scale.pick(1 << 9, 1 << 14, 1 << 20);
    let (constants, messages) = (random_words(64, 1), random_words(count * 16, 2));
    Case::of(include_str!("../kernels/hash_rounds.wgsl"))
        .input("constants", &constants)
        .input("messages", &messages)
        .output("digests", count * 8)
        .threads([count, 1, 1], [64, 1, 1])
        .compared(1 << 13)
        .words(move |at| digest(&constants, &messages[at / 8 * 16..][..16])[at % 8])
}

fn digest(constants: &[u32], message: &[u32]) -> [u32; 8] {
    let mixed =
        |word: u32, [one, two, three]: [u32; 3]| word.rotate_right(one) ^ word.rotate_right(two) ^ word >> three;
    let mut words = message.to_vec();
    for at in 16..64 {
        let sum = words[at - 16].wrapping_add(mixed(words[at - 15], [7, 18, 3]));
        words.push(sum.wrapping_add(words[at - 7]).wrapping_add(mixed(words[at - 2], [17, 19, 10])));
    }
    let turned = |word: u32, by: [u32; 3]| by.into_iter().fold(0, |mix, by| mix ^ word.rotate_right(by));
    let mut state: [u32; 8] = std::array::from_fn(|at| constants[at]);
    for (word, constant) in words.iter().zip(constants) {
        let [a, b, c, d, e, f, g, h] = state;
        let first = [turned(e, [6, 11, 25]), e & f ^ !e & g, *constant, *word];
        let first = first.into_iter().fold(h, u32::wrapping_add);
        let second = turned(a, [2, 13, 22]).wrapping_add(a & b ^ a & c ^ b & c);
        state = [first.wrapping_add(second), a, b, c, d.wrapping_add(first), e, f, g];
    }
    std::array::from_fn(|at| state[at].wrapping_add(constants[at]))
}
