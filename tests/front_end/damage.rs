//! Shaders and generated kernels with random changes.

use anywarp_testing::random::Random;
use anywarp_testing::random_kernels::{generate, print};

const SHADERS: [&str; 3] = [
    include_str!("../../examples/shaders/conv3x3.wgsl"),
    include_str!("../../examples/shaders/saxpy.wgsl"),
    include_str!("../../examples/shaders/touch.wgsl"),
];

/// Tokens that change the meaning of a text where they are inserted.
const WORDS: [&str; 44] = [
    "u32",
    "i32",
    "f32",
    "f16",
    "bool",
    "vec3<u32>",
    "mat2x2<f32>",
    "array<u32>",
    "array<u32, 4>",
    "atomic<u32>",
    "ptr<function, u32>",
    "0",
    "1u",
    "-1",
    "2147483648",
    "4294967295u",
    "1e38f",
    "1.5h",
    "true",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".x",
    "&",
    "*",
    "return",
    "break",
    "continue",
    "discard",
    "var",
    "let",
    "const",
    "fn",
    "struct",
    "@group(0)",
    "@builtin(position)",
    "workgroupBarrier()",
];

/// Generates the text of a seed.
pub(crate) fn text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = if random.chance(40) {
        (*random.pick(&SHADERS)).to_owned()
    } else {
        let size = random.between(1, 8);
        print::wgsl(&generate::generate(random.bits() % 500, size))
    };
    for _ in 0..random.between(1, 6) {
        text = if random.chance(25) { bytes(&mut random, &text) } else { tokens(&mut random, &text) };
    }
    text
}

fn bytes(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    let at = random.below(bytes.len());
    match random.below(4) {
        0 => bytes[at] = random.word() as u8,
        1 => bytes[at] ^= 1 << random.below(7),
        2 => bytes.truncate(at),
        _ => {
            let end = (at + random.below(40)).min(bytes.len());
            bytes.drain(at..end);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tokens(random: &mut Random, text: &str) -> String {
    let mut tokens = split(text);
    if tokens.is_empty() {
        return String::new();
    }
    let at = random.below(tokens.len());
    let other = random.below(tokens.len());
    match random.below(6) {
        0 => tokens.swap(at, other),
        1 => drop(tokens.remove(at)),
        2 => tokens.insert(at, tokens[other]),
        3 => tokens[at] = *random.pick(&WORDS),
        4 => tokens.insert(at, *random.pick(&WORDS)),
        _ => {
            let end = (at + random.below(30)).min(tokens.len());
            let copy = tokens[at..end].to_vec();
            tokens.splice(other..other, copy);
        }
    }
    tokens.concat()
}

/// Splits the text into its words and all other single characters.
fn split(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length =
            if word(first) { rest.find(|letter| !word(letter)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}
