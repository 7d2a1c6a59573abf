//! Attention and rotary embeddings.

use crate::cases::{Case, File, all, run};

/// Two queries, whose scores are the same for both keys.
const Q: File = ("q.npy", "T", "(1, 1, 2, 1)", &[0.0, 0.0]);
const K: File = ("k.npy", "T", "(1, 1, 2, 1)", &[1.0, 5.0]);
const V: File = ("v.npy", "T", "(1, 1, 2, 2)", &[2.0, 8.0, 4.0, 16.0]);
const X: File = ("x.npy", "T", "(1, 1, 2, 4)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);

pub(crate) const ATTENTION: &[Case] = &[
    all("attention q.npy k.npy v.npy", &[Q, K, V], &[("T", "(1, 1, 2, 2)", &[3.0, 12.0, 3.0, 12.0])]),
    all(
        "attention q.npy k.npy v.npy --causal 0 --scale 2 --cap 5",
        &[Q, K, V],
        &[("T", "(1, 1, 2, 2)", &[2.0, 8.0, 3.0, 12.0])],
    ),
    all(
        "attention q.npy k.npy v.npy --mask mask.npy --bias bias.npy",
        &[Q, K, V, ("mask.npy", "u32", "(2,)", &[1.0, 1.0]), ("bias.npy", "T", "(2, 1)", &[3.0, f64::NEG_INFINITY])],
        &[("T", "(1, 1, 2, 2)", &[3.0, 12.0, 0.0, 0.0])],
    ),
    all(
        "attention_backward q.npy k.npy v.npy dy.npy --scale 1",
        &[
            ("q.npy", "T", "(1, 1, 1, 2)", &[1.0, 0.0]),
            ("k.npy", "T", "(1, 1, 2, 2)", &[0.0, 2.0, 0.0, -2.0]),
            ("v.npy", "T", "(1, 1, 2, 2)", &[1.0, 3.0, 3.0, 3.0]),
            ("dy.npy", "T", "(1, 1, 1, 2)", &[1.0, 0.0]),
        ],
        &[
            ("T", "(1, 1, 1, 2)", &[0.0, -2.0]),
            ("T", "(1, 1, 2, 2)", &[-0.5, 0.0, 0.5, 0.0]),
            ("T", "(1, 1, 2, 2)", &[0.5, 0.0, 0.5, 0.0]),
        ],
    ),
    all(
        "rotary_embedding x.npy cosines.npy sines.npy",
        &[
            X,
            ("cosines.npy", "f32", "(2, 2)", &[1.0, 0.0, 0.0, 1.0]),
            ("sines.npy", "f32", "(2, 2)", &[0.0, 1.0, 1.0, 0.0]),
        ],
        &[("T", "(1, 1, 2, 4)", &[1.0, -4.0, 3.0, 2.0, -7.0, 6.0, 5.0, 8.0])],
    ),
    all(
        "rotary_embedding x.npy cosines.npy sines.npy --size 2 --interleaved --positions_first --per_batch --inverse",
        &[X, ("cosines.npy", "f32", "(1, 1, 1)", &[0.0]), ("sines.npy", "f32", "(1, 1, 1)", &[1.0])],
        &[("T", "(1, 1, 2, 4)", &[2.0, -1.0, 3.0, 4.0, 6.0, -5.0, 7.0, 8.0])],
    ),
];

#[test]
fn attention_is_computed() {
    run("op-attention", ATTENTION);
}
