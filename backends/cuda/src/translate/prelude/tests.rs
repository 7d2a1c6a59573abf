use std::collections::BTreeSet;

use super::{Fragment, TYPES, WORDS, complete, needed, text, words};
use crate::nvrtc::{self, Output, Source};

const ARCHITECTURES: [u32; 4] = [75, 80, 90, 100];

fn of(kernel: &str) -> Vec<Fragment> {
    complete(&needed(kernel)).into_iter().collect()
}

#[test]
fn only_what_is_named_is_needed() {
    use Fragment::{Arrays, Convert, Floats, Half, HalfPairs, Matrices, Quantize, Scalars, Transcendental, Vectors};
    assert_eq!(of("void main(f32* p) { p[0] = 1.0f; }"), [Scalars]);
    assert_eq!(of("p[aw_at(i, n)] = aw_sin(p[0]);"), [Scalars, Floats, Transcendental]);
    assert_eq!(of("mat<f32, 2, 3> m;"), [Scalars, Vectors, Arrays, Matrices]);
    assert_eq!(of("vec4<f16> v;"), [Scalars, Half, Vectors, HalfPairs]);
    assert_eq!(of("aw_cast<i32>(x) + aw_quantizeToF16(y)"), [Scalars, Half, Quantize, Convert]);
}

#[test]
fn comments_and_parts_of_words_name_nothing() {
    assert_eq!(of("// vec2<f32>\nint vec2_a; /* aw_dot\n mat */ my_aw_sin / xvec3 / 3 // f16"), [Fragment::Scalars]);
    assert_eq!(words("a /b/aw_x /* aw_y").collect::<Vec<_>>(), ["aw_x"]);
}

#[test]
fn every_type_and_fragment_can_be_found() {
    for ty in TYPES {
        assert!(WORDS.contains_key(ty), "{ty}");
    }
    for fragment in Fragment::ALL {
        // The functions of this fragment are operators, which are no words.
        if fragment != Fragment::HalfPairs {
            assert!(WORDS.values().any(|known| *known == fragment), "{fragment:?}");
        }
    }
    for (word, fragment) in [
        ("aw_select", Fragment::Scalars),
        ("aw_rem", Fragment::Integers),
        ("aw_countOneBits", Fragment::Bits),
        ("aw_clamp", Fragment::Numbers),
        ("aw_mix", Fragment::Floats),
        ("aw_modf_result", Fragment::Exponents),
        ("aw_dot", Fragment::Geometry),
        ("aw_transpose", Fragment::Matrices),
        ("aw_outerProduct", Fragment::MatrixFunctions),
        ("aw_unpack4xU8", Fragment::Pack),
        ("aw_cas_result", Fragment::Atomics),
        ("aw_quadSwapX", Fragment::Subgroups),
        ("aw_coopStore", Fragment::Cooperative),
    ] {
        assert_eq!(WORDS.get(word), Some(&fragment), "{word}");
    }
}

#[test]
fn a_fragment_has_every_word_that_it_names() {
    for fragment in Fragment::ALL {
        let all = complete(&BTreeSet::from([fragment]));
        // Text about another fragment must be within an `#if`, so that it is present only with that fragment.
        let unconditional: String = {
            let mut depth = 0;
            let lines = fragment.text().lines().filter(|line| {
                depth += usize::from(line.starts_with("#if"));
                let kept = depth == 0;
                depth -= usize::from(line.starts_with("#endif"));
                kept
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        for word in words(&unconditional) {
            let lifts = word.starts_with("aw_lift");
            assert!(lifts || all.contains(&WORDS[word]), "{fragment:?} does not have {word}, of {:?}", WORDS[word]);
        }
    }
}

#[test]
fn each_alone_and_all_together_compile() {
    let Ok(nvrtc) = nvrtc::library() else {
        eprintln!("skipped: no NVRTC (set ANYWARP_NVRTC to its file or folder)");
        return;
    };
    let mut sets: Vec<BTreeSet<Fragment>> = Fragment::ALL.iter().map(|fragment| BTreeSet::from([*fragment])).collect();
    sets.push(Fragment::ALL.into());
    for set in sets {
        let kernel = format!("{}extern \"C\" __global__ void empty(f32* p) {{ *p = 1.0f; }}\n", text(&set));
        for architecture in ARCHITECTURES {
            if !nvrtc.architectures().contains(&architecture) {
                continue;
            }
            let source = Source { name: "prelude.cu", text: &kernel, architecture, fast_math: false, defines: &[] };
            let result = nvrtc.compile(&source, Output::Ptx);
            let log = match result {
                Ok(compiled) => compiled.log,
                Err(error) => panic!("{set:?} for sm_{architecture}: {error}"),
            };
            assert!(log.trim_matches(['\0', '\n', ' ']).is_empty(), "{set:?} for sm_{architecture}: {log}");
        }
    }
}
