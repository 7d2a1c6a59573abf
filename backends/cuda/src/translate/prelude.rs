//! The CUDA C++ library for kernels: WGSL's types and functions. It is divided into fragments, so that a kernel
//! includes only those that it uses and compiles fast.
//!
//! [`needed`] finds the necessary fragments from the finished text. A word belongs to the first fragment that contains
//! it, in the order of [`Fragment`], because each fragment comes after the fragments that it uses.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// One file of the prelude. The order is that of the files in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Fragment {
    /// Scalar types, indices within bounds, bit casts, `select`.
    Scalars,
    /// `f16`.
    Half,
    /// Vectors and their operators.
    Vectors,
    /// Operators on two `f16` at a time; included if both vectors and `f16` are.
    HalfPairs,
    /// Arrays with strides.
    Arrays,
    /// Matrices, their operators, `transpose`.
    Matrices,
    /// Integer arithmetic that wraps, defined division and shifts.
    Integers,
    /// Bit functions of integers.
    Bits,
    /// Functions of both integers and floats; `all`, `any` and similar ones.
    Numbers,
    /// Functions of floats.
    Floats,
    /// Rounding to `f16`.
    Quantize,
    /// `sin`, `exp` and similar functions.
    Transcendental,
    /// `modf`, `frexp`, `ldexp`.
    Exponents,
    /// Dot products, lengths, reflection.
    Geometry,
    /// Determinants, inverses, outer products.
    MatrixFunctions,
    /// Conversions.
    Convert,
    /// Packing of several small numbers into one word.
    Pack,
    /// Atomic functions.
    Atomics,
    /// Subgroup functions.
    Subgroups,
    /// Cooperative matrices.
    Cooperative,
}

use Fragment::{
    Arrays, Atomics, Bits, Convert, Cooperative, Exponents, Floats, Geometry, Half, HalfPairs, Integers, Matrices,
    MatrixFunctions, Numbers, Pack, Quantize, Scalars, Subgroups, Transcendental, Vectors,
};

impl Fragment {
    /// All fragments, in order.
    pub(super) const ALL: [Self; 20] = [
        Scalars,
        Half,
        Vectors,
        HalfPairs,
        Arrays,
        Matrices,
        Integers,
        Bits,
        Numbers,
        Floats,
        Quantize,
        Transcendental,
        Exponents,
        Geometry,
        MatrixFunctions,
        Convert,
        Pack,
        Atomics,
        Subgroups,
        Cooperative,
    ];

    /// The fragments that this fragment uses, without [`Scalars`], which all fragments use.
    pub(super) fn needs(self) -> &'static [Self] {
        match self {
            HalfPairs => &[Half, Vectors],
            Matrices => &[Vectors, Arrays],
            Quantize => &[Half],
            Transcendental => &[Floats],
            Geometry | Subgroups => &[Vectors],
            MatrixFunctions => &[Matrices],
            Pack => &[Half, Vectors],
            Cooperative => &[HalfPairs],
            _ => &[],
        }
    }

    fn text(self) -> &'static str {
        match self {
            Scalars => include_str!("prelude/scalars.cuh"),
            Half => include_str!("prelude/half.cuh"),
            Vectors => include_str!("prelude/vectors.cuh"),
            HalfPairs => include_str!("prelude/half_pairs.cuh"),
            Arrays => include_str!("prelude/arrays.cuh"),
            Matrices => include_str!("prelude/matrices.cuh"),
            Integers => include_str!("prelude/integers.cuh"),
            Bits => include_str!("prelude/bits.cuh"),
            Numbers => include_str!("prelude/numbers.cuh"),
            Floats => include_str!("prelude/floats.cuh"),
            Quantize => include_str!("prelude/quantize.cuh"),
            Transcendental => include_str!("prelude/transcendental.cuh"),
            Exponents => include_str!("prelude/exponents.cuh"),
            Geometry => include_str!("prelude/geometry.cuh"),
            MatrixFunctions => include_str!("prelude/matrix_functions.cuh"),
            Convert => include_str!("prelude/convert.cuh"),
            Pack => include_str!("prelude/pack.cuh"),
            Atomics => include_str!("prelude/atomics.cuh"),
            Subgroups => include_str!("prelude/subgroups.cuh"),
            Cooperative => include_str!("prelude/cooperative.cuh"),
        }
    }
}

/// Returns the fragments whose words a kernel's text contains outside of comments. [`text`] adds the fragments that
/// these use.
pub(super) fn needed(kernel: &str) -> BTreeSet<Fragment> {
    words(kernel).filter_map(|word| WORDS.get(word).copied()).collect()
}

/// Returns the text of fragments and of the fragments that they use, each once.
pub(super) fn text(fragments: &BTreeSet<Fragment>) -> String {
    let all = complete(fragments);
    let mut text = String::new();
    for fragment in Fragment::ALL {
        if all.contains(&fragment) {
            text.push_str(fragment.text());
        } else if fragment == Vectors {
            text.push_str(include_str!("prelude/no_vectors.cuh"));
        }
    }
    text
}

fn complete(fragments: &BTreeSet<Fragment>) -> BTreeSet<Fragment> {
    let mut all = BTreeSet::from([Scalars]);
    let mut left: Vec<Fragment> = fragments.iter().copied().collect();
    while let Some(fragment) = left.pop() {
        if all.insert(fragment) {
            left.extend(fragment.needs());
        }
    }
    if all.contains(&Half) && all.contains(&Vectors) {
        all.insert(HalfPairs);
    }
    all
}

/// The fragment that declares each word of the vocabulary.
static WORDS: LazyLock<FxHashMap<&'static str, Fragment>> = LazyLock::new(|| {
    let mut known = FxHashMap::default();
    for fragment in Fragment::ALL {
        for word in words(fragment.text()) {
            known.entry(word).or_insert(fragment);
        }
    }
    known
});

/// Returns the words of a text that may be in the vocabulary, without comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/')?;
            rest = &rest[start..];
            if rest.starts_with('/') {
                rest = match rest.as_bytes().get(1) {
                    Some(b'/') => rest.split_once('\n')?.1,
                    Some(b'*') => rest.split_once("*/")?.1,
                    _ => &rest[1..],
                };
                continue;
            }
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            if word.starts_with("aw_") || TYPES.contains(&word) {
                return Some(word);
            }
        }
    })
}

/// Words of the vocabulary without the prefix `aw_`. Scalar types other than `f16` are not listed, because they are
/// always available.
const TYPES: [&str; 8] = ["vec2", "vec3", "vec4", "mat", "array", "padded", "coop", "f16"];

#[cfg(test)]
mod tests;
