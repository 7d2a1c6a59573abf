//! Tests of random numbers written as words and as vectors, against the reference.

use super::draw::{Draw, Source};
use super::plan::{Choice, Shape};
use super::{reference, run};
use crate::Device;
use crate::submit::Destination;

const SEED: u64 = 0x0123_4567_89ab_cdef;
const STREAM: u32 = 5;

/// Draws `words` words from word `number` of the stream on, into a buffer with `before` words before them.
fn drawn(device: &Device, draw: Draw, [before, words]: [usize; 2], number: u64, choice: Choice) -> Vec<u32> {
    let mut buffer = device.buffer_from(&vec![77u32; before + words + 5]).unwrap();
    let x = buffer.slice_mut(before..before + words);
    let plan = super::plan::plan(Shape { words: words as u64, start: before as u64, number }, choice);
    for part in &plan.passes {
        let source = Source { seed: SEED, stream: STREAM, number, draw };
        run::draw(&x, source, *part, Destination::Own).unwrap();
    }
    let all = buffer.read().unwrap().to_vec();
    assert!(all[..before].iter().chain(&all[before + words..]).all(|word| *word == 77), "words outside");
    all[before..before + words].to_vec()
}

#[test]
fn both_ways_draw_the_words_of_the_stream() {
    let device = Device::open("cpu").unwrap();
    for (before, words, number) in
        [(0, 1000, 0), (3, 1001, 3), (5, 999, 1), (1, 64, u64::MAX - 2), (0, 40, (4 << 32) - 8)]
    {
        let wanted: Vec<u32> =
            (0..words as u64).map(|at| reference::word(SEED, STREAM, number.wrapping_add(at))).collect();
        for vectors in [false, true] {
            let got = drawn(&device, Draw::Bits, [before, words], number, Choice { vectors });
            assert_eq!(got, wanted, "{words} words from {number}, vectors: {vectors}");
        }
    }
}

#[test]
fn distributions_are_those_of_the_reference() {
    let device = Device::open("cpu").unwrap();
    let words: Vec<u32> = (0..4000).map(|at| reference::word(SEED, STREAM, at)).collect();
    for vectors in [false, true] {
        let draw = |draw| drawn(&device, draw, [0, 4000], 0, Choice { vectors });
        let floats = |draw: Vec<u32>| draw.into_iter().map(f32::from_bits);
        assert!(floats(draw(Draw::UniformF32)).eq(words.iter().map(|word| reference::uniform_f32(*word))));
        let doubles = draw(Draw::UniformF64);
        for (got, word) in doubles.chunks(2).zip(words.chunks(2)) {
            let got = f64::from_bits(u64::from(got[1]) << 32 | u64::from(got[0]));
            assert_eq!(got, reference::uniform_f64(word[0], word[1]));
        }
        let span = 3_000_000_000u32;
        let below = (0..4000).map(|at| reference::below(SEED, STREAM, at, span).wrapping_add(9));
        assert!(draw(Draw::Integers { low: 9, span: u64::from(span) }).into_iter().eq(below));
        for (got, word) in floats(draw(Draw::Exponential)).zip(&words) {
            assert!(close(got, reference::exponential(*word)), "{got} for {word}");
        }
        for (got, pair) in draw(Draw::Normal).chunks(2).zip(words.chunks(2)) {
            let wanted = reference::normal_pair(pair[0], pair[1]);
            let is_close = |at: usize| close(f32::from_bits(got[at]), wanted[at]);
            assert!(
                is_close(0) && is_close(1),
                "{:?} in place of {wanted:?}",
                got.iter().map(|bits| f32::from_bits(*bits))
            );
        }
        let chances = words.iter().map(|word| if *word < 1 << 30 { 8 } else { 0 });
        assert!(draw(Draw::Chance { words: 1 << 30, one: 8 }).into_iter().eq(chances));
    }
}

/// Whether two numbers differ at most by one rounding and the errors of fixed point: 2^-23 of the value, 2^-28 near 0.
fn close(got: f32, wanted: f64) -> bool {
    (f64::from(got) - wanted).abs() <= wanted.abs() * 2f64.powi(-23) + 2f64.powi(-28)
}
